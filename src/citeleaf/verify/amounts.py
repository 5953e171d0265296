"""Numbers, periods, dates, units and comparators: the same value, of the same unit, bounded from the same side."""

from __future__ import annotations

import re

from citeleaf.language.quantities import Quantity, opposed, quantities, same
from citeleaf.types import Span
from citeleaf.verify.align import Match, Piece
from citeleaf.verify.finding import Finding, Sides, failed, idle, passed

_STRAYED = 0.75
"""Coverage by the best piece from which a number that only a further piece holds was not said of the same thing."""
_DOUBT, _SURE = 0.1, 0.25
"""How much closer, in [0, 1], the words around another number must be for a doubt and for a contradiction."""
_PERIODS = frozenset(("time", "month", "business day"))
_GATE = 0.55
"""Least coverage of the claim by the piece from which another number there contradicts."""
_NEAR = 45
"""Characters around a number that say what it is a number of."""
_LIGHT = frozenset(("for", "and", "the", "with", "that", "this", "from"))
_MOST = 40
"""Numbers of one claim that are looked at."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_SUMS = re.compile(r"\b(?:altogether|combined|twice|doubles?d?|half|average|difference|ratio)\b", re.I)


def amounts(sides: Sides) -> tuple[Finding, ...]:
    """The checks `numbers`, `periods`, `dates`, `units` and `comparators`, in this order."""
    claim = sides.claim
    worst: dict[str, Finding] = {}
    derived = bool(_SUMS.search(claim.text))
    for q in claim.quantities[:_MOST]:
        name = "dates" if q.unit == "date" else "periods" if q.unit in _PERIODS else "numbers"
        found = _look(q, name, sides, derived=derived)
        if found.name not in worst or _worse(found, worst[found.name]):
            worst[found.name] = found
        bound = _bound(q, sides)
        if bound is not None and ("comparators" not in worst or _worse(bound, worst["comparators"])):
            worst["comparators"] = bound
    return tuple(worst.get(name, idle(name)) for name in ("numbers", "periods", "dates", "units", "comparators"))


def _look(q: Quantity, name: str, sides: Sides, *, derived: bool) -> Finding:
    said = Span(q.start, q.end)
    written = _shown(sides.claim.text, q)
    for match in sides.matches:
        if any(same(q, p) for p in match.piece.reading.quantities):
            if match is not sides.best and sides.best.coverage >= max(_STRAYED, match.coverage + 0.25):
                return failed(name, f"{written} stands elsewhere in the passage", said=said)
            return _elsewhere(q, name, written, sides) or passed(name, f"{written}: as in the passage")
    rival = None if derived else _rival(q, sides)
    if rival is not None:
        match, p = rival
        theirs = _shown(match.piece.text, p)
        kind = "units" if q.written == p.written and q.unit not in ("date", "clock") else name
        return failed(
            kind,
            f"the claim says {written}, the passage {theirs}",
            contradicts=True,
            said=said,
            piece=match.piece,
            found=Span(p.start, p.end),
        )
    if any(same(q, p) for piece in sides.rest for p in quantities(piece.text)):
        return failed(name, f"{written} stands elsewhere in the passage", said=said)
    if _follows(q, sides):
        return passed(name, f"{written}: within what the passage allows")
    return failed(name, f"{written} is not in the passage", said=said)


def _elsewhere(q: Quantity, name: str, written: str, sides: Sides) -> Finding | None:
    """Where the number stands in a further piece alone, or twice, and the words around it belong to another number."""
    best = sides.best
    if best.coverage < _GATE:
        return None
    rivals = [
        (p, _closeness(sides.claim.text, q, best.piece.text, p)) for p in best.piece.reading.quantities if _kin(q, p)
    ]
    own = max((n for p, n in rivals if same(q, p)), default=0.0)
    others = [(p, n) for p, n in rivals if not same(q, p) and not _in_claim(p, sides)]
    other = max(others, key=lambda pair: pair[1], default=None)
    if other is None:
        return None
    closer = (other[1] - own) / (other[1] + own + 0.1)
    if closer < _DOUBT:
        return None
    p = other[0]
    return failed(
        name,
        f"the claim says {written} where the passage says {_shown(best.piece.text, p)}",
        contradicts=best.near and best.coverage >= 0.8 and closer >= _SURE,
        said=Span(q.start, q.end),
        piece=best.piece,
        found=Span(p.start, p.end),
    )


def _rival(q: Quantity, sides: Sides) -> tuple[Match, Quantity] | None:
    """Another number of the kind, in a piece whose words the claim nearly has, that no number of the claim equals."""
    around = _around(sides.claim.text, q)
    for match in sides.matches[:2]:
        if match.coverage < _GATE or len(match.pairs) < 2:
            continue
        found = [p for p in match.piece.reading.quantities if _kin(q, p) and not _in_claim(p, sides)]
        if found:
            return match, max(found, key=lambda p: (len(around & _around(match.piece.text, p)), -abs(p.start)))
    return None


def _bound(q: Quantity, sides: Sides) -> Finding | None:
    if not q.bound:
        return None
    for match in sides.matches:
        equal = [p for p in match.piece.reading.quantities if same(q, p)]
        if not equal:
            continue
        if any(not opposed(q, p) for p in equal) or match.coverage < _GATE:
            return passed("comparators", f"{q.bound} {_shown(sides.claim.text, q)}")
        p = equal[0]
        turned = sides.claim.content and _denials(match)
        if turned:
            return None
        detail = f"the claim says {q.bound} {_shown(sides.claim.text, q)}, the passage {p.bound}"
        low, high = max(0, p.start - 20), p.end
        return failed(
            "comparators",
            detail,
            contradicts=match.near,
            said=Span(max(0, q.start - 20), q.end),
            piece=match.piece,
            found=Span(low, high),
        )
    return None


def _denials(match: Match) -> bool:
    """Whether claim and piece differ in what they deny, so that the other bound may be the same said the other way."""
    theirs = match.piece.reading.content
    return any(match.claim.content[i].denied != theirs[j].denied for i, j in match.pairs)


def _follows(q: Quantity, sides: Sides) -> bool:
    """Whether a bounded number of the best piece holds for this one, so that it may be an instance of it."""
    if q.bound:
        return False
    return any(
        p.unit == q.unit
        and p.unit
        and ((p.bound == "at least" and q.value > p.value) or (p.bound == "at most" and q.value < p.value))
        for p in sides.best.piece.reading.quantities
    )


def _kin(q: Quantity, p: Quantity) -> bool:
    """Whether two numbers are of one kind, so that the one can stand in the other's place."""
    if "date" in (q.unit, p.unit):
        return q.unit == p.unit
    return q.unit == p.unit or {q.unit, p.unit} <= _PERIODS or (q.written == p.written and bool(q.unit and p.unit))


def _in_claim(p: Quantity, sides: Sides) -> bool:
    return any(same(p, other) for other in sides.claim.quantities)


def _around(text: str, q: Quantity) -> set[str]:
    near = text[max(0, q.start - _NEAR) : q.start] + " " + text[q.end : q.end + _NEAR]
    return {w.casefold()[:6] for w in _WORD.findall(near)}


def _closeness(text: str, q: Quantity, other: str, p: Quantity) -> float:
    """How alike the words around two numbers are: over those on the same side, products of 1 / (2 + words between)."""
    mine, theirs = _weights(text, q), _weights(other, p)
    return sum(w * theirs[word] for word, w in mine.items() if word in theirs)


def _weights(text: str, q: Quantity) -> dict[tuple[bool, str], float]:
    out: dict[tuple[bool, str], float] = {}
    before = _told(text[max(0, q.start - 2 * _NEAR) : q.start])[-7:]
    after = _told(text[q.end : q.end + 2 * _NEAR])[:8]
    for behind, words in ((False, before[::-1]), (True, after)):
        for i, word in enumerate(words):
            out.setdefault((behind, word), 1 / (2 + i))
    return out


def _told(text: str) -> list[str]:
    return [w.casefold()[:6] for w in _WORD.findall(text) if w.casefold() not in _LIGHT]


def _shown(text: str, q: Quantity) -> str:
    return "“" + " ".join(text[q.start : q.end].split()) + "”"


def _worse(a: Finding, b: Finding) -> bool:
    return (a.state == "failed", a.contradicts) > (b.state == "failed", b.contradicts)


def holds(piece: Piece, q: Quantity) -> bool:
    """Whether a piece holds a quantity."""
    return any(same(q, p) for p in piece.reading.quantities)

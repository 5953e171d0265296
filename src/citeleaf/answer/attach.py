"""A citation for a sentence that has none, or has one that cannot be meant: by the words it shares with a passage."""

from __future__ import annotations

from collections.abc import Sequence

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import claim_spans, owner
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.types import Check, Citation, Draft, Evidence, Span

_FEWEST_TERMS = 3
_HELD = 0.75
"""Share of a sentence's terms that a passage must hold to be cited for it."""
_NOT_HELD = 0.4
"""A cited passage that holds at most this share is not the one meant when another holds `_MOVED`."""
_MOVED = 0.85


def attach(text: str, evidence: Sequence[Evidence]) -> tuple[str, tuple[Check, ...]]:
    """The text with markers where one passage clearly holds the sentence, and a check for each that was put in.

    `attached`: the sentence had no citation. `moved`: its only citation names a passage that holds at most 40 % of its
    terms, while another holds at least 85 %; that one is cited instead. Numbers of the sentence must all stand in the
    passage. A passage is taken only when it holds more than any other. What was put in is verified as any citation is.
    """
    draft = Draft(text, text, False, "")
    citations = resolve(draft, evidence)
    spans = claim_spans(draft, sorted({c.at for c in citations}, key=lambda s: s.start))
    owned: dict[int, list[Citation]] = {}
    for citation in citations:
        place = owner(spans, citation.at)
        if place is not None and citation.status != "dropped":
            owned.setdefault(place, []).append(citation)
    held = [set(terms(_words(e), guess_language(text))) for e in evidence]
    edits: list[tuple[Span, str, Check]] = []
    for i, span in enumerate(spans):
        words = _without(text, span, [c.at for c in citations])
        shares = _shares(words, held, guess_language(text))
        best = _best(shares)
        if best is None:
            continue
        marker = f"[{evidence[best].rank}]"
        cites = owned.get(i, [])
        if not cites and shares[best] >= _HELD:
            edits.append((Span(span.end, span.end), f" {marker}", _check("attached", f"{marker} put in", shares[best])))
        elif len(cites) == 1 and shares[best] >= _MOVED:
            cited = next(n for n, e in enumerate(evidence) if e.passage.id == cites[0].passage_id)
            if shares[cited] <= _NOT_HELD:
                detail = f"{cites[0].marker} read as {marker}"
                edits.append((cites[0].at, marker, _check("moved", detail, shares[best])))
    for span, marker, _ in reversed(sorted(edits, key=lambda e: e[0].start)):
        text = text[: span.start] + marker + text[span.end :]
    return text, tuple(check for _, _, check in edits)


def _words(item: Evidence) -> str:
    return " ".join((*item.passage.heading, item.passage.context, item.passage.text))


def _without(text: str, span: Span, marks: Sequence[Span]) -> str:
    out = text[span.start : span.end]
    for mark in sorted(set(marks), key=lambda s: -s.start):
        if span.start <= mark.start and mark.end <= span.end:
            out = out[: mark.start - span.start] + " " + out[mark.end - span.start :]
    return out


def _shares(words: str, held: Sequence[set[str]], language: str) -> list[float]:
    wanted = set(terms(words, language))
    numbers = {t for t in wanted if any(c.isdigit() for c in t)}
    if len(wanted) < _FEWEST_TERMS:
        return [0.0] * len(held)
    return [len(wanted & h) / len(wanted) if numbers <= h else 0.0 for h in held]


def _best(shares: Sequence[float]) -> int | None:
    if not shares or max(shares) == 0.0 or sum(s == max(shares) for s in shares) > 1:
        return None
    return shares.index(max(shares))


def _check(name: str, detail: str, share: float) -> Check:
    return Check(name, True, detail, round(share, 3), _MOVED if name == "moved" else _HELD)

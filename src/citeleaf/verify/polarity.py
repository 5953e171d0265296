"""Negation and its scope, exceptions and conditions: what is denied there must be denied here."""

from __future__ import annotations

from itertools import product

from citeleaf.types import Span
from citeleaf.verify.align import Match
from citeleaf.verify.finding import Finding, Sides, beside, failed, idle, passed
from citeleaf.verify.lexicon import CONDITIONAL, EXCEPTING, NEGATIONS, NEGATIVE_VERBS, NOT_ONLY, REGARDLESS
from citeleaf.verify.reading import Reading, Word

_MOST = 0.6
"""Share of the shared words that must differ in what is denied for the statement to be turned round."""
_COPIED = 0.8
"""Coverage from which an odd negation is a doubt, where no clause is turned round as a whole."""
_OVER = 0.5
"""Least coverage by a piece for words such as `even if` to contradict its condition."""


def polarity(sides: Sides) -> tuple[Finding, ...]:
    """The checks `negation` and `exceptions`, in this order."""
    return (_negation(sides), _exceptions(sides))


def denials(reading: Reading) -> int:
    """How many negations and words of negative sense a text holds."""
    return len(_cues(reading.words))


def _negation(sides: Sides) -> Finding:
    gated = [m for m in sides.matches if m.near]
    if not gated:
        return idle("negation")
    match = gated[0]
    if NOT_ONLY.search(sides.claim.text) or any(_agrees(m) for m in gated if m.coverage >= match.coverage - 0.1):
        return passed("negation", "what is denied agrees")
    clauses = sorted({w.clause for w in match.claim.content})
    for condition, clause in product((False, True), (None, *clauses)):
        apart, n = _apart(match, condition=condition, clause=clause)
        if n < (2 if clause is None else 3) or len(apart) < _MOST * n:
            continue
        return failed(
            "negation",
            f"the claim {_says(match, apart)}",
            contradicts=True,
            said=_span(match, apart, claim=True),
            piece=match.piece,
            found=_span(match, apart, claim=False),
        )
    if match.coverage >= _COPIED and denials(sides.claim) % 2 != denials(match.piece.reading) % 2:
        return failed("negation", "one more negation on one side than on the other")
    return passed("negation", "what is denied agrees")


def _exceptions(sides: Sides) -> Finding:
    claim, best = sides.claim, sides.best
    over = REGARDLESS.search(claim.text)
    near = [m for m in sides.matches[:2] if m.coverage >= _OVER]
    if over and near and not any(REGARDLESS.search(m.piece.text) for m in near):
        for match in near:
            held = CONDITIONAL.search(match.piece.text)
            if held:
                return failed(
                    "exceptions",
                    f"the claim says “{over[0]}”, the passage “{held[0]}”",
                    contradicts=True,
                    said=Span(over.start(), over.end()),
                    piece=match.piece,
                    found=Span(held.start(), held.end()),
                )
    if best.near and not any(_agrees(m) for m in sides.matches if m.near and m.coverage >= best.coverage - 0.1):
        apart, _ = _apart(best)
        local = _local(best, apart)
        if local:
            words = ", ".join(best.claim.content[i].text for i, _ in local)
            return failed(
                "exceptions",
                f"“{words}” is excepted on one side and not on the other",
                contradicts=True,
                said=_span(best, local, claim=True),
                piece=best.piece,
                found=_span(best, local, claim=False),
            )
    direct = _direct(best)
    if direct is not None:
        word, other = direct
        return beside(
            "exceptions",
            f"the claim says “not {word.text}”, the passage “{other.text}”",
            word,
            best.piece,
            other,
            contradicts=True,
        )
    dropped = _dropped(sides)
    if dropped is not None:
        cue, piece_span = dropped
        return failed("exceptions", f"leaves out “{cue}”", piece=best.piece, found=piece_span)
    used = over or any(w.part in ("exception", "condition") for w in claim.content)
    return passed("exceptions", "conditions and exceptions agree") if used else idle("exceptions")


def _agrees(match: Match) -> bool:
    return not _apart(match)[0]


def _apart(
    match: Match, *, condition: bool | None = None, clause: int | None = None
) -> tuple[list[tuple[int, int]], int]:
    """The shared words that are denied on one side alone, and how many can be compared: all, or those of conditions,
    or the others; of the whole claim or of one clause.

    Words of a condition are compared with words of a condition alone. `not ... unless` is also read as `only if`; the
    reading with the fewest differences counts.
    """
    mine, theirs = match.claim.content, match.piece.reading.content
    pairs = [(i, j) for i, j in match.pairs if _comparable(mine[i], theirs[j]) and clause in (None, mine[i].clause)]
    if condition is not None:
        wanted = ("condition",) if condition else ("main", "relative")
        pairs = [(i, j) for i, j in pairs if mine[i].part in wanted and theirs[j].part in wanted]
    low, high = match.window
    pairs = [(i, j) for i, j in pairs if low <= j <= high] or pairs
    best: list[tuple[int, int]] | None = None
    for a in (False, True):
        for b in (False, True):
            apart = [
                (i, j)
                for i, j in pairs
                if (mine[i].relaxed if a else mine[i].denied) != (theirs[j].relaxed if b else theirs[j].denied)
            ]
            if best is None or len(apart) < len(best):
                best = apart
    return best or [], len(pairs)


def _comparable(mine: Word, theirs: Word) -> bool:
    parts = {mine.part, theirs.part}
    return "condition" not in parts or parts <= {"condition", "exception"}


def _local(match: Match, apart: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Words apart that stand in an exception on one side or both."""
    mine, theirs = match.claim.content, match.piece.reading.content
    return [(i, j) for i, j in apart if "exception" in (mine[i].part, theirs[j].part)]


def _direct(match: Match) -> tuple[Word, Word] | None:
    """A word of a condition or an attribute that is negated just before it in the claim and nowhere in the piece."""
    if not match.near:
        return None
    mine, theirs = match.claim, match.piece.reading
    if _cues(theirs.words) or len(_cues(mine.words)) != 1:
        return None
    for i, j in match.pairs:
        word, other = mine.content[i], theirs.content[j]
        if word.part == "main" or word.stem != other.stem or other.part not in ("condition", "relative"):
            continue
        before = [w.text for w in mine.words if w.end <= word.start][-3:]
        if any(w in NEGATIONS for w in before):
            return word, other
    return None


def _dropped(sides: Sides) -> tuple[str, Span] | None:
    """An exception of the best piece, in the clause that the claim repeats, of which the claim holds no word."""
    best = sides.best
    if not best.near or CONDITIONAL.search(sides.claim.text):
        return None
    theirs = best.piece.reading
    held = {j for _, j in best.pairs}
    clauses = {theirs.content[j].clause for j in held if theirs.content[j].part == "main"}
    left = [j for j, w in enumerate(theirs.content) if w.part == "exception" and w.clause in clauses and j not in held]
    if not left or any(theirs.content[j].part == "exception" for j in held):
        return None
    first = theirs.content[left[0]]
    before = theirs.text[max(0, first.start - 30) : first.start].lower()
    cue = next((c for c in EXCEPTING if c in before), "except")
    return f"{cue} {first.text}", Span(max(0, first.start - len(cue) - 1), first.end)


def _says(match: Match, apart: list[tuple[int, int]]) -> str:
    mine, theirs = match.claim, match.piece.reading
    here, there = _cues(mine.words), _cues(theirs.words)
    if here and not there:
        return f"denies (“{here[0]}”) what the passage states"
    if there and not here:
        return f"states what the passage denies (“{there[0]}”)"
    words = ", ".join(mine.content[i].text for i, _ in apart[:3])
    return f"and the passage differ in what they deny: {words}"


def _cues(words: tuple[Word, ...]) -> list[str]:
    return [w.text for w in words if w.text in NEGATIONS or NEGATIVE_VERBS.fullmatch(w.text)]


def _span(match: Match, apart: list[tuple[int, int]], *, claim: bool) -> Span:
    words = match.claim.content if claim else match.piece.reading.content
    at = [words[i if claim else j] for i, j in apart]
    return Span(min(w.start for w in at), max(w.end for w in at))

"""What must agree to the word before a claim is shown as supported: small words that carry the sense, and their order.

These are doubts, never contradictions: a true wording in other words may differ in them.
"""

from __future__ import annotations

import re

from citeleaf.types import Span
from citeleaf.verify.align import Match
from citeleaf.verify.finding import Finding, Sides, failed, idle, passed
from citeleaf.verify.lexicon import PARTIES, SIDES
from citeleaf.verify.reading import Reading, Word, alike

_CLASSES = {
    "all": "all every each whole entire always both",
    "any": "any anyone either",
    "some": "some certain several sometimes partly",
    "only": "only solely exclusively alone just",
    "if": "if when where whenever provided once as case",
    "unless": "unless except excepting excluding other apart save without",
    "until": "until till",
    "even": "even regardless irrespective whether",
    "before": "before prior earlier",
    "after": "after following later once",
    "more": "more over above exceed exceeds exceeding least minimum",
    "less": "less under below most maximum within up",
    "first": "first beginning start opening commencement initial",
    "last": "last end final closing expiry",
    "or": "or either",
    "we": "we us",
    "you": "you",
    "our": "our ours",
    "your": "your yours",
    "again": "again twice more",
    "immediately": "immediately automatically straightaway",
}
_CLASS = {word: name for name, words in _CLASSES.items() for word in words.split()}
_HARD = frozenset(("only", "unless", "until", "if"))
"""Classes that a claim may not leave out of the clause that it repeats."""
_GRAMMAR = frozenset(("as", "once", "case", "other", "save", "up", "over", "most", "or", "more", "all", "any"))
"""Words of a class that are common in another sense: in the claim alone they are no doubt."""
_ORDER = 0.3
"""How much less of the claim's words may stand in the piece's order than stand in it at all."""
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_GATE = 0.5


def wording(sides: Sides) -> Finding:
    """The check `wording`: the small words of the claim are those of the passage, and its order is too."""
    near = [m for m in sides.matches[:2] if m.coverage >= _GATE]
    if not near:
        return idle("wording")
    best = near[0]
    added = _added(sides.claim, near)
    if added is not None:
        return failed("wording", f"“{added.text}” is not in the passage", said=Span(added.start, added.end))
    left = _left_out(best)
    if left is not None:
        return failed("wording", f"leaves out “{left.text}”", piece=best.piece, found=Span(left.start, left.end))
    turned = _turned(best)
    if turned is not None:
        detail = f"“{turned.text}” has another place in the passage"
        return failed("wording", detail, said=Span(turned.start, turned.end))
    if best.coverage - best.ordered > _ORDER and not _moved_condition(best):
        return failed("wording", "the passage says these words in another order")
    return passed("wording")


def _added(claim: Reading, near: list[Match]) -> Word | None:
    """A small word of the claim whose class stands in none of the pieces."""
    held = {_CLASS[w.text] for m in near for w in m.piece.reading.words if w.text in _CLASS}
    held |= {"we" for m in near for w in m.piece.reading.words if w.text == "our"}
    held |= {"you" for m in near for w in m.piece.reading.words if w.text == "your"}
    words = {w.text for m in near for w in m.piece.reading.words}
    taken = [(q.start - 16, q.end) for q in claim.quantities]
    for word in claim.words:
        inside = any(a <= word.start < b for a, b in taken)
        if word.text in _CLASS and word.text not in _GRAMMAR and _CLASS[word.text] not in held and not inside:
            return word
        if word.text in SIDES and word.stem and word.text not in words and not _sensed(word, near):
            return word
    return None


def _sensed(word: Word, near: list[Match]) -> bool:
    return any(alike(word.stem, stem) for m in near for stem in m.piece.reading.stems)


def _left_out(match: Match) -> Word | None:
    """A hard small word between the words of the piece that the claim repeats, which the claim does not have."""
    theirs = match.piece.reading
    at = [theirs.content[j] for _, j in match.pairs]
    if len(at) < 2:
        return None
    low, high = min(w.start for w in at), max(w.end for w in at)
    mine = {_CLASS[w.text] for w in match.claim.words if w.text in _CLASS}
    mine |= {"if"} if mine & {"unless", "until", "only", "after", "before"} else set()
    for word in theirs.words:
        name = _CLASS.get(word.text)
        if name in _HARD and name not in mine and low <= word.start < high and word.text not in _GRAMMAR:
            return word
    return None


def _turned(match: Match) -> Word | None:
    """A party of the claim that acts on one side of a shared word and on the other side of it in the piece."""
    if _BY.search(match.claim.text) or _BY.search(match.piece.text):
        return None
    mine = [(w, PARTIES[w.text]) for w in match.claim.words if w.text in PARTIES]
    theirs = [(w, PARTIES[w.text]) for w in match.piece.reading.words if w.text in PARTIES]
    content, other = match.claim.content, match.piece.reading.content
    for word, role in mine:
        same = [w for w, r in theirs if r == role]
        if not same or len({r for _, r in mine}) < 2:
            continue
        for i, j in match.pairs:
            shared, there = content[i], other[j]
            if shared.text in PARTIES or shared.clause != word.clause:
                continue
            before = word.end <= shared.start
            sides = [w for w in same if w.clause == there.clause]
            if sides and abs(i - _index(content, word)) <= 3 and all((w.end <= there.start) != before for w in sides):
                return word
    return None


def _index(content: tuple[Word, ...], word: Word) -> int:
    return sum(w.start < word.start for w in content)


def _moved_condition(match: Match) -> bool:
    """Whether the order differs because a condition was moved before or behind what depends on it."""
    parts = [w.part for w in match.claim.content]
    return "condition" in parts and "main" in parts

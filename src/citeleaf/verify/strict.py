"""What must agree to the word before a claim is shown as supported: small words that carry the sense, and their order.

These are doubts, never contradictions: a true wording in other words may differ in them.
"""

from __future__ import annotations

import re
from itertools import pairwise

from citeleaf.language.quantities import Quantity
from citeleaf.types import Span
from citeleaf.verify.align import Match
from citeleaf.verify.finding import Finding, Sides, failed, idle, passed
from citeleaf.verify.lexicon import PARTIES, SIDES
from citeleaf.verify.parties import role_of
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
_HARD = frozenset(("only", "unless", "until", "if", "more", "less"))
"""Classes that a claim may not leave out of the clause that it repeats."""
_GRAMMAR = frozenset(("as", "once", "case", "other", "save", "up", "over", "most", "or", "more", "all", "any"))
"""Words of a class that are common in another sense: in the claim alone they are no doubt."""
_ORDER = 0.3
"""How much less of the claim's words may stand in the piece's order than stand in it at all."""
_ORDER_COPIED = 0.08
_COPIED = 0.9
"""Coverage from which a claim is a copy, whose order must be the passage's."""
_JOINTS = frozenset(
    "and or but plus with within without for by in on at after before during through until because since upon from "
    "including under over via so which who where".split()
)
_LEAVE = frozenset(("approval", "consent", "permission", "agreement", "authorisation", "authorization"))
"""Words for what something depends on, though no condition is written."""
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_AGENT = re.compile(r"\s+by(?:\s+(?:the|an?|his|her|its|their|our|your|any|each|every))?\s+", re.IGNORECASE)
_OBJECT = re.compile(r"\s+(?:(?:the|an?|his|her|its|their|our|your|any|each|every)\s+)?", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+|not\s+)?$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s+\S{0,4}\s*$", re.IGNORECASE)
_TO = re.compile(r"[^.;]{0,12}\bto\s+\S{0,4}\s*", re.IGNORECASE)
_FRONTED = re.compile(r"\s*(?:if|when|where|whenever|in case|in the event|provided)\b[^,;:]{3,200},", re.IGNORECASE)
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
    joint = _joint_changed(best)
    if joint is not None:
        detail = f"says “{joint.text}” where the passage joins otherwise"
        return failed("wording", detail, said=Span(joint.start, joint.end))
    turned = _turned(best) or _range_turned(best) or _agent_turned(best)
    if turned is not None:
        detail = f"“{sides.claim.text[turned.start : turned.end]}” has another place in the passage"
        return failed("wording", detail, said=Span(turned.start, turned.end))
    least = _ORDER_COPIED if best.coverage >= _COPIED else _ORDER
    if best.coverage - best.ordered > least and not _moved_condition(best) and not _voice_changed(best):
        return failed("wording", "the passage says these words in another order")
    joined = _spliced(best)
    if joined is not None:
        detail = f"what stands around “{joined.text}” in the passage is put together"
        return failed("wording", detail, piece=best.piece, found=Span(joined.start, joined.end))
    dropped = _condition_dropped(best)
    if dropped is not None:
        detail = f"leaves out what “{dropped.text}” belongs to"
        return failed("wording", detail, piece=best.piece, found=Span(dropped.start, dropped.end))
    return passed("wording")


def additions(sides: Sides) -> Finding:
    """The check `additions`: the claim has no place, time, reason or further thing that the passage does not know."""
    if not sides.claim.content:
        return idle("additions")
    phrase = _phrase_added(sides)
    if phrase is None:
        return passed("additions")
    words = sides.claim.text[phrase.start : phrase.end]
    return failed("additions", f"of “{words}” the passage says nothing", said=phrase)


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


def _phrase_added(sides: Sides) -> Span | None:
    """What follows an `and`, a preposition or a comma up to the next, when no piece has a like of any of its words.

    So a claim gets a place, a time, a reason or one more thing that the passage does not know.
    """
    claim = sides.claim
    held = {claim.content[i].start for m in sides.matches for i, _ in m.pairs}
    said = {w.start: w for w in claim.content}
    joint: int | None = None
    lost: list[Word] = []
    for k, word in enumerate((*claim.words, None)):
        paused = word is not None and k > 0 and "," in claim.text[claim.words[k - 1].end : word.start]
        if word is None or word.text in _JOINTS or paused:
            if joint is not None and lost:
                return Span(joint, lost[-1].end)
            joint, lost = (word.start if word is not None else None), []
        if word is not None and word.start in said:
            if word.start in held:
                joint = None
            else:
                lost.append(said[word.start])
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


def _joint_changed(match: Match) -> Word | None:
    """An `and` of the claim between two words that the piece joins by `or` alone, or the other way round."""
    mine, theirs = match.claim, match.piece.reading
    for (a, x), (b, y) in pairwise(match.pairs):
        if b != a + 1 or y != x + 1:
            continue
        here = _joints(mine, mine.content[a], mine.content[b])
        there = {w.text for w in _joints(theirs, theirs.content[x], theirs.content[y])}
        if here and there and not there & {w.text for w in here}:
            return here[0]
    return None


def _joints(reading: Reading, first: Word, last: Word) -> list[Word]:
    return [w for w in reading.words if w.text in ("and", "or") and first.end <= w.start < last.start]


def _turned(match: Match) -> Word | None:
    """A party of the claim that acts on one side of a shared word and on the other side of it in the piece."""
    if _BY.search(match.claim.text) or _BY.search(match.piece.text):
        return None
    mine, theirs = _roles(match.claim), _roles(match.piece.reading)
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


def _range_turned(match: Match) -> Quantity | None:
    """The first number of a range of the claim whose ends the piece says the other way round, and only so."""
    theirs = [(b.value, b.unit) for pair in _ranges(match.piece.reading) for b in pair]
    there = list(zip(theirs[::2], theirs[1::2], strict=True))
    for first, last in _ranges(match.claim):
        here = ((first.value, first.unit), (last.value, last.unit))
        if here not in there and here[::-1] in there:
            return first
    return None


def _ranges(reading: Reading) -> list[tuple[Quantity, Quantity]]:
    """Pairs of numbers with `from` before and `to` between them."""
    return [
        (a, b)
        for a, b in pairwise(reading.quantities)
        if _FROM.search(reading.text[: a.start]) and _TO.fullmatch(reading.text[a.end : b.start])
    ]


def _agent_turned(match: Match) -> Word | None:
    """Who acts in a passive of the claim, `informed by the board`, and stands behind the active verb in the piece."""
    claim, theirs = match.claim, match.piece.reading
    if _BY.search(theirs.text):
        return None
    held = dict(match.pairs)
    for i, (verb, agent) in enumerate(pairwise(claim.content)):
        passive = _AGENT.fullmatch(claim.text[verb.end : agent.start])
        if not passive or not verb.text.endswith(("ed", "en")) or i not in held or i + 1 not in held:
            continue
        there, then = theirs.content[held[i]], theirs.content[held[i + 1]]
        if (
            there.stem == verb.stem
            and there.clause == then.clause
            and _OBJECT.fullmatch(theirs.text[there.end : then.start])
            and not _IS.search(theirs.text[: there.start])
        ):
            return agent
    return None


def _roles(reading: Reading) -> list[tuple[Word, str]]:
    return [(w, role) for i, w in enumerate(reading.words) if (role := role_of(reading.words, i)) is not None]


def _index(content: tuple[Word, ...], word: Word) -> int:
    return sum(w.start < word.start for w in content)


def _voice_changed(match: Match) -> bool:
    """Whether one side alone says by whom, so that subject and object changed places."""
    return bool(_BY.search(match.claim.text)) != bool(_BY.search(match.piece.text))


def _spliced(match: Match) -> Word | None:
    """A joint between two words of the piece that the claim puts side by side, with left-out words on both sides of it.

    So the beginning of one statement is put before the end of another.
    """
    theirs = match.piece.reading
    at = sorted(j for _, j in match.pairs)
    held = {theirs.content[j].start for j in at}
    numbers = [q.start for q in theirs.quantities]
    mine = {q.written for q in match.claim.quantities}
    left = [w.start for w in theirs.content if w.start not in held]
    left += [q.start for q in theirs.quantities if q.written not in mine and q.unit] if numbers else []
    for a, b in pairwise(at):
        low, high = theirs.content[a].end, theirs.content[b].start
        for word in theirs.words:
            if word.text in ("and", "or", "but") and low < word.start < high:
                before = any(low <= s < word.start for s in left)
                after = any(word.end <= s < high for s in left)
                if before and after:
                    return word
    return None


def _condition_dropped(match: Match) -> Word | None:
    """A condition, or a leave that is needed, in the clause that the claim repeats, of which the claim has no word."""
    theirs = match.piece.reading
    held = {j for _, j in match.pairs}
    opening = _FRONTED.match(theirs.text)
    if opening and not any(_CLASS.get(w.text) in ("if", "unless") for w in match.claim.words):
        front = [j for j, w in enumerate(theirs.content) if w.end <= opening.end()]
        if front and not held.intersection(front):
            return theirs.content[front[0]]
    clauses = {theirs.content[j].clause for j in held if theirs.content[j].part == "main"}
    kept = {w.clause for w in theirs.content if _kept(match, held, w)}
    for j, word in enumerate(theirs.content):
        if j in held or word.clause not in clauses:
            continue
        if word.text in _LEAVE or (word.part in ("condition", "exception") and word.clause not in kept):
            return word
    return None


def _kept(match: Match, held: set[int], word: Word) -> bool:
    """Whether the claim has two words, or a third, of the condition that a word stands in."""
    if word.part not in ("condition", "exception"):
        return False
    content = match.piece.reading.content
    same = [j for j, w in enumerate(content) if w.part == word.part and w.clause == word.clause]
    return sum(j in held for j in same) >= min(2, (len(same) + 2) // 3)


def _moved_condition(match: Match) -> bool:
    """Whether the order differs because a condition was moved before or behind what depends on it."""
    parts = [w.part for w in match.claim.content]
    return "condition" in parts and "main" in parts

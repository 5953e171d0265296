"""Opposite words in each other's place, quantifiers, names, codes, quoted words, and words that nothing supports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from citeleaf.quotes import folded
from citeleaf.retrieve.tokens import fold, is_code, terms
from citeleaf.types import Span
from citeleaf.verify.align import Match
from citeleaf.verify.finding import Finding, Sides, beside, failed, idle, passed
from citeleaf.verify.lexicon import ONLY, SIDES, opposite
from citeleaf.verify.reading import Reading, Word, alike

_QUANTIFIERS = {
    "all": "all", "every": "all", "each": "all", "whole": "all", "entire": "all", "always": "all", "everyone": "all",
    "both": "all", "any": "any", "anyone": "any", "either": "any", "some": "some", "certain": "some", "several": "some",
    "sometimes": "some", "many": "some", "few": "few", "most": "most", "none": "none", "no": "none", "never": "none",
    "nobody": "none", "tüm": "all", "bütün": "all", "her": "all", "bazı": "some", "hiçbir": "none",
}  # fmt: skip
_AGAINST = frozenset(
    frozenset(pair)
    for pair in (
        ("all", "some"),
        ("all", "any"),
        ("all", "none"),
        ("some", "none"),
        ("most", "few"),
        ("all", "few"),
        ("any", "none"),
    )
)
_COPIED = 0.75
"""Coverage from which a word in another's place is a doubt."""
_REACH = 3
"""Words beside a changed place in which the opposite may stand."""
_QUOTED = re.compile(r"“([^“”]{3,400})”|\"([^\"]{3,400})\"|„([^„“”]{3,400})[“”]|«([^«»]{3,400})»")
_NAME = re.compile(r"(?<![.!?:;]\s)(?<![\n“\"(])(?<!^)\b[A-ZÀ-ÖØ-ÝİŞĞÇÖÜ][\w’'-]+")
_PIVOTS = frozenset("before after than exceeds precedes follows over".split())
_LIGHT = frozenset(
    "a an the of to and that this is are be been was were in by for it its or as at on with from".split()
)
_MOST_SIGNS = 120


def directions(sides: Sides) -> Finding:
    """The check `directions`: where the claim is nearly the passage, no word is replaced by its opposite."""
    applied = False
    for match in sides.matches[:2]:
        if not match.near:
            if (turned := _exchanged(match)) is not None:
                return _turned(match, *turned)
            continue
        applied = True
        swapped = _replaced(match)
        if swapped is not None:
            mine, theirs = swapped
            return beside(
                "directions",
                f"the claim says “{mine.text}”, the passage “{theirs.text}”",
                mine,
                match.piece,
                theirs,
                contradicts=True,
            )
        turned = _exchanged(match)
        if turned is not None:
            return _turned(match, *turned)
        slot = _slot(match)
        if slot is not None:
            mine, theirs = slot
            return beside(
                "directions",
                f"the claim says “{mine.text}” where the passage says “{theirs.text}”",
                mine,
                match.piece,
                theirs,
            )
        if match.coverage >= 0.95 and match.ordered >= 0.85:
            break
    return passed("directions") if applied else idle("directions")


def _turned(match: Match, pivot: Word, other: Word) -> Finding:
    return beside(
        "directions",
        f"what stands before and after “{pivot.text}” is exchanged",
        pivot,
        match.piece,
        other,
        contradicts=True,
    )


def quantifiers(sides: Sides) -> Finding:
    """The check `quantifiers`: all, some, none, only; where the claim is nearly the passage."""
    best = sides.best
    claim, theirs = sides.claim, best.piece.reading
    only = ONLY.search(claim.text)
    if only and not any(ONLY.search(m.piece.text) or "unless" in m.piece.text.lower() for m in sides.matches):
        return failed("quantifiers", f"“{only[0]}” is not in the passage", said=Span(only.start(), only.end()))
    if not best.near:
        return idle("quantifiers")
    mine = [(w, _QUANTIFIERS[w.text]) for w in claim.words if w.text in _QUANTIFIERS]
    other = [(w, _QUANTIFIERS[w.text]) for w in theirs.words if w.text in _QUANTIFIERS]
    for word, kind in mine:
        head = _head(claim, word)
        for w, k in other:
            same_head = head and _head(theirs, w) == head
            if same_head and frozenset((kind, k)) in _AGAINST and not any(k2 == kind for _, k2 in other):
                return beside(
                    "quantifiers",
                    f"the claim says “{word.text}”, the passage “{w.text}”",
                    word,
                    best.piece,
                    w,
                    contradicts=kind != "none" and k != "none",
                )
    return passed("quantifiers") if mine or only else idle("quantifiers")


def names(sides: Sides) -> Finding:
    """The check `names`: names and codes of the claim stand in the evidence."""
    claim = sides.claim
    known = _letters(sides)
    codes = [t for t in terms(claim.text, claim.language) if is_code(t) and not t.isdigit()]
    lost = [c for c in codes if c not in known]
    if lost:
        return failed("names", f"“{lost[0]}” is not in the passage", said=_place(claim, lost[0]))
    found = [m for m in _NAME.finditer(claim.text) if any(c.islower() for c in m[0]) or len(m[0]) > 1]
    for m in found:
        pieces = terms(m[0], claim.language)
        if pieces and not any(p in known or _sensed(p, sides) for p in pieces):
            return failed("names", f"“{m[0]}” is not in the passage", said=Span(m.start(), m.end()))
    return passed("names") if found or codes else idle("names")


def quoted(sides: Sides) -> Finding:
    """The check `quoted`: words in quotation marks stand in the evidence as they are, but for case and spaces."""
    found = [(m, next(g for g in m.groups() if g)) for m in _QUOTED.finditer(sides.claim.text)]
    if not found:
        return idle("quoted")
    text = folded(" ".join([*(m.piece.text for m in sides.matches), *(p.text for p in sides.rest)]))
    for m, words in found:
        if folded(words).strip(" .,;:") not in text:
            detail = f"“{words[:60]}” is not in the passage"
            return failed("quoted", detail, contradicts=False, said=Span(m.start(), m.end()))
    return passed("quoted", "quoted words stand in the passage")


def unsaid(sides: Sides) -> Finding:
    """The check `words`: each content word of the claim has its like in one of the best pieces."""
    claim = sides.claim
    if not claim.content:
        return idle("words")
    held = {i for m in sides.matches for i, _ in m.pairs}
    lost = [w for i, w in enumerate(claim.content) if i not in held]
    if not lost:
        return passed("words", "each word has its like in the passage")
    shown = ", ".join(w.text for w in lost[:6])
    return failed("words", f"not in the passage: {shown}", said=Span(lost[0].start, lost[-1].end))


def longest_unsaid(sides: Sides) -> int:
    """Length of the longest run of content words of the claim that have no like in the best pieces."""
    held = {i for m in sides.matches for i, _ in m.pairs}
    run = most = 0
    for i in range(len(sides.claim.content)):
        run = 0 if i in held else run + 1
        most = max(most, run)
    return most


def _replaced(match: Match) -> tuple[Word, Word] | None:
    """A word of the claim in whose place, or next to it, the piece has its opposite, neither being on both sides."""
    mine, theirs = _signs(match.claim), _signs(match.piece.reading)
    here, there = {w.text for w in mine}, {w.text for w in theirs}
    if not any(w.text in SIDES or w.text[:2] in ("un", "in", "no", "di") for w in mine):
        return None
    keys = [_key(w) for w in theirs], [_key(w) for w in mine]
    blocks = SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks()
    paired = {b.b + k: b.a + k for b in blocks for k in range(b.size)}
    for i, word in enumerate(mine):
        if i in paired or word.text in there:
            continue
        left = max((paired[k] for k in paired if k < i), default=-1)
        right = min((paired[k] for k in paired if k > i), default=len(theirs))
        near = theirs[max(0, left + 1 - _REACH) : right + _REACH]
        for other in near:
            if opposite(word.text, other.text) and other.text not in here and word.denied == other.denied:
                return word, other
    return None


def _slot(match: Match) -> tuple[Word, Word] | None:
    """A word of the claim without its like in the piece, between two that have theirs, with another word in its place.

    Between the two there must be one such word on each side, so that the one stands where the other does.
    """
    if match.coverage < _COPIED:
        return None
    mine, theirs = match.claim.content, match.piece.reading.content
    paired = dict(match.pairs)
    taken = set(paired.values())
    first = paired.get(1, 0)
    if len(mine) > 1 and 0 not in paired and first and first - 1 not in taken and first == min(taken):
        return mine[0], theirs[first - 1]
    for i in range(1, len(mine)):
        if i in paired or i - 1 not in paired:
            continue
        low = paired[i - 1]
        high = paired.get(i + 1, low + 2 if i + 1 == len(mine) else -1)
        if high - low == 2 and low + 1 < len(theirs) and low + 1 not in taken:
            return mine[i], theirs[low + 1]
    return None


def _exchanged(match: Match) -> tuple[Word, Word] | None:
    """A pivot such as `before` on both sides with what stands left and right of it exchanged."""
    if match.coverage < 0.85 or len(match.pairs) < 3:
        return None
    mine, theirs = match.claim, match.piece.reading
    for word in mine.words:
        if word.text not in _PIVOTS:
            continue
        for other in theirs.words:
            if other.text != word.text:
                continue
            a, b = _beside(mine, word), _beside(theirs, other)
            if (a[0] & b[1]) - b[0] and (a[1] & b[0]) - b[1]:
                return word, other
    return None


def _beside(reading: Reading, pivot: Word) -> tuple[set[str], set[str]]:
    before = [w.stem for w in reading.content if w.end <= pivot.start][-3:]
    after = [w.stem for w in reading.content if w.start >= pivot.end][:3]
    return set(before), set(after)


def _signs(reading: Reading) -> Sequence[Word]:
    taken = [(q.start, q.end) for q in reading.quantities if q.unit]
    return [w for w in reading.words if w.text not in _LIGHT and not any(a <= w.start < b for a, b in taken)][
        :_MOST_SIGNS
    ]


def _key(word: Word) -> str:
    return word.stem or word.text


def _head(reading: Reading, word: Word) -> str:
    """The first content word after a quantifier."""
    return next((w.stem for w in reading.content if w.start >= word.end), "")


def _letters(sides: Sides) -> frozenset[str]:
    return _known(tuple(m.piece.text for m in sides.matches) + tuple(p.text for p in sides.rest))


@lru_cache(maxsize=256)
def _known(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(t for text in texts for t in terms(text)) | {
        fold(w.lower()) for text in texts for w in text.split()
    }


def _sensed(piece: str, sides: Sides) -> bool:
    return any(alike(piece, stem) for m in sides.matches for stem in m.piece.reading.stems)


def _place(claim: Reading, code: str) -> Span | None:
    at = fold(claim.text.lower()).find(code)
    return Span(at, at + len(code)) if at >= 0 else None

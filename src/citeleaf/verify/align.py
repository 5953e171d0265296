"""Evidence as short pieces with their places, and the words that a claim shares with one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from math import log

from citeleaf.quotes import cut, quotes_of, whole
from citeleaf.sentences import sentences
from citeleaf.types import Passage, PassageId, Quote, Span, Unit
from citeleaf.verify.reading import Reading, alike, read

BEST = 3
"""Pieces that a claim is compared with."""
_LONG = 45
"""Words of a unit from which it is cut at its sentences."""
_ITEM = re.compile(
    r"(?:(?<=[;:.,]\s)|(?<=\band\s)|(?<=\bor\s)|(?<=\bthat\s)|^)"
    r"(?:\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})\)|(?:[a-hj-z]|[ivx]{1,4}|\d{1,2})\.|[•–▪●·])\s+(?=\S)"
)
_OPEN_MARK = re.compile(r"(?:[;:,]|\b(?:and|or))\s*\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]$")
_MARKUP = re.compile(r"\s#{1,6}\s+")
_HEAD_WORDS = 40
_ALIKE_WORDS = 60
"""Words of a claim that are looked for by sense, after those found by their letters."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The smallest words that can be read alone: `text` is its quotations, lead first, joined by blanks."""

    passage_id: PassageId
    quotes: tuple[Quote, ...]
    text: str

    @property
    def reading(self) -> Reading:
        """The piece as the checks read it."""
        return read(self.text)

    def quote_at(self, start: int, end: int) -> Quote:
        """The words of the document at a span of `text`; cut at the end of the quotation it begins in."""
        at = 0
        for quote in self.quotes:
            if start < at + len(quote.text):
                first = max(0, start - at)
                last = max(first, min(len(quote.text), end - at))
                here = quote.span.start + first
                return Quote(Span(here, here + last - first), quote.text[first:last])
            at += len(quote.text) + 1
        return self.quotes[-1]

    @property
    def own(self) -> Quote:
        """Its own words, without the lead."""
        return self.quotes[-1]


@dataclass(frozen=True, slots=True)
class Match:
    """A claim beside a piece.

    `pairs`: (index of the claim's content word, index of the piece's) in the claim's order. `coverage`: share of the
    claim's content words that have a pair. `ordered`: share of them in the longest common order. `window`: first and
    last index of the piece's content words that have a pair, in order. `tight`: share of that window that has a pair.
    """

    claim: Reading
    piece: Piece
    pairs: tuple[tuple[int, int], ...]
    coverage: float
    ordered: float
    window: tuple[int, int]
    tight: float

    @property
    def near(self) -> bool:
        """Whether the claim is nearly the piece's words, so that what differs counts."""
        close = self.coverage >= 0.7 and self.ordered >= 0.45
        copied = self.coverage >= 0.6 and self.ordered >= 0.6 and self.tight >= 0.7
        return len(self.pairs) >= 2 and (close or copied)


@lru_cache(maxsize=512)
def pieces(passage: Passage) -> tuple[Piece, ...]:
    """The pieces of a passage in reading order: its units with their leads, long ones cut at sentences and list marks.

    An item of a list inside a sentence carries the words before the list, so that it can be read alone.
    """
    out: list[Piece] = []
    for unit in _unbroken(passage):
        quotes = quotes_of(unit)
        text = unit.quote.text
        if len(text.split()) < _LONG and len(_ITEM.findall(text)) < 2 and not _MARKUP.search(text):
            out.append(_piece(passage.id, quotes))
        else:
            out.extend(_piece(passage.id, (*unit.lead, *cut)) for cut in _cut(unit.quote))
    return tuple(dict.fromkeys(p for p in out if any(c.isalnum() for c in p.text)))


def _unbroken(passage: Passage) -> list[Unit]:
    """The units, those joined that were parted behind the mark of a list inside a sentence."""
    out: list[Unit] = []
    for unit in passage.units or (Unit("paragraph", whole(passage)),):
        last = out[-1] if out else None
        if last is not None and last.lead == unit.lead and _OPEN_MARK.search(last.quote.text):
            out[-1] = Unit(last.kind, cut(passage, last.quote.span.start, unit.quote.span.end), last.lead)
        else:
            out.append(unit)
    return out


def prefer(claim: Reading, found: Sequence[Piece], scores: Mapping[int, float] | None = None) -> list[int]:
    """Indices of the pieces, best first: overlap weighted by rarity, in [0, 1], plus the given scores divided by 6.

    A term weighs log(1 + pieces / pieces that hold it). Of equal ones the earlier comes first.
    """
    overlap = overlaps(claim, found)
    z = [overlap[i] + (scores.get(i, -12.0) / 6 if scores else 0.0) for i in range(len(found))]
    return sorted(range(len(found)), key=lambda i: (-z[i], i))


def overlaps(claim: Reading, found: Sequence[Piece]) -> list[float]:
    """For each piece the idf-weighted share of the claim's words that it holds, over that of the best piece."""
    readings = [p.reading for p in found]
    frequency = Counter(stem for r in readings for stem in r.stems)
    amounts = {q.written for q in claim.quantities}
    raw = []
    for r in readings:
        weight = sum(log(1 + len(readings) / frequency[s]) for s in sorted(claim.stems & r.stems))
        weight += sum(0.7 for q in r.quantities if q.written in amounts)
        raw.append(weight)
    best = max(raw, default=0.0)
    return [w / best if best else 0.0 for w in raw]


def match(claim: Reading, piece: Piece) -> Match:
    """The words that a claim shares with a piece: those in one order first, then others, then those of like sense."""
    mine, theirs = claim.content, piece.reading.content
    if not mine or not theirs:
        return Match(claim, piece, (), 0.0, 0.0, (0, -1), 0.0)
    first, second = [w.stem for w in mine], [w.stem for w in theirs]
    blocks = SequenceMatcher(None, second, first, autojunk=False).get_matching_blocks()
    paired = {b.b + k: b.a + k for b in blocks for k in range(b.size)}
    ordered = len(paired)
    taken = set(paired.values())
    places: dict[str, list[int]] = {}
    for j, stem in enumerate(second):
        places.setdefault(stem, []).append(j)
    for i, stem in enumerate(first):
        if i not in paired and stem in places:
            free = next((j for j in places[stem] if j not in taken), places[stem][0])
            paired[i] = free
            taken.add(free)
    for i, stem in list(enumerate(first))[:_ALIKE_WORDS]:
        if i not in paired:
            near = next((j for j, other in enumerate(second) if j not in taken and alike(stem, other)), None)
            if near is not None:
                paired[i] = near
                taken.add(near)
    span = _window(blocks, second)
    inside = sum(span[0] <= j <= span[1] for j in set(paired.values()))
    tight = inside / (span[1] - span[0] + 1) if span[1] >= span[0] else 0.0
    pairs = tuple(sorted(paired.items()))
    return Match(claim, piece, pairs, len(pairs) / len(first), ordered / len(first), span, tight)


def _window(blocks: Sequence[tuple[int, int, int]], second: Sequence[str]) -> tuple[int, int]:
    """From the first to the last word of the piece that is matched in order, lone words far off left out."""
    spans = [(a, a + size - 1) for a, _, size in blocks if size]
    if not spans:
        return (0, -1)
    main = max(range(len(spans)), key=lambda i: spans[i][1] - spans[i][0])
    low = high = main
    while low > 0 and spans[low][0] - spans[low - 1][1] <= 8:
        low -= 1
    while high < len(spans) - 1 and spans[high + 1][0] - spans[high][1] <= 8:
        high += 1
    return (spans[low][0], spans[high][1])


def _piece(passage_id: PassageId, quotes: tuple[Quote, ...]) -> Piece:
    return Piece(passage_id, quotes, " ".join(" ".join(q.text.split("\n")) for q in quotes))


def _cut(quote: Quote) -> list[tuple[Quote, ...]]:
    out: list[tuple[Quote, ...]] = []
    for start, end in _sentences(quote.text):
        text = quote.text[start:end]
        marks = [m.start() for m in _ITEM.finditer(text)]
        if len(marks) < 2:
            out.append((_sub(quote, start, end),))
            continue
        head = text[: marks[0]].strip()
        lead = (_sub(quote, start, start + len(head)),) if head and len(head.split()) < _HEAD_WORDS else ()
        if lead:
            out.append(lead)
        elif head:
            out.append((_sub(quote, start, start + len(head)),))
        for a, b in pairwise((*marks, len(text))):
            item = text[a:b].strip(" ;,")
            if item:
                begin = start + a + len(text[a:b]) - len(text[a:b].lstrip())
                out.append((*lead, _sub(quote, begin, begin + len(item))))
    return out


def _sentences(text: str) -> list[tuple[int, int]]:
    """Sentences, and the pieces before and after a heading's mark in running text."""
    out: list[tuple[int, int]] = []
    joined: list[Span] = []
    for span in sentences(text):
        if joined and _OPEN_MARK.search(text[joined[-1].start : joined[-1].end]):
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    for span in joined:
        start = span.start
        for mark in _MARKUP.finditer(text, span.start, span.end):
            out.append((start, mark.start()))
            start = mark.end()
        out.append((start, span.end))
    return out


def _sub(quote: Quote, start: int, end: int) -> Quote:
    at = quote.span.start
    return Quote(Span(at + start, at + end), quote.text[start:end])

"""Where a document's words stand on its pages: columns of numbers, one row a word, in reading order."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from citeleaf.types import Block, Heading, Notice, Page, Rect, Span

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float32]

_SAME_LINE = 0.5
"""Two boxes are on one line when they share at least this part of the lower one's height."""
_LARGEST_GAP = 1.5
"""Words of one line are one rectangle while the gap is under this many line heights."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """Word boxes of one document.

    `spans` is (n, 2) int32, half-open character ranges of `Document.text`, ascending and disjoint; `pages` is (n,)
    int32, from 1; `rects` is (n, 4) float32: x0, y0, x1, y1 in fractions of the visible page, origin top left.
    Characters between words (spaces, line ends) have no box.
    """

    spans: Ints
    pages: Ints
    rects: Floats

    @staticmethod
    def empty() -> Boxes:
        """No boxes: for formats without pages."""
        return Boxes(np.empty((0, 2), np.int32), np.empty(0, np.int32), np.empty((0, 4), np.float32))

    def locate(self, span: Span) -> tuple[Rect, ...]:
        """One rectangle a line that the span touches, in reading order; a word that is touched counts whole.

        Empty when no word of the span has a box. Words of one line with a wide gap between them (two columns) stay
        apart.
        """
        first = int(np.searchsorted(self.spans[:, 1], span.start, side="right"))
        last = int(np.searchsorted(self.spans[:, 0], span.end, side="left"))
        lines: list[Rect] = []
        for i in range(first, last):
            x0, y0, x1, y1 = (float(v) for v in self.rects[i])
            word = Rect(int(self.pages[i]), x0, y0, x1, y1)
            if lines and _same_line(lines[-1], word):
                lines[-1] = _union(lines[-1], word)
            else:
                lines.append(word)
        return tuple(lines)

    def to_bytes(self) -> bytes:
        """Compressed form for a store."""
        parts = (self.spans.astype("<i4"), self.pages.astype("<i4"), self.rects.astype("<f4"))
        head = np.array([len(self.pages)], "<i4").tobytes()
        return zlib.compress(head + b"".join(p.tobytes() for p in parts), 3)

    @staticmethod
    def from_bytes(data: bytes) -> Boxes:
        """Inverse of `to_bytes`."""
        raw = zlib.decompress(data)
        n = int(np.frombuffer(raw, "<i4", 1)[0])
        spans = np.frombuffer(raw, "<i4", 2 * n, 4).reshape(n, 2)
        pages = np.frombuffer(raw, "<i4", n, 4 + 8 * n)
        rects = np.frombuffer(raw, "<f4", 4 * n, 4 + 12 * n).reshape(n, 4)
        return Boxes(spans, pages, rects)


def _same_line(line: Rect, word: Rect) -> bool:
    if line.page != word.page:
        return False
    shared = min(line.y1, word.y1) - max(line.y0, word.y0)
    height = min(line.y1 - line.y0, word.y1 - word.y0)
    gap = max(word.x0 - line.x1, line.x0 - word.x1)  # the next word stands to the left where words run that way
    # Pages are taller than wide, so a height in fractions is worth about 1.4 of the same number across.
    return shared >= _SAME_LINE * height and -height < gap < _LARGEST_GAP * 1.4 * (line.y1 - line.y0)


def _union(a: Rect, b: Rect) -> Rect:
    return Rect(a.page, min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1))


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser gives: text with everything found about it, before sections and passages are made.

    `text` holds each page's text in reading order. `pages` tile it (empty for formats without pages). `headings` and
    `blocks` are in reading order and do not overlap; together they cover all characters but white space. A heading is
    no block. `language` is a guess from the file itself, or None.
    """

    title: str | None
    text: str
    pages: tuple[Page, ...]
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    notices: tuple[Notice, ...]
    boxes: Boxes
    language: str | None = None
    front: tuple[tuple[str, str], ...] = ()
    """Fields that the file states about itself in a front block (`version`, `effective`), in order."""

"""Pieces of text to lines: what stands side by side with no more than a word's gap between."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_styles import Style

WIDE_GAP = 1.2
"""A gap over this many line heights ends a line: it may be a gutter between columns or cells."""
_OVERLAP = 0.5
_HIGH_SIGN = 1.3
_BULLETS = "\ufffd•·▪◦‣●○■□❖➢➤►▶✓✔–—\\-*"
MARKER = re.compile(
    rf"(?:[{_BULLETS}]|\(?(?:(?P<letter>[a-z])(?P=letter)?|[ivxlc]{{1,6}}|[A-Z]|[IVXLC]{{1,6}}|\d{{1,3}}|\d{{1,2}}(?:\.\d{{1,2}}){{1,4}})[.)]"
    r"|\d{0,2}(?:\.\d{1,2}){1,4})$"
)
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
Pieces: TypeAlias = list[int]


@dataclass(slots=True, eq=False)
class Line:
    """Pieces on one line, from left to right (right to left in Hebrew and Arabic), with its box in points.

    The box is in the frame in which the line runs to the right. `style` is that of most of its characters; `mixed` when
    it has others. `marker` is how many pieces at its start are a list marker, `body` where the text after them starts.
    `entry`: a line of a contents list with its page number. `lefts`: the left edge of each piece.
    """

    page: int
    pieces: Pieces
    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    style: int
    size: float
    mixed: bool
    turn: int
    marker: int = 0
    body: float = 0.0
    entry: bool = False
    lefts: tuple[float, ...] = ()

    @property
    def height(self) -> float:
        """Height of the box."""
        return self.y1 - self.y0


def make_lines(page: RawPage, left_out: set[int], styles: list[Style]) -> dict[int, list[Line]]:
    """Lines of the page by the way they run (`RawPage.turn`), each list from top to bottom."""
    by_turn: dict[int, list[Line]] = {}
    keep = np.array([i not in left_out for i in range(len(page.texts))], bool)
    for turn in np.unique(page.turns[keep]).tolist() if len(page.texts) else []:
        which = np.flatnonzero(keep & (page.turns == turn))
        boxes = upright(page.boxes[which], turn, page.width, page.height)
        lines = _build(page, which, boxes, turn, styles)
        by_turn[turn] = sorted(lines, key=lambda line: (line.y0, line.x0))
    return by_turn


def upright(boxes: NDArray[np.float32], turn: int, width: float, height: float) -> NDArray[np.float32]:
    """Boxes as seen with the page turned so that text of this turn runs to the right."""
    x0, y0, x1, y1 = boxes.T
    if turn == 1:
        return np.stack((y0, width - x1, y1, width - x0), axis=1)
    if turn == 2:
        return np.stack((width - x1, height - y1, width - x0, height - y0), axis=1)
    if turn == 3:
        return np.stack((height - y1, x0, height - y0, x1), axis=1)
    return boxes


def _build(
    page: RawPage, which: NDArray[np.int64], boxes: NDArray[np.float32], turn: int, styles: list[Style]
) -> list[Line]:
    rtl_pieces = (
        {i for i in which.tolist() if _RTL.search(page.texts[i])} if _RTL.search(" ".join(page.texts)) else set()
    )
    height = boxes[:, 3] - boxes[:, 1]
    starts = [0]
    if len(which) > 1:
        lower = np.minimum(height[1:], height[:-1])
        shared = np.minimum(boxes[1:, 3], boxes[:-1, 3]) - np.maximum(boxes[1:, 1], boxes[:-1, 1])
        gap = boxes[1:, 0] - boxes[:-1, 2]
        em = np.maximum(height[1:], height[:-1])
        joined = (shared > _OVERLAP * lower) & (gap < WIDE_GAP * lower) & (gap > -0.4 * em)
        if turn == 4:
            joined = which[1:] == which[:-1] + 1  # aslant: the file's own order is the only one there is
        # Right-to-left text comes in reading order: the next piece stands to the left.
        if rtl_pieces:
            rtl = np.array([i in rtl_pieces for i in which.tolist()])
            back = boxes[:-1, 0] - boxes[1:, 2]
            joined |= (rtl[1:] | rtl[:-1]) & (shared > _OVERLAP * lower) & (back < WIDE_GAP * em) & (back > -0.4 * em)
        starts += (np.flatnonzero(~joined) + 1).tolist()
    at = np.array(starts)
    x0, y0 = np.minimum.reduceat(boxes[:, 0], at).tolist(), np.minimum.reduceat(boxes[:, 1], at).tolist()
    x1, y1 = np.maximum.reduceat(boxes[:, 2], at).tolist(), np.maximum.reduceat(boxes[:, 3], at).tolist()
    order = which.tolist()
    bounds = [*starts, len(order)]
    groups = [_Group(order[bounds[k] : bounds[k + 1]], x0[k], y0[k], x1[k], y1[k]) for k in range(len(starts))]
    lefts = dict(zip(order, boxes[:, 0].tolist(), strict=True))
    return [_line(page, g, lefts, rtl_pieces, turn, styles) for g in _join(groups)]


@dataclass(slots=True, eq=False)
class _Group:
    pieces: Pieces
    x0: float
    y0: float
    x1: float
    y1: float


def _join(groups: list[_Group]) -> list[_Group]:
    """Joins groups that stand side by side on one line though they are apart in the file."""
    groups.sort(key=lambda g: (g.y0, g.x0))
    gone: set[int] = set()
    for i, a in enumerate(groups):
        if i in gone:
            continue
        changed = True
        while changed:
            changed = False
            for j in range(i + 1, len(groups)):
                b = groups[j]
                if b.y0 > a.y1:
                    break
                if j in gone or not _beside(a, b):
                    continue
                a.pieces = a.pieces + b.pieces if b.x0 >= a.x0 else b.pieces + a.pieces
                a.x0, a.y0, a.x1, a.y1 = min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1)
                gone.add(j)
                changed = True
    return [g for i, g in enumerate(groups) if i not in gone]


def _beside(a: _Group, b: _Group) -> bool:
    shared = min(a.y1, b.y1) - max(a.y0, b.y0)
    heights = (a.y1 - a.y0, b.y1 - b.y0)
    if shared < 0.6 * min(heights):
        return False
    gap = max(a.x0, b.x0) - min(a.x1, b.x1)
    return -0.4 * max(heights) < gap < WIDE_GAP * min(heights)


def _line(page: RawPage, group: _Group, lefts: dict[int, float], rtl: set[int], turn: int, styles: list[Style]) -> Line:
    """A line of the group's pieces, in reading order."""
    pieces = group.pieces
    if len(pieces) > 1 and turn != 4 and not (rtl and 2 * sum(i in rtl for i in pieces) > len(pieces)):
        at = [lefts[i] for i in pieces]
        if any(b < a for a, b in itertools.pairwise(at)):
            pieces = [p for _, _, p in sorted(zip(at, range(len(pieces)), pieces, strict=True))]
    line = Line(page.number, pieces, group.x0, group.y0, group.x1, group.y1, "", 0, 0.0, False, turn)
    dress(line, page, styles)
    if line.mixed and turn == 0:
        _by_letters(line, page)
    line.marker, line.body = _marker(line, page, lefts)
    line.lefts = tuple([lefts[i] for i in pieces])
    return line


def _by_letters(line: Line, page: RawPage) -> None:
    """Sets upper and lower edge by letters and digits where a sign of another font, such as a minus, is far higher."""
    boxes = page.boxes[line.pieces]
    letters = [k for k, i in enumerate(line.pieces) if any(map(str.isalnum, page.texts[i]))]
    signs = [k for k in range(len(line.pieces)) if k not in letters]
    if letters and signs:
        top, bottom = float(boxes[letters, 1].min()), float(boxes[letters, 3].max())
        if float((boxes[signs, 3] - boxes[signs, 1]).max()) > _HIGH_SIGN * (bottom - top):
            line.y0, line.y1 = top, bottom


def dress(line: Line, page: RawPage, styles: list[Style]) -> None:
    """Sets text and style from the pieces."""
    texts, glued, style = page.texts, page.glued, page.styles
    parts: list[str] = []
    before = -2
    count: Counter[int] = Counter()
    for i in line.pieces:
        if parts and not (glued[i] and before == i - 1):
            parts.append(" ")
        parts.append(texts[i])
        count[style[i]] += len(texts[i])
        before = i
    line.text = "".join(parts)
    line.style = min(count, key=lambda s: (-count[s], s))
    line.size = styles[line.style].size
    line.mixed = len(count) > 1


def _marker(line: Line, page: RawPage, lefts: dict[int, float]) -> tuple[int, float]:
    """How many leading pieces are one list marker, and the left edge of the text after it."""
    for n in (1, 2, 3):
        if len(line.pieces) < n:
            break
        if n > 1 and not page.glued[line.pieces[n - 1]]:
            break
        marker = "".join(page.texts[i] for i in line.pieces[:n])
        if MARKER.match(marker):
            rest = line.pieces[n:]
            if rest and page.glued[rest[0]]:
                continue
            return n, lefts[rest[0]] if rest else line.x1
    return 0, line.x0


def attach_markers(lines: list[Line], page: RawPage, styles: list[Style]) -> list[Line]:
    """Joins a lone list marker with the text to its right, so that markers are no column of their own."""
    out = sorted(lines, key=lambda line: (line.y0, line.x0))
    gone: set[int] = set()
    for i in sorted(range(len(out)), key=lambda i: -out[i].x0):
        mark = out[i]
        if not mark.marker or len(mark.pieces) != mark.marker:
            continue
        best, at = None, -1
        for j, other in enumerate(out):
            if j == i or j in gone or other.x0 < mark.x1 - 1 or other.x0 - mark.x1 > 6 * mark.height:
                continue
            shared = min(mark.y1, other.y1) - max(mark.y0, other.y0)
            if shared < 0.5 * min(mark.height, other.height):
                continue
            if best is None or other.x0 < best.x0:
                best, at = other, j
        if best is None:
            continue
        body = best.x0
        mark.pieces = mark.pieces + best.pieces
        mark.y0, mark.x1, mark.y1 = min(mark.y0, best.y0), best.x1, max(mark.y1, best.y1)
        dress(mark, page, styles)
        mark.body = body
        gone.add(at)
    return [line for i, line in enumerate(out) if i not in gone]

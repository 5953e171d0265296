"""Tables whose rows are ruled or banded with colour, and whose columns are told apart by space alone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from citeleaf.backends.pdf_aligned import Cell
from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_lines import Line
from citeleaf.backends.pdf_styles import Box

_STEP = 0.5
"""Points between the places at which a gutter is looked for."""
_SPACE = 0.35
_WIDE = 0.5
"""A gap of this many line heights is no space between words."""
_HIGH = 2.0
"""A stretch this many times as high as the usual row may be something else than a row."""
_NEAR = 4
"""Rows that a high stretch is held against."""
_MOST_LINES = 5
"""Rows of a table are seldom higher; zones of prose between rules are."""


def banded(lines: Sequence[Line], box: Box, ys: Sequence[float], page: RawPage) -> list[float]:
    """Where columns start, left to right, in a table whose rows lie between these heights; empty when it is none."""
    rows: list[list[Line]] = [[] for _ in range(len(ys) + 1)]
    for line in lines:
        rows[bisect_right(ys, (line.y0 + line.y1) / 2)].append(line)
    rows = [row for row in rows if row]
    heights = sorted(map(_baselines, rows))
    if len(rows) < 3 or heights[len(heights) // 2] > _MOST_LINES:
        return []
    found = gutters(rows, box[0], box[2], page, _SPACE)
    return [box[0], *((a + b) / 2 for a, b in found)] if found else []


def stretches(lines: Sequence[Line], ys: Sequence[float], page: RawPage) -> list[list[float]]:
    """The heights, cut where what stands between two of them is no row of a table; three at least stay together.

    So tables of one width with text between them come apart, and the rule under a page's header stays alone.
    """
    inside: list[list[Line]] = [[] for _ in range(len(ys) + 1)]
    for line in lines:
        inside[bisect_right(ys, (line.y0 + line.y1) / 2)].append(line)
    inside = inside[1:-1]
    usual = sorted(b - a for a, b in pairwise(ys))[(len(ys) - 1) // 2]
    plain = [k for k, (a, b) in enumerate(pairwise(ys)) if b - a <= _HIGH * usual and _baselines(inside[k]) < 3]
    out: list[list[float]] = [[ys[0]]]
    for k, (top, bottom) in enumerate(pairwise(ys)):
        at = bisect_left(plain, k)
        if plain[at : at + 1] != [k]:
            around = sorted(plain[max(at - _NEAR, 0) : at + _NEAR], key=lambda j: (abs(j - k), j))[:_NEAR]
            near = [line for j in around for line in inside[j]]
            at_end = k in (0, len(inside) - 1)
            if (at_end and _is_loose(inside[k])) or not _is_row(inside[k], near, bottom - top, usual, page):
                out.append([])
        out[-1].append(bottom)
    return [part for part in out if len(part) >= 3]


def _baselines(lines: Sequence[Line]) -> int:
    return len({round(line.y1 / max(line.height, 1.0) * 1.5) for line in lines})


def _is_loose(lines: Sequence[Line]) -> bool:
    """Whether a line's height and more is left free between two of the lines."""
    ordered = sorted(lines, key=lambda line: line.y0)
    reach = accumulate((line.y1 for line in ordered), max)
    return any(line.y0 - low > line.height for low, line in zip(reach, ordered[1:], strict=False))


def _is_row(lines: Sequence[Line], near: Sequence[Line], height: float, usual: float, page: RawPage) -> bool:
    """Whether the words of a high stretch keep to the columns of the rows nearby, or at least fill it."""
    columns = columns_of(lines, near, page) if lines else None
    if columns is None:
        return False
    blank = height - max(line.y1 for line in lines) + min(line.y0 for line in lines)
    return columns >= 2 or blank <= 1.5 * usual


def columns_of(lines: Sequence[Line], near: Sequence[Line], page: RawPage) -> int | None:
    """In how many columns of the rows nearby the lines have words; None when they do not keep to them.

    A heading may reach over one gap between columns where most of them have words; prose reaches over more.
    """
    gaps = _gaps(near, page)
    covered = False
    columns: set[int] = set()
    for line in lines:
        edges = [line.x0, *(x for gap in _gaps([line], page) for x in gap), line.x1]
        for x0, x1 in zip(edges[::2], edges[1::2], strict=True):
            over = sum(x0 < low and x1 > high for low, high in gaps)
            if over >= 2:
                return None
            covered |= over > 0
            columns.add(sum(x0 > low for low, _ in gaps))
    few = 2 * len(columns) <= len(gaps) + 1
    return None if covered and (few or _is_loose(lines)) else len(columns)


def _gaps(lines: Sequence[Line], page: RawPage) -> list[tuple[float, float]]:
    """Gaps wider than a space that run down through all lines."""
    found: list[tuple[float, float]] = []
    space = _WIDE * max((line.height for line in lines), default=0.0)
    reach: float | None = None
    for x0, x1 in sorted((float(page.boxes[i, 0]), float(page.boxes[i, 2])) for line in lines for i in line.pieces):
        if reach is not None and x0 - reach > space:
            found.append((reach, x0))
        reach = x1 if reach is None else max(reach, x1)
    return found


def gutters(
    rows: Sequence[Sequence[Line]], left: float, right: float, page: RawPage, space: float
) -> list[tuple[float, float]]:
    """Stretches that the rows leave free, with words on both sides in half of them at least.

    One row in ten may reach over a gutter, and of five rows one: a heading over several columns. Gaps up to `space`
    line heights are usual spaces between words.
    """
    n = max(int((right - left) / _STEP) + 1, 1)
    words = np.zeros((len(rows), n), bool)
    em = max(line.height for row in rows for line in row)
    for k, row in enumerate(rows):
        for line in row:
            at: float | None = None
            for i in line.pieces:
                x0, x1 = float(page.boxes[i, 0]), float(page.boxes[i, 2])
                start = at if at is not None and 0 <= x0 - at < space * em else x0
                words[k, max(int((start - left) / _STEP), 0) : max(int((x1 - left) / _STEP), 0)] = True
                at = x1
    free = ~words
    before = np.maximum.accumulate(words, axis=1)
    after = np.maximum.accumulate(words[:, ::-1], axis=1)[:, ::-1]
    count = free.sum(axis=0)
    least = min(0.9 * len(rows), len(rows) - 1) if len(rows) >= 5 else len(rows)
    gutter = (count >= least) & ((free & before & after).mean(axis=0) >= 0.5)
    turns = np.flatnonzero(np.diff(np.concatenate(([False], gutter, [False])).astype(np.int8))).tolist()
    found: list[tuple[float, float]] = []
    for a, b in zip(turns[::2], turns[1::2], strict=True):
        best = np.flatnonzero(count[a:b] == count[a:b].max())  # where most rows are free, not where one is short
        low, high = a + int(best[0]), a + int(best[-1]) + 1
        if (high - low) * _STEP >= 1.0:
            found.append((left + low * _STEP, left + high * _STEP))
    return found


def cells_of(parts: Sequence[Line], edges: Sequence[float], ys: Sequence[float]) -> list[list[Cell]]:
    """Rows of cells, by height and by column; rows without words are left out."""
    rows: list[list[Cell]] = [[[] for _ in edges] for _ in range(len(ys) + 1)]
    for part in parts:
        row = bisect_right(ys, (part.y0 + part.y1) / 2)
        column = max(sum(edge <= (part.x0 + min(part.x1, part.x0 + 4)) / 2 for edge in edges) - 1, 0)
        rows[row][column].append(part)
    for cells in rows:
        for cell in cells:
            cell.sort(key=lambda line: (round(line.y0 / max(line.height, 1.0) * 2), line.x0, line.y0))
    return [row for row in rows if any(row)]

"""Tables whose rows are ruled or banded with colour, and whose columns are told apart by space alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citeleaf.backends.pdf_aligned import Cell
from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_lines import Line
from citeleaf.backends.pdf_styles import Box

_STEP = 0.5
"""Points between the places at which a gutter is looked for."""
_SPACE = 0.35
_MOST_LINES = 5
"""Rows of a table are seldom higher; zones of prose between rules are."""


def banded(lines: Sequence[Line], box: Box, ys: Sequence[float], page: RawPage) -> list[float]:
    """Where columns start, left to right, in a table whose rows lie between these heights; empty when it is none."""
    rows: list[list[Line]] = [[] for _ in range(len(ys) + 1)]
    for line in lines:
        rows[sum(y <= (line.y0 + line.y1) / 2 for y in ys)].append(line)
    rows = [row for row in rows if row]
    heights = sorted(len({round(line.y1 / max(line.height, 1.0) * 1.5) for line in row}) for row in rows)
    if len(rows) < 3 or heights[len(heights) // 2] > _MOST_LINES:
        return []
    found = gutters(rows, box[0], box[2], page, _SPACE)
    return [box[0], *((a + b) / 2 for a, b in found)] if found else []


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
        row = sum(y <= (part.y0 + part.y1) / 2 for y in ys)
        column = max(sum(edge <= (part.x0 + min(part.x1, part.x0 + 4)) / 2 for edge in edges) - 1, 0)
        rows[row][column].append(part)
    for cells in rows:
        for cell in cells:
            cell.sort(key=lambda line: (round(line.y0 / max(line.height, 1.0) * 2), line.x0, line.y0))
    return [row for row in rows if any(row)]

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
_MOST_LINES = 5
"""Rows of a table are seldom higher; zones of prose between rules are."""


def banded(lines: Sequence[Line], box: Box, ys: Sequence[float], page: RawPage) -> list[float]:
    """Where columns start, from left to right, in a table whose rows lie between these heights; empty when it is none.

    A gutter is a stretch that nearly all rows leave free and that half of them have words on both sides of.
    """
    rows: list[list[Line]] = [[] for _ in range(len(ys) + 1)]
    for line in lines:
        rows[sum(y <= (line.y0 + line.y1) / 2 for y in ys)].append(line)
    rows = [row for row in rows if row]
    heights = sorted(len({round(line.y1 / max(line.height, 1.0) * 1.5) for line in row}) for row in rows)
    if len(rows) < 3 or heights[len(heights) // 2] > _MOST_LINES:
        return []
    n = max(int((box[2] - box[0]) / _STEP), 1)
    words = np.zeros((len(rows), n), bool)
    em = max(line.height for line in lines)
    for k, row in enumerate(rows):
        for line in row:
            at: float | None = None
            for i in line.pieces:
                x0, x1 = float(page.boxes[i, 0]), float(page.boxes[i, 2])
                # A usual space between two words is no gap.
                start = at if at is not None and 0 <= x0 - at < 0.35 * em else x0
                words[k, max(int((start - box[0]) / _STEP), 0) : max(int((x1 - box[0]) / _STEP), 0)] = True
                at = x1
    free = ~words
    left = np.maximum.accumulate(words, axis=1)
    right = np.maximum.accumulate(words[:, ::-1], axis=1)[:, ::-1]
    gutter = (free.mean(axis=0) >= 0.9) & ((free & left & right).mean(axis=0) >= 0.5)
    turns = np.flatnonzero(np.diff(np.concatenate(([False], gutter, [False])).astype(np.int8))).tolist()
    wide = [(a, b) for a, b in zip(turns[::2], turns[1::2], strict=True) if (b - a) * _STEP >= 1.0]
    return [box[0], *(box[0] + _STEP * (a + b) / 2 for a, b in wide)] if wide else []


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

"""Tables without rules: gutters, and rows that agree across them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from citeleaf.backends.pdf_lines import Line
from citeleaf.backends.pdf_styles import Box

Cell: TypeAlias = list[Line]
Rule: TypeAlias = tuple[float, float, float]
"""A line drawn across: height, left, right."""
Band: TypeAlias = list[tuple[Line, int]]

_WIDER = 1.25
"""A pitch this much over the smallest is a space between rows."""
_LOOSE = 1.5
"""Lines further apart than this many heights are rows of their own, not wrapped text."""


@dataclass(slots=True, eq=False)
class Table:
    """Rows of cells, a cell its lines; the first `heads` rows are column headings. `edges`: the columns' left edges."""

    box: Box
    rows: list[list[Cell]]
    edges: list[float]
    heads: int = 0


def aligned_table(columns: list[list[Line]], em: float, rules: Sequence[Rule] = ()) -> Table | None:
    """A table: where a cell starts in the sparsest column, cells start beside it. None for columns of prose."""
    if len(columns) < 2:
        return None
    dense = [_is_prose(column, em) for column in columns]
    if sum(dense) >= 2:
        return None
    starts = [_cell_starts(column, em) for column in columns]
    sparse = min(range(len(columns)), key=lambda c: (len(starts[c]), c))
    others = [line for c in range(len(columns)) if c != sparse for line in starts[c]]
    hits = sum(any(abs(line.y1 - other.y1) < 0.3 * em for other in others) for line in starts[sparse])
    few = len(starts[sparse]) < 2 and len(columns) < 3
    if few or hits < 0.7 * len(starts[sparse]):
        return None
    lines = [line for column in columns for line in column]
    x0, y0 = min(line.x0 for line in lines), min(line.y0 for line in lines)
    x1, y1 = max(line.x1 for line in lines), max(line.y1 for line in lines)
    across = [y for y, a, b in rules if y0 < y < y1 and min(b, x1) - max(a, x0) > 0.7 * (x1 - x0)]
    rows = _rows_between(columns, across, len(starts[0])) or rows_by_height(columns, em)
    if len(rows) < 2 or 2 * sum(sum(map(bool, row)) >= 2 for row in rows) < len(rows):
        return None
    return Table((x0, y0, x1, y1), rows, [min(line.x0 for line in column) for column in columns])


def _rows_between(columns: list[list[Line]], across: list[float], starts: int) -> list[list[Cell]]:
    """One row between two rules, where there are rules between nearly all rows; else none."""
    cuts = sorted(across)
    rows: list[list[Cell]] = [[[] for _ in columns] for _ in range(len(cuts) + 1)]
    for c, column in enumerate(columns):
        for line in sorted(column, key=lambda line: (line.y0, line.x0)):
            middle = (line.y0 + line.y1) / 2
            rows[sum(cut <= middle for cut in cuts)][c].append(line)
    rows = [row for row in rows if any(row)]
    return rows if len(rows) >= max(3, 0.7 * starts) else []


def _cell_starts(column: list[Line], em: float) -> list[Line]:
    """Lines with more space above them than the column's lines usually have; all where spaces are even."""
    lines = sorted(column, key=lambda line: line.y0)
    pitches = [b.y1 - a.y1 for a, b in pairwise(lines)]
    least = min((p for p in pitches if p > 0.5), default=0.0)
    if not pitches or max(pitches) <= _WIDER * least or least > _LOOSE * em:
        return lines
    return [lines[0]] + [b for b, pitch in zip(lines[1:], pitches, strict=True) if pitch > 1.15 * least]


def _is_prose(column: list[Line], em: float) -> bool:
    """Long even lines, one under the other."""
    if len(column) < 4:
        return False
    width = max(line.x1 for line in column) - min(line.x0 for line in column)
    fill = sum(line.x1 - line.x0 for line in column) / (len(column) * width)
    return width >= 14 * em and fill > 0.6


def rows_by_height(columns: list[list[Line]], em: float) -> list[list[Cell]]:
    """Cells by row. Rows are told apart by space; where space is even, by what stands in the first column."""
    bands: list[Band] = []
    for line, c in sorted(((x, c) for c, column in enumerate(columns) for x in column), key=lambda t: (t[0].y1, t[1])):
        if bands and line.y1 - bands[-1][0][0].y1 < 0.5 * em:
            bands[-1].append((line, c))
        else:
            bands.append([(line, c)])
    pitches = [b[0][0].y1 - a[0][0].y1 for a, b in pairwise(bands)]
    least = min(pitches, default=0.0)
    spaced = bool(pitches) and least < _LOOSE * em and max(pitches) > _WIDER * least
    rows: list[list[Cell]] = []
    for k, band in enumerate(bands):
        if k == 0 or (pitches[k - 1] > _WIDER * least if spaced else _starts_row(band, pitches[k - 1], em)):
            rows.append([[] for _ in columns])
        for line, c in sorted(band, key=lambda t: t[0].x0):
            rows[-1][c].append(line)
    return [one for row in rows for one in single_rows(row)] if spaced else rows


def single_rows(row: list[Cell]) -> list[list[Cell]]:
    """Rows that only stand close or share a frame: each line of the first cell has one beside it; none is wrapped."""
    filled = [cell for cell in row if cell]
    if len(filled) < 2 or len(filled[0]) < 3:
        return [row]
    first, others = filled[0], [line for cell in filled[1:] for line in cell]
    beside = sum(any(abs(line.y1 - other.y1) < 0.3 * line.height for other in others) for line in first)
    small = sum(line.text[:1].islower() for line in [*first, *others])
    equal = sum(len(cell) == len(first) for cell in filled) >= 0.8 * len(filled)
    if small > 0.1 * len(others) or beside < 0.8 * len(first) or not (equal or len(first) >= 6):
        return [row]
    out: list[list[Cell]] = []
    for c, cell in enumerate(row):
        for line in cell:
            k = max((k for k, name in enumerate(first) if name.y1 <= line.y1 + 0.4 * line.height), default=0)
            while len(out) <= k:
                out.append([[] for _ in row])
            out[k][c].append(line)
    return [one for one in out if any(one)]


def _starts_row(band: Band, pitch: float, em: float) -> bool:
    if pitch > _LOOSE * em:
        return True
    small = all(line.text[:1].islower() for line, _ in band)
    if len(band) > 1:
        return not small
    return band[0][1] == 0 and not small

"""Tables: with ruling lines or filled cells, and without any, where rows agree across gutters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_graphics import Graphics
from citeleaf.backends.pdf_lines import Line, dress
from citeleaf.backends.pdf_styles import Box, Style

Cell: TypeAlias = list[Line]

_TOUCH = 3.0
_MAX_RULES = 1500
_NUMBER = re.compile(r"^[\s$€£₺%()+\-–,.\d/]*\d[\s$€£₺%()+\-–,.\d/]*$")


@dataclass(slots=True, eq=False)
class Table:
    """Rows of cells, a cell its lines; the first `heads` rows are column headings. `edges`: the columns' left edges."""

    box: Box
    rows: list[list[Cell]]
    edges: list[float]
    heads: int = 0


@dataclass(slots=True)
class _Rules:
    across: list[tuple[float, float, float]] = field(default_factory=list)
    """y, x0, x1"""
    down: list[tuple[float, float, float]] = field(default_factory=list)
    """x, y0, y1"""


def ruled(
    lines: list[Line], page: RawPage, graphics: Graphics, styles: list[Style]
) -> tuple[list[Table], list[Box], list[Line]]:
    """Tables drawn with rules or filled cells, frames around text, and the lines that stand in no table."""
    tables: list[Table] = []
    frames: list[Box] = []
    rest = lines
    for group in _groups(_collect(page, graphics)):
        xs = _positions([v[0] for v in group.down])
        ys = _positions([h[0] for h in group.across])
        if len(ys) < 2 or len(xs) < 2:
            continue
        box = (xs[0], ys[0], xs[-1], ys[-1])
        inside = [line for line in rest if _within(line, box)]
        if not inside or box[2] - box[0] < 20:
            continue
        if len(xs) == 2:
            if len(ys) >= 2 and not _is_page(box, page):
                frames.append(box)
            continue
        table = _grid(inside, group, xs, ys, page, styles)
        if table is not None:
            tables.append(table)
            taken = {id(line) for line in inside}
            rest = [line for line in rest if id(line) not in taken]
        elif not _is_page(box, page):
            frames.append(box)
    return tables, frames, rest


def _is_page(box: Box, page: RawPage) -> bool:
    return (box[2] - box[0]) * (box[3] - box[1]) > 0.75 * page.width * page.height


def _within(line: Line, box: Box) -> bool:
    middle_x, middle_y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return box[0] - 2 < middle_x < box[2] + 2 and box[1] - 1 < middle_y < box[3] + 1


def _collect(page: RawPage, graphics: Graphics) -> _Rules:
    rules = _Rules()
    for x0, y0, x1, y1 in graphics.across:
        rules.across.append(((y0 + y1) / 2, x0, x1))
    for x0, y0, x1, y1 in graphics.down:
        rules.down.append(((x0 + x1) / 2, y0, y1))
    for area in graphics.areas:
        if area.image or not area.exact or (area.filled and min(area.colour) > 250):
            continue
        x0, y0, x1, y1 = area.box
        if (x1 - x0) * (y1 - y0) > 0.9 * page.width * page.height:
            continue
        rules.across += [(y0, x0, x1), (y1, x0, x1)]
        rules.down += [(x0, y0, y1), (x1, y0, y1)]
    return rules


def _groups(rules: _Rules) -> list[_Rules]:
    """Rules that touch each other, group by group, from top to bottom."""
    n, m = len(rules.across), len(rules.down)
    if not n or not m or n + m > _MAX_RULES:
        return []
    boxes = np.array([(x0, y, x1, y) for y, x0, x1 in rules.across] + [(x, y0, x, y1) for x, y0, y1 in rules.down])
    x0, y0, x1, y1 = boxes.T
    touch = (
        (x0[:, None] <= x1 + _TOUCH)
        & (x0 <= x1[:, None] + _TOUCH)
        & (y0[:, None] <= y1 + _TOUCH)
        & (y0 <= y1[:, None] + _TOUCH)
    )
    label = np.full(n + m, -1)
    groups: list[_Rules] = []
    for start in np.argsort(y0, kind="stable").tolist():
        if label[start] >= 0:
            continue
        members = np.zeros(n + m, bool)
        members[start] = True
        while True:
            grown = touch[members].any(axis=0)
            if (grown == members).all():
                break
            members = grown
        label[members] = len(groups)
        which = np.flatnonzero(members).tolist()
        groups.append(_Rules([rules.across[i] for i in which if i < n], [rules.down[i - n] for i in which if i >= n]))
    return groups


def _positions(values: Sequence[float]) -> list[float]:
    """Values that lie within a touch of each other, as one."""
    out: list[list[float]] = []
    for value in sorted(values):
        if out and value - out[-1][-1] <= _TOUCH:
            out[-1].append(value)
        else:
            out.append([value])
    return [sum(group) / len(group) for group in out]


def _grid(
    lines: list[Line], rules: _Rules, xs: list[float], ys: list[float], page: RawPage, styles: list[Style]
) -> Table | None:
    """Cells between the rules; cells with no rule between them are one. None when it is no table."""
    n_rows, n_columns = len(ys) - 1, len(xs) - 1
    cells: dict[tuple[int, int], Cell] = {}
    for line in lines:
        for part in _parts(line, xs, ys, rules, page, styles):
            row = _index(ys, (part.y0 + part.y1) / 2)
            column = _index(xs, part.x0 + min(2.0, (part.x1 - part.x0) / 2))
            while column > 0 and not _has_rule(rules.down, xs[column], ys[row], ys[row + 1]):
                column -= 1
            while row > 0 and not _has_rule(rules.across, ys[row], xs[column], xs[column + 1]):
                row -= 1
            cells.setdefault((row, column), []).append(part)
    rows: list[list[Cell]] = []
    for row in range(n_rows):
        cells_of_row = [_in_lines(cells.get((row, column), [])) for column in range(n_columns)]
        if any(cells_of_row):
            rows.append(cells_of_row)
    used = [c for c in range(n_columns) if any(row[c] for row in rows)]
    if len(used) < 2 or not rows:
        return None
    rows = [[row[c] for c in used] for row in rows]
    if len(rows) == 1 and max(len(cell) for cell in rows[0]) > 3:
        return None  # columns of prose in a frame
    table = Table((xs[0], ys[0], xs[-1], ys[-1]), rows, [xs[c] for c in used])
    table.heads = _heads(rows, styles)
    return table


def _index(edges: list[float], at: float) -> int:
    return max(0, min(len(edges) - 2, sum(edge <= at for edge in edges) - 1))


def _has_rule(rules: list[tuple[float, float, float]], at: float, low: float, high: float) -> bool:
    """Whether rules at this place cover most of the stretch."""
    covered = sum(max(0.0, min(b, high) - max(a, low)) for where, a, b in rules if abs(where - at) <= 2 * _TOUCH)
    return covered >= 0.6 * (high - low)


def _parts(
    line: Line, xs: list[float], ys: list[float], rules: _Rules, page: RawPage, styles: list[Style]
) -> list[Line]:
    """The line cut at the rules that go down through it."""
    row = _index(ys, (line.y0 + line.y1) / 2)
    cuts = [
        x for x in xs[1:-1] if line.x0 < x - 1 and line.x1 > x + 1 and _has_rule(rules.down, x, ys[row], ys[row + 1])
    ]
    return cut_line(line, cuts, page, styles)


def cut_line(line: Line, cuts: list[float], page: RawPage, styles: list[Style]) -> list[Line]:
    """The line as several, cut at these places."""
    if not cuts:
        return [line]
    groups: list[list[int]] = [[] for _ in range(len(cuts) + 1)]
    for i in line.pieces:
        middle = float(page.boxes[i, 0] + page.boxes[i, 2]) / 2
        groups[sum(middle > cut for cut in cuts)].append(i)
    out: list[Line] = []
    for pieces in groups:
        if not pieces:
            continue
        boxes = page.boxes[pieces]
        x0, y0 = float(boxes[:, 0].min()), float(boxes[:, 1].min())
        part = Line(line.page, pieces, x0, y0, float(boxes[:, 2].max()), float(boxes[:, 3].max()), "", 0, 0, False, 0)
        part.body = x0
        dress(part, page, styles)
        out.append(part)
    return out


def _in_lines(cell: Cell) -> Cell:
    return sorted(cell, key=lambda line: (round(line.y0 / max(line.height, 1.0) * 2), line.x0, line.y0))


def _heads(rows: list[list[Cell]], styles: list[Style]) -> int:
    """How many leading rows are column headings: set in another style than the rest, or words over numbers."""
    if len(rows) < 2:
        return 0
    first = [line for cell in rows[0] for line in cell]
    if not first or sum(bool(cell) for cell in rows[0]) < 1:
        return 0
    looks = [_look(styles[line.style]) for line in first]
    below = [_look(styles[line.style]) for row in rows[1:] for cell in row for line in cell]
    if not below:
        return 0
    usual = max(sorted(set(below)), key=below.count)
    if all(look != usual for look in looks) and below.count(usual) >= 0.5 * len(below):
        second = [_look(styles[line.style]) for cell in rows[1] for line in cell]
        more = (
            len(rows) > 3 and all(look == looks[0] for look in second) and sum(bool(c) for c in rows[0]) < len(rows[0])
        )
        return 2 if more else 1
    for column in range(len(rows[0])):
        head = _text(rows[0][column])
        numbers = [bool(_NUMBER.match(_text(row[column]))) for row in rows[1:] if row[column]]
        if head and not any(c.isdigit() for c in head) and len(numbers) >= 2 and all(numbers):
            return 1
    return 0


def _look(style: Style) -> tuple[bool, bool, int]:
    red, green, blue = style.colour
    return (
        style.weight >= 600,
        style.italic,
        (red // 86) * 9 + (green // 86) * 3 + blue // 86 + style.weight // 150 * 27,
    )


def _text(cell: Cell) -> str:
    return " ".join(line.text for line in cell)


def aligned_table(columns: list[list[Line]], gutters: list[tuple[float, float]], em: float) -> Table | None:
    """A table without rules: where a cell starts in the sparsest column, cells start beside it. None when columns."""
    if len(columns) < 2 or any(not c for c in columns):
        return None
    starts = [_cell_starts(column) for column in columns]
    dense = [_is_prose(column, em) for column in columns]
    if sum(dense) >= 2:
        return None
    sparse = min(range(len(columns)), key=lambda c: (len(starts[c]), c))
    others = [line for c in range(len(columns)) if c != sparse for line in starts[c]]
    tolerance = 0.3 * em
    hits = sum(any(abs(line.y1 - other.y1) < tolerance for other in others) for line in starts[sparse])
    if len(starts[sparse]) < 2 or hits < 0.7 * len(starts[sparse]):
        return None
    if (
        sum(dense) == 1
        and len(columns[dense.index(True)]) > 3 * sum(len(c) for k, c in enumerate(columns) if not dense[k])
        and len(columns) > 2
    ):
        return None
    rows = _rows(columns, em)
    if len(rows) < 2:
        return None
    lines = [line for column in columns for line in column]
    box = (
        min(line.x0 for line in lines),
        min(line.y0 for line in lines),
        max(line.x1 for line in lines),
        max(line.y1 for line in lines),
    )
    return Table(box, rows, [min(line.x0 for line in c) for c in columns])


def _cell_starts(column: list[Line]) -> list[Line]:
    """Lines with more space above them than the column's lines usually have; all where spaces are even."""
    lines = sorted(column, key=lambda line: line.y0)
    pitches = [b.y1 - a.y1 for a, b in itertools.pairwise(lines)]
    if not pitches:
        return lines
    least = min((p for p in pitches if p > 0.5), default=0.0)
    return (
        [lines[0]] + [b for b, pitch in zip(lines[1:], pitches, strict=True) if pitch > 1.15 * least]
        if max(pitches) > 1.25 * least
        else lines
    )


def _is_prose(column: list[Line], em: float) -> bool:
    """Long even lines, one under the other."""
    if len(column) < 4:
        return False
    lines = sorted(column, key=lambda line: line.y0)
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    if width < 14 * em:
        return False
    fill = sum(line.x1 - line.x0 for line in lines) / (len(lines) * width)
    return fill > 0.6


def _rows(columns: list[list[Line]], em: float) -> list[list[Cell]]:
    """Cells by row: a row starts where the first column has a cell, or where all columns leave a wide space."""
    tagged = sorted(((line, c) for c, column in enumerate(columns) for line in column), key=lambda t: (t[0].y1, t[1]))
    bands: list[list[tuple[Line, int]]] = []
    for line, c in tagged:
        if bands and line.y1 - bands[-1][0][0].y1 < 0.5 * em:
            bands[-1].append((line, c))
        else:
            bands.append([(line, c)])
    pitches = [b[0][0].y1 - a[0][0].y1 for a, b in itertools.pairwise(bands)]
    least = min(pitches, default=0.0)
    uneven = bool(pitches) and max(pitches) > 1.25 * least and sum(p > 1.25 * least for p in pitches) >= 1
    rows: list[list[Cell]] = []
    for k, band in enumerate(bands):
        have = {c for _, c in band}
        wide = k > 0 and pitches[k - 1] > 1.25 * least
        new = not rows or wide or (not uneven and 0 in have) or (0 in have and len(have) > 1 and not _wraps(rows[-1]))
        if uneven and not wide and rows:
            new = False
        if not uneven and len(have) == 1 and rows:
            new = 0 in have and bool(band[0][0].text[:1].isupper())
        if new:
            rows.append([[] for _ in columns])
        for line, c in sorted(band, key=lambda t: t[0].x0):
            rows[-1][c].append(line)
    return rows


def _wraps(row: list[Cell]) -> bool:
    return False


def heads_of(table: Table, styles: list[Style]) -> None:
    """Sets how many rows are headings of a table found without rules."""
    table.heads = _heads(table.rows, styles)

"""Tables: with ruling lines or filled cells, and without any, where rows agree across gutters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from citeleaf.backends.pdf_aligned import Cell, Table, single_rows
from citeleaf.backends.pdf_bands import banded, cells_of, columns_of, gutters, stretches
from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_graphics import Graphics
from citeleaf.backends.pdf_lines import Line, dress
from citeleaf.backends.pdf_rules import TOUCH, Rules, collect, edges_of, groups, has_rule, index_of, is_framed, stacks
from citeleaf.backends.pdf_styles import Box, Style

_NUMBER = re.compile(r"^[\s$€£₺%()+\-–,.\d/]*\d[\s$€£₺%()+\-–,.\d/]*$")


def ruled(
    lines: list[Line], page: RawPage, graphics: Graphics, styles: list[Style]
) -> tuple[list[Table], list[Box], list[Line]]:
    """Tables drawn with rules or filled cells, frames around text, and the lines that stand in no table.

    A stretch of a table where no rule tells rows or columns apart is left to be read as text without rules.
    """
    search = _Search(lines, page, styles)
    rules = collect(page, graphics)
    drawn = groups(rules)
    bands: list[tuple[Box, list[float]]] = []
    for area, heights in stacks(rules):
        inside = [line for line in lines if _within(line, area)]
        bands += [((area[0], ys[0], area[2], ys[-1]), ys) for ys in stretches(inside, heights, page)]
    # Where no group of touching rules holds the bands together, each group in them is but a row or two.
    held = [band for band in bands if any(_holds(group, *band) for group in drawn)]
    for band in bands:
        if band not in held:
            search.band(*band)
    for group in drawn:
        search.group(group)
    for band in held:
        search.band(*band)
    return search.tables, search.frames, search.rest


@dataclass(frozen=True, slots=True)
class _Found:
    """Rows of cells with their columns' left edges, where they reach, and the lines in them; no rows: no table."""

    rows: list[list[Cell]]
    edges: list[float]
    box: Box
    lines: list[Line]


class _Search:
    """Tables and frames found so far, and the lines that are in no table."""

    def __init__(self, lines: list[Line], page: RawPage, styles: list[Style]) -> None:
        self.tables: list[Table] = []
        self.frames: list[Box] = []
        self.rest = lines
        self._page = page
        self._styles = styles

    def band(self, box: Box, ys: list[float]) -> None:
        """Takes rows that lie between these heights, if they have columns."""
        self._take(_banded(self._inside(box), box, ys, self.rest, self._page, self._styles))

    def group(self, group: Rules) -> None:
        """Takes the table that is drawn with these rules, or the frame."""
        xs, ys = edges_of(group)
        if len(ys) < 2 or len(xs) < 2:
            return
        box = (xs[0], ys[0], xs[-1], ys[-1])
        inside = self._inside(box)
        if not inside or box[2] - box[0] < 20:
            return
        rows = _grid(inside, group, xs, ys, self._page, self._styles)
        if rows:
            self._take(_Found(*_finer(rows, xs[:-1], self._page, self._styles), box, inside))
            return
        found = _banded(inside, box, ys, self.rest, self._page, self._styles)
        self._take(found)
        if not found.rows and not _is_page(box, self._page) and _is_block(inside) and is_framed(box, group):
            self.frames.append(box)

    def _inside(self, box: Box) -> list[Line]:
        return [line for line in self.rest if _within(line, box)]

    def _take(self, found: _Found) -> None:
        if found.rows:
            made, left = _tables(found.rows, found.box, found.edges, self._styles)
            self.tables.extend(made)
            taken = {id(line) for line in found.lines}
            self.rest = [line for line in self.rest if id(line) not in taken] + left


def _holds(group: Rules, area: Box, ys: list[float]) -> bool:
    """Whether the group reaches over nearly all of these heights."""
    across = [y for y, x0, x1 in group.across if x0 < area[2] and x1 > area[0]]
    return sum(any(abs(y - other) <= TOUCH for other in across) for y in ys) >= 0.8 * len(ys)


def _banded(
    lines: list[Line], box: Box, ys: list[float], rest: list[Line], page: RawPage, styles: list[Style]
) -> _Found:
    """Rows between rules, with columns told apart by space, and where they reach; no rows when it is no table.

    A row without colour above the first band or under the last belongs to it when its words keep to the columns.
    """
    edges = banded(lines, box, ys, page) if len(ys) >= 3 and lines else []
    if not edges:
        return _Found([], [], box, lines)
    heights = sorted(b - a for a, b in pairwise(ys))
    most = 1.3 * heights[len(heights) // 2]
    for below in (True, False):
        for more in _next_rows(rest, box, most, below):
            wider = (box[0], min(box[1], *(x.y0 - 1 for x in more)), box[2], max(box[3], *(x.y1 + 1 for x in more)))
            again = banded(lines + more, wider, ys, page)
            apart = all(not x.x0 + 1 < edge < x.x1 - 1 or _is_free(x, edge, page) for x in more for edge in again[1:])
            if len(again) == len(edges) and apart and (columns_of(more, lines, page) or 0) >= 2:
                lines, box, edges = lines + more, wider, again
                break
    parts = [part for line in lines for part in _cut_free(line, edges[1:], page, styles)]
    rows = cells_of(parts, edges, ys)
    full = sum(sum(map(bool, row)) >= 2 for row in rows)
    return _Found(rows if full >= 0.6 * len(rows) else [], edges, box, lines)


def _next_rows(rest: list[Line], box: Box, most: float, below: bool) -> list[list[Line]]:
    """What may be one row more, under the box or above it: all lines that stand close, and those of a usual row."""
    beyond = [x for x in rest if box[0] - 2 < x.x0 and x.x1 < box[2] + 2]
    beyond = [x for x in beyond if (x.y0 > box[3] - 2 if below else x.y1 < box[1] + 2)]
    edge = box[3] if below else box[1]
    usual = [x for x in beyond if (x.y1 < edge + most + 2 if below else x.y0 > edge - most - 2)]
    close = list(usual)
    for line in sorted(beyond, key=lambda x: x.y0 if below else -x.y1):
        if line not in usual and usual:
            gap = line.y0 - max(x.y1 for x in close) if below else min(x.y0 for x in close) - line.y1
            if gap > 0.5 * line.height:
                break
            close.append(line)
    return [close, usual] if usual else []


def _is_free(line: Line, x: float, page: RawPage) -> bool:
    """Whether no word of the line reaches over this place."""
    return all(not x0 < x < x1 for x0, x1 in _reach(line, page))


def _cut_free(line: Line, cuts: list[float], page: RawPage, styles: list[Style]) -> list[Line]:
    """The line cut at those places that no word of it reaches over."""
    free = [x for x in cuts if line.x0 < x < line.x1 and _is_free(line, x, page)]
    return cut_line(line, free, page, styles)


def _is_block(lines: list[Line]) -> bool:
    """More than one row of text: a band of colour behind one line is no box of its own."""
    return max(line.y1 for line in lines) - min(line.y0 for line in lines) > 1.8 * max(line.height for line in lines)


def _is_page(box: Box, page: RawPage) -> bool:
    return (box[2] - box[0]) * (box[3] - box[1]) > 0.75 * page.width * page.height


def _within(line: Line, box: Box) -> bool:
    middle_x, middle_y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return box[0] - 2 < middle_x < box[2] + 2 and box[1] - 1 < middle_y < box[3] + 1


def _grid(
    lines: list[Line], rules: Rules, xs: list[float], ys: list[float], page: RawPage, styles: list[Style]
) -> list[list[Cell]]:
    """Cells between the rules, row by row; cells with no rule between them are one. Empty when it is no table."""
    n_rows, n_columns = len(ys) - 1, len(xs) - 1
    cells: dict[tuple[int, int], Cell] = {}
    for line in lines:
        for part in _parts(line, xs, ys, rules, page, styles):
            row = index_of(ys, (part.y0 + part.y1) / 2)
            column = index_of(xs, part.x0 + min(2.0, (part.x1 - part.x0) / 2))
            while column > 0 and not has_rule(rules.down, xs[column], ys[row], ys[row + 1]):
                column -= 1
            while row > 0 and not has_rule(rules.across, ys[row], xs[column], xs[column + 1]):
                row -= 1
            cells.setdefault((row, column), []).append(part)
    rows = [[_in_lines(cells.get((r, c), [])) for c in range(n_columns)] for r in range(n_rows)]
    rows = [row for row in rows if any(row)]
    used = [c for c in range(n_columns) if any(row[c] for row in rows)]
    if len(used) < 2 or (len(rows) == 1 and max(len(cell) for cell in rows[0]) > 3):
        return []  # a frame, or columns of prose in one
    if sum(sum(map(bool, row)) >= 2 for row in rows) < 0.5 * len(rows):
        return []  # rules, but few that tell columns apart
    return rows


def _finer(
    rows: list[list[Cell]], edges: list[float], page: RawPage, styles: list[Style]
) -> tuple[list[list[Cell]], list[float]]:
    """Columns that hold columns of their own, with no rule between, cut where most of their rows leave a gap."""
    out: list[list[Cell]] = [[] for _ in rows]
    finer: list[float] = []
    for c, edge in enumerate(edges):
        filled = [row[c] for row in rows if row[c]]
        wide = [cell for cell in filled if _on_one_line(cell) and sum(len(line.pieces) for line in cell) > 1]
        enough = len(wide) >= 3 and len(wide) >= 0.6 * len(filled)
        gaps = _gaps(wide, page) if enough else []
        finer += [edge, *((a + b) / 2 for a, b in gaps)]
        for k, row in enumerate(rows):
            parts: list[Cell] = [[] for _ in range(len(gaps) + 1)]
            for line in row[c]:
                for part in _cut_free(line, [(a + b) / 2 for a, b in gaps], page, styles):
                    parts[sum(part.x0 > (a + b) / 2 for a, b in gaps)].append(part)
            out[k].extend(parts)
    return out, finer


def _on_one_line(cell: Cell) -> bool:
    return all(abs(line.y1 - cell[0].y1) < 0.4 * line.height for line in cell)


def _reach(line: Line, page: RawPage) -> list[tuple[float, float]]:
    """Left and right edge of each piece."""
    return [(float(page.boxes[i, 0]), float(page.boxes[i, 2])) for i in line.pieces]


def _gaps(cells: list[Cell], page: RawPage) -> list[tuple[float, float]]:
    """Gutters within one column: narrow ones where half of the words are numbers, else wide ones only."""
    texts = [page.texts[i] for cell in cells for line in cell for i in line.pieces]
    numbers = sum(_NUMBER.match(text) is not None for text in texts) >= 0.5 * len(texts)
    left, right = min(x.x0 for cell in cells for x in cell), max(x.x1 for cell in cells for x in cell)
    return gutters(cells, left, right, page, 0.25 if numbers else 1.0)


def _tables(
    rows: list[list[Cell]], box: Box, edges: list[float], styles: list[Style]
) -> tuple[list[Table], list[Line]]:
    """Tables of the rows between those that are open, and the lines of the open ones."""
    tables: list[Table] = []
    left: list[Line] = []
    run: list[list[Cell]] = []
    for row in [*rows, []]:
        if row and not _is_open(row):
            run.extend(single_rows(row))
            continue
        if run:
            used = [c for c in range(len(run[0])) if any(r[c] for r in run)]
            kept = [[r[c] for c in used] for r in run]
            lines = [line for r in run for cell in r for line in cell]
            top = max(box[1], min(line.y0 for line in lines) - 2)
            bottom = min(box[3], max(line.y1 for line in lines) + 2)
            left_edges = [edges[c] for c in used]
            tables.append(Table((box[0], top, box[2], bottom), kept, left_edges, _heads(kept, styles)))
        run = []
        left.extend(line for cell in row for line in cell)
    return tables, left


def _is_open(row: list[Cell]) -> bool:
    """Whether a cell holds a table of its own that no rule tells apart: many lines, side by side."""
    for cell in row:
        if len(cell) >= 6:
            beside = sum(abs(a.y1 - b.y1) < 0.3 * a.height and b.x0 - a.x1 > a.height for a, b in pairwise(cell))
            if beside >= 0.3 * len(cell):
                return True
    return False


def _parts(
    line: Line, xs: list[float], ys: list[float], rules: Rules, page: RawPage, styles: list[Style]
) -> list[Line]:
    """The line cut at the rules that go down through it."""
    row = index_of(ys, (line.y0 + line.y1) / 2)
    cuts = [
        x for x in xs[1:-1] if line.x0 < x - 1 and line.x1 > x + 1 and has_rule(rules.down, x, ys[row], ys[row + 1])
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


def adopt_row(table: Table, line: Line, page: RawPage, styles: list[Style]) -> bool:
    """Takes a line right under a table as its next row when it has a word at the left edge of every column."""
    if len(table.edges) < 2 or not 0 <= line.y0 - table.box[3] + 1 < 2 * line.height or not line.lefts:
        return False
    if any(min(abs(left - edge) for left in line.lefts) > 1.5 for edge in table.edges):
        return False
    parts = cut_line(line, [edge - 1 for edge in table.edges[1:]], page, styles)
    if len(parts) != len(table.edges):
        return False
    table.rows.append([[part] for part in parts])
    x0, y0, x1, _ = table.box
    table.box = (x0, y0, max(x1, line.x1), line.y1)
    return True


def heads_of(table: Table, styles: list[Style]) -> None:
    """Sets how many rows are headings of a table found without rules."""
    table.heads = _heads(table.rows, styles)


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
    top = next((i for i, row in enumerate(rows) if sum(map(bool, row)) >= 2), 0)
    if top + 2 <= len(rows) and _over_numbers(rows[top], rows[top + 1 :]):
        return top + 1
    return 0


def _over_numbers(head: list[Cell], below: list[list[Cell]]) -> bool:
    """Words over columns of numbers."""
    words = [_text(cell) for cell in head if cell]
    if sum(any(c.isdigit() for c in word) for word in words) > 0.2 * len(words):
        return False
    numbers = 0
    for column, cell in enumerate(head):
        values = [bool(_NUMBER.match(_text(row[column]))) for row in below if row[column]]
        numbers += bool(cell and len(values) >= 2 and all(values))
    return numbers >= max(1, 0.4 * (len(words) - 1))


def _look(style: Style) -> tuple[bool, bool, int]:
    red, green, blue = style.colour
    return (
        style.weight >= 600,
        style.italic,
        (red // 86) * 9 + (green // 86) * 3 + blue // 86 + style.weight // 150 * 27,
    )


def _text(cell: Cell) -> str:
    return " ".join(line.text for line in cell)

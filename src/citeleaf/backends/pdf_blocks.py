"""Lines to blocks: paragraphs, list items, rows, notes, each with the lines it is made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from citeleaf.backends.pdf_aligned import Cell, Table
from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_layout import Flow
from citeleaf.backends.pdf_lines import Line
from citeleaf.backends.pdf_styles import Style

Kind: TypeAlias = Literal["heading", "paragraph", "list_item", "table_row", "definition", "note", "caption"]
Key: TypeAlias = tuple[float, bool, bool, tuple[int, int, int]]

_ENOUGH = 5
"""Pairs of lines from which the usual distance of lines is told."""
_NEW_BLOCK = 1.2
"""A line this many times the usual pitch below the one before starts a block."""
_CAPTION = re.compile(
    r"^(?:figure|fig\.|table|chart|exhibit|abbildung|tabelle|şekil|tablo)\s+[\dIVX]+(?:[.\-]\d+)*\s*[.:–—-]?\s", re.I
)
_FOOTNOTE = re.compile(r"^(?:[⁰¹²³⁴-⁹]{1,3}|\d{1,3}(?=\s|[A-Z][a-z])|[*∗†‡§]{1,3})\s?\S")
_ENDS = (".", "!", "?", ":", ";")


@dataclass(slots=True, eq=False)
class Part:
    """A block in the making. `left` and `right` are the column's edges; `body` is where its text starts.

    `intro` is the part whose last sentence introduces it; `table` and `row` say which row of which table it is.
    `term` is how many of its first pieces are the term of a definition. `aside`: it runs another way than the page.
    """

    kind: Kind
    page: int
    lines: list[Line]
    left: float
    right: float
    key: Key
    cells: list[Cell] = field(default_factory=list)
    table: Table | None = None
    row: int = 0
    marker: bool = False
    term: int = 0
    level: int = 0
    number: str | None = None
    intro: Part | None = None
    framed: bool = False
    space_above: float = 0.0
    first_of_flow: bool = False
    contents: bool = False
    aside: bool = False

    @property
    def text(self) -> str:
        """Words of the lines, for looking at; the document's text is made by the writer."""
        return " ".join(line.text for line in self.lines)

    @property
    def body(self) -> float:
        """Where the text starts, after a list marker."""
        return self.lines[0].body if self.marker else self.lines[0].x0


@dataclass(slots=True)
class Looks:
    """What is usual in the document: `body` is the key of most text, `pitch` line distance over size, by key."""

    styles: list[Style]
    body: Key = (10.0, False, False, (0, 0, 0))
    weight: int = 400
    pitch: dict[Key, float] = field(default_factory=dict)
    usual: float = 1.2

    def key(self, style: int) -> Key:
        """Size, heavier than the body, italic, colour."""
        s = self.styles[style]
        return round(s.size * 2) / 2, s.weight - self.weight >= 120, s.italic, s.colour


def look_at(lines: Sequence[Line], flows: Sequence[Flow], styles: list[Style]) -> Looks:
    """The usual look of the document's text, by number of characters."""
    looks = Looks(styles)
    count: Counter[int] = Counter()
    for line in lines:
        count[line.style] += len(line.text)
    if count:
        usual = min(count, key=lambda s: (-count[s], s))
        looks.weight = styles[usual].weight
        keys: Counter[Key] = Counter()
        for style, n in count.items():
            keys[looks.key(style)] += n
        looks.body = min(keys, key=lambda k: (-keys[k], k))
    ratios: dict[Key, Counter[int]] = {}
    for flow in flows:
        for a, b in zip(flow.lines, flow.lines[1:], strict=False):
            if a.style == b.style and a.size > 0 and 0.8 < (ratio := (b.y1 - a.y1) / a.size) < 2.2:
                ratios.setdefault(looks.key(a.style), Counter())[round(ratio * 20)] += 1
    for key, found in ratios.items():
        if sum(found.values()) >= _ENOUGH:
            looks.pitch[key] = _low_mode(found)
    looks.usual = looks.pitch.get(looks.body, 1.2)
    return looks


def _low_mode(found: Counter[int]) -> float:
    """The smallest ratio that comes nearly as often as the most usual: lines of a paragraph, not paragraphs."""
    most = max(found.values())
    return min(r for r, n in found.items() if n >= 0.25 * most) / 20


def make_parts(flows: Sequence[Flow], looks: Looks, page: RawPage, *, framed: bool = False) -> list[Part]:
    """Blocks of a page's flows, in order."""
    parts: list[Part] = []
    for flow in flows:
        if flow.kind == "table" and flow.table is not None:
            parts.extend(_rows(flow.table, looks, page))
        elif flow.kind == "note":
            parts.extend(make_parts(flow.inner, looks, page, framed=True))
        else:
            made = _paragraphs(flow, looks, page, framed)
            if made:
                made[0].first_of_flow = True
            parts.extend(made)
    return parts


def _rows(table: Table, looks: Looks, page: RawPage) -> list[Part]:
    parts: list[Part] = []
    if _is_list(table):
        for cell in (row[c] for c in range(len(table.rows[0])) for row in table.rows if row[c]):
            left, right = table.edges[0], table.box[2]
            parts.append(Part("list_item", page.number, cell, left, right, looks.key(cell[0].style), marker=True))
        return parts
    for i, row in enumerate(table.rows):
        lines = [line for cell in row for line in cell]
        if lines:
            key = looks.key(lines[0].style)
            parts.append(Part("table_row", page.number, lines, table.box[0], table.box[2], key, row, table, i))
    return parts


def _is_list(table: Table) -> bool:
    """Whether all cells are list items: a list set in columns, read one column after the other."""
    cells = [cell for row in table.rows for cell in row if cell]
    bullets = {cell[0].text.split(" ", 1)[0] for cell in cells if 0 < cell[0].marker < len(cell[0].pieces)}
    marked = all(0 < cell[0].marker < len(cell[0].pieces) for cell in cells)
    return marked and len(cells) > 2 and len(bullets) == 1 and not any(c.isalnum() for c in bullets.pop())


def _paragraphs(flow: Flow, looks: Looks, page: RawPage, framed: bool) -> list[Part]:
    parts: list[Part] = []
    lines = flow.lines
    for i, line in enumerate(lines):
        before = lines[i - 1] if i else None
        marker = _is_item(line, before, flow)
        key = looks.key(line.style)
        if before is None or not parts or _breaks(line, before, parts[-1], marker, flow, looks, lines, i):
            kind: Kind = "list_item" if marker else "note" if framed else "paragraph"
            part = Part(kind, page.number, [line], flow.x0, flow.x1, key, marker=marker, framed=framed)
            part.space_above = line.y0 - before.y1 if before is not None else 1e3
            parts.append(part)
        else:
            parts[-1].lines.append(line)
    for part in parts:
        if part.kind in ("paragraph", "note") and _is_caption(part, looks):
            part.kind = "caption"
    return parts


def _is_caption(part: Part, looks: Looks) -> bool:
    short = len(part.lines) == 1 or (len(part.lines) <= 4 and part.key != looks.body)
    return short and _CAPTION.match(part.text) is not None


def _breaks(
    line: Line, before: Line, part: Part, marker: bool, flow: Flow, looks: Looks, lines: list[Line], i: int
) -> bool:
    if marker or before.entry:
        return True
    pitch = line.y1 - before.y1
    key, last = looks.key(line.style), looks.key(before.style)
    if pitch <= 0.3 * line.height:
        beside = line.x0 >= before.x1 - 1 and pitch > -0.7 * line.height
        return not beside
    usual = looks.pitch.get(last, looks.usual) * max(before.size, 1.0)
    if pitch > _NEW_BLOCK * usual + 0.3 or pitch > 2.5 * line.height:
        return not (key == last and pitch < 1.6 * usual and _runs_on(before, line, flow))
    if abs(line.size - before.size) > 0.08 * max(line.size, before.size):
        return not (line.mixed and before.mixed) or abs(line.size - before.size) > 0.15 * before.size
    if key[1:] != last[1:] and not _same_run(line, before, flow):
        return True
    em = max(line.size, 1.0)
    indent = line.x0 - before.x0
    if part.marker:
        return line.x0 < part.lines[0].x0 - 0.5 * em or (len(part.lines) > 1 and abs(indent) > 2 * em)
    after = lines[i + 1] if i + 1 < len(lines) else None
    if 0.7 * em < indent < 5 * em and (after is None or after.x0 < line.x0 - 0.5 * em or after.y1 < line.y1):
        return before.text.endswith(_ENDS) or len(part.lines) > 2
    short = before.x1 < flow.x1 - 0.3 * (flow.x1 - flow.x0)
    return short and before.text.endswith((".", ":", ";")) and line.text[:1].isupper() and abs(indent) < 0.5 * em


def _runs_on(before: Line, line: Line, flow: Flow) -> bool:
    """Whether a full line without an end goes on in small letters: the space between is only a slip of the layout."""
    full = before.x1 > flow.x1 - 0.15 * (flow.x1 - flow.x0)
    return full and line.text[:1].islower() and before.text[-1:].isalnum() and abs(line.x0 - before.x0) < 1.0


def _same_run(line: Line, before: Line, flow: Flow) -> bool:
    """Whether two lines of different looks are one text: a bold or italic run that goes on over a line's end."""
    full = before.x1 > flow.x1 - 0.25 * (flow.x1 - flow.x0)
    return before.mixed or (line.mixed and full)


def _is_item(line: Line, before: Line | None, flow: Flow) -> bool:
    if not line.marker or len(line.pieces) <= line.marker:
        return False
    mark = line.text.split(" ", 1)[0]
    em = max(line.size, 1.0)
    gap = line.body - line.x0
    if mark in ("-", "–", "—", "*") and gap < 0.8 * em:
        return False
    if len(mark) == 2 and mark[0].isupper() and mark[1] == "." and gap < 1.3 * em:
        return False  # initials
    if before is None:
        return True
    pitch = line.y1 - before.y1
    full = before.x1 > flow.x1 - 0.15 * (flow.x1 - flow.x0)
    outdent = line.x0 < before.x0 - 0.5 * em
    same = before.style == line.style
    runs_on = (
        same and full and not before.text.endswith((*_ENDS, ",", "and", "or")) and abs(line.x0 - before.x0) < 0.5 * em
    )
    return not (runs_on and pitch < 1.2 * 1.4 * em and not outdent and mark[0].isalnum())


def split_footnotes(lines: list[Line], looks: Looks) -> tuple[list[Line], list[Line]]:
    """Body lines, and the lines of footnotes in the order they are read.

    A footnote is small print at the foot that starts with a number or a sign, and is no cell and no sentence that
    goes on: see `_leads`.
    """
    small = [line for line in lines if line.size < 0.93 * looks.body[0] and line.size > 0]
    starts = [line for line in small if _FOOTNOTE.match(line.text)]
    if not starts:
        return lines, []
    groups: list[list[Line]] = []
    taken: set[int] = set()
    for start in sorted(starts, key=lambda line: -line.y0):
        below = [
            line
            for line in lines
            if line.y0 >= start.y0 - 1 and min(line.x1, start.x1) - max(line.x0, start.x0) > 0 and id(line) not in taken
        ]
        if all(line.size < 0.93 * looks.body[0] for line in below):
            groups.append([start, *sorted((x for x in below if x is not start), key=lambda line: (line.y0, line.x0))])
            taken.update(id(line) for line in below)
    # Whether small print leads to a start hangs on which lines are footnotes, so until none falls out.
    while any(cut := [group for group in groups if _leads(group[0], small, taken)]):
        taken -= {id(line) for group in cut for line in group}
        groups = [group for group in groups if not any(group is other for other in cut)]
    notes = [line for group in _by_column(groups) for line in group]
    if not notes or len(notes) > 0.6 * len(lines):
        return lines, []
    return [line for line in lines if id(line) not in taken], notes


def _by_column(groups: list[list[Line]]) -> list[list[Line]]:
    """Groups of lines from the left column to the right, each from top to bottom."""
    edges: list[float] = []
    right = float("-inf")
    for x0, x1 in sorted((line.x0, line.x1) for group in groups for line in group):
        if x0 > right:
            edges.append(x0)
        right = max(right, x1)
    return sorted(groups, key=lambda g: (sum(edge <= g[0].x0 for edge in edges), g[0].y0, g[0].x0))


def _leads(start: Line, small: list[Line], taken: set[int]) -> bool:
    """Whether other small print stands beside the line or right above: a cell of a row, or a sentence that goes on."""
    for line in small:
        if id(line) in taken:
            continue
        beside = abs(line.y1 - start.y1) < 0.3 * start.height
        above = -0.5 < (start.y0 - line.y1) / max(start.height, 1.0) < 0.4
        if beside or (above and min(line.x1, start.x1) > max(line.x0, start.x0)):
            return True
    return False


def footnote_parts(notes: list[Line], looks: Looks, page: RawPage) -> list[Part]:
    """One note a footnote."""
    parts: list[Part] = []
    for line in notes:
        if not parts or _FOOTNOTE.match(line.text):
            parts.append(Part("note", page.number, [line], line.x0, line.x1, looks.key(line.style)))
        else:
            parts[-1].lines.append(line)
    return parts

"""Tables: which ones hold data, which rows are headings, and one block a row."""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from citeleaf.backends import front
from citeleaf.backends.html_hidden import is_hidden
from citeleaf.backends.html_inline import all_bold, inline_text
from citeleaf.backends.writer import Writer
from citeleaf.types import Span

_NO_DATA = "table, h1, h2, h3, h4, h5, h6, form, nav, header, footer, article"
_WIDEST = 200
_LONGEST_HEADING = 80
_TERM = frozenset(("term", "terms", "word", "words", "expression", "defined term", "defined word", "terim", "kavram"))
_MEANING = frozenset(("meaning", "meanings", "definition", "definitions", "means", "tanım", "anlam", "anlamı"))


@dataclass(frozen=True, slots=True)
class _Cell:
    column: int
    text: str
    is_heading: bool
    rows: int
    columns: int = 1


def is_data(table: LexborNode) -> bool:
    """Whether a table holds data rather than laying out the page: no table, heading or form in it, and two columns."""
    if table.css_first("tr") is None:
        return False
    inner = table.css(_NO_DATA)
    if any(node.mem_id != table.mem_id for node in inner):
        return False
    return any(_columns(row) > 1 for row in _rows(table))


def write(table: LexborNode, writer: Writer, hidden: frozenset[int], *, alt: bool = False) -> None:
    """Writes the caption and one block a row.

    A row is read under its column headings, with the cells of earlier rows that reach down into it and the last row of
    one cell over the whole width. A two-column table of terms and meanings gives definitions.
    """
    for caption in table.css("caption"):
        if caption.mem_id not in hidden and not is_hidden(caption):
            writer.block("caption", inline_text(caption, hidden, alt=alt))
    rows = _grid(table, hidden, alt)
    n_heads = _heading_rows(rows)
    if n_heads == 1 and _defines(rows[0]):
        for row in rows:
            _definition(row, writer)
        return
    width = max((cell.column + cell.columns for row in rows for cell in row), default=0)
    heads: dict[int, list[Span]] = {}
    reaching: dict[int, tuple[int, Span]] = {}
    over: dict[int, Span] = {}
    for n, row in enumerate(rows):
        if n < n_heads:
            for cell, place in zip(row, _placed(row, writer.row(_by_column(row))), strict=True):
                if place is not None:
                    for column in range(cell.column, cell.column + cell.columns):
                        heads.setdefault(column, []).append(place)
            continue
        if _is_over(row, width):
            name = writer.row(_by_column(row))[0]
            over = {} if name is None else {-1: name}
            continue
        above = over | {column: span for column, (left, span) in reaching.items() if left > 0}
        places = writer.row(_by_column(row), heads, above)
        reaching = {column: (left - 1, span) for column, (left, span) in reaching.items() if left > 1}
        for cell, place in zip(row, _placed(row, places), strict=True):
            if place is not None and cell.rows > 1:
                reaching[cell.column] = (cell.rows - 1, place)


def _placed(row: list[_Cell], places: list[Span | None]) -> list[Span | None]:
    """Where each cell stands in the text; None for an empty one."""
    return [places[cell.column] if cell.column < len(places) else None for cell in row]


def _is_over(row: list[_Cell], width: int) -> bool:
    """Whether a row is one cell over the whole width: the name of the rows that follow."""
    return width > 2 and len(row) == 1 and row[0].columns == width and len(row[0].text) <= _LONGEST_HEADING


def _rows(table: LexborNode) -> list[LexborNode]:
    return table.css("tr")


def _cells(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in row.iter() if cell.tag in ("td", "th")]


def _columns(row: LexborNode) -> int:
    return sum(1 for _ in _cells(row))


def _grid(table: LexborNode, hidden: frozenset[int], alt: bool) -> list[list[_Cell]]:
    """The rows with something in them; a cell's column counts the cells that reach down or across."""
    grid: list[list[_Cell]] = []
    taken: dict[int, int] = {}
    for row in _rows(table):
        if row.mem_id in hidden or is_hidden(row):
            continue
        in_head = row.parent is not None and row.parent.tag == "thead"
        cells: list[_Cell] = []
        column = 0
        reach: dict[int, int] = {c: left - 1 for c, left in taken.items() if left > 1}
        for node in _cells(row):
            while column in taken:
                column += 1
            if column >= _WIDEST:
                column = _WIDEST - 1
            across, down = _count(node, "colspan", _WIDEST), _count(node, "rowspan", 1000)
            text = "" if node.mem_id in hidden or is_hidden(node) else inline_text(node, hidden, alt=alt)
            cells.append(_Cell(column, text, in_head or node.tag == "th" or all_bold(node), down, across))
            if down > 1:
                reach.update({c: down - 1 for c in range(column, column + across)})
            column += across
        taken = reach
        if any(cell.text for cell in cells):
            grid.append(cells)
    return grid


def _heading_rows(rows: list[list[_Cell]]) -> int:
    """How many rows at the top are column headings: all cells marked or set as headings, else one row that reads so."""
    if sum(front.field_name(row[0].text.rstrip(" :")) is not None for row in rows if len(row) == 2) >= 2:
        return 0  # fields and their values, such as version and date
    n = 0
    while n < len(rows) - 1 and all(cell.is_heading for cell in rows[n] if cell.text) and len(rows[n]) > 1:
        n += 1
    if n or len(rows) < 2:
        return n
    first = {cell.column: cell.text for cell in rows[0] if cell.text}
    reads_so = (
        len(first) > 2
        and all(len(word) <= _LONGEST_HEADING and not any(c.isdigit() for c in word) for word in first.values())
        and len(set(first.values())) == len(first)
        and {cell.column for cell in rows[1] if cell.text} <= set(first)
    )
    return 1 if reads_so or _defines(rows[0]) else 0


def _defines(row: list[_Cell]) -> bool:
    words = [cell.text.casefold().strip(" :") for cell in row]
    return len(words) == 2 and words[0] in _TERM and words[1] in _MEANING


def _definition(row: list[_Cell], writer: Writer) -> None:
    texts = [cell.text for cell in row]
    if len(texts) == 2 and not _defines(row):
        writer.definition(texts[0], texts[1])
    else:
        writer.row(texts, {})


def _by_column(row: list[_Cell]) -> list[str]:
    out = [""] * (1 + max(cell.column for cell in row))
    for cell in row:
        out[cell.column] = f"{out[cell.column]} {cell.text}".strip()
    return out


def _count(node: LexborNode, name: str, most: int) -> int:
    value = (node.attributes.get(name) or "1").strip()
    return min(most, max(1, int(value))) if value.isascii() and value.isdigit() and len(value) < 6 else 1

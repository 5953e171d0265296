"""Tables as text: a row a block, read with the column headings."""

from __future__ import annotations

import csv
from pathlib import Path

from citeleaf.backends.decode import decode
from citeleaf.backends.writer import Writer, clean
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument, ParseError
from citeleaf.types import Span

_SAMPLE_LINES = 20
_LONGEST_CELL = 1_000_000


def parse_csv(path: Path) -> Parsed:
    """Reads comma, semicolon, tab or bar separated rows; the first row is the headings unless it holds a number.

    Raises `EmptyDocument`, `ParseError`.
    """
    source, notices = decode(path.read_bytes())
    lines = clean(source).split("\n")
    writer = Writer()
    writer.notices += notices
    csv.field_size_limit(_LONGEST_CELL)
    heads: dict[int, list[Span]] | None = None
    try:
        for row in csv.reader((line + "\n" for line in lines), delimiter=_delimiter(lines)):
            if heads is None and any(_is_number(cell) for cell in row):
                heads = {}
            places = writer.row(row, heads)
            if heads is None and any(places):
                heads = {i: [span] for i, span in enumerate(places) if span is not None}
    except csv.Error as error:
        raise ParseError(f"`{path.name}` is no table of rows and cells: {error}", subject=path.name) from error
    if not writer.blocks:
        raise EmptyDocument(f"`{path.name}` holds no text", subject=path.name)
    return writer.finish(title=None)


def _delimiter(lines: list[str]) -> str:
    """The sign of the first row that stands as often in most of the next ones; a comma where there is none."""
    sample = [line for line in lines if line.strip()][:_SAMPLE_LINES]

    def fit(sign: str) -> tuple[int, int]:
        first = sample[0].count(sign) if sample else 0
        return (sum(line.count(sign) == first for line in sample) if first else 0, first)

    return max(",;\t|", key=fit)


def _is_number(cell: str) -> bool:
    digits = "".join(cell.split()).strip("%€$£₺").replace(",", "").replace(".", "").removeprefix("-")
    return digits.isdigit()

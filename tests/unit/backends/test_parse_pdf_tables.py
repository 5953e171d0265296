"""Tables whose rows are bands of colour or lie between rules, with three to six columns told apart by space."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table
from tests.support.parsed import check_parsed
from tests.support.pdfs import PROSE, headings, lines, make, of_kind

from citeleaf.backends.parse_pdf import parse_pdf
from citeleaf.boxes import Parsed

LEFT, RIGHT = 48, 547
HEADS = ["Section", "Item", "Limit", "Applies to", "Other notice", "Excess"]
ROWS = [
    ["3", "Contents in the open air, storm", "$5,000", "One event", "None", "$250"],
    ["4", "Hire of a van", "$3,000", "14 days", "Bank at once", "$300 each"],
    ["5", "Locked steel shed or container", "10%, at most $50,000", "5 nights", "Carrier: 3 days", "1"],
    ["5", "Tobacco", "$500 *", "One event", "None", "$90"],
    [
        "6",
        "Money in a locked safe, outside business hours, at an address that the schedule shows",
        "$15,000",
        "Period of insurance; doubled if in a safe",
        "None",
        "$20",
    ],
    ["6", "Money at a home", "$2,000", "8 weeks", "None", "$20"],
    ["7", "Signs", "$4,500", "30 days", "Safety authority, if the law says so", "$120"],
    ["16", "Ransom", "$20,000", "Part of the limit", "None", "$5"],
]
WIDTHS = {
    3: [90, 260, 149],
    4: [60, 190, 120, 129],
    5: [50, 140, 110, 110, 89],
    6: [45, 120, 90, 100, 90, 54],
}
SMALL = ParagraphStyle("small", fontName="Helvetica", fontSize=8, leading=10)
HEAD, TINT = colors.Color(0.07, 0.2, 0.29), colors.Color(0.9, 0.95, 0.95)
LOOKS = [
    pytest.param(band, rule, id=f"{band}-{rule}")
    for band in ("plain", "rows", "cells")
    for rule in ("none", "below", "grid")
    if (band, rule) != ("plain", "none")
]
"""Tints painted a row or a cell at a time, or none; rules below each row, all around, or none."""


def _rows(columns: int, first: int, last: int) -> list[list[str]]:
    return [row[:columns] for row in ROWS[first:last]]


def _draw(c: Canvas, y: float, rows: list[list[str]], band: str, rule: str, *, heads: bool = True) -> float:
    """A table from the height y down, in small print; gives its lower edge."""
    columns = len(rows[0])
    wrapped: list[list[object]] = [[Paragraph(cell, SMALL) if len(cell) > 20 else cell for cell in r] for r in rows]
    style: list[tuple[object, ...]] = [
        ("FONT", (0, 0), (-1, -1), "Helvetica", 8),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 3),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
    ]
    top = int(heads)
    if heads:
        wrapped.insert(0, list(HEADS[:columns]))
        style.append(("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 8))
    if band != "plain":
        if heads:
            style.append(("TEXTCOLOR", (0, 0), (-1, 0), colors.white))
        for i in range(len(wrapped)):
            if i >= top and (i - top) % 2 == 0:
                continue
            colour = HEAD if i < top else TINT
            spans = [(k, k) for k in range(columns)] if band == "cells" else [(0, -1)]
            style += [("BACKGROUND", (a, i), (b, i), colour) for a, b in spans]
    if rule == "below":
        style.append(("LINEBELOW", (0, 0), (-1, -1), 0.6, colors.grey))
    elif rule == "grid":
        style.append(("GRID", (0, 0), (-1, -1), 0.6, colors.grey))
    table = Table(wrapped, colWidths=WIDTHS[columns], style=style)
    _, height = table.wrapOn(c, 600, 800)
    table.drawOn(c, LEFT, y - height)
    return float(y - height)


def _top(c: Canvas) -> None:
    """A rule under the page's header, as wide as the tables, a heading and a paragraph."""
    c.line(LEFT, 800, RIGHT, 800)
    lines(c, LEFT, 780, ["20.2 Limits section by section"], font="Helvetica-Bold", size=13)
    lines(c, LEFT, 760, PROSE)


def _found(parsed: Parsed) -> list[tuple[list[str], list[str]]]:
    return [(cells, lead) for _, lead, cells in of_kind(parsed, "table_row")]


def _with_heads(rows: list[list[str]]) -> list[tuple[list[str], list[str]]]:
    heads = HEADS[: len(rows[0])]
    return [(heads, []), *((row, heads) for row in rows)]


@pytest.mark.parametrize("columns", [3, 4, 5, 6])
@pytest.mark.parametrize(("band", "rule"), LOOKS)
def test_all_words_of_a_row_are_its_cells(tmp_path: Path, columns: int, band: str, rule: str) -> None:
    """Cells such as `14 days` in the last column are small print that starts with a number, and no footnotes."""
    rows = _rows(columns, 0, 8)

    def draw(c: Canvas) -> None:
        _top(c)
        below = _draw(c, 700, rows, band, rule)
        lines(c, LEFT, below - 30, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert _found(parsed) == _with_heads(rows)
    assert of_kind(parsed, "note") == []
    assert [text for text, _, _ in of_kind(parsed, "paragraph")] == [" ".join(PROSE)] * 2
    assert [text for _, _, text in headings(parsed)] == ["20.2 Limits section by section"]


@pytest.mark.parametrize("columns", [3, 4, 5, 6])
@pytest.mark.parametrize(("band", "rule"), LOOKS)
def test_a_table_goes_on_over_the_page_and_keeps_its_column_headings(
    tmp_path: Path, columns: int, band: str, rule: str
) -> None:
    """The first row of the second page has no tint and is higher than the others."""
    rows = _rows(columns, 0, 8)

    def first(c: Canvas) -> None:
        _top(c)
        _draw(c, 700, rows[:4], band, rule)

    def second(c: Canvas) -> None:
        below = _draw(c, 790, rows[4:], band, rule, heads=False)
        lines(c, LEFT, below - 30, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [first, second]))
    check_parsed(parsed)
    assert _found(parsed) == _with_heads(rows)
    assert parsed.pages[1].span.start == parsed.text.index("6\tMoney in a locked safe")


@pytest.mark.parametrize("columns", [4, 5, 6])
@pytest.mark.parametrize(("band", "rule"), LOOKS)
def test_tables_of_one_width_with_text_between_stay_two(tmp_path: Path, columns: int, band: str, rule: str) -> None:
    rows, more = _rows(columns, 0, 6), _rows(columns - 1, 1, 8)

    def draw(c: Canvas) -> None:
        _top(c)
        below = _draw(c, 700, rows, band, rule)
        y = lines(c, LEFT, below - 25, PROSE)
        lines(c, LEFT, y - 8, ["20.3 Excesses"], font="Helvetica-Bold", size=13)
        _draw(c, y - 25, more, band, rule)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert _found(parsed) == _with_heads(rows) + _with_heads(more)
    assert [text for _, _, text in headings(parsed)] == ["20.2 Limits section by section", "20.3 Excesses"]


def test_numbers_in_a_column_that_count_as_the_pages_do_stay_in_the_text(tmp_path: Path) -> None:
    def page(number: int) -> object:
        def draw(c: Canvas) -> None:
            lines(c, LEFT, 760, [f"{('Fire', 'Theft', 'Flood')[number - 6]}: {line}" for line in PROSE])
            _draw(c, 700, [[str(number), *row[1:3]] for row in ROWS[:3]], "rows", "below")

        return draw

    parsed = parse_pdf(make(tmp_path / "a.pdf", [page(n) for n in (6, 7, 8)]))  # type: ignore[misc]
    check_parsed(parsed)
    numbers = [cells[0] for cells, lead in _found(parsed) if lead]
    assert numbers == ["6"] * 3 + ["7"] * 3 + ["8"] * 3
    assert [p.label for p in parsed.pages] == [None] * 3


def test_a_high_minus_of_another_font_stays_in_its_row(tmp_path: Path) -> None:
    rows = [("C1", "5.0", "0.57"), ("C2", "2.5", "0.43"), ("F1", "22.0", "0.36"), ("F2", "32.0", "0.21")]

    def draw(c: Canvas) -> None:
        lines(c, 60, 780, PROSE)
        for k, head in enumerate(("Room", "Mean", "Spread")):
            lines(c, 60 + 150 * k, 700, [head], size=8, font="Helvetica-Bold")
        for i, row in enumerate(rows):
            y = 690 - 10 * i
            lines(c, 60, y, [row[0]], size=8)
            lines(c, 210, y - 3, ["-"], size=16, font="Courier")
            lines(c, 220, y, [row[1]], size=8)
            lines(c, 360, y, [row[2]], size=8)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert [[c.replace("- ", "-") for c in cells] for cells, lead in _found(parsed) if lead] == [
        [room, f"-{mean}", spread] for room, mean, spread in rows
    ]

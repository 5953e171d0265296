"""Rows of PDF tables know the headings of each cell; a list set in columns is a list."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table
from tests.support.parsed import check_parsed
from tests.support.pdfs import lines, make, of_kind

from citeleaf.backends.parse_pdf import parse_pdf
from citeleaf.boxes import Parsed

GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]


def parsed_table(tmp_path: Path, rows: list[list[str]], heads: int, *more: tuple[object, ...]) -> Parsed:
    """A ruled table on a page of prose, its first rows bold."""

    def draw(c: Canvas) -> None:
        lines(c, 72, 770, ["Plans and what they pay, in the words of the schedule of this year."])
        lines(c, 72, 740, ["What each plan pays in a year:"])
        style = [*GRID, ("FONTNAME", (0, 0), (-1, heads - 1), "Helvetica-Bold"), *more]
        table = Table(rows, style=style)
        _, height = table.wrapOn(c, 450, 600)
        table.drawOn(c, 72, 725 - height)
        lines(c, 72, 700 - height, ["A plan begins on the first day of a month and ends with the year."])

    parsed = parse_pdf(make(tmp_path / "table.pdf", [draw]))
    check_parsed(parsed)
    return parsed


def said(parsed: Parsed) -> list[list[tuple[str, ...]]]:
    """The columns of each row: each cell with its headings."""
    return [
        [tuple(parsed.text[span.start : span.end] for span in column) for column in block.columns]
        for block in parsed.blocks
        if block.kind == "table_row" and block.columns
    ]


def test_a_heading_over_several_columns_stands_over_each_and_an_empty_cell_stays_one(tmp_path: Path) -> None:
    rows = [
        ["Plan", "Hospital", "", "Dental", ""],
        ["", "Limit", "Excess", "Limit", "Excess"],
        ["Bronze", "$5,000", "", "$400", "$50"],
        ["Silver", "$12,000", "$300", "$900", "$30"],
    ]
    spans = (("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("SPAN", (0, 0), (0, 1)))
    bronze, silver = said(parsed_table(tmp_path, rows, 2, *spans))
    assert silver == [
        ("Silver", "Plan"),
        ("$12,000", "Hospital", "Limit"),
        ("$300", "Hospital", "Excess"),
        ("$900", "Dental", "Limit"),
        ("$30", "Dental", "Excess"),
    ]
    assert bronze[2:4] == [("", "Hospital", "Excess"), ("$400", "Dental", "Limit")]


def test_a_row_of_one_cell_in_another_style_names_the_rows_under_it(tmp_path: Path) -> None:
    rows = [
        ["Item", "Limit", "Basis"],
        ["Indoors", "", ""],
        ["Jewellery", "$3,000", "each"],
        ["Outdoors", "", ""],
        ["Bicycles", "$1,500", "each"],
        ["Grills", "", "total"],
    ]
    italic = [("FONTNAME", (0, n), (0, n), "Helvetica-Oblique") for n in (1, 3)]
    jewellery, bicycles, grills = said(parsed_table(tmp_path, rows, 1, *italic))
    assert jewellery == [("Indoors",), ("Jewellery", "Item"), ("$3,000", "Limit"), ("each", "Basis")]
    assert bicycles[0] == grills[0] == ("Outdoors",)
    assert grills[1:] == [("Grills", "Item"), ("", "Limit"), ("total", "Basis")]


def test_bullets_side_by_side_are_items_of_one_list_read_down_each_column(tmp_path: Path) -> None:
    left, right = (
        ["no fuel on deck", "dogs on a lead", "engines off"],
        ["no noise", "bins emptied", "visitors signed in"],
    )

    def draw(c: Canvas) -> None:
        lines(c, 72, 770, ["Berths are let on these conditions, which the harbour master may change each year:"])
        for n, (a, b) in enumerate(zip(left, right, strict=True)):
            lines(c, 72, 745 - 18 * n, [f"\u2022 {a}"])
            lines(c, 320, 745 - 18 * n, [f"\u2022 {b}"])

    parsed = parse_pdf(make(tmp_path / "list.pdf", [draw]))
    check_parsed(parsed)
    items = of_kind(parsed, "list_item")
    assert [text.lstrip("\u2022 ") for text, _, _ in items] == [*left, *right]
    assert all(lead and lead[0].endswith("each year:") for _, lead, _ in items)

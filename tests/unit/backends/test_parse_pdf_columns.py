"""Rows of PDF tables know the headings of each cell; a list set in columns is a list."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table
from tests.support.parsed import check_parsed
from tests.support.pdfs import lines, make, of_kind

from citeleaf.backends.parse_pdf import parse_pdf
from citeleaf.backends.pdf_heads import headings_over
from citeleaf.backends.pdf_lines import Line
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


def test_headings_in_the_middle_of_their_columns_stand_over_all_of_them(tmp_path: Path) -> None:
    rows = [
        ["", "July", "", "", "August", "", ""],
        ["Room", "Mean", "Low", "High", "Mean", "Low", "High"],
        ["C1", "5.0", "4.1", "7.9", "4.9", "4.2", "6.1"],
        ["C2", "2.6", "1.2", "3.8", "2.5", "1.1", "3.9"],
    ]
    middle = [("ALIGN", (1, 0), (-1, 0), "CENTER"), ("SPAN", (1, 0), (3, 0)), ("SPAN", (4, 0), (6, 0))]
    c1, _ = said(parsed_table(tmp_path, rows, 2, *middle))
    months = ["July"] * 3 + ["August"] * 3
    assert [column[1:] for column in c1] == [("Room",), *zip(months, ["Mean", "Low", "High"] * 2, strict=True)]


def cell(x0: float, x1: float) -> list[Line]:
    """A cell of one line between these edges."""
    return [Line(1, [0], x0, 0, x1, 10, "words", 0, 10, False, 0)]


THREE = [cell(10, 40), cell(100, 130), cell(190, 220)]


@pytest.mark.parametrize(
    ("upper", "expected"),
    [
        ([[], cell(140, 180), []], {1: 1, 2: 1}),
        ([[], cell(146, 154), []], None),
        ([cell(12, 20), cell(101, 130), cell(191, 220)], {0: 0, 1: 1, 2: 2}),
    ],
    ids=["over the middle of two", "over the middle of nothing", "each over its own"],
)
def test_a_heading_without_certain_columns_stands_over_none(
    upper: list[list[Line]], expected: dict[int, int] | None
) -> None:
    found = headings_over([upper, THREE], 250)
    assert (found and found[0]) == expected


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

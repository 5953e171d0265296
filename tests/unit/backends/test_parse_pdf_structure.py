"""Blocks, headings and page labels of PDF files."""

from __future__ import annotations

from pathlib import Path

from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, TextStringObject
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table
from tests.support.parsed import check_parsed
from tests.support.pdfs import HEIGHT, PROSE, WIDTH, headings, lines, make, of_kind, words_of

from citeleaf.backends.parse_pdf import parse_pdf


def test_nested_lists_lean_on_the_sentences_that_introduce_them(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 50, 760, [*PROSE, "Some things are out. We will not pay for:"])
        lines(c, 50, 680, ["a."])
        lines(c, 70, 680, ["wear and tear;"])
        lines(c, 50, 660, ["b."])
        lines(c, 70, 660, ["loss of power caused by:"])
        lines(c, 70, 640, ["i."])
        lines(c, 90, 640, ["a strike of the workers at the power station, if it was", "known before; or"])
        lines(c, 70, 608, ["ii."])
        lines(c, 90, 608, ["the act of any public authority; or"])
        lines(c, 50, 588, ["c."])
        lines(c, 70, 588, ["theft by your own people."])
        lines(c, 50, 560, ["This list is not complete."])

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    intro = "We will not pay for:"
    assert of_kind(parsed, "list_item") == [
        ("a. wear and tear;", [intro], []),
        ("b. loss of power caused by:", [intro], []),
        (
            "i. a strike of the workers at the power station, if it was known before; or",
            [intro, "b. loss of power caused by:"],
            [],
        ),
        ("ii. the act of any public authority; or", [intro, "b. loss of power caused by:"], []),
        ("c. theft by your own people.", [intro], []),
    ]
    assert of_kind(parsed, "paragraph")[-1][0] == "This list is not complete."


def test_a_list_goes_on_over_the_page(tmp_path: Path) -> None:
    def first(c: Canvas) -> None:
        lines(c, 50, 200, ["The buyer must keep:"])
        lines(c, 60, 180, ["•"])
        lines(c, 75, 180, ["all the bills of the goods that were bought during the"])

    def second(c: Canvas) -> None:
        lines(c, 75, 780, ["last three years; and"])
        lines(c, 60, 760, ["•"])
        lines(c, 75, 760, ["a list of them."])

    parsed = parse_pdf(make(tmp_path / "a.pdf", [first, second]))
    check_parsed(parsed)
    assert of_kind(parsed, "list_item") == [
        (
            "• all the bills of the goods that were bought during the last three years; and",
            ["The buyer must keep:"],
            [],
        ),
        ("• a list of them.", ["The buyer must keep:"], []),
    ]
    assert words_of(parsed, parsed.pages[1].span).startswith("last three years; and")


def _table(c: Canvas, y: float, rows: list[list[object]], style: list[tuple[object, ...]]) -> None:
    table = Table(rows, colWidths=[110, 130, 190], style=style)
    _, height = table.wrapOn(c, 500, 600)
    table.drawOn(c, 60, y - height)


GRID = [
    ("GRID", (0, 0), (-1, -1), 0.7, colors.black),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 10),
]
LONG = "Paid when the goods are lost for good, or cannot be mended at a fair price"


def test_ruled_tables_keep_rows_cells_and_column_headings_over_pages(tmp_path: Path) -> None:
    body = getSampleStyleSheet()["BodyText"]

    def first(c: Canvas) -> None:
        lines(c, 60, 780, PROSE)
        rows: list[list[object]] = [["Benefit", "Limit", "When"], ["Theft", "$5,000", Paragraph(LONG, body)]]
        _table(c, 700, rows, GRID)

    def second(c: Canvas) -> None:
        _table(c, 780, [["Fire", "$9,000", "always"], ["Flood", "", "never"]], GRID[:2])
        lines(c, 60, 600, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [first, second]))
    check_parsed(parsed)
    heads = ["Benefit", "Limit", "When"]
    assert of_kind(parsed, "table_row") == [
        ("Benefit\tLimit\tWhen", [], heads),
        (f"Theft\t$5,000\t{LONG}", heads, ["Theft", "$5,000", LONG]),
        ("Fire\t$9,000\talways", heads, ["Fire", "$9,000", "always"]),
        ("Flood\tnever", heads, ["Flood", "never"]),
    ]
    assert headings(parsed) == [], "column headings are no headings"


def test_tables_without_rules(tmp_path: Path) -> None:
    rows = [("Item", "Amount", "Year"), ("Rent", "1,200", "2023"), ("Heating", "340", "2024"), ("Water", "95", "2024")]

    def draw(c: Canvas) -> None:
        lines(c, 60, 780, PROSE)
        for i, row in enumerate(rows):
            for k, cell in enumerate(row):
                lines(c, 60 + 150 * k, 700 - 14 * i, [cell], font="Helvetica-Bold" if i == 0 else "Helvetica")
        lines(c, 60, 600, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    found = of_kind(parsed, "table_row")
    assert [cells for _, _, cells in found] == [list(row) for row in rows]
    assert [lead for _, lead, _ in found] == [[], *[list(rows[0])] * 3]


def test_terms_and_meanings_side_by_side_are_no_columns(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 60, 780, PROSE)
        y = 700.0
        for term, meaning in (
            ("Excess", ["the first part of each claim, which you", "pay yourself whatever the cause was"]),
            ("Insured event", ["what this policy is made to cover"]),
            ("Period", ["the time shown in the schedule, from", "its first to its last day"]),
        ):
            lines(c, 60, y, [term], font="Helvetica-Bold")
            y = lines(c, 200, y, meaning) - 8

    rows = of_kind(parse_pdf(make(tmp_path / "a.pdf", [draw])), "table_row")
    assert [cells for _, _, cells in rows] == [
        ["Excess", "the first part of each claim, which you pay yourself whatever the cause was"],
        ["Insured event", "what this policy is made to cover"],
        ["Period", "the time shown in the schedule, from its first to its last day"],
    ]


def test_definitions(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 50, 780, PROSE)
        y = 700.0
        for term, rest in (("Open Air", "means any place without a roof."), ("Stock", "means goods held for sale.")):
            lines(c, 50, y, [term], font="Helvetica-Bold")
            lines(c, 50 + c.stringWidth(term + " ", "Helvetica-Bold", 10), y, [rest])
            y -= 20
        lines(c, 50, y, ["This means that nothing is paid."])

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert of_kind(parsed, "definition") == [
        ("Open Air means any place without a roof.", [], ["Open Air"]),
        ("Stock means goods held for sale.", [], ["Stock"]),
    ]


def test_rows_of_colour_make_a_table_though_no_rule_tells_its_columns_apart(tmp_path: Path) -> None:
    head = ["No.", "Date", "What was done, and by whom it was done"]
    rows = [
        (["A-1"], ["14 Jul", "2025"], ["The valve was put in again by the", "engineer on duty that night"]),
        (["A-2"], ["2 Aug", "2025"], ["A list of telephone numbers is now", "made every week"]),
        (["A-3"], ["19 Aug"], ["Nothing was done"]),
        (["A-4"], ["23 Sep", "2025"], ["Two people look at each change of a", "set point from now on"]),
    ]

    def draw(c: Canvas) -> None:
        lines(c, 60, 780, PROSE)
        for i in range(5):
            c.setFillColorRGB(0.1, 0.3, 0.5) if i == 0 else c.setFillGray(0.92 if i % 2 else 0.99)
            c.rect(60, 660 - 30 * i, 330, 30, stroke=0, fill=1)
        c.setFillGray(1)
        for k, cell in enumerate(head):
            lines(c, (64, 90, 140)[k], 672, [cell], font="Helvetica-Bold")
        c.setFillGray(0)
        for i, row in enumerate(rows):
            for k, cell in enumerate(row):
                lines(c, (64, 90, 140)[k], 648 - 30 * i - (0 if len(cell) > 1 else 6), cell)
        lines(c, 60, 480, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    found = of_kind(parsed, "table_row")
    assert [cells for _, _, cells in found] == [head, *([" ".join(cell) for cell in row] for row in rows)]
    assert all(lead == head for _, lead, _ in found[1:])


def test_terms_are_defined_with_a_colon_or_in_a_table_under_a_heading_that_says_so(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 50, 780, ["Definitions"], size=16)
        lines(c, 50, 750, ["Held: marked so that goods are not moved."])
        lines(c, 50, 730, ["Released: found fit to be moved, in writing."])
        _table(c, 700, [["Term", "Meaning", ""], ["Dip", "a short time out of range", ""]], GRID)
        lines(c, 50, 600, ["Other matter"], size=16)
        lines(c, 50, 570, ["Mind this: a colon alone defines nothing."])

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert of_kind(parsed, "definition") == [
        ("Held: marked so that goods are not moved.", [], ["Held"]),
        ("Released: found fit to be moved, in writing.", [], ["Released"]),
        ("Dip\ta short time out of range", ["Term", "Meaning"], ["Dip"]),
    ]


def test_headings_have_levels_and_numbers(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        y = 780.0
        for words, size, font in (
            ("General exclusions", 18, "Helvetica"),
            ("1. War", 13, "Helvetica-Bold"),
            ("1.1 Nuclear weapons and what they", 10, "Helvetica-Bold"),
            ("2. Terrorism", 13, "Helvetica-Bold"),
        ):
            wrapped = [words, "leave behind"] if words.startswith("1.1") else [words]
            y = lines(c, 50, y, wrapped, size=size, font=font) - 8
            y = lines(c, 50, y, PROSE) - 12
        lines(c, 50, y, ["Note."], font="Helvetica-Bold")
        lines(c, 82, y, ["A bold word that runs into its text is no heading, however bold it may be."])

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert headings(parsed) == [
        (1, None, "General exclusions"),
        (2, "1", "1. War"),
        (3, "1.1", "1.1 Nuclear weapons and what they leave behind"),
        (2, "2", "2. Terrorism"),
    ]


def test_entries_of_a_contents_page_are_no_headings(tmp_path: Path) -> None:
    def contents(c: Canvas) -> None:
        lines(c, 50, 780, ["Contents"], size=18)
        for i, title in enumerate(("Introduction", "Cover", "Exclusions", "Claims", "Complaints")):
            lines(c, 50, 740 - 20 * i, [title], size=12, font="Helvetica-Bold")
            c.drawRightString(500, 740 - 20 * i, str(i + 2))

    def page(c: Canvas) -> None:
        lines(c, 50, 780, ["Introduction"], size=18)
        lines(c, 50, 740, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [contents, page]))
    check_parsed(parsed)
    assert headings(parsed) == [(1, None, "Contents"), (1, None, "Introduction")]
    assert "Claims 5" in [t for t, _, _ in of_kind(parsed, "paragraph")]


GREEK = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")


def _book(first: int, n: int) -> list[object]:
    def page(i: int) -> object:
        def draw(c: Canvas) -> None:
            right = i % 2
            c.drawString(400 if right else 50, 810, "A Guide to Cover" if right else "Example Insurance Limited")
            c.drawString(520 if right else 50, 30, str(first + i))
            lines(c, 50, 770, [f"Matter of page {i}", *(f"{GREEK[i]} {line}" for line in PROSE)])
            lines(c, 50, 700, ["What comes next"], size=14)
            lines(c, 50, 670, [f"{line} {GREEK[i]}" for line in PROSE])

        return draw

    return [page(i) for i in range(n)]


def test_printed_numbers_are_labels_and_running_lines_are_no_text(tmp_path: Path) -> None:
    def junk(writer: PdfWriter) -> None:
        nums = ArrayObject([NumberObject(0), DictionaryObject({NameObject("/P"): TextStringObject("b")})])
        writer.root_object[NameObject("/PageLabels")] = DictionaryObject({NameObject("/Nums"): nums})

    parsed = parse_pdf(make(tmp_path / "a.pdf", _book(7, 8), junk))  # type: ignore[arg-type]
    check_parsed(parsed)
    assert [p.label for p in parsed.pages] == [str(7 + i) for i in range(8)]
    assert "Example Insurance Limited" not in parsed.text and "A Guide to Cover" not in parsed.text
    assert [t for _, _, t in headings(parsed)] == ["What comes next"] * 8, "a heading at the same place stays"
    assert parsed.text.count("Matter of page") == 8


def test_labels_of_the_file_where_none_is_printed(tmp_path: Path) -> None:
    def roman(writer: PdfWriter) -> None:
        style = DictionaryObject({NameObject("/S"): NameObject("/r")})
        nums = ArrayObject([NumberObject(0), style])
        writer.root_object[NameObject("/PageLabels")] = DictionaryObject({NameObject("/Nums"): nums})

    def draw(c: Canvas) -> None:
        lines(c, 50, 700, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw] * 3, roman))
    assert [p.label for p in parsed.pages] == ["i", "ii", "iii"]
    assert [p.label for p in parse_pdf(make(tmp_path / "b.pdf", [draw] * 3)).pages] == [None] * 3


def test_a_number_that_does_not_count_the_pages_is_no_label(tmp_path: Path) -> None:
    def page(number: int) -> object:
        def draw(c: Canvas) -> None:
            lines(c, 50, HEIGHT / 2, PROSE)
            c.drawString(WIDTH / 2, 30, str(number))

        return draw

    parsed = parse_pdf(make(tmp_path / "a.pdf", [page(n) for n in (41, 7, 900, 3, 77)]))  # type: ignore[misc]
    check_parsed(parsed)
    assert [p.label for p in parsed.pages] == [None] * 5


def test_footnotes_are_read_column_by_column(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        for k in range(4):
            lines(c, 50, 760 - 70 * k, [row[:42] for row in PROSE])
            lines(c, 320, 760 - 70 * k, [row[:42] for row in PROSE])
        lines(
            c, 50, 120, ["* Before tax and duties.", "1The act of 1999 as it stood", "when the policy began."], size=8
        )
        lines(c, 320, 115, ["2 See also the schedule, and what", "it says of thefts.", "3 In writing."], size=8)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert [words for words, _, _ in of_kind(parsed, "note")] == [
        "* Before tax and duties.",
        "1The act of 1999 as it stood when the policy began.",
        "2 See also the schedule, and what it says of thefts.",
        "3 In writing.",
    ]


def test_small_print_that_goes_on_with_a_number_is_no_footnote(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 50, 760, PROSE * 3)
        rows = [("Hire of equipment", "21 days"), ("Putting data back", "One event"), ("Parcels", "10 days")]
        for k, (left, right) in enumerate(rows):
            lines(c, 50, 500 - 16 * k, [left], size=8)
            lines(c, 250, 500 - 16 * k, [right], size=8)
        lines(c, 50, 300, ["Doors are locked at night, which is from", "10 in the evening to six."], size=8)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert not of_kind(parsed, "note")
    assert [words for words, _, _ in of_kind(parsed, "table_row")] == [
        "Hire of equipment\t21 days",
        "Putting data back\tOne event",
        "Parcels\t10 days",
    ]
    assert "night, which is from 10 in the evening" in " ".join(parsed.text.split())

"""Words of PDF pages: their order, what joins them, what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import FloatObject, NameObject, RectangleObject
from reportlab.pdfgen.canvas import Canvas
from tests.support.parsed import check_parsed
from tests.support.pdfs import HEIGHT, PROSE, WIDTH, lines, make, of_kind

from citeleaf.backends.parse_pdf import parse_pdf
from citeleaf.types import Span

LEFT = [f"left {i} begins here and it goes on for a while yet" for i in range(12)]
RIGHT = [f"right {i} begins here and it goes on for a while yet" for i in range(12)]


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        # Line by line, as some programs write: the file's own order is wrong.
        for i, (a, b) in enumerate(zip(LEFT, RIGHT, strict=True)):
            c.drawString(50, 700 - 12 * i, a)
            c.drawString(320, 700 - 12 * i, b)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    at = [parsed.text.index(f"left {i} ") for i in range(12)] + [parsed.text.index(f"right {i} ") for i in range(12)]
    assert at == sorted(at)


def test_a_wide_heading_stands_between_what_is_above_and_below_it(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(
            c, 50, 780, ["First part: all of it stands across the whole width of this page, above two columns"], size=14
        )
        lines(c, 50, 750, LEFT)
        lines(c, 320, 750, RIGHT)
        lines(
            c,
            50,
            560,
            ["Second part: all of it stands across the whole width of this page, above two columns"],
            size=14,
        )
        lines(c, 50, 530, [s.replace("left", "lower") for s in LEFT])
        lines(c, 320, 530, [s.replace("right", "last") for s in RIGHT])

    text = parse_pdf(make(tmp_path / "a.pdf", [draw])).text
    order = ["First part", "left 0", "left 11", "right 0", "right 11", "Second part", "lower 0", "last 11"]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)


def test_three_columns(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        for k in range(3):
            lines(c, 40 + 180 * k, 700, [f"column {k} line {i} has words" for i in range(10)])

    text = parse_pdf(make(tmp_path / "a.pdf", [draw])).text
    at = [text.index(f"column {k} line {i} ") for k in range(3) for i in range(10)]
    assert at == sorted(at)


def test_a_framed_note_is_kept_together(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 50, 760, PROSE * 4)
        c.rect(430, 600, 140, 120)
        lines(c, 440, 700, ["Keep this note", "apart from all", "that is beside it."])

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert [t for t, _, _ in of_kind(parsed, "note")] == ["Keep this note apart from all that is beside it."]


def test_footnotes_come_last(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 50, 760, PROSE * 3)
        lines(c, 50, 80, ["1 See the schedule.", "2 See the act."], size=7)
        c.setFont("Helvetica", 10)
        lines(c, 50, 600, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    assert [t for t, _, _ in of_kind(parsed, "note")] == ["1 See the schedule.", "2 See the act."]
    assert parsed.text.endswith("2 See the act.")


def test_a_space_inside_a_ligature_is_no_space(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 50, 700, PROSE)
        width = c.stringWidth("We off", "Helvetica", 10)
        c.drawString(50, 600, "We off")
        c.drawString(50 + width - 3.5, 600, " ")
        c.drawString(50 + width - 0.2, 600, "er this. He switched it off again.")

    text = parse_pdf(make(tmp_path / "a.pdf", [draw])).text
    assert "We offer this. He switched it off again." in text


def test_a_broken_word_is_joined_when_the_whole_word_stands_elsewhere(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(
            c, 50, 760, ["The insurance covers loss. A risk-based check is made, and the insur-", "ance ends in May."]
        )
        lines(c, 50, 700, ["Every check that this bank makes of any of its customers is risk-", "based and is kept."])
        lines(c, 50, 640, ["The word for it is well-", "known."])

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert "the insurance ends in May" in parsed.text
    assert "is risk-based and is kept" in parsed.text
    assert "is well-known." in parsed.text
    at = parsed.text.index("insurance ends")
    first, second = parsed.boxes.locate(Span(at, at + len("insurance")))
    assert first.y1 < second.y1, "a broken word has a box on each of its lines"
    assert first.x0 > second.x0


def test_superscript_numbers_do_not_run_into_the_word(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 50, 760, PROSE)
        c.drawString(50, 640, "under the rule.")
        c.setFont("Helvetica", 6)
        c.drawString(50 + c.stringWidth("under the rule.", "Helvetica", 10), 644, "12")

    assert "under the rule.¹²" in parse_pdf(make(tmp_path / "a.pdf", [draw])).text


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [(0.0, 0.0, WIDTH, HEIGHT), (30.0, 40.0, WIDTH - 50.0, HEIGHT - 60.0)])
def test_boxes_are_fractions_of_the_visible_page(tmp_path: Path, turn: int, crop: tuple[float, ...]) -> None:
    def draw(c: Canvas) -> None:
        c.drawString(100, 700, "marker")

    def change(writer: PdfWriter) -> None:
        page = writer.pages[0]
        page.cropbox = RectangleObject(crop)
        page.rotate(turn)
        page[NameObject("/UserUnit")] = FloatObject(2)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw], change))
    check_parsed(parsed)
    assert parsed.text == "marker"
    (rect,) = parsed.boxes.locate(Span(0, 6))
    left, bottom, right, top = crop
    x, y = (100 - left) / (right - left), (top - 700) / (top - bottom)  # of the baseline's start, before turning
    expected = {0: (x, y), 90: (1 - y, x), 180: (1 - x, 1 - y), 270: (y, 1 - x)}[turn]
    corner = {0: (rect.x0, rect.y1), 90: (rect.x0, rect.y0), 180: (rect.x1, rect.y0), 270: (rect.x1, rect.y1)}[turn]
    assert corner == pytest.approx(expected, abs=0.006)


def test_text_off_the_visible_page_is_left_out_and_told(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 100, 700, PROSE)
        c.drawString(100, 10, "printer slug 0424.indd")

    def change(writer: PdfWriter) -> None:
        for page in writer.pages:
            page.cropbox = RectangleObject((20, 30, WIDTH - 20, HEIGHT - 20))

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw, draw], change))
    check_parsed(parsed)
    assert "slug" not in parsed.text
    (notice,) = [n for n in parsed.notices if n.code == "hidden_text"]
    assert "printer slug" in notice.detail and "2 page(s)" in notice.detail


def test_sideways_text_is_not_mixed_into_lines(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        lines(c, 80, 700, PROSE)
        c.saveState()
        c.translate(90, 640)
        c.rotate(90)
        c.drawString(0, 0, "sideways words stand here alone")
        c.restoreState()

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert " ".join(PROSE) in parsed.text
    assert [t for t, _, _ in of_kind(parsed, "note")] == ["sideways words stand here alone"]


def test_a_page_of_turned_text_is_read_as_it_runs(tmp_path: Path) -> None:
    def draw(c: Canvas) -> None:
        c.translate(WIDTH, 0)
        c.rotate(90)
        lines(c, 60, 500, PROSE)

    parsed = parse_pdf(make(tmp_path / "a.pdf", [draw]))
    check_parsed(parsed)
    assert parsed.text == " ".join(PROSE)

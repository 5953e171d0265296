"""The check of quotations against the pages as plain pdfium gives them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.quotes import Box, Cited, chosen, citations, common, draw, folded, look, stands
from pypdf import PdfWriter
from pypdf.generic import RectangleObject
from tests.support.pdfs import PROSE, lines, make

from citeleaf.backends.parse_pdf import parse_pdf
from citeleaf.types import Span

FIRST = "It will not pay for wear and tear, nor for anything that was known before the policy began."


def test_folded_keeps_letters_and_digits() -> None:
    assert folded("The ﬁrst “off-er”,\tup to $1,000²") == "thefirstofferupto10002"


@pytest.mark.parametrize(
    ("quote", "found"),
    [("bcd", True), ("cdefg", True), ("defxy", False), ("xabc", False), ("efg", False), ("fg", False), ("", False)],
)
def test_words_stand_in_one_run_or_go_on_over_the_page(quote: str, found: bool) -> None:
    assert stands(quote, "abcd", "zzefgzz") is (found and quote != "")


@pytest.mark.parametrize(
    ("a", "b", "n"),
    [("", "abc", 0), ("abcbdab", "bdcaba", 4), ("same", "same", 4), ("abc", "xyz", 0), ("aab", "ab", 2)],
)
def test_longest_common_subsequence(a: str, b: str, n: int) -> None:
    assert common(a, b) == common(b, a) == n


def _pdf(folder: Path, turn: int) -> Path:
    def change(writer: PdfWriter) -> None:
        writer.pages[0].cropbox = RectangleObject((20, 30, 560, 800))
        writer.pages[0].rotate(turn)

    return make(folder / "a.pdf", [lambda c: lines(c, 60, 700, PROSE) and None], change)


def _cited(file: Path, shift: float = 0.0) -> Cited:
    parsed = parse_pdf(file)
    start = parsed.text.index("It will not pay")
    span = Span(start, parsed.text.index("began.") + 6)
    boxes = tuple(Box(r.page, r.x0, r.y0 + shift, r.x1, r.y1 + shift) for r in parsed.boxes.locate(span))
    return Cited("q1", 1, file, 1, parsed.text[span.start : span.end], boxes)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_rectangles_of_cropped_and_turned_pages(tmp_path: Path, turn: int) -> None:
    file = _pdf(tmp_path, turn)
    (view,) = look(file, [_cited(file)])
    assert folded(view.cited.quote) == folded(FIRST)
    assert view.on_page or turn == 90, "pdfium reads the lines of a page turned by 90 from the last to the first"
    assert view.share == 1.0


def test_faults_are_found(tmp_path: Path) -> None:
    file = _pdf(tmp_path, 0)
    good = _cited(file)
    other = Cited("q2", 1, file, 1, good.quote.replace("tear", "fire"), good.boxes)
    views = list(look(file, [good, _cited(file, shift=0.015), other]))
    assert [(v.on_page, v.in_rects) for v in views] == [(True, True), (True, False), (False, True)]
    assert [v.fault for v in chosen(views, 2)] == [True, True]
    draw(views, tmp_path / "sheets")
    assert (tmp_path / "sheets" / "quotes-01.png").stat().st_size > 5000


def test_citations_of_answered_rows_once_each(tmp_path: Path) -> None:
    rect = {"page": 2, "x0": 0.1, "y0": 0.2, "x1": 0.3, "y1": 0.25}
    cited = {"n": 1, "doc_id": "a", "page": 2, "quote": "words", "rects": [rect]}
    rows = [
        {"id": "r1", "answer": {"outcome": "answered", "citations": [cited, {**cited, "page": None, "rects": []}]}},
        {"id": "r2", "answer": {"outcome": "answered", "citations": [cited]}},
        {"id": "r3", "answer": {"outcome": "abstained", "citations": [{**cited, "quote": "others"}]}},
        {"id": "r4", "answer": None},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (tmp_path / "manifest.json").write_text(json.dumps({"documents": [{"id": "a", "sha256": "ff"}]}), "utf-8")
    file = tmp_path / "library" / "sources" / "ff.pdf"
    assert list(citations(tmp_path, tmp_path / "library")) == [
        Cited("r1", 1, file, 2, "words", (Box(2, 0.1, 0.2, 0.3, 0.25),))
    ]

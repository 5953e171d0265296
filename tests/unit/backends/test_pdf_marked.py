"""Highlights lie on the words, however the page is cropped and turned."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import RectangleObject

from citeleaf.backends.parse_pdf import parse_pdf
from citeleaf.backends.pdf_marked import Mark, MarkedPage, marked_pages
from citeleaf.errors import UnknownId
from citeleaf.types import Span
from support.pdfs import lines, make

WORDS = "the vermilion lighthouse door"
TEXT = ["Some first line of this page.", f"Here stands {WORDS} in a line.", "Some last line of this page."]


def made(path: Path, turned: int) -> Path:
    def change(writer: PdfWriter) -> None:
        for page in writer.pages:
            page.cropbox = RectangleObject((40, 60, 500, 800))
            page.rotate(turned)

    return make(path, [lambda c: lines(c, 90, 600, TEXT), lambda c: lines(c, 90, 600, TEXT)], change)


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_highlight_lies_on_its_words(turned: int, tmp_path: Path) -> None:
    path = made(tmp_path / "page.pdf", turned)
    parsed = parse_pdf(path)
    start = parsed.text.rindex(WORDS)
    rects = parsed.boxes.locate(Span(start, start + len(WORDS)))
    assert {r.page for r in rects} == {2}
    data = marked_pages([MarkedPage(path, 2, (Mark(tuple(rects), "a note: İğ"),))], "the answer")
    (page,) = PdfReader(BytesIO(data)).pages
    corner, highlight = (a.get_object() for a in page["/Annots"])
    assert (corner["/Subtype"], corner["/Contents"]) == ("/Text", "the answer")
    assert (highlight["/Subtype"], highlight["/Contents"]) == ("/Highlight", "a note: İğ")
    document = pypdfium2.PdfDocument(data)
    under = document[0].get_textpage().get_text_bounded(*(float(v) for v in highlight["/Rect"]))
    document.close()
    assert under.strip() == WORDS
    left, bottom, right, top = (float(v) for v in corner["/Rect"])
    assert 40 <= left < right <= 500
    assert 60 <= bottom < top <= 800


def test_words_without_a_place_are_a_note_in_the_corner(tmp_path: Path) -> None:
    path = made(tmp_path / "page.pdf", 0)
    data = marked_pages([MarkedPage(path, 1, (Mark((), "not located"), Mark((), "nor this")))])
    (page,) = PdfReader(BytesIO(data)).pages
    notes = [a.get_object() for a in page["/Annots"]]
    assert [n["/Contents"] for n in notes] == ["not located", "nor this"]
    assert notes[0]["/Rect"] != notes[1]["/Rect"]


def test_a_page_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = made(tmp_path / "page.pdf", 0)
    with pytest.raises(UnknownId, match="no page 3"):
        marked_pages([MarkedPage(path, 3, ())])

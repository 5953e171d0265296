"""Pages of PDFs with real highlight annotations: any viewer shows, lists and prints them."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from citeleaf.backends.parse_pdf import open_pdf
from citeleaf.backends.pdf_native import PDFIUM
from citeleaf.errors import ConfigError, ParseError, UnknownId
from citeleaf.types import DocId, Rect, ShownCitation

COLOUR = (255, 213, 64, 140)
"""Red, green, blue and opacity of a highlight, 0 to 255."""
_AUTHOR = "citeleaf"
_NOTE_SIZE = 20.0


@dataclass(frozen=True, slots=True)
class Mark:
    """Words to highlight on one page, and the note they carry; without rects, a note in the corner of the page."""

    rects: tuple[Rect, ...]
    note: str


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page (from 1) of a file, and what is marked on it."""

    path: Path
    page: int
    marks: tuple[Mark, ...]


def marked_citations(
    citations: Sequence[ShownCitation], notes: Mapping[int, str], note: str, source: Callable[[DocId], Path]
) -> bytes:
    """A PDF of the pages that are cited, in order of first use; `notes` by citation number, `source` finds the file.

    Raises `ConfigError` when no citation has a page, else as `marked_pages`.
    """
    wanted: dict[tuple[DocId, int], list[Mark]] = {}
    for cited in citations:
        place = cited.place
        if place.page is None:
            continue
        for page in sorted({rect.page for rect in place.rects}) or [place.page]:
            rects = tuple(rect for rect in place.rects if rect.page == page)
            wanted.setdefault((cited.doc_id, page), []).append(Mark(rects, notes.get(cited.n, "")))
    if not wanted:
        raise ConfigError("none of the cited words stand in a PDF", hint="take another form of file")
    return marked_pages([MarkedPage(source(d), page, tuple(marks)) for (d, page), marks in wanted.items()], note)


def marked_pages(pages: Sequence[MarkedPage], note: str = "") -> bytes:
    """A PDF of these pages in this order, `note` in the corner of the first; annotations as in ISO 32000-1, 12.5.6.10.

    Raises `UnknownId` for a page that is not there, else what opening raises.
    """
    with PDFIUM:
        made = pypdfium2.PdfDocument.new()
        try:
            for i, marked in enumerate(pages):
                _bring(made, marked)
                page = made[i]
                corner = 0
                if i == 0 and note:
                    _note(page, note, corner)
                    corner += 1
                for mark in marked.marks:
                    if mark.rects:
                        _highlight(page, mark)
                    else:
                        _note(page, mark.note, corner)
                        corner += 1
            out = io.BytesIO()
            made.save(out)
            return out.getvalue()
        finally:
            made.close()


def _bring(made: pypdfium2.PdfDocument, marked: MarkedPage) -> None:
    source = open_pdf(marked.path, None)
    try:
        if not 1 <= marked.page <= len(source):
            raise UnknownId(f"`{marked.path.name}` has no page {marked.page}", hint=f"it has {len(source)}")
        made.import_pages(source, [marked.page - 1])
    except pypdfium2.PdfiumError as error:
        what = f"page {marked.page} of `{marked.path.name}`"
        raise ParseError(f"{what} cannot be copied: {error}", subject=str(marked.path)) from error
    finally:
        source.close()


@dataclass(frozen=True, slots=True)
class _Frame:
    """The visible box of a page in its own units, and how far it is turned when shown."""

    left: float
    bottom: float
    right: float
    top: float
    turned: int

    def corner(self, x: float, y: float) -> tuple[float, float]:
        """A point given in fractions of the page as it is seen, origin top left."""
        width, height = self.right - self.left, self.top - self.bottom
        if self.turned == 90:
            return self.left + y * width, self.bottom + x * height
        if self.turned == 180:
            return self.right - x * width, self.bottom + y * height
        if self.turned == 270:
            return self.right - y * width, self.top - x * height
        return self.left + x * width, self.top - y * height


def _frame(page: pypdfium2.PdfPage) -> _Frame:
    box = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page.raw, ctypes.byref(box))
    return _Frame(box.left, box.bottom, box.right, box.top, page.get_rotation())


def _highlight(page: pypdfium2.PdfPage, mark: Mark) -> None:
    frame = _frame(page)
    corners = []
    for rect in mark.rects:
        # Upper left, upper right, lower left, lower right as they are seen: the order that viewers read.
        seen = ((rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x0, rect.y1), (rect.x1, rect.y1))
        corners.append([frame.corner(x, y) for x, y in seen])
    with _Annotation(page, pdfium.FPDF_ANNOT_HIGHLIGHT) as made:
        for four in corners:
            quad = pdfium.FS_QUADPOINTSF(*(value for point in four for value in point))
            pdfium.FPDFAnnot_AppendAttachmentPoints(made.raw, ctypes.byref(quad))
        points = [point for four in corners for point in four]
        made.place(points)
        pdfium.FPDFAnnot_SetColor(made.raw, pdfium.FPDFANNOT_COLORTYPE_Color, *COLOUR)
        made.say(mark.note)


def _note(page: pypdfium2.PdfPage, text: str, at: int) -> None:
    frame = _frame(page)
    width, height = page.get_size()
    x, y = (8 + at * (_NOTE_SIZE + 4)) / width, 8 / height
    far = frame.corner(x + _NOTE_SIZE / width, y + _NOTE_SIZE / height)
    with _Annotation(page, pdfium.FPDF_ANNOT_TEXT) as made:
        made.place([frame.corner(x, y), far])
        pdfium.FPDFAnnot_SetColor(made.raw, pdfium.FPDFANNOT_COLORTYPE_Color, *COLOUR)
        made.say(text)


class _Annotation:
    """A new annotation of a page, closed at the end of the block."""

    def __init__(self, page: pypdfium2.PdfPage, kind: int) -> None:
        self.raw = pdfium.FPDFPage_CreateAnnot(page.raw, kind)

    def __enter__(self) -> _Annotation:
        return self

    def __exit__(self, *_: object) -> None:
        pdfium.FPDFPage_CloseAnnot(self.raw)

    def place(self, points: Sequence[tuple[float, float]]) -> None:
        """Its rectangle: the one around the points."""
        xs, ys = [x for x, _ in points], [y for _, y in points]
        box = pdfium.FS_RECTF(min(xs), max(ys), max(xs), min(ys))
        pdfium.FPDFAnnot_SetRect(self.raw, ctypes.byref(box))

    def say(self, text: str) -> None:
        """Its note, printed with the page."""
        for name, value in ((b"Contents", text), (b"T", _AUTHOR)):
            wide = value.encode("utf-16-le", "replace") + b"\0\0"
            buffer = ctypes.create_string_buffer(wide, len(wide))
            pdfium.FPDFAnnot_SetStringValue(self.raw, name, ctypes.cast(buffer, pdfium.FPDF_WIDESTRING))
        pdfium.FPDFAnnot_SetFlags(self.raw, pdfium.FPDF_ANNOT_FLAG_PRINT)

"""PDF files to `Parsed`: text in reading order, printed page numbers, headings, blocks, the box of every word."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from citeleaf.backends import pdf_native as native
from citeleaf.backends.pdf_annotations import add_annotations
from citeleaf.backends.pdf_blocks import Looks, Part, footnote_parts, look_at, make_parts, split_footnotes
from citeleaf.backends.pdf_chars import RawPage, read_page
from citeleaf.backends.pdf_contents import is_contents, join_entries
from citeleaf.backends.pdf_graphics import Graphics, read_graphics
from citeleaf.backends.pdf_headings import mark_headings
from citeleaf.backends.pdf_hidden import hidden, image_share
from citeleaf.backends.pdf_layout import Atom, Flow, note_flow, reading_order, table_flow
from citeleaf.backends.pdf_lines import Line, attach_markers, make_lines
from citeleaf.backends.pdf_lists import join_over_breaks, link_lists
from citeleaf.backends.pdf_quality import is_garbled
from citeleaf.backends.pdf_rules import drawn_across
from citeleaf.backends.pdf_running import PageLines, find_running, labels_of_file
from citeleaf.backends.pdf_styles import Frame, Styles
from citeleaf.backends.pdf_tables import adopt_row, heads_of, ruled
from citeleaf.backends.pdf_terms import find_terms
from citeleaf.backends.pdf_turned import as_seen, view
from citeleaf.backends.pdf_write import Writer
from citeleaf.boxes import Parsed
from citeleaf.errors import EncryptedFile, ParseError, TooLarge, UnreadableFile
from citeleaf.types import Notice, Page, Quality, Span

MAX_WORDS = 5_000_000
"""More words than any book has; a file with more is made to fill the memory."""
_SHOWN = 200
_PASSWORD_ERROR = 4
_STRIPE = 4.5
"""A painted band this many lines high, with words side by side, is a row of a table and no box."""


@dataclass(slots=True)
class _PageWork:
    """What is known of one page before its lines are put in order."""

    raw: RawPage
    graphics: Graphics
    lines: dict[int, list[Line]]
    scan: bool
    images: float
    hidden: dict[int, str] = field(default_factory=dict)


def parse_pdf(path: Path, *, password: str | None = None, max_pages: int = 5000) -> Parsed:
    """Parses one PDF file. The same file gives the same result.

    Text outside the crop box and text that cannot be seen is left out, with a notice. A page whose text is a layer
    under a scan has the quality `ocr`. A page without text is `no_text`.

    Raises `EncryptedFile`, `TooLarge` (pages), `UnreadableFile` and `ParseError`; nothing else.
    """
    with native.PDFIUM:
        document = open_pdf(path, password)
        try:
            return _parse(path, document, max_pages)
        except pypdfium2.PdfiumError as error:
            raise ParseError(f"`{path.name}` could not be read: {error}", subject=str(path)) from error
        finally:
            document.close()


def open_pdf(path: Path, password: str | None) -> pypdfium2.PdfDocument:
    """An open document; hold `pdf_native.PDFIUM` while it is used. Raises as `parse_pdf` does."""
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise UnreadableFile(f"`{path.name}` cannot be opened: {error.strerror}", subject=str(path)) from error
    if not head.strip():
        raise ParseError(f"`{path.name}` is empty", hint="no PDF data", subject=str(path))
    try:
        return pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            said = "the password is wrong" if password else "needs a password"
            raise EncryptedFile(f"`{path.name}` is encrypted: {said}", subject=str(path)) from error
        raise ParseError(f"`{path.name}` is no readable PDF", hint=str(error), subject=str(path)) from error


def _parse(path: Path, document: pypdfium2.PdfDocument, max_pages: int) -> Parsed:
    n = len(document)
    if n > max_pages:
        raise TooLarge(f"`{path.name}` has {n} pages, more than {max_pages}", subject=str(path))
    if n == 0:
        raise ParseError(f"`{path.name}` has no pages", subject=str(path))
    styles = Styles()
    notices: list[Notice] = []
    work: list[_PageWork] = []
    words = 0
    for i in range(n):
        page = _read(document, i, styles)
        if page is None:
            notices.append(Notice("unreadable_page", "the page could not be read", i + 1))
            page = _PageWork(RawPage(i + 1, 1.0, 1.0), Graphics(), {}, False, 0.0)
        work.append(page)
        words += len(page.raw.texts)
        if words > MAX_WORDS:
            raise TooLarge(f"`{path.name}` has more than {MAX_WORDS} words by page {i + 1}", subject=str(path))
    return _assemble(document, work, styles, notices)


def _read(document: pypdfium2.PdfDocument, index: int, styles: Styles) -> _PageWork | None:
    """One page's pieces, graphics and lines; None when pdfium cannot load it."""
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return None
    try:
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError:
        page.close()
        return None
    try:
        box = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page.raw, ctypes.byref(box))
        frame = Frame(box.left, box.bottom, box.right, box.top, int(pdfium.FPDFPage_GetRotation(page.raw)) % 4)
        raw = read_page(index + 1, native.handle(text_page.raw), frame, styles)
        add_annotations(page, raw, frame, styles)
        graphics = read_graphics(native.handle(page.raw), frame)
        unseen, scan = hidden(raw, graphics, styles.all, lambda: _shades(page))
        lines = make_lines(raw, set(unseen), styles.all)
        lines = {turn: attach_markers(found, raw, styles.all) for turn, found in lines.items()}
        return _PageWork(raw, graphics, lines, scan, image_share(raw, graphics), unseen)
    finally:
        text_page.close()
        page.close()


def _shades(page: pypdfium2.PdfPage) -> NDArray[np.uint8] | None:
    """The page drawn in grey, at most 2000 pixels a side."""
    width, height = page.get_size()
    scale = min(2.0, 2000 / max(width, height, 1.0))
    bitmap = page.render(scale=scale, grayscale=True)
    array: NDArray[np.uint8] = bitmap.to_numpy().copy()
    return array.reshape(array.shape[0], array.shape[1])


def _main_turn(page: _PageWork) -> int:
    counts = {turn: sum(len(line.text) for line in lines) for turn, lines in page.lines.items() if turn != 4}
    return min(counts, key=lambda t: (-counts[t], t)) if counts else 0


def _assemble(document: pypdfium2.PdfDocument, work: list[_PageWork], styles: Styles, notices: list[Notice]) -> Parsed:
    turns = [_main_turn(page) for page in work]
    views = [
        PageLines(page.raw.number, *_size(page.raw, turn), page.lines.get(turn, []))
        for page, turn in zip(work, turns, strict=True)
    ]
    running = find_running(views)
    labels = running.labels or labels_of_file([document.get_page_label(i) for i in range(len(work))])
    bodies = [[line for line in view.lines if id(line) not in running.lines] for view in views]
    looks = look_at([line for lines in bodies for line in lines], [], styles.all)
    flows: list[list[Flow]] = []
    feet: list[list[Line]] = []
    listed = False
    for page, turn, lines in zip(work, turns, bodies, strict=True):
        listed = is_contents(lines, after_contents=listed)
        entries = join_entries(lines, page.raw, styles.all) if listed else lines
        body, notes = _flows(page, turn, entries, looks, footnotes=not listed)
        flows.append(body)
        feet.append(notes)
    columns = [flow for page_flows in flows for flow in page_flows if flow.kind == "text"]
    looks = look_at([line for lines in bodies for line in lines], columns, styles.all)
    parts: list[Part] = []
    for page, turn, page_flows, notes in zip(work, turns, flows, feet, strict=True):
        parts.extend(make_parts(page_flows, looks, page.raw))
        parts.extend(footnote_parts(notes, looks, page.raw))
        parts.extend(_aside(page, turn, looks))
    mark_headings(parts, looks)
    parts = join_over_breaks(parts)
    find_terms(parts, looks, {page.raw.number: page.raw for page in work})
    link_lists(parts)
    written = Writer({p.raw.number: p.raw for p in work}, (line for lines in bodies for line in lines)).write(parts)
    pages = _pages(work, written.starts, written.text, labels)
    _notices(work, pages, notices)
    return Parsed(
        title=_title(document, parts),
        text=written.text,
        pages=pages,
        headings=tuple(written.headings),
        blocks=tuple(written.blocks),
        notices=tuple(notices),
        boxes=written.boxes,
        language=_language(document),
    )


def _size(raw: RawPage, turn: int) -> tuple[float, float]:
    return (raw.height, raw.width) if turn in (1, 3) else (raw.width, raw.height)


def _flows(
    page: _PageWork, turn: int, lines: list[Line], looks: Looks, *, footnotes: bool
) -> tuple[list[Flow], list[Line]]:
    """What the page's main text says, in reading order, in the frame in which it runs to the right; its footnotes."""
    if not lines:
        return [], []
    em = _usual_height(lines)
    raw, graphics = view(page.raw, page.graphics, turn)
    # Turned column headings are part of their table.
    aslant = [(line, as_seen(line, raw)) for t in sorted(page.lines) if t != turn for line in page.lines[t]]
    tables, frames, rest = ruled([*lines, *(seen for _, seen in aslant)], raw, graphics, looks.styles)
    if aslant:
        left = {id(line) for line in rest}
        for t in page.lines:
            if t != turn:
                page.lines[t] = [line for line, seen in aslant if line.turn == t and id(seen) in left]
        rest = [line for line in rest if all(seen is not line for _, seen in aslant)]
    rest, notes = split_footnotes(rest, looks) if footnotes else (rest, [])
    atoms: list[Atom] = list(map(table_flow, tables))
    rules = drawn_across(graphics)
    for box in sorted(frames, key=lambda b: (b[2] - b[0]) * (b[3] - b[1])):
        inside = [line for line in rest if _inside(line, box)]
        if not inside or len(inside) == len(rest):
            continue
        inner = reading_order(inside, em, rules)
        if (len(inner) > 1 or inner[0].table is not None) and box[3] - box[1] < _STRIPE * em:
            continue  # a band of colour behind one row of a table
        rest = [line for line in rest if not _inside(line, box)]
        atoms.append(note_flow(box, _with_heads(inner, raw, looks)))
    return _with_heads(reading_order([*atoms, *rest], em, rules), raw, looks), notes


def _with_heads(flows: list[Flow], raw: RawPage, looks: Looks) -> list[Flow]:
    """Flows with the tables among them completed: rows whose cells stand close, and column headings."""
    for flow, after in zip(flows, [*flows[1:], None], strict=True):
        if flow.table is None or flow.table.heads:
            continue
        while after is not None and after.lines and adopt_row(flow.table, after.lines[0], raw, looks.styles):
            del after.lines[0]
        heads_of(flow.table, looks.styles)
    return [flow for flow in flows if flow.kind != "text" or flow.lines]


def _usual_height(lines: Sequence[Line]) -> float:
    heights = sorted(line.height for line in lines)
    return max(heights[len(heights) // 2], 1.0) if heights else 10.0


def _inside(line: Line, box: tuple[float, float, float, float]) -> bool:
    return line.x0 > box[0] - 3 and line.x1 < box[2] + 3 and line.y0 > box[1] - 3 and line.y1 < box[3] + 3


def _aside(page: _PageWork, main: int, looks: Looks) -> list[Part]:
    """Text that runs another way than the page's own, after all the rest."""
    parts: list[Part] = []
    for turn in sorted(page.lines):
        if turn == main:
            continue
        lines = page.lines[turn]
        for part in make_parts(reading_order(lines, _usual_height(lines)), looks, page.raw, framed=True):
            part.aside = True
            parts.append(part)
    return parts


def _pages(work: list[_PageWork], starts: dict[int, int], text: str, labels: dict[int, str]) -> tuple[Page, ...]:
    at = len(text)
    ends: list[tuple[int, int]] = []
    for page in reversed(work):
        start = starts.get(page.raw.number, at)
        ends.append((start, at))
        at = start
    spans = [Span(*e) for e in reversed(ends)]
    if spans:
        spans[0] = Span(0, spans[0].end)
    return tuple(
        Page(page.raw.number, span, labels.get(page.raw.number), _quality(page, text[span.start : span.end]))
        for page, span in zip(work, spans, strict=True)
    )


def _quality(page: _PageWork, text: str) -> Quality:
    if not text.strip():
        return "no_text"
    if is_garbled(text):
        return "garbled"
    return "ocr" if page.scan else "good"


def _notices(work: list[_PageWork], pages: Sequence[Page], notices: list[Notice]) -> None:
    """What a reader should know of each page, in order of pages."""
    outside = [page for page in work if page.raw.outside]
    if outside:
        first = outside[0].raw
        words = " ".join(first.outside)[:_SHOWN]
        detail = f"left out, off the visible page on {len(outside)} page(s), first here: {words}"
        notices.append(Notice("hidden_text", detail, first.number))
    for page, shown in zip(work, pages, strict=True):
        reasons: dict[str, list[str]] = {}
        for i, why in sorted(page.hidden.items()):
            reasons.setdefault(why, []).append(page.raw.texts[i])
        for why, words_left in reasons.items():
            notices.append(Notice("hidden_text", f"left out, {why}: {' '.join(words_left)[:_SHOWN]}", page.raw.number))
        if shown.quality == "no_text":
            what = "only an image" if page.images >= 0.3 else "no text"
            notices.append(Notice("no_text", f"the page has {what}", page.raw.number))
        elif shown.quality == "garbled":
            notices.append(Notice("garbled", "the page's text cannot be read as words", page.raw.number))


_NO_TITLE = re.compile(r"^(?:untitled|microsoft \w+ - .*|.*\.(?:indd|docx?|pdf|xlsx?|pptx?|qxp|dvi|tex|ps|rtf))$", re.I)


def _title(document: pypdfium2.PdfDocument, parts: Sequence[Part]) -> str | None:
    """The title in the file's own data if it is printed in front, else the largest heading there, else the former."""
    first = parts[0].page if parts else 0
    heads = [part for part in parts if part.page == first and part.kind == "heading"]
    stated = (document.get_metadata_value("Title") or "").replace("\x00", "").strip()
    stated = re.sub(r"\s+", " ", stated)
    opening = " ".join(part.text for part in parts if part.page <= first + 1).lower()
    if stated and not _NO_TITLE.match(stated) and stated.lower() in opening:
        return stated
    if heads:
        largest = max(part.key[0] for part in heads)
        words = " ".join(part.text for part in heads if part.key[0] == largest)
        if 3 <= len(words) <= 160:
            return words
    return stated if stated and not _NO_TITLE.match(stated) else None


def _language(document: pypdfium2.PdfDocument) -> str | None:
    n = int(pdfium.FPDFCatalog_GetLanguage(document.raw, None, 0)) if hasattr(pdfium, "FPDFCatalog_GetLanguage") else 0
    if not 4 <= n <= 64:
        return None
    buffer = ctypes.create_string_buffer(n)
    pdfium.FPDFCatalog_GetLanguage(document.raw, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), n)
    code = buffer.raw[:n].decode("utf-16-le", "ignore").strip("\0").split("-")[0].lower()
    return code if re.fullmatch(r"[a-z]{2,3}", code) else None

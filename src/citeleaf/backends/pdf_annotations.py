"""Text that annotations show on a page: form values and free text. Links, scripts and attachments are left alone."""

from __future__ import annotations

import ctypes

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from citeleaf.backends.pdf_chars import RawPage, clean
from citeleaf.backends.pdf_styles import Frame, Styles

MAX_ANNOTATIONS = 2000
_HIDDEN = 1 | 2 | 32
_STATES = frozenset({"Off", "Yes", "On", "No", "0", "1"})
_LINE = 1.2


def add_annotations(page: pypdfium2.PdfPage, raw: RawPage, frame: Frame, styles: Styles) -> None:
    """Appends the words of visible annotations, each line spread over its annotation's box."""
    for i in range(min(int(pdfium.FPDFPage_GetAnnotCount(page.raw)), MAX_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, i)
        if not annotation:
            continue
        try:
            text = _text(annotation)
            box = pdfium.FS_RECTF()
            if text and pdfium.FPDFAnnot_GetRect(annotation, ctypes.byref(box)):
                corners = np.array([(box.left, box.top, box.right, box.bottom)], np.float32)
                _place(text, frame.boxes(corners)[0], raw, styles)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _text(annotation: pdfium.FPDF_ANNOTATION) -> str:
    kind = int(pdfium.FPDFAnnot_GetSubtype(annotation))
    if kind not in (pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_WIDGET):
        return ""
    if int(pdfium.FPDFAnnot_GetFlags(annotation)) & _HIDDEN:
        return ""
    words = _value(annotation, b"Contents" if kind == pdfium.FPDF_ANNOT_FREETEXT else b"V")
    return "" if words in _STATES else words


def _value(annotation: pdfium.FPDF_ANNOTATION, key: bytes) -> str:
    n = int(pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0))
    if not 2 < n < 200_000:
        return ""
    buffer = (ctypes.c_ushort * (n // 2 + 1))()
    pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, n)
    return bytes(buffer)[:n].decode("utf-16-le", "replace").rstrip("\0").strip()


def _place(text: str, box: np.ndarray, raw: RawPage, styles: Styles) -> None:
    x0, y0, x1, y1 = (float(v) for v in box)
    if x1 <= 0 or y1 <= 0 or x0 >= raw.width or y0 >= raw.height:
        return
    lines = [words for line in text.splitlines() if (words := [w for w in map(clean, line.split()) if w])]
    if not lines:
        return
    height = min((y1 - y0) / len(lines), 12 * _LINE)
    style = styles.id(round(4 * height / _LINE) / 4, 400, False, (0, 0, 0), "")
    boxes: list[tuple[float, float, float, float]] = []
    for k, words in enumerate(lines):
        step = min((x1 - x0) / max(len(" ".join(words)), 1), 0.5 * height)
        at = x0
        for word in words:
            boxes.append((at, y0 + k * height, at + step * len(word), y0 + (k + 1) * height))
            at += step * (len(word) + 1)
            raw.texts.append(word)
            raw.styles.append(style)
            raw.glued.append(False)
            raw.owners.append(0)
            raw.modes.append(0)
    limits = np.array((raw.width, raw.height, raw.width, raw.height), np.float32)
    raw.boxes = np.concatenate((raw.boxes, np.clip(np.array(boxes, np.float32), 0, limits)))
    raw.turns = np.concatenate((raw.turns, np.zeros(len(boxes), np.int8)))

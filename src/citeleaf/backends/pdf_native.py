"""The pdfium calls that the parser makes for every word or object, bound so that a call costs little."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

PDFIUM = threading.RLock()
"""pdfium serves one thread at a time: everything that calls it holds this."""

Handle: TypeAlias = int

_INT = ctypes.c_int
_PTR = ctypes.c_void_p


def handle(raw: Any) -> Handle:
    """The address behind a pypdfium2 handle."""
    return int(ctypes.cast(raw, _PTR).value or 0)


def _bind(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The same C function with plain addresses for pointers: no conversion, and the interpreter lock is kept."""
    address = int(ctypes.cast(function, _PTR).value or 0)
    return ctypes.PYFUNCTYPE(result, *arguments)(address)


loose_box = _bind(pdfium.FPDFText_GetLooseCharBox, _INT, _PTR, _INT, _PTR)
char_matrix = _bind(pdfium.FPDFText_GetMatrix, _INT, _PTR, _INT, _PTR)
text_object = _bind(pdfium.FPDFText_GetTextObject, _PTR, _PTR, _INT)
unicode_at = _bind(pdfium.FPDFText_GetUnicode, ctypes.c_uint, _PTR, _INT)
get_text = _bind(pdfium.FPDFText_GetText, _INT, _PTR, _INT, _INT, _PTR)
count_chars = _bind(pdfium.FPDFText_CountChars, _INT, _PTR)

object_font = _bind(pdfium.FPDFTextObj_GetFont, _PTR, _PTR)
object_size = _bind(pdfium.FPDFTextObj_GetFontSize, _INT, _PTR, _PTR)
render_mode = _bind(pdfium.FPDFTextObj_GetTextRenderMode, _INT, _PTR)
font_name = _bind(pdfium.FPDFFont_GetBaseFontName, ctypes.c_size_t, _PTR, _PTR, ctypes.c_size_t)
font_weight = _bind(pdfium.FPDFFont_GetWeight, _INT, _PTR)
font_flags = _bind(pdfium.FPDFFont_GetFlags, _INT, _PTR)

count_objects = _bind(pdfium.FPDFPage_CountObjects, _INT, _PTR)
page_object = _bind(pdfium.FPDFPage_GetObject, _PTR, _PTR, _INT)
form_count = _bind(pdfium.FPDFFormObj_CountObjects, _INT, _PTR)
form_object = _bind(pdfium.FPDFFormObj_GetObject, _PTR, _PTR, ctypes.c_ulong)
object_type = _bind(pdfium.FPDFPageObj_GetType, _INT, _PTR)
object_bounds = _bind(pdfium.FPDFPageObj_GetBounds, _INT, _PTR, _PTR, _PTR, _PTR, _PTR)
object_matrix = _bind(pdfium.FPDFPageObj_GetMatrix, _INT, _PTR, _PTR)
has_transparency = _bind(pdfium.FPDFPageObj_HasTransparency, _INT, _PTR)
fill_colour = _bind(pdfium.FPDFPageObj_GetFillColor, _INT, _PTR, _PTR, _PTR, _PTR, _PTR)
draw_mode = _bind(pdfium.FPDFPath_GetDrawMode, _INT, _PTR, _PTR, _PTR)
count_segments = _bind(pdfium.FPDFPath_CountSegments, _INT, _PTR)
path_segment = _bind(pdfium.FPDFPath_GetPathSegment, _PTR, _PTR, _INT)
segment_point = _bind(pdfium.FPDFPathSegment_GetPoint, _INT, _PTR, _PTR, _PTR)
segment_type = _bind(pdfium.FPDFPathSegment_GetType, _INT, _PTR)

clip_path = _bind(pdfium.FPDFPageObj_GetClipPath, _PTR, _PTR)
clip_count = _bind(pdfium.FPDFClipPath_CountPaths, _INT, _PTR)
clip_segments = _bind(pdfium.FPDFClipPath_CountPathSegments, _INT, _PTR, _INT)
clip_segment = _bind(pdfium.FPDFClipPath_GetPathSegment, _PTR, _PTR, _INT, _INT)

TEXT, PATH, IMAGE, SHADING, FORM = 1, 2, 3, 4, 5
MOVE = 2


class Scratch:
    """Numbers that C functions write to: `at(i)` is the address of the i-th."""

    def __init__(self, kind: type[np.generic], n: int) -> None:
        self.values = np.zeros(n, kind)
        self._base = int(self.values.ctypes.data)
        self._step = self.values.itemsize

    def at(self, i: int) -> int:
        """Address of the i-th number."""
        return self._base + i * self._step


def page_codes(text_page: Handle) -> NDArray[np.uint32]:
    """One Unicode code a character, in pdfium's order; 0 for a character without one."""
    n = int(count_chars(text_page))
    if n <= 0:
        return np.empty(0, np.uint32)
    buffer = np.zeros(2 * n + 2, np.uint16)
    got = int(get_text(text_page, 0, n, int(buffer.ctypes.data)))
    raw = buffer[: max(got - 1, 0)]
    if len(raw) == n and not ((raw >= 0xD800) & (raw < 0xE000)).any():
        return raw.astype(np.uint32)
    return np.fromiter(map(unicode_at, repeat(text_page), range(n)), np.uint32, n)


def char_boxes(text_page: Handle, chars: Iterable[int], n: int) -> NDArray[np.float32]:
    """(n, 4): left, top, right, bottom in the page's own space, as high as the font's ascent and descent."""
    boxes = np.zeros((n, 4), np.float32)
    if n:
        base = int(boxes.ctypes.data)
        # `map` and `list` run the loop in C: a third of the time of a `for`.
        list(map(loose_box, repeat(text_page), chars, range(base, base + 16 * n, 16)))
    return boxes


def char_objects(text_page: Handle, chars: Iterable[int]) -> list[Handle]:
    """The text object of each character; 0 for characters that pdfium made up."""
    return [found or 0 for found in map(text_object, repeat(text_page), chars)]

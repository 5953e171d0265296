"""A page of a PDF as a picture, with passages marked."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from citeleaf.backends.parse_pdf import open_pdf
from citeleaf.backends.pdf_native import PDFIUM
from citeleaf.errors import ParseError, UnknownId
from citeleaf.types import Rect

MAX_SIDE = 6000
"""No picture is wider or higher than this many pixels."""
MARK = (255, 214, 10)
_PAD = 0.0015
_DARK = 110
"""Mean brightness under which a ground is dark."""


def render_page(
    path: Path, page: int, *, scale: float = 2.0, rects: Sequence[Rect] = (), password: str | None = None
) -> bytes:
    """PNG (RGB, 8 bits) of one page, `scale` pixels a point, with a marker's stroke over each rect of this page.

    Rects of other pages are left out. The stroke turns paper yellow and leaves ink dark; on a dark
    ground it is a veil.

    Raises `UnknownId` for a page that is not there, else what opening raises.
    """
    with PDFIUM:
        document = open_pdf(path, password)
        try:
            if not 1 <= page <= len(document):
                raise UnknownId(f"`{path.name}` has no page {page}", hint=f"it has {len(document)}", subject=str(path))
            pixels = _draw(document[page - 1], scale)
        except pypdfium2.PdfiumError as error:
            raise ParseError(f"page {page} of `{path.name}` cannot be drawn: {error}", subject=str(path)) from error
        finally:
            document.close()
    for rect in rects:
        if rect.page == page:
            _mark(pixels, rect)
    return png(pixels)


def _draw(page: pypdfium2.PdfPage, scale: float) -> NDArray[np.uint8]:
    width, height = page.get_size()
    scale = min(scale, MAX_SIDE / max(width, height, 1.0))
    pixels: NDArray[np.uint8] = page.render(scale=scale, rev_byteorder=True).to_numpy()[..., :3].copy()
    return pixels


def _mark(pixels: NDArray[np.uint8], rect: Rect) -> None:
    height, width = pixels.shape[:2]
    x0, x1 = int((rect.x0 - _PAD) * width), int((rect.x1 + _PAD) * width) + 1
    y0, y1 = int((rect.y0 - _PAD) * height), int((rect.y1 + _PAD) * height) + 1
    part = pixels[max(y0, 0) : y1, max(x0, 0) : x1]
    if not part.size:
        return
    mark = np.array(MARK, np.uint16)
    if part.mean() >= _DARK:
        part[...] = (part.astype(np.uint16) * mark // 255).astype(np.uint8)  # as ink on paper: what is dark stays dark
    else:
        part[...] = ((part.astype(np.uint16) * 3 + mark * 2) // 5).astype(np.uint8)  # on a dark ground it has to be lit


def png(pixels: NDArray[np.uint8]) -> bytes:
    """PNG of (height, width, 3) pixels; the same pixels give the same bytes."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    )

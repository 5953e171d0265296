"""Text that no reader of the page can see: found, so that it never becomes evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_graphics import Area, Graphics
from citeleaf.backends.pdf_styles import Style

Shades: TypeAlias = Callable[[], NDArray[np.uint8] | None]
"""Draws the page when asked: (height, width) brightness of every pixel, or None when it cannot be drawn."""

_INVISIBLE = {3: "invisible", 7: "invisible", 8: "transparent"}
_TINY = 1.0
_SAME = 14
"""Colours whose red, green and blue each differ by less than this look the same."""
_SCAN = 0.5
"""An image over this part of the page makes it a scan."""


def hidden(page: RawPage, graphics: Graphics, styles: list[Style], shades: Shades) -> tuple[dict[int, str], bool]:
    """Pieces that cannot be seen, each with the reason, and whether the page is a scan with a text layer.

    Text of a colour near to that of the paper is hidden only if the drawn page shows nothing there.
    """
    n = len(page.texts)
    if not n:
        return {}, False
    if _is_text_layer(page, graphics):
        return {}, True
    found: dict[int, str] = {}
    modes = np.array(page.modes)
    for i in np.flatnonzero(np.isin(modes, list(_INVISIBLE))).tolist():
        found[i] = _INVISIBLE[page.modes[i]]
    small = np.array([style.size < _TINY for style in styles])[page.styles]
    flat = (page.boxes[:, 3] - page.boxes[:, 1] < _TINY) | (page.boxes[:, 2] - page.boxes[:, 0] <= 0)
    for i in np.flatnonzero(small & flat).tolist():
        found.setdefault(i, "too small to read")
    _covered(page, graphics, shades, found)
    _same_colour(page, graphics, styles, shades, found)
    return found, False


def image_share(page: RawPage, graphics: Graphics) -> float:
    """The part of the page that its largest image covers."""
    images = [area.box for area in graphics.areas if area.image]
    whole = max(page.width * page.height, 1.0)
    return max(((b[2] - b[0]) * (b[3] - b[1]) / whole for b in images), default=0.0)


def _is_text_layer(page: RawPage, graphics: Graphics) -> bool:
    """A page-size image, and nearly all text invisible or painted under it."""
    if image_share(page, graphics) < _SCAN:
        return False
    scan = max((a for a in graphics.areas if a.image and _share(a, page) >= _SCAN), key=lambda a: a.order)
    x0, y0, x1, y1 = scan.box
    x, y = (page.boxes[:, 0] + page.boxes[:, 2]) / 2, (page.boxes[:, 1] + page.boxes[:, 3]) / 2
    inside = ((x > x0) & (x < x1) & (y > y0) & (y < y1)).tolist()
    under = [
        held and (mode in _INVISIBLE or graphics.text_order.get(owner, scan.order + 1) < scan.order)
        for held, mode, owner in zip(inside, page.modes, page.owners, strict=True)
    ]
    return bool(sum(under) >= 0.9 * len(under))


def _share(area: Area, page: RawPage) -> float:
    b = area.box
    return (b[2] - b[0]) * (b[3] - b[1]) / max(page.width * page.height, 1.0)


def _orders(page: RawPage, graphics: Graphics) -> NDArray[np.int64]:
    return np.array([graphics.text_order.get(owner, 1 << 40) for owner in page.owners], np.int64)


def _covered(page: RawPage, graphics: Graphics, shades: Shades, found: dict[int, str]) -> None:
    """Pieces under an image or a filled area painted later, unless they show there all the same."""
    orders: NDArray[np.int64] | None = None
    first = min(graphics.text_order.values(), default=1 << 40)
    drawn: NDArray[np.uint8] | None = None
    for area in graphics.areas:
        if not (area.opaque and area.exact) or area.order < first:
            continue
        if orders is None:
            orders = _orders(page, graphics)
        x0, y0, x1, y1 = area.box
        middle = (page.boxes[:, 1] + page.boxes[:, 3]) / 2
        inside = (page.boxes[:, 0] > x0 - 1) & (page.boxes[:, 2] < x1 + 1) & (middle > y0) & (middle < y1)
        for i in np.flatnonzero(inside & (orders < area.order)).tolist():
            if i in found:
                continue
            if not area.image:
                drawn = shades() if drawn is None else drawn
                if drawn is not None and _shows(page, i, drawn) and not _overwritten(page, i, orders, area.order):
                    continue
            found[i] = "covered"


def _overwritten(page: RawPage, i: int, orders: NDArray[np.int64], after: int) -> bool:
    """Whether other text was painted over the cover at the same place."""
    boxes = page.boxes
    across = np.minimum(boxes[:, 2], boxes[i, 2]) - np.maximum(boxes[:, 0], boxes[i, 0])
    down = np.minimum(boxes[:, 3], boxes[i, 3]) - np.maximum(boxes[:, 1], boxes[i, 1])
    height, width = boxes[i, 3] - boxes[i, 1], boxes[i, 2] - boxes[i, 0]
    return bool(((orders > after) & (across > 0.3 * width) & (down > 0.3 * height)).any())


def _same_colour(page: RawPage, graphics: Graphics, styles: list[Style], shades: Shades, found: dict[int, str]) -> None:
    fills = [area for area in graphics.areas if area.filled]
    pale = np.array([min(style.colour) > 255 - _SAME - 10 for style in styles])
    dark_fills = bool(fills)
    suspects = np.flatnonzero(pale[page.styles]) if not dark_fills else np.arange(len(page.texts))
    if not len(suspects):
        return
    ground = _grounds(page, fills, suspects, graphics)
    colours = np.array([style.colour for style in styles], np.int16)[np.array(page.styles)[suspects]]
    same = (np.abs(colours - ground) < _SAME).all(axis=1)
    left = [i for i in suspects[same].tolist() if i not in found and page.modes[i] in (0, 4)]
    if not left:
        return
    drawn = shades()
    for i in left:
        if drawn is None or not _shows(page, i, drawn):
            found[i] = "of the colour of the paper"


def _grounds(page: RawPage, fills: list[Area], which: NDArray[np.int64], graphics: Graphics) -> NDArray[np.int16]:
    """The colour under each piece: of the last area painted before it that holds its middle, else white."""
    ground = np.full((len(which), 3), 255, np.int16)
    if not fills:
        return ground
    orders = _orders(page, graphics)[which]
    boxes = page.boxes[which]
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    for area in fills:
        x0, y0, x1, y1 = area.box
        over = (x > x0) & (x < x1) & (y > y0) & (y < y1) & (orders > area.order)
        ground[over] = area.colour
    return ground


def _shows(page: RawPage, i: int, drawn: NDArray[np.uint8]) -> bool:
    """Whether anything can be told apart in the piece's box on the drawn page."""
    height, width = drawn.shape
    x0, y0, x1, y1 = (float(v) for v in page.boxes[i])
    sx, sy = width / page.width, height / page.height
    inset = 0.15 * (y1 - y0)
    part = drawn[int((y0 + inset) * sy) : int((y1 - inset) * sy) + 1, int(x0 * sx) : int(x1 * sx) + 1]
    return bool(part.size) and int(part.max()) - int(part.min()) > _SAME

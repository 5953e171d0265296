"""Pages whose text runs another way than to the right, seen so that it does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_graphics import Graphics
from citeleaf.backends.pdf_lines import Line, upright
from citeleaf.backends.pdf_styles import Box


def view(page: RawPage, graphics: Graphics, turn: int) -> tuple[RawPage, Graphics]:
    """The page and its graphics turned so that text of this turn runs to the right; themselves where it does."""
    if turn not in (1, 2, 3):
        return page, graphics
    size = (page.height, page.width) if turn in (1, 3) else (page.width, page.height)
    across, down = _turned(graphics.across, page, turn), _turned(graphics.down, page, turn)
    boxes = _turned([area.box for area in graphics.areas], page, turn)
    areas = [replace(area, box=box) for area, box in zip(graphics.areas, boxes, strict=True)]
    if turn in (1, 3):
        across, down = down, across
    raw = replace(page, width=size[0], height=size[1], boxes=upright(page.boxes, turn, page.width, page.height))
    return raw, Graphics(across, down, areas, graphics.text_order)


def _turned(boxes: list[Box], page: RawPage, turn: int) -> list[Box]:
    if not boxes:
        return []
    turned = upright(np.array(boxes, np.float32), turn, page.width, page.height)
    return [(x0, y0, x1, y1) for x0, y0, x1, y1 in turned.tolist()]


def as_seen(line: Line, page: RawPage) -> Line:
    """A line with its box as its pieces stand on this page."""
    boxes = page.boxes[line.pieces]
    x0, y0 = float(boxes[:, 0].min()), float(boxes[:, 1].min())
    x1, y1 = float(boxes[:, 2].max()), float(boxes[:, 3].max())
    return replace(line, x0=x0, y0=y0, x1=x1, y1=y1, body=x0, marker=0)

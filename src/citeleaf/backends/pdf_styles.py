"""How words look, and where pages lie: fonts, sizes, colours, and the frame from a page's space to what is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends import pdf_native as native
from citeleaf.backends.pdf_native import Handle, Scratch

Colour: TypeAlias = tuple[int, int, int]
Box: TypeAlias = tuple[float, float, float, float]

_BOLD_NAMES = ("bold", "black", "heavy", "demi")


@dataclass(frozen=True, slots=True)
class Style:
    """How words look: `size` in points as drawn, `weight` from 100 to 900 (400 regular)."""

    size: float
    weight: int
    italic: bool
    colour: Colour
    font: str


class Styles:
    """The styles of one document, each with a number."""

    def __init__(self) -> None:
        self.all: list[Style] = []
        self._ids: dict[tuple[float, int, bool, Colour, str], int] = {}

    def id(self, size: float, weight: int, italic: bool, colour: Colour, font: str) -> int:
        """The number of a style; equal styles have equal numbers."""
        key = (size, weight, italic, colour, font)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = len(self.all)
            self.all.append(Style(*key))
        return found


@dataclass(frozen=True, slots=True)
class Frame:
    """From a page's own space to the visible page: crop box taken off, turned, y down."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the visible page."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.rotation % 2 else (width, height)

    def boxes(self, raw: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, 4) left, top, right, bottom with y up, to x0, y0, x1, y1 with y down."""
        a0, a1 = np.minimum(raw[:, 0], raw[:, 2]), np.maximum(raw[:, 0], raw[:, 2])
        b0, b1 = np.minimum(raw[:, 1], raw[:, 3]), np.maximum(raw[:, 1], raw[:, 3])
        left, bottom, right, top = self.left, self.bottom, self.right, self.top
        if self.rotation == 0:
            columns = (a0 - left, top - b1, a1 - left, top - b0)
        elif self.rotation == 1:
            columns = (b0 - bottom, a0 - left, b1 - bottom, a1 - left)
        elif self.rotation == 2:
            columns = (right - a1, b0 - bottom, right - a0, b1 - bottom)
        else:
            columns = (top - b1, right - a1, top - b0, right - a0)
        return np.stack(columns, axis=1).astype(np.float32)

    def turn(self, a: float, b: float) -> int:
        """How text with the direction (a, b), y up, runs on the visible page; see `RawPage.turn`."""
        x, y = ((a, -b), (b, a), (-a, b), (-b, -a))[self.rotation]
        if abs(x) >= 5 * abs(y):
            return 0 if x >= 0 else 2
        if abs(y) >= 5 * abs(x):
            return 1 if y > 0 else 3
        return 4


class StyleReader:
    """Reads the style of each text object once."""

    def __init__(self, text_page: Handle, frame: Frame, styles: Styles) -> None:
        self._text_page, self._frame, self._styles = text_page, frame, styles
        self._seen: dict[Handle, tuple[int, int, int]] = {}
        self._fonts: dict[Handle, tuple[str, int, bool]] = {}
        self._floats = Scratch(np.float32, 8)
        self._ints = Scratch(np.uint32, 4)
        self._matrix, self._size = self._floats.at(0), self._floats.at(6)
        self._colour = tuple(self._ints.at(i) for i in range(4))

    def __call__(self, owner: Handle, char: int) -> tuple[int, int, int]:
        """Style number, turn, render mode; mode 3 is invisible, 8 stands for drawn with no opacity."""
        found = self._seen.get(owner) if owner else None
        if found is None:
            found = self._read(owner, char)
            if owner:
                self._seen[owner] = found
        return found

    def _read(self, owner: Handle, char: int) -> tuple[int, int, int]:
        self._floats.values[:6] = (1, 0, 0, 1, 0, 0)
        native.char_matrix(self._text_page, char, self._matrix)
        if owner:
            native.object_size(owner, self._size)
        a, b, c, d, _, _, size, _ = self._floats.values.tolist()
        turn = self._frame.turn(a, b)
        if not owner:
            return self._styles.id(1.0, 400, False, (0, 0, 0), ""), turn, 0
        size = abs(size) * math.hypot(c, d)
        font = native.object_font(owner) or 0
        if font not in self._fonts:
            self._fonts[font] = _font(font)
        name, weight, italic = self._fonts[font]
        self._ints.values[:] = (0, 0, 0, 255)
        native.fill_colour(owner, *self._colour)
        red, green, blue, alpha = self._ints.values.tolist()
        mode = native.render_mode(owner)
        if mode == 2 and weight < 600:
            weight = 700  # filled and stroked: the usual way to fake a bold font
        if alpha < 8 and mode in (0, 2, 4, 6):
            mode = 8
        size = round(size * 4) / 4 if size < 1000 else 1000.0
        return self._styles.id(size, weight, italic, (red, green, blue), name), turn, mode


def _font(font: Handle) -> tuple[str, int, bool]:
    if not font:
        return "", 400, False
    size = int(native.font_name(font, None, 0))
    buffer = Scratch(np.uint8, max(size, 1))
    native.font_name(font, buffer.at(0), size)
    name = bytes(buffer.values).split(b"\0")[0].decode("utf-8", "replace").rpartition("+")[2]
    weight, flags = int(native.font_weight(font)), int(native.font_flags(font))
    low = name.lower()
    if any(word in low for word in _BOLD_NAMES) or flags & (1 << 18):
        weight = max(weight, 700)
    elif "medium" in low:
        weight = max(weight, 500)
    elif not 100 <= weight <= 1000:
        weight = 400
    return name, min(weight, 900), bool(flags & (1 << 6)) or "italic" in low or "oblique" in low

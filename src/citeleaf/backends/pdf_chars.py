"""One PDF page as pieces of text with boxes and styles, in the order of the file. Nothing is put in order here."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends import pdf_native as native
from citeleaf.backends.pdf_native import Handle, Scratch

Colour: TypeAlias = tuple[int, int, int]
Box: TypeAlias = tuple[float, float, float, float]

LIGATURE_GAP = 0.06
"""A space narrower than this part of the line's height is no space: it stands inside the glyph of a ligature."""
_FORCE_BREAK = (0x02, 0xAD, 0xFFFE)
_SPACES = (0, 0x09, 0x0A, 0x0D, 0x20, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000, 0xFEFF)
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_BOLD_NAMES = ("bold", "black", "heavy", "demi")
_SYMBOL_BULLETS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF0FC: "✓", 0xF076: "❖", 0xF06E: "■", 0xF02D: "–"}


@dataclass(frozen=True, slots=True)
class Style:
    """How words look: `size` in points as drawn, `weight` from 100 to 900 (400 regular)."""

    size: float
    weight: int
    italic: bool
    colour: Colour
    font: str


@dataclass(slots=True)
class RawPage:
    """The pieces of one page: words, or parts of one; `boxes` in points of the visible page, origin top left, y down.

    `turn` is how the piece runs: 0 to the right, 1 downwards, 2 upside down, 3 upwards, 4 aslant. `glued`: no space
    before it. `owners` are text objects of pdfium, `modes` their render modes (8: no opacity). `outside` holds the
    words that lie off the visible page.
    """

    number: int
    width: float
    height: float
    texts: list[str] = field(default_factory=list)
    boxes: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 4), np.float32))
    styles: list[int] = field(default_factory=list)
    turns: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))
    glued: list[bool] = field(default_factory=list)
    owners: list[Handle] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


class Styles:
    """The styles of one document, each with a number."""

    def __init__(self) -> None:
        self.all: list[Style] = []
        self._ids: dict[Style, int] = {}

    def id(self, style: Style) -> int:
        """The number of a style; equal styles have equal numbers."""
        found = self._ids.get(style)
        if found is None:
            found = self._ids[style] = len(self.all)
            self.all.append(style)
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


def read_page(number: int, text_page: Handle, frame: Frame, styles: Styles) -> RawPage:
    """Pieces of the page in the file's order; characters outside the visible page are left out (`outside`)."""
    page = RawPage(number, *frame.size)
    codes = native.page_codes(text_page)
    if not len(codes):
        return page
    starts, ends = _split(codes)
    if not len(starts):
        return page
    both = np.stack((starts, ends - 1), axis=1).ravel()
    raw = native.char_boxes(text_page, both.tolist(), len(both))
    first, last = raw[0::2], raw[1::2]
    owners = native.char_objects(text_page, starts.tolist())
    odd = _odd(first, last, ends - starts)
    if odd.any():
        starts, ends, first, last, owners = _resplit(text_page, codes, starts, ends, first, last, owners, odd)
    union = np.stack(
        (
            np.minimum(first[:, 0], last[:, 0]),
            np.maximum(first[:, 1], last[:, 1]),
            np.maximum(first[:, 2], last[:, 2]),
            np.minimum(first[:, 3], last[:, 3]),
        ),
        axis=1,
    )
    boxes = frame.boxes(union)
    style_of = _StyleReader(text_page, frame, styles)
    looks = [style_of(owner, start) for owner, start in zip(owners, starts.tolist(), strict=True)]
    _fill(page, codes, starts, ends, boxes, looks, owners)
    return page


def _split(codes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends of runs without space; Han, Kana and Hangul characters stand alone; a break mark ends a run."""
    space = np.isin(codes, _SPACES) | ((codes >= 0x2000) & (codes <= 0x200B))
    alone = ((codes >= 0x2E80) & (codes <= 0xD7FF)) | ((codes >= 0xF900) & (codes <= 0xFAFF))
    alone |= ((codes >= 0xFF00) & (codes <= 0xFFEF)) | ((codes >= 0x20000) & (codes <= 0x3FFFF))
    after_break = np.zeros(len(codes), bool)
    after_break[1:] = np.isin(codes[:-1], _FORCE_BREAK) | alone[:-1] | space[:-1]
    after_break[0] = True
    start = ~space & (after_break | alone)
    end = np.zeros(len(codes), bool)
    end[:-1] = ~space[:-1] & (space[1:] | start[1:])
    end[-1] = not space[-1]
    return np.flatnonzero(start), np.flatnonzero(end) + 1


def _odd(first: NDArray[np.float32], last: NDArray[np.float32], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Words whose first and last character do not look like one word on one line."""
    height = np.maximum(np.abs(first[:, 1] - first[:, 3]), 0.01)
    shift = np.maximum(np.abs(first[:, 1] - last[:, 1]), np.abs(first[:, 3] - last[:, 3])) > 0.08 * height
    width = last[:, 2] - first[:, 0]
    odd: NDArray[np.bool_] = (n > 1) & (shift | (width < 0) | (width > 1.1 * height * n))
    return odd


def _resplit(
    text_page: Handle,
    codes: NDArray[np.uint32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    first: NDArray[np.float32],
    last: NDArray[np.float32],
    owners: list[Handle],
    odd: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32], NDArray[np.float32], list[Handle]]:
    """Reads every character of odd words and breaks them where the line, the height or the direction changes."""
    new_starts: list[int] = []
    new_ends: list[int] = []
    new_first: list[NDArray[np.float32]] = []
    new_last: list[NDArray[np.float32]] = []
    new_owners: list[Handle] = []
    for i in range(len(starts)):
        a, b = int(starts[i]), int(ends[i])
        if not odd[i]:
            cuts, boxes, objects = [0], np.stack((first[i], last[i])), [owners[i]]
        else:
            boxes = native.char_boxes(text_page, range(a, b), b - a)
            objects = native.char_objects(text_page, range(a, b))
            cuts = _cuts(boxes, objects)
        for k, cut in enumerate(cuts):
            stop = cuts[k + 1] if k + 1 < len(cuts) else (b - a if odd[i] else 2)
            new_starts.append(a + cut)
            new_ends.append(a + stop if odd[i] else b)
            part = boxes[cut:stop]
            new_first.append(np.array((part[:, 0].min(), part[:, 1].max(), part[:, 2].max(), part[:, 3].min())))
            new_last.append(new_first[-1])
            new_owners.append(objects[cut])
    return (
        np.array(new_starts),
        np.array(new_ends),
        np.array(new_first, np.float32),
        np.array(new_last, np.float32),
        new_owners,
    )


def _cuts(boxes: NDArray[np.float32], objects: list[Handle]) -> list[int]:
    vertical = abs(float(boxes[-1, 3] - boxes[0, 3])) > abs(float(boxes[-1, 0] - boxes[0, 0]))
    near, far = (3, 1) if vertical else (0, 2)
    low, high = (0, 2) if vertical else (3, 1)
    cuts = [0]
    for k in range(1, len(boxes)):
        if objects[k] == objects[k - 1]:
            continue
        height = max(abs(float(boxes[k - 1, high] - boxes[k - 1, low])), 0.01)
        moved = max(abs(float(boxes[k, i] - boxes[k - 1, i])) for i in (low, high)) > 0.08 * height
        gap = float(boxes[k, near] - boxes[k - 1, far])
        if moved or (not vertical and not -0.5 * height < gap < 0.6 * height):
            cuts.append(k)
    return cuts


class _StyleReader:
    """Reads the style of each text object once."""

    def __init__(self, text_page: Handle, frame: Frame, styles: Styles) -> None:
        self._text_page, self._frame, self._styles = text_page, frame, styles
        self._seen: dict[Handle, tuple[int, int, int]] = {}
        self._fonts: dict[Handle, tuple[str, int, bool]] = {}
        self._floats = Scratch(np.float32, 8)
        self._ints = Scratch(np.uint32, 4)

    def __call__(self, owner: Handle, char: int) -> tuple[int, int, int]:
        """Style number, turn, render mode; mode 3 is invisible, 8 stands for drawn with no opacity."""
        found = self._seen.get(owner) if owner else None
        if found is None:
            found = self._read(owner, char)
            if owner:
                self._seen[owner] = found
        return found

    def _read(self, owner: Handle, char: int) -> tuple[int, int, int]:
        floats, ints = self._floats, self._ints
        floats.values[:] = (1, 0, 0, 1, 0, 0, 0, 0)
        native.char_matrix(self._text_page, char, floats.at(0))
        a, b, c, d = (float(v) for v in floats.values[:4])
        if not owner:
            return self._styles.id(Style(1.0, 400, False, (0, 0, 0), "")), self._frame.turn(a, b), 0
        native.object_size(owner, floats.at(6))
        size = abs(float(floats.values[6])) * math.hypot(c, d)
        font = native.object_font(owner) or 0
        if font not in self._fonts:
            self._fonts[font] = _font(font)
        name, weight, italic = self._fonts[font]
        ints.values[:] = (0, 0, 0, 255)
        native.fill_colour(owner, *(ints.at(i) for i in range(4)))
        red, green, blue, alpha = (int(v) for v in ints.values)
        mode = int(native.render_mode(owner))
        if mode == 2 and weight < 600:
            weight = 700  # filled and stroked: the usual way to fake a bold font
        if alpha < 8 and mode in (0, 2, 4, 6):
            mode = 8
        style = Style(round(size * 4) / 4 if size < 1000 else 1000.0, weight, italic, (red, green, blue), name)
        return self._styles.id(style), self._frame.turn(a, b), mode


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


def _fill(
    page: RawPage,
    codes: NDArray[np.uint32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    boxes: NDArray[np.float32],
    looks: list[tuple[int, int, int]],
    owners: list[Handle],
) -> None:
    """Puts the pieces inside the visible page into `page`, cleaned of what is no letter."""
    middle_x, middle_y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    inside = (middle_x >= 0) & (middle_x <= page.width) & (middle_y >= 0) & (middle_y <= page.height)
    inside &= np.isfinite(boxes).all(axis=1)
    narrow = _narrow(boxes, starts, ends)
    text = codes_to_text(codes)
    keep: list[int] = []
    for i in range(len(starts)):
        words = text[starts[i] : ends[i]]
        if not (words.isascii() and words.isprintable()):
            words = clean(words)
        if not words:
            continue
        if not inside[i]:
            page.outside.append(words)
            continue
        previous = keep[-1] if keep and keep[-1] == i - 1 else None
        glued = previous is not None and bool(starts[i] == ends[i - 1] or narrow[i])
        if glued and _is_superscript(boxes[i], boxes[i - 1]) and words.isdigit() and len(words) <= 3:
            words = words.translate(_SUPERSCRIPT)
        keep.append(i)
        page.texts.append(words)
        page.styles.append(looks[i][0])
        page.modes.append(looks[i][2])
        page.glued.append(glued)
        page.owners.append(owners[i])
    page.boxes = np.clip(boxes[keep], 0, [page.width, page.height, page.width, page.height]).astype(np.float32)
    page.turns = np.array([looks[i][1] for i in keep], np.int8)


def _narrow(boxes: NDArray[np.float32], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the one space before each piece is narrower than a space can be."""
    n = len(boxes)
    narrow = np.zeros(n, bool)
    if n < 2:
        return narrow
    gaps = boxes[1:, 0] - boxes[:-1, 2]
    height = boxes[:-1, 3] - boxes[:-1, 1]
    shared = np.minimum(boxes[1:, 3], boxes[:-1, 3]) - np.maximum(boxes[1:, 1], boxes[:-1, 1])
    one_space = (starts[1:] - ends[:-1] == 1) & (shared > 0.7 * height) & (height > 0)
    narrow[1:] = one_space & (gaps < LIGATURE_GAP * height) & (gaps > -0.6 * height)
    # Where most spaces look narrow, the file's glyph widths are wrong and say nothing.
    if narrow.sum() > 0.2 * max(int(one_space.sum()), 1) and narrow.sum() > 3:
        narrow[:] = False
    return narrow


def _is_superscript(box: NDArray[np.float32], before: NDArray[np.float32]) -> bool:
    height, other = float(box[3] - box[1]), float(before[3] - before[1])
    return height < 0.8 * other and float(box[3]) < float(before[3]) - 0.15 * other


def codes_to_text(codes: NDArray[np.uint32]) -> str:
    """One character a code; what is no character becomes U+FFFD, so that indexes agree."""
    safe = np.where(((codes >= 0xD800) & (codes < 0xE000)) | (codes > 0x10FFFF), 0xFFFD, codes)
    return safe.astype("<u4").tobytes().decode("utf-32-le")


def clean(words: str) -> str:
    """Ligatures and presentation forms written out, break marks as hyphens, codes that are no character as U+FFFD."""
    out: list[str] = []
    for char in words:
        code = ord(char)
        if code in (0xAD, 0xFFFE) or (code == 0x02 and out and out[-1].isalnum()):
            out.append("-")
        elif code in _SYMBOL_BULLETS:
            out.append(_SYMBOL_BULLETS[code])
        elif 0xFB00 <= code <= 0xFDFF or 0xFE70 <= code <= 0xFEFE:
            out.append(unicodedata.normalize("NFKC", char))
        elif (category := unicodedata.category(char)) in ("Cc", "Cs"):
            out.append("\ufffd")
        elif category not in ("Zl", "Zp", "Cf") or code in (0x200C, 0x200D):
            out.append(char)
    return "".join(out).strip()

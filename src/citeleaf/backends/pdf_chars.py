"""One PDF page as pieces of text with boxes and styles, in the order of the file. Nothing is put in order here."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends import pdf_native as native
from citeleaf.backends.pdf_native import Handle
from citeleaf.backends.pdf_styles import Frame, StyleReader, Styles

LIGATURE_GAP = 0.06
"""A space narrower than this part of the line's height is no space: it stands inside the glyph of a ligature."""
LEAST_SPACE = 0.14
"""A gap over this part of the line's height between two text objects is a space, though none is written."""
_FORCE_BREAK = (0x02, 0xAD, 0xFFFE)
_SPACES = (0, 0x09, 0x0A, 0x0D, 0x20, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000, 0xFEFF)
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SYMBOL_BULLETS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF0FC: "✓", 0xF076: "❖", 0xF06E: "■", 0xF02D: "–"}


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


@dataclass(slots=True)
class _Words:
    """Runs of characters: start, end, boxes of the first and last character, text object, and a space before."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    first: NDArray[np.float32]
    last: NDArray[np.float32]
    owners: list[Handle]
    apart: NDArray[np.bool_]


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
    owners = native.char_objects(text_page, starts.tolist())
    words = _Words(starts, ends, raw[0::2], raw[1::2], owners, np.zeros(len(starts), bool))
    odd = _odd(words, native.char_objects(text_page, (ends - 1).tolist()))
    if odd.any():
        words = _resplit(text_page, words, odd, codes)
    first, last = words.first, words.last
    union = (
        np.minimum(first[:, 0], last[:, 0]),
        np.maximum(first[:, 1], last[:, 1]),
        np.maximum(first[:, 2], last[:, 2]),
        np.minimum(first[:, 3], last[:, 3]),
    )
    boxes = frame.boxes(np.stack(union, axis=1))
    style_of = StyleReader(text_page, frame, styles)
    looks: list[tuple[int, int, int]] = []
    before = -1
    for owner, start in zip(words.owners, words.starts.tolist(), strict=True):
        looks.append(looks[-1] if owner == before else style_of(owner, start))
        before = owner or -1
    _fill(page, codes, words, boxes, looks, _no_spaces(text_page, words))
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


def _odd(words: _Words, last_owners: list[Handle]) -> NDArray[np.bool_]:
    """Words whose first and last character do not look like one word on one line."""
    first, last, n = words.first, words.last, words.ends - words.starts
    height = np.maximum(np.abs(first[:, 1] - first[:, 3]), 0.01)
    shift = np.maximum(np.abs(first[:, 1] - last[:, 1]), np.abs(first[:, 3] - last[:, 3])) > 0.08 * height
    width = last[:, 2] - first[:, 0]
    torn = np.array([a != b for a, b in zip(words.owners, last_owners, strict=True)], bool)
    odd: NDArray[np.bool_] = (n > 1) & (shift | torn | (width < 0) | (width > 0.85 * height * n))
    return odd


def _resplit(text_page: Handle, words: _Words, odd: NDArray[np.bool_], codes: NDArray[np.uint32]) -> _Words:
    """Reads every character of odd words and breaks them where the line, the height or the direction changes."""
    starts, ends = words.starts.tolist(), words.ends.tolist()
    first, last, owners = list(words.first), list(words.last), list(words.owners)
    apart = words.apart.tolist()
    # From the last word to the first, so that earlier places stay what they are.
    for i in np.flatnonzero(odd).tolist()[::-1]:
        a, b = starts[i], ends[i]
        boxes = native.char_boxes(text_page, range(a, b), b - a)
        objects = native.char_objects(text_page, range(a, b))
        leftward = bool(((codes[a:b] >= 0x590) & (codes[a:b] <= 0x8FF) | (codes[a:b] >= 0xFB1D)).any())
        cuts = [*_cuts(boxes, objects, leftward), (b - a, False)]
        parts = [boxes[cut:stop] for (cut, _), (stop, _) in pairwise(cuts)]
        whole = [np.array((p[:, 0].min(), p[:, 1].max(), p[:, 2].max(), p[:, 3].min()), np.float32) for p in parts]
        starts[i : i + 1] = [a + cut for cut, _ in cuts[:-1]]
        ends[i : i + 1] = [a + cut for cut, _ in cuts[1:]]
        first[i : i + 1] = last[i : i + 1] = whole
        owners[i : i + 1] = [objects[cut] for cut, _ in cuts[:-1]]
        apart[i : i + 1] = [space for _, space in cuts[:-1]]
    return _Words(np.array(starts), np.array(ends), np.array(first), np.array(last), owners, np.array(apart, bool))


def _cuts(boxes: NDArray[np.float32], objects: list[Handle], leftward: bool) -> list[tuple[int, bool]]:
    """Where parts start, and whether a space stands before. `leftward`: the letters run to the left."""
    vertical = abs(float(boxes[-1, 3] - boxes[0, 3])) > abs(float(boxes[-1, 0] - boxes[0, 0]))
    near, far = (3, 1) if vertical else (0, 2)
    low, high = (0, 2) if vertical else (3, 1)
    cuts = [(0, False)]
    for k in range(1, len(boxes)):
        height = max(abs(float(boxes[k - 1, high] - boxes[k - 1, low])), 0.01)
        if abs(float(boxes[k, near] - boxes[k - 1, near])) < 0.01 * height:
            continue  # letters of one ligature share its box
        moved = max(abs(float(boxes[k, i] - boxes[k - 1, i])) for i in (low, high)) > 0.08 * height
        gap = float(boxes[k, near] - boxes[k - 1, far])
        if leftward:
            gap = max(gap, float(boxes[k - 1, near] - boxes[k, far]))
        # Within one text object letters may be spaced out; only a wide gap is one.
        least = LEAST_SPACE if objects[k] != objects[k - 1] else 1.0
        space = not vertical and not -0.5 * height < gap < least * height
        if moved or space:
            cuts.append((k, space))
    return cuts


def _fill(
    page: RawPage,
    codes: NDArray[np.uint32],
    words: _Words,
    boxes: NDArray[np.float32],
    looks: list[tuple[int, int, int]],
    joined: NDArray[np.bool_],
) -> None:
    """Puts the pieces inside the visible page into `page`, cleaned of what is no letter."""
    starts, ends, owners = words.starts.tolist(), words.ends.tolist(), words.owners
    middle_x, middle_y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    inside = (middle_x >= 0) & (middle_x <= page.width) & (middle_y >= 0) & (middle_y <= page.height)
    inside &= np.isfinite(boxes).all(axis=1)
    text = codes_to_text(codes)
    texts = [text[a:b] for a, b in zip(starts, ends, strict=True)]
    if not (text.isascii() and "\x7f" not in text):
        texts = [t if t.isascii() and t.isprintable() else clean(t) for t in texts]
    else:
        texts = [t if t.isprintable() else clean(t) for t in texts]
    glued = joined.copy()
    glued[1:] |= (words.starts[1:] == words.ends[:-1]) & ~words.apart[1:]
    glued[1:] &= inside[:-1]
    height = boxes[:, 3] - boxes[:, 1]
    for i in np.flatnonzero((height[1:] < 0.8 * height[:-1]) & (height[1:] > 0)).tolist():
        if len(texts[i + 1]) <= 3 and texts[i + 1].isdecimal() and _is_superscript(boxes[i + 1], boxes[i]):
            texts[i + 1] = texts[i + 1].translate(_SUPERSCRIPT)
            glued[i + 1] = inside[i]
    page.outside = [t for t, held in zip(texts, inside.tolist(), strict=True) if t and not held]
    keep = [i for i, held in enumerate(inside.tolist()) if held and texts[i]]
    page.texts = [texts[i] for i in keep]
    page.styles = [looks[i][0] for i in keep]
    page.modes = [looks[i][2] for i in keep]
    page.owners = [owners[i] for i in keep]
    page.glued = glued[keep].tolist()
    page.boxes = np.clip(boxes[keep], 0, [page.width, page.height, page.width, page.height]).astype(np.float32)
    page.turns = np.array([looks[i][1] for i in keep], np.int8)


def _no_spaces(text_page: Handle, words: _Words) -> NDArray[np.bool_]:
    """Whether the one space before each piece stands inside the glyph before it, as in a ligature drawn apart."""
    starts, ends, first, last = words.starts, words.ends, words.first, words.last
    found = np.zeros(len(starts), bool)
    if len(starts) < 2:
        return found
    height = np.abs(last[:-1, 1] - last[:-1, 3])
    gap = first[1:, 0] - last[:-1, 2]
    level = np.abs(first[1:, 3] - last[:-1, 3]) < 0.2 * height
    near = (starts[1:] - ends[:-1] == 1) & level & (height > 0) & (np.abs(gap) < LIGATURE_GAP * height)
    which = np.flatnonzero(near)
    spaces = native.char_boxes(text_page, ends[which].tolist(), len(which))
    inside = spaces[:, 2] <= last[which, 2] + 0.01 * height[which]
    found[which[inside] + 1] = True
    return found


def _is_superscript(box: NDArray[np.float32], before: NDArray[np.float32]) -> bool:
    height, other = float(box[3] - box[1]), float(before[3] - before[1])
    raised = height < 0.8 * other and float(box[3]) < float(before[3]) - 0.15 * other
    return raised and float(box[3]) > float(before[1]) and -0.2 * other < float(box[0] - before[2]) < 0.3 * other


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

"""Which sentence introduces which list, and which item holds which inner list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citeleaf.backends.pdf_blocks import Part

_ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii",
          "xviii", "xix", "xx", "xxi", "xxii", "xxiii", "xxiv", "xxv"]  # fmt: skip
_FOLLOWS = re.compile(r"\b(?:following|below|as follows|aşağıdaki|folgende[nrs]?)\b", re.IGNORECASE)
_NEAR = 0.6


@dataclass(slots=True)
class _Level:
    kind: str
    ordinal: int
    offset: float
    body: float
    intro: Part | None


def link_lists(parts: Sequence[Part]) -> None:
    """Sets `intro` of each list item: the paragraph before its list, or the item that its list stands in.

    Lists nest by indent and by the order of their markers, so that a list goes on over columns and pages.
    """
    levels: list[_Level] = []
    before: Part | None = None
    for part in parts:
        if part.kind in ("heading", "table_row"):
            levels = []
            before = part if part.kind == "heading" and part.text.rstrip().endswith(":") else None
            continue
        if part.kind in ("note", "caption") and not part.framed:
            continue
        if not part.marker:
            offset = part.lines[0].x0 - part.left
            em = max(part.lines[0].size, 1.0)
            while levels and levels[-1].offset > offset - _NEAR * em:
                levels.pop()
            before = part
            continue
        level = _place(part, levels, before)
        part.intro = level.intro
        before = part


def _place(part: Part, levels: list[_Level], before: Part | None) -> _Level:
    line = part.lines[0]
    em = max(line.size, 1.0)
    offset = line.x0 - part.left
    readings = _readings(line.text.split(" ", 1)[0])
    for depth in range(len(levels) - 1, -1, -1):
        level = levels[depth]
        for kind, ordinal in readings:
            same_place = abs(level.offset - offset) < _NEAR * em
            if kind == level.kind and (ordinal == level.ordinal + 1 or (ordinal == 0 and same_place)):
                del levels[depth + 1 :]
                level.ordinal, level.offset = ordinal, offset
                return level
    while levels and levels[-1].offset > offset - _NEAR * em and not _opens(before, readings, levels, offset, em):
        levels.pop()
    kind, ordinal = readings[0] if readings[0][1] <= 1 or len(readings) == 1 else readings[-1]
    inside = before is not None and before.marker and offset > before.lines[0].x0 - before.left + _NEAR * em
    intro = before if before is not None and (inside or _introduces(before)) else None
    level = _Level(kind, ordinal, offset, line.body - part.left, intro)
    levels.append(level)
    return level


def _opens(
    before: Part | None, readings: list[tuple[str, int]], levels: list[_Level], offset: float, em: float
) -> bool:
    """Whether an item at the same indent still opens a list inside the item before it: it ends with a colon."""
    return (
        before is not None
        and before.marker
        and before.text.rstrip().endswith(":")
        and any(ordinal <= 1 for _, ordinal in readings)
        and levels[-1].offset < offset + _NEAR * em
    )


def _readings(mark: str) -> list[tuple[str, int]]:
    """What a marker can be: its kind with its dress, and its place in order; 0 for bullets, which have none."""
    word = mark.strip("().")
    dress = mark.replace(word, "#") if word else mark
    if not word or not word[0].isalnum():
        return [("bullet" + mark, 0)]
    if word.replace(".", "").isdigit():
        head, _, last = word.rpartition(".")
        return [(f"1{dress}{head}", int(last))]
    found: list[tuple[str, int]] = []
    low = word.lower()
    case = "A" if word[0].isupper() else "a"
    if low in _ROMAN:
        found.append((f"{case}i{dress}", _ROMAN.index(low) + 1))
    if len(low) == 1:
        found.append((f"{case}a{dress}", ord(low) - 96))
    elif len(low) == 2 and low[0] == low[1]:
        found.append((f"{case}a{dress}", ord(low[0]) - 96 + 26))
    return found or [(f"{case}?{dress}", 1)]


def _introduces(part: Part) -> bool:
    text = part.text.rstrip()
    if part.kind == "heading" or text.endswith((":", "—", "–", ":-")):
        return True
    if text.endswith((".", "!", "?", ";")):
        return bool(_FOLLOWS.search(text[last_sentence(text) :])) and not part.marker
    return not part.marker


def last_sentence(text: str) -> int:
    """Where the last sentence of a text starts."""
    starts = [m.end() for m in re.finditer(r"[.!?][”\"’')\]]?\s+(?=[A-Z“\"(ÇĞİÖŞÜÄ])", text)]
    return starts[-1] if starts else 0

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
    x: float
    column: tuple[int, int]
    intro: Part | None


_OPEN_WORDS = frozenset(
    "a an the of to in on at by for from with and or nor but that which who whose this these those any all each your "
    "our their its his her as is are was were be been not no if than then into under over such other either".split()
)


def join_over_breaks(parts: list[Part]) -> list[Part]:
    """Joins a block with its rest in the next column or on the next page.

    Where footnotes stand between, the rest stays a block of its own and leans on its beginning (`intro`).
    """
    out: list[Part] = []
    for part in parts:
        last = len(out) - 1
        while last >= 0 and out[last].kind == "note" and not out[last].framed:
            last -= 1
        before = out[last] if last >= 0 else None
        if before is None or not _goes_on(before, part):
            out.append(part)
        elif last == len(out) - 1:
            before.lines.extend(part.lines)
        else:
            part.intro = before
            out.append(part)
    return out


def _goes_on(before: Part, part: Part) -> bool:
    """Whether a part is the rest of the sentence that the part before leaves open at its column's end."""
    kinds = ("paragraph", "list_item", "definition", "note")
    if (
        part.marker
        or part.kind not in ("paragraph", "note")
        or before.kind not in kinds
        or before.contents
        or part.contents
    ):
        return False
    if not (part.first_of_flow or part.page != before.page) or part.framed != before.framed:
        return False
    if abs(part.key[0] - before.key[0]) > 0.5:
        return False
    text, rest = before.text.rstrip(), part.text
    if not text or not rest or text.endswith((".", "!", "?", ":")):
        return False
    if rest[0].islower():
        return True
    if text.endswith(";"):
        return False
    line = before.lines[-1]
    full = line.x1 - before.left > 0.8 * (before.right - before.left)
    return full and (text.endswith((",", "-")) or text.split()[-1].lower() in _OPEN_WORDS or len(before.lines) > 1)


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
            if part.intro is not None:
                continue  # the rest of a block that footnotes cut off
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
    column = (part.page, round(part.left / 20))
    readings = _readings(line.text.split(" ", 1)[0])
    for depth in range(len(levels) - 1, -1, -1):
        level = levels[depth]
        for kind, ordinal in readings:
            there = min(abs(level.offset - offset), abs(level.x - line.x0)) < _NEAR * em or level.column != column
            if kind == level.kind and (ordinal == level.ordinal + 1 or (ordinal == 0 and there)):
                del levels[depth + 1 :]
                level.ordinal, level.offset, level.x, level.column = ordinal, offset, line.x0, column
                return level
    while levels and levels[-1].offset > offset - _NEAR * em and not _opens(before, readings, levels, offset, em):
        levels.pop()
    kind, ordinal = readings[0] if readings[0][1] <= 1 or len(readings) == 1 else readings[-1]
    inside = before is not None and before.marker and offset > before.lines[0].x0 - before.left + _NEAR * em
    intro = before if before is not None and (inside or _introduces(before)) else None
    level = _Level(kind, ordinal, offset, line.x0, column, intro)
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

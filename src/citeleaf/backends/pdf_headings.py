"""Which blocks are headings, and on which level: by how they differ from the body, the same way all through."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from citeleaf.backends.pdf_blocks import Key, Looks, Part

CONTENTS = re.compile(
    r"^(?:table of )?contents(?: page)?$|^in this (?:document|guide|booklet)$|^inhalt(?:sverzeichnis)?$|^içindekiler$"
    r"|^sommaire$|^table des matières$|^índice$|^contenido$",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"^(?:(?:section|part|chapter|article|appendix|schedule|annex|bölüm|madde|kapitel)\s+)?"
    r"(?P<number>\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.):]?)(?=\s|$)",
    re.IGNORECASE,
)
ENTRY = re.compile(r"(?:[.…·_ ]{4,}|\s)\s*(?:\d{1,4}|[ivxlc]{1,6})$")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|_{6,}")


def mark_headings(parts: list[Part], looks: Looks) -> None:
    """Turns paragraphs that look like headings into headings, and sets their level and number."""
    _contents(parts)
    found = [
        part for i, part in enumerate(parts) if _looks_like(part, parts[i + 1] if i + 1 < len(parts) else None, looks)
    ]
    chosen = _without_runs(parts, found, looks)
    for part in chosen:
        part.kind = "heading"
        part.term = 0
        part.marker = False
        part.number = printed_number(part.text)
    _levels(chosen, looks)


def _contents(parts: list[Part]) -> None:
    """Marks the entries of a contents page, so that none of them is a heading."""
    open_page = -10
    for i, part in enumerate(parts):
        if CONTENTS.match(part.text.strip()) and _mostly_entries(parts[i + 1 : i + 30]):
            part.contents = False
            open_page = part.page
            continue
        if open_page < 0:
            if _LEADERS.search(part.text) and ENTRY.search(part.text):
                part.contents = True
            continue
        if part.page > open_page:
            same = [p for p in parts if p.page == part.page]
            if part.page == open_page + 1 and _mostly_entries(same):
                open_page = part.page
            else:
                open_page = -10
                continue
        elif not _mostly_entries([p for p in parts[i : i + 6] if p.page == part.page]):
            open_page = -10
            continue
        part.contents = True


def _mostly_entries(parts: Sequence[Part]) -> bool:
    lines = [line for part in parts for line in part.lines]
    entries = sum(bool(ENTRY.search(line.text)) for line in lines)
    return entries >= 2 and entries >= 0.4 * len(lines)


def _looks_like(part: Part, after: Part | None, looks: Looks) -> bool:
    if part.kind not in ("paragraph", "list_item", "note", "definition") or part.contents:
        return False
    text = part.text.strip()
    letters = sum(c.isalpha() for c in text)
    if len(part.lines) > 4 or len(text) > 200 or letters < 2 or _LEADERS.search(text):
        return False
    keys = {looks.key(line.style) for line in part.lines}
    if len(keys) > 1 or any(line.mixed and not _mixed_marker(line.text) for line in part.lines):
        return False
    size, heavy, _italic, colour = part.key
    body_size, body_heavy, _, body_colour = looks.body
    larger = size >= 1.12 * body_size
    coloured = _apart(colour, body_colour) and size >= 0.97 * body_size and not _pale(colour)
    bold = heavy and not body_heavy and size >= 0.95 * body_size
    numbered = NUMBER.match(text) is not None
    if (
        text.endswith((".", ";", ","))
        and not (larger and len(text) < 80)
        and not re.fullmatch(r"[\d.]+", text.split()[-1])
    ):
        return False
    if larger:
        return part.kind != "list_item" or heavy or coloured or size >= 1.3 * body_size
    if not (coloured or bold):
        return False
    if text[0].islower() and not numbered:
        return False
    if text.endswith(":") and not coloured and len(text) > 60:
        return False
    return len(text) <= 140 and (after is None or after.key != part.key or after.kind != part.kind or True)


def _mixed_marker(text: str) -> bool:
    """A number in another weight before a heading's words."""
    return NUMBER.match(text) is not None


def _apart(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) > 60


def _pale(colour: tuple[int, int, int]) -> bool:
    return min(colour) > 170


def _without_runs(parts: list[Part], found: list[Part], looks: Looks) -> list[Part]:
    """Leaves out runs of four and more of one look with nothing between: they are text that is set in this look."""
    ids = {id(part) for part in found}
    chosen: list[Part] = []
    run: list[Part] = []
    for part in [*parts, None]:
        if part is not None and id(part) in ids and (not run or run[-1].key == part.key):
            run.append(part)
            continue
        if len(run) < 4 or run[0].key[0] >= 1.5 * looks.body[0]:
            chosen.extend(run)
        run = [part] if part is not None and id(part) in ids else []
    return chosen


def printed_number(text: str) -> str | None:
    """The number at the start of a heading, without its stop: `3.2`, `a`, `IV`; None when it has none."""
    match = NUMBER.match(text.strip())
    if match is None:
        return None
    word = match["number"]
    bare = word.strip("().:")
    if not bare.isdigit() and "." not in bare and word == bare and match.start("number") == 0:
        return None  # "A", "I": a word, not a number
    if bare.isdigit() and len(bare) == 3 and word == bare:
        return None
    return bare


def _levels(headings: list[Part], looks: Looks) -> None:
    """Levels by size, then weight, then colour; decimals in one look go as deep as their number.

    A look that only the first page has (a cover) is level 1 and does not push the others down.
    """
    pages: defaultdict[Key, set[int]] = defaultdict(set)
    for part in headings:
        pages[_group(part.key)].add(part.page)
    last = max((part.page for part in headings), default=1)
    cover = {key for key, where in pages.items() if where == {1} and last > 3}
    ranked = sorted((key for key in pages if key not in cover), key=lambda k: (-k[0], not k[1], k[2], k[3]))
    level_of = {key: i + 1 for i, key in enumerate(ranked)} | dict.fromkeys(cover, 1)
    depths: defaultdict[Key, Counter[int]] = defaultdict(Counter)
    for part in headings:
        depths[_group(part.key)][_depth(part.number)] += 1
    for part in headings:
        key = _group(part.key)
        known = [d for d in depths[key] if d]
        inner = _depth(part.number) - min(known) if known and _depth(part.number) else 0
        part.level = level_of[key] + max(inner, 0)
    _close_gaps(headings)


def _group(key: Key) -> Key:
    return key


def _depth(number: str | None) -> int:
    return number.count(".") + 1 if number and number[0].isdigit() else 0


def _close_gaps(headings: list[Part]) -> None:
    used = sorted({part.level for part in headings})
    place = {level: i + 1 for i, level in enumerate(used)}
    for part in headings:
        part.level = place[part.level]

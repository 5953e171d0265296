"""Which blocks are headings, and on which level: by how they differ from the body, the same way all through."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from citeleaf.backends.pdf_blocks import Key, Looks, Part
from citeleaf.backends.pdf_contents import CONTENTS, ENTRY, LEADERS

_COVER_WORDS = 80
"""A first page with fewer words beside its headings is a cover."""
NUMBER = re.compile(
    r"^(?:(?:section|part|chapter|article|appendix|schedule|annex|bölüm|madde|kapitel)\s+)?"
    r"(?P<number>\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.):]?)(?=\s|$)",
    re.IGNORECASE,
)
_SHORTENED = re.compile(r"(?:\betc|\bInc|\bLtd|\bCo|\bCorp|\bNo|^\(?\w{1,4}|[\d.]+)\.$")
"""Ends that are no end of a sentence."""


def mark_headings(parts: list[Part], looks: Looks) -> None:
    """Turns paragraphs that look like headings into headings, and sets their level and number."""
    _contents(parts)
    found = [part for part in parts if _looks_like(part, looks)]
    chosen = _without_runs(parts, found, looks)
    for part in chosen:
        part.kind = "heading"
        part.term = 0
        part.marker = False
        part.number = printed_number(part.text)
    words = sum(len(part.text.split()) for part in parts if part.page == 1 and part.kind != "heading")
    _levels(chosen, body_on_first=words > _COVER_WORDS)


def _contents(parts: list[Part]) -> None:
    """Marks the entries of contents lists, so that none of them is a heading."""
    listed = {part.page for part in parts if any(line.entry for line in part.lines)}
    last = {
        page: max(i for i, p in enumerate(parts) if p.page == page and any(x.entry for x in p.lines)) for page in listed
    }
    for i, part in enumerate(parts):
        if CONTENTS.match(part.text.strip()):
            continue
        if part.page in listed:
            part.contents = i <= last[part.page]
            if part.contents and part.marker:
                part.kind, part.marker = "paragraph", False
        elif len(part.lines) <= 2 and LEADERS.search(part.text) and ENTRY.search(part.text):
            part.contents = True


def _looks_like(part: Part, looks: Looks) -> bool:
    """Short, of one look, and larger, heavier or of another colour than the body; and no sentence."""
    if (
        part.kind not in ("paragraph", "list_item", "note", "definition")
        or part.contents
        or part.aside
        or len(part.lines) > 4
    ):
        return False
    text = part.text.strip()
    if len(text) > 200 or LEADERS.search(text):
        return False
    letters = sum(c.isalpha() for c in text)
    if letters < 2 and not re.fullmatch(r"\d{1,2}\.?", text):
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
    if text.endswith((";", ",")) or (text.endswith(".") and not _SHORTENED.search(text)):
        return False
    if larger:
        return part.kind != "list_item" or heavy or coloured or size >= 1.3 * body_size
    if not (coloured or bold):
        return False
    if text[0].islower() and not numbered:
        return False
    if text.endswith(":") and not coloured and len(text) > 60:
        return False
    return len(text) <= 140


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


def _levels(headings: list[Part], *, body_on_first: bool) -> None:
    """Levels by size, then weight, then colour; decimals in one look go as deep as their number.

    A look that few headings have takes the level of the next weaker one that many have. A look that only a cover has is
    level 1 and does not push the others down.
    """
    pages: defaultdict[Key, set[int]] = defaultdict(set)
    count: Counter[Key] = Counter(part.key for part in headings)
    for part in headings:
        pages[part.key].add(part.page)
    last = max((part.page for part in headings), default=1)
    cover = {key for key, where in pages.items() if where == {1} and last > 3 and not body_on_first}
    ranked = sorted((key for key in pages if key not in cover), key=lambda k: (-k[0], not k[1], k[2], k[3]))
    level_of: dict[Key, int] = dict.fromkeys(cover, 1)
    level = 1
    for i, key in enumerate(ranked):
        level_of[key] = level
        rare = len(ranked) > 3 and count[key] < max(3, 0.02 * len(headings))
        like_next = (
            i + 1 < len(ranked) and abs(key[0] - ranked[i + 1][0]) < 0.04 * key[0] and key[1] == ranked[i + 1][1]
        )
        if not rare and not (like_next and key[3] == ranked[i + 1][3]):
            level += 1
    depths: defaultdict[Key, Counter[int]] = defaultdict(Counter)
    for part in headings:
        depths[part.key][_depth(part.number)] += 1
    for part in headings:
        known = [d for d in depths[part.key] if d]
        depth = _depth(part.number)
        part.level = level_of[part.key] + (depth - min(known) if known and depth else 0)
    _close_gaps(headings)


def _depth(number: str | None) -> int:
    return number.count(".") + 1 if number and number[0].isdigit() else 0


def _close_gaps(headings: list[Part]) -> None:
    used = sorted({part.level for part in headings})
    place = {level: i + 1 for i, level in enumerate(used)}
    for part in headings:
        part.level = place[part.level]

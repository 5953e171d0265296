"""Running headers, footers and page numbers: what stands at the same place page after page, and the printed numbers."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from citeleaf.backends.pdf_lines import Line

_EDGE = 0.15
"""Headers and footers lie in this part of the page's height from its edge."""
_NUMBER_EDGE = 0.3
_LEAST_BODY = 3
_OFTEN = 5
"""What stands on this many pages may lie further in: beside the text."""
_DIGITS = re.compile(r"\d+")
_ALONE = re.compile(
    r"^\W*(?:(?:page|p\.|pg\.?|seite|sayfa|pagina|página|s\.)\s*)?"
    r"(?P<prefix>[A-Z]{1,2}-|\d{1,2}-)?(?P<value>\d{1,4}|[ivxlc]{1,7})"
    r"(?:\s*(?:of|/|von|de|sur)\s*\d{1,4})?\W*$",
    re.IGNORECASE,
)
_EXPLICIT = re.compile(
    r"\b(?:page|seite|sayfa|pagina|página)\s+(?P<value>\d{1,4})(?:\s*(?:of|/|von|de)\s*\d{1,4})?\b", re.IGNORECASE
)
_FIRST = re.compile(r"^(?P<value>\d{1,4}|[ivxlc]{1,7})\s")
_LAST = re.compile(r"\s(?P<value>\d{1,4}|[ivxlc]{1,7})$")
_ROMAN = re.compile(r"^(?=[ivxlc])(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class PageLines:
    """Lines of a page that run like most of its text, with the page's size in that frame."""

    number: int
    width: float
    height: float
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class _Candidate:
    line: Line
    value: int
    label: str
    kind: str
    alone: bool


@dataclass(slots=True)
class Running:
    """`lines` (by `id`) belong to the page and not to the text; `labels` are the printed numbers by page."""

    lines: set[int] = field(default_factory=set)
    labels: dict[int, str] = field(default_factory=dict)


def find_running(pages: Sequence[PageLines]) -> Running:
    """Lines at the edge that repeat over pages, digits aside, and numbers there that count the pages.

    A line is only taken when nothing but such lines stands between it and the edge of the page, so the body stays.
    """
    running = Running()
    repeated = _repeated(pages)
    _labels(pages, repeated, running)
    for page in pages:
        _peel(page, repeated, running)
        dropped = [line for line in page.lines if id(line) in running.lines]
        if len(page.lines) - len(dropped) < min(_LEAST_BODY, len(dropped)):
            # Pages that say the same, not pages of headers.
            running.lines -= {id(line) for line in dropped if not _ALONE.match(line.text)}
    return running


def _key(line: Line) -> str:
    words = _DIGITS.sub("#", line.text)
    return "#" if _is_roman(words.lower().strip()) else words


def _repeated(pages: Sequence[PageLines]) -> dict[int, int]:
    """Lines near the edge, by `id`, whose words come back at the same height on enough pages: on how many."""
    places: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for page in pages:
        for line in page.lines:
            if _edge(line, page) > _NUMBER_EDGE or len(line.text) > 160:
                continue
            from_top = (line.y0 + line.y1) / 2 < page.height / 2
            place = line.y0 if from_top else page.height - line.y1
            bucket = round(place / 6) * (1 if from_top else -1)
            places[_key(line), bucket].append((page.number, id(line)))
    need = 3 if len(pages) >= 5 else 2
    found: dict[int, int] = {}
    for (key, bucket), seen in places.items():
        near = {n for b in (bucket - 1, bucket, bucket + 1) for n, _ in places.get((key, b), ())}
        if len(near) >= need and (len(near) >= 3 or len(near) >= 0.6 * len(pages)):
            found.update((i, len(near)) for _, i in seen)
    found = _by_place(pages) | found
    free = _outside_body(pages, found)
    return {i: n for i, n in found.items() if i in free}


def _by_place(pages: Sequence[PageLines]) -> dict[int, int]:
    """Small lines that stand alone at the same height on most pages, whatever they say: titles of chapters."""
    places: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for page in pages:
        size: Counter[float] = Counter()
        for line in page.lines:
            size[line.size] += len(line.text)
        usual = min(size, key=lambda s: (-size[s], s)) if size else 0.0
        for line in page.lines:
            if line.size >= 0.95 * usual or len(line.text) > 100 or _edge(line, page) > _EDGE:
                continue
            top = (line.y0 + line.y1) / 2 < page.height / 2
            others = [o for o in page.lines if o.x0 < line.x1 and o.x1 > line.x0 and o is not line]
            gaps = [o.y0 - line.y1 if top else line.y0 - o.y1 for o in others]
            if all(gap > 0.8 * line.height for gap in gaps):
                place = round(line.y0 / 3) if top else -round((page.height - line.y1) / 3)
                places[place, line.style].append((page.number, id(line)))
    found: dict[int, int] = {}
    for seen in places.values():
        on = len({number for number, _ in seen})
        if on >= max(4, 0.5 * len(pages)):
            found.update((i, on) for _, i in seen)
    return found


def _outside_body(pages: Sequence[PageLines], found: dict[int, int]) -> set[int]:
    """Those with no body beyond them on other pages: a heading that often opens a page stands where body stands.

    What stands on left pages only, or on right ones, is held against such pages only.
    """
    body = [[line for line in page.lines if id(line) not in found] for page in pages]
    sides: defaultdict[str, list[int]] = defaultdict(list)
    for page in pages:
        for line in page.lines:
            if id(line) in found:
                sides[_key(line)].append(page.number % 2)
    known: dict[tuple[int, int, int, int], bool] = {}
    kept: set[int] = set()
    for page in pages:
        for line in page.lines:
            if id(line) not in found:
                continue
            side = sides[_key(line)]
            only = page.number % 2 if side.count(page.number % 2) >= 0.8 * len(side) else -1
            place = (round(line.y0), round(line.x0), round(line.x1), only)
            if place not in known:
                top = (line.y0 + line.y1) / 2 < page.height / 2
                others = [b for p, b in zip(pages, body, strict=True) if only < 0 or p.number % 2 == only]
                known[place] = _is_free(line, others, top)
            if known[place]:
                kept.add(id(line))
    return kept


def _is_free(line: Line, others: Sequence[Sequence[Line]], top: bool) -> bool:
    there = [_beyond(line, lines, top) for lines in others]
    beyond, level = there.count("beyond"), there.count("level")
    return beyond < max(2, 0.08 * len(others)) and beyond + level < max(3, 0.3 * len(others))


def _beyond(line: Line, lines: Sequence[Line], top: bool) -> str:
    """Where the body stands over the same stretch: `beyond` the line, on a `level` with it, or neither."""
    place = ""
    for other in lines:
        if other.x0 >= line.x1 or other.x1 <= line.x0:
            continue
        if other.y1 <= line.y0 if top else other.y0 >= line.y1:
            return "beyond"
        if other.y0 < line.y1 and other.y1 > line.y0:
            place = "level"
    return place


def _edge(line: Line, page: PageLines) -> float:
    middle = (line.y0 + line.y1) / 2
    return min(middle, page.height - middle) / max(page.height, 1.0)


def _peel(page: PageLines, repeated: dict[int, int], running: Running) -> None:
    numbers = set(running.lines)
    for top in (True, False):
        ordered = sorted(page.lines, key=lambda line: line.y0 if top else -line.y1)
        kept: list[Line] = []
        for line in ordered:
            known = id(line) in running.lines
            if not known and id(line) in repeated:
                near = _edge(line, page) <= (_NUMBER_EDGE if repeated[id(line)] >= _OFTEN else _EDGE) or not kept
                behind = all(min(line.x1, k.x1) - max(line.x0, k.x0) < 0 for k in kept)
                known = near and behind and ((line.y0 + line.y1) / 2 < page.height / 2) == top
            if known:
                running.lines.add(id(line))
            else:
                kept.append(line)
    body = [line for line in page.lines if id(line) not in running.lines]
    for line in page.lines:
        if id(line) in running.lines and id(line) not in numbers and any(_touches(line, other) for other in body):
            running.lines.discard(id(line))


def _touches(line: Line, other: Line) -> bool:
    """Whether a line stands right above or below another of its look, as lines of one paragraph do."""
    if line.style != other.style or other.x0 >= line.x1 or other.x1 <= line.x0:
        return False
    return max(other.y0 - line.y1, line.y0 - other.y1) < 0.35 * line.height


def _is_roman(word: str) -> bool:
    return bool(word) and bool(_ROMAN.match(word))


def _roman(word: str) -> int:
    total = 0
    for here, after in zip(word, [*word[1:], ""], strict=True):
        value = _ROMAN_VALUES[here]
        total += -value if after and _ROMAN_VALUES[after] > value else value
    return total


def _candidates(page: PageLines, repeated: dict[int, int]) -> list[_Candidate]:
    found: list[_Candidate] = []
    for line in page.lines:
        if _edge(line, page) > _NUMBER_EDGE or len(line.text) > 160:
            continue
        near = _edge(line, page) <= _EDGE
        alone = _ALONE.match(line.text)
        if alone and not (_edge(line, page) > _EDGE / 2 and _is_covered(line, page, repeated)):
            _add(found, line, alone["value"], alone["prefix"] or "", True)
        elif near and (explicit := _EXPLICIT.search(line.text)):
            _add(found, line, explicit["value"], "", False)
        elif near and id(line) in repeated:
            for pattern in (_FIRST, _LAST):
                if part := pattern.search(line.text):
                    _add(found, line, part["value"], "", False)
    return found


def _is_covered(line: Line, page: PageLines, repeated: dict[int, int]) -> bool:
    """Whether text of the body stands between a bare number and the edge of the page: it is a number of that text."""
    if _EXPLICIT.search(line.text):
        return False
    body = [other for other in page.lines if id(other) not in repeated and other is not line]
    return _beyond(line, body, (line.y0 + line.y1) / 2 < page.height / 2) == "beyond"


def _add(found: list[_Candidate], line: Line, word: str, prefix: str, alone: bool) -> None:
    if word.isdigit():
        found.append(_Candidate(line, int(word), prefix + word, "1" + prefix, alone))
    elif _is_roman(word.lower()) and not prefix:
        found.append(_Candidate(line, _roman(word.lower()), word, "i", alone))


def _labels(pages: Sequence[PageLines], repeated: dict[int, int], running: Running) -> None:
    """Numbers that go up with the pages: sequences with most pages first, such that stand alone before others."""
    by_page = {page.number: _candidates(page, repeated) for page in pages}
    votes: Counter[tuple[str, int]] = Counter()
    alone: Counter[tuple[str, int]] = Counter()
    places: set[tuple[int, int]] = set()
    for number, found in by_page.items():
        votes.update({(c.kind, c.value - number) for c in found})
        alone.update({(c.kind, c.value - number) for c in found if c.alone})
    for (kind, offset), n in sorted(votes.items(), key=lambda v: (-v[1] - alone[v[0]], v[0])):
        members = [
            (number, c)
            for number, found in by_page.items()
            if number not in running.labels
            for c in found
            if (c.kind, c.value - number) == (kind, offset)
        ]
        if not _believable(members, n, len(pages)):
            continue
        place = Counter(_place(c.line) for _, c in members)
        for number, c in sorted(members, key=lambda m: (m[0], not m[1].alone, -place[_place(m[1].line)], m[1].line.y0)):
            if number in running.labels:
                continue
            running.labels[number] = c.label
            if c.alone or id(c.line) in repeated:
                running.lines.add(id(c.line))
            places.add(_place(c.line))
    for number, found in by_page.items():
        for c in found:
            # Pages in front may have a roman number of their own, at the place where the others have theirs.
            if number not in running.labels and c.kind == "i" and c.alone and _place(c.line) in places:
                running.labels[number] = c.label
                running.lines.add(id(c.line))


def _believable(members: list[tuple[int, _Candidate]], n: int, pages: int) -> bool:
    numbers = sorted({number for number, _ in members})
    if not numbers:
        return False
    if len(numbers) == 1:
        return any(_EXPLICIT.search(c.line.text) for _, c in members) and pages <= 2
    close = sum(b - a <= 2 for a, b in itertools.pairwise(numbers))
    if len(numbers) == 2:
        return pages <= 4 and close == 1
    return close >= 0.5 * (len(numbers) - 1)


def _place(line: Line) -> tuple[int, int]:
    return round(line.y0 / 12), round((line.x0 + line.x1) / 48)


def labels_of_file(labels: Sequence[str]) -> dict[int, str]:
    """The file's own page labels where they count the pages and say something else than the position; else none."""
    steps = 0
    for before, here in itertools.pairwise(labels):
        a, b = _split(before), _split(here)
        if a is not None and b is not None and a[0] == b[0] and b[1] == a[1] + 1:
            steps += 1
    distinct = len(set(labels)) == len(labels) and all(labels)
    plain = all(label == str(i) for i, label in enumerate(labels, 1))
    if len(labels) < 2 or not distinct or plain or steps < 0.6 * (len(labels) - 1):
        return {}
    return dict(enumerate(labels, 1))


def _split(label: str) -> tuple[str, int] | None:
    if _is_roman(label.lower()):
        return "i", _roman(label.lower())
    number = re.search(r"\d+$", label)
    return ("1" + label[: number.start()], int(number[0])) if number else None

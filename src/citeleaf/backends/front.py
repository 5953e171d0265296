"""What a document states about itself: title, version, effective date, the document it replaces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from citeleaf.types import Block

_NAMES = {
    "title": "title",
    "document title": "title",
    "belge adı": "title",
    "version": "version",
    "document version": "version",
    "version number": "version",
    "version no": "version",
    "revision": "version",
    "sürüm": "version",
    "versiyon": "version",
    "effective": "effective",
    "effective date": "effective",
    "effective from": "effective",
    "effective as of": "effective",
    "date effective": "effective",
    "in force from": "effective",
    "valid from": "effective",
    "yürürlük tarihi": "effective",
    "geçerlilik tarihi": "effective",
    "replaces": "replaces",
    "supersedes": "replaces",
    "yerine geçtiği": "replaces",
    "language": "language",
    "lang": "language",
    "dil": "language",
}
_FIELD = re.compile(r"\W*(?P<name>[^\W\d_][^:\t\n]{1,24}?)\s*(?:[:\t]\s*)+(?P<value>[^\t\n]{1,120})")
_BARE = (
    ("version", re.compile(r"\W*(?:version|revision|sürüm|versiyon)\s+(?P<value>v?\d[\w.-]{0,15})\W*", re.I)),
    (
        "effective",
        re.compile(
            r"\W*(?:effective|in force|valid)(?: date)?(?: from| as of| on)?\s+"
            r"(?P<value>\d{1,4}[ /.-].{3,20}|[A-Z][a-z]+ \d.{3,14}?)\W*",
            re.I,
        ),
    ),
)
_BETWEEN = re.compile(r"\s+[|·•]\s+|;\s+")
_LEADING_BLOCKS = 30
_LONGEST_LINE = 200


def field_name(name: str) -> str | None:
    """The field a label stands for: `effective` for `Effective date`; None for one that is not known."""
    return _NAMES.get(" ".join(name.casefold().split()))


def stated(text: str, blocks: Sequence[Block]) -> tuple[tuple[str, str], ...]:
    """Fields written out among the first blocks: `Version: 3.1`, `Effective from 1 July 2024`, a table row of both.

    Each field once, as first stated, in order. `title` is not taken from running text, only from a labelled line.
    """
    leading = (text[block.span.start : block.span.end] for block in blocks[:_LEADING_BLOCKS])
    return in_lines(line for words in leading for line in words.splitlines())


def in_lines(lines: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Fields written out in these lines, each once, as first stated, in order."""
    found: dict[str, str] = {}
    for line in lines:
        if len(line) > _LONGEST_LINE:
            continue
        for part in _BETWEEN.split(line):
            for name, value in _field(part):
                found.setdefault(name, value)
    return tuple(found.items())


def _field(part: str) -> list[tuple[str, str]]:
    labelled = _FIELD.fullmatch(part.strip())
    if labelled and (name := field_name(labelled["name"])):
        return [(name, labelled["value"].strip())]
    return [(name, m["value"].strip()) for name, pattern in _BARE if (m := pattern.fullmatch(part.strip()))]

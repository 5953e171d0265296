"""Contents pages: their entries are joined with the page numbers that stand far to the right."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_lines import Line, dress
from citeleaf.backends.pdf_styles import Style

CONTENTS = re.compile(
    r"^(?:table of )?contents(?: page)?$|^in this (?:document|guide|booklet)$|^inhalt(?:sverzeichnis)?$|^içindekiler$"
    r"|^sommaire$|^table des matières$|^índice$|^contenido$",
    re.IGNORECASE,
)
ENTRY = re.compile(r"(?:[.…·_ ]{4,}|\s)\s*(?:\d{1,4}|[ivxlc]{1,6})$")
LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|_{6,}")
_NUMBER = re.compile(r"^(?:[.…·_ ]*)(?:\d{1,4}|[ivxlc]{1,6})$")
_LEAST = 4
"""Entries that make a contents list."""


def is_contents(lines: Sequence[Line], *, after_contents: bool) -> bool:
    """Whether a page lists contents: it says so and has entries, or it follows such a page and is mostly entries."""
    numbers = sum(line.text[-1:].isalnum() and _NUMBER.match(line.text) is not None for line in lines)
    entries = sum("..." in line.text.replace(" ", "") and ENTRY.search(line.text) is not None for line in lines)
    if numbers + entries < _LEAST:
        return False
    texts = len(lines) - numbers
    if any(len(line.text) < 40 and CONTENTS.match(line.text.strip()) for line in lines):
        return numbers + entries >= 0.25 * max(texts, 1)
    return (after_contents and numbers + entries >= 0.4 * max(texts, 1)) or entries >= 0.5 * len(lines)


def join_entries(lines: Sequence[Line], page: RawPage, styles: list[Style]) -> list[Line]:
    """Lines with each lone number joined to the text on its left; lines that end with their number are entries."""
    words = [line for line in lines if not _NUMBER.match(line.text)]
    out: list[Line] = list(words)
    for number in (line for line in lines if _NUMBER.match(line.text)):
        beside = [
            line
            for line in words
            if line.x1 <= number.x0 + 1
            and min(line.y1, number.y1) - max(line.y0, number.y0) > 0.4 * min(line.height, number.height)
        ]
        if not beside:
            out.append(number)
            continue
        text = max(beside, key=lambda line: line.x1)
        text.pieces = text.pieces + number.pieces
        text.x1, text.y0, text.y1 = number.x1, min(text.y0, number.y0), max(text.y1, number.y1)
        dress(text, page, styles)
        text.entry = True
    for line in out:
        if LEADERS.search(line.text) and ENTRY.search(line.text):
            line.entry = True
    return out

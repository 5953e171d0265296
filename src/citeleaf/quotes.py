"""Exact words of a document: comparing them, joining neighbours, reading them on one line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from citeleaf.types import Passage, Quote, Span, Unit

_SPACE = re.compile(r"\s+")
_SAME = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "‛": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "–": "-",
        "—": "-",
        "−": "-",
        "‐": "-",
        "‑": "-",
        "\u00ad": None,
        "\u200b": None,
        "\ufeff": None,
    }
)


def one_line(text: str) -> str:
    """Runs of white space become one space; nothing else changes."""
    return _SPACE.sub(" ", text).strip()


def folded(text: str) -> str:
    """For comparing words: compatibility forms joined, case, kinds of quotation marks, dashes and spaces made alike."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME).casefold()).strip()


def quotes_of(unit: Unit) -> tuple[Quote, ...]:
    """The words a unit is read with, in the order they are read: its lead, outermost first, then its own."""
    return (*unit.lead, unit.quote)


def joined(quotes: Iterable[Quote], passage: Passage) -> tuple[Quote, ...]:
    """The quotes in reading order, each once; those with only white space between them, or that overlap, become one.

    Quotes are joined only inside the passage, so that the result is exact; one that lies inside another goes.
    """
    out: list[Quote] = []
    for quote in sorted(set(quotes), key=lambda q: (q.span.start, -q.span.end)):
        last = out[-1] if out else None
        if last is not None and quote.span.end <= last.span.end:
            continue
        if last is not None and _adjoin(last, quote, passage):
            out[-1] = cut(passage, last.span.start, quote.span.end)
        else:
            out.append(quote)
    return tuple(out)


def cut(passage: Passage, start: int, end: int) -> Quote:
    """The words of a passage between two offsets of its document's text."""
    return Quote(Span(start, end), passage.text[start - passage.span.start : end - passage.span.start])


def whole(passage: Passage) -> Quote:
    """All words of a passage, outer white space left out."""
    text = passage.text
    start = passage.span.start + len(text) - len(text.lstrip())
    return cut(passage, start, start + len(text.strip()))


def _adjoin(a: Quote, b: Quote, passage: Passage) -> bool:
    if a.span.start < passage.span.start or b.span.end > passage.span.end:
        return False
    between = passage.text[a.span.end - passage.span.start : b.span.start - passage.span.start]
    return b.span.start <= a.span.end or not between.strip()

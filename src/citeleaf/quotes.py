"""Exact words of a document: comparing them, joining neighbours, reading them on one line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from citeleaf.types import Passage, Quote, Span, Unit

OMITTED = "[…]"
"""Said where items of a list are left out: no word of any document."""
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


def introduction(unit: Unit) -> tuple[Quote, ...]:
    """The sentences of a unit's lead, outermost first: what its columns say is left out."""
    columns = [span for column in unit.columns for span in column]
    return tuple(quote for quote in unit.lead if not any(_holds(quote.span, span) for span in columns))


def words_of(unit: Unit) -> str:
    """A unit's own words as they are said, on one line; a table row's cells each under its headings.

    `Event: Theft; Excess, Standard: $1,000`: headings of one column are joined by commas, outermost first; empty cells
    are left out; two cells without headings are a name and its value.
    """
    quotes = quotes_of(unit)
    said: list[tuple[str, str]] = []
    for column in unit.columns:
        cell, *headings = [next((_part(q, span) for q in quotes if _holds(q.span, span)), "") for span in column]
        if cell:
            said.append((", ".join(h.rstrip(" :") for h in headings if h), cell))
    if not said:
        return one_line(unit.quote.text)
    if len(said) == 2 and not any(heading for heading, _ in said):
        said = [(said[0][1].rstrip(" :"), said[1][1])]
    out = ""
    for heading, words in said:
        out += (" " if out.endswith((".", ";", ":", "!", "?")) else "; ") if out else ""
        out += f"{heading}: {words}" if heading else words
    return out


def spoken(units: Iterable[Unit]) -> list[tuple[Quote, str]]:
    """How units are said in reading order, a line each: what introduces them once, then their own words.

    Each line with the quote that it says; a table's column headings are said in its rows.
    """
    out: dict[Quote, str] = {}
    for unit in units:
        for quote in introduction(unit):
            out.setdefault(quote, one_line(quote.text))
        out.setdefault(unit.quote, words_of(unit))
    return list(out.items())


def said(quotes: Iterable[Quote], passage: Passage) -> str:
    """How the units of a passage that lie in these quotes are said, on one line (see `spoken`)."""
    spans = [quote.span for quote in quotes]
    inside = [unit for unit in passage.units if any(_holds(span, unit.quote.span) for span in spans)]
    told = {span for unit in inside for column in unit.columns for span in column}
    names = [
        u for u in inside if u.kind == "table_row" and not u.columns and any(_holds(u.quote.span, s) for s in told)
    ]
    rows = (unit for unit in inside if unit not in names)
    return " ".join(words for _, words in spoken(rows))


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


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _part(quote: Quote, span: Span) -> str:
    return one_line(quote.text[span.start - quote.span.start : span.end - quote.span.start])


def _adjoin(a: Quote, b: Quote, passage: Passage) -> bool:
    if a.span.start < passage.span.start or b.span.end > passage.span.end:
        return False
    between = passage.text[a.span.end - passage.span.start : b.span.start - passage.span.start]
    return b.span.start <= a.span.end or not between.strip()

"""A question about a day in the past is asked of the versions in force on that day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from citeleaf.language.quantities import quantities
from citeleaf.types import DocId, Document, Query

_ASKED = re.compile(
    r"\b(?:as (?:of|at)|in force|effective|applied|applicable|valid|under the (?:\w+ ){0,2}version"
    r"|version (?:of|from|in force)"
    r"|policy (?:of|from|on|in)|rules? (?:of|from|on|in)|back in|on|until|itibarıyla|tarihinde|yürürlükte\w*)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"\b(?:in|of|from|for|back in|during|the)\s+((?:19|20)\d\d)\b(?!\s*(?:days|hours|%|dollars))", re.IGNORECASE
)
_NEAR = 24
"""Characters before a date in which words must ask for what was in force then."""


def in_force(query: Query, documents: Sequence[Document]) -> Query:
    """The query with the documents in force on the day that it asks about; unchanged where it names no such day.

    Of documents that replace one another, the one with the latest effective date not after that day is asked; a year
    without a day means its last day. Documents without an effective date, or in no chain, stay as they are. A query
    that names its documents, and one that no replaced document answers to, is left alone.
    """
    if query.doc_ids or not any(d.replaces for d in documents):
        return query
    day = asked_day(query.text)
    if day is None:
        return query
    chosen = [d.id for d in documents if d.role == "policy" and _chosen(d, documents, day)]
    current = {d.id for d in documents if d.role == "policy" and not _replaced(d, documents)}
    return query if not chosen or set(chosen) == current else replace(query, doc_ids=tuple(sorted(chosen)))


def asked_day(text: str) -> date | None:
    """The day that a question asks about, the last of a year where it names only that.

    >>> asked_day("Which limit was in force on 3 May 2021?"), asked_day("What is the limit?")
    (datetime.date(2021, 5, 3), None)
    """
    for amount in quantities(text):
        if amount.unit == "date" and amount.year and _ASKED.search(text[max(0, amount.start - _NEAR) : amount.start]):
            month, day = divmod(int(amount.value), 100)
            try:
                return date(amount.year, month, day)
            except ValueError:
                continue
    year = _YEAR.search(text)
    return date(int(year[1]), 12, 31) if year and _ASKED.search(text) else None


def _chosen(document: Document, documents: Sequence[Document], day: date) -> bool:
    versions = chain(document, documents)
    if len(versions) < 2:
        return True
    dated = [(when, d.id) for d in versions if (when := _day(d.effective)) is not None and when <= day]
    return bool(dated) and max(dated)[1] == document.id


def chain(document: Document, documents: Sequence[Document]) -> list[Document]:
    """The documents that replace one another with this one among them."""
    ids: set[DocId] = {document.id}
    size = 0
    while len(ids) != size:
        size = len(ids)
        ids |= {d.id for d in documents if d.replaces in ids}
        ids |= {d.replaces for d in documents if d.id in ids and d.replaces}
    return [d for d in documents if d.id in ids]


def _replaced(document: Document, documents: Sequence[Document]) -> bool:
    return any(d.replaces == document.id for d in documents)


def _day(effective: str | None) -> date | None:
    try:
        return date.fromisoformat(effective) if effective else None
    except ValueError:
        return None

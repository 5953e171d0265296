"""Lists and tables in an answer: which items belong together, and the sign where some of them are left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from citeleaf.backends.quote_score import Candidate
from citeleaf.quotes import OMITTED, introduction, spoken
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.types import DocId, Span, Unit

List: TypeAlias = tuple[DocId, str, Span]
"""A list or table: its document, the kind of its items, and the sentence or heading that they share."""
Places: TypeAlias = Mapping[tuple[DocId, Span], tuple[List, int, int]]
"""The list, number and total of each item, by its place in its document."""

_ALL = re.compile(r"\band\W*$|\bve\W*$", re.IGNORECASE)
_ALL_LEAD = re.compile(r"\b(?:all|each|both) of the (?:following|\w+ below)\b", re.IGNORECASE)


def list_of(doc_id: DocId, unit: Unit) -> List | None:
    """The innermost list or the table that a unit is an item of."""
    if unit.position is None or not unit.lead:
        return None
    shared = unit.lead[-1] if unit.kind == "list_item" else unit.lead[0]
    return doc_id, unit.kind, shared.span


def places_of(candidates: Iterable[Candidate]) -> Places:
    """Where each item of the candidates' passages stands in its list, those that only introduce others included."""
    out: dict[tuple[DocId, Span], tuple[List, int, int]] = {}
    for passage in {c.evidence.passage.id: c.evidence.passage for c in candidates}.values():
        for unit in passage.units:
            owner = list_of(passage.doc_id, unit)
            if owner is not None and unit.position is not None:
                out[passage.doc_id, unit.quote.span] = (owner, *unit.position)
    return out


def asked_list(best: Candidate, candidates: Iterable[Candidate], question: str) -> list[Candidate]:
    """All candidates of the list that is asked for, in the candidates' order; of nested lists, by what introduces them.

    The list is the one whose introduction holds the most terms of the question, of equal ones the innermost.
    """
    wanted = set(terms(question, guess_language(question)))
    leads = best.unit.lead if best.unit.kind == "list_item" else best.unit.lead[:1]
    if not leads:
        return []
    depth = max(range(len(leads)), key=lambda d: (len(wanted & set(terms(leads[d].text))), d)) + 1
    return [
        c
        for c in candidates
        if c.unit.kind == best.unit.kind and c.unit.lead[:depth] == leads[:depth] and same_document(c, best)
    ]


def pointed(ranked: Sequence[Candidate], question: str) -> list[Candidate]:
    """The candidates with the best one, if it is a table row, behind those of its table with more of the question.

    What counts are the terms of the question in the rows' own cells: all rows share headings and lead.
    """
    best = ranked[0]
    mine = list_of(best.evidence.passage.doc_id, best.unit)
    if mine is None or best.unit.kind != "table_row":
        return list(ranked)
    rows = [c for c in ranked if list_of(c.evidence.passage.doc_id, c.unit) == mine]
    first = max(rows, key=lambda c: (len(_in_cells(c, question)), -ranked.index(c)))
    return [first, *(c for c in ranked if c is not first)]


def less_to_the_point(row: Candidate, picked: Collection[Candidate], question: str) -> bool:
    """Whether a table row's own cells add nothing to what is picked.

    They hold no term of the question, or lack one that those of a picked row of the same table hold.
    """
    mine = list_of(row.evidence.passage.doc_id, row.unit)
    if mine is None or row.unit.kind != "table_row":
        return False
    held = _in_cells(row, question)
    others = [_in_cells(c, question) for c in picked if list_of(c.evidence.passage.doc_id, c.unit) == mine]
    return (bool(picked) and not held) or any(other - held for other in others)


def _in_cells(row: Candidate, question: str) -> set[str]:
    """The terms of the question that a row's own cells hold, and those of the rows above that reach into it."""
    language = guess_language(question)
    cells = [row.unit.quote.text, *(q.text for q in row.unit.lead if q.span in {c[0] for c in row.unit.columns})]
    return set(terms(question, language)) & set(terms(" ".join(cells), language))


def must_be_whole(items: Sequence[Candidate]) -> bool:
    """Whether the items of a list hold together: the last but one ends in `and`, or the lead says `all of`."""
    if any(_ALL_LEAD.search(quote.text) for c in items[:1] for quote in c.unit.lead[-1:]):
        return True
    return any(_ALL.search(c.unit.quote.text) for c in items)


def same_document(a: Candidate, b: Candidate) -> bool:
    """Whether two candidates stand in one document."""
    return a.evidence.passage.doc_id == b.evidence.passage.doc_id


def numbers_said(chosen: Iterable[Candidate], places: Places) -> dict[List, set[int]]:
    """The numbers of the items that are said, by list: those chosen and those that introduce them."""
    out: dict[List, set[int]] = {}
    for c in chosen:
        for quote in (*introduction(c.unit), c.unit.quote):
            place = places.get((c.evidence.passage.doc_id, quote.span))
            if place is not None:
                out.setdefault(place[0], set()).add(place[1])
    return out


def lines_of(run: Sequence[Candidate], places: Places, said: Mapping[List, Collection[int]]) -> list[str]:
    """The lines in which a run of units is said, with `OMITTED` where items are left out, also behind a last colon.

    A row that nothing introduces stands for itself: nothing is left out around it.
    """
    doc_id = run[0].evidence.passage.doc_id
    found = [(words, places.get((doc_id, quote.span))) for quote, words in spoken(c.unit for c in run)]
    alone = len(run) == 1 and run[0].unit.kind == "table_row" and not introduction(run[0].unit)
    if alone:
        return [words for words, _ in found]
    out: list[str] = []
    open_: list[tuple[List, int, int]] = []
    for words, place in found:
        if place is not None:
            owner, n, _ = place
            while open_ and open_[-1][0] != owner and any(o == owner for o, _, _ in open_):
                _end(open_.pop(), said, out)
            if open_ and open_[-1][0] == owner:
                open_.pop()
            if n > 1 and n - 1 not in said[owner]:
                _omit(out)
            open_.append(place)
        out.append(words)
    while open_:
        _end(open_.pop(), said, out)
    if out[-1].endswith(":"):
        _omit(out)
    return out


def _end(place: tuple[List, int, int], said: Mapping[List, Collection[int]], out: list[str]) -> None:
    owner, n, total = place
    if n < total and n + 1 not in said[owner]:
        _omit(out)


def _omit(out: list[str]) -> None:
    if out[-1:] != [OMITTED]:
        out.append(OMITTED)

"""Two documents that disagree on one point: the same words with another number, period, date, duty or negation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeleaf.types import Check, DocId, Passage, Quote
from citeleaf.verify.align import Piece, match, pieces
from citeleaf.verify.finding import Finding, Sides
from citeleaf.verify.run import checks, contradictions

POINTS = ("numbers", "periods", "dates", "units", "comparators", "modality", "negation")
"""Checks whose contradiction makes a conflict; the others read too much into a difference of wording."""
_EITHER = 0.95
_OTHER = 0.6
"""Least shares of the one's and of the other's content words that both hold."""
_WORDS = 3
_ALL = 60
"""Pieces of other documents that are looked at for one quotation."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two passages of different documents with the words that disagree, and the check that says so."""

    first: Passage
    said: Quote
    second: Passage
    other: Quote
    check: Check


def conflict(
    quote: Quote, home: Passage, others: Sequence[Passage], aside: frozenset[DocId] = frozenset()
) -> Conflict | None:
    """The first passage of another document that says otherwise than these words do, or None.

    Both must speak of the same thing: three content words in common, all of the one's and three fifths of the other's,
    so that a gate and a shed are two things. Documents `aside` are left out.
    """
    mine = next((p for p in pieces(home) if _meets(p.own, quote)), None)
    if mine is None:
        return None
    looked = 0
    for passage in others:
        if passage.doc_id == home.doc_id or passage.doc_id in aside:
            continue
        for theirs in pieces(passage):
            looked += 1
            if looked > _ALL:
                return None
            found = _against(mine, theirs)
            if found is not None:
                return Conflict(home, mine.own, passage, theirs.own, found.check())
    return None


def _against(mine: Piece, theirs: Piece) -> Finding | None:
    there, here = match(mine.reading, theirs), match(theirs.reading, mine)
    low, high = sorted((there.coverage, here.coverage))
    if len(there.pairs) < _WORDS or high < _EITHER or low < _OTHER or not there.near:
        return None
    found = contradictions(checks(Sides(mine.reading, (there,))))
    mirrored = {f.name for f in contradictions(checks(Sides(theirs.reading, (here,))))}
    return next((f for f in found if f.name in POINTS and f.name in mirrored), None)


def _meets(own: Quote, quote: Quote) -> bool:
    return own.span.start < quote.span.end and quote.span.start < own.span.end

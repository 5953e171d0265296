"""Whether a claim is the documents' own words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from citeleaf.quotes import OMITTED, folded, quotes_of, said
from citeleaf.sentences import sentences
from citeleaf.types import Citation, Passage, Quote, Span

_MOST_SENTENCES = 4
"""Sentences of one unit that a claim may repeat without the others."""


def verbatim(claim: str, cites: Sequence[Citation], passages: Sequence[Passage]) -> Quote | None:
    """The words that a claim repeats, folded, the sign of what was left out aside.

    They are one cited quotation after another, or what these say when each cell of a table row is said under its
    headings, or one or two units side by side, with their leads, or whole sentences of a unit without a lead; of
    several quotations the first is given. None where the claim is no quotation.
    """
    wanted = _bare(claim.replace(OMITTED, " "))
    if not wanted:
        return None
    homes = {p.id: p for p in passages}
    for cite in cites:
        if not cite.quotes:
            continue
        home = homes.get(cite.passage_id or "")
        if wanted == _bare(" ".join(q.text for q in cite.quotes)):
            return cite.quotes[0]
        if home is not None and wanted == _bare(said(cite.quotes, home)):
            return cite.quotes[0]
    for passage in passages:
        alone = [_bare(" ".join(q.text for q in quotes_of(u))) for u in passage.units]
        for unit, words in zip(passage.units, alone, strict=True):
            if wanted == words:
                return unit.quote
            if not unit.lead and wanted in words and (own := _sentences(wanted, unit.quote)) is not None:
                return own
        for first, (a, b) in zip(alone, pairwise(passage.units), strict=False):
            if (not b.lead or b.lead == a.lead) and wanted == f"{first} {_bare(b.quote.text)}":
                return a.quote
    return None


def _sentences(wanted: str, quote: Quote) -> Quote | None:
    """Whole sentences of a unit, one after another, that are the wanted words."""
    spans = sentences(quote.text)
    for i in range(len(spans)):
        for k in range(i, min(len(spans), i + _MOST_SENTENCES)):
            text = quote.text[spans[i].start : spans[k].end]
            if _bare(text) == wanted:
                at = quote.span.start
                return Quote(Span(at + spans[i].start, at + spans[k].end), text)
    return None


def _bare(text: str) -> str:
    return folded(text).strip(" .;,:\"'•-")

"""Which sentence introduces which blocks: lists, tables, and what stands under a section that ends in a colon."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeleaf.boxes import Parsed
from citeleaf.ingest import definitions
from citeleaf.ingest.units import sentences, without_bullet
from citeleaf.types import Block, Section, Span

_FOLLOWS = re.compile(r"\b(?:following|below|as follows|aşağıdaki\w*)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\(?(?P<outer>(?:\d{1,3}\.)*)(?P<last>\d{1,3})(?P<mark>[.)]?)\s")
_BESIDE = ("note", "caption")
"""What may stand between a sentence and the table that it introduces, and between rows of a table."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A sentence that ends a section of this level and introduces what stands under it."""

    level: int
    lead: Span


def led(parsed: Parsed, sections: Sequence[Section], tongue: str) -> tuple[Block, ...]:
    """The parser's blocks, definitions recognised, each with the sentences that introduce it, outermost first.

    The leads of list items are cut to the sentence that introduces them. A table is introduced by the sentence right
    before it when that ends in a colon or says that something follows. Where a section ends in a colon, all of its
    sub-sections lean on that sentence, `We do not cover loss caused by:`, up to a clause with the next number. Of a
    section that begins with a table, only the table does; and that also beside the section, under a heading without
    number: it is the table's title.
    """
    reader = _Reader(parsed, tongue)
    out: list[Block] = []
    starts = [block.span.start for block in parsed.blocks]
    above: list[_Open] = []
    hidden = [section.span for section in sections if not section.indexed]
    for section in sections:
        own = parsed.blocks[bisect_left(starts, section.span.start) : bisect_left(starts, section.span.end)]
        titled = _NUMBER.match(f"{section.title} ") is None and section.title[:1].isalpha()
        above = [o for o in above if o.level < section.level or (o is above[-1] and titled and _is_table(own))]
        among = any(definitions.defines(title) for title in section.path)
        for block in reader.blocks(own, above):
            # What stands in contents and the like is never quoted, so it introduces nothing elsewhere.
            lead = block.lead if not section.indexed else tuple(x for x in block.lead if not _within(x, hidden))
            out.append(definitions.recognise(parsed.text, replace(block, lead=lead), among_definitions=among))
        above = [o for o in above if o.level < section.level]
        if own and own[-1].kind in ("paragraph", "list_item") and parsed.text[own[-1].span.end - 1] == ":":
            above.append(_Open(section.level, reader.introduction(own[-1].span)))
    return tuple(out)


def _within(lead: Span, spans: Sequence[Span]) -> bool:
    return any(span.start <= lead.start < span.end for span in spans)


def _is_table(blocks: Sequence[Block]) -> bool:
    """Whether a table is the first thing among the blocks."""
    return next((block.kind for block in blocks if block.kind not in _BESIDE), "") == "table_row"


class _Reader:
    """One document's sentences that introduce something, each cut once."""

    def __init__(self, parsed: Parsed, tongue: str) -> None:
        self._text = parsed.text
        self._tongue = tongue
        self._known: dict[Span, Span] = {}

    def introduction(self, lead: Span) -> Span:
        """The last sentence of a block, without a bullet sign."""
        if lead not in self._known:
            found = sentences(self._text, without_bullet(self._text, lead), language=self._tongue)
            self._known[lead] = found[-1] if found else lead
        return self._known[lead]

    def blocks(self, own: Sequence[Block], above: list[_Open]) -> list[Block]:
        """A section's blocks with all of their leads; takes out of `above` what a clause with the next number ends."""
        tabular = _is_table(own)
        out: list[Block] = []
        intro: tuple[Span, ...] = ()
        before: Block | None = None
        apart = False
        for block in own:
            above[:] = [o for o in above if not self._goes_on_after(o.lead, block)]
            inherited = tuple(o.lead for o in above)
            if block.kind == "table_row":
                if before is not None and before.kind != "table_row":
                    intro, tabular = self._of_table(before), False
                elif before is not None and apart and block.lead != before.lead:
                    intro = ()
                out.append(replace(block, lead=(*inherited, *intro, *block.lead)))
            else:
                own_leads = (self.introduction(lead) for lead in block.lead)
                out.append(replace(block, lead=(*(() if tabular else inherited), *own_leads)))
            apart = block.kind in _BESIDE
            before = before if apart else block
        return out

    def _of_table(self, before: Block) -> tuple[Span, ...]:
        """The sentence before a table, if it introduces the table."""
        last = self.introduction(before.span)
        words = self._text[last.start : last.end]
        return (last,) if words.endswith(":") or (before.kind == "paragraph" and _FOLLOWS.search(words)) else ()

    def _goes_on_after(self, lead: Span, block: Block) -> bool:
        """Whether a block is a clause with a later number than the lead's own: 20.3.2 after 20.3.1."""
        here = _NUMBER.match(self._text, lead.start, lead.end)
        there = _NUMBER.match(self._text, block.span.start, block.span.end)
        if here is None or there is None or here["outer"] != there["outer"] or here["mark"] != there["mark"]:
            return False
        return bool(here["outer"] or here["mark"]) and int(there["last"]) > int(here["last"])

"""Writes the text of a parsed document piece by piece and keeps where each piece stands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from citeleaf.boxes import Boxes, Parsed
from citeleaf.types import Block, BlockKind, Heading, Notice, Page, Span

_CONTROL = {n: " " for n in (*range(1, 9), 11, 12, *range(14, 32), *range(127, 160))}
_SURROGATES = re.compile("[\ud800-\udfff]")
# Soft hyphens, byte order marks and the invisible tag letters: no reader sees them, and the last can spell out words.
_DROPPED = {0: None, 0xAD: None, 0xFEFF: None, **dict.fromkeys(range(0xE0000, 0xE0080))}
_CLEAN = {**_CONTROL, **_DROPPED, 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
_NUMBER = re.compile(r"((?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3}){0,5})[.)]?\s+\S|([A-Z]|[IVX]{1,5})[.)]\s+\S")


def clean(text: str) -> str:
    """The text without NUL, soft hyphens, byte order marks and invisible tag letters; lone surrogates become U+FFFD.

    Line ends become `\\n`; other control characters but tabs become spaces.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CLEAN)
    return _SURROGATES.sub("\ufffd", text)


def heading_number(text: str) -> str | None:
    """The number a heading begins with: `3.2` of `3.2 Source of funds`, `A` of `A. Scope`, `IV` of `IV) Fees`."""
    found = _NUMBER.match(text)
    return (found[1] or found[2]) if found else None


class Writer:
    """Collects headings and blocks in reading order.

    Blocks are set apart by an empty line, list items and table rows by a line end. What is empty leaves no trace.
    """

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.notices: list[Notice] = []
        self._pages: list[tuple[int, int]] = []
        self._parts: list[str] = []
        self._length = 0
        self._last: BlockKind | None = None

    def heading(self, text: str, level: int) -> Span | None:
        """Adds a heading; its printed number is read from its words."""
        text = " ".join(clean(text).split())
        if not text:
            return None
        span = self._write(text, "heading")
        self.headings.append(Heading(span, level, heading_number(text)))
        return span

    def block(self, kind: BlockKind, text: str, lead: tuple[Span, ...] = ()) -> Span | None:
        """Adds a block; white space at its ends is left out."""
        text = clean(text).strip()
        if not text:
            return None
        span = self._write(text, kind)
        self.blocks.append(Block(kind, span, lead))
        return span

    def definition(self, term: str, meaning: str) -> Span | None:
        """Adds a definition: the term on its own line, then what it means."""
        term, meaning = clean(term).strip(), clean(meaning).strip()
        if not term or not meaning:
            return self.block("paragraph", term or meaning)
        span = self._write(f"{term}\n{meaning}", "definition")
        self.blocks.append(Block("definition", span, cells=(Span(span.start, span.start + len(term)),)))
        return span

    def row(
        self,
        cells: Sequence[str],
        heads: Mapping[int, Sequence[Span]] | None = None,
        above: Mapping[int, Span] = MappingProxyType({}),
    ) -> list[Span | None]:
        """Adds a table row, cells set apart by tabs, and gives where each cell stands (None: empty).

        An empty cell between others keeps its tab; empty cells at the ends are left out. `heads`: the headings of each
        column, outermost first, or None for a row of headings; `above`: cells of earlier rows that the row is read
        with, by column, -1 before all.
        """
        words = [" ".join(clean(cell).split()) for cell in cells]
        filled = [i for i, word in enumerate(words) if word]
        if not filled:
            return [None] * len(words)
        shown = words[filled[0] : filled[-1] + 1]
        span = self._write("\t".join(shown), "table_row")
        places: list[Span | None] = [None] * len(words)
        at = span.start
        for i, word in enumerate(shown, start=filled[0]):
            places[i] = Span(at, at + len(word)) if word else None
            at += len(word) + 1
        filled_in = {i: place for i, place in enumerate(places) if place is not None}
        of = heads or {}
        lead = dict.fromkeys(span for i in sorted(of) for span in of[i])
        said = {**dict.fromkeys(of, Span(span.end, span.end)), **above, **filled_in}
        columns = () if heads is None else tuple((cell, *of.get(i, ())) for i, cell in sorted(said.items()))
        reaching = (cell for i, cell in sorted(above.items()) if i not in filled_in)
        self.blocks.append(Block("table_row", span, (*lead, *reaching), tuple(filled_in.values()), columns))
        return places

    def page(self, number: int) -> None:
        """What is added from here on stands on this page."""
        self._pages.append((number, self._length))

    def finish(
        self,
        *,
        title: str | None,
        language: str | None = None,
        front: tuple[tuple[str, str], ...] = (),
    ) -> Parsed:
        """The whole document."""
        text = "".join(self._parts)
        starts = [0, *(start for _, start in self._pages[1:])]
        ends = [*starts[1:], len(text)]
        pages = tuple(
            Page(number, Span(start, end), quality="good" if text[start:end].strip() else "no_text")
            for (number, _), start, end in zip(self._pages, starts, ends, strict=False)
        )
        title = " ".join(clean(title).split()) if title else None
        return Parsed(
            title=title or None,
            text=text,
            pages=pages,
            headings=tuple(self.headings),
            blocks=tuple(self.blocks),
            notices=tuple(self.notices),
            boxes=Boxes.empty(),
            language=language,
            front=front,
        )

    def _write(self, text: str, kind: BlockKind) -> Span:
        close = kind in ("list_item", "table_row") and self._last in (kind, "paragraph", "definition")
        if kind == "table_row" and self._last != "table_row":
            close = False
        gap = "" if not self._length else "\n" if close else "\n\n"
        start = self._length + len(gap)
        self._parts += [gap, text]
        self._length = start + len(text)
        self._last = kind
        return Span(start, self._length)

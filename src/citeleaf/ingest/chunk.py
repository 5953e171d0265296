"""Cuts a document's indexed sections into passages, each an exact slice of one section."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citeleaf import ids
from citeleaf.ingest import definitions
from citeleaf.ingest.units import quote_of, sentences, trim, units
from citeleaf.settings import ChunkSettings
from citeleaf.types import Block, Document, Passage, Section, Span, Unit

_WORD = re.compile(r"\S+")
_SMALL = 6
"""A passage under size / 6 is small: it goes with the first part of a long block that follows."""
_SHORT = 3
"""A last passage under size / 3 is short: it takes pieces from the one before it."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a section that is cut only if it must be, between `parts`. `leads`: it introduces the next piece."""

    span: Span
    parts: tuple[Span, ...] = ()
    leads: bool = False
    term: str | None = None


def chunk(document: Document, settings: ChunkSettings) -> tuple[Passage, ...]:
    """The passages of all indexed sections in reading order; the same document and settings give the same passages.

    `text == document.text[span]`, never across a section and never with white space at its ends; the passages of a
    section hold all its characters but white space and its heading line. A heading alone gives no passage.

    `sections`: whole blocks up to `size` characters. A definition, with what belongs to it, is a passage of its own
    with `term`; a list or table that fits is kept whole; a longer one is cut between items or rows and the later
    passages name its lead-in or column headings in `context`; a lead-in is never cut from its first item; a block
    longer than `size` is cut at sentence ends, with up to `overlap` characters of whole sentences shared. `words`:
    windows of `size` words that share `overlap`. `paragraphs`: one block each, merged with the next when shorter than
    `merge_below`, cut like `sections` when longer than `size`. An `overlap` over half of `size` counts as half.
    """
    reader = _Reader(document, settings)
    return tuple(passage for section in document.sections if section.indexed for passage in reader.passages(section))


class _Reader:
    """One document with its blocks and units at hand by position."""

    def __init__(self, document: Document, settings: ChunkSettings) -> None:
        self.document = document
        self.text = document.text
        self.settings = settings
        self.overlap = min(settings.overlap, settings.size // 2)
        self.block_starts = [block.span.start for block in document.blocks]
        limit = None if settings.kind == "words" else settings.size
        self.units_of = [units(self.text, block, language=document.language, limit=limit) for block in document.blocks]
        self.units = [unit for found in self._positioned() for unit in found]
        self.unit_ends = [unit.quote.span.end for unit in self.units]
        self.page_starts = [page.span.start for page in document.pages]

    def passages(self, section: Section) -> Iterator[Passage]:
        first = bisect_left(self.block_starts, section.span.start)
        last = bisect_left(self.block_starts, section.span.end)
        if first == last:
            return
        if self.settings.kind == "words":
            pieces = self._by_words(first, last)
        elif self.settings.kind == "paragraphs":
            pieces = self._by_paragraphs(first, last)
        else:
            pieces = self._by_groups(first, last, any(definitions.defines(title) for title in section.path))
        for n, piece in enumerate(pieces, start=1):
            yield self._passage(section, n, piece)

    def _passage(self, section: Section, n: int, piece: _Piece) -> Passage:
        span = piece.span
        text = self.text[span.start : span.end]
        return Passage(
            id=ids.passage_id(self.document.id, section.id, n),
            doc_id=self.document.id,
            section_id=section.id,
            heading=section.path,
            span=span,
            text=text,
            pages=self._pages(span),
            sha256=ids.sha256_text(text),
            context=self._context(section, span),
            term=piece.term,
            units=self._units(span),
        )

    def _pages(self, span: Span) -> tuple[int, ...]:
        first = max(0, bisect_right(self.page_starts, span.start) - 1)
        last = bisect_left(self.page_starts, span.end)
        touched = self.document.pages[first:last]
        return tuple(p.number for p in touched if p.span.start < span.end and span.start < p.span.end)

    def _units(self, span: Span) -> tuple[Unit, ...]:
        """Units inside the span; those that cross an end of it are cut there."""
        out = []
        for i in range(bisect_right(self.unit_ends, span.start), len(self.units)):
            unit, at = self.units[i], self.units[i].quote.span
            if at.start >= span.end:
                break
            if span.start <= at.start and at.end <= span.end:
                out.append(unit)
            elif (quote := quote_of(self.text, max(at.start, span.start), min(at.end, span.end))) is not None:
                out.append(replace(unit, quote=quote, columns=()))
        return tuple(out)

    def _positioned(self) -> list[tuple[Unit, ...]]:
        """The units of each block, those of list items and table rows with their position.

        Items count under their innermost lead, rows under their first; rows of headings count for nothing.
        """
        headings = {span for block in self.document.blocks for column in block.columns for span in column[1:]}
        groups: dict[tuple[str, Span], list[int]] = {}
        for i, block in enumerate(self.document.blocks):
            if block.kind in ("list_item", "table_row") and block.lead and not headings.intersection(block.cells):
                key = block.lead[-1] if block.kind == "list_item" else block.lead[0]
                groups.setdefault((block.kind, key), []).append(i)
        out = list(self.units_of)
        for members in groups.values():
            for n, i in enumerate(members, 1):
                out[i] = tuple(replace(unit, position=(n, len(members))) for unit in out[i])
        return out

    def _context(self, section: Section, span: Span) -> str:
        """Lead-ins and column headings outside the slice and the section's heading, each once, in reading order."""
        lines: list[str] = []
        seen: set[Span] = set()
        first = max(0, bisect_right(self.block_starts, span.start) - 1)
        for block in self.document.blocks[first : bisect_left(self.block_starts, span.end)]:
            if block.span.end <= span.start:
                continue
            headings = {span for column in block.columns for span in column[1:]}
            for among, sign in ((False, " "), (True, " | ")):
                leads = [lead for lead in (*block.lead, *self._opening(block, span)) if (lead in headings) == among]
                outside = [x for x in leads if x not in seen and not (span.start <= x.start and x.end <= span.end)]
                seen.update(outside)
                words = [" ".join(self.text[lead.start : lead.end].split()) for lead in outside]
                if words := [w for w in words if w and w not in section.path]:
                    lines.append(sign.join(words))
        return "\n".join(lines)

    def _opening(self, block: Block, span: Span) -> tuple[Span, ...]:
        """The first sentence of a definition that goes on in this slice."""
        if block.kind != "definition" or span.start <= block.span.start:
            return ()
        return tuple(
            {quote.span: None for unit in self._units(span) for quote in unit.lead if quote.span not in block.lead}
        )

    def _by_groups(self, first: int, last: int, among_definitions: bool) -> list[_Piece]:
        done: list[_Piece] = []
        run: list[_Piece] = []
        for group in self._groups(first, last, among_definitions):
            pieces = self._pieces(group)
            if self.document.blocks[group[0]].kind == "definition":
                done += self._pack(run)
                run = []
                done += [
                    replace(piece, term=pieces[0].term if i == 0 else None)
                    for i, piece in enumerate(self._pack(pieces))
                ]
            else:
                run += pieces
        return done + self._pack(run)

    def _groups(self, first: int, last: int, among_definitions: bool) -> list[list[int]]:
        """Blocks tied by their leads: a list with what introduces it, the rows of a table.

        Among definitions, what follows one up to the next belongs to it: `Stock does not include tobacco.`
        """
        groups: list[list[int]] = []
        for i in range(first, last):
            block = self.document.blocks[i]
            defined = among_definitions and bool(groups) and self.document.blocks[groups[-1][0]].kind == "definition"
            if groups and (self._tied(groups[-1], block) or (defined and block.kind != "definition")):
                groups[-1].append(i)
            else:
                groups.append([i])
        return groups

    def _tied(self, group: Sequence[int], block: Block) -> bool:
        head, before = self.document.blocks[group[0]], self.document.blocks[group[-1]]
        if block.kind == "definition":
            return False
        if any(head.span.start <= lead.start < block.span.start for lead in block.lead):
            return True
        if block.kind == "table_row":
            return before.kind == "table_row" and block.lead[:1] == before.lead[:1]
        return (
            head.kind != "definition"
            and block.kind == before.kind
            and bool(block.lead)
            and block.lead[0] in before.lead
        )

    def _pieces(self, group: Sequence[int]) -> list[_Piece]:
        """One piece if the group fits a passage; else one a block, the sentence that introduces a list by itself."""
        pieces: list[_Piece] = []
        for i, after in zip(group, [*group[1:], None], strict=True):
            block = self.document.blocks[i]
            whole = trim(self.text, block.span.start, block.span.end)
            if whole is None:
                continue
            parts = [unit.quote.span for unit in self.units_of[i]]
            term = None
            if block.kind == "definition" and block.cells:
                term = " ".join(self.text[block.cells[0].start : block.cells[0].end].split())
            leads = after is not None and any(
                whole.start <= lead.start < whole.end for lead in self.document.blocks[after].lead
            )
            if leads and block.kind == "paragraph" and len(parts) > 1:
                body = Span(whole.start, parts[-2].end)
                pieces.append(_Piece(body, tuple(parts[:-1]), term=term))
                pieces.append(_Piece(parts[-1], (parts[-1],), leads=True))
            else:
                pieces.append(_Piece(whole, tuple(parts), leads, term))
        if pieces and pieces[-1].span.end - pieces[0].span.start <= self.settings.size:
            return [_joined(pieces)]
        return pieces

    def _pack(self, pieces: Sequence[_Piece]) -> list[_Piece]:
        """As many pieces a passage as fit into `size`."""
        size = self.settings.size
        done: list[list[_Piece]] = []
        open_: list[_Piece] = []
        for piece in pieces:
            if open_ and piece.span.end - open_[0].span.start > size:
                carried = self._carried(open_, piece)
                if kept := open_[: len(open_) - len(carried)]:
                    done.append(kept)
                open_ = carried
            start = open_[0].span.start if open_ else piece.span.start
            if piece.span.end - start <= size:
                open_.append(piece)
                continue
            windows = self._windows(start, piece)
            done += [[window] for window in windows[:-1]]
            open_ = [replace(windows[-1], leads=piece.leads)]
        if open_:
            done.append(open_)
        self._balance(done)
        return [_joined(group) for group in done]

    def _carried(self, open_: Sequence[_Piece], piece: _Piece) -> list[_Piece]:
        """What of a full passage goes on to the next: the piece's lead-ins; all of it when small and the piece long."""
        size = self.settings.size
        if piece.span.end - piece.span.start > size and piece.span.start - open_[0].span.start < size // _SMALL:
            return list(open_)
        n = len(open_)
        while n > 0 and open_[n - 1].leads and piece.span.start - open_[n - 1].span.start <= size // 2:
            n -= 1
        return list(open_[n:])

    def _windows(self, start: int, piece: _Piece) -> list[_Piece]:
        """The piece, and what stands from `start` to it, cut between its parts, with overlap."""
        size = self.settings.size
        parts = list(piece.parts)
        out: list[_Piece] = []
        first = 0
        while True:
            last = first
            while last < len(parts) and parts[last].end - start <= size:
                last += 1
            if last == first:
                room = size - (parts[first].start - start)
                parts[first : first + 1] = sentences(self.text, parts[first], limit=room)
                continue
            out.append(
                _Piece(Span(start, parts[last - 1].end), tuple(parts[first:last]), term=None if out else piece.term)
            )
            if last == len(parts):
                return out
            first = last
            while first > 0 and parts[last - 1].end - parts[first - 1].start <= self.overlap:
                first -= 1
            while first < last and parts[last].end - parts[first].start > size:
                first += 1
            start = parts[first].start

    def _balance(self, groups: list[list[_Piece]]) -> None:
        """A short last passage takes pieces from the one before it, as long as that one stays the longer."""
        if len(groups) < 2 or len(groups[-2]) < 2:
            return
        before, last = groups[-2], groups[-1]
        end = last[-1].span.end
        if end - last[0].span.start >= self.settings.size // _SHORT:
            return
        for n in range(1, len(before)):
            kept, moved = before[n - 1].span.end - before[0].span.start, end - before[n].span.start
            if moved <= min(kept, self.settings.size) and not before[n - 1].leads:
                groups[-2:] = [before[:n], before[n:] + last]
                return

    def _by_paragraphs(self, first: int, last: int) -> list[_Piece]:
        size, least = self.settings.size, self.settings.merge_below
        done: list[_Piece] = []
        for piece in (piece for i in range(first, last) for piece in self._pieces([i])):
            if piece.span.end - piece.span.start > size:
                done += self._windows(piece.span.start, piece)
            elif (
                done
                and done[-1].span.end - done[-1].span.start < least
                and piece.span.end - done[-1].span.start <= size
            ):
                done[-1] = _joined([done[-1], piece])
            else:
                done.append(piece)
        if len(done) > 1 and done[-1].span.end - done[-1].span.start < least:
            joined = _joined(done[-2:])
            if joined.span.end - joined.span.start <= size:
                done[-2:] = [joined]
        return done

    def _by_words(self, first: int, last: int) -> list[_Piece]:
        blocks = self.document.blocks
        words = [m.span() for m in _WORD.finditer(self.text, blocks[first].span.start, blocks[last - 1].span.end)]
        step = self.settings.size - self.overlap
        out = []
        for start in range(0, len(words), step):
            window = words[start : start + self.settings.size]
            out.append(_Piece(Span(window[0][0], window[-1][1])))
            if start + self.settings.size >= len(words):
                break
        return out


def _joined(pieces: Sequence[_Piece]) -> _Piece:
    parts = tuple(part for piece in pieces for part in piece.parts)
    return _Piece(Span(pieces[0].span.start, pieces[-1].span.end), parts, pieces[-1].leads, pieces[0].term)

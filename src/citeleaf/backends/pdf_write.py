"""Parts to the document's text, with the span of every block and the box of every word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from citeleaf.backends.pdf_aligned import Cell
from citeleaf.backends.pdf_blocks import Part
from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_heads import headings_over
from citeleaf.backends.pdf_lines import Line
from citeleaf.backends.pdf_lists import last_sentence
from citeleaf.boxes import Boxes
from citeleaf.types import Block, Heading, Span

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_HYPHENS = ("-", "\u2010", "\u2011")
_PREFIXES = frozenset(
    "non self cross anti co pre post multi sub semi well long short high low third first second half full part all "
    "ex mid inter intra over under out off on in up re de un e vice risk one two three four five".split()
)
_SUFFIXES = frozenset(
    "able ably al ally ance ances ant ation ations cial cially ed ence ences ent er ers es est ful ible ic ical ing "
    "ings ion ions ise ised ism ist ity ive ize ized less ly ment ments ness ous sion sions tial tially tic ting tion "
    "tional tions tive ture tures ty ual ure ures".split()
)


@dataclass(slots=True)
class Written:
    """The document's text and everything that has a place in it. `starts` is where each page's text starts."""

    text: str
    headings: list[Heading] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    boxes: Boxes = field(default_factory=Boxes.empty)
    starts: dict[int, int] = field(default_factory=dict)


class Writer:
    """Writes parts one after the other. `pages` are the raw pages by number."""

    def __init__(self, pages: dict[int, RawPage], lines: Iterable[Line]) -> None:
        self._pages = pages
        self._lines_of_body = lines
        self._known: tuple[Counter[str], Counter[str]] | None = None
        self._out: list[str] = []
        self._at = 0
        self._spans: list[tuple[int, int]] = []
        self._where: list[tuple[int, int]] = []
        self._starts: dict[int, int] = {}

    def write(self, parts: Sequence[Part]) -> Written:
        """Text, headings, blocks and boxes of all parts, in order."""
        spans: dict[int, Span] = {}
        cells: dict[int, list[Span]] = {}
        before: Part | None = None
        for part in parts:
            if before is not None:
                self._space("\n" if _tight(before, part) else "\n\n")
            start = self._at
            if part.cells:
                cells[id(part)] = self._cells(part)
            else:
                first = len(self._spans)
                self._lines(part.lines)
                if part.term:
                    cells[id(part)] = [Span(self._spans[first][0], self._spans[first + part.term - 1][1])]
            spans[id(part)] = Span(start, self._at)
            before = part
        text = "".join(self._out)
        written = Written(text, boxes=self._boxes(), starts=self._starts)
        rows = _rows(parts, cells)
        for part in parts:
            span = spans[id(part)]
            if part.kind == "heading":
                written.headings.append(Heading(span, max(part.level, 1), part.number))
                continue
            row = rows.get(id(part), _NO_ROW)
            lead = row.lead if part.table is not None else _leads(part, spans, text)
            own = cells.get(id(part), [])
            if part.kind == "definition":
                own = [_bare(own[0], text)]
            written.blocks.append(Block(part.kind, span, lead, tuple(own), row.columns))
        return written

    def _space(self, words: str) -> None:
        self._out.append(words)
        self._at += len(words)

    def _cells(self, part: Part) -> list[Span]:
        spans: list[Span] = []
        for cell in part.cells:
            if not cell:
                continue
            if spans:
                self._space("\t")
            start = self._at
            self._lines(cell)
            spans.append(Span(start, self._at))
        return spans

    def _lines(self, lines: Sequence[Line]) -> None:
        for k, line in enumerate(lines):
            if k:
                self._join(lines[k - 1], line)
            self._line(line)

    def _line(self, line: Line) -> None:
        page = self._pages[line.page]
        self._starts.setdefault(line.page, self._at)
        texts, glued, spans = page.texts, page.glued, self._spans
        at, before = self._at, -2
        for i in line.pieces:
            if before >= 0 and not (glued[i] and before == i - 1):
                at += 1
            end = at + len(texts[i])
            spans.append((at, end))
            at, before = end, i
        self._where.extend((line.page, i) for i in line.pieces)
        self._out.append(line.text)
        self._at = at

    def _join(self, above: Line, line: Line) -> None:
        """A space between two lines, nothing after a hyphen; the hyphen goes where a word was only broken."""
        last, first = above.text, line.text
        if not last.endswith(_HYPHENS):
            if not (_is_han(last[-1:]) and _is_han(first[:1])):
                self._space(" ")
            return
        left = re.search(r"([^\W\d_]+)[-\u2010\u2011]$", last)
        right = re.match(r"([^\W\d_]+)", first)
        if left is None or right is None:
            self._space("" if re.search(r"\w[-\u2010\u2011]$", last) else " ")
            return
        if self._was_broken(left[1], right[1]) and len(left[0]) > 1:
            self._out[-1] = self._out[-1][:-1]
            self._at -= 1
            start, _ = self._spans.pop()
            if start < self._at:
                self._spans.append((start, self._at))
            else:  # the hyphen was a piece of its own
                self._where.pop()

    def _was_broken(self, left: str, right: str) -> bool:
        if self._known is None:
            self._known = _vocabulary(self._lines_of_body)
        words, inner = self._known
        a, b = left.lower(), right.lower()
        whole, kept = words[a + b], words[f"{a}-{b}"]
        if whole or kept:
            return whole >= kept if right[0].islower() else not kept
        if not right[0].islower() or a in _PREFIXES or len(a) < 2 or len(b) < 2 or inner[a]:
            return False
        return b in _SUFFIXES or not inner[b]

    def _boxes(self) -> Boxes:
        n = len(self._spans)
        if not n:
            return Boxes.empty()
        rects = np.empty((n, 4), np.float32)
        numbers, which = np.array(self._where, np.int32).T
        for number in np.unique(numbers).tolist():
            page = self._pages[number]
            here = numbers == number
            size = np.array((page.width, page.height, page.width, page.height), np.float32)
            rects[here] = page.boxes[which[here]] / np.maximum(size, 1e-6)
        return Boxes(np.array(self._spans, np.int32), numbers, np.clip(rects, 0.0, 1.0))


def _vocabulary(lines: Iterable[Line]) -> tuple[Counter[str], Counter[str]]:
    """How often each word stands in the document, and inside a line: there it is no part of a broken word."""
    words: Counter[str] = Counter()
    inner: Counter[str] = Counter()
    for line in lines:
        found = _WORD.findall(line.text.lower())
        words.update(found[:-1] if line.text.endswith(_HYPHENS) else found)
        inner.update(found[1:-1])
    return words, inner


def _is_han(char: str) -> bool:
    return bool(char) and ("\u2e80" <= char <= "\ua4cf" or "\uf900" <= char <= "\ufaff" or "\uff00" <= char <= "\uffef")


def _bare(term: Span, text: str) -> Span:
    """A term without the quotation marks around it and the colon or dash after it."""
    words = text[term.start : term.end]
    left = len(words) - len(words.lstrip("“”\"‘’'«»"))
    right = len(words.rstrip(" :,–—“”\"‘’'«»"))
    return Span(term.start + left, term.start + right) if right > left else term


def _tight(before: Part, part: Part) -> bool:
    """Items of one list and rows of one table stand close."""
    if part.table is not None:
        return before.table is part.table
    return part.kind == "list_item" and before.kind in ("list_item", "paragraph", "definition")


@dataclass(frozen=True, slots=True)
class _Row:
    """What a row is read with: its column headings and the names of its group, and its cells under them."""

    lead: tuple[Span, ...] = ()
    columns: tuple[tuple[Span, ...], ...] = ()


_NO_ROW = _Row()


def _rows(parts: Sequence[Part], cells: dict[int, list[Span]]) -> dict[int, _Row]:
    """Each row with its column headings, and with the name of its group where it has no first cell.

    A table that goes on over a page keeps the headings of its start. A row of one cell in another style than the rows
    under it names them. Where it cannot be told which heading stands over which column, the cells have none.
    """
    out: dict[int, _Row] = {}
    heads: list[dict[int, Span]] = []
    over_each: Sequence[Mapping[int, int]] | None = []
    shapes: list[list[Cell]] = []
    first: dict[int, Span] = {}
    over: dict[int, Span] = {}
    table = None
    edges: list[float] = []
    for i, part in enumerate(parts):
        if part.table is None:
            if part.kind not in ("note", "caption"):
                edges = []
            continue
        if part.table is not table:
            alike = len(edges) == len(part.table.edges) or (table is not None and len(table.rows) == table.heads)
            goes_on = bool(edges) and alike and part.table.heads == 0
            heads, shapes = (heads, shapes) if goes_on else ([], [])
            over = over if goes_on else {}
            table, edges, first = part.table, part.table.edges, {}
        filled = dict(zip((c for c, cell in enumerate(part.cells) if cell), cells[id(part)], strict=False))
        if part.row < part.table.heads:
            heads, shapes = ([*heads, filled], [*shapes, part.cells]) if part.row else ([filled], [part.cells])
            over_each = headings_over(shapes, part.table.box[2])
            continue
        if _names_rows(part, parts[i + 1 : i + 2]):
            over, first = {-1: filled[0]}, {}
            continue
        if part.cells[0]:
            first = {0: filled[0]}
        above = over if part.cells[0] else over | first
        lead = (*(span for row in heads for span in row.values()), *above.values())
        end = max(span.end for span in filled.values())
        said = {c: Span(end, end) for row in heads for c in row} | above | filled
        named = list(zip(heads, over_each or [], strict=False))
        known = not heads or (over_each is not None and max(c for row in heads for c in row) < len(part.table.edges))
        columns = sorted(said.items()) if known and part.kind == "table_row" else []
        headed = ((cell, *(row[of[c]] for row, of in named if c in of)) for c, cell in columns)
        out[id(part)] = _Row(lead, tuple(headed))
    return out


def _names_rows(part: Part, after: Sequence[Part]) -> bool:
    """Whether a row holds one cell, its first, set in another style than the row that follows."""
    if not after or after[0].table is not part.table or len(part.cells) < 3 or any(part.cells[1:]):
        return False
    below = [line.style for cell in after[0].cells for line in cell]
    return sum(map(bool, after[0].cells)) > 1 and all(line.style not in below for line in part.lines)


def _leads(part: Part, spans: dict[int, Span], text: str) -> tuple[Span, ...]:
    """The sentences that introduce a list item, outermost first."""
    chain: list[Span] = []
    intro = part.intro
    while intro is not None and len(chain) < 8:
        span = spans[id(intro)]
        words = text[span.start : span.end]
        chain.append(Span(span.start + last_sentence(words), span.end))
        intro = intro.intro
    return tuple(reversed(chain))

"""What must hold for every `Parsed`, whatever parser made it."""

from __future__ import annotations

import numpy as np

from citeleaf.boxes import Parsed
from citeleaf.types import Span

KINDS = {"paragraph", "list_item", "table_row", "definition", "note", "caption"}
QUALITIES = {"good", "no_text", "garbled", "ocr"}


def check_parsed(parsed: Parsed) -> None:
    """Raises `AssertionError` naming the first rule that is broken."""
    _check_text(parsed.text)
    _check_pages(parsed)
    _check_cover(parsed)
    _check_blocks(parsed)
    _check_boxes(parsed)
    for notice in parsed.notices:
        assert notice.code and notice.code == notice.code.lower(), f"notice code {notice.code!r}"
        assert notice.page is None or 1 <= notice.page <= len(parsed.pages), f"notice on page {notice.page}"


def _check_text(text: str) -> None:
    text.encode("utf-8")  # no lone surrogates
    bad = sorted({c for c in text if (c < " " and c not in "\n\t") or c in "\x7f\u00ad"})
    assert not bad, f"control characters or soft hyphens in the text: {bad!r}"


def _check_pages(parsed: Parsed) -> None:
    if not parsed.pages:
        return
    assert [p.number for p in parsed.pages] == list(range(1, len(parsed.pages) + 1)), "page numbers from 1, ascending"
    at = 0
    for page in parsed.pages:
        assert page.span.start == at, f"page {page.number} starts at {page.span.start}, not {at}"
        assert page.span.end >= at, f"page {page.number} ends before it starts"
        assert page.quality in QUALITIES, page.quality
        assert page.label is None or page.label.strip(), f"page {page.number} has an empty label"
        at = page.span.end
    assert at == len(parsed.text), f"pages end at {at}, the text at {len(parsed.text)}"


def _check_cover(parsed: Parsed) -> None:
    """Headings and blocks, in reading order, disjoint, trimmed, cover all but white space."""
    for name, spans in (("headings", [h.span for h in parsed.headings]), ("blocks", [b.span for b in parsed.blocks])):
        assert spans == sorted(spans, key=lambda s: s.start), f"{name} are not in reading order"
    spans = sorted([h.span for h in parsed.headings] + [b.span for b in parsed.blocks], key=lambda s: (s.start, s.end))
    at = 0
    for span in spans:
        _in_bounds(span, parsed)
        assert span.start >= at, f"{span} overlaps what ends at {at}: {parsed.text[span.start : span.end]!r}"
        left_out = parsed.text[at : span.start]
        assert not left_out.strip(), f"neither heading nor block: {left_out.strip()[:80]!r} before {span}"
        words = parsed.text[span.start : span.end]
        assert words.strip() == words, f"{span} has white space at its ends: {words!r}"
        at = span.end
    assert not parsed.text[at:].strip(), f"neither heading nor block: {parsed.text[at:].strip()[:80]!r}"


def _check_blocks(parsed: Parsed) -> None:
    for heading in parsed.headings:
        assert heading.level >= 1, f"heading level {heading.level}"
        assert heading.number is None or heading.number.strip(), "empty heading number"
    for block in parsed.blocks:
        assert block.kind in KINDS, f"block kind {block.kind!r}"
        for lead in block.lead:
            _in_bounds(lead, parsed)
            assert lead.end <= block.span.start or lead.start >= block.span.end, f"lead {lead} inside its block"
        at = block.span.start
        for cell in block.cells:
            assert at <= cell.start < cell.end <= block.span.end, f"cell {cell} of block {block.span}"
            at = cell.end
        if block.kind == "definition":
            assert len(block.cells) == 1, "a definition has one cell: the term"
        else:
            assert not block.cells or block.kind == "table_row", f"a {block.kind} has cells"


def _check_boxes(parsed: Parsed) -> None:
    boxes = parsed.boxes
    n = len(boxes.pages)
    assert boxes.spans.shape == (n, 2) and boxes.rects.shape == (n, 4), "shapes of the boxes"
    assert (boxes.spans.dtype, boxes.pages.dtype, boxes.rects.dtype) == (np.int32, np.int32, np.float32), "dtypes"
    if not n:
        return
    starts, ends = boxes.spans[:, 0], boxes.spans[:, 1]
    assert (starts < ends).all() and starts[0] >= 0 and ends[-1] <= len(parsed.text), "box spans in bounds"
    assert (starts[1:] >= ends[:-1]).all(), "box spans ascending and disjoint"
    assert np.isfinite(boxes.rects).all() and (boxes.rects >= 0).all() and (boxes.rects <= 1).all(), "rects in [0, 1]"
    assert (boxes.rects[:, 0] <= boxes.rects[:, 2]).all() and (boxes.rects[:, 1] <= boxes.rects[:, 3]).all(), "rects"
    assert parsed.pages, "boxes in a format without pages"
    for page in parsed.pages:
        inside = (starts >= page.span.start) & (ends <= page.span.end)
        assert (boxes.pages[inside] == page.number).all(), f"a box of another page on page {page.number}"
    assert ((boxes.pages >= 1) & (boxes.pages <= len(parsed.pages))).all(), "box pages"
    boxed = np.zeros(len(parsed.text) + 1, np.int32)
    np.add.at(boxed, starts, 1)
    np.add.at(boxed, ends, -1)
    covered = np.cumsum(boxed)[: len(parsed.text)] > 0
    bare = [i for i in np.flatnonzero(~covered).tolist() if not parsed.text[i].isspace()]
    assert not bare, f"no box for {parsed.text[bare[0] : bare[0] + 30]!r} at {bare[0]}"


def _in_bounds(span: Span, parsed: Parsed) -> None:
    assert 0 <= span.start < span.end <= len(parsed.text), f"{span} out of bounds or empty"

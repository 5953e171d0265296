"""Definitions: what a term means, in words, in a list of terms, or in a table of two columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeleaf.backends.pdf_blocks import Looks, Part
from citeleaf.backends.pdf_chars import RawPage

_MEANS = re.compile(
    r"^[“\"‘']?(?P<term>[^.;:“”\"]{1,80}?)[”\"’']?,?\s+(?:(?:shall|will|has|have|is|are)\s+)?"
    r"(?:means?\b|defined\s+(?:as|to)\b|(?:the\s+)?(?:same\s+)?meaning\b|refers?\s+to\b|includes?\b)"
)
_TERM_WORDS = re.compile(r"^[“\"‘'(]?[A-Z0-9]")
_COLON = re.compile(r"^(?P<term>[^.;:!?]{1,60}):\s+\S")
_DASH = re.compile(r"^(?P<term>[^.;:!?]{1,60}?)\s+[–—]\s+\S")
_LIST = re.compile(
    r"\b(?:definitions?|glossary|terms|meanings?|abbreviations|interpretation|words with|key words|tanımlar|begriffe)"
    r"\b",
    re.IGNORECASE,
)
_TERM_HEAD = re.compile(r"^(?:defined )?(?:term|word|expression|abbreviation|acronym)s?(?: used)?$", re.IGNORECASE)
_NO_TERM = frozenset({"this", "that", "these", "it", "which", "what", "the", "a", "by", "in", "no", "note", "example"})


def find_terms(parts: Sequence[Part], looks: Looks, pages: dict[int, RawPage]) -> None:
    """Turns paragraphs and rows that define a term into definitions, and marks the term.

    A paragraph says what its term means, the term set bold, in quotation marks or in capitals. Under a heading such as
    "Definitions" a term and a colon will do, and so will a table of two columns.
    """
    listed = False
    for part in parts:
        if part.kind == "heading":
            listed = _LIST.search(part.text) is not None and len(part.text) < 80
        elif part.kind == "table_row":
            _row(part, listed)
        elif part.kind == "paragraph" and not part.contents:
            part.term = _term(part, looks, pages[part.page], listed)
            if part.term:
                part.kind = "definition"


def _row(part: Part, listed: bool) -> None:
    table = part.table
    if table is None or len(table.edges) != 2 or part.row < table.heads or len(part.cells) != 2 or not all(part.cells):
        return
    head = table.rows[0][0] if table.heads else []
    named = bool(head) and _TERM_HEAD.match(" ".join(line.text for line in head).strip()) is not None
    term = sum(len(line.pieces) for line in part.cells[0])
    if (named or listed) and term <= 12:
        part.kind, part.term = "definition", term


def _term(part: Part, looks: Looks, page: RawPage, listed: bool) -> int:
    """How many pieces at the start are the term that the paragraph defines; 0 when it defines none."""
    text = part.text
    pieces = [i for line in part.lines for i in line.pieces]
    if len({line.page for line in part.lines}) > 1:
        pieces = list(part.lines[0].pieces)
    heavy = _heavy(pieces, looks, page)
    match = _MEANS.match(text)
    if match is not None:
        term = match["term"].split()
        start = 1 if text[:1] in "“\"‘'" else 0
        if 0 < heavy < len(pieces) and heavy <= 14 and len(term) <= 14:
            means = "mean" in match[0]
            return max(heavy, _pieces_of(match.end("term") + start, pieces, page)) if means else heavy
        titled = len(term) <= 6 and all(_TERM_WORDS.match(w) or len(w) <= 4 for w in term) and text[:1].isupper()
        if (start or titled) and "mean" in match[0] and not _opens_a_sentence(term):
            return _pieces_of(match.end("term") + start, pieces, page)
    if listed and 0 < heavy < len(pieces) and heavy <= 8:
        return heavy
    match = (_COLON.match(text) or _DASH.match(text)) if listed else None
    if match is not None and len(match["term"].split()) <= 6 and not _opens_a_sentence(match["term"].split()):
        return _pieces_of(match.end("term"), pieces, page)
    return 0


def _heavy(pieces: Sequence[int], looks: Looks, page: RawPage) -> int:
    """How many pieces at the start are heavier than the body."""
    n = 0
    for i in pieces:
        if looks.styles[page.styles[i]].weight - looks.weight < 120:
            break
        n += 1
    return n


def _opens_a_sentence(words: Sequence[str]) -> bool:
    return bool(words) and words[0].lower() in _NO_TERM


def _pieces_of(chars: int, pieces: Sequence[int], page: RawPage) -> int:
    at = 0
    for n, i in enumerate(pieces, 1):
        at += len(page.texts[i]) + (0 if n == 1 or page.glued[i] else 1)
        if at >= chars:
            return n
    return 0

"""Documents and passages as rows of the SQLite store, and back."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from citeleaf.boxes import Boxes
from citeleaf.types import Block, BlockKind, Document, Notice, Page, Passage, Quote, Section, Span, Unit

_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
_LEVEL = 3
"""Compression level: higher ones cost more time than they save space."""

DOCUMENT = "n, id, title, source, sha256, language, version, effective, replaces, role, notices"
"""Columns of `document` in the order that `document_of` reads them."""
PASSAGE = """p.id, d.id, c.section, c.heading, c.start, c.stop, c.text, c.pages, c.sha256, c.context, p.term, c.units
    FROM passage p JOIN passage_content c ON c.passage = p.n JOIN document d ON d.n = p.document"""
"""Columns and tables in the order that `passage_of` reads them."""


def insert_document(db: sqlite3.Connection, document: Document, boxes: Boxes, recipe: str) -> int:
    """Writes everything of a document but its passages; gives the number of its row."""
    d = document
    notices = _dump([(n.code, n.detail, n.page) for n in d.notices])
    row = db.execute(
        """INSERT INTO document
        (id, title, source, sha256, language, version, effective, replaces, role, notices, recipe)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n""",
        (d.id, d.title, d.source, d.sha256, d.language, d.version, d.effective, d.replaces, d.role, notices, recipe),
    ).fetchone()
    n = int(row[0])
    db.execute("INSERT INTO content VALUES (?, ?, ?, ?)", (n, d.text, _blocks_to(d.blocks), boxes.to_bytes()))
    db.executemany(
        "INSERT INTO section VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (n, i, s.id, s.title, s.level, _dump(s.path), s.span.start, s.span.end, s.indexed)
            for i, s in enumerate(d.sections)
        ),
    )
    db.executemany(
        "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?)",
        ((n, p.number, p.span.start, p.span.end, p.label, p.quality) for p in d.pages),
    )
    return n


def document_of(
    row: Sequence[Any], pages: Iterable[Sequence[Any]], sections: Iterable[Sequence[Any]], text: str, blocks: bytes
) -> Document:
    """A document from its row (`DOCUMENT`), those of its pages and sections, and its content."""
    _, id_, title, source, sha256, language, version, effective, replaces, role, notices = row
    return Document(
        id=id_,
        title=title,
        source=source,
        sha256=sha256,
        text=text,
        pages=tuple(Page(n, Span(start, stop), label, quality) for n, start, stop, label, quality in pages),
        sections=tuple(
            Section(sid, name, level, tuple(json.loads(path)), Span(start, stop), bool(indexed))
            for sid, name, level, path, start, stop, indexed in sections
        ),
        blocks=_blocks_from(blocks) if blocks else (),
        notices=tuple(Notice(code, detail, page) for code, detail, page in json.loads(notices)),
        language=language,
        version=version,
        effective=effective,
        replaces=replaces,
        role=role,
    )


def insert_passage(
    db: sqlite3.Connection, document: int, position: int, searchable: bool, passage: Passage, terms: Sequence[str]
) -> None:
    """Writes one passage and its index entry; `terms` are the texts of the three columns, terms joined by blanks."""
    p = passage
    n = int(
        db.execute(
            "INSERT INTO passage (id, document, position, searchable, term) VALUES (?, ?, ?, ?, ?) RETURNING n",
            (p.id, document, position, searchable, p.term),
        ).fetchone()[0]
    )
    db.execute(
        "INSERT INTO passage_content VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            n,
            p.section_id,
            _dump(p.heading),
            p.span.start,
            p.span.end,
            p.text,
            _dump(p.pages),
            p.sha256,
            p.context,
            _units_to(p),
        ),
    )
    db.execute("INSERT INTO passage_fts (rowid, heading, context, body) VALUES (?, ?, ?, ?)", (n, *terms))


def passage_of(row: Sequence[Any]) -> Passage:
    """A passage from its row (`PASSAGE`)."""
    id_, doc_id, section, heading, start, stop, text, pages, sha256, context, term, units = row
    span = Span(start, stop)
    return Passage(
        id=id_,
        doc_id=doc_id,
        section_id=section,
        heading=tuple(json.loads(heading)),
        span=span,
        text=text,
        pages=tuple(json.loads(pages)),
        sha256=sha256,
        context=context,
        term=term,
        units=_units_from(units, span, text),
    )


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _flat(spans: Iterable[Span]) -> list[int]:
    return [edge for span in spans for edge in (span.start, span.end)]


def _spans(flat: Sequence[int]) -> tuple[Span, ...]:
    return tuple(map(Span, flat[::2], flat[1::2]))


def _blocks_to(blocks: Iterable[Block]) -> bytes:
    rows = [
        (_KINDS.index(b.kind), b.span.start, b.span.end, _flat(b.lead), _flat(b.cells), *map(_flat, b.columns))
        for b in blocks
    ]
    return zlib.compress(_dump(rows).encode(), _LEVEL)


def _blocks_from(data: bytes) -> tuple[Block, ...]:
    rows = json.loads(zlib.decompress(data))
    return tuple(
        Block(_KINDS[kind], Span(start, stop), _spans(lead), _spans(cells), tuple(map(_spans, columns)))
        for kind, start, stop, lead, cells, *columns in rows
    )


def _units_to(passage: Passage) -> str:
    """`[quotes, units, tables]`: each quote once, words inside the passage by place alone.

    A unit names its quotes by number; after those of its lead stands `[position, total]`, where it has one. `tables`
    holds the columns of units by the unit's number.
    """
    numbers: dict[Quote, int] = {}
    units = [
        (
            _KINDS.index(u.kind),
            *(numbers.setdefault(q, len(numbers)) for q in (u.quote, *u.lead)),
            *([u.position] if u.position else []),
        )
        for u in passage.units
    ]
    tables = {str(i): list(map(_flat, u.columns)) for i, u in enumerate(passage.units) if u.columns}
    quotes = [
        (q.span.start, q.span.end)
        if _inside(q.span, passage.span, passage.text) == q.text
        else (q.span.start, q.span.end, q.text)
        for q in numbers
    ]
    return _dump([quotes, units, tables])


def _units_from(data: str, span: Span, text: str) -> tuple[Unit, ...]:
    rows, units, *tables = json.loads(data)
    columns = {int(i): tuple(map(_spans, flat)) for i, flat in (tables[0] if tables else {}).items()}
    quotes = [Quote(at := Span(row[0], row[1]), row[2] if len(row) > 2 else _inside(at, span, text)) for row in rows]
    out = []
    for n, (kind, quote, *lead) in enumerate(units):
        position = tuple(lead.pop()) if lead and isinstance(lead[-1], list) else None
        out.append(Unit(_KINDS[kind], quotes[quote], tuple(quotes[i] for i in lead), columns.get(n, ()), position))
    return tuple(out)


def _inside(part: Span, whole: Span, text: str) -> str:
    if part.start < whole.start:
        return ""
    return text[part.start - whole.start : part.end - whole.start]

"""Reading documents and places in the SQLite store."""

from __future__ import annotations

import json

from citeleaf.backends import rows_sqlite as rows
from citeleaf.backends.connections_sqlite import Snapshot, bindable
from citeleaf.boxes import Boxes
from citeleaf.errors import UnknownId
from citeleaf.types import DocId, Document, Fact, Place, Quality, Span


def number(snapshot: Snapshot, doc_id: DocId) -> int:
    """Row number of a document. Raises `UnknownId`."""
    row = snapshot.db.execute("SELECT n FROM document WHERE id = ?", (bindable(doc_id),)).fetchone()
    if row is None:
        raise unknown("document", doc_id)
    return int(row[0])


def unknown(what: str, id_: str) -> UnknownId:
    """The error for an id that nothing in the store has."""
    hint = "`citeleaf documents` lists them" if what == "document" else ""
    return UnknownId(f"there is no {what} `{id_}`", hint=hint, subject=id_)


def every(snapshot: Snapshot) -> tuple[Document, ...]:
    """All documents by id, their text and blocks left empty."""
    found = snapshot.db.execute(f"SELECT {rows.DOCUMENT} FROM document ORDER BY id").fetchall()
    return tuple(rows.document_of(row, *_parts(snapshot, row[0]), "", b"") for row in found)


class Listing:
    """All documents, read anew only when one of them changed; safe to use from any thread."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._held: tuple[int, tuple[Document, ...]] | None = None

    def every(self, snapshot: Snapshot) -> tuple[Document, ...]:
        """All documents by id, their text left empty."""
        held = self._held
        if held is None or held[0] != snapshot.generation:
            held = self._held = (snapshot.generation, every(snapshot))
        return held[1]


def whole(snapshot: Snapshot, doc_id: DocId) -> Document:
    """One document with its text and blocks. Raises `UnknownId`."""
    n = (number(snapshot, doc_id),)
    row = snapshot.db.execute(f"SELECT {rows.DOCUMENT} FROM document WHERE n = ?", n).fetchone()
    text, blocks = snapshot.db.execute("SELECT text, blocks FROM content WHERE document = ?", n).fetchone()
    return rows.document_of(row, *_parts(snapshot, n[0]), text, blocks)


def facts(snapshot: Snapshot) -> tuple[Fact, ...]:
    """The documents kept as case facts, by id."""
    found = snapshot.db.execute(
        "SELECT d.title, c.text FROM document d JOIN content c ON c.document = d.n WHERE d.role = 'facts' ORDER BY d.id"
    )
    return tuple(Fact(title, text) for title, text in found)


def boxes(snapshot: Snapshot, n: int) -> Boxes:
    """Word boxes of the document with this row number."""
    data = snapshot.db.execute("SELECT boxes FROM content WHERE document = ?", (n,)).fetchone()[0]
    return Boxes.from_bytes(data)


def place(snapshot: Snapshot, n: int, span: Span, words: Boxes) -> Place:
    """Where a span of the document stands: page and section of its first character, rectangles of all its words."""
    at = (n, span.start, span.start)
    page = snapshot.db.execute(
        "SELECT number, label, quality FROM page WHERE document = ? AND start <= ? AND stop > ?", at
    ).fetchone()
    path = snapshot.db.execute(
        "SELECT path FROM section WHERE document = ? AND start <= ? AND stop > ? ORDER BY position DESC", at
    ).fetchone()
    good: Quality = "good"
    number_, label, quality = page or (None, None, good)
    return Place(number_, label, quality, tuple(json.loads(path[0])) if path else (), words.locate(span))


def _parts(snapshot: Snapshot, n: int) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    pages = snapshot.db.execute(
        "SELECT number, start, stop, label, quality FROM page WHERE document = ? ORDER BY number", (n,)
    )
    sections = snapshot.db.execute(
        "SELECT id, title, level, path, start, stop, indexed FROM section WHERE document = ? ORDER BY position", (n,)
    )
    return pages.fetchall(), sections.fetchall()

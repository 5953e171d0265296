"""Work on the SQLite store's tables that is not reading: deleting, checking, purging, backing up, loading vectors."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends import schema_sqlite
from citeleaf.backends.connections_sqlite import Connections, Snapshot, bindable, meta, typed_errors
from citeleaf.errors import IngestError, StoreError, StoreLocked
from citeleaf.locks import FileLock
from citeleaf.retrieve.tokens import terms
from citeleaf.types import Check, DocId, Document, Passage

_LENGTH_TOLERANCE = 1e-3


def check_parts(
    document: Document,
    passages: Sequence[Passage],
    vectors: NDArray[np.float32] | None,
    embedder: tuple[str, int] | None,
) -> None:
    """Raises `IngestError` unless the passages are exact slices of the document and the vectors are theirs."""
    problem = _problem(document, passages) or _vector_problem(len(passages), vectors, embedder)
    if problem:
        raise IngestError(f"`{document.id}` cannot be stored: {problem}", subject=document.id)


def _problem(document: Document, passages: Sequence[Passage]) -> str:
    if not document.id or "#" in document.id:
        return "a document id is not empty and holds no `#`"
    if not document.text.isascii() and document.text != document.text.encode("utf-8", "replace").decode():
        return "its text holds half a character (a lone surrogate)"
    sections = {s.id for s in document.sections}
    for p in passages:
        if p.doc_id != document.id or not p.id.startswith(document.id + "#"):
            return f"passage `{p.id}` belongs to another document"
        if p.section_id not in sections:
            return f"passage `{p.id}` names a section that is not there"
        if document.text[p.span.start : p.span.end] != p.text or not p.text:
            return f"passage `{p.id}` is not a slice of the text"
    if len({p.id for p in passages}) != len(passages):
        return "two passages have the same id"
    return ""


def _vector_problem(n: int, vectors: NDArray[np.float32] | None, embedder: tuple[str, int] | None) -> str:
    if n == 0 or (vectors is None and embedder is None):
        return ""
    if vectors is None or embedder is None:
        return (
            "its vectors are missing"
            if vectors is None
            else "it has vectors, but the store was opened without embedder"
        )
    if vectors.shape != (n, embedder[1]):
        return f"its vectors are {vectors.shape}, not {(n, embedder[1])}"
    if not np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) <= _LENGTH_TOLERANCE):
        return "its vectors are not of length 1"
    return ""


def columns(passage: Passage, language: str) -> tuple[str, str, str]:
    """The index text of a passage: terms of heading path, context and text, joined by blanks."""
    heading = "\n".join(passage.heading)
    return (
        " ".join(terms(heading, language)),
        " ".join(terms(passage.context, language)),
        " ".join(terms(passage.text, language)),
    )


def delete_document(db: sqlite3.Connection, doc_id: DocId) -> bool:
    """Takes out every row of a document; False when there is none."""
    row = db.execute("SELECT n FROM document WHERE id = ?", (bindable(doc_id),)).fetchone()
    if row is None:
        return False
    db.execute("DELETE FROM passage_fts WHERE rowid IN (SELECT n FROM passage WHERE document = ?)", row)
    db.execute("DELETE FROM document WHERE n = ?", row)
    return True


def after_change(db: sqlite3.Connection, doc_id: DocId = "") -> None:
    """Works out which documents are replaced by others, and begins a new generation.

    Raises `IngestError` when `doc_id` is replaced, through others, by itself.
    """
    circle = db.execute(
        """WITH RECURSIVE chain (id) AS (
            SELECT replaces FROM document WHERE id = ?1 AND replaces <> ?1
            UNION SELECT d.replaces FROM document d JOIN chain ON d.id = chain.id WHERE d.replaces IS NOT NULL)
        SELECT 1 FROM chain WHERE id = ?1""",
        (doc_id,),
    ).fetchone()
    if circle:
        raise IngestError(
            f"`{doc_id}` and the documents it replaces replace each other", hint="correct `replaces`", subject=doc_id
        )
    db.execute(
        """UPDATE document SET superseded = NOT superseded WHERE superseded <> (id IN (
            SELECT o.replaces FROM document o WHERE o.replaces <> o.id AND o.role = 'policy'))"""
    )
    db.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation'")


def migrate(path: Path) -> tuple[int, int]:
    """Brings a store's file to the present schema in one transaction; gives the schema numbers before and after.

    Raises `StoreLocked` while another process writes, `SchemaMismatch` for a file of a later version, `StoreError` when
    there is none.
    """
    with FileLock(path.with_suffix(".lock")).held(), typed_errors(path):
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as db:
            return schema_sqlite.migrate(db, path)


def purge(db: sqlite3.Connection, path: Path) -> None:
    """Builds the full-text index anew and rewrites the file and its log. Raises `StoreLocked` while others read."""
    db.execute("INSERT INTO passage_fts (passage_fts) VALUES ('rebuild')")
    db.execute("VACUUM")
    busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        raise StoreLocked(
            f"`{path}` is being read: removed words may still be in its log", hint="try again", subject=str(path)
        )


def backup(connections: Connections, out: Path) -> None:
    """Copies one state of the store to a new file, written whole or not at all."""
    if out.exists():
        raise StoreError(f"`{out}` is there already", hint="name a new file", subject=str(out))
    part = out.with_name(f".{out.name}.part")
    with typed_errors(out), connections.reading() as snapshot:
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
        with closing(sqlite3.connect(part)) as copy:
            snapshot.db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(out)


@contextmanager
def beside(connections: Connections) -> Iterator[Path]:
    """An empty folder beside the store, for one process at a time; gone afterwards. Raises `StoreLocked`."""
    folder = connections.path.with_suffix(".rebuild")
    with FileLock(connections.path.with_suffix(".rebuild-lock"), wait_s=0).held():
        shutil.rmtree(folder, ignore_errors=True)  # what a killed process left
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def take_over(old: Connections, fresh: Connections, before: int) -> None:
    """Puts the documents of `fresh` in the place of those of `old`, of generation `before`, in one transaction."""
    with old.alone() as db, fresh.alone() as new:
        generation = int(meta(db)["generation"])
        if generation != before:
            raise StoreLocked(
                f"documents in `{old.path}` changed while they were made anew; nothing was changed",
                hint="run `citeleaf reindex` again",
                subject=str(old.path),
            )
        new.execute("ATTACH ? AS old", (str(old.path),))
        new.execute("BEGIN IMMEDIATE")
        new.execute("INSERT INTO answer SELECT * FROM old.answer")
        new.execute("INSERT INTO answer_document SELECT * FROM old.answer_document")
        new.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (generation + 1,))
        new.execute("COMMIT")
        new.backup(db)


def integrity(connections: Connections) -> tuple[Check, ...]:
    """File, links between tables, full-text index and counts; see `SqliteStore.integrity`."""
    with connections.reading() as snapshot:
        checks = list(_read_checks(snapshot))
    if not connections.read_only:
        with connections.alone() as db:
            try:
                db.execute("INSERT INTO passage_fts (passage_fts, rank) VALUES ('integrity-check', 1)")
                checks.append(Check("full_text", True, "the index holds the terms of its passages"))
            except sqlite3.DatabaseError as error:
                checks.append(Check("full_text", False, str(error)))
    return tuple(checks)


def _read_checks(snapshot: Snapshot) -> Iterator[Check]:
    db = snapshot.db
    problems = [row[0] for row in db.execute("PRAGMA integrity_check")]
    yield Check("file", problems == ["ok"], "; ".join(problems))
    broken = db.execute("PRAGMA foreign_key_check").fetchall()
    yield Check("links", not broken, f"{len(broken)} rows without their parent")
    count = {
        what: int(db.execute(query).fetchone()[0])
        for what, query in {
            "passages": "SELECT count(*) FROM passage",
            "contents": "SELECT count(*) FROM passage_content",
            "indexed": "SELECT count(*) FROM passage_fts_docsize",
        }.items()
    }
    maker, _, dim = snapshot.meta["embedder"].rpartition("/")
    if maker:
        length = 4 * int(dim)
        count["vectors"] = int(db.execute("SELECT coalesce(sum(length(data)), 0) FROM vector").fetchone()[0]) // length
        uneven = db.execute(
            "SELECT count(*) FROM document d LEFT JOIN vector v ON v.document = d.n "
            "WHERE coalesce(length(v.data), 0) <> ? * (SELECT count(*) FROM passage p WHERE p.document = d.n)",
            (length,),
        ).fetchone()[0]
    else:
        uneven = 0
    yield Check(
        "counts",
        len(set(count.values())) == 1 and not uneven,
        ", ".join(f"{n} {what}" for what, n in count.items()),
    )
    halves = db.execute("SELECT count(*) FROM document WHERE n NOT IN (SELECT document FROM content)").fetchone()[0]
    yield Check("documents", halves == 0, f"{halves} documents without content")

"""The tables of the SQLite store, as numbered steps, and the check that a file is one we can read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from citeleaf.errors import SchemaMismatch, StoreError

APPLICATION_ID = 0x434C4546
"""`CLEF`: written in the file's header, so that a foreign database is never taken for a store."""

# Terms arrive folded and stemmed. Every printable ASCII character belongs to a token (all others do anyway), so that
# only the blank between two terms separates them and `3.2`, `a/b` and `o'brien` are looked up as they were indexed.
_TOKEN_CHARACTERS = "!\"\"#$%&''''()*+,-./:;<=>?@[\\]^_`{|}~"

_FIRST = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "INSERT INTO meta VALUES ('generation', '0'), ('embedder', 'none'), ('chunker', '')",
    """CREATE TABLE document (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        source TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        language TEXT NOT NULL,
        version TEXT,
        effective TEXT,
        replaces TEXT,
        role TEXT NOT NULL,
        superseded INTEGER NOT NULL DEFAULT 0,
        notices TEXT NOT NULL,
        recipe TEXT NOT NULL)""",
    """CREATE TABLE content (
        document INTEGER PRIMARY KEY REFERENCES document (n) ON DELETE CASCADE,
        text TEXT NOT NULL,
        blocks BLOB NOT NULL,
        boxes BLOB NOT NULL)""",
    """CREATE TABLE section (
        document INTEGER NOT NULL REFERENCES document (n) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        id TEXT NOT NULL,
        title TEXT NOT NULL,
        level INTEGER NOT NULL,
        path TEXT NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        indexed INTEGER NOT NULL,
        PRIMARY KEY (document, position)) WITHOUT ROWID""",
    """CREATE TABLE page (
        document INTEGER NOT NULL REFERENCES document (n) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        label TEXT,
        quality TEXT NOT NULL,
        PRIMARY KEY (document, number)) WITHOUT ROWID""",
    # Narrow, because a search reads a row of it for every passage that holds a term.
    """CREATE TABLE passage (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        document INTEGER NOT NULL REFERENCES document (n) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        searchable INTEGER NOT NULL,
        term TEXT,
        UNIQUE (document, position))""",
    """CREATE TABLE passage_content (
        passage INTEGER PRIMARY KEY REFERENCES passage (n) ON DELETE CASCADE,
        section TEXT NOT NULL,
        heading TEXT NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        text TEXT NOT NULL,
        pages TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        context TEXT NOT NULL,
        units TEXT NOT NULL)""",
    "CREATE INDEX passage_term ON passage (document) WHERE term IS NOT NULL",
    f"""CREATE VIRTUAL TABLE passage_fts USING fts5 (
        heading, context, body, tokenize = "ascii tokenchars '{_TOKEN_CHARACTERS}'")""",
    "CREATE VIRTUAL TABLE passage_terms USING fts5vocab (passage_fts, row)",
    # One row a document: its vectors one after the other, in reading order of its passages.
    """CREATE TABLE vector (
        document INTEGER PRIMARY KEY REFERENCES document (n) ON DELETE CASCADE,
        data BLOB NOT NULL)""",
    "CREATE TABLE answer (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, data BLOB, removed TEXT)",
    # The documents an answer's words came from, by id: they may be gone when the answer is still there.
    """CREATE TABLE answer_document (
        document_id TEXT NOT NULL,
        answer INTEGER NOT NULL REFERENCES answer (n) ON DELETE CASCADE,
        PRIMARY KEY (document_id, answer)) WITHOUT ROWID""",
    "CREATE INDEX answer_document_answer ON answer_document (answer)",
)

STEPS: tuple[tuple[str, ...], ...] = (_FIRST,)
"""Step i leads from schema i to schema i + 1."""

VERSION = len(STEPS)


def version(db: sqlite3.Connection, path: Path) -> int:
    """The schema number of an open file: 0 when it is empty. Raises `StoreError` for a database that is not a store."""
    number = int(db.execute("PRAGMA user_version").fetchone()[0])
    application = int(db.execute("PRAGMA application_id").fetchone()[0])
    empty = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    if application != APPLICATION_ID and not empty:
        raise StoreError(
            f"`{path}` is a database of another program",
            hint="name another folder with --library",
            subject=str(path),
        )
    return 0 if empty else number


def check(db: sqlite3.Connection, path: Path) -> bool:
    """True when the file holds our tables, False when it is still empty.

    Raises `SchemaMismatch` for another version.
    """
    number = version(db, path)
    if number == 0:
        return False
    if number != VERSION:
        older = number < VERSION
        raise SchemaMismatch(
            f"`{path}` has schema {number}, this version of citeleaf reads schema {VERSION}",
            hint="run `citeleaf migrate`" if older else "use the newer citeleaf that made it",
            subject=str(path),
        )
    return True


def migrate(db: sqlite3.Connection, path: Path) -> tuple[int, int]:
    """Brings an open file to `VERSION` in one transaction; gives the schema numbers before and after.

    An empty file gets its tables this way. Raises `SchemaMismatch` for a file of a later version.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        before = version(db, path)
        if before > VERSION:
            check(db, path)
        for step in STEPS[before:]:
            for statement in step:
                db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return before, VERSION

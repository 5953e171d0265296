"""Connections to one SQLite file: read-only ones with a snapshot each, one writer, and typed errors."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from citeleaf.backends import schema_sqlite
from citeleaf.errors import StoreError, StoreFull, StoreLocked
from citeleaf.locks import FileLock
from citeleaf.locks import read_only as not_writable

WAIT_S = 30.0
"""The longest wait for another writer."""
_NO_PLACE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_WAL_LIMIT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of the store: whatever is read through `db` is of the same moment."""

    db: sqlite3.Connection
    meta: Mapping[str, str]

    @property
    def generation(self) -> int:
        """Grows with every change of the documents; the key of whatever is kept in memory."""
        return int(self.meta["generation"])


@contextmanager
def typed_errors(path: Path) -> Iterator[None]:
    """Turns what SQLite raises into `StoreError`s: busy, full, damaged, not permitted."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:  # misuse of the module: a bug of ours, not a state of the file
            raise
        raise _typed(code, error, path) from error


def _typed(code: int, error: sqlite3.DatabaseError, path: Path) -> StoreError:
    primary, subject = code & 0xFF, str(path)
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLocked(f"`{path}` is locked by another process", hint="wait for it to end", subject=subject)
    if primary == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_WRITE:
        return StoreFull(
            f"`{path}` cannot grow: the disk is full, over its quota, or refuses writing; nothing was changed",
            hint="free some space, then try again",
            subject=subject,
        )
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreError(
            f"`{path}` is damaged: {error}",
            hint="restore a backup with `citeleaf restore`, or delete this file and ingest the documents again",
            subject=subject,
        )
    if primary == sqlite3.SQLITE_READONLY:
        return not_writable(path.parent)
    if primary in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StoreError(
            f"`{path}` cannot be opened: {error}", hint="check that it exists and is yours to read", subject=subject
        )
    return StoreError(f"`{path}`: {error}", hint="run `citeleaf doctor`", subject=subject)


class Connections:
    """All connections of one open store; safe to use from any thread."""

    def __init__(self, path: Path, *, read_only: bool, wait_s: float = WAIT_S) -> None:
        """Makes the file and its tables when missing, unless `read_only`, which a folder that takes nothing implies.

        Raises `StoreError` when there is nothing to read, `SchemaMismatch` for a file of another version.
        """
        self.path = path
        self.shut = path.is_file() and not os.access(path.parent, os.W_OK)
        self.read_only = read_only or self.shut
        self.lock = FileLock(path.with_suffix(".lock"), wait_s=wait_s)
        self._wait_ms = round(wait_s * 1000)
        self._idle: list[sqlite3.Connection] = []
        self._held = threading.local()
        self._writer: sqlite3.Connection | None = None
        with typed_errors(path):
            if not (path.is_file() and self._ready()):
                self._create()

    def _ready(self) -> bool:
        db = self._reader()
        try:
            ready = schema_sqlite.check(db, self.path)
        except BaseException:
            db.close()
            raise
        self._idle.append(db)
        return ready

    def _create(self) -> None:
        if self.read_only:
            raise StoreError(
                f"`{self.path}` holds nothing yet",
                hint="take documents in with `citeleaf ingest`",
                subject=str(self.path),
            )
        with self.lock.held():
            schema_sqlite.migrate(self._open_writer(), self.path)

    def _connect(self, mode: str) -> sqlite3.Connection:
        db = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=self._wait_ms / 1000,
        )
        db.execute("PRAGMA trusted_schema = OFF")
        return db

    def _reader(self) -> sqlite3.Connection:
        db = self._connect("mode=ro")
        try:
            db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.OperationalError as error:
            db.close()
            # A reader keeps its place in a file beside the store; where nothing can be written, and nobody else is at
            # it, there is only one state to read.
            log = self.path.with_name(f"{self.path.name}-wal")
            if not self.shut or error.sqlite_errorcode & 0xFF not in _NO_PLACE:
                raise
            if log.is_file() and log.stat().st_size > 0:
                raise StoreError(
                    f"`{self.path}` was copied while it was in use, and its log cannot be read here",
                    hint="copy the library with `citeleaf backup OUT` instead",
                    subject=str(self.path),
                ) from error
            db = self._connect("mode=ro&immutable=1")
        db.execute("PRAGMA query_only = ON")
        db.execute("PRAGMA temp_store = MEMORY")
        return db

    def _open_writer(self) -> sqlite3.Connection:
        if self._writer is None:
            # SQLite would make the file with the permissions of the umask; its -wal and -shm files follow the file's.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            db = self._connect("mode=rw")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA secure_delete = ON")
            db.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
            self._writer = db
        return self._writer

    @contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """One snapshot; inside another `reading` of the same thread, that one's."""
        held: Snapshot | None = getattr(self._held, "snapshot", None)
        if held is not None:
            with typed_errors(self.path):
                yield held
            return
        with typed_errors(self.path):
            try:
                db = self._idle.pop()
            except IndexError:
                db = self._reader()
            try:
                db.execute("BEGIN")
                self._held.snapshot = Snapshot(db, meta(db))
                yield self._held.snapshot
            finally:
                self._held.snapshot = None
                if _undone(db):
                    self._idle.append(db)

    @contextmanager
    def writing(self) -> Iterator[Snapshot]:
        """One transaction, committed at the end and undone by any exception.

        Raises `StoreLocked` after the wait, `StoreFull` with the store unchanged, `StoreReadOnly`.
        """
        with self.alone() as db:
            try:
                db.execute("BEGIN IMMEDIATE")
                schema_sqlite.check(db, self.path)
                yield Snapshot(db, meta(db))
                db.execute("COMMIT")
            except BaseException:
                if not _undone(db):
                    self._writer = None
                raise

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The writing connection, outside a transaction, while no other process writes."""
        if self.shut:
            raise not_writable(self.path.parent)
        if self.read_only:
            raise StoreError(
                f"`{self.path}` was opened for reading only", hint="open it for writing", subject=str(self.path)
            )
        with self.lock.held(), typed_errors(self.path):
            yield self._open_writer()

    def close(self) -> None:
        """Closes every connection; the last process to do so also folds the log into the file."""
        while self._idle:
            self._idle.pop().close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def meta(db: sqlite3.Connection) -> dict[str, str]:
    """What the store says of itself: generation, embedder, dim, chunker."""
    return dict(db.execute("SELECT key, value FROM meta"))


def bindable(text: str) -> str:
    """A text that SQLite can take.

    Half characters (lone surrogates) become escapes, which nothing stored is equal to.
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _undone(db: sqlite3.Connection) -> bool:
    """Ends a transaction without a trace; False when the connection is beyond that and was closed instead."""
    try:
        if db.in_transaction:
            db.execute("ROLLBACK")
    except sqlite3.Error:
        db.close()
        return False
    return True

"""The SQLite store beyond the protocol: what made it, other versions, damage, locks, full disks."""

from __future__ import annotations

import resource
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from citeleaf.backends.schema_sqlite import VERSION
from citeleaf.backends.store_sqlite import FILE, SqliteStore, open_store
from citeleaf.boxes import Boxes
from citeleaf.errors import IndexStale, IngestError, SchemaMismatch, StoreError, StoreFull, StoreLocked
from citeleaf.locks import FileLock
from citeleaf.types import Span
from support.library import EMBEDDER, parts, vector

CANARY = "quetzalcoatl"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = open_store(tmp_path, embedder=EMBEDDER, chunker="c1")
    yield made
    made.close()


def raw(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / FILE, isolation_level=None)


def good(store: SqliteStore) -> bool:
    return all(check.passed for check in store.integrity())


# ---- what made it


@pytest.mark.parametrize(
    ("embedder", "chunker"),
    [
        (("hash-embedder", 32), "c1"),
        (("other", EMBEDDER[1]), "c1"),
        (("other", 32), "c1"),
        (EMBEDDER, "c2"),
        (("other", EMBEDDER[1]), None),
        (None, "c2"),
    ],
)
def test_another_maker_is_refused(
    store: SqliteStore, tmp_path: Path, embedder: tuple[str, int] | None, chunker: str | None
) -> None:
    store.put(*parts("d", ["one"]))
    with pytest.raises(IndexStale, match="citeleaf reindex") as caught:
        open_store(tmp_path, embedder=embedder, chunker=chunker)
    assert "hash-embedder/16" in str(caught.value) or "c1" in str(caught.value)
    assert store.dense(vector("one"), 1).hits


def test_without_embedder_a_store_can_be_read_but_not_added_to(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["one hail"]))
    plain = open_store(tmp_path, embedder=None)
    assert [h.passage_id for h in plain.lexical(["hail"], 3).hits] == ["d#s1#c1"]
    with pytest.raises(IndexStale):
        plain.dense(vector("one"), 3)
    document, passages, _, boxes = parts("e", ["two"])
    with pytest.raises(IndexStale):
        plain.put(document, passages, None, boxes)
    plain.remove("d")
    plain.put(document, passages, None, boxes)
    assert good(plain)
    plain.close()


def test_vectors_are_missed_where_there_are_none(tmp_path: Path) -> None:
    plain = open_store(tmp_path, embedder=None)
    document, passages, _, boxes = parts("d", ["one"])
    plain.put(document, passages, None, boxes)
    assert plain.dense(vector("one"), 3).hits == ()
    with pytest.raises(IndexStale):
        open_store(tmp_path, embedder=EMBEDDER)
    plain.close()


def test_a_change_of_embedder_under_an_open_store_is_seen(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["one"]))
    store.dense(vector("one"), 1)
    other = open_store(tmp_path, embedder=None)
    with other.rebuilding(("other", EMBEDDER[1]), "c1") as fresh:
        fresh.put(*parts("d", ["one"]))
        other.take_over(fresh)
    with pytest.raises(IndexStale):
        store.dense(vector("one"), 1)
    with pytest.raises(IndexStale):
        store.put(*parts("e", ["two"]))
    assert [h.passage_id for h in other.dense(vector("one"), 1).hits] == ["d#s1#c1"]
    other.close()


def test_a_vector_of_another_length_is_refused(store: SqliteStore) -> None:
    store.put(*parts("d", ["one"]))
    with pytest.raises(IndexStale):
        store.dense(vector("one", 8), 1)


def test_an_emptied_store_takes_another_maker(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["one"]))
    store.remove("d")
    other = open_store(tmp_path, embedder=("other", EMBEDDER[1]), chunker="c2")
    other.put(*parts("d", ["one"]))
    other.close()
    with pytest.raises(IndexStale):
        store.put(*parts("e", ["two"]))


# ---- what is refused


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d, p, v, b: (d, (replace(p[0], text="other"), *p[1:]), v, b),
        lambda d, p, v, b: (d, (replace(p[0], span=Span(1, 4)), *p[1:]), v, b),
        lambda d, p, v, b: (d, (replace(p[0], doc_id="x"), *p[1:]), v, b),
        lambda d, p, v, b: (d, (replace(p[0], id="x#s1#c1"), *p[1:]), v, b),
        lambda d, p, v, b: (d, (replace(p[0], section_id="s9"), *p[1:]), v, b),
        lambda d, p, v, b: (d, (p[0], p[0]), v, b),
        lambda d, p, v, b: (d, p, v[:1], b),
        lambda d, p, v, b: (d, p, v[:, :8], b),
        lambda d, p, v, b: (d, p, v * 2, b),
        lambda d, p, v, b: (d, p, v * np.float32("nan"), b),
        lambda d, p, v, b: (d, p, None, b),
        lambda d, p, v, b: (replace(d, id="a#b"), (), None, b),
        lambda d, p, v, b: (replace(d, text="\udcff"), (), None, b),
        lambda d, p, v, b: (replace(d, id=""), (), None, b),
    ],
)
def test_parts_that_do_not_fit_are_refused(store: SqliteStore, spoil: Callable[..., tuple[object, ...]]) -> None:
    store.put(*parts("d", ["before"]))
    with pytest.raises(IngestError):
        store.put(*spoil(*parts("d", ["one", "two"])))  # type: ignore[arg-type]
    assert store.document("d") == parts("d", ["before"])[0]
    assert good(store)


def test_documents_that_replace_each_other_in_a_circle_are_refused(store: SqliteStore) -> None:
    store.put(*parts("a", ["hail"], replaces="c"))
    store.put(*parts("b", ["hail"], replaces="a"))
    with pytest.raises(IngestError, match="replace each other"):
        store.put(*parts("c", ["hail"], replaces="b"))
    assert list(store.known()) == ["a", "b"]


def test_a_document_without_passages_is_kept(store: SqliteStore) -> None:
    document, _, _, _ = parts("case", ["The customer is a bank."], role="facts")
    store.put(document, (), None, Boxes.empty())
    assert [(f.label, f.text) for f in store.facts()] == [("Case", "The customer is a bank.\n")]
    assert good(store)


# ---- files


def test_files_are_for_their_owner_alone(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["one"]))
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
    assert set(modes) >= {FILE, "store.lock", f"{FILE}-wal"}
    assert set(modes.values()) == {0o600}


def test_settings_of_the_file_are_the_safe_ones(store: SqliteStore) -> None:
    with store._connections.alone() as db:
        read = {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
        read |= {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("foreign_keys", "secure_delete")}
        assert read == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}
        assert db.execute("PRAGMA busy_timeout").fetchone()[0] == 30_000


def test_a_reader_cannot_write(store: SqliteStore) -> None:
    with (
        store._connections.reading() as snapshot,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        snapshot.db.execute("DELETE FROM document")


def test_opened_for_reading_nothing_is_written(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["hail"]))
    reader = open_store(tmp_path, embedder=EMBEDDER, read_only=True)
    assert reader.lexical(["hail"], 1).hits and good(reader)
    for call in (lambda: reader.remove("d"), lambda: reader.put(*parts("e", ["x"])), reader.purge):
        with pytest.raises(StoreError, match="reading only"):
            call()
    reader.close()


def test_reading_where_nothing_is_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="citeleaf ingest"):
        open_store(tmp_path, embedder=None, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_was_killed_while_it_was_made_is_made_again(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    with pytest.raises(StoreError, match="nothing yet"):
        open_store(tmp_path, embedder=None, read_only=True)
    store = open_store(tmp_path, embedder=EMBEDDER)
    store.put(*parts("d", ["one"]))
    assert good(store)
    store.close()


@pytest.mark.parametrize(("number", "hint"), [(VERSION + 1, "newer citeleaf"), (VERSION + 7, "newer citeleaf")])
def test_a_store_of_a_later_version_is_refused(store: SqliteStore, tmp_path: Path, number: int, hint: str) -> None:
    store.close()
    with raw(tmp_path) as db:
        db.execute(f"PRAGMA user_version = {number}")
    with pytest.raises(SchemaMismatch, match=hint):
        open_store(tmp_path, embedder=None)


def test_a_store_of_an_earlier_version_is_refused_with_the_command(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeleaf.backends.schema_sqlite.VERSION", VERSION + 1)
    with pytest.raises(SchemaMismatch, match="citeleaf migrate"):
        open_store(tmp_path, embedder=None)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    with raw(tmp_path) as db:
        db.execute("CREATE TABLE photos (id)")
    with pytest.raises(StoreError, match="another program"):
        open_store(tmp_path, embedder=None)
    with raw(tmp_path) as db:
        assert [row[0] for row in db.execute("SELECT name FROM sqlite_schema")] == ["photos"]


def test_a_file_that_is_no_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match="citeleaf restore"):
        open_store(tmp_path, embedder=None)


def test_damage_inside_the_file_is_found(store: SqliteStore, tmp_path: Path) -> None:
    for n in range(20):
        store.put(*parts(f"d{n}", [f"words {n} {m}" for m in range(20)]))
    store.close()
    data = bytearray((tmp_path / FILE).read_bytes())
    data[8192:] = bytes(len(data) - 8192)
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(StoreError, match=r"damaged|restore"):
        broken = open_store(tmp_path, embedder=None)
        broken.documents()


@pytest.mark.parametrize(
    "fault",
    [
        "DELETE FROM passage_fts WHERE rowid = 1",
        "DELETE FROM vector",
        "UPDATE vector SET data = x'00000000'",
        "DELETE FROM passage_content WHERE passage = 1",
        "DELETE FROM passage WHERE n = 1",
        "DELETE FROM content",
        "UPDATE passage_fts_content SET c2 = 'other words' WHERE id = 1",
        "UPDATE section SET document = 99",
    ],
)
def test_integrity_finds_what_is_out_of_step(store: SqliteStore, tmp_path: Path, fault: str) -> None:
    store.put(*parts("d", ["one", "two"]))
    assert good(store)
    with raw(tmp_path) as db:
        db.execute(fault)
    assert not good(store)


# ---- one writer


def test_a_second_writer_waits_and_then_gives_up(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["one"]))
    impatient = open_store(tmp_path, embedder=EMBEDDER, chunker="c1", wait_s=0.1)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with FileLock(tmp_path / "store.lock").held():
            held.set()
            done.wait(10)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(10)
    start = time.monotonic()
    with pytest.raises(StoreLocked) as caught:
        impatient.put(*parts("e", ["two"]))
    assert caught.value.retryable and 0.1 <= time.monotonic() - start < 2
    assert impatient.lexical(["one"], 1).hits == store.lexical(["one"], 1).hits
    done.set()
    other.join()
    impatient.put(*parts("e", ["two"]))
    assert list(impatient.known()) == ["d", "e"]
    impatient.close()


def test_a_lock_held_inside_sqlite_is_typed_too(store: SqliteStore, tmp_path: Path) -> None:
    impatient = open_store(tmp_path, embedder=EMBEDDER, wait_s=0.05)
    db = raw(tmp_path)
    db.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked):
        impatient.put(*parts("e", ["two"]))
    db.close()
    impatient.put(*parts("e", ["two"]))
    impatient.close()


def test_writing_is_held_over_several_steps(store: SqliteStore) -> None:
    with store.writing(), store.writing():
        store.put(*parts("d", ["one"]))
        store.remove("d")
    store.put(*parts("d", ["one"]))
    assert list(store.known()) == ["d"]


# ---- a full disk


def test_a_full_disk_is_typed_and_changes_nothing(store: SqliteStore) -> None:
    store.put(*parts("d", ["one"]))
    with store._connections.alone() as db:
        most = db.execute("PRAGMA page_count").fetchone()[0] + 4
        db.execute(f"PRAGMA max_page_count = {most}")
    with pytest.raises(StoreFull) as caught:
        store.put(*parts("e", [f"passage {n} of many" for n in range(2000)]))
    assert caught.value.retryable
    with store._connections.alone() as db:
        db.execute("PRAGMA max_page_count = 1000000")
    assert list(store.known()) == ["d"] and good(store)
    store.put(*parts("e", ["two"]))
    assert list(store.known()) == ["d", "e"] and good(store)


def test_a_refused_write_is_typed_and_changes_nothing(tmp_path: Path) -> None:
    """The system refuses to let a file grow: at whatever byte, the next run finds the store as it was."""
    code = f"""
import resource, sys
sys.path[:] = {sys.path!r}
from pathlib import Path
from support.library import EMBEDDER, parts
from citeleaf.backends.store_sqlite import open_store
from citeleaf.errors import StoreFull
store = open_store(Path({str(tmp_path)!r}), embedder=EMBEDDER)
store.put(*parts("d", ["one"]))
for limit in range(60_000, 600_000, 60_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        store.put(*parts("e", [f"passage {{n}} of many" for n in range(400)]))
        print("put")
        store.remove("e")
    except StoreFull:
        print("full")
"""
    assert resource.RLIM_INFINITY
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert set(done.stdout.split()) <= {"put", "full"} and "full" in done.stdout, done.stderr
    store = open_store(tmp_path, embedder=EMBEDDER)
    assert list(store.known())[:1] == ["d"] and good(store)
    store.put(*parts("e", ["two"]))
    assert good(store)
    store.close()

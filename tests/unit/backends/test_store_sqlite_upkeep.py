"""The SQLite store beyond the protocol: removed words, snapshots, rebuilding, backup, many passages."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from citeleaf.backends import schema_sqlite, search_sqlite
from citeleaf.backends.store_sqlite import FILE, SqliteStore, open_store
from citeleaf.backends.upkeep_sqlite import migrate
from citeleaf.errors import SchemaMismatch, StoreError, StoreLocked, UnknownId
from support.library import EMBEDDER, answer_of, parts, vector

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


def test_the_list_of_documents_is_read_anew_only_after_a_change(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("a", ["One."]))
    listed = store.documents()
    assert store.documents() is listed
    other = open_store(tmp_path, embedder=EMBEDDER, chunker="c1")
    other.put(*parts("b", ["Two."]))
    with other.snapshot():
        store.remove("a")
        assert [d.id for d in store.documents()] == ["b"]
        assert [d.id for d in other.documents()] == ["a", "b"]
    assert [d.id for d in other.documents()] == ["b"]
    other.close()


# ---- removed words


def test_after_a_purge_removed_words_are_in_no_file(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("other", ["Storm damage."]))
    document, passages, vectors, boxes = parts("d", [f"The {CANARY} clause.", "x"], terms=[CANARY])
    store.put(document, passages, vectors, boxes)
    store.keep(answer_of(passages, "a1"))
    store.remove("d")
    store.purge()
    for path in tmp_path.iterdir():
        data = path.read_bytes()
        assert CANARY.encode() not in data and vectors[0].tobytes() not in data, path.name
    assert good(store) and [h.passage_id for h in store.lexical(["storm"], 3).hits] == ["other#s1#c1"]
    with pytest.raises(UnknownId, match="source removed"):
        store.answer("a1")
    assert store.answer_ids() == ()


def test_a_replaced_documents_words_go_with_a_purge(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", [f"The {CANARY} clause."]))
    store.put(*parts("d", ["Another clause."]))
    store.purge()
    assert not [p.name for p in tmp_path.iterdir() if CANARY.encode() in p.read_bytes()]


def test_a_purge_gives_back_the_space(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("small", ["one"]))
    store.purge()
    before = (tmp_path / FILE).stat().st_size
    store.put(*parts("large", [f"passage {n} of many" for n in range(500)]))
    store.remove("large")
    store.purge()
    assert (tmp_path / FILE).stat().st_size <= before + 4096 * 4
    assert (tmp_path / f"{FILE}-wal").stat().st_size == 0


# ---- snapshots


def test_a_snapshot_does_not_see_later_changes(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["hail one"]))
    with store.snapshot():
        before = store.lexical(["hail"], 5), store.dense(vector("hail one"), 5)
        writer = threading.Thread(target=lambda: (store.remove("d"), store.put(*parts("e", ["hail two"]))))
        writer.start()
        writer.join()
        assert (store.lexical(["hail"], 5), store.dense(vector("hail one"), 5)) == before
        assert store.passages(["d#s1#c1"])[0].text == "hail one"
        assert store.frequencies(["two"]) == ({"two": 0}, 1)
    assert [h.passage_id for h in store.lexical(["hail"], 5).hits] == ["e#s1#c1"]
    assert store.frequencies(["two"]) == ({"two": 1}, 1)
    assert [h.passage_id for h in store.dense(vector("hail one"), 5).hits] == ["e#s1#c1"]


def test_an_error_inside_a_snapshot_leaves_the_store_usable(store: SqliteStore) -> None:
    store.put(*parts("d", ["one"]))
    for _ in range(3):
        with store.snapshot(), pytest.raises(UnknownId):
            store.document("nobody")
    store.remove("d")
    assert store.known() == {}


# ---- rebuilding, backup, digest


def test_rebuilding_swaps_all_documents_at_once_and_keeps_answers(store: SqliteStore, tmp_path: Path) -> None:
    document, passages, vectors, boxes = parts("d", ["hail one"])
    store.put(document, passages, vectors, boxes)
    store.keep(answer_of(passages, "a1"))
    reader = open_store(tmp_path, embedder=None)
    with reader.snapshot():
        reader.documents()
        with store.rebuilding(EMBEDDER, "c2") as fresh:
            fresh.put(*parts("d", ["hail two"]))
            assert [p.text for p in store.passages(["d#s1#c1"])] == ["hail one"]
            store.take_over(fresh)
        assert [p.text for p in reader.passages(["d#s1#c1"])] == ["hail one"]
    assert [p.text for p in reader.passages(["d#s1#c1"])] == ["hail two"]
    assert store.answer("a1") == answer_of(passages, "a1")
    assert good(store) and not [p for p in tmp_path.iterdir() if p.is_dir()]
    store.put(*parts("e", ["three"]))
    reader.close()


def test_a_rebuilding_that_fails_changes_nothing(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["hail one"]))
    with pytest.raises(ZeroDivisionError), store.rebuilding(EMBEDDER, "c2"):
        raise ZeroDivisionError
    with store.rebuilding(EMBEDDER, "c2") as fresh:
        store.put(*parts("e", ["two"]))
        with pytest.raises(StoreLocked, match="changed"):
            store.take_over(fresh)
    with store.rebuilding(EMBEDDER, "c2"):
        pass
    assert list(store.known()) == ["d", "e"] and good(store)
    assert not [p for p in tmp_path.iterdir() if p.is_dir()]


def test_one_rebuilding_at_a_time(store: SqliteStore) -> None:
    with store.rebuilding(EMBEDDER, "c1"):
        caught: list[StoreLocked] = []

        def again() -> None:
            try:
                with store.rebuilding(EMBEDDER, "c1"):
                    pass
            except StoreLocked as error:
                caught.append(error)

        other = threading.Thread(target=again)
        other.start()
        other.join()
        assert len(caught) == 1


def test_a_backup_opens_like_the_store(store: SqliteStore, tmp_path: Path) -> None:
    store.put(*parts("d", ["hail one"]))
    out = tmp_path / "copy"
    out.mkdir()
    store.backup(out / FILE)
    copy = open_store(out, embedder=EMBEDDER, chunker="c1")
    assert copy.digest() == store.digest() and copy.document("d") == store.document("d") and good(copy)
    copy.close()
    with pytest.raises(StoreError, match="already"):
        store.backup(out / FILE)


def test_a_digest_tells_what_is_inside(store: SqliteStore) -> None:
    store.put(*parts("d", ["one"]), recipe="r1")
    first = store.digest()
    store.put(*parts("d", ["one"]), recipe="r2")
    assert store.digest() != first
    store.put(*parts("d", ["one"]), recipe="r1")
    assert store.digest() == first


def test_recipe_source_and_hash_are_known(store: SqliteStore) -> None:
    document, *rest = parts("d", ["one"])
    store.put(document, *rest, recipe="r1")
    assert [(k.sha256, k.source, k.recipe) for k in store.known().values()] == [
        (document.sha256, document.source, "r1")
    ]
    assert store.files() == {(document.sha256, document.source)}


def test_vectors_come_back_with_their_passages(store: SqliteStore) -> None:
    _, passages, vectors, _ = parts("d", ["one", "two", "three"])
    store.put(*parts("d", ["one", "two", "three"]))
    found, back = store.vectors("d")
    assert found == passages and back is not None and np.array_equal(back, vectors)
    assert store.passage_ids("d") == tuple(p.id for p in passages)


# ---- migration


def test_a_store_is_brought_to_the_present_schema_whole_or_not_at_all(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(*parts("d", ["hail one"]))
    store.close()
    for step in (("CREATE TABLE extra (x)", "no such statement"), ("CREATE TABLE extra (x)",)):
        monkeypatch.setattr(schema_sqlite, "STEPS", (*schema_sqlite.STEPS[:1], step))
        monkeypatch.setattr(schema_sqlite, "VERSION", 2)
        with pytest.raises(SchemaMismatch, match="citeleaf migrate"):
            open_store(tmp_path, embedder=EMBEDDER)
        if len(step) == 2:
            with pytest.raises(StoreError):
                migrate(tmp_path / FILE)
        else:
            assert migrate(tmp_path / FILE) == (1, 2)
    again = open_store(tmp_path, embedder=EMBEDDER)
    assert again.document("d") == parts("d", ["hail one"])[0] and good(again)
    again.close()
    assert migrate(tmp_path / FILE) == (2, 2)


def test_there_is_nothing_to_migrate_where_there_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        migrate(tmp_path / FILE)
    assert [p.name for p in tmp_path.iterdir()] == ["store.lock"]


# ---- many passages


def test_frequent_terms_are_left_out_of_large_searches(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put(*parts("d", ["cover hail", "cover storm", "cover", "cover", "other", "other hail"]))
    everything = store.lexical(["cover", "storm"], 9)
    assert len(everything.hits) == 4
    monkeypatch.setattr(search_sqlite, "FREQUENT_FROM", 5)
    assert [h.passage_id for h in store.lexical(["cover", "storm"], 9).hits] == ["d#s2#c1"]
    assert len(store.lexical(["cover"], 9).hits) == 4
    assert len(store.lexical(["cover", "absent"], 9).hits) == 4
    assert [h.passage_id for h in store.tfidf(["cover", "storm"], 9).hits] == ["d#s2#c1"]


def test_column_weights_are_used(tmp_path: Path) -> None:
    document, passages, vectors, boxes = parts("d", ["zebra lion", "lion tiger", "a", "b", "c"])
    passages = tuple(replace(p, heading=(("zebra",) if n == 1 else ()), context="") for n, p in enumerate(passages))
    for weights, first in (((5.0, 1.0, 1.0), "d#s2#c1"), ((0.1, 1.0, 1.0), "d#s1#c1")):
        folder = tmp_path / first
        folder.mkdir()
        store = open_store(folder, embedder=EMBEDDER, weights=weights)
        store.put(document, passages, vectors, boxes)
        assert store.lexical(["zebra"], 5).hits[0].passage_id == first
        store.close()

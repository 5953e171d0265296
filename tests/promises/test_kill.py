"""Killed at any moment, nothing acknowledged is lost and nothing is half there."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citeleaf.backends.store_sqlite import SqliteStore, open_store
from citeleaf.errors import UnknownId
from citeleaf.ingest.pipeline import chunker_fingerprint, ingest
from citeleaf.library import Library
from citeleaf.settings import IngestSettings, Settings
from citeleaf.types import DocId
from support.library import EMBEDDER, HashEmbedder, lines, parts

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

ROUNDS = 200
DOCUMENTS = [f"d{n}" for n in range(5)]
SETTINGS = Settings(ingest=IngestSettings(workers=1))


def in_child(work: Callable[[int], None]) -> tuple[int, int]:
    """Runs `work` in a forked process, which gets the writing end of a pipe; gives its pid and the reading end."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        os.close(reading)
        work(writing)
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it must not run on as a second test session
        os.write(writing, f"error {error!r}\n".encode())
    finally:
        os._exit(1)


def said(reading: int) -> list[list[str]]:
    with os.fdopen(reading, "r") as pipe:
        return [line.split(" ", 2) for line in pipe.read().splitlines()]


class Watched:
    """A child at work: what it has said so far, and how long its steps take."""

    step_s = 0.05

    def __init__(self, pid: int, reading: int) -> None:
        self.pid = pid
        self._pipe = reading
        self._said = b""

    def wait_for(self, steps: int) -> None:
        """Until it has done so many steps and begun the next."""
        at = time.monotonic()
        while self._said.count(b"done") < steps or not self._said.rpartition(b"done")[2].count(b"begin"):
            more = os.read(self._pipe, 4096)
            assert more and b"error" not in more, self._said + more
            if b"done" in more:
                Watched.step_s = 0.9 * Watched.step_s + 0.1 * (time.monotonic() - at)
                at = time.monotonic()
            self._said += more

    def kill(self) -> list[list[str]]:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        while more := os.read(self._pipe, 4096):
            self._said += more
        os.close(self._pipe)
        return [line.split(" ", 2) for line in self._said.decode().splitlines()]


def open_library(root: Path) -> tuple[Library, SqliteStore]:
    library = Library(root / "library")
    library.make()
    return library, open_store(library.folder, embedder=EMBEDDER, chunker=chunker_fingerprint(SETTINGS))


def text_of(doc_id: DocId, version: int) -> str:
    return "".join(f"# Part {n}\nWords {version} of {doc_id}.\n" for n in range(version % 3 + 1))


def work_on(root: Path, seed: int, pipe: int) -> None:
    """Ingests, changes and removes documents, and tells before and after each step."""
    rng = random.Random(seed)
    library, store = open_library(root)
    for step in range(10_000):
        doc_id, version = rng.choice(DOCUMENTS), seed * 10_000 + step
        if doc_id in store.known() and rng.random() < 0.3:
            os.write(pipe, f"begin {doc_id} -\n".encode())
            library.remove(store, doc_id)
            os.write(pipe, f"done {doc_id} -\n".encode())
        else:
            file = root / f"{doc_id}.txt"
            file.write_text(text_of(doc_id, version))
            os.write(pipe, f"begin {doc_id} {version}\n".encode())
            report = ingest([file], library, store, HashEmbedder(), SETTINGS, lines, (".txt",))
            assert not report.failed, report
            os.write(pipe, f"done {doc_id} {version}\n".encode())


def stored(store: SqliteStore, doc_id: DocId) -> str | None:
    try:
        return store.document(doc_id).text
    except UnknownId:
        return None


def check(root: Path, allowed: dict[DocId, list[str | None]]) -> dict[DocId, str | None]:
    """Opens what is left: whole, in step, and each document in one of the states it may have."""
    start = time.monotonic()
    library, store = open_library(root)
    assert time.monotonic() - start < 10
    wrong = [c for c in store.integrity() if not c.passed]
    assert not wrong, wrong
    state = {doc_id: stored(store, doc_id) for doc_id in DOCUMENTS}
    for doc_id, text in state.items():
        assert text in allowed[doc_id], f"{doc_id}: {text!r} is none of {allowed[doc_id]!r}"
        if text is not None:
            document = store.document(doc_id)
            passages, vectors = store.vectors(doc_id)
            assert len(passages) == text.count("# Part") and vectors is not None and len(vectors) == len(passages)
            assert library.source(document).read_text() == text
            found = store.lexical([doc_id], 50).hits
            assert {h.passage_id for h in found} == {p.id for p in passages}
    store.close()
    return state


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    rng = random.Random(20)
    state: dict[DocId, str | None] = dict.fromkeys(DOCUMENTS)
    steps = begun = 0
    for n in range(ROUNDS):
        child = Watched(*in_child(lambda pipe, n=n: work_on(tmp_path, n, pipe)))  # type: ignore[misc]
        if n % 10:
            child.wait_for(rng.randrange(3))
        time.sleep(rng.uniform(0.0, 1.2 * Watched.step_s))  # into the middle of a step, however busy the machine is
        allowed: dict[DocId, list[str | None]] = {doc_id: [text] for doc_id, text in state.items()}
        for word, doc_id, version in child.kill():
            assert word in ("begin", "done"), version
            text = None if version == "-" else text_of(doc_id, int(version))
            allowed[doc_id] = [text] if word == "done" else [*allowed[doc_id], text]
            steps += word == "done"
            begun += word == "begin"
        state = check(tmp_path, allowed)
    assert steps > ROUNDS / 2 and begun - steps > ROUNDS / 2  # most kills came in the middle of a step


def kill_at_statement(store: SqliteStore, n: int) -> None:
    """The process kills itself as SQLite begins the n-th statement of the writing connection."""
    left = [n]

    def count(_: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with store.writing():
        writer = store._connections._writer
    assert writer is not None
    writer.set_trace_callback(count)


def replace_it(store: SqliteStore) -> None:
    store.put(*parts("a", ["three words here", "and more"]))


def remove_it(store: SqliteStore) -> None:
    store.remove("a")


def purge_it(store: SqliteStore) -> None:
    store.purge()


@pytest.mark.slow
@pytest.mark.parametrize("change", [replace_it, remove_it, purge_it])
def test_killed_at_every_statement(tmp_path: Path, change: Callable[[SqliteStore], None]) -> None:
    killed, n = True, 0
    while killed:
        folder = tmp_path / str(n)
        folder.mkdir()
        store = open_store(folder, embedder=EMBEDDER, chunker="c")
        store.put(*parts("a", ["one", "two words"]))
        store.put(*parts("b", ["other"]))
        before = stored(store, "a")
        store.close()

        def work(_: int, folder: Path = folder, n: int = n) -> None:
            inside = open_store(folder, embedder=EMBEDDER, chunker="c")
            kill_at_statement(inside, n)
            change(inside)

        pid, reading = in_child(work)
        killed = os.WIFSIGNALED(os.waitpid(pid, 0)[1])
        assert said(reading) == []
        store = open_store(folder, embedder=EMBEDDER, chunker="c")
        assert all(c.passed for c in store.integrity())
        after = stored(store, "a")
        assert after in (before, None if change is remove_it else parts("a", ["three words here", "and more"])[0].text)
        if not killed and change is not purge_it:
            assert after != before
        change(store) if stored(store, "a") else store.put(*parts("a", ["again"]))
        assert all(c.passed for c in store.integrity())
        store.close()
        n += 1
    assert n > 3


def rebuild(folder: Path, word: str) -> None:
    store = open_store(folder, embedder=EMBEDDER, chunker="c")
    with store.rebuilding(EMBEDDER, "c") as fresh:
        for n in range(20):
            fresh.put(*parts(f"d{n}", [f"{word} one", f"{word} two"]))
        store.take_over(fresh)
    store.close()


def test_killed_while_everything_is_made_anew(tmp_path: Path) -> None:
    store = open_store(tmp_path, embedder=EMBEDDER, chunker="c")
    for n in range(20):
        store.put(*parts(f"d{n}", ["old one", "old two"]))
    rng, words, start = random.Random(3), {"old"}, time.monotonic()
    rebuild(tmp_path, "old")
    whole = time.monotonic() - start
    for n in range(20):
        pid, reading = in_child(lambda _, n=n: rebuild(tmp_path, f"new{n}"))  # type: ignore[misc]
        time.sleep(whole * rng.uniform(0.0, 1.3))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert said(reading) == []
        assert all(c.passed for c in store.integrity())
        found = {store.document(f"d{n}").text.split()[0] for n in range(20)}
        assert len(found) == 1 and found <= {*words, f"new{n}"}
        words = found
    rebuild(tmp_path, "last")
    assert not [p for p in tmp_path.iterdir() if p.is_dir()]
    store.close()

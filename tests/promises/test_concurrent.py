"""Many readers and several writing processes at once: no error, no half document, bounded waits."""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

import pytest

from citeleaf.backends.store_sqlite import open_store
from citeleaf.errors import UnknownId
from support.library import EMBEDDER, parts, vector

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SECONDS = 4.0
READERS = 8
WRITERS = 3


def write(folder: Path, seed: int, until: float) -> None:
    rng = random.Random(seed)
    store = open_store(folder, embedder=EMBEDDER)
    while time.monotonic() < until:
        doc_id, version = f"d{rng.randrange(6)}", rng.randrange(10**6)
        if rng.random() < 0.2:
            try:
                store.remove(doc_id)
            except UnknownId:
                continue
        else:
            store.put(*parts(doc_id, [f"common words of version v{version}" for _ in range(version % 4 + 1)]))
    store.close()


def read(folder: Path, until: float, times: list[float], errors: list[str]) -> None:
    store = open_store(folder, embedder=EMBEDDER, read_only=True)
    try:
        while time.monotonic() < until:
            start = time.monotonic()
            with store.snapshot():
                lexical = store.lexical(["common"], 100)
                dense = store.dense(vector("common words"), 100)
                ids = [h.passage_id for h in lexical.hits]
                if set(ids) != {h.passage_id for h in dense.hits}:
                    errors.append(f"full text and vectors differ: {ids}")
                versions: dict[str, set[str]] = {}
                for passage in store.passages(ids):
                    versions.setdefault(passage.doc_id, set()).add(passage.text.split()[-1])
                for doc_id, found in versions.items():
                    whole = set(store.document(doc_id).text.split()) - {"common", "words", "of", "version"}
                    count = store.document(doc_id).text.count("common")
                    if found != whole or sum(i.startswith(f"{doc_id}#") for i in ids) != count:
                        errors.append(f"half a document: {found} of {whole}")
            times.append(time.monotonic() - start)
    except Exception as error:  # noqa: BLE001 - any error at all is what this test is about
        errors.append(repr(error))
    store.close()


def test_readers_and_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    open_store(tmp_path, embedder=EMBEDDER).close()
    until = time.monotonic() + SECONDS
    children = []
    for seed in range(WRITERS):
        pid = os.fork()
        if not pid:
            code = 1
            try:
                write(tmp_path, seed, until)
                code = 0
            finally:
                os._exit(code)
        children.append(pid)
    times: list[float] = []
    errors: list[str] = []
    readers = [threading.Thread(target=read, args=(tmp_path, until, times, errors)) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    codes = [os.WEXITSTATUS(os.waitpid(pid, 0)[1]) for pid in children]
    assert (errors, codes) == ([], [0] * WRITERS)
    assert len(times) > 50
    store = open_store(tmp_path, embedder=EMBEDDER)
    assert all(c.passed for c in store.integrity())
    store.close()

"""Dense search in the SQLite store: its vectors in memory, one matrix for each generation."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends import search_sqlite as search
from citeleaf.backends.connections_sqlite import Snapshot
from citeleaf.backends.vectors import Matrix
from citeleaf.errors import IndexStale, StoreError
from citeleaf.retrieve.fuse import ranked
from citeleaf.types import DocId, PassageId, Ranking


class DenseSearch:
    """Exact cosine over all passages of a store; safe to use from any thread."""

    def __init__(self, path: Path) -> None:
        """`path` is for messages; vectors are loaded when first searched."""
        self._path = path
        self._loading = threading.Lock()
        self._known: tuple[int, Matrix | None] = (-1, None)

    def search(self, snapshot: Snapshot, vector: NDArray[np.float32], k: int, doc_ids: Sequence[DocId]) -> Ranking:
        """The best `k` passages for a vector of length 1; see `search_sqlite.searched` for which are searched."""
        matrix = self._matrix(snapshot)
        if not matrix.passages.size:
            return Ranking("dense", ())
        if vector.shape != matrix.rows.shape[1:]:
            raise IndexStale(
                f"a vector of shape {vector.shape} cannot be compared with those in `{self._path}`, of length "
                f"{matrix.rows.shape[1]}",
                hint="run `citeleaf reindex`",
                subject=str(self._path),
            )
        documents = search.searched(snapshot, doc_ids)
        allowed = matrix.searchable
        if documents is not None:
            allowed = allowed & np.isin(matrix.documents, documents)
        numbers, scores = matrix.top(vector, k, allowed)
        found = snapshot.db.execute(
            "SELECT n, id FROM passage WHERE n IN (SELECT value FROM json_each(?))", (json.dumps(numbers.tolist()),)
        )
        ids: dict[int, PassageId] = dict(found)
        return ranked(
            "dense", {ids[n]: s for n, s in zip(numbers.tolist(), scores.tolist(), strict=True)}, depth=max(k, 0)
        )

    def _matrix(self, snapshot: Snapshot) -> Matrix:
        generation, matrix = self._known
        if matrix is not None and generation == snapshot.generation:
            return matrix
        with self._loading:
            generation, matrix = self._known
            if matrix is None or generation != snapshot.generation:
                matrix = load_matrix(snapshot, self._path)
                if generation < snapshot.generation:
                    self._known = (snapshot.generation, matrix)
        return matrix


def load_matrix(snapshot: Snapshot, path: Path) -> Matrix:
    """All vectors of a snapshot. Raises `StoreError` when they are not in step with the passages."""
    found = snapshot.db.execute(
        "SELECT n, document, searchable FROM passage WHERE document IN (SELECT document FROM vector) "
        "ORDER BY document, position"
    ).fetchall()
    places = np.array(found, np.int64).reshape(-1, 3)
    dim = int(snapshot.meta["embedder"].rpartition("/")[2]) if found else 0
    matrix = np.empty((len(found), dim), np.float32)
    at = 0
    for (data,) in snapshot.db.execute("SELECT data FROM vector ORDER BY document"):
        part = np.frombuffer(data, "<f4")
        end = at + (part.size // dim if dim else 0)
        if part.size != (end - at) * dim or end > len(found):
            break
        matrix[at:end] = part.reshape(-1, dim)
        at = end
    if at != len(found):
        raise StoreError(
            f"`{path}`: its vectors are not in step with its passages", hint="run `citeleaf reindex`", subject=str(path)
        )
    return Matrix(matrix, places[:, 0], places[:, 1], places[:, 2].astype(np.bool_))

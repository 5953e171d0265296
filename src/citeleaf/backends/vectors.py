"""Exact nearest neighbours over a float32 matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MARGIN = 1e-4
"""More than single precision can be wrong by in a dot product of two vectors of length 1."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of all passages: row i of `rows` (n, dim.

    Length 1) is passage `passages[i]` of document `documents[i]`.
    """

    rows: NDArray[np.float32]
    passages: NDArray[np.int64]
    documents: NDArray[np.int64]
    searchable: NDArray[np.bool_]

    def top(
        self, vector: NDArray[np.float32], k: int, allowed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Passage numbers and cosines in [-1, 1] of the best `k` allowed rows and of all that tie with the last,
        unordered.

        A fast product in single precision finds the candidates. Their scores are then computed anew in double
        precision, row by row: a matrix product rounds a row differently by where it stands, and equal vectors must
        get equal scores.
        """
        among = np.flatnonzero(allowed)
        if k < 1 or not among.size:
            return np.empty(0, np.int64), np.empty(0)
        rough = self.rows @ vector
        rough = rough if among.size == rough.size else rough[among]
        if k < rough.size:
            cut = np.partition(rough, rough.size - k)[rough.size - k]
            near = rough >= cut - _MARGIN
            among = among[near]
        scores = np.clip((self.rows[among].astype(np.float64) * vector.astype(np.float64)).sum(axis=1), -1.0, 1.0)
        if k < scores.size:
            best = scores >= np.partition(scores, scores.size - k)[scores.size - k]
            among, scores = among[best], scores[best]
        return self.passages[among], scores

"""Exact nearest neighbours: the same scores wherever a row stands, ties at the cut, masks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from citeleaf.backends.vectors import Matrix


def unit(rng: np.random.Generator, n: int, dim: int) -> NDArray[np.float32]:
    made = rng.standard_normal((n, dim))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def matrix(rows: NDArray[np.float32]) -> Matrix:
    n = len(rows)
    return Matrix(rows, np.arange(n) + 100, np.zeros(n, np.int64), np.ones(n, np.bool_))


def everything(m: Matrix) -> NDArray[np.bool_]:
    return np.ones(len(m.rows), np.bool_)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 70), st.integers(1, 40))
def test_it_is_the_sorted_list_with_all_that_tie_at_the_cut(seed: int, n: int, k: int, kinds: int) -> None:
    rng = np.random.default_rng(seed)
    m = matrix(unit(rng, kinds, 24)[rng.integers(kinds, size=n)])
    vector = unit(rng, 1, 24)[0]
    numbers, scores = m.top(vector, k, everything(m))
    exact = np.array([np.dot(row.astype(float), vector.astype(float)) for row in m.rows])
    cut = np.sort(exact)[::-1][min(k, n) - 1]
    assert set(numbers.tolist()) == {100 + i for i in range(n) if exact[i] >= cut - 1e-12}
    assert scores == pytest.approx(exact[numbers - 100])


def test_a_row_has_the_same_score_wherever_it_stands() -> None:
    rng = np.random.default_rng(1)
    vector, wanted = unit(rng, 2, 384)
    filler = unit(rng, 2000, 384)
    scores = set()
    for n in (1, 2, 3, 5, 8, 17, 64, 999, 2000):
        for at in {0, n // 3, n - 1}:
            m = matrix(np.insert(filler[: n - 1], at, wanted, axis=0))
            numbers, found = m.top(vector, n, everything(m))
            scores.add(float(found[numbers.tolist().index(100 + at)]))
    assert len(scores) == 1


def test_only_allowed_rows_are_found() -> None:
    rng = np.random.default_rng(2)
    m = matrix(unit(rng, 50, 16))
    allowed = np.zeros(50, np.bool_)
    allowed[[3, 4, 40]] = True
    assert sorted(m.top(unit(rng, 1, 16)[0], 10, allowed)[0].tolist()) == [103, 104, 140]
    assert m.top(unit(rng, 1, 16)[0], 10, ~everything(m))[0].size == 0


def test_scores_stay_within_bounds() -> None:
    rows = np.full((3, 3), np.float32(1 / np.sqrt(3)) * np.float32(1.0001), np.float32)
    rows[1] *= -1
    m = matrix(rows)
    assert sorted(m.top(rows[0], 3, everything(m))[1].tolist()) == [-1.0, 1.0, 1.0]

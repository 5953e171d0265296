"""Intervals: bootstrap for means, exact binomial for small counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

SEED = 20261130
RESAMPLES = 2000


def bootstrap_means(
    values: Sequence[float], clusters: Sequence[str] | None = None, *, resamples: int = RESAMPLES, seed: int = SEED
) -> NDArray[np.float64]:
    """Means of `resamples` samples drawn with replacement, seeded; whole clusters are drawn when given.

    Efron (1979); clusters as in Davison & Hinkley (1997, 3.8): a draw takes as many clusters as there are, and the
    mean is over all their values.
    """
    data = np.asarray(values, np.float64)
    generator = np.random.default_rng(seed)
    if clusters is None or len(set(clusters)) < 2:
        picks = generator.integers(0, len(data), (resamples, len(data)))
        means: NDArray[np.float64] = data[picks].mean(axis=1)
        return means
    names = sorted(set(clusters))
    place = {name: i for i, name in enumerate(names)}
    index = np.array([place[c] for c in clusters])
    sums = np.bincount(index, data, len(names))
    counts = np.bincount(index, minlength=len(names))
    picks = generator.integers(0, len(names), (resamples, len(names)))
    ratio: NDArray[np.float64] = sums[picks].sum(axis=1) / counts[picks].sum(axis=1)
    return ratio


def interval(values: Sequence[float], clusters: Sequence[str] | None = None) -> tuple[float, float]:
    """95 % percentile bootstrap interval of the mean; exact binomial when all values are 0 or all are 1."""
    if set(values) in ({0.0}, {1.0}):
        return exact_binomial(int(sum(values)), len(values))
    low, high = np.percentile(bootstrap_means(values, clusters), [2.5, 97.5])
    return float(low), float(high)


def exact_binomial(successes: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Clopper & Pearson (1934) interval of a proportion. Example: 0 of 5 gives (0, 0.522)."""
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else _solve(lambda p: _upper_tail(successes, n, p), tail)
    high = 1.0 if successes == n else _solve(lambda p: 1 - _upper_tail(successes + 1, n, p), tail, rising=False)
    return low, high


def _upper_tail(k: int, n: int, p: float) -> float:
    """P(X >= k) for X binomial."""
    if p <= 0:
        return float(k <= 0)
    if p >= 1:
        return 1.0
    whole = lgamma(n + 1)
    logs = (whole - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) + (n - i) * log1p(-p) for i in range(k, n + 1))
    return min(1.0, sum(exp(x) for x in logs))


def _solve(function: Callable[[float], float], target: float, *, rising: bool = True) -> float:
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        if (function(middle) < target) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2

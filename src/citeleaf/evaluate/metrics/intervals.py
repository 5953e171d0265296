"""Intervals and tests: bootstrap, plain, by document and paired; exact binomial; McNemar."""

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
    mean is over all their values. The order of values does not matter when they are sorted by the caller.

    >>> means = bootstrap_means([0.0, 1.0, 1.0, 1.0])
    >>> len(means), bool(0.7 < means.mean() < 0.8)
    (2000, True)
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
    """95 % percentile bootstrap interval of the mean; exact binomial when all values are 0 or all are 1.

    >>> interval([1.0, 1.0, 1.0])[1]
    1.0
    """
    if set(values) in ({0.0}, {1.0}):
        return exact_binomial(int(sum(values)), len(values))
    low, high = np.percentile(bootstrap_means(values, clusters), [2.5, 97.5])
    return float(low), float(high)


def interval_of(
    statistic: Callable[[Sequence[int]], float | None], n: int, *, resamples: int = 500, seed: int = SEED
) -> tuple[float, float]:
    """95 % percentile bootstrap interval of any statistic of n rows, given as a function of the row numbers drawn.

    Draws for which the statistic is None are left out.
    """
    generator = np.random.default_rng(seed)
    drawn = (statistic(generator.integers(0, n, n).tolist()) for _ in range(resamples))
    low, high = np.percentile([value for value in drawn if value is not None], [2.5, 97.5])
    return float(low), float(high)


def paired_interval(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[str] | None = None
) -> tuple[float, float]:
    """95 % percentile bootstrap interval of the mean difference second - first of the same rows; 0 when all are equal.

    Rows are drawn as pairs, whole clusters when given (Efron & Tibshirani, 1993, 8.3).

    >>> paired_interval([0.0, 1.0], [0.0, 1.0])
    (0.0, 0.0)
    """
    differences = [b - a for a, b in zip(first, second, strict=True)]
    low, high = np.percentile(bootstrap_means(differences, clusters), [2.5, 97.5])
    return float(low), float(high)


def mcnemar(gained: int, lost: int) -> float:
    """Two-sided exact p of McNemar's test (1947) for paired yes/no figures.

    `gained` rows changed from no to yes, `lost` from yes to no; under no difference each change is a fair coin.
    p = min(1, 2 P(X <= min(gained, lost))), X binomial(gained + lost, 1/2).

    >>> round(mcnemar(0, 5), 4), mcnemar(3, 3), mcnemar(0, 0)
    (0.0625, 1.0, 1.0)
    """
    n = gained + lost
    return min(1.0, 2 * (1 - _upper_tail(min(gained, lost) + 1, n, 0.5))) if n else 1.0


def exact_binomial(successes: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of a proportion by Clopper & Pearson (1934).

    >>> low, high = exact_binomial(0, 5)
    >>> low, round(high, 4)
    (0.0, 0.5218)
    """
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else _solve(lambda p: _upper_tail(successes, n, p), tail)
    high = 1.0 if successes == n else _solve(lambda p: 1 - _upper_tail(successes + 1, n, p), tail, rising=False)
    return low, high


def upper_bound(successes: int, n: int, *, confidence: float = 0.95) -> float:
    """One-sided upper bound of a proportion by Clopper & Pearson: with this confidence it is no greater.

    None of 59 gives about 5 % (1 - 0.05 ** (1 / 59)):

    >>> round(upper_bound(0, 59), 4)
    0.0495
    """
    return exact_binomial(successes, n, confidence=2 * confidence - 1)[1]


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

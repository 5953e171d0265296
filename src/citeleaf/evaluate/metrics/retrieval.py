"""hit@k, recall@k, MRR@k, nDCG@k over gold units, each unit a page, a quotation, a passage or a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

Gains = Sequence[frozenset[int]]
"""For each rank, best first: the numbers of the gold units that the passage there covers (or completes)."""


def new_units(gains: Gains, k: int) -> list[int]:
    """How many gold units are covered for the first time at each of the first k ranks.

    >>> new_units([frozenset({0}), frozenset({0, 1})], 5)
    [1, 1]
    """
    seen: set[int] = set()
    out = []
    for units in gains[:k]:
        out.append(len(units - seen))
        seen |= units
    return out


def hit_at(gains: Gains, k: int) -> float:
    """1 when any of the first k passages covers a gold unit, else 0 (trec_eval's success).

    >>> hit_at([frozenset(), frozenset({0})], 1), hit_at([frozenset(), frozenset({0})], 2)
    (0.0, 1.0)
    """
    return float(any(new_units(gains, k)))


def recall_at(gains: Gains, n_gold: int, k: int) -> float:
    """Share of the gold units that the first k passages cover.

    One of two gold pages among five passages:

    >>> recall_at([frozenset(), frozenset({1}), frozenset({1})], 2, 5)
    0.5
    """
    return sum(new_units(gains, k)) / n_gold


def mrr_at(gains: Gains, k: int) -> float:
    """1 / rank of the first passage that covers a gold unit, 0 when none of the first k does (TREC-8, 1999).

    >>> mrr_at([frozenset(), frozenset({0})], 5)
    0.5
    """
    return next((1 / rank for rank, n in enumerate(new_units(gains, k), 1) if n), 0.0)


def ndcg_at(gains: Gains, n_gold: int, k: int) -> float:
    """DCG / ideal DCG with gain 1 for each gold unit newly covered and discount log2(rank + 1).

    Järvelin & Kekäläinen (TOIS 2002), binary gain. A second passage on the same gold page gains nothing. The ideal puts
    one unit on each rank; when one passage covers several at once the ratio is capped at 1. One gold page, first met at
    rank 2, gives (1 / log2 3) / 1:

    >>> round(ndcg_at([frozenset(), frozenset({0}), frozenset({0})], 1, 5), 4)
    0.6309
    """
    dcg = sum(n / log2(rank + 1) for rank, n in enumerate(new_units(gains, k), 1))
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(n_gold, k) + 1))
    return min(1.0, dcg / ideal)


def graded_ndcg_at(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """nDCG with the judged grade as gain, linear, grades below 1 as 0 (trec_eval's `ndcg_cut`).

    `ranking` names documents, each once, best first; at least one grade must be above 0.

    >>> round(graded_ndcg_at(["b", "a"], {"a": 2, "b": 1}, 5), 4)
    0.8597
    """
    best = sorted((g for g in grades.values() if g > 0), reverse=True)[:k]
    ideal = sum(gain / log2(rank + 1) for rank, gain in enumerate(best, 1))
    return sum(max(0, grades.get(d, 0)) / log2(rank + 1) for rank, d in enumerate(ranking[:k], 1)) / ideal

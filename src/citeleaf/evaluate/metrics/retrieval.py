"""hit@k, recall@k, MRR@k, nDCG@k over gold units, each unit a page, a quotation or a document."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

Gains = Sequence[frozenset[int]]
"""For each rank, best first: the numbers of the gold units that the passage there covers (or completes)."""


def new_units(gains: Gains, k: int) -> list[int]:
    """How many gold units are covered for the first time at each of the first k ranks."""
    seen: set[int] = set()
    out = []
    for units in gains[:k]:
        out.append(len(units - seen))
        seen |= units
    return out


def hit_at(gains: Gains, k: int) -> float:
    """1 when any of the first k passages covers a gold unit, else 0."""
    return float(any(new_units(gains, k)))


def recall_at(gains: Gains, n_gold: int, k: int) -> float:
    """Share of the gold units that the first k passages cover. Example: 1 of 2 gold pages among five passages: 0.5."""
    return sum(new_units(gains, k)) / n_gold


def mrr_at(gains: Gains, k: int) -> float:
    """1 / rank of the first passage that covers a gold unit, 0 when none of the first k does (TREC-8, 1999)."""
    return next((1 / rank for rank, n in enumerate(new_units(gains, k), 1) if n), 0.0)


def ndcg_at(gains: Gains, n_gold: int, k: int) -> float:
    """DCG / ideal DCG with gain 1 for each gold unit newly covered and discount log2(rank + 1).

    Järvelin & Kekäläinen (TOIS 2002), binary gain. A second passage on the same gold page gains nothing. The ideal puts
    one unit on each rank; when one passage covers several at once the ratio is capped at 1. Example: one gold page,
    first met at rank 2: (1 / log2 3) / 1 = 0.631.
    """
    dcg = sum(n / log2(rank + 1) for rank, n in enumerate(new_units(gains, k), 1))
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(n_gold, k) + 1))
    return min(1.0, dcg / ideal)

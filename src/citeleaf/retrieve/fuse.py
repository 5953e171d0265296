"""Joining ranked lists into one, and the only function that orders hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeleaf.types import Hit, PassageId, Ranking


def ranked(scorer: str, scores: Mapping[PassageId, float], *, depth: int | None = None) -> Ranking:
    """The one place where hits are ordered: by (-score, passage id), ranks from 1, the first `depth` kept."""
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:depth]
    return Ranking(scorer, tuple(Hit(pid, rank, score) for rank, (pid, score) in enumerate(ordered, 1)))


def reciprocal_rank_fusion(
    rankings: Sequence[tuple[Ranking, float]], *, k: int = 60, depth: int | None = None
) -> Ranking:
    """score(d) = sum over lists of weight / (k + rank(d)), rank from 1 (Cormack, Clarke & Buettcher, SIGIR 2009).

    With all weights 1 this is the published formula. A list of weight 0 is left out. Ties are broken by passage id, so
    the result is the same on every machine and run. Example: ranks 1 and 3 in two lists, k=60, give 1/61 + 1/63 =
    0.03227.
    """
    scores: dict[PassageId, float] = {}
    for ranking, weight in rankings:
        if weight > 0:
            for hit in ranking.hits:
                scores[hit.passage_id] = scores.get(hit.passage_id, 0.0) + weight / (k + hit.rank)
    return ranked("fused", scores, depth=depth)


def normalised_sum(rankings: Sequence[tuple[Ranking, float]], *, depth: int | None = None) -> Ranking:
    """score(d) = sum over lists of weight * (s(d) - min) / (max - min), 0 where d is missing (CombSUM with min-max).

    min and max are those of the list's own hits; a list whose scores are all equal gives each of them its full weight.
    """
    scores: dict[PassageId, float] = {}
    for ranking, weight in rankings:
        if weight > 0:
            for pid, value in min_max(ranking).items():
                scores[pid] = scores.get(pid, 0.0) + weight * value
    return ranked("fused", scores, depth=depth)


def min_max(ranking: Ranking) -> dict[PassageId, float]:
    """Scores scaled to [0, 1] over the list's own hits; all equal: 1 each; empty list: empty."""
    if not ranking.hits:
        return {}
    values = [hit.score for hit in ranking.hits]
    low, width = min(values), max(values) - min(values)
    return {hit.passage_id: (hit.score - low) / width if width > 0 else 1.0 for hit in ranking.hits}

from __future__ import annotations

import pytest

from citeleaf.retrieve.fuse import min_max, normalised_sum, ranked, reciprocal_rank_fusion
from citeleaf.retrieve.parts import parts
from citeleaf.types import Ranking


def ids(ranking: Ranking) -> list[str]:
    return [hit.passage_id for hit in ranking.hits]


def test_order_is_by_score_then_id_with_ranks_from_one() -> None:
    ranking = ranked("x", {"b": 1.0, "a": 1.0, "c": 2.0})
    assert [(h.passage_id, h.rank) for h in ranking.hits] == [("c", 1), ("a", 2), ("b", 3)]


def test_reciprocal_ranks_by_hand() -> None:
    first, second = ranked("x", {"a": 3, "b": 2, "c": 1}), ranked("y", {"c": 3, "b": 2, "a": 1})
    fused = reciprocal_rank_fusion([(first, 1.0), (second, 1.0)], k=60)
    assert fused.hits[0].score == pytest.approx(1 / 61 + 1 / 63)
    assert ids(fused) == ["a", "c", "b"]
    assert ids(reciprocal_rank_fusion([(first, 0.0), (second, 1.0)])) == ["c", "b", "a"]


def test_normalised_sum_by_hand() -> None:
    first, second = ranked("x", {"a": 10, "b": 5, "c": 0}), ranked("y", {"b": 1.0, "d": 1.0})
    fused = normalised_sum([(first, 1.0), (second, 0.5)])
    assert {h.passage_id: h.score for h in fused.hits} == {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.5}
    assert min_max(Ranking("x", ())) == {}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does Excess mean, and which excess applies to theft?", 2),
        ("Is fire and theft covered?", 0),
        ("Who approves it? How long are records kept? And where?", 2),
        ("", 0),
        ("Fire or flood", 0),
    ],
)
def test_parts_of_a_question(question: str, expected: int) -> None:
    assert len(parts(question)) == expected

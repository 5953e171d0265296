"""The local reranker on its real weights."""

from __future__ import annotations

import pytest

from citeleaf.backends.rerank_onnx import OnnxReranker, open_reranker

pytest.importorskip("citeleaf_weights", reason="citeleaf-weights is not installed")

QUERY = "How many people live in Berlin?"
PASSAGES = [
    "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers.",
    "New York City is famous for the Metropolitan Museum of Art.",
    "",
    "Berlin is the capital of Germany. " * 40,
    "In 2015 some 3.5 million people lived in Berlin.",
    "\x00\ud800 \u202e",
]


@pytest.fixture(scope="module")
def reranker() -> OnnxReranker:
    return open_reranker("msmarco-minilm-l12", threads=2)


def test_scores_are_those_of_the_published_model(reranker: OnnxReranker) -> None:
    # The model card's example pair: 9.218 and -4.078 with another second passage; -11.19 for this one.
    right, wrong = reranker.scores(QUERY, PASSAGES[:2])
    assert right == pytest.approx(9.08, abs=0.2)
    assert wrong == pytest.approx(-11.19, abs=0.2)


def test_a_pair_has_the_same_score_alone_in_company_and_in_any_order(reranker: OnnxReranker) -> None:
    many = PASSAGES * 2 + [f"Berlin has {i} districts and one mayor." for i in range(20)]
    together = reranker.scores(QUERY, many)
    assert [reranker.scores(QUERY, [passage])[0] for passage in many] == together
    assert reranker.scores(QUERY, many[::-1]) == together[::-1]
    assert open_reranker("msmarco-minilm-l12", threads=1).scores(QUERY, many) == together


def test_no_passages_give_no_scores(reranker: OnnxReranker) -> None:
    assert reranker.scores(QUERY, []) == []


def test_an_answer_outranks_what_only_shares_words(reranker: OnnxReranker) -> None:
    scores = reranker.scores(QUERY, PASSAGES)
    assert sorted(range(len(scores)), key=lambda i: -scores[i])[:2] in ([0, 4], [4, 0])
    assert scores[3] < 5


def test_query_and_passage_are_told_apart(reranker: OnnxReranker) -> None:
    assert reranker.scores(PASSAGES[0], [QUERY]) != reranker.scores(QUERY, [PASSAGES[0]])


def test_the_longer_of_query_and_passage_is_cut() -> None:
    short = open_reranker("msmarco-minilm-l12", threads=1, max_tokens=32)
    filler = "the city has parks and rivers " * 20
    assert short.scores(QUERY, [filler]) == short.scores(QUERY, [filler + PASSAGES[0]])
    assert short.scores(QUERY, [PASSAGES[1]]) != short.scores("Who is mayor of Paris?", [PASSAGES[1]])
    assert short.scores(filler, [PASSAGES[1]]) == short.scores(filler + QUERY, [PASSAGES[1]])
    assert short.fingerprint.endswith(" 32")


def test_very_long_texts_are_scored(reranker: OnnxReranker) -> None:
    assert reranker.scores("storm " * 100_000, ["flood " * 300_000])[0] < 20

"""Our figures beside independent implementations: trec_eval, scikit-learn, scipy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from citeleaf.evaluate.metrics import claims, intervals, refusals
from citeleaf.evaluate.metrics.operations import percentiles
from citeleaf.evaluate.metrics.retrieval import graded_ndcg_at, hit_at, mrr_at, ndcg_at, recall_at

CASES = 1000
CLOSE = 1e-9


def rankings() -> list[tuple[list[str], dict[str, int]]]:
    """Rankings of documents, each once, with graded judgements of which at least one is above 0."""
    draw = random.Random(7)
    out = []
    for _ in range(CASES):
        pool = [f"d{i}" for i in range(draw.randint(2, 30))]
        judged = draw.sample(pool, draw.randint(1, len(pool)))
        grades = {d: draw.randint(0, 3) for d in judged} | {judged[0]: draw.randint(1, 3)}
        out.append((draw.sample(pool, draw.randint(1, len(pool))), grades))
    return out


def trec(ranking: list[str], grades: dict[str, int], measures: set[str]) -> dict[str, float]:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run = {d: float(len(ranking) - i) for i, d in enumerate(ranking)}
    found: dict[str, float] = pytrec_eval.RelevanceEvaluator({"q": grades}, measures).evaluate({"q": run})["q"]
    return found


def test_retrieval_equals_trec_eval() -> None:
    for ranking, grades in rankings():
        gold = sorted(d for d, grade in grades.items() if grade > 0)
        gains = [frozenset({gold.index(d)}) if d in gold else frozenset() for d in ranking]
        binary = {d: int(grade > 0) for d, grade in grades.items()}
        theirs = trec(ranking, binary, {"success.1", "recall.5,10", "ndcg_cut.5"})
        assert hit_at(gains, 1) == theirs["success_1"]
        assert recall_at(gains, len(gold), 5) == pytest.approx(theirs["recall_5"], abs=CLOSE)
        assert recall_at(gains, len(gold), 10) == pytest.approx(theirs["recall_10"], abs=CLOSE)
        assert ndcg_at(gains, len(gold), 5) == pytest.approx(theirs["ndcg_cut_5"], abs=CLOSE)
        cut = trec(ranking[:5], binary, {"recip_rank"})
        assert mrr_at(gains, 5) == pytest.approx(cut["recip_rank"], abs=CLOSE)
        graded = trec(ranking, grades, {"ndcg_cut.5"})
        assert graded_ndcg_at(ranking, grades, 5) == pytest.approx(graded["ndcg_cut_5"], abs=CLOSE)


def test_claims_equal_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    draw = random.Random(11)
    for _ in range(CASES):
        n = draw.randint(1, 40)
        gold, said = (draw.choices(claims.LABELS, k=n) for _ in range(2))
        assert claims.accuracy(gold, said) == pytest.approx(sklearn.accuracy_score(gold, said), abs=CLOSE)
        theirs = sklearn.f1_score(gold, said, average="macro", zero_division=0)
        assert claims.macro_f1(gold, said) == pytest.approx(theirs, abs=CLOSE)
        yes, held = [g == "supported" for g in gold], [s == "supported" for s in said]
        ours = claims.balanced_accuracy(gold, said)
        if len(set(yes)) == 2:
            assert ours == pytest.approx(sklearn.balanced_accuracy_score(yes, held), abs=CLOSE)
        else:
            assert ours is None


def test_no_answer_f1_equals_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    draw = random.Random(13)
    for _ in range(CASES):
        n = draw.randint(1, 40)
        answerable, answered = ([draw.random() < 0.5 for _ in range(n)] for _ in range(2))
        ours = refusals.no_answer_f1(answerable, answered)
        gold, said = [not a for a in answerable], [not a for a in answered]
        if any(gold) or any(said):
            assert ours == pytest.approx(sklearn.f1_score(gold, said, zero_division=0), abs=CLOSE)
        else:
            assert ours is None


def test_the_curve_is_what_each_threshold_does() -> None:
    draw = random.Random(17)
    for _ in range(CASES):
        n = draw.randint(1, 20)
        scores = [draw.choice((0.1, 0.2, 0.5, 0.7, 0.9)) for _ in range(n)]
        wrong = [draw.random() < 0.4 for _ in range(n)]
        for threshold, share, risk in refusals.risk_coverage(scores, wrong):
            kept = np.array(scores) >= threshold
            assert share == pytest.approx(kept.mean(), abs=CLOSE)
            assert risk == pytest.approx(np.array(wrong)[kept].mean(), abs=CLOSE)


def test_the_area_is_the_mean_over_all_orders_of_ties() -> None:
    draw = random.Random(19)
    for _ in range(50):
        n = draw.randint(1, 8)
        scores = [draw.choice((0.2, 0.5, 0.9)) for _ in range(n)]
        wrong = [draw.random() < 0.5 for _ in range(n)]
        areas = []
        for _ in range(3000):
            rows = sorted(zip(scores, wrong, strict=True), key=lambda row: (-row[0], draw.random()))
            bad = np.cumsum([w for _, w in rows])
            areas.append(float(np.mean(bad / np.arange(1, n + 1))))
        assert refusals.area_under_risk(scores, wrong) == pytest.approx(np.mean(areas), abs=0.02)


def test_exact_binomial_and_mcnemar_equal_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    draw = random.Random(23)
    for _ in range(CASES):
        n = draw.randint(1, 40)
        k = draw.randint(0, n)
        theirs = stats.binomtest(k, n).proportion_ci(0.95, "exact")
        low, high = intervals.exact_binomial(k, n)
        assert low == pytest.approx(theirs.low, abs=CLOSE)
        assert high == pytest.approx(theirs.high, abs=CLOSE)
        one_sided = stats.binomtest(k, n, alternative="less").proportion_ci(0.95, "exact")
        assert intervals.upper_bound(k, n) == pytest.approx(one_sided.high, abs=CLOSE)
        assert intervals.mcnemar(k, n - k) == pytest.approx(stats.binomtest(k, n, 0.5).pvalue, abs=CLOSE)


def test_bootstrap_agrees_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    data = np.random.default_rng(3).normal(0.6, 0.2, 200)
    theirs = stats.bootstrap(
        (data,), np.mean, n_resamples=9999, method="percentile", random_state=1
    ).confidence_interval
    low, high = intervals.interval([float(x) for x in data])
    assert low == pytest.approx(theirs.low, abs=0.004)
    assert high == pytest.approx(theirs.high, abs=0.004)


def test_clustered_intervals_are_those_of_drawing_whole_documents() -> None:
    values = [1.0] * 20 + [0.0] * 20 + [1.0] * 20
    clusters = ["a"] * 20 + ["b"] * 20 + ["c"] * 20
    draws = np.random.default_rng(intervals.SEED).integers(0, 3, (intervals.RESAMPLES, 3))
    expected = np.percentile(np.array([1.0, 0.0, 1.0])[draws].mean(axis=1), [2.5, 97.5])
    assert intervals.interval(values, clusters) == pytest.approx(tuple(expected), abs=CLOSE)
    plain = intervals.interval(values)
    assert plain[1] - plain[0] < expected[1] - expected[0]


def test_paired_interval_is_the_interval_of_the_differences() -> None:
    draw = random.Random(29)
    for _ in range(50):
        n = draw.randint(2, 30)
        first, second = ([draw.random() for _ in range(n)] for _ in range(2))
        means = intervals.bootstrap_means([b - a for a, b in zip(first, second, strict=True)])
        expected = tuple(np.percentile(means, [2.5, 97.5]))
        assert intervals.paired_interval(first, second) == pytest.approx(expected, abs=CLOSE)


def test_percentiles_equal_numpy() -> None:
    draw = random.Random(31)
    for _ in range(CASES):
        values = [draw.random() for _ in range(draw.randint(1, 50))]
        assert percentiles(values) == pytest.approx((np.median(values), np.percentile(values, 95)), abs=CLOSE)

from __future__ import annotations

import pytest

from citeleaf.answer.gate import Features, coverage, gate, strong, unknown_codes
from citeleaf.settings import GateSettings
from citeleaf.types import Check, Hit, Query, Ranking, Retrieval
from support.evidence import MemoryStore, document, evidence, passage

TEXTS = {
    "aml": "AML-204 sets the cash limit. Section 7.3 covers vaults.",
    "kyc": "Customers are identified by passport before an account is opened.",
    "iso": "The vendor is certified to ISO 27001 and reviewed under 4.2.1 each year.",
}


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    for name, text in TEXTS.items():
        doc = document(name, text)
        store.add(doc, passage(doc))
    return store


def found(store: MemoryStore, *names: str, **scores: float) -> Retrieval:
    shown = evidence(*(store.held[f"{n}#body#c1"] for n in names))
    return Retrieval(shown, tuple(Ranking(k, (Hit(shown[0].passage.id, 1, v),)) for k, v in scores.items()))


def named(checks: tuple[Check, ...]) -> dict[str, Check]:
    return {c.name: c for c in checks}


def test_nothing_found_fails_at_once(store: MemoryStore) -> None:
    (check,) = gate(Query("x"), Retrieval((), ()), store, GateSettings())
    assert (check.name, check.passed) == ("evidence", False)


def test_a_scorer_that_did_not_run_is_not_checked(store: MemoryStore) -> None:
    checks = named(gate(Query("passport"), found(store, "kyc"), store, GateSettings(min_rerank=0.0, min_dense=0.5)))
    assert list(checks) == ["evidence", "codes", "coverage"]
    assert all(c.passed for c in checks.values())


def test_thresholds_are_inclusive_and_shown_with_the_values(store: MemoryStore) -> None:
    settings = GateSettings(min_rerank=1.5, min_dense=0.5)
    checks = named(gate(Query("passport"), found(store, "kyc", reranked=1.5, dense=0.49), store, settings))
    assert (checks["rerank"].passed, checks["rerank"].value, checks["rerank"].threshold) == (True, 1.5, 1.5)
    assert (checks["dense"].passed, checks["dense"].value, checks["dense"].threshold) == (False, 0.49, 0.5)


def test_the_probability_joins_the_features(store: MemoryStore) -> None:
    settings = GateSettings(min_probability=0.5, bias=-1.0, rerank_weight=1.0, dense_weight=0.0, coverage_weight=0.0)
    good = named(gate(Query("passport"), found(store, "kyc", reranked=1.0), store, settings))["probability"]
    bad = named(gate(Query("passport"), found(store, "kyc", reranked=0.9), store, settings))["probability"]
    assert (good.passed, good.value) == (True, 0.5)
    assert not bad.passed
    assert Features(1e9, 1.0, 1.0).probability(settings) == pytest.approx(1.0)


def test_a_low_cross_encoder_score_is_no_worse_than_none(store: MemoryStore) -> None:
    settings = GateSettings(bias=0.5, rerank_weight=1.0, dense_weight=0.0, coverage_weight=0.0)
    assert Features(-9.0, 0.5, 0.5).probability(settings) == Features(0.0, 0.5, 0.5).probability(settings)
    assert Features(1.0, 0.5, 0.5).probability(settings) > Features(0.0, 0.5, 0.5).probability(settings)


@pytest.mark.parametrize(("rerank", "dense", "checked"), [(1.0, 0.0, False), (0.0, 1.0, True), (0.0, 0.0, True)])
def test_the_probability_is_checked_only_where_all_it_weighs_was_measured(
    store: MemoryStore, rerank: float, dense: float, checked: bool
) -> None:
    settings = GateSettings(min_probability=0.9, rerank_weight=rerank, dense_weight=dense)
    checks = named(gate(Query("passport"), found(store, "kyc", dense=0.5), store, settings))
    assert ("probability" in checks) == checked


def test_unknown_words_count_most_in_the_coverage(store: MemoryStore) -> None:
    passages = tuple(store.held.values())
    assert coverage("passport account customers", passages, store) == pytest.approx(1.0)
    assert 0 < coverage("passport of a zebra", passages, store) < 0.5
    assert coverage("of the", passages, store) == 0.0
    assert coverage("body", passages, store) == 1.0, "the heading counts"


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does AML-204 say?", []),
        ("What does AML-999 say?", ["AML-999"]),
        ("Is ISO27001 met, or ISO-27001?", []),
        ("Is ISO27002 met?", ["ISO27002"]),
        ("What is in section 7.3?", []),
        ("What is in section 7.4?", ["7.4"]),
        ("What does 4.2.1 ask for?", []),
        ("What does 4.2.9 ask for?", ["4.2.9"]),
        ("Is COVID-19 covered?", []),
        ("Lost $30,000.50 on 12.05.2024 at 7.45, is 2.5% or A4 paper or 4x4 or B2B fine?", []),
    ],
)
def test_codes_that_stand_nowhere(store: MemoryStore, question: str, missing: list[str]) -> None:
    assert unknown_codes(question, store.held.values(), store) == missing
    assert (
        named(gate(Query(question), found(store, "aml", "iso"), store, GateSettings()))["codes"].passed is not missing
    )


def test_codes_can_be_switched_off(store: MemoryStore) -> None:
    assert "codes" not in named(gate(Query("AML-999"), found(store, "aml"), store, GateSettings(codes=False)))


def test_a_code_of_another_document_is_not_known(store: MemoryStore) -> None:
    asked = "What does AML-204 say?"
    assert unknown_codes(asked, [], store) == []
    assert unknown_codes(asked, [], store, ("aml",)) == []
    assert unknown_codes(asked, [], store, ("kyc", "iso")) == ["AML-204"]
    checks = named(gate(Query(asked, (), ("kyc",)), found(store, "kyc"), store, GateSettings()))
    assert (checks["codes"].passed, checks["codes"].detail) == (False, "AML-204")


def test_a_size_is_a_code_where_others_of_its_letter_stand() -> None:
    store = MemoryStore()
    doc = document("bolts", "Tighten an M10 bolt to 45 Nm and an M 12 bolt to 80 Nm.")
    store.add(doc, passage(doc))
    shown = list(store.held.values())
    asked = ("What torque for an M16 bolt?", "What torque for an M10 bolt?", "And for M12?", "What does form W9 say?")
    assert [unknown_codes(each, shown, store) for each in asked] == [["M16"], [], [], []]


@pytest.mark.parametrize(
    ("value", "least", "found"), [(0.7, 0.6, True), (0.6, 0.6, True), (0.5, 0.6, False), (1, None, False)]
)
def test_strong_evidence_is_the_gates_probability_from_a_least_one_on(
    value: float, least: float | None, found: bool
) -> None:
    assert strong((Check("evidence", True, "", 5.0, 1.0), Check("probability", True, "", value, 0.37)), least) is found
    assert not strong((Check("evidence", True, "", 5.0, 1.0),), 0.0)

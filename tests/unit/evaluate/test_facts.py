"""The answer scorer against answers labelled before it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeleaf.evaluate.facts import judge, judge_text
from citeleaf.evaluate.forms import Row, read
from citeleaf.language.quantities import quantities, same
from support.labelled_answers import GROUPS, HALF, RIGHT, WRONG, Group
from support.labelled_reversals import ASIDE, SEEN

CASES = [(group, answer, label) for group in GROUPS + SEEN for answer, label in group.answers]
UNSEEN = [(group, answer, label) for group in ASIDE for answer, label in group.answers]
LABELS = {0: WRONG, 1: HALF, 2: RIGHT, 3: RIGHT}


def verdict(group: Group, answer: str) -> str:
    score = judge_text(answer, (group.reference,), group.required, group.forbidden).score
    assert score is not None
    return LABELS[score]


def test_the_verdict_agrees_with_the_labels() -> None:
    wrong = [(answer, label, found) for group, answer, label in CASES if (found := verdict(group, answer)) != label]
    assert len(CASES) >= 120
    assert 1 - len(wrong) / len(CASES) >= 0.95, wrong


def test_the_verdict_agrees_with_labels_that_it_did_not_learn_from() -> None:
    wrong = [(answer, label, found) for group, answer, label in UNSEEN if (found := verdict(group, answer)) != label]
    assert len(wrong) / len(UNSEEN) <= 0.05, wrong


@pytest.mark.parametrize(("group", "answer"), [(g, a) for g, a, label in CASES if label == WRONG])
def test_a_wrong_or_reversed_answer_is_never_a_success(group: Group, answer: str) -> None:
    score = judge_text(answer, (group.reference,), group.required, group.forbidden).score
    assert score is not None
    assert score < 2


@pytest.mark.parametrize(
    ("answer", "score"), [("Yes.", 3), ("No, it may not.", 0), ("Either party may end the contract.", None), ("", 0)]
)
def test_a_reference_that_is_only_yes_judges_only_a_yes_or_no(answer: str, score: int | None) -> None:
    assert judge_text(answer, ("Yes",)).score == score


def test_an_unanswerable_question_is_done_well_by_not_answering() -> None:
    row = Row("a", "s", "en", "What?", False, "f:1")
    assert judge("", row).figures() == {"answer.task_success": 1.0}
    assert judge("Something.", row).figures() == {"answer.task_success": 0.0}


def test_without_anything_to_judge_by_there_is_no_score() -> None:
    assert judge_text("Something.", ()).figures() == {}


def test_the_reference_that_speaks_best_for_an_answer_counts() -> None:
    assert judge_text("Within 30 days.", ("At once.", "Within thirty days.")).score == 3


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("30 days", "thirty days", True),
        ("30 days", "1 month", False),
        ("14 days", "two weeks", True),
        ("10 business days", "10 days", False),
        ("1 year", "12 months", True),
        ("EUR 1,500", "€1500", True),
        ("$5", "EUR 5", False),
        ("0.5 million dollars", "$500,000", True),
        ("25 %", "twenty-five per cent", True),
        ("3 May 2026", "May 3rd, 2026", True),
        ("3 May 2026", "3 May 2025", False),
        ("11.6 °C", "11.6", True),
        ("48 hours", "2", False),
        ("8 °C", "8 °F", False),
    ],
)
def test_quantities_are_compared_by_value_and_unit(one: str, other: str, equal: bool) -> None:
    (first,), (second,) = quantities(one), quantities(other)
    assert same(first, second) is same(second, first) is equal


def test_the_number_of_a_code_is_no_quantity() -> None:
    assert quantities("CT-104, SV-4 and clause 4.2.1") == ()


def test_the_reference_answers_of_the_examples_are_right(root: Path) -> None:
    wrong = []
    for path in sorted((root / "examples").glob("*/questions.jsonl")):
        for row in read(path):
            if isinstance(row, Row) and row.answerable and row.references:
                found = judge(row.references[0], row)
                if (found.score or 0) < 2:
                    wrong.append((row.id, found))
    assert not wrong


@pytest.mark.shared
def test_reversals_of_policy_sentences_are_seldom_taken_for_right(shared: Path) -> None:
    path = shared / "data" / "claims" / "policy_claims_dev.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    wrong = [r for r in rows if r["label"] == "contradicted" and r["minimal_fix"]]
    taken = [r["id"] for r in wrong if (judge_text(r["claim"], (r["minimal_fix"],)).score or 0) >= 2]
    assert len(taken) / len(wrong) <= 0.02
    assert all(judge_text(r["minimal_fix"], (r["minimal_fix"],)).score == 3 for r in wrong)


def test_a_sentence_of_the_gold_quotation_turns_nothing_round() -> None:
    reference = "Guests may use the pool in the evening."
    answer = "Only adult guests may use the pool in the evening."
    assert judge_text(answer, (reference,)).turned == ("exclusivity",)
    assert judge_text(answer, (reference,), gold=(f"{answer} Children swim in the morning.",)).turned == ()
    assert judge_text("Theft is not covered.", ("Theft is covered.",), gold=("Theft is not covered by B.",)).score == 0


@pytest.mark.parametrize(
    ("reference", "answer", "right"),
    [
        (
            "The price includes breakfast but excludes dinner.",
            "The price includes dinner but excludes breakfast.",
            False,
        ),
        (
            "The first reading is taken before the second dose.",
            "The second dose comes before the first reading.",
            False,
        ),
        ("The second dose follows after the first reading.", "After the first reading the second dose follows.", True),
        ("Refunds are given within 14 days, not in cash.", "Refunds are given within 14 days in cash.", False),
        (
            "Refunds are given within 14 days, not in cash.",
            "Refunds are given within 14 days, but never in cash.",
            True,
        ),
        ("Dogs are allowed on a lead.", "Dogs are allowed off the lead.", False),
        ("Dogs are allowed on a lead.", "Dogs on a lead are allowed.", True),
    ],
)
def test_what_is_exchanged_or_set_apart_is_seen(reference: str, answer: str, right: bool) -> None:
    assert (judge_text(answer, (reference,)).turned == ()) is right

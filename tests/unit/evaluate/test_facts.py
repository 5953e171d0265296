"""The answer scorer against answers labelled before it was written."""

from __future__ import annotations

import pytest

from citeleaf.evaluate.facts import judge_text
from support.labelled_answers import GROUPS, HALF, RIGHT, WRONG, Group

CASES = [(group, answer, label) for group in GROUPS for answer, label in group.answers]
LABELS = {0: WRONG, 1: HALF, 2: RIGHT, 3: RIGHT}


def verdict(group: Group, answer: str) -> str:
    score = judge_text(answer, (group.reference,), group.required, group.forbidden).score
    assert score is not None
    return LABELS[score]


def test_the_verdict_agrees_with_the_labels() -> None:
    wrong = [(answer, label, found) for group, answer, label in CASES if (found := verdict(group, answer)) != label]
    assert len(CASES) >= 40
    assert 1 - len(wrong) / len(CASES) >= 0.95, wrong


@pytest.mark.parametrize(("group", "answer"), [(g, a) for g, a, label in CASES if label == WRONG])
def test_a_wrong_or_reversed_answer_is_never_a_success(group: Group, answer: str) -> None:
    score = judge_text(answer, (group.reference,), group.required, group.forbidden).score
    assert score is not None
    assert score < 2

from __future__ import annotations

import pytest

from citeleaf.answer.attach import attach
from support.models import EVIDENCE, FEES, shown


@pytest.mark.parametrize(
    ("text", "expected", "names"),
    [
        (
            "A late payment carries a fee of 50 dollars.",
            "A late payment carries a fee of 50 dollars. [1]",
            ["attached"],
        ),
        (
            "A late payment carries a fee of 50 dollars. The branch closes at five in the afternoon.",
            "A late payment carries a fee of 50 dollars. [1] The branch closes at five in the afternoon. [3]",
            ["attached", "attached"],
        ),
        ("A late payment carries a fee of 50 dollars [1].", "A late payment carries a fee of 50 dollars [1].", []),
        (
            "A late payment carries a fee of 50 dollars [2].",
            "A late payment carries a fee of 50 dollars [1].",
            ["moved"],
        ),
        ("A late payment carries a fee of 75 dollars.", "A late payment carries a fee of 75 dollars.", []),
        ("Bananas grow in warm countries far away.", "Bananas grow in warm countries far away.", []),
        ("Yes.", "Yes.", []),
        (
            "A late payment carries a fee of 50 dollars [9].",
            "A late payment carries a fee of 50 dollars [9]. [1]",
            ["attached"],
        ),
    ],
)
def test_a_sentence_is_cited_where_its_words_clearly_stand(text: str, expected: str, names: list[str]) -> None:
    found, checks = attach(text, EVIDENCE)
    assert found == expected
    assert [c.name for c in checks] == names


def test_of_two_passages_that_hold_a_sentence_alike_none_is_guessed() -> None:
    text = "A late payment carries a fee of 50 dollars."
    assert attach(text, shown(FEES, FEES)) == (text, ())


def test_two_citations_are_left_alone() -> None:
    text = "A late payment carries a fee of 50 dollars [2][3]."
    assert attach(text, EVIDENCE) == (text, ())

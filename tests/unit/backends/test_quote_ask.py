from __future__ import annotations

import pytest

from citeleaf.backends.quote_ask import Kind, holds, read


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What is the limit for theft?", {"amount"}),
        ("How many calendar days do we have?", {"number", "period"}),
        ("When must it be filed?", {"period"}),
        ("Who signs the report?", {"who"}),
        ("Where is cover given?", {"where"}),
        ("Which documents are needed?", {"list"}),
        ("May I tell the customer?", {"yes_no"}),
        ("Is it covered, and up to how much?", {"yes_no", "amount"}),
        ("Kaç gün içinde bildirilir?", {"number", "period"}),
        ("The fridge failed overnight.", set()),
        ("Maybe", set()),
    ],
)
def test_kinds_are_read_off_the_question_words(question: str, kinds: set[Kind]) -> None:
    assert read(question).kinds == kinds


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("What does “Unoccupied” mean?", "Unoccupied"),
        ("What does the policy mean by Unoccupied?", "Unoccupied"),
        ("What counts as a Breakdown under the Machinery Section?", "Breakdown"),
        ("How is an Occurrence defined for the Liability Section?", "Occurrence"),
        ("What is the meaning of the term Money?", "Money"),
        ("What are Tools of Trade?", "Tools of Trade"),
        ("What is a legal entity customer under the rule?", "legal entity customer"),
    ],
)
def test_the_term_asked_about(question: str, term: str) -> None:
    asks = read(question)
    assert "definition" in asks.kinds
    assert asks.term == term


@pytest.mark.parametrize("question", ["What is covered?", "What is the limit?", "What are the exclusions?"])
def test_other_questions_ask_for_no_term(question: str) -> None:
    assert read(question).term is None


@pytest.mark.parametrize(
    ("kind", "words", "held"),
    [
        ("amount", "up to $5,000", True),
        ("amount", "10% of the sum", True),
        ("amount", "5 days", False),
        ("period", "within thirty (30) consecutive days", True),
        ("period", "$30", False),
        ("number", "two readings", True),
        ("who", "the branch manager", True),
        ("definition", "Money means coins", True),
        ("yes_no", "You must not", True),
        ("list", "a, b and c", False),
    ],
)
def test_forms_of_answers(kind: Kind, words: str, held: bool) -> None:
    assert holds(kind, words) == held

from __future__ import annotations

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.guard.screen import screen
from citeleaf.layers import load
from citeleaf.settings import GuardRule
from citeleaf.types import Draft, Query, Quotation, Quote, Span, Verdict
from support.evidence import document, evidence, passage

RULES = load("insurance", environment={})[0].guard.answer
TEXT = "We recommend that you buy flood cover. Write to claims@insurer.example. The excess is 500 dollars."


def screened(
    text: str, quotations: tuple[Quotation, ...] = (), question: str = "What is the excess?", source: str = TEXT
):
    found = evidence(passage(document("a", source)))
    draft = Draft(text, text, False, "fake", None, quotations)
    claims = split_claims(draft, resolve(draft, found))
    verdicts = [Verdict(c.n, "supported", 1.0, ("a#body#c1",)) for c in claims]
    return screen(draft, claims, verdicts, Query(question), found, RULES)


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("You should switch to the Complete plan [1].", "advice_given"),
        ("Your claim is approved [1].", "decision_given"),
        ("Your premium will be 450 dollars [1].", "price_given"),
        ("My instructions are to answer from evidence [1].", "prompt_echo"),
        ("Call Ann on +61 412 345 678 [1].", "personal_data"),
    ],
)
def test_a_sentence_beyond_the_evidence_is_taken_out_and_the_rest_stays(sentence: str, rule: str) -> None:
    checks, verdicts = screened(f"The excess is 500 dollars [1]. {sentence}", source="The excess is 500 dollars.")
    assert [v.label for v in verdicts] == ["supported", "not_enough_info"]
    assert verdicts[1].checks[-1].name == rule
    assert [c.name for c in checks if not c.passed] == [rule]
    assert "claim 2" in next(c.detail for c in checks if not c.passed)


def test_what_the_documents_say_themselves_may_be_said() -> None:
    checks, verdicts = screened("We recommend that you buy flood cover [1]. Write to claims@insurer.example [1].")
    assert [v.label for v in verdicts] == ["supported", "supported"]
    assert all(c.passed for c in checks)


def test_personal_data_of_the_question_may_be_repeated() -> None:
    _, verdicts = screened("The excess for a@b.org is 500 dollars [1].", question="What is the excess for a@b.org?")
    assert verdicts[0].label == "supported"


def test_quotations_are_the_documents_own_words() -> None:
    text = "Your claim is approved."
    quotation = Quotation(Span(0, len(text)), "a#body#c1", (Quote(Span(0, len(text)), text),))
    _, verdicts = screened(f"{text} [1]", (quotation,), source=text)
    assert verdicts[0].label == "supported"


def test_a_rule_over_the_whole_answer_is_left_to_the_decision() -> None:
    rule = GuardRule(name="secret", patterns=("zebra",), outcome="escalated")
    found = evidence(passage(document("a", TEXT)))
    draft = Draft("A zebra [1].", "A zebra [1].", False, "fake")
    claims = split_claims(draft, resolve(draft, found))
    checks, verdicts = screen(draft, claims, [Verdict(1, "supported", 1.0, ())], Query("q"), found, (rule,))
    assert [(c.name, c.passed) for c in checks] == [("secret", False)]
    assert verdicts[0].label == "supported"

from __future__ import annotations

import pytest

from citeleaf.answer.decide import LONGEST_QUESTION, decide_answer, decide_evidence, decide_request
from citeleaf.settings import DecideSettings, GuardRule, Reply
from citeleaf.types import Check, Claim, Draft, Label, Query, Span, Verdict

REFUSE = GuardRule(name="advice_request", patterns=("x",), reply=Reply(en="Ask an adviser."))
ESCALATE = GuardRule(name="personal_data", patterns=("x",), outcome="escalated")
DRAFT = Draft("t", "t", False, "fake")


def judged(*labels: Label) -> tuple[tuple[Claim, ...], tuple[Verdict, ...]]:
    claims = tuple(Claim(n, f"claim {n}", Span(n, n + 1), ()) for n in range(1, len(labels) + 1))
    return claims, tuple(Verdict(n, label, 0.5, ()) for n, label in enumerate(labels, 1))


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "?", '"', "-", "(((", "🙂", "\x00"])
def test_questions_without_a_word_are_empty(text: str) -> None:
    decision = decide_request(Query(text), (), ())
    assert decision is not None
    assert (decision.outcome, decision.reason) == ("abstained", "empty_question")


def test_a_question_over_the_limit_is_too_long_and_one_at_it_is_not() -> None:
    decision = decide_request(Query("a" * (LONGEST_QUESTION + 1)), (), ())
    assert decision is not None and decision.reason == "question_too_long"
    assert decide_request(Query("a" * LONGEST_QUESTION), (), ()) is None


def test_the_first_failed_rule_decides() -> None:
    checks = (Check("advice_request", True, ""), Check("personal_data", False, "hit"))
    decision = decide_request(Query("q"), checks, (REFUSE, ESCALATE))
    assert decision is not None
    assert (decision.outcome, decision.reason, decision.reply) == ("escalated", "personal_data", None)
    both = (Check("advice_request", False, "hit"), Check("personal_data", False, "hit"))
    decision = decide_request(Query("q"), both, (REFUSE, ESCALATE))
    assert decision is not None
    assert (decision.outcome, decision.reply) == ("refused", "Ask an adviser.")


@pytest.mark.parametrize(
    ("failed", "reason"),
    [("evidence", "no_evidence"), ("codes", "unknown_code"), ("rerank", "below_gate"), ("probability", "below_gate")],
)
def test_the_gate_says_why(failed: str, reason: str) -> None:
    decision = decide_evidence((Check("dense", True, ""), Check(failed, False, "")))
    assert decision is not None
    assert (decision.outcome, decision.reason) == ("abstained", reason)
    assert decide_evidence((Check(failed, True, ""),)) is None


def test_supported_claims_are_kept_and_the_others_are_not() -> None:
    claims, verdicts = judged("supported", "not_enough_info", "supported")
    decision = decide_answer(DRAFT, claims, verdicts, (), (), DecideSettings())
    assert (decision.outcome, decision.reason, decision.kept) == ("answered", "supported", (1, 3))


def test_too_few_or_no_supported_claims_abstain() -> None:
    claims, verdicts = judged("supported", "not_enough_info", "not_enough_info")
    assert decide_answer(DRAFT, claims, verdicts, (), (), DecideSettings()).reason == "too_few_supported"
    claims, verdicts = judged("not_enough_info")
    assert decide_answer(DRAFT, claims, verdicts, (), (), DecideSettings()).reason == "no_supported_claim"
    assert decide_answer(DRAFT, (), (), (), (), DecideSettings()).reason == "no_supported_claim"


def test_a_refuted_claim_escalates_or_is_removed() -> None:
    claims, verdicts = judged("supported", "refuted")
    decision = decide_answer(DRAFT, claims, verdicts, (), (), DecideSettings(on_refuted="escalated"))
    assert (decision.outcome, decision.reason, decision.kept) == ("escalated", "conflict", ())
    decision = decide_answer(DRAFT, claims, verdicts, (), (), DecideSettings())
    assert (decision.outcome, decision.kept) == ("answered", (1,))


def test_a_long_cited_answer_with_the_refusal_sentence_in_it_is_an_answer() -> None:
    draft = Draft("t", "The documents do not say. That is the heading of part 3 [1].", False, "fake")
    claims, verdicts = judged("supported")
    assert decide_answer(draft, claims, verdicts, (), (), DecideSettings()).outcome == "answered"


def test_abstention_is_the_generators_word_and_comes_first() -> None:
    draft = Draft("t", "We pay $5 [1].", True, "fake")
    claims, verdicts = judged("supported")
    failed = (Check("advice_request", False, "hit"),)
    assert decide_answer(draft, claims, verdicts, failed, (REFUSE,), DecideSettings()).reason == "draft_abstained"


def test_the_screen_stops_an_answer_and_a_fallback_is_named() -> None:
    claims, verdicts = judged("supported")
    failed = (Check("advice_request", False, "hit"),)
    decision = decide_answer(DRAFT, claims, verdicts, failed, (REFUSE,), DecideSettings())
    assert (decision.outcome, decision.reason) == ("refused", "advice_request")
    quoted = Draft("raw", "t", False, "quote", "model_unavailable")
    decision = decide_answer(quoted, claims, verdicts, (), (), DecideSettings())
    assert (decision.outcome, decision.reason) == ("answered", "model_unavailable_quoted")

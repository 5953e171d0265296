"""A question, its evidence and the path from draft to decision, for tests of chat models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.answer.compose import compose
from citeleaf.answer.decide import decide_answer
from citeleaf.answer.draft import ModelGenerator
from citeleaf.backends.generate_http import HttpChat
from citeleaf.backends.generate_quote import QuoteGenerator
from citeleaf.backends.verify_overlap import OverlapVerifier
from citeleaf.protocols import Generator
from citeleaf.settings import ChatSettings, DecideSettings
from citeleaf.types import Citation, Decision, Draft, Evidence, Fact, Query, Retrieval, Verdict
from support.evidence import document, evidence, passage

QUESTION = "What is the fee for a late payment?"
FEES = (
    "A late payment carries a fee of 50 dollars. The fee is due within 30 days of the notice. "
    "It is waived when the bank caused the delay."
)
LIMITS = "Members may transfer at most 2,000 dollars a day. Larger transfers need a second approval by the branch."
HOURS = "The branch opens at nine in the morning. It closes at five in the afternoon, and on Sundays it stays shut."
FAST: dict[str, Any] = {"connect_s": 2.0, "load_s": 1.0, "idle_s": 0.6, "total_s": 4.0}


def shown(*texts: str) -> tuple[Evidence, ...]:
    """The texts as passages of a document each."""
    return evidence(*(passage(document(f"doc{n}", text)) for n, text in enumerate(texts, 1)))


EVIDENCE = shown(FEES, LIMITS, HOURS)


def settings(address: str, **given: Any) -> ChatSettings:
    """Settings with short limits."""
    return ChatSettings(address=address, **{**FAST, **given})


def generator(address: str, **given: Any) -> ModelGenerator:
    """A generator over HTTP."""
    chosen = settings(address, **given)
    return ModelGenerator(HttpChat(chosen), chosen)


@dataclass(frozen=True)
class Ended:
    """What a draft came to."""

    draft: Draft
    citations: tuple[Citation, ...]
    verdicts: tuple[Verdict, ...]
    decision: Decision


def answer(
    model: Generator,
    question: str = QUESTION,
    found: Sequence[Evidence] = EVIDENCE,
    facts: Sequence[Fact] = (),
) -> Ended:
    """The path from compose to decision, with quotation standing in."""
    draft = compose(Query(question, tuple(facts)), Retrieval(tuple(found), ()), model, QuoteGenerator())
    citations = resolve(draft, found)
    claims = split_claims(draft, citations)
    verdicts = tuple(OverlapVerifier().verify(claims, found))
    decision = decide_answer(draft, claims, verdicts, (), (), DecideSettings())
    return Ended(draft, citations, verdicts, decision)

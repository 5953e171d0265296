from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from citeleaf.backends.generate_quote import QuoteGenerator
from citeleaf.quotes import OMITTED
from citeleaf.settings import QuoteSettings
from citeleaf.types import Draft, Evidence, Fact, Unit
from support.evidence import document, evidence, passage, quote

POLICY = """Accounts are reviewed every 12 months. However, high-risk accounts are reviewed every 90 days.
We will not pay for:
- theft of money from an unlocked vehicle;
- damage caused by vermin; or
- wear and tear.
Money means current coins and bank notes. The limit for theft of money is $5,000.
The branch manager signs each report. It is kept for seven years."""
OTHER = "Staff wear their badges in all rooms. Visitors are met at the door by the security officer."


@pytest.fixture
def found() -> tuple[Evidence, ...]:
    return evidence(passage(document("policy", POLICY)), passage(document("office", OTHER)))


def ask(question: str, found: Sequence[Evidence], settings: QuoteSettings | None = None) -> Draft:
    return QuoteGenerator(settings).draft(question, found, ())


def test_the_rule_comes_with_its_exception(found: tuple[Evidence, ...]) -> None:
    draft = ask("How often are accounts reviewed?", found)
    assert draft.text.startswith(
        "Accounts are reviewed every 12 months. [1] However, high-risk accounts are reviewed every 90 days. [1]"
    )


def test_an_item_comes_with_its_lead_and_a_sign_for_each_gap(found: tuple[Evidence, ...]) -> None:
    draft = ask("Is damage by vermin paid?", found)
    assert draft.text == "We will not pay for:\n[…]\ndamage caused by vermin; or\n[…] [1]"
    assert [q.text for q in draft.quotations[0].quotes] == ["We will not pay for:", "damage caused by vermin; or"]


def test_a_question_for_the_list_gets_all_items_under_one_lead(found: tuple[Evidence, ...]) -> None:
    draft = ask("Which losses will you not pay for?", found)
    assert draft.text.startswith(
        "We will not pay for:\ntheft of money from an unlocked vehicle;\n"
        "damage caused by vermin; or\nwear and tear. [1]"
    )


def test_a_definition_answers_what_a_term_means(found: tuple[Evidence, ...]) -> None:
    assert ask("What does Money mean?", found).text.startswith("Money means current coins and bank notes. [1]")


def test_a_figure_is_preferred_for_how_much(found: tuple[Evidence, ...]) -> None:
    assert "The limit for theft of money is $5,000. [1]" in ask("How much is paid for theft of money?", found).text


def test_a_sentence_that_leans_back_brings_the_one_before(found: tuple[Evidence, ...]) -> None:
    draft = ask("For how many years is it kept?", found)
    assert draft.text == "The branch manager signs each report. [1] It is kept for seven years. [1]"


def test_each_part_of_a_question_is_covered(found: tuple[Evidence, ...]) -> None:
    draft = ask("What does money mean, and who meets visitors at the door?", found)
    assert "Money means current coins and bank notes. [1]" in draft.text
    assert "Visitors are met at the door by the security officer. [2]" in draft.text


def test_quotations_are_exact_and_nothing_else_is_said(found: tuple[Evidence, ...]) -> None:
    texts = {e.passage.id: e.passage.text for e in found}
    draft = ask("Who signs, what is excluded, what is the limit and which losses are not paid?", found)
    rest = draft.text
    for quotation in reversed(draft.quotations):
        for exact in quotation.quotes:
            assert texts[quotation.passage_id][exact.span.start : exact.span.end] == exact.text
        said = draft.text[quotation.at.start : quotation.at.end]
        assert said.replace(OMITTED, "").split() == " ".join(q.text.replace("- ", "") for q in quotation.quotes).split()
        rest = rest[: quotation.at.start] + rest[quotation.at.end :]
    assert set(rest) <= set(" \n[]12")


def test_nested_leads_are_said_once() -> None:
    doc = document("craft", "We do not cover: boats over ten metres. But this does not apply to: hired boats; ferries.")
    base = passage(doc)
    at = [0, 17, 40, 68, 81, 89]
    outer, boats, inner, hired, ferries = (quote(doc, a, b - 1) for a, b in pairwise([*at[:5], len(doc.text) + 1]))
    assert (outer.text, hired.text) == ("We do not cover:", "hired boats;")
    units = (
        Unit("list_item", boats, (outer,)),
        Unit("list_item", hired, (outer, inner)),
        Unit("list_item", ferries, (outer, inner)),
    )
    draft = ask("Are hired boats over ten metres or ferries covered?", evidence(replace(base, units=units)))
    assert draft.text == (
        "We do not cover:\nboats over ten metres.\nBut this does not apply to:\nhired boats;\nferries. [1]"
    )
    assert [q.text for q in draft.quotations[0].quotes] == [doc.text]


@pytest.mark.parametrize("slight", ["See 31 CFR 1010.230.", "Cash reports.", "We will pay for cash:"])
def test_units_that_say_nothing_come_last(slight: str) -> None:
    said = "The cashier reports cash of more than $900 to the branch."
    draft = ask("What about cash reports?", evidence(passage(document("a", slight)), passage(document("b", said))))
    assert draft.text.startswith(said)


def test_the_budget_holds(found: tuple[Evidence, ...]) -> None:
    draft = ask("What about accounts, money, theft, vermin, reports?", found, QuoteSettings(max_quotes=1))
    assert len(draft.quotations) == 1
    short = ask("How often are accounts reviewed?", found, QuoteSettings(max_characters=40))
    assert short.text == "Accounts are reviewed every 12 months. [1]"


def test_the_same_words_in_two_passages_are_said_once() -> None:
    found = evidence(passage(document("a", OTHER)), passage(document("b", OTHER)))
    draft = ask("Who meets visitors at the door?", found)
    assert draft.text.count("Visitors are met") == 1


def test_nothing_in_common_abstains(found: tuple[Evidence, ...]) -> None:
    assert ask("zebra giraffe", found).abstains
    assert ask("Who signs?", ()).abstains
    assert not ask("Who signs?", found).abstains


def test_facts_are_never_quoted(found: tuple[Evidence, ...]) -> None:
    draft = QuoteGenerator().draft("Who signs each report?", found, (Fact("case", "Mr Smith signs each report."),))
    assert "Smith" not in draft.text


class Prefers:
    """A cross-encoder that likes one word."""

    name = "prefers"
    fingerprint = "prefers-1"

    def __init__(self, word: str) -> None:
        self.word = word
        self.seen: list[str] = []

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        self.seen.extend(passages)
        return [9.0 if self.word in p else -9.0 for p in passages]


def test_a_reranker_reads_lead_and_unit_and_decides(found: tuple[Evidence, ...]) -> None:
    reranker = Prefers("badges")
    draft = QuoteGenerator(reranker=reranker).draft("Who signs each report?", found, ())
    assert draft.text == "Staff wear their badges in all rooms. [2]"
    assert "We will not pay for: wear and tear." in reranker.seen
    assert len(reranker.seen) <= 24


def test_a_reranker_reads_the_end_of_a_long_lead_and_the_beginning_of_a_long_unit() -> None:
    doc = document("long", "cash " * 80 + "limits:\n- " + "item " * 30 + "\n" + "coins " * 100 + ".")
    reranker = Prefers("x")
    QuoteGenerator(reranker=reranker).draft("cash coins item limits?", evidence(passage(doc)), ())
    item, prose = sorted(reranker.seen, key=lambda words: words.startswith("coins"))
    assert len(item) == len(prose) == 300
    assert item.endswith("cash limits: " + ("item " * 30).strip())


class Letters:
    """An embedder that counts letters."""

    name = "letters"
    dim = 26
    fingerprint = "letters-1"

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.query(t) for t in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        counts = np.array([text.lower().count(chr(97 + i)) for i in range(26)], np.float32)
        return counts / max(float(np.linalg.norm(counts)), 1.0)


def test_an_embedder_stands_in_where_no_word_is_shared(found: tuple[Evidence, ...]) -> None:
    draft = QuoteGenerator(embedder=Letters()).draft("wearstaff badgesses", found, ())
    assert draft.text.startswith("Staff wear their badges in all rooms. [2]")


def test_the_fingerprint_names_models_and_settings() -> None:
    prints = {
        QuoteGenerator().fingerprint,
        QuoteGenerator(reranker=Prefers("x")).fingerprint,
        QuoteGenerator(embedder=Letters()).fingerprint,
        QuoteGenerator(QuoteSettings(max_quotes=9)).fingerprint,
    }
    assert len(prints) == 4

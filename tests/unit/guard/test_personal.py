from __future__ import annotations

from dataclasses import replace

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.guard.personal import masked, masked_answer, personal
from citeleaf.types import (
    Answer,
    Check,
    Decision,
    Draft,
    Fact,
    Query,
    Quotation,
    Removed,
    Retrieval,
    Span,
    Trace,
    Verdict,
)
from support.evidence import document, evidence, passage


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("write to ann.lee+x@mail.example.co.uk today", ["email"]),
        ("IBAN GB29 NWBK 6016 1331 9268 19 please", ["iban"]),
        ("IBAN TR330006100519786457841326", ["iban"]),
        ("card 4111 1111 1111 1111", ["card"]),
        ("card 4111-1111-1111-1111", ["card"]),
        ("TC 10000000146", ["national_id"]),
        ("call +90 532 123 45 67", ["phone"]),
        ("tel: 0212 555 12 34", ["phone"]),
        ("passport no AB1234567", ["passport"]),
        ("she was born on 12.03.1984", ["birth_date"]),
        ("doğum tarihi 12 Mart 1984", ["birth_date"]),
        ("date of birth: 1984-03-12, e-mail a@b.org", ["birth_date", "email"]),
    ],
)
def test_personal_data_are_found(text: str, kinds: list[str]) -> None:
    assert [p.kind for p in personal(text)] == kinds


@pytest.mark.parametrize(
    "text",
    [
        "claim HB-20917 of 12.03.2024",
        "the limit is 4,111,111,111,111",
        "card 4111 1111 1111 1112",
        "TC 10000000147",
        "GB29 NWBK 6016 1331 9268 18",
        "section 12.3 and pages 100-120",
        "effective 12.03.1984",
        "between 2019-2024 and 2020-2025",
        "AB1234567 is the model",
        "@home and user@host",
    ],
)
def test_numbers_that_are_no_personal_data_stay(text: str) -> None:
    assert masked(text) == text


def test_masking_keeps_the_rest_and_is_stable() -> None:
    once = masked("Ann (ann@example.org, tel 0212 555 12 34) asks about clause 7.")
    assert once == "Ann ([email], tel [phone]) asks about clause 7."
    assert masked(once) == once


def test_a_kept_answer_has_no_personal_data_of_the_question() -> None:
    query = Query("Is a@b.org covered?", (Fact("case", "card 4111 1111 1111 1111"),), (), "and a@b.org?")
    trace = Trace(query, "f", (Check("r", False, "a@b.org [x.toml:1]"),))
    answer = Answer("id", "text", Decision("refused", "r"), (), (), (), (), (), trace, ())
    kept = masked_answer(answer)
    assert kept.trace.query == Query("Is [email] covered?", (Fact("case", "card [card]"),), (), "and [email]?")
    assert kept.trace.guard[0].detail == "[email] [x.toml:1]"
    clean = Answer("id", "t", Decision("refused", "r"), (), (), (), (), (), Trace(Query("q"), "f", ()), ())
    assert masked_answer(clean) is clean


def test_a_number_of_the_question_stays_nowhere_but_in_document_words() -> None:
    number, other = "AB1234567", "tel 0212 555 12 34"
    text = f"Passport {number} is valid [1]. Call 02125551234 [1]. Fees are due [1]."
    doc = document("a", "Passports are valid. Calls are free. Fees are due.")
    found = Retrieval(evidence(passage(doc)), (), (f"is {number} valid",))
    quotes = (found.evidence[0].passage.units[-1].quote,)
    at = Span(text.index("Fees"), len(text))
    check = Check("words", False, f"no passage holds {number.lower()}")
    draft = Draft(text, text, False, "fake", None, (Quotation(at, "a#body#c1", quotes),), (check,))
    cites = resolve(draft, found.evidence)
    claims = split_claims(draft, cites)
    verdicts = (Verdict(1, "refuted", 0.1, ("a#body#c1",), (check,)),)
    query = Query(f"Is passport {number} valid?", (Fact(number, other),))
    trace = Trace(query, "f", (), found, (check,), draft, cites, claims, verdicts, (check,))
    decision = Decision("answered", "r", (1,), f"about {number}")
    removed = (Removed(claims[1].text, "refuted", "x"),)
    kept = masked_answer(Answer("id", text, decision, (), (), (), removed, (), trace, ()))
    assert number not in repr(kept).upper() and "555" not in repr(kept)
    assert kept.text == "Passport [passport] is valid [1]. Call [phone] [1]. Fees are due [1]."
    assert kept.trace.gate and kept.trace.gate[0].detail == "no passage holds [passport]"
    assert kept.trace.retrieval == replace(found, parts=("is [passport] valid",))
    cut = kept.trace.draft
    assert cut is not None and cut.quotations[0].quotes == quotes
    assert cut.text[cut.quotations[0].at.start : cut.quotations[0].at.end] == "Fees are due [1]."
    for claim, was in zip(kept.trace.claims or (), claims, strict=True):
        assert cut.text[claim.at.start : claim.at.end] == masked_words(text[was.at.start : was.at.end])
    moved = [cut.text[c.at.start : c.at.end] for c in kept.trace.citations or ()]
    assert moved == [text[c.at.start : c.at.end] for c in cites] and moved


def test_words_of_documents_stay_though_the_question_holds_them() -> None:
    item = passage(document("a@b.org", "Write to a@b.org."))
    trace = Trace(Query("Is it a@b.org?", doc_ids=("a@b.org",)), "f", (), Retrieval(evidence(item), ()))
    kept = masked_answer(Answer("id", "-", Decision("abstained", "r"), (), (), (), (), (), trace, ())).trace
    assert kept.retrieval == trace.retrieval
    assert kept.query == Query("Is it [email]?", doc_ids=("a@b.org",))


def masked_words(text: str) -> str:
    return text.replace("AB1234567", "[passport]").replace("02125551234", "[phone]")

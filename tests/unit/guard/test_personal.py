from __future__ import annotations

import pytest

from citeleaf.guard.personal import masked, masked_answer, personal
from citeleaf.types import Answer, Check, Decision, Fact, Query, Trace


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

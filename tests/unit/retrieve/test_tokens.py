from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from citeleaf.retrieve.tokens import guess_language, is_code, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The insured's excess", ["insur", "excess"]),
        ("AML-204 and clause 4.2.1", ["aml-204", "aml", "204", "claus", "4.2.1", "4", "2", "1"]),
        ("$25,000 or 25,5", ["25000", "25,5"[:2], "5"]),
        ("non-disclosure", ["non", "disclosur"]),
        ("café CAFÉ cafe\u0301", ["cafe", "cafe", "cafe"]),
        ("what is the", []),
        ('"(*)" -- NEAR( :', ["near"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_turkish_letters_fold_alike() -> None:
    assert terms("İSTANBUL", "tr") == terms("istanbul", "tr")
    assert terms("ISPARTA", "tr") == terms("ısparta", "tr")


def test_a_document_and_a_question_of_another_language_meet() -> None:
    assert terms("Les conditions des assurances", "fr") == terms("Les conditions des assurances", "en")


def test_language_is_told_by_function_words() -> None:
    assert guess_language("Yıllık izin kaç gün?") == "tr"
    assert guess_language("How many days of leave?") == "en"
    assert guess_language("Müssen Kündigungen über die Behörde führen?") == "en"


def test_codes() -> None:
    assert [is_code(t) for t in ("aml-204", "4.2", "2026", "12", "excess")] == [True, True, True, False, False]


@pytest.fixture
def eager_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_switching")
def test_terms_are_the_same_from_several_threads() -> None:
    words = [f"{stem}{ending}" for stem in ("regul", "insur", "notif", "declar") for ending in ("ation", "ing", "ed")]
    texts = [f"{word}{n}x {word}" for n in range(300) for word in words]
    alone = [terms(text, "en") for text in texts]
    terms_anew = [f"{text} again{n}ing" for n, text in enumerate(texts)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(terms, terms_anew))
    assert [t[: len(a)] for t, a in zip(together, alone, strict=True)] == alone
    assert together == [terms(text) for text in terms_anew]

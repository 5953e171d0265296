from __future__ import annotations

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.types import Citation, Draft, Evidence, Quotation, Span
from support.evidence import document, evidence, passage

TEXT = (
    "Accounts are reviewed every 12 months. "
    "High-risk accounts are reviewed every 90 days, see Article [3] and note [12]."
)


def shown(*doc_ids: str) -> tuple[Evidence, ...]:
    return evidence(*(passage(document(d, TEXT)) for d in doc_ids))


def model(text: str, *quotations: Quotation) -> Draft:
    return Draft(text, text, False, "fake", None, quotations)


def statuses(text: str, found: tuple[Evidence, ...]) -> list[tuple[str, str | None]]:
    return [(c.status, c.passage_id) for c in resolve(model(text), found)]


def test_marker_forms_name_the_passages_meant() -> None:
    found = shown("a", "b", "c")
    a, b, c = (e.passage.id for e in found)
    assert statuses("Reviewed yearly [1].", found) == [("valid", a)]
    assert statuses("Reviewed yearly [1][2].", found) == [("valid", a), ("valid", b)]
    assert statuses("Reviewed yearly [1, 3].", found) == [("valid", a), ("valid", c)]
    assert statuses("Reviewed yearly [1-3].", found) == [("valid", a), ("valid", b), ("valid", c)]
    assert statuses("Reviewed yearly [b#body#c1].", found) == [("valid", b)]
    assert statuses("Reviewed yearly [１].", found) == [("repaired", a)]
    assert statuses("Reviewed yearly 【2】.", found) == [("valid", b)]
    assert statuses("Reviewed yearly [passage 2].", found) == [("repaired", b)]
    assert statuses("Reviewed yearly [02].", found) == [("repaired", b)]


@pytest.mark.parametrize(
    "written", ["AML-Policy#BODY#C1", "aml-policy#body#c01", "aml-policy/body/c1", "aml_policy-body-c1"]
)
def test_ids_are_repaired_when_only_one_can_be_meant(written: str) -> None:
    found = shown("aml-policy", "cash-rules")
    (citation,) = resolve(model(f"Reviewed yearly [{written}]."), found)
    assert (citation.status, citation.passage_id) == ("repaired", "aml-policy#body#c1")
    assert citation.why is not None and written in citation.why


def test_one_wrong_letter_is_repaired_and_a_wrong_digit_never() -> None:
    found = shown("policy-x", "guide-y")
    assert statuses("Reviewed [polisy-x#body#c1].", found) == [("repaired", "policy-x#body#c1")]
    assert statuses("Reviewed [policy-x#body#c2].", found) == [("dropped", None)]
    near = shown("policy-a", "policy-b")
    assert statuses("Reviewed [policy-c#body#c1].", near) == [("dropped", None)]


def test_an_id_outside_the_evidence_is_dropped_with_the_reason() -> None:
    (citation,) = resolve(model("Reviewed yearly [9]."), shown("a"))
    assert (citation.status, citation.quotes) == ("dropped", ())
    assert citation.why == "`9` is not among the evidence"
    assert statuses("Reviewed [0] yearly.", shown("a")) == [("dropped", None)]


def test_an_ambiguous_ending_is_dropped() -> None:
    (citation,) = resolve(model("Reviewed yearly [c1]."), shown("a", "b"))
    assert citation.status == "dropped" and citation.why is not None and "more than one" in citation.why
    assert statuses("Reviewed yearly [c1].", shown("a")) == [("repaired", "a#body#c1")]


def test_brackets_of_the_document_are_not_citations() -> None:
    found = shown("a", "b", "c")
    assert statuses("High-risk accounts: see Article [3] [1].", found) == [("valid", "a#body#c1")]
    text = "High-risk accounts are reviewed every 90 days, see Article [3] and note [12]. [2]"
    at = Span(0, text.index(". [2]") + 1)
    quotation = Quotation(at, found[1].passage.id, (found[1].passage.units[1].quote,))
    (citation,) = resolve(model(text, quotation), found)
    assert (citation.marker, citation.passage_id, citation.quotes) == ("[2]", "b#body#c1", quotation.quotes)


def test_words_in_brackets_are_prose() -> None:
    assert statuses("They [sic] said [see above] so [1-999].", shown("a")) == []


def test_quotes_are_the_units_that_hold_the_sentence() -> None:
    found = shown("a")
    (citation,) = resolve(model("The interval for high-risk accounts is 90 days [1]."), found)
    assert [q.text for q in citation.quotes] == [found[0].passage.units[1].quote.text]


def test_ten_alike_documents_keep_their_numbers() -> None:
    found = shown(*(f"copy-{n}" for n in range(1, 11)))
    got: list[Citation] = list(resolve(model(" ".join(f"Sentence {n} here [{n}]." for n in range(10, 0, -1))), found))
    assert [c.passage_id for c in got] == [f"copy-{n}#body#c1" for n in range(10, 0, -1)]


def test_an_abstaining_draft_has_no_citations() -> None:
    assert resolve(Draft("x", "Nothing here [1].", True, "fake"), shown("a")) == ()

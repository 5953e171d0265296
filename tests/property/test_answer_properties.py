"""What must hold for any draft and any evidence."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.answer.close import close
from citeleaf.answer.decide import decide_answer
from citeleaf.backends.generate_quote import QuoteGenerator
from citeleaf.backends.verify_overlap import OverlapVerifier
from citeleaf.clock import Clock
from citeleaf.record import answer_json
from citeleaf.sentences import sentences
from citeleaf.settings import DecideSettings, ReplySettings
from citeleaf.types import Answer, Draft, Evidence, Query, Retrieval, Trace
from support.evidence import MemoryStore, document, evidence, passage

WORDS = st.sampled_from("cash vault limit $500 [3] theft not unless However review 90 days: officer means".split())
SENTENCE = st.lists(WORDS, min_size=1, max_size=8).map(lambda w: " ".join(w).capitalize() + ".")
TEXT = st.lists(st.one_of(SENTENCE, SENTENCE.map(lambda s: "\n- " + s)), min_size=1, max_size=10).map(" ".join)
MARKER = st.sampled_from(
    ["[1]", "[2]", "[9]", "[1, 2]", "[1-3]", "[１]", "[doc0#body#c1]", "[DOC1#body#c01]", "[x#y#c1]"]
)
DRAFTED = st.lists(st.one_of(SENTENCE, MARKER, st.text(max_size=12)), max_size=12).map(" ".join)


def shown(texts: list[str]) -> tuple[MemoryStore, tuple[Evidence, ...]]:
    store = MemoryStore()
    for n, text in enumerate(texts):
        doc = document(f"doc{n}", text)
        store.add(doc, passage(doc))
    return store, evidence(*store.held.values())


def finish(store: MemoryStore, found: tuple[Evidence, ...], draft: Draft) -> Answer:
    citations = resolve(draft, found)
    claims = split_claims(draft, citations)
    verdicts = tuple(OverlapVerifier().verify(claims, found))
    trace = Trace(Query("cash?"), "print", (), Retrieval(found, ()), (), draft, citations, claims, verdicts, ())
    return close(
        decide_answer(draft, claims, verdicts, (), (), DecideSettings()), trace, Clock(), store, ReplySettings()
    )


def assert_sound(store: MemoryStore, found: tuple[Evidence, ...], answer: Answer) -> None:
    ids = {e.passage.id for e in found}
    for citation in answer.trace.citations or ():
        assert (citation.passage_id is None) == (citation.status == "dropped") == (not citation.quotes)
        assert citation.passage_id is None or citation.passage_id in ids
    for shown_citation in answer.citations:
        text = store.docs[shown_citation.doc_id].text
        quote = shown_citation.quote
        assert text[quote.span.start : quote.span.end] == quote.text != ""
    assert [c.n for c in answer.citations] == list(range(1, len(answer.citations) + 1))
    assert all(n <= len(answer.citations) for c in answer.claims for n in c.citations)
    assert all(c.citations and c.verdict == "supported" for c in answer.claims)
    json.dumps(answer_json(answer), allow_nan=False)


@given(st.lists(TEXT, min_size=1, max_size=4), DRAFTED)
def test_a_models_citations_resolve_only_to_shown_evidence(texts: list[str], drafted: str) -> None:
    store, found = shown(texts)
    draft = Draft(drafted, drafted, False, "fake")
    assert_sound(store, found, finish(store, found, draft))
    claims = split_claims(draft, resolve(draft, found))
    assert all(drafted[c.at.start : c.at.end].strip() == drafted[c.at.start : c.at.end] != "" for c in claims)
    starts = [c.at.start for c in claims]
    assert starts == sorted(starts)


@given(st.lists(TEXT, min_size=1, max_size=4), SENTENCE)
def test_quotations_are_exact_and_supported(texts: list[str], question: str) -> None:
    store, found = shown(texts)
    draft = QuoteGenerator().draft(question, found, ())
    for quotation in draft.quotations:
        text = store.held[quotation.passage_id].text
        assert all(text[q.span.start : q.span.end] == q.text for q in quotation.quotes)
    answer = finish(store, found, draft)
    assert_sound(store, found, answer)
    assert draft.abstains or all(v.label == "supported" for v in answer.trace.verdicts or ())
    assert draft == QuoteGenerator().draft(question, found, ())


@settings(max_examples=50)
@given(st.lists(TEXT, min_size=1, max_size=3), SENTENCE)
def test_answers_round_trip_through_json(texts: list[str], question: str) -> None:
    store, found = shown(texts)
    answer = finish(store, found, QuoteGenerator().draft(question, found, ()))
    adapter = TypeAdapter(Answer)
    assert adapter.validate_json(adapter.dump_json(answer)) == answer


@given(st.text(max_size=200))
def test_sentences_hold_every_visible_character(text: str) -> None:
    spans = sentences(text)
    assert "".join("".join(text[s.start : s.end].split()) for s in spans) == "".join(text.split())
    assert all(a.end <= b.start for a, b in pairwise(spans))

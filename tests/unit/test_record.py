from __future__ import annotations

import json
from dataclasses import replace

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.answer.close import close
from citeleaf.answer.decide import decide_answer
from citeleaf.backends.generate_quote import QuoteGenerator
from citeleaf.backends.verify_overlap import OverlapVerifier
from citeleaf.clock import Clock
from citeleaf.record import answer_json, plain
from citeleaf.settings import DecideSettings, ReplySettings
from citeleaf.types import Answer, Decision, Hit, Query, Ranking, Retrieval, Trace
from support.evidence import MemoryStore, document, evidence, passage

KEYS = [
    "schema", "id", "question", "asked", "outcome", "reason", "text", "claims", "citations", "dropped", "removed",
    "nearest", "evidence", "trace", "seconds",
]  # fmt: skip
DOC = document("pds", "Money means coins. We pay $500 for theft. Vermin damage is not paid.")


def answered(query: Query) -> Answer:
    store = MemoryStore()
    store.add(DOC, passage(DOC))
    clock = Clock()
    shown = evidence(*store.held.values())
    found = Retrieval(shown, (Ranking("dense", (Hit("pds#body#c1", 1, float("nan")),)),))
    draft = clock.time("compose", QuoteGenerator().draft, query.text, shown, ())
    citations = resolve(draft, shown)
    claims = split_claims(draft, citations)
    verdicts = tuple(OverlapVerifier().verify(claims, shown))
    trace = Trace(query, "print", (), found, (), draft, citations, claims, verdicts, ())
    return close(decide_answer(draft, claims, verdicts, (), (), DecideSettings()), trace, clock, store, ReplySettings())


def test_the_keys_are_those_of_the_contract_in_its_order() -> None:
    out = answer_json(answered(Query("What do we pay for theft?")))
    assert list(out) == KEYS
    assert out["schema"] == "citeleaf/answer/1"
    assert (out["outcome"], out["reason"]) == ("answered", "supported")
    assert isinstance(out["trace"], dict) and list(out["trace"]) == [
        "fingerprint", "guard", "retrieval", "gate", "draft", "citations", "claims", "verdicts", "screen",
    ]  # fmt: skip
    assert isinstance(out["seconds"], dict) and list(out["seconds"]) == ["compose", "total"]


def test_a_citation_holds_the_exact_words_and_their_place() -> None:
    out = answer_json(answered(Query("What do we pay for theft?")))
    assert out["citations"] == [
        {
            "n": 1, "passage_id": "pds#body#c1", "doc_id": "pds", "title": "Pds", "version": None,
            "page": 1, "page_label": "i", "section": ["Body"],
            "quote": "We pay $500 for theft.", "start": 19, "end": 41,
            "rects": [{"page": 1, "x0": 0.1, "y0": 0.2, "x1": 0.3, "y1": 0.4}],
            "status": "valid", "raw": "[1]", "support": "supported", "quality": "good",
        }
    ]  # fmt: skip
    assert out["claims"] == [
        {
            "n": 1, "text": "We pay $500 for theft.", "citations": [1], "verdict": "supported", "score": 1.0,
            "checks": ["quoted"],
        }
    ]  # fmt: skip
    assert out["text"] == "We pay $500 for theft. [1]"


def test_a_rewritten_question_is_shown_beside_what_was_typed() -> None:
    out = answer_json(answered(Query("What do we pay for theft?", asked="and for theft?")))
    assert (out["question"], out["asked"]) == ("and for theft?", "What do we pay for theft?")
    plain_question = answer_json(answered(Query("What do we pay for theft?")))
    assert (plain_question["question"], plain_question["asked"]) == ("What do we pay for theft?", None)


def test_it_is_strict_json_without_nan() -> None:
    answer = answered(Query("What do we pay for theft? \ud800"))
    text = json.dumps(answer_json(replace(answer, claims=())), allow_nan=False)
    assert '"score": null' in text
    assert json.loads(text)["evidence"][0]["text"] == DOC.text


def test_stages_that_did_not_run_are_null_and_lists_are_lists() -> None:
    store = MemoryStore()
    trace = Trace(Query("q"), "print", ())
    out = answer_json(close(Decision("refused", "advice_request"), trace, Clock(), store, ReplySettings()))
    assert isinstance(out["trace"], dict)
    assert [k for k, v in out["trace"].items() if v is None] == [
        "retrieval", "gate", "draft", "citations", "claims", "verdicts", "screen",
    ]  # fmt: skip
    assert (out["evidence"], out["citations"], out["nearest"]) == ([], [], [])


def test_plain_refuses_what_has_no_json_form() -> None:
    try:
        plain({1, 2})
    except TypeError as error:
        assert "set" in str(error)
    else:
        raise AssertionError("a set was taken")

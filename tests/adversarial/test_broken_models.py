"""Each behaviour of the fake model server has its stated end; nothing broken is shown as the answer of a model."""

from __future__ import annotations

import time

import pytest

from citeleaf.errors import ConfigError
from support.fake_behaviours import BEHAVIOURS
from support.fake_model import FakeModel
from support.models import answer, generator

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

ANSWERED = [
    "good",
    "good_whole",
    "slow",
    "repaired_ids",
    "no_ids",
    "swapped_ids",
    "wrong_ids",
    "thinks_first",
    "labels",
    "quotes_refusal_words",
    "splits_letters",
    "no_done",
    "foundry_1",
    "foundry_2",
    "content_parts",
    "busy_once",
    "needs_loading",
    "picky",
    "list_missing",
    "html_answer",
    "lone_surrogate",
    "says_key",
    "vectors_zero",
]
ABSTAINED = [
    "abstains",
    "abstains_marked",
    "abstains_and_explains",
    "abstains_in_prose",
    "abstains_then_answers",
]
QUOTED = {
    "invents": "",
    "empty": "empty",
    "blank": "empty",
    "echo": "echo",
    "loops": "looping",
    "cut": "cut",
    "garbage": "garbled",
    "control_codes": "garbled",
    "wrong_language": "wrong_language",
    "uncited": "uncited",
    "filtered": "refused",
    "refusal_field": "refused",
    "never_ends": "cut",
    "silent": "stalled",
    "stalls": "stalled",
    "trickles": "timeout",
    "trickles_head": "timeout",
    "breaks_off": "closed_early",
    "closes_short": "closed_early",
    "resets": "closed_early",
    "huge": "too_large",
    "huge_line": "too_large",
    "html_page": "not_json",
    "list_html": "not_json",
    "html_502": "server_error",
    "not_json": "not_json",
    "deep_json": "not_json",
    "nan": "not_json",
    "not_utf8": "bad_encoding",
    "compressed": "bad_encoding",
    "empty_body": "not_json",
    "empty_object": "wrong_shape",
    "no_choices": "wrong_shape",
    "null_content": "empty",
    "completion_shape": "wrong_shape",
    "native_shape": "wrong_shape",
    "error_in_200": "server_error",
    "error_in_stream": "server_error",
    "broken_stream": "not_json",
    "redirects": "redirected",
    "server_error": "server_error",
    "busy": "busy",
    "overflow": "overflow",
    "overflow_in_stream": "overflow",
    "bad_request": "server_error",
    "tells_key": "server_error",
    "no_usage": "evidence_unconfirmed",
    "constant_usage": "evidence_unconfirmed",
    "negative_usage": "evidence_unconfirmed",
    "huge_usage": "evidence_unconfirmed",
}
"""The kind that stands in the record; `` where it is not a fault of the reply but of what it claims."""
STOPPED = ["unauthorised", "forbidden", "not_found", "no_models", "two_models", "list_unauthorised"]


@pytest.mark.parametrize("name", ANSWERED)
def test_a_model_that_can_be_used_is_used(name: str) -> None:
    model = "fake" if name == "list_missing" else ""
    with FakeModel(name) as fake:
        ended = answer(generator(fake.address, model=model, key="sk-canary-17"))
    assert (ended.decision.outcome, ended.draft.fallback) == ("answered", None), ended.draft
    assert "50 dollars" in ended.draft.text
    assert any(c.passage_id == "doc1#body#c1" for c in ended.citations)
    assert not any(part in ended.draft.text for part in ("<script", "<img", "canary", "\ud800"))


@pytest.mark.parametrize("name", ABSTAINED)
def test_an_abstention_is_believed_and_no_words_make_one(name: str) -> None:
    with FakeModel(name) as fake:
        ended = answer(generator(fake.address))
    assert (ended.draft.abstains, ended.decision.reason) == (True, "draft_abstained")
    assert ended.draft.fallback is None
    assert ended.draft.raw


@pytest.mark.parametrize(("name", "kind"), QUOTED.items())
def test_a_broken_model_or_server_is_never_shown_as_an_answer(name: str, kind: str) -> None:
    begin = time.monotonic()
    with FakeModel(name) as fake:
        ended = answer(generator(fake.address, key="sk-canary-17"))
        asked = len(fake.chats)
    assert time.monotonic() - begin < 12
    assert asked <= 6
    if not kind:
        assert ended.decision.outcome == "abstained"
        return
    assert ended.draft.generator == "quote"
    assert ended.draft.fallback in ("bad_model_output", "model_unavailable")
    assert ended.draft.checks[-1].detail.startswith(f"{kind}: ")
    assert ended.decision.reason == f"{ended.draft.fallback}_quoted"
    assert "canary" not in repr(ended)


@pytest.mark.parametrize("name", STOPPED)
def test_what_only_the_user_can_mend_is_said(name: str) -> None:
    with FakeModel(name) as fake, pytest.raises(ConfigError) as error:
        answer(generator(fake.address, key="sk-canary-17"))
    assert error.value.hint
    assert "canary" not in str(error.value)
    assert len(fake.chats) <= 1


def test_every_behaviour_has_its_end() -> None:
    other = {"obeys_injections", "cites_facts", "abstains_in_turkish"}
    # Tested where embeddings, judging and odds are.
    elsewhere = {n for n in BEHAVIOURS if n.startswith(("vectors_", "judge", "weighs_"))}
    stated = {*ANSWERED, *ABSTAINED, *QUOTED, *STOPPED, *other, *elsewhere}
    assert stated == set(BEHAVIOURS)
    assert len(BEHAVIOURS) >= 80

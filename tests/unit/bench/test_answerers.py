"""The sample is the same each time, and a reply that is kept is not asked for twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import answerers
from citeleaf.chat import Message
from citeleaf.types import Draft
from support.chats import ScriptedChat
from support.models import EVIDENCE, QUESTION


def test_the_sample_is_fixed_and_has_questions_with_and_without_an_answer() -> None:
    drawn = answerers.sampled(["examples", "dev"])
    assert [(p, b.name, q.id) for p, b, q in drawn] == [
        (p, b.name, q.id) for p, b, q in answerers.sampled(["examples", "dev"])
    ]
    for part, (with_answer, without) in answerers.SIZES.items():
        kinds = [q.answerable for p, _, q in drawn if p == part]
        assert (kinds.count(True), kinds.count(False)) == (with_answer, without)
    assert {p for p, _, _ in drawn[:10]} == {"examples", "dev"}


def test_a_kept_reply_is_not_asked_for_again_and_its_seconds_count(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    chat = ScriptedChat("fifty [1].", "something else")
    turns = [Message("user", "How much?")]
    first = answerers.KeptChat(chat, file, only=False).reply(turns, max_tokens=9)
    kept = answerers.KeptChat(chat, file, only=True)
    assert kept.reply(turns, max_tokens=9) == first
    assert (len(chat.asked), kept.asked) == (1, 0)
    assert kept.replayed > 0
    with pytest.raises(LookupError):
        kept.reply(turns, max_tokens=10)


@pytest.mark.parametrize(
    ("said", "abstains"),
    [("Fifty dollars [1].", False), ("I don’t know.", True), ("Well, I don't know that.", True)],
)
def test_the_plain_model_is_taken_at_its_word(said: str, abstains: bool) -> None:
    draft: Draft = answerers.Plain(ScriptedChat(said), 50).draft(QUESTION, EVIDENCE, ())
    assert (draft.abstains, draft.text) == (abstains, "" if abstains else said)

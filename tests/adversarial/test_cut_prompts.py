"""No answer from evidence that was cut: a server that drops a part of the prompt is noticed, whatever it reports."""

from __future__ import annotations

import random
import time

import pytest

from citeleaf.answer.draft import ModelGenerator
from citeleaf.answer.prompts import write
from citeleaf.chat import Window
from citeleaf.settings import ChatSettings
from support.chats import ScriptedChat, size
from support.fake_model import FakeModel
from support.models import EVIDENCE, QUESTION, answer, generator, shown

GOOD = "A late payment carries a fee of 50 dollars [1]."
WHOLE = size(write(QUESTION, EVIDENCE, ()))
FRAME = size(write(QUESTION, (), ()))


def kind_of(chat: ScriptedChat, **given: object) -> str:
    ended = answer(ModelGenerator(chat, ChatSettings(**given)))  # type: ignore[arg-type]
    assert ended.draft.fallback is None or ended.draft.generator == "quote"
    return "" if ended.draft.fallback is None else ended.draft.checks[-1].detail.split(":")[0]


def test_two_hundred_cuts_are_two_hundred_findings() -> None:
    chance = random.Random(7)
    kept = [*range(WHOLE - 60, WHOLE - 10), *(chance.randrange(1, WHOLE - 10) for _ in range(150))]
    assert len(kept) == 200
    kinds = [
        kind_of(ScriptedChat(GOOD, counts=False, window=Window(None, False), reports=lambda n, k=k: min(n, k)))
        for k in kept
    ]
    assert set(kinds) == {"evidence_truncated", "evidence_unconfirmed"}


@pytest.mark.parametrize("kept", [5, FRAME - 20, FRAME + 5, WHOLE // 2, WHOLE - 12])
def test_a_runtime_that_counts_is_compared_with_what_it_read(kept: int) -> None:
    assert kind_of(ScriptedChat(GOOD, reports=lambda n: min(n, kept))) == "evidence_truncated"


def test_a_window_that_was_told_is_still_not_trusted_blindly() -> None:
    chat = ScriptedChat(GOOD, counts=False, window=Window(4096, True), reports=lambda n: min(n, 120))
    assert kind_of(chat) == "evidence_truncated"


@pytest.mark.parametrize(
    "reports", [lambda n: None, lambda n: 12, lambda n: 10**7 - n], ids=["none", "constant", "falling"]
)
def test_a_server_that_reports_nothing_or_nonsense_proves_nothing(reports: object) -> None:
    chat = ScriptedChat(GOOD, counts=False, window=Window(None, False), reports=reports)  # type: ignore[arg-type]
    assert kind_of(chat) == "evidence_unconfirmed"


def test_a_window_that_was_set_is_trusted_when_nothing_is_reported() -> None:
    chat = ScriptedChat(GOOD, counts=False, window=Window(None, False), reports=lambda n: None)
    assert kind_of(chat, window=4096) == ""


@pytest.mark.parametrize("texts", [EVIDENCE, EVIDENCE[:2], EVIDENCE[:1], shown("Fee 50 dollars for a late payment.")])
def test_an_honest_server_is_believed(texts: object) -> None:
    chat = ScriptedChat("A late payment: fee 50 dollars [1].", counts=False, window=Window(None, False))
    ended = answer(ModelGenerator(chat, ChatSettings()), found=texts)  # type: ignore[arg-type]
    assert ended.draft.fallback is None
    assert len(chat.asked) == 4
    assert chat.limits == [400, 1, 1, 1]


def test_a_server_that_was_proved_is_asked_once_for_the_next_question() -> None:
    chat = ScriptedChat(GOOD, counts=False, window=Window(None, False))
    model = ModelGenerator(chat, ChatSettings())
    for asked in (4, 5, 6):
        assert answer(model).draft.fallback is None
        assert len(chat.asked) == asked
    assert answer(model, found=EVIDENCE[:2]).draft.fallback is None
    assert len(chat.asked) == 7


def test_a_longer_prompt_is_proved_anew() -> None:
    chat = ScriptedChat(GOOD, counts=False, window=Window(None, False))
    model = ModelGenerator(chat, ChatSettings())
    answer(model, found=EVIDENCE[:2])
    answer(model)
    assert len(chat.asked) == 8


def test_belief_ends_after_ten_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = ScriptedChat(GOOD, counts=False, window=Window(None, False))
    model = ModelGenerator(chat, ChatSettings())
    answer(model)
    now = time.monotonic()
    monkeypatch.setattr("citeleaf.answer.whole.time.monotonic", lambda: now + 601)
    answer(model)
    assert len(chat.asked) == 8


@pytest.mark.parametrize("lost", [0.16, 0.3, 0.6])
def test_a_server_that_was_proved_and_then_cuts_is_noticed(lost: float) -> None:
    cuts = False
    chat = ScriptedChat(
        GOOD,
        counts=False,
        window=Window(None, False),
        reports=lambda n: min(n, round((1 - lost) * WHOLE)) if cuts else n,
    )
    model = ModelGenerator(chat, ChatSettings())
    assert answer(model).draft.fallback is None
    cuts = True
    assert answer(model).draft.fallback == "bad_model_output"


def test_one_passage_alone_is_proved_in_two_parts() -> None:
    for kept in range(FRAME, size(write(QUESTION, EVIDENCE[:1], ())) - 10):
        chat = ScriptedChat(GOOD, counts=False, window=Window(None, False), reports=lambda n, k=kept: min(n, k))
        ended = answer(ModelGenerator(chat, ChatSettings()), found=EVIDENCE[:1])
        assert ended.draft.fallback == "bad_model_output", kept


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("window", [40, 200, 300, 400, 440])
def test_a_server_that_keeps_the_last_tokens_alone_gets_no_answer_shown(window: int) -> None:
    with FakeModel("good", window=window) as fake:
        ended = answer(generator(fake.address))
    assert ended.draft.generator == "quote"
    assert ended.draft.checks[-1].detail.split(":")[0] in ("evidence_truncated", "evidence_unconfirmed", "uncited")

"""The asker leaves, and the work stops: that of a server, of a process of ours, and of the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from citeleaf.answer.draft import ModelGenerator
from citeleaf.app import App
from citeleaf.backends.chat_child import ChildChat
from citeleaf.backends.child import Child, Value
from citeleaf.backends.generate_http import HttpChat
from citeleaf.chat import Chat
from citeleaf.errors import Cancelled
from citeleaf.settings import ChatSettings
from support import fake_engine
from support.fake_model import FakeModel

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

TEXT = "# Fees\n\nA late payment carries a fee of 50 dollars. The fee is due within 30 days of the notice.\n"
QUESTION = "What is the fee for a late payment?"
FAST = ("models.embedder=none", "models.reranker=none")
LONG = ChatSettings(load_s=60, idle_s=60, total_s=120)
SECONDS = 2.0
SAID = "A late payment carries a fee of 50 dollars [1]."


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "fees.md"
    path.write_text(TEXT)
    return path


@pytest.fixture
def app_of(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Chat], App]]:
    """An app whose answers a chat model writes."""
    made: list[App] = []

    def app(chat: Chat) -> App:
        opened = App.for_files([file], flags=FAST)
        monkeypatch.setitem(opened._parts.__dict__, "_generator", ModelGenerator(chat, LONG))
        made.append(opened)
        return opened

    yield app
    for opened in made:
        opened.close()


def stopped_after(app: App, seconds: float) -> float:
    """Seconds from the stop to its end."""
    cancel = threading.Event()
    set_at: list[float] = []

    def stop() -> None:
        set_at.append(time.monotonic())
        cancel.set()

    threading.Timer(seconds, stop).start()
    with pytest.raises(Cancelled):
        app.ask(QUESTION, cancel=cancel)
    return time.monotonic() - set_at[0]


@pytest.mark.parametrize("behaviour", ["silent", "stalls", "trickles", "trickles_head", "busy"])
def test_a_server_is_left_within_two_seconds(behaviour: str, app_of: Callable[[Chat], App]) -> None:
    with FakeModel(behaviour) as fake:
        app = app_of(HttpChat(LONG.model_copy(update={"address": fake.address})))
        assert stopped_after(app, 0.3) < SECONDS


def child_of(**common: object) -> ChildChat:
    value: Value = {**common}
    return ChildChat(Child(fake_engine.__file__ or ""), LONG, value, "fake", "fake")


@pytest.mark.parametrize(
    ("common", "lives"),
    [
        ({"pieces": 900, "pause": 0.02}, True),
        ({"pieces": 900, "pause": 0.02, "deaf": True}, False),
        ({"hangs": "chat"}, False),
        ({"hangs": "load"}, False),
    ],
)
def test_a_process_stops_its_work_or_is_ended(
    common: dict[str, Any], lives: bool, app_of: Callable[[Chat], App]
) -> None:
    chat = child_of(**common)
    app = app_of(chat)
    assert stopped_after(app, 0.7) < SECONDS
    assert (chat.child.pid is not None) == lives


def test_after_a_stop_the_next_question_is_answered_and_the_stopped_one_is_not_kept(
    app_of: Callable[[Chat], App],
) -> None:
    chat = child_of(says=SAID)
    app = app_of(chat)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        app.ask(QUESTION, cancel=cancel)
    answer = app.ask(QUESTION, cancel=threading.Event())
    assert (answer.decision.reason, answer.claims[0].text) == (
        "supported",
        "A late payment carries a fee of 50 dollars.",
    )
    assert app.show(answer.id).answer is not None


def test_without_a_model_a_stop_is_seen_between_two_stages(file: Path) -> None:
    cancel = threading.Event()
    with App.for_files([file], flags=FAST) as app, pytest.raises(Cancelled):
        app.ask(QUESTION, watch=lambda event: cancel.set(), cancel=cancel)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_a_key_press_ends_the_command_and_the_work_of_the_server(file: Path, tmp_path: Path) -> None:
    with FakeModel("stalls") as fake:
        environment = os.environ | {"CITELEAF_CHAT__ADDRESS": fake.address, "CITELEAF_MODELS__GENERATOR": "http"}
        flags = [word for flag in FAST for word in ("--set", flag)]
        command = [
            sys.executable,
            "-c",
            "from citeleaf.surfaces.cli.main import main; main()",
            "ask",
            QUESTION,
            str(file),
            *flags,
        ]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 20
        while not fake.open and time.monotonic() < end:
            time.sleep(0.05)
        assert fake.open
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        out, err = process.communicate(timeout=10)
        assert time.monotonic() - pressed < SECONDS
    assert process.returncode == 130
    assert b"Traceback" not in out + err

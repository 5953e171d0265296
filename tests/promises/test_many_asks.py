"""Several questions at once on one open library, whoever writes the answers: each gets its own, as if asked alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from citeleaf.answer.draft import ModelGenerator
from citeleaf.app import App
from citeleaf.backends.chat_child import ChildChat
from citeleaf.backends.child import Child
from citeleaf.backends.generate_http import HttpChat
from citeleaf.chat import Chat
from citeleaf.errors import Cancelled
from citeleaf.settings import ChatSettings
from citeleaf.types import Answer
from support import fake_engine
from support.fake_model import FakeModel

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

FEES = {"parking": 11, "heating": 23, "cleaning": 37, "insurance": 41, "laundry": 59, "storage": 67}
TEXT = "# Charges\n\n" + "\n\n".join(
    f"## {name.title()}\n\nThe charge for {name} is {fee} dollars a month. It is due on the first day of the month."
    for name, fee in FEES.items()
)
FAST = ("models.embedder=none", "models.reranker=none", "retrieve.top_k=2")


@pytest.fixture(params=["quote", "http", "child"])
def app(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "charges.md").write_text(TEXT)
    with FakeModel("slow", kind="microsoft") as fake, App.for_files([tmp_path / "charges.md"], flags=FAST) as made:
        settings = ChatSettings(address=fake.address)
        chats: dict[str, Chat] = {
            "http": HttpChat(settings),
            "child": ChildChat(Child(fake_engine.__file__ or ""), settings, {"quotes": True}, "fake", "fake"),
        }
        if request.param in chats:
            monkeypatch.setitem(made._parts.__dict__, "_generator", ModelGenerator(chats[request.param], settings))
        yield made


def question(name: str) -> str:
    return f"What is the charge for {name}?"


def test_every_asker_gets_the_answer_of_one_who_asks_alone(app: App) -> None:
    alone = {name: replace(app.ask(question(name)), seconds=()) for name in FEES}
    assert all(f"{fee} dollars" in alone[name].text for name, fee in FEES.items())
    together: list[tuple[str, Answer]] = []
    threads = [
        threading.Thread(target=lambda n=name: together.append((n, replace(app.ask(question(n)), seconds=()))))
        for name in (*FEES, *FEES)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(together) == 2 * len(FEES)
    assert all(answer == alone[name] for name, answer in together)


def test_one_who_leaves_takes_nobody_along(app: App) -> None:
    leaving = threading.Event()
    ends: dict[str, str] = {}

    def ask(name: str, cancel: threading.Event) -> None:
        try:
            ends[name] = app.ask(question(name), cancel=cancel).text
        except Cancelled:
            ends[name] = "left"

    threads = [
        threading.Thread(target=ask, args=(name, leaving if name == "heating" else threading.Event())) for name in FEES
    ]
    leaving.set()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert ends.pop("heating") == "left"
    assert all(f"{FEES[name]} dollars" in text for name, text in ends.items())

"""`chat` and `ask` with a model server, as a user runs them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from citeleaf.surfaces.cli.main import run
from support.fake_model import FakeModel

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

TEXT = """# Fees

## Late payments
A late payment carries a fee of 50 dollars. The fee is due within 30 days of the notice.

## Transfers
Members may transfer at most 2,000 dollars a day. Larger transfers need a second approval by the branch.
"""
FAST = ["--set", "models.embedder=none", "--set", "models.reranker=none", "--set", "chat.load_s=2"]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "fees.md"
    path.write_text(TEXT)
    return str(path)


def talk(lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    assert run(["chat", *arguments, *FAST, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["answers"]


def test_a_talk_shows_what_was_typed_and_what_was_asked(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "What is the fee for a late payment?",
        "",
        "When is it due?",
        "How much may members transfer a day?",
        "/quit",
        "x",
    ]
    first, second, third = talk(lines, monkeypatch, capsys, file)
    assert (first["question"], first["asked"]) == (lines[0], None)
    assert (second["question"], second["asked"]) == (lines[2], "When is it due? (the fee for a late payment)")
    assert (third["question"], third["asked"]) == (lines[3], None)
    assert "30 days" in second["text"]
    assert "2,000" in third["text"]


def test_a_talk_with_a_model_loads_it_first(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeModel("good") as fake:
        monkeypatch.setenv("CITELEAF_CHAT__ADDRESS", fake.address)
        answers = talk(["What is the fee for a late payment?"], monkeypatch, capsys, file, "--generator", "http")
        assert fake.chats[0].body["max_tokens"] == 1
    assert answers[0]["reason"] == "supported"
    assert answers[0]["trace"]["draft"]["generator"] == "http (fake-1.5b)"


@pytest.mark.parametrize(
    ("behaviour", "code", "out"),
    [
        ("good", 0, "supported"),
        ("abstains", 10, "draft_abstained"),
        ("echo", 0, "bad_model_output_quoted"),
        ("silent", 0, "model_unavailable_quoted"),
        ("unauthorised", 2, "config"),
    ],
)
def test_ask_with_a_model_ends_as_the_contract_says(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], behaviour: str, code: int, out: str
) -> None:
    with FakeModel(behaviour) as fake:
        monkeypatch.setenv("CITELEAF_CHAT__ADDRESS", fake.address)
        monkeypatch.setenv("CITELEAF_CHAT__KEY", "sk-canary-99")
        arguments = ["ask", "What is the fee for a late payment?", file, "--generator", "http", *FAST, "--json"]
        assert run(arguments) == code
    printed = capsys.readouterr()
    value = json.loads(printed.out)
    assert value.get("reason", value.get("code")) == out
    assert "canary" not in printed.out + printed.err


@pytest.mark.parametrize(("behaviour", "error"), [("echo", "bad_model_output"), ("silent", "model_unavailable")])
def test_a_failing_model_is_an_error_when_that_is_set(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], behaviour: str, error: str
) -> None:
    with FakeModel(behaviour) as fake:
        monkeypatch.setenv("CITELEAF_CHAT__ADDRESS", fake.address)
        arguments = [
            "ask",
            "What is the fee?",
            file,
            "--generator",
            "http",
            *FAST,
            "--set",
            "chat.on_failure=error",
            "--json",
        ]
        assert run(arguments) == 5
    value = json.loads(capsys.readouterr().out)
    assert value["code"] == error
    assert value["hint"]


def test_settings_never_show_the_key(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CITELEAF_CHAT__KEY", "sk-canary-99")
    for arguments in (["settings"], ["settings", "--explain"], ["settings", "--json"]):
        assert run(arguments) == 0
    assert "canary" not in capsys.readouterr().out


def test_the_key_is_nowhere_in_what_is_kept(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for behaviour in ("good", "says_key", "tells_key", "resets"):
        with FakeModel(behaviour) as fake:
            monkeypatch.setenv("CITELEAF_CHAT__ADDRESS", fake.address)
            monkeypatch.setenv("CITELEAF_CHAT__KEY", "sk-canary-99")
            run(["ask", "What is the fee for a late payment?", file, "--generator", "http", *FAST])
    printed = capsys.readouterr()
    assert "canary" not in printed.out + printed.err
    kept = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert kept
    assert not [p for p in kept if b"canary" in p.read_bytes()]


def kept_answer(printed: str) -> str:
    return printed.rsplit("kept as ", 1)[1].split(maxsplit=1)[0]


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [("echo", "echo: the model's reply is no answer"), ("silent", "stalled: the server at `http://127.0.0.1")],
)
def test_an_answer_that_was_quoted_for_a_model_says_so_now_and_when_shown_again(
    file: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    behaviour: str,
    why: str,
) -> None:
    library = ["--library", str(tmp_path / "library")]
    assert run(["ingest", file, *library, *FAST[:4], "--quiet"]) == 0
    with FakeModel(behaviour) as fake:
        monkeypatch.setenv("CITELEAF_CHAT__ADDRESS", fake.address)
        assert run(["ask", "What is the fee for a late payment?", "--generator", "http", *library, *FAST]) == 0
    printed = capsys.readouterr()
    told = f"quoted from the documents, because the model did not answer: {why}"
    assert told in " ".join(printed.out.split())
    assert run(["show", kept_answer(printed.err), *library]) == 0
    assert told in " ".join(capsys.readouterr().out.split())


def test_an_answer_of_a_model_or_of_quotation_alone_says_no_such_thing(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeModel("good") as fake:
        monkeypatch.setenv("CITELEAF_CHAT__ADDRESS", fake.address)
        for generator in ("http", "quote"):
            assert run(["ask", "What is the fee for a late payment?", file, "--generator", generator, *FAST]) == 0
    assert "did not answer" not in capsys.readouterr().out


def test_a_talk_begins_without_the_model_and_says_why(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CITELEAF_CHAT__ADDRESS", "http://127.0.0.1:9/v1")
    monkeypatch.setattr("sys.stdin", io.StringIO("What is the fee for a late payment?\n"))
    assert run(["chat", file, "--generator", "http", *FAST]) == 0
    printed = capsys.readouterr()
    assert "cannot be reached; start the server" in " ".join(printed.err.split())
    assert "50 dollars" in printed.out
    assert "because the model did not answer: unreachable" in " ".join(printed.out.split())

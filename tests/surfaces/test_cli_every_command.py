"""What every command owes: the same options, an error for what is empty, a line when it is stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from citeleaf.app import App
from citeleaf.surfaces.cli.main import cli, run

EVERYWHERE = {"--library", "--profile", "--json", "--quiet"}
PLAIN = ["--set", "models.embedder=none", "--set", "models.reranker=none"]


def commands(tree: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, command in (tree or typer.main.get_command(cli)).commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=lambda v: v if isinstance(v, str) else "")
def test_every_command_takes_the_same_options(name: str, command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    taken = {flag for parameter in command.params for flag in parameter.opts}
    assert not EVERYWHERE - taken
    assert run([*name.split(), "--help"]) == 0
    assert all(flag in capsys.readouterr().out for flag in ["--help"])


@pytest.fixture
def note(tmp_path: Path) -> Path:
    file = tmp_path / "leave.md"
    file.write_text("# Leave\n\nStaff have 25 days of leave a year.\n", "utf-8")
    return file


@pytest.mark.parametrize(
    "arguments",
    [
        ["documents", "--library", ""],
        ["documents", "--library="],
        ["settings", "--profile", ""],
        ["ask", "what?", "--generator", ""],
        ["ask", "what?", "--doc", ""],
        ["evaluate", "questions.jsonl", "--out", ""],
        ["evaluate", "questions.jsonl", "--out", "run", "--docs", ""],
        ["compare", "one", ""],
        ["ingest", ""],
        ["backup", ""],
        ["ask", "what?", ""],
    ],
    ids=" ".join,
)
def test_what_is_given_and_empty_is_wrong_usage(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    assert "empty" in capsys.readouterr().err
    assert run([*arguments, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["schema"] == "citeleaf/error/1"
    assert not list(tmp_path.iterdir())


def test_an_empty_question_is_a_question(note: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(note.parent / "library")
    assert run(["ingest", str(note), "--library", folder, *PLAIN]) == 0
    assert run(["ask", "", "--library", folder, *PLAIN]) == 10


def test_an_empty_library_of_the_environment_counts_as_not_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITELEAF_LIBRARY", "")
    monkeypatch.setenv("CITELEAF_PROFILE", "")
    assert run(["documents"]) == 4
    assert str(tmp_path / "data") in capsys.readouterr().err


@pytest.mark.parametrize(
    ("method", "arguments", "left"),
    [
        ("ingest", ["ingest", "leave.md"], "taken in until now are kept"),
        ("ask", ["ask", "how many days?"], "no answer was kept"),
        ("reindex", ["reindex"], "as they were"),
    ],
)
def test_a_command_that_is_stopped_says_what_is_left(
    method: str,
    arguments: list[str],
    left: str,
    note: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(note.parent)
    place = ["--library", str(note.parent / "library")]
    assert run(["ingest", "leave.md", *place, *PLAIN, "--quiet"]) == 0
    capsys.readouterr()
    monkeypatch.setattr(App, method, stopped)
    assert run([*arguments, *place]) == 130
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and left in said
    assert run([*arguments, *place, "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["code"] == "interrupted"

"""Receipts and audits: what was answered can be shown to hold, and a change does not pass."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from citeleaf.surfaces.cli.main import run

TEXT = "# Yard\n\nThe gate is locked at nine in the evening. Visitors must sign the book before they enter.\n"


@pytest.fixture
def library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (tmp_path / "yard.md").write_text(TEXT, "utf-8")
    path = tmp_path / "plain.toml"
    path.write_text('[models]\nembedder = "none"\nreranker = "none"\n[gate]\nmin_probability = 0\n', "utf-8")
    common = ["--library", str(tmp_path / "lib"), "--profile", str(path), "--quiet"]
    assert run(["ingest", str(tmp_path / "yard.md"), *common]) == 0
    assert run(["ask", "When is the gate locked?", *common]) == 0
    capsys.readouterr()
    return tmp_path / "lib"


def command(library: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:  # type: ignore[type-arg]
    profile = str(library.parent / "plain.toml")
    code = run([*words, "--library", str(library), "--profile", profile, "--json"])
    return code, json.loads(capsys.readouterr().out)


def receipt_of(library: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, dict, Path]:  # type: ignore[type-arg]
    _, listed = command(library, capsys, "audit", "list")
    (row,) = listed["answers"]
    code, body = command(library, capsys, "show", row["id"], "--receipt")
    assert code == 0
    file = library.parent / "receipt.json"
    file.write_text(json.dumps(body), "utf-8")
    return row["id"], body, file


def test_a_receipt_holds_all_and_verifies(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, body, file = receipt_of(library, capsys)
    assert body["schema"] == "citeleaf/receipt/1"
    assert body["answer"]["id"] == name
    assert [d["id"] for d in body["documents"]] == ["yard"]
    for items in ([], [name], [str(file)]):
        code, done = command(library, capsys, "audit", "verify", *items)
        assert (code, done["verified"], done["failed"]) == (0, 1, 0)


@pytest.mark.parametrize(
    ("old", "new", "failing"),
    [
        ("nine in the", "ten in the", "seal"),
        ('"score": 1.0', '"score": 0.5', "verdicts"),
        ("supported", "refuted", "seal"),
    ],
)
def test_a_changed_receipt_does_not_pass(
    old: str, new: str, failing: str, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, body, file = receipt_of(library, capsys)
    text = json.dumps(body)
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    code, done = command(library, capsys, "audit", "verify", str(file))
    assert code == 4
    assert failing in [c["name"] for c in done["answers"][0]["checks"] if not c["passed"]]


def test_words_changed_in_the_store_are_noticed(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, _, file = receipt_of(library, capsys)
    with sqlite3.connect(library / "store.sqlite") as db:
        db.execute("UPDATE content SET text = replace(text, 'nine', 'zero')")
    code, done = command(library, capsys, "audit", "verify", str(file))
    assert code == 4
    assert {"documents", "words"} <= {c["name"] for c in done["answers"][0]["checks"] if not c["passed"]}


def test_export_writes_one_receipt_an_answer(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = library.parent / "all.jsonl"
    code, done = command(library, capsys, "audit", "export", str(out))
    assert (code, done["exported"]) == (0, 1)
    code, done = command(library, capsys, "audit", "verify", str(out))
    assert (code, done["verified"]) == (0, 1)


def test_what_is_no_receipt_is_one_line(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = library.parent / "other.json"
    file.write_text('{"schema": "something"}', "utf-8")
    code, done = command(library, capsys, "audit", "verify", str(file))
    assert (code, done["code"]) == (2, "config")

"""`citeleaf check`: verdicts, JSON and exit codes over a small library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeleaf.surfaces.cli.main import run

TEXT = """# Yard rules

The gate is locked at nine in the evening. Visitors must sign the book before they enter.

Bicycles may be left in the shed, but the shed is closed on Sundays.
"""
FLAGS = ["--set", "models.embedder=none", "--set", "models.reranker=none"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    (folder / "yard.md").write_text(TEXT, "utf-8")
    (folder / "other.md").write_text("# Kitchen\n\nThe kitchen is cleaned every morning by the staff.\n", "utf-8")
    flags = ["--profile", str(_profile(folder)), "--quiet"]
    assert (
        run(["ingest", str(folder / "yard.md"), str(folder / "other.md"), "--library", str(folder / "lib"), *flags])
        == 0
    )
    return folder / "lib"


def _profile(folder: Path) -> Path:
    path = folder / "plain.toml"
    path.write_text('[models]\nembedder = "none"\nreranker = "none"\n[gate]\nmin_probability = 0\n', "utf-8")
    return path


def checked(
    text: str, library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[int, dict]:  # type: ignore[type-arg]
    file = tmp_path / "text.txt"
    file.write_text(text, "utf-8")
    capsys.readouterr()
    profile = str(library.parent / "plain.toml")
    code = run(["check", str(file), "--library", str(library), "--profile", profile, "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def test_own_words_are_supported_with_their_place(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, done = checked("Visitors must sign the book before they enter.", library, tmp_path, capsys)
    assert (code, done["schema"], done["verdict"]) == (0, "citeleaf/check/1", "supported")
    (claim,) = done["claims"]
    (citation,) = (c for c in done["citations"] if c["n"] in claim["citations"])
    assert claim["score"] == 1.0
    assert citation["doc_id"] == "yard" and "sign the book" in citation["quote"]


def test_what_the_documents_do_not_say_ends_with_ten(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "Visitors must sign the book before they enter. The moon is made of cheese."
    code, done = checked(text, library, tmp_path, capsys)
    assert (code, done["verdict"]) == (10, "not_enough_info")
    assert [c["verdict"] for c in done["claims"]] == ["supported", "not_enough_info"]
    assert all(text[c["start"] : c["end"]] == c["text"] for c in done["claims"])


def test_the_opposite_ends_with_twelve_and_says_why(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, done = checked("Visitors need not sign the book before they enter.", library, tmp_path, capsys)
    assert (code, done["verdict"]) == (12, "refuted")
    reason = next(r for r in done["claims"][0]["reasons"] if r["name"] == "modality")
    assert not reason["passed"] and reason["found"]["text"] == "must"


def test_a_sentence_right_under_a_heading_is_checked(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, done = checked("# Gate\nThe gate is not locked at nine in the evening.\n", library, tmp_path, capsys)
    assert (code, done["verdict"]) == (12, "refuted")
    assert [s["why"] for s in done["skipped"]] == ["heading"]


def test_an_id_of_nothing_is_said_to_be_of_nothing(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["show", "nope", "--library", str(library)]) == 4
    assert "there is no document or answer `nope`" in capsys.readouterr().err


def test_against_names_the_documents(library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Visitors must sign the book before they enter."
    code, done = checked(text, library, tmp_path, capsys, "--against", "other")
    assert code == 10 and done["against"] == ["other"]
    assert all(c["doc_id"] == "other" for c in done["citations"])
    code, done = checked(text, library, tmp_path, capsys, "--against", "nowhere")
    assert (code, done["code"]) == (4, "unknown_id")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty_text"),
        (" \n", "empty_text"),
        ("# Rules\n\nIs it?", "nothing_to_check"),
        ("x " * 120_000, "text_too_long"),
    ],
)
def test_texts_without_a_statement_have_their_reason(
    text: str, reason: str, library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, done = checked(text, library, tmp_path, capsys)
    assert (code, done["reason"], done["claims"]) == (10, reason, [])


@pytest.mark.parametrize(
    "text",
    [
        "The gate " * 600 + "is locked.",
        "- The gate is locked\n- at nine\n1. in the evening",
        "| gate | nine |\n|---|---|\n| shed | Sunday |",
        "```python\nprint('gate')\n```",
        "Ворота запираются в девять вечера. 门在晚上九点锁上。 البوابة مغلقة.",
        "The gate is locked at nine in the evening [7][yard#none#c9].",
        "The\u200b gate\u202e is \x1b[31mlocked\x00 at nine.",
        "\ud800 locked gate \ud800.",
    ],
    ids=["long", "list", "table", "code", "scripts", "citations", "hidden", "surrogates"],
)
def test_hard_texts_get_verdicts(text: str, library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from citeleaf.app import App
    from citeleaf.check import check_json

    with App.open(library, profile=str(library.parent / "plain.toml")) as app:
        done = app.check(text)
    json.dumps(check_json(done), allow_nan=False)
    assert done.verdict in ("supported", "not_enough_info", "refuted")


def test_a_file_that_cannot_be_read_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "/nowhere.txt"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_documents_that_disagree_support_neither_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, days in (("handbook", 30), ("finance", 14)):
        text = f"# {name}\n\nExpense claims must be submitted within {days} days of the purchase.\n"
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    lib = tmp_path / "lib"
    flags = ["--library", str(lib), "--profile", str(_profile(tmp_path)), "--quiet"]
    assert run(["ingest", str(tmp_path / "handbook.md"), str(tmp_path / "finance.md"), *flags]) == 0
    code, done = checked("Expense claims must be submitted within 30 days of the purchase.", lib, tmp_path, capsys)
    assert (code, done["verdict"]) == (10, "not_enough_info")
    assert any(r["name"] == "conflict" and "14 days" in r["found"]["text"] for r in done["claims"][0]["reasons"])
    capsys.readouterr()
    assert run(["ask", "When must expense claims be submitted?", *flags, "--json"]) == 12
    answer = json.loads(capsys.readouterr().out)
    assert (answer["reason"], len(answer["claims"])) == ("conflict", 2)
    assert {c["doc_id"] for c in answer["citations"]} == {"handbook", "finance"}


def test_the_page_says_in_words_what_the_documents_say(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "The gate is locked at nine in the evening. Visitors may sign the book before they enter.\n\n"
        "<script>alert(1)</script>\n\nThe moon is made of cheese. Is it open?"
    )
    out = tmp_path / "page.html"
    code, _ = checked(text, library, tmp_path, capsys, "--html", str(out))
    page = out.read_text("utf-8")
    assert code == 12
    for said in ("✓ Supported", "✗ The documents say otherwise", "? Not enough in the documents", "modality: "):
        assert said in page
    assert "The gate is locked at nine in the evening." in page and "yard#" in page
    assert "Is it open? (question)" in page
    assert "<script" not in page and "src=" not in page and "href=" not in page
    code, _ = checked("The gate is locked at nine in the evening.", library, tmp_path, capsys, "--html", str(out))
    assert code == 0 and "✗" not in out.read_text("utf-8")


@pytest.mark.parametrize(("page", "why"), [(".", "is a directory"), ("text.txt", "it is the text that is checked")])
def test_a_page_that_must_not_be_written_is_told_before_any_work(
    page: str, why: str, library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "text.txt"
    file.write_text("The gate is locked at nine in the evening.", "utf-8")
    profile = str(library.parent / "plain.toml")
    code = run(["check", str(file), "--library", str(library), "--profile", profile, "--html", str(tmp_path / page)])
    assert code == 2
    assert f"cannot write `{tmp_path / page}`: {why}" in capsys.readouterr().err
    assert file.read_text("utf-8") == "The gate is locked at nine in the evening."


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_model_that_was_not_heard_is_told(library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "text.txt", tmp_path / "page.html"
    file.write_text("Visitors write in the book before they enter.", "utf-8")
    flags = ["--library", str(library), "--profile", str(library.parent / "plain.toml"), "--html", str(out)]
    model = ["models.verifier_model=http", "chat.address=http://127.0.0.1:9/v1", "chat.model=none"]
    run(["check", str(file), *flags, *(word for one in model for word in ("--set", one))])
    assert "the model was not heard on every sentence: " in capsys.readouterr().err
    assert "The model was not heard on every sentence: " in out.read_text("utf-8")
    run(["check", str(file), *flags])
    assert "not heard" not in capsys.readouterr().err + out.read_text("utf-8")

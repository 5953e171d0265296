"""`evaluate`, `compare`, `calibrate` and `report` from the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from citeleaf.surfaces.cli.main import run
from support.packs import OFF, QUESTIONS, make

FLAGS = [word for flag in OFF for word in ("--set", flag)]


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("cli") / "pack")


@pytest.fixture(scope="module")
def finished(pack: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("cli") / "run"
    assert run(["evaluate", str(pack), "--out", str(out), "--quiet", *FLAGS]) == 0
    return out


def test_a_run_holds_its_files(finished: Path) -> None:
    names = {path.name for path in finished.iterdir()}
    assert {"rows.jsonl", "summary.json", "report.md", "junit.xml", "manifest.json", "library"} <= names


def test_json_is_one_document_and_nothing_else(pack: Path, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", str(pack), "--out", str(finished), "--json", *FLAGS]) == 0
    shown = json.loads(capsys.readouterr().out)
    held = json.loads((finished / "summary.json").read_text("utf-8"))
    assert shown["schema"] == "citeleaf/run/1"
    assert {k: v for k, v in shown.items() if k != "operations"} == {k: v for k, v in held.items() if k != "operations"}


def test_a_bad_benchmark_ends_with_its_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make(tmp_path / "pack", [QUESTIONS[0] | {"gold_doc": "none.md"}])
    assert run(["evaluate", str(folder), "--out", str(tmp_path / "run"), "--json", *FLAGS]) == 6
    shown = json.loads(capsys.readouterr().out)
    assert shown["code"] == "benchmark"
    assert shown["subject"].endswith("questions.jsonl:1")
    assert shown["hint"]


def test_a_run_is_not_mixed_with_other_files(
    pack: Path, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "a page of the web"}', "utf-8")
    assert run(["evaluate", str(pack), "--out", str(tmp_path), "--quiet", *FLAGS]) == 6
    assert "is no run" in capsys.readouterr().err
    assert run(["calibrate", str(pack), "--out", str(tmp_path / "manifest.json"), "--quiet", *FLAGS]) == 6
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]
    assert run(["evaluate", str(pack), "--out", str(finished), "--quiet", *FLAGS]) == 0
    (tmp_path / "empty").mkdir()
    assert run(["evaluate", str(pack), "--out", str(tmp_path / "empty"), "--quiet", *FLAGS]) == 0


def test_a_wrong_scope_is_wrong_usage(pack: Path, tmp_path: Path) -> None:
    assert run(["evaluate", str(pack), "--out", str(tmp_path / "run"), "--scope", "page", *FLAGS]) == 2


def test_a_library_of_ones_own_is_used(pack: Path, tmp_path: Path) -> None:
    out, library = tmp_path / "run", tmp_path / "library"
    assert run(["evaluate", str(pack), "--out", str(out), "--library", str(library), "--quiet", *FLAGS]) == 0
    assert library.is_dir()
    assert not (out / "library").exists()


def test_compare_shows_what_changed(
    pack: Path, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    shut = ["--set", "gate.min_coverage=2.0"]
    assert run(["evaluate", str(pack), "--out", str(out), "--quiet", *FLAGS, *shut]) == 0
    capsys.readouterr()
    assert run(["compare", str(finished), str(out)]) == 0
    shown = capsys.readouterr().out
    assert "small q1: answered -> abstained" in shown
    assert "refusal.false_refusal_rate\t0.000\t1.000\t+1.000" in shown
    assert run(["compare", str(finished), str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == {"paired": 11, "only_first": 0, "only_second": 0}
    assert run(["compare", str(finished), str(tmp_path)]) == 6


def test_report_is_made_anew_from_the_rows(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (finished / "report.md").unlink()
    assert run(["report", str(finished), str(finished)]) == 0
    assert (finished / "report.md").is_file()
    assert "answer.task_success" in capsys.readouterr().out
    assert run(["report", str(finished), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["summary"]["schema"] == "citeleaf/run/1"


@pytest.mark.parametrize("missing", ["rows.jsonl", "summary.json"])
def test_a_run_that_is_not_whole_is_told(
    finished: Path, tmp_path: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "run" / missing).unlink()
    capsys.readouterr()
    assert run(["report", str(tmp_path / "run"), "--json"]) == 6
    assert json.loads(capsys.readouterr().out)["code"] == "benchmark"


def test_calibrate_writes_a_profile(pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make(
        tmp_path / "pack",
        [
            QUESTIONS[n % 5] | {"id": f"q{n}", "split": "calibrate" if n < 5 else "frozen"}
            for n in range(10)
        ],
    )  # fmt: skip
    profile = tmp_path / "mine.toml"
    words = ["--set", "gate.dense_weight=0", "--set", "gate.rerank_weight=0"]
    arguments = ["calibrate", str(folder), "--write", str(profile), "--false-answers", "0.5", *FLAGS]
    assert run([*arguments, "--json"]) == 6
    assert "the gate gave no probability" in json.loads(capsys.readouterr().out)["message"]
    assert run([*arguments, *words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["chosen_on"]["n"] == found["reported_on"]["n"] == 5
    assert f"gate.min_probability = {found['threshold']!r}" in profile.read_text("utf-8")
    assert run([*arguments, *words]) == 0
    assert "unanswerable questions let through" in capsys.readouterr().out
    assert run(["evaluate", str(pack), "--out", str(tmp_path / "r"), "--profile", str(profile), "--quiet", *FLAGS]) == 0


def test_calibrate_ties_the_gate_to_the_models_at_hand(pack: Path, tmp_path: Path) -> None:
    folder = make(tmp_path / "pack", [QUESTIONS[n % 5] | {"id": f"q{n}"} for n in range(40)])
    own = ["--set", "models.embedder=support.library:open_hash_embedder", "--set", "models.reader=none"]
    own += ["--set", "gate.rerank_weight=0"]
    profile = tmp_path / "mine.toml"
    assert run(["evaluate", str(pack), "--out", str(tmp_path / "r"), "--quiet", *FLAGS, *own]) == 2
    assert run(["calibrate", str(folder), "--write", str(profile), "--quiet", *FLAGS, *own]) == 0
    assert 'gate.calibrated_for = ["hashes"]' in profile.read_text("utf-8")
    again = ["evaluate", str(pack), "--out", str(tmp_path / "s"), "--profile", str(profile), "--quiet", *FLAGS, *own]
    assert run(again) == 0

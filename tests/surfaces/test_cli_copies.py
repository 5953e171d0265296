from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from citeleaf.surfaces.cli.main import run

PLAIN = ["--set", "models.embedder=none", "--set", "models.reranker=none"]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    note = tmp_path / "leave.md"
    note.write_text("# Leave\n\nStaff have 25 days of leave a year.\n", "utf-8")
    folder = tmp_path / "library"
    assert run(["ingest", str(note), "--library", str(folder), "--quiet", *PLAIN]) == 0
    return folder


def listed(library: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert run(["documents", "--library", str(library), "--json"]) == 0
    return [d["id"] for d in json.loads(capsys.readouterr().out)["documents"]]


def test_a_backup_restores_to_a_library_that_answers(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["backup", str(tmp_path / "copy"), "--library", str(library)]) == 0
    assert run(["remove", "leave", "--library", str(library)]) == 0
    assert run(["restore", str(tmp_path / "copy"), "--library", str(tmp_path / "again")]) == 0
    assert listed(library, capsys) == []
    assert listed(tmp_path / "again", capsys) == ["leave"]
    assert run(["ask", "How many days of leave?", "--library", str(tmp_path / "again"), *PLAIN]) == 0
    assert "25 days of leave" in capsys.readouterr().out
    (source,) = (tmp_path / "again" / "sources").iterdir()
    assert source.suffix == ".md"


def test_nothing_is_written_over(library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["backup", str(tmp_path), "--library", str(library)]) == 2
    assert run(["backup", str(tmp_path / "copy"), "--library", str(library)]) == 0
    assert run(["restore", str(tmp_path / "copy"), "--library", str(library)]) == 2
    assert listed(library, capsys) == ["leave"]


def test_a_damaged_backup_is_refused(library: Path, tmp_path: Path) -> None:
    assert run(["backup", str(tmp_path / "copy"), "--library", str(library)]) == 0
    store = tmp_path / "copy" / "store.sqlite"
    data = bytearray(store.read_bytes())
    data[4096:12288] = b"\xff" * 8192
    store.write_bytes(data)
    assert run(["restore", str(tmp_path / "copy"), "--library", str(tmp_path / "again")]) == 4
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("inside", [".", "copy", "sources/copy"])
def test_a_backup_does_not_go_into_the_library_itself(library: Path, inside: str) -> None:
    before = sorted(library.glob("*.*")), sorted((library / "sources").iterdir())
    assert run(["backup", str(library / inside), "--library", str(library)]) == 2
    left = [p for p in sorted(library.glob("*.*")) if not p.name.endswith(("-wal", "-shm"))]
    assert (left, sorted((library / "sources").iterdir())) == before


@pytest.mark.parametrize(
    "fault", ["no store", "empty store", "another database", "no mark", "no source", "wrong source"]
)
def test_what_is_no_whole_backup_is_not_restored(
    library: Path, tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    assert run(["backup", str(copy), "--library", str(library)]) == 0
    store, (source,) = copy / "store.sqlite", (copy / "sources").iterdir()
    match fault:
        case "no store":
            store.unlink()
        case "empty store":
            store.write_bytes(b"")
        case "another database":
            store.unlink()
            with sqlite3.connect(store) as db:
                db.execute("CREATE TABLE t (x)")
        case "no mark":
            (copy / "library.toml").unlink()
        case "no source":
            source.unlink()
        case "wrong source":
            source.write_text("other words")
    capsys.readouterr()
    assert run(["restore", str(copy), "--library", str(tmp_path / "again")]) == 4
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "again").exists()


def test_a_present_library_needs_no_migration(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["migrate", "--library", str(library), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["from"] == found["to"]

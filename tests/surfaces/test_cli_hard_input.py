"""What a terminal, a pipe and a folder can do to a command: a line and an exit code, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from citeleaf.surfaces.cli.main import main; main()"]
PLAIN = ["--set", "models.embedder=none", "--set", "models.reranker=none"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hard")
    (folder / "fee.md").write_text("# Fees\n\nThe late fee is £25 for each month.\n", "utf-8")
    done = run("ingest", str(folder / "fee.md"), "--library", str(folder / "library"), *PLAIN)
    assert done.returncode == 0
    return folder / "library"


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {k: str(v) for k, v in dict(options.pop("env", {})).items()}  # type: ignore[call-overload]
    given = {"capture_output": True, "timeout": 60, **options}
    return subprocess.run([*COMMAND, *arguments], env=environment, check=False, **given)  # type: ignore[call-overload, no-any-return]


def shell(line: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, check=False)


def test_an_encoding_without_the_sign_writes_it_out(library: Path) -> None:
    done = run("ask", "late fee", "--library", str(library), *PLAIN, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert b"\\xa325 for each month" in done.stdout


@pytest.mark.parametrize("columns", ["0", "-5", "x", "1"])
def test_an_odd_width_loses_nothing(library: Path, columns: str) -> None:
    done = run("ask", "late fee", "--library", str(library), *PLAIN, env={"COLUMNS": columns})
    assert done.returncode == 0
    assert "25" in done.stdout.decode()


def test_closed_streams_are_no_traceback(library: Path) -> None:
    ask = f"'{COMMAND[0]}' -c '{COMMAND[2]}' ask"
    rest = f"--library '{library}' {' '.join(PLAIN)}"
    assert shell(f"{ask} - {rest} <&-").returncode == 10
    assert b"Traceback" not in shell(f"{ask} 'late fee' {rest} >&-").stderr
    assert shell(f"{ask} 'late fee' --doc nope {rest} 2>&-").returncode == 4


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_output_is_one_line(library: Path) -> None:
    done = shell(f"'{COMMAND[0]}' -c '{COMMAND[2]}' documents --json --library '{library}' > /dev/full")
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_links_in_a_circle_do_not_stop_an_ingest(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ok.txt").write_text("The office opens at nine.", "utf-8")
    (tmp_path / "docs" / "a.txt").symlink_to("b.txt")
    (tmp_path / "docs" / "b.txt").symlink_to("a.txt")
    done = run("ingest", str(tmp_path / "docs"), "--library", str(tmp_path / "library"), "--json", *PLAIN)
    assert done.returncode == 0
    assert [r["status"] for r in json.loads(done.stdout)["rows"]] == ["skipped", "skipped", "added"]


def test_a_pipe_is_no_file_to_ask(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    done = run("ask", "what?", str(tmp_path / "pipe.txt"), *PLAIN)
    assert done.returncode == 2
    assert b"there is no file" in done.stderr


def test_a_very_long_word_is_answered_at_once(library: Path) -> None:
    done = run("ask", "-", "--library", str(library), *PLAIN, input=b"x" * 1_000_000)
    assert done.returncode == 10


def test_a_maker_that_is_none_is_a_wrong_setting(library: Path) -> None:
    done = run("ask", "late fee", "--library", str(library), "--set", "models.embedder=os:getcwd")
    assert done.returncode == 2

"""A library where nothing can be written is asked, searched and copied; what would change it says the way out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeleaf.surfaces.cli.main import run

COMMAND = [sys.executable, "-c", "from citeleaf.surfaces.cli.main import main; main()"]
PLAIN = ["--set", "models.embedder=none", "--set", "models.reranker=none"]
AS_OTHERS = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
"""Root may write everywhere unless it gives that up."""

pytestmark = pytest.mark.skipif(bool(AS_OTHERS) and shutil.which("setpriv") is None, reason="root, and no setpriv")


@pytest.fixture(scope="module")
def shut(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("shut")
    (folder / "leave.md").write_text("# Leave\n\nStaff have 25 days of leave a year.\n", "utf-8")
    library = folder / "library"
    assert run(["ingest", str(folder / "leave.md"), "--library", str(library), "--quiet", *PLAIN]) == 0
    places = [library, *library.rglob("*")]
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    yield library
    for place in places:
        place.chmod(0o700)


def call(*arguments: str, folder: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    line = [*AS_OTHERS, *COMMAND, *arguments, "--library", str(folder)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    return done


def test_it_is_asked_and_keeps_no_answer(shut: Path) -> None:
    before = sorted(str(p) for p in shut.rglob("*"))
    done = call("ask", "How many days of leave?", *PLAIN, folder=shut)
    assert "25 days" in done.stdout and "kept as" not in done.stderr
    assert done.stderr.count("answers are not kept") == 1
    assert sorted(str(p) for p in shut.rglob("*")) == before


def test_it_is_searched_and_shown(shut: Path) -> None:
    assert "leave#leave#c1" in call("search", "leave", *PLAIN, folder=shut).stdout
    assert "25 days" in call("show", "leave", folder=shut).stdout
    assert [d["id"] for d in json.loads(call("documents", "--json", folder=shut).stdout)["documents"]] == ["leave"]


@pytest.mark.parametrize("arguments", [["remove", "leave"], ["reindex", *PLAIN], ["migrate"]], ids=lambda a: a[0])
def test_what_would_change_it_says_the_way_out(shut: Path, arguments: list[str]) -> None:
    error = json.loads(call(*arguments, "--json", folder=shut, code=4).stdout)
    assert error["code"] == "store_read_only" and "citeleaf backup" in error["hint"]


def test_nothing_is_taken_in(shut: Path) -> None:
    (shut.parent / "other.md").write_text("# Other\n\nThe office opens at nine.\n", "utf-8")
    done = call("ingest", str(shut.parent / "other.md"), *PLAIN, "--json", folder=shut, code=4)
    assert json.loads(done.stdout)["code"] == "store_read_only"


def test_the_way_out_works(shut: Path, tmp_path: Path) -> None:
    call("backup", str(tmp_path / "copy"), folder=shut)
    assert "25 days" in call("ask", "How many days of leave?", *PLAIN, folder=tmp_path / "copy").stdout
    call("remove", "leave", folder=tmp_path / "copy")

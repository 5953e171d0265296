"""The tutorial is run: each command ends, and prints the lines that the page shows."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
(LETTER,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
NOT_RUN = ("serve",)
"""Commands that do not end; tests/surfaces/api and tests/browser hold them."""


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_tutorial_shows_what_its_commands_print(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "insurance" / "harbour_business_pds.pdf", tmp_path)
    shutil.copytree(ROOT / "examples" / "insurance", tmp_path / "examples" / "insurance")
    (tmp_path / "letter.txt").write_text(LETTER, "utf-8")
    environment = {**os.environ, "CITELEAF_LIBRARY": str(tmp_path / "library"), "COLUMNS": "1000"}
    run = 0
    for block in BLOCKS:
        lines = block.splitlines()
        printed = ""
        for line in (line for line in lines if line.startswith("$ ")):
            _, *words = shlex.split(line[2:])
            if words[0] in NOT_RUN:
                continue
            starter = "from citeleaf.surfaces.cli.main import main; main()"
            done = subprocess.run(
                [sys.executable, "-c", starter, *words],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode in (0, 10, 11, 12), f"{line}\n{done.stderr}"
            printed += done.stdout + done.stderr
            run += 1
        for line in (line for line in lines if not line.startswith("$ ")):
            assert line in printed, f"{line}\nis not in\n{printed}"
    assert run >= 8
    assert (tmp_path / "page.png").stat().st_size > 10_000

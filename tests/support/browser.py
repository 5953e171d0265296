"""A server, Chromium and a script that drives the page: what the browser tests share."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PDS = ROOT / "examples" / "insurance" / "harbour_business_pds.pdf"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
NODE = shutil.which("node")
READY = (ROOT / "web" / "node_modules" / "playwright-core").is_dir()
ALONE = "PYTEST_XDIST_WORKER" not in os.environ
MISSING = [
    what
    for what, there in (
        ("Node", NODE),
        ("Chromium", CHROMIUM),
        ("web/node_modules (make web)", READY),
        ("a run of its own (make browser)", ALONE),
    )
    if not there
]
BROWSER = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


def driven(script: str, arguments: Sequence[str | Path], taken: Sequence[Path] = ()) -> list[dict[str, Any]]:
    """The lines of JSON that a script of tests/browser prints, driving a server of a library with some files."""
    # Under the system's folder: a path of a test's own is too long for the sockets of parser processes.
    folder = Path(tempfile.mkdtemp(prefix="citeleaf-page-"))
    command = [sys.executable, "-c", "from citeleaf.surfaces.cli.main import main; main()"]
    library = ["--library", str(folder / "library"), "--profile", "insurance"]
    if taken:
        subprocess.run([*command, "ingest", *map(str, taken), *library, "--quiet"], check=True, timeout=300)
    server = subprocess.Popen([*command, "serve", "--port", "0", "--json", *library], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = json.loads(_document(server.stdout))["address"]
        done = subprocess.run(
            [str(NODE), str(ROOT / "tests" / "browser" / script), address, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=840,
            env={**os.environ, "CHROMIUM": str(CHROMIUM)},
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return [json.loads(line) for line in done.stdout.splitlines()]
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def words_under(pdf: Path, number: int, marks: Sequence[dict[str, float]]) -> str:
    """The words of a page that lie under marks, which are in shares of the page from its top left, in their order."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        page = document[number - 1]
        left, bottom, right, top = page.get_cropbox()
        wide, high = right - left, top - bottom
        text = page.get_textpage()
        found = []
        for m in marks:
            # A mark reaches to its line's edge, where tight lines of a table touch; letters fill the middle of it.
            edge = (m["y1"] - m["y0"]) * 0.2
            low, up = top - (m["y1"] - edge) * high, top - (m["y0"] + edge) * high
            found.append(text.get_text_bounded(left + m["x0"] * wide, low, left + m["x1"] * wide, up))
        return " ".join(found)
    finally:
        document.close()


def letters(text: str) -> str:
    """A text without what stands between its letters and digits."""
    return re.sub(r"\W", "", text.replace("\ufffe", "").replace("\u00ad", "")).casefold()


def _document(out: Any) -> str:
    """One JSON document, which may stand on several lines."""
    text = ""
    for line in out:
        text += line
        try:
            json.loads(text)
        except ValueError:
            continue
        return text
    raise AssertionError("the server said nothing")

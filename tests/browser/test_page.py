"""The page in a real browser: what a reader does, where the marks lie, that no text runs, that axe is silent.

`make browser` installs what it needs; pictures of each view are left in `build/browser`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from support.pdfs import lines, make

ROOT = Path(__file__).resolve().parent.parent.parent
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
PDS = ROOT / "examples" / "insurance" / "harbour_business_pds.pdf"
CHECKS = [
    *("answer", "text-of-the-page-can-be-selected", "keyboard", "stop", "follow-up", "not-answered", "no-pages"),
    *(
        "trace",
        "upload",
        "source-removed",
        "facts-feedback-history",
        "weak-states",
        "drop-and-cancel",
        "files",
        "scripts-stay-text",
    ),
    *("axe-light", "axe-dark", "axe-turkish", "axe-phone", "axe-phone-dark-turkish", "axe-reflow", "axe-zoom"),
    *("no-foreign-request", "no-page-error"),
]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


@pytest.fixture(scope="module")
def lighthouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PDF that was never in the library."""
    said = ["Lighthouse handbook", "", "The door of the Quillon lighthouse is painted in the colour vermilion."]
    path = tmp_path_factory.mktemp("upload") / "lighthouse.pdf"
    return make(path, [lambda c: lines(c, 72, 700, said, size=12)])


@pytest.fixture(scope="module")
def found(lighthouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Any]]]:
    """What each check of the script says, by its name."""
    # Under the system's folder: a path of a test's own is too long for the sockets of parser processes.
    folder = Path(tempfile.mkdtemp(prefix="citeleaf-page-"))
    broken = tmp_path_factory.mktemp("broken") / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and nothing more")
    pictures = ROOT / "build" / "browser"
    pictures.mkdir(parents=True, exist_ok=True)
    starter = "from citeleaf.surfaces.cli.main import main; main()"
    command = [sys.executable, "-c", starter]
    library = ["--library", str(folder / "library"), "--profile", "insurance"]
    taken = [*command, "ingest", str(PDS), str(ROOT / "examples" / "notes" / "docs"), *library, "--quiet"]
    subprocess.run(taken, check=True, timeout=300)
    server = subprocess.Popen([*command, "serve", "--port", "0", "--json", *library], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = json.loads(_document(server.stdout))["address"]
        script = [str(NODE), str(ROOT / "tests" / "browser" / "page.mjs"), address, str(lighthouse), str(broken)]
        done = subprocess.run(
            [*script, str(pictures)],
            capture_output=True,
            text=True,
            timeout=840,
            env={**os.environ, "CHROMIUM": str(CHROMIUM)},
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        yield {row["check"]: row for row in map(json.loads, done.stdout.splitlines())}
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


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


@pytest.mark.parametrize("name", CHECKS)
def test_the_page(name: str, found: dict[str, dict[str, Any]]) -> None:
    assert found[name]["ok"], found[name]["detail"]


def test_every_check_of_the_script_is_looked_at(found: dict[str, dict[str, Any]]) -> None:
    assert sorted(found) == sorted(CHECKS)


@pytest.mark.parametrize("name", ["answer", "upload"])
def test_the_marks_lie_on_the_words_of_the_file(name: str, found: dict[str, dict[str, Any]], lighthouse: Path) -> None:
    told = found[name]["detail"]
    assert told["marks"]
    document = pypdfium2.PdfDocument(PDS if name == "answer" else lighthouse)
    try:
        page = document[told["page"] - 1]
        left, bottom, right, top = page.get_cropbox()
        wide, high = right - left, top - bottom
        text = page.get_textpage()
        under = [
            text.get_text_bounded(
                left + m["x0"] * wide, top - m["y1"] * high, left + m["x1"] * wide, top - m["y0"] * high
            )
            for m in told["marks"]
        ]
        assert _letters(" ".join(under)) == _letters(told["quote"])
    finally:
        document.close()


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text.replace("\ufffe", "").replace("\u00ad", "")).casefold()

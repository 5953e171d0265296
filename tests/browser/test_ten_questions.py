"""A reader uploads a booklet, asks ten questions and opens every source: the marks lie on the quoted words."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from browser.test_page import CHROMIUM, MISSING, NODE, PDS, ROOT, _document, _letters

SHARED = ROOT.parent / "shared" / "data"
GOLD = SHARED / "seeds" / "quoteguard" / "gold66.jsonl"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


def ten(path: Path) -> list[str]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return random.Random(7).sample([r["question"] for r in rows if r["answerable"]], 10)


def opened(pdf: Path, questions: list[str], folder: Path) -> Iterator[dict[str, Any]]:
    """What the page shows of each source."""
    asked = folder / "questions.json"
    asked.write_text(json.dumps(questions), "utf-8")
    home = Path(tempfile.mkdtemp(prefix="citeleaf-ten-"))
    starter = "from citeleaf.surfaces.cli.main import main; main()"
    command = [sys.executable, "-c", starter, "serve", "--port", "0", "--json", "--library", str(home / "library")]
    server = subprocess.Popen([*command, "--profile", "insurance"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = json.loads(_document(server.stdout))["address"]
        script = [str(NODE), str(ROOT / "tests" / "browser" / "ten.mjs"), address, str(pdf), str(asked)]
        environment = {**os.environ, "CHROMIUM": str(CHROMIUM)}
        done = subprocess.run(script, capture_output=True, text=True, timeout=600, env=environment, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        yield from map(json.loads, done.stdout.splitlines())
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(home, ignore_errors=True)


def held(pdf: Path, row: dict[str, Any]) -> bool:
    """Whether the words under the marks are the quotation, or its first part where it goes on over the page."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        page = document[row["page"] - 1]
        left, bottom, right, top = page.get_cropbox()
        wide, high = right - left, top - bottom
        text = page.get_textpage()
        under = ""
        for m in row["marks"]:
            # A mark reaches to its line's edge, where tight lines of a table touch; letters fill the middle of it.
            edge = (m["y1"] - m["y0"]) * 0.2
            under += text.get_text_bounded(
                left + m["x0"] * wide,
                top - (m["y1"] - edge) * high,
                left + m["x1"] * wide,
                top - (m["y0"] + edge) * high,
            )
        return bool(_letters(under)) and _letters(under) == _letters(row["quote"])
    finally:
        document.close()


@pytest.mark.parametrize("booklet", ["own", pytest.param("shared", marks=pytest.mark.shared)])
def test_every_source_of_ten_answers_is_marked_on_its_page(booklet: str, tmp_path: Path) -> None:
    if booklet == "own":
        pdf, questions = PDS, ten(ROOT / "examples" / "insurance" / "questions.jsonl")
    else:
        first = json.loads(GOLD.read_text("utf-8").splitlines()[0])
        (pdf,) = (SHARED / "docs").rglob(first["gold_doc"])
        questions = ten(GOLD)
    rows = list(opened(pdf, questions, tmp_path))
    answered = {row["number"] for row in rows if row["outcome"] == "answered"}
    sources = [row for row in rows if row["outcome"] == "answered"]
    wrong = [(row["number"], row["page"]) for row in sources if row["page"] != row["cited"] or not held(pdf, row)]
    told = f"{len(answered)} of 10 answered, {len(sources)} sources, {len(wrong)} not on their words: {wrong}"
    assert len(answered) >= 6 and not wrong, told

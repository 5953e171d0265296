"""A reader uploads a booklet, asks ten questions and opens every source: the marks lie on the quoted words."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from support.browser import BROWSER, PDS, ROOT, driven, letters, words_under

SHARED = ROOT.parent / "shared" / "data"
GOLD = SHARED / "seeds" / "quoteguard" / "gold66.jsonl"
pytestmark = BROWSER


def ten(path: Path) -> list[str]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return random.Random(7).sample([r["question"] for r in rows if r["answerable"]], 10)


def held(pdf: Path, row: dict[str, Any]) -> bool:
    """Whether the page that is shown is the cited one, and the words under the marks are the quotation."""
    under = letters(words_under(pdf, row["page"], row["marks"]))
    return row["page"] == row["cited"] and bool(under) and under == letters(row["quote"])


@pytest.mark.parametrize("booklet", ["own", pytest.param("shared", marks=pytest.mark.shared)])
def test_every_source_of_ten_answers_is_marked_on_its_page(booklet: str, tmp_path: Path) -> None:
    if booklet == "own":
        pdf, questions = PDS, ten(ROOT / "examples" / "insurance" / "questions.jsonl")
    else:
        first = json.loads(GOLD.read_text("utf-8").splitlines()[0])
        (pdf,) = (SHARED / "docs").rglob(first["gold_doc"])
        questions = ten(GOLD)
    asked = tmp_path / "questions.json"
    asked.write_text(json.dumps(questions), "utf-8")
    sources = [row for row in driven("ten.mjs", [pdf, asked]) if row["outcome"] == "answered"]
    answered = {row["number"] for row in sources}
    wrong = [(row["number"], row["page"]) for row in sources if not held(pdf, row)]
    told = f"{len(answered)} of 10 answered, {len(sources)} sources, {len(wrong)} not on their words: {wrong}"
    assert len(answered) >= 6 and not wrong, told

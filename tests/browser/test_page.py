"""The page in a real browser: what a reader does, where the marks lie, that no text runs, that axe is silent.

`make browser` installs what it needs; pictures of each view are left in `build/browser`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.browser import BROWSER, PDS, ROOT, driven, letters, words_under
from support.pdfs import lines, make

CHECKS = [
    *("answer", "text-of-the-page-can-be-selected", "keyboard", "stop", "follow-up", "not-answered", "no-pages"),
    *("two-tabs", "reload-in-the-middle", "ten-thousand-documents"),
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
pytestmark = BROWSER


@pytest.fixture(scope="module")
def lighthouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PDF that was never in the library."""
    said = ["Lighthouse handbook", "", "The door of the Quillon lighthouse is painted in the colour vermilion."]
    path = tmp_path_factory.mktemp("upload") / "lighthouse.pdf"
    return make(path, [lambda c: lines(c, 72, 700, said, size=12)])


@pytest.fixture(scope="module")
def found(lighthouse: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What each check of the script says, by its name."""
    broken = tmp_path_factory.mktemp("broken") / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and nothing more")
    pictures = ROOT / "build" / "browser"
    pictures.mkdir(parents=True, exist_ok=True)
    taken = [PDS, ROOT / "examples" / "notes" / "docs"]
    return {row["check"]: row for row in driven("page.mjs", [lighthouse, broken, pictures], taken)}


@pytest.mark.parametrize("name", CHECKS)
def test_the_page(name: str, found: dict[str, dict[str, Any]]) -> None:
    assert found[name]["ok"], found[name]["detail"]


def test_every_check_of_the_script_is_looked_at(found: dict[str, dict[str, Any]]) -> None:
    assert sorted(found) == sorted(CHECKS)


@pytest.mark.parametrize("name", ["answer", "upload"])
def test_the_marks_lie_on_the_words_of_the_file(name: str, found: dict[str, dict[str, Any]], lighthouse: Path) -> None:
    told = found[name]["detail"]
    assert told["marks"]
    pdf = PDS if name == "answer" else lighthouse
    assert letters(words_under(pdf, told["page"], told["marks"])) == letters(told["quote"])

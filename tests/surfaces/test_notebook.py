"""citeleaf as a library: names at the top, answers that print briefly and draw themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import citeleaf
from citeleaf import App
from citeleaf.types import Answer, Check

NOTE = "# Keys\n\nLost keys are reported to the caretaker within two hours. <script>alert(1)</script>\n"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Answer, Answer]:
    path = tmp_path_factory.mktemp("notebook") / "house.md"
    path.write_text(NOTE, "utf-8")
    with App.for_files([path], profile="insurance") as app:
        return app.ask("When are lost keys reported?"), app.ask("Should I buy <b>this</b> policy?")


def test_an_answer_prints_as_its_text_and_briefly(answers: tuple[Answer, Answer]) -> None:
    answered, refused = answers
    assert str(answered) == answered.text and "two hours" in str(answered)
    assert repr(answered).startswith(f"Answer('{answered.id}', 'answered', ") and "Trace" not in repr(answered)
    assert "'refused', 'advice_request'" in repr(refused)


def test_an_answer_draws_itself(answers: tuple[Answer, Answer]) -> None:
    answered, refused = answers
    drawn = answered._repr_html_()
    assert "<h2>Verified</h2>" in drawn and "cited, words found, supported" in drawn
    (target,) = set(re.findall(r'href="#([^"]+)"', drawn))
    assert f'id="{target}"' in drawn and answered.id in target
    assert "Refused (advice_request)" in refused._repr_html_()
    for html in (drawn, refused._repr_html_()):
        assert "<script" not in html and "<b>" not in html
        assert not re.search(r"(?:src|href)=[\"'](?!#)", html)


def test_nothing_is_said_to_have_stopped_what_was_answered(answers: tuple[Answer, Answer]) -> None:
    seen = Check("signal_injection", False, "looks odd")
    drawn = [replace(a, trace=replace(a.trace, guard=(*a.trace.guard, seen)))._repr_html_() for a in answers]
    assert ["Checks that stopped it" in html for html in drawn] == [False, True]


def test_importing_loads_little() -> None:
    asked = "import sys, citeleaf; print('citeleaf.app' in sys.modules, citeleaf.App.__name__)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["False", "App"]
    with pytest.raises(AttributeError, match="no attribute `Ap`"):
        _ = citeleaf.Ap


def test_no_framework_is_loaded_with_the_product(tmp_path: Path) -> None:
    frameworks = ("langchain_core", "llama_index", "haystack", "IPython")
    asked = (
        f"import sys, citeleaf.app, citeleaf.surfaces.notebook; print([n for n in {frameworks} if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"

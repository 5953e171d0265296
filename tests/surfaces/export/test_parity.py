"""One suite of questions for Python and the exported page: the same passages, scores, outcomes and quotations."""

from __future__ import annotations

import html
import json
import math
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from citeleaf.app import App
from citeleaf.portable.library import LEXICAL, portable
from citeleaf.retrieve.tokens import terms
from citeleaf.surfaces.export.build import SITE, export

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
NODE = shutil.which("node")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CASES = json.loads((HERE / "cases.json").read_text("utf-8"))
PACKS = {
    "insurance": ("insurance", "harbour_business_pds.pdf"),
    "kyc": ("kyc", ""),
    "coldchain": ("report", "marrow-bay-q3-2025.pdf"),
    "notes": ("notes", "docs"),
}
ASKED = [
    "Is liability for an unregistered vehicle that is towed paid?",
    "What torque for an M16 bolt?",
    *("Yıllık izin kaç gündür?", "hastalık kapsam dışı olanlar hangileri", "IŞIK hangi İSTANBUL ofisinde kalır"),
    *("How often is the lamp of the lighthouse cleaned?", "is the lamp never cleaned", "lamp fees", "small lamp fee"),
    *("What does Keeper mean?", "When may the keeper leave the tower?", "list all lamp fees", "fee of the large lamp"),
]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(NODE is None, reason="needs Node to run the page's scripts")]


def questions(pack: str) -> list[str]:
    if pack == "written":
        return ASKED
    cases = [*CASES[pack], *(CASES["any"] if pack in ("kyc", "notes") else CASES["any"][:30:3])]
    return [case if isinstance(case, str) else case[0] * case[1] for case in cases]


@pytest.fixture(scope="module", params=[*PACKS, "written"])
def pack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, App]]:
    folder = tmp_path_factory.mktemp(request.param)
    profile, inside = PACKS.get(request.param, ("general", ""))
    source = HERE / "documents" if request.param == "written" else EXAMPLES / request.param / inside
    with App.open(folder, profile=profile, flags=LEXICAL, write=True) as app:
        assert not any(row.error for row in app.ingest([source]).rows)
        yield request.param, app


def told(app: App, question: str) -> dict[str, Any]:
    answer = app.ask(question)
    trace = answer.trace
    found = trace.retrieval
    return {
        "question": question,
        "terms": [terms(question, "en"), terms(question, "tr")],
        "outcome": answer.decision.outcome,
        "reason": answer.decision.reason,
        "text": answer.text,
        "parts": list(found.parts) if found else [],
        "evidence": [[e.passage.id, e.score, e.why] for e in found.evidence] if found else [],
        "gate": [[c.name, c.passed, c.value] for c in trace.gate or ()],
        "guard": [[c.name, c.passed, c.detail, c.value] for c in trace.guard],
        "claims": [[c.text, [*c.citations]] for c in answer.claims],
        "citations": [
            [c.n, c.passage_id, c.quote.span.start, c.quote.span.end, c.quote.text] for c in answer.citations
        ],
        "nearest": [[n.passage_id, n.score, n.quote] for n in answer.nearest],
    }


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=0, abs_tol=1e-9)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def test_the_page_answers_as_python_does(pack: tuple[str, App], tmp_path: Path) -> None:
    name, app = pack
    asked = questions(name)
    data, listed, out = tmp_path / "data.json", tmp_path / "questions.json", tmp_path / "out.json"
    data.write_text(json.dumps(portable(app.kit.store, app.settings)), "utf-8")
    listed.write_text(json.dumps(asked), "utf-8")
    command = [str(NODE), str(HERE / "parity.mjs"), str(SITE), str(data), str(listed), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
    answers = json.loads(out.read_text("utf-8"))
    wanted = [told(app, question) for question in asked]
    differ = [
        (want["question"][:80], key, want[key], got[key])
        for want, got in zip(wanted, answers, strict=True)
        for key in want
        if not same(want[key], got[key])
    ]
    assert not differ
    outcomes = {want["outcome"] for want in wanted}
    if name == "written":
        assert '"read": ' in data.read_text("utf-8"), "a document speaks to the assistant, and that is not read"
    assert outcomes >= ({"answered"} if name == "written" else {"answered", "abstained", "refused"})


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("single_file", [False, True])
def test_a_browser_opens_it_from_disk_and_answers_the_same(
    pack: tuple[str, App], tmp_path: Path, single_file: bool
) -> None:
    name, app = pack
    if name != "notes":
        pytest.skip("one pack is enough to see that the scripts run under the page's policy")
    out = tmp_path / ("notes.html" if single_file else "notes")
    export(app, out, single_file=single_file)
    asked = ((case, app.ask(case)) for case in CASES["notes"] if isinstance(case, str))
    question, answer = next(pair for pair in asked if pair[1].decision.outcome == "answered")
    page = out if single_file else out / "index.html"
    command = [
        *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"),
        *("--virtual-time-budget=3000", "--dump-dom", f"{page.as_uri()}?q={quote(question)}"),
    ]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    assert "No language model." in shown
    assert all(html.escape(claim.text.split("\n")[0], quote=False) in shown for claim in answer.claims)
    assert "Content-Security-Policy" in shown and "connect-src 'none'" in shown

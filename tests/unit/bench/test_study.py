"""The studies: their plan is sound, systems differ by what it says, pages hold intervals and paired differences."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from bench.study import System, ask, mixed, written
from bench.study_parts import PARTS, share, spread

from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.page.names import NAMES
from citeleaf.layers import load as load_settings
from support.packs import GUARD, LEAVE, OFF, QUESTIONS, make, write_lines

ROOT = Path(__file__).resolve().parents[3]
PLAN = tomllib.loads((ROOT / "bench" / "studies.toml").read_text("utf-8"))
CORPUS = """[[document]]
path = "docs/office.md"
id = "office"

[[document]]
path = "cases/leave.md"
id = "case-leave"
role = "facts"
"""


@pytest.mark.parametrize("name", PLAN)
def test_the_plan_names_settings_figures_and_parts_that_exist(name: str) -> None:
    study = PLAN[name]
    for system in study["system"]:
        load_settings(None, tuple(system.get("set", ())), environment={})
        assert system.get("index", "policies") in ("policies", "mixed")
    assert set(study["figures"]) <= NAMES.keys()
    assert set(study["parts"]) <= PARTS.keys()
    assert len({system["name"] for system in study["system"]} | {"ours"}) == len(study["system"]) + 1
    assert f"study-{name}" in (ROOT / "Makefile").read_text("utf-8")


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = make(tmp_path / "pack", [QUESTIONS[0], QUESTIONS[3]])
    (folder / "cases").mkdir()
    (folder / "cases" / "leave.md").write_text(LEAVE, "utf-8")
    (folder / "corpus.toml").write_text(CORPUS, "utf-8")
    write_lines(folder / "guard.jsonl", GUARD[:2])
    (folder / "benchmark.toml").write_text(
        '[benchmark]\nname = "small"\nmanifest = "corpus.toml"\nfacts = ["cases/leave.md"]\n'
        '[files]\nqa = ["questions.jsonl"]\nguard = ["guard.jsonl"]\n',
        "utf-8",
    )
    return folder


def test_a_mixed_index_takes_case_files_for_policy_in_a_copy_alone(pack: Path, tmp_path: Path) -> None:
    before = (pack / "corpus.toml").read_text("utf-8")
    benchmark = mixed(load(pack), pack, tmp_path / "mixed")
    assert benchmark.facts == ()
    assert 'role = "policy"' in benchmark.documents[0].read_text("utf-8")
    assert (pack / "corpus.toml").read_text("utf-8") == before


def test_a_page_has_intervals_differences_and_parts(pack: Path, tmp_path: Path) -> None:
    shut = System("shut", (*OFF, "gate.min_coverage=2.0"))
    systems = [System("ours", OFF), shut, System("ours, mixed", OFF, "mixed")]
    runs = [ask(system, pack, tmp_path / "out") for system in systems]
    figures = ["retrieval.span.hit@1", "refusal.false_refusal_rate", "claims.accuracy"]
    study = {"title": "A small study", "about": "Two questions.", "pack": "examples/kyc", "figures": figures}
    page = written(study | {"parts": list(PARTS)}, "make study-small", systems, runs)
    assert page.startswith("# A small study\n")
    assert "$ make study-small" in page
    assert "| ours | 1.000 (0.025 to 1.000) | 0.000 (0.000 to 0.975) |" in page
    assert "| shut | +0.000 (+0.000 to +0.000) | **+1.000 (+1.000 to +1.000)** |" in page
    assert "claims" not in page.partition("## Differences")[0]
    for title in ("Case files cited", "Citation repair", "Gate scores", "Outcomes", "Request guard", "by category"):
        assert title in page
    held = [
        d["id"] for d in json.loads((tmp_path / "out" / "ours-mixed" / "manifest.json").read_text("utf-8"))["documents"]
    ]
    assert held == ["case-leave", "office"]


def test_shares_have_exact_intervals() -> None:
    assert share(0, 47) == "0 of 47 (0.000 to 0.075)"
    assert share(0, 0) == "not scored"
    assert spread([0.5, 0.25]) == "0.250 to 0.500"
    assert spread([]) == "none reached"

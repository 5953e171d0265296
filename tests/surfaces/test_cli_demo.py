"""The demonstration: one question of each outcome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeleaf.surfaces.cli.main import run

pytest.importorskip("citeleaf_weights", reason="citeleaf-weights is not installed")


@pytest.mark.slow
def test_the_demo_shows_each_outcome_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--library", str(tmp_path / "library"), "--json", "--quiet"]) == 0
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert [a["outcome"] for a in answers] == ["answered", "abstained", "refused", "escalated"]
    escalated = answers[-1]
    assert escalated["reason"] == "conflict"
    assert len({c["doc_id"] for c in escalated["citations"]}) == 2
    texts = [claim["text"] for claim in escalated["claims"]]
    assert not any(a in b for a in texts for b in texts if a is not b)

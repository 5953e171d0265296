"""The gate's threshold: chosen on one split, reported on the other, written with what it was chosen on."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from statistics import NormalDist

import pytest

from citeleaf.app import App
from citeleaf.errors import BenchmarkError, ConfigError
from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.calibrate import calibrate, profile_text, rates, threshold, toml, too_few, write_profile
from citeleaf.evaluate.rows import Record
from citeleaf.layers import load as load_settings
from support.packs import make, open_small


def rows(n: int, split: str, seed: int) -> list[Record]:
    """Questions of which the answerable ones mostly score higher."""
    draw = random.Random(seed)
    out: list[Record] = []
    for i in range(n):
        answerable = draw.random() < 0.5
        score = min(1.0, max(0.0, draw.gauss(0.7 if answerable else 0.4, 0.15)))
        row: Record = {"id": f"{split}-{i}", "kind": "question", "split": split, "answerable": answerable}
        out.append(row | {"gate": {"probability": score}})
    return out


def test_the_threshold_keeps_the_wished_rate_on_the_split_it_was_chosen_on() -> None:
    found = calibrate([*rows(200, "calibrate", 1), *rows(200, "frozen", 2)], 0.1)
    chosen, reported = found["chosen_on"], found["reported_on"]
    assert isinstance(chosen, dict)
    assert isinstance(reported, dict)
    assert chosen["splits"] == ["calibrate"]
    assert 0.08 <= chosen["false_answer_rate"]["value"] <= 0.1
    low, high = reported["false_answer_rate"]["ci95"]
    truth = 1 - NormalDist(0.4, 0.15).cdf(found["threshold"])
    assert low < truth < high
    assert reported["false_answer_rate"]["value"] < reported["false_answer_bound95"] < high
    assert chosen["n"] == reported["n"] == 200


def test_the_least_threshold_is_taken() -> None:
    scores, unanswerable = [0.9, 0.8, 0.5, 0.4, 0.3], [False, True, True, True, False]
    least = threshold(scores, unanswerable, 1 / 3)
    assert rates(scores, unanswerable, least).through == (1, 3)
    assert rates(scores, unanswerable, least - 2e-9).through == (2, 3)
    assert threshold(scores, unanswerable, 1.0) == 0.0
    assert rates(scores, unanswerable, threshold(scores, unanswerable, 0.0)).through == (0, 3)


def test_rows_without_splits_are_halved_by_their_ids() -> None:
    given = [row | {"split": None} for row in rows(100, "x", 3)]
    found = calibrate(given, 0.2)
    assert 30 < found["chosen_on"]["n"] < 70
    assert found["chosen_on"]["n"] + found["reported_on"]["n"] == 100
    assert calibrate(given[::-1], 0.2) == found


def test_a_split_without_unanswerable_questions_is_an_error() -> None:
    only = [row | {"answerable": True} for row in rows(20, "frozen", 4)]
    with pytest.raises(BenchmarkError, match="the split to report on has no unanswerable"):
        calibrate([*rows(20, "calibrate", 5), *only], 0.1)


def test_the_profile_can_be_used(tmp_path: Path) -> None:
    folder = make(tmp_path / "pack")
    found = calibrate([*rows(50, "calibrate", 1), *rows(50, "frozen", 2)], 0.1)
    path = tmp_path / "mine.toml"
    with App.open(tmp_path / "library", profile="kyc", flags=("models.embedder=none",), write=True) as app:
        write_profile(path, profile_text(found, app, [load(folder)]))
        kyc = app.settings
    settings, _ = load_settings(str(path))
    assert settings.gate.min_probability == found["threshold"]
    assert settings.gate.calibrated_on.startswith("small: 50 questions; ")
    assert settings.profile == kyc.profile
    assert settings.guard == kyc.guard
    with pytest.raises(ConfigError, match=r"is no \.toml file"):
        write_profile(tmp_path / "mine.txt", "")


def test_toml_of_awkward_values() -> None:
    value = {"a": 'say "no"\n\\ \x7f', "b": [1.5, False, {"c": "ü"}], "d": None}
    assert tomllib.loads(f"v = {toml(value)}")["v"] == {"a": 'say "no"\n\\ \x7f', "b": [1.5, False, {"c": "ü"}]}


def test_gate_values_are_in_the_rows_even_where_it_holds_back(tmp_path: Path) -> None:
    from citeleaf.evaluate.run import read_rows, run

    out = tmp_path / "run"
    with open_small(out, "gate.min_coverage=2.0", "gate.dense_weight=0", "gate.rerank_weight=0") as app:
        run([load(make(tmp_path / "pack"))], app, out)
    asked = [row for row in read_rows(out) if row["kind"] == "question" and row["answerable"] is not None]
    assert {row["outcome"] for row in asked} == {"abstained"}
    for row in asked:
        found = row["gate"]["probability"]
        assert found == 0 if row["reason"] == "no_evidence" else 0 < found < 1
    assert {"no_evidence", "below_gate"} == {row["reason"] for row in asked}


def test_without_the_scorers_that_the_gate_weighs_there_is_no_probability(tmp_path: Path) -> None:
    from citeleaf.evaluate.run import read_rows, run

    out = tmp_path / "run"
    with open_small(out) as app:
        run([load(make(tmp_path / "pack"))], app, out)
    asked = [row for row in read_rows(out) if row["kind"] == "question" and row["answerable"] is not None]
    assert any("coverage" in row["gate"] for row in asked)
    assert {row["gate"]["probability"] for row in asked} == {None}
    with pytest.raises(BenchmarkError, match="the gate gave no probability"):
        calibrate(asked, 0.1)


@pytest.mark.parametrize(("n", "said"), [(4, True), (400, False)])
def test_too_few_questions_to_show_the_wished_rate_are_told(n: int, said: bool) -> None:
    told = too_few(calibrate([*rows(n, "calibrate", 1), *rows(n, "frozen", 3)], 0.05))
    assert bool(told) is said
    assert not said or "cannot show a rate of 0.05" in told

"""Rows to figures, and figures to reports."""

from __future__ import annotations

import random
from xml.etree import ElementTree

from citeleaf.evaluate.report import figures, junit, markdown, show
from citeleaf.evaluate.summary import faults, operations, summarise
from citeleaf.record import Json

Row = dict[str, Json]


def row(name: str, found: dict[str, Json], **more: Json) -> Row:
    base: Row = {"id": name, "benchmark": "b", "repeat": 1, "kind": "question", "answerable": True, "category": None}
    return base | {"outcome": "answered", "document": None, "figures": found} | more


def test_a_figure_that_was_not_scored_is_absent_and_never_nought() -> None:
    summary = summarise([row("a", {"answer.token_f1": 0.5}), row("b", {})])
    assert summary["answer"] == {"token_f1": {"value": 0.5, "ci95": [0.5, 0.5], "n": 1}}
    assert "retrieval" not in summary
    assert "citation" not in summary


def test_the_order_of_rows_does_not_matter() -> None:
    draw = random.Random(5)
    rows = [
        row(f"r{i}", {"answer.token_f1": draw.random(), "refusal.false_refusal": float(draw.random() < 0.3)})
        | {"document": draw.choice(("x", "y", None))}
        for i in range(40)
    ]
    expected = summarise(rows)
    for _ in range(3):
        draw.shuffle(rows)
        assert summarise(rows) == expected


def test_errors_count_as_errors_and_in_no_figure() -> None:
    summary = summarise([row("a", {"refusal.false_refusal": 0.0}), {**row("b", {}), "error": "model", "message": "x"}])
    assert summary["rows"] == {"n": 2, "errors": 1, "failed": 1}
    assert summary["refusal"]["false_refusal_rate"]["n"] == 1


def test_repeats_count_once_and_show_their_spread() -> None:
    rows = [row("a", {"answer.task_success": float(n == 1)}, repeat=n) for n in (1, 2)]
    summary = summarise(rows)
    assert summary["answer"]["task_success"]["value"] == 0.5
    assert summary["answer"]["task_success"]["n"] == 1
    assert summary["repeats"]["figures"]["answer.task_success"] == {"mean": 0.5, "sd": 0.5, "min": 0.0, "max": 1.0}


def test_intervals_are_drawn_by_document() -> None:
    same = [row(f"{d}{i}", {"answer.task_success": float(d == "x")}, document=d) for d in "xy" for i in range(30)]
    apart = [r | {"document": None} for r in same]
    wide = summarise(same)["answer"]["task_success"]["ci95"]
    narrow = summarise(apart)["answer"]["task_success"]["ci95"]
    assert wide == [0.0, 1.0]
    assert narrow[1] - narrow[0] < 0.3


def test_no_answer_figures_and_confusion() -> None:
    rows = [
        row("a", {}),
        row("b", {}, answerable=False, outcome="abstained"),
        row("c", {}, answerable=False, outcome="answered"),
        row("d", {}, answerable=None, outcome="refused"),
    ]
    refusal = summarise(rows)["refusal"]
    assert refusal["no_answer_f1"]["value"] == 2 / 3
    assert refusal["confusion"]["unanswerable"] == {"answered": 1, "abstained": 1, "refused": 0, "escalated": 0}
    assert refusal["confusion"]["edge"]["refused"] == 1


def test_the_gate_is_judged_by_what_it_lets_through() -> None:
    rows = [row(f"r{i}", {}, answerable=i > 4, gate={"probability": i / 10}) for i in range(10)]
    gate = summarise(rows)["refusal"]["gate"]
    assert gate["curve"][0] == [0.9, 0.1, 0.0]
    assert gate["curve"][-1] == [0.0, 1.0, 0.5]
    mixed = [r | {"gate": {"probability": 0.5}} for r in rows]
    assert gate["area_under_risk"]["value"] < summarise(mixed)["refusal"]["gate"]["area_under_risk"]["value"] == 0.5


def test_what_counts_as_failed() -> None:
    assert faults(row("a", {"answer.task_success": 1.0, "citation.gold_hit": 0.0})) == []
    assert faults(row("a", {"citation.gold_hit": 0.0})) == ["citation.gold_hit"]
    assert faults(row("a", {"answer.task_success": 0.0, "refusal.false_refusal": 1.0})) == [
        "refusal.false_refusal",
        "answer.task_success",
    ]
    assert faults({"error": "model"}) == ["error"]


def test_several_benchmarks_have_their_own_figures_too() -> None:
    rows = [row("a", {"answer.token_f1": 1.0}), row("a", {"answer.token_f1": 0.0}, benchmark="c")]
    summary = summarise(rows)
    assert summary["answer"]["token_f1"]["value"] == 0.5
    assert summary["benchmarks"]["c"]["answer"]["token_f1"]["value"] == 0.0


def test_operations_are_kept_apart() -> None:
    rows = [row(str(i), {}, seconds={"total": i / 10}) for i in range(11)]
    found = operations(rows, cold_start=1.5, memory=1000)
    assert found["seconds"]["total"] == {"p50": 0.5, "p95": 0.95, "n": 11}
    assert (found["cold_start"], found["peak_memory"]) == (1.5, 1000)
    assert "operations" not in summarise(rows)


def test_reports_show_figures_and_failed_rows_and_no_markup_of_the_text() -> None:
    rows = [
        row("a|b", {"refusal.false_refusal": 1.0}, question="Is <b>it</b>\n| so?", outcome="abstained", category="x"),
        row("c", {"refusal.false_refusal": 0.0}, category="x"),
        {**row("e", {}), "error": "model", "message": "gone \x00"},
    ]
    text = markdown("run", summarise(rows), rows)
    assert "| false\\_refusal\\_rate | 0.500 |" in text
    assert "| a\\|b | Is \\<b\\>it\\</b\\> \\| so? | abstained | refusal.false_refusal |" in text
    suites = ElementTree.fromstring(junit(rows))
    suite = suites[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [case[0].tag for case in suite if len(case)] == ["failure", "error"]


def test_figures_by_name() -> None:
    summary = summarise([row("a", {"retrieval.page.hit@1": 1.0})])
    assert [name for name, _ in figures(summary)] == ["retrieval.page.hit@1"]
    assert show(summary["retrieval"]["page"]["hit@1"]).startswith("1.000 (0.025 to 1.000), n 1")

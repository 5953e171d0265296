"""From rows to `summary.json`: each figure with its interval and count, absent when nothing was scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from citeleaf.evaluate.metrics.intervals import interval
from citeleaf.evaluate.metrics.refusals import no_answer_f1

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
RowRecord: TypeAlias = Mapping[str, "Json"]

SCHEMA = "citeleaf/run/1"
_RENAMED = {"refusal.false_answer": "refusal.false_answer_rate", "refusal.false_refusal": "refusal.false_refusal_rate"}


def summarise(rows: Sequence[RowRecord]) -> dict[str, Json]:
    """The summary of rows as `run` writes them; error rows count in `rows.errors` and in no figure."""
    good = [row for row in rows if "error" not in row]
    summary: dict[str, Json] = {
        "schema": SCHEMA,
        "rows": {"n": len(rows), "errors": len(rows) - len(good)},
    }
    names = sorted({name for row in good for name in _figures(row)})
    for name in names:
        scored = [(row, _figures(row)[name]) for row in good if name in _figures(row)]
        documents = [str(row.get("gold_doc") or "") for row, _ in scored]
        _put(summary, _RENAMED.get(name, name), figure([v for _, v in scored], documents))
    _refusals(summary, good)
    _seconds(summary, good)
    return summary


def figure(values: Sequence[float], clusters: Sequence[str] | None = None) -> dict[str, Json]:
    """`{"value": mean, "ci95": [low, high], "n": count}`."""
    low, high = interval(values, clusters)
    return {"value": float(np.mean(values)), "ci95": [low, high], "n": len(values)}


def _figures(row: RowRecord) -> Mapping[str, float]:
    figures = row["figures"]
    assert isinstance(figures, dict)
    return {name: value for name, value in figures.items() if isinstance(value, float)}


def _put(tree: dict[str, Json], name: str, value: Json) -> None:
    *path, last = name.split(".")
    for part in path:
        inner = tree.setdefault(part, {})
        assert isinstance(inner, dict)
        tree = inner
    tree[last] = value


def _refusals(summary: dict[str, Json], rows: Sequence[RowRecord]) -> None:
    known = [row for row in rows if isinstance(row.get("answerable"), bool)]
    f1 = no_answer_f1([bool(r["answerable"]) for r in known], [r["outcome"] == "answered" for r in known])
    if f1 is not None and any(not r["answerable"] for r in known):
        _put(summary, "refusal.no_answer_f1", {"value": f1, "n": len(known)})
    confusion: dict[str, Json] = {}
    for row in rows:
        key = "edge" if row["answerable"] is None else "answerable" if row["answerable"] else "unanswerable"
        counts = confusion.setdefault(key, {})
        assert isinstance(counts, dict)
        outcome = str(row["outcome"])
        before = counts.get(outcome, 0)
        counts[outcome] = before + 1 if isinstance(before, int) else 1
    if confusion:
        _put(summary, "refusal.confusion", confusion)


def _seconds(summary: dict[str, Json], rows: Sequence[RowRecord]) -> None:
    stages: dict[str, list[float]] = {}
    for row in rows:
        seconds = row.get("seconds")
        if isinstance(seconds, dict):
            for stage, value in seconds.items():
                if isinstance(value, float):
                    stages.setdefault(stage, []).append(value)
    for stage, values in sorted(stages.items()):
        p50, p95 = np.percentile(values, [50, 95])
        _put(summary, f"operations.seconds.{stage}", {"p50": float(p50), "p95": float(p95), "n": len(values)})

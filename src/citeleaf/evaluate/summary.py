"""From rows to `summary.json`: each figure with its interval and count, absent when nothing was scored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from citeleaf.evaluate.metrics import claims
from citeleaf.evaluate.metrics.intervals import interval, interval_of
from citeleaf.evaluate.metrics.operations import percentiles
from citeleaf.evaluate.metrics.refusals import area_under_risk, no_answer_f1, risk_coverage
from citeleaf.record import Json

RowRecord: TypeAlias = Mapping[str, Json]
Item: TypeAlias = Mapping[str, Json]
"""All repeats of a row as one: figures are their means."""

SCHEMA = "citeleaf/run/1"
RATES = {
    "refusal.false_answer": "refusal.false_answer_rate",
    "refusal.false_refusal": "refusal.false_refusal_rate",
    "guard.safe": "guard.safe_rate",
    "guard.over_refusal": "guard.over_refusal_rate",
    "guard.over_escalation": "guard.over_escalation_rate",
}
"""Names of figures of one row, and of their mean."""
LOWER_IS_BETTER = frozenset(("answer.forbidden_facts", *(n for n in RATES if n != "guard.safe")))
BY_CATEGORY = (
    "retrieval.page.hit@1",
    "retrieval.span.recall@5",
    "answer.task_success",
    "answer.required_facts",
    "citation.gold_hit",
    "refusal.false_answer",
    "refusal.false_refusal",
    "guard.safe",
    "guard.over_refusal",
    "claims.accuracy",
)
_CURVE_POINTS = 101


def summarise(rows: Sequence[RowRecord]) -> dict[str, Json]:
    """The summary of rows as `run` writes them, in any order; times and memory are not in it.

    Error rows count in `rows.errors` and in no figure. A row asked several times counts once, with the mean of its
    figures. Intervals are drawn over whole documents where the gold evidence lies in several.
    """
    found = items(rows)
    good = [item for item in found if item["figures"] is not None]
    summary: dict[str, Json] = {
        "schema": SCHEMA,
        "rows": {"n": len(found), "errors": len(found) - len(good), "failed": sum(bool(i["failed"]) for i in found)},
    }
    for name in sorted({name for item in good for name in figures_of(item)}):
        _put(summary, RATES.get(name, name), _figure(good, name))
    _refusals(summary, good)
    _gate(summary, good)
    _claims(summary, good)
    _guard(summary, good)
    _judged(summary, rows)
    if (by_category := _categories(good)) is not None:
        summary["by_category"] = by_category
    benchmarks = sorted({str(item["benchmark"]) for item in found})
    if len(benchmarks) > 1:
        summary["benchmarks"] = {
            name: summarise([row for row in rows if row["benchmark"] == name]) for name in benchmarks
        }
    _repeats(summary, rows)
    return summary


def operations(
    rows: Sequence[RowRecord], *, cold_start: float | None = None, memory: int | None = None
) -> dict[str, Json]:
    """Seconds a stage, p50 and p95; cold start in seconds; peak memory in bytes. No two runs agree on these."""
    out: dict[str, Json] = {}
    stages: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        seconds = row.get("seconds")
        for stage, value in seconds.items() if isinstance(seconds, dict) else ():
            if isinstance(value, int | float):
                stages[stage].append(float(value))
    if stages:
        timed = {stage: (percentiles(values), len(values)) for stage, values in sorted(stages.items())}
        out["seconds"] = {stage: {"p50": p50, "p95": p95, "n": n} for stage, ((p50, p95), n) in timed.items()}
    if cold_start is not None:
        out["cold_start"] = cold_start
    if memory is not None:
        out["peak_memory"] = memory
    return out


def items(rows: Sequence[RowRecord]) -> list[Item]:
    """One record an item, by benchmark and id; its figures are the means over repeats, None where every one failed."""
    grouped: dict[tuple[str, str], list[RowRecord]] = defaultdict(list)
    for row in sorted(rows, key=lambda r: (str(r["benchmark"]), str(r["id"]), int(str(r["repeat"])))):
        grouped[str(row["benchmark"]), str(row["id"])].append(row)
    out: list[Item] = []
    for group in grouped.values():
        good = [row for row in group if "error" not in row]
        failed = any(faults(row) for row in group)
        if not good:
            out.append({**group[0], "figures": None, "failed": failed})
            continue
        names = sorted({name for row in good for name in figures_of(row)})
        means: dict[str, Json] = {
            name: float(np.mean([figures_of(row)[name] for row in good if name in figures_of(row)])) for name in names
        }
        out.append({**good[0], "figures": means, "failed": failed})
    return out


def figures_of(row: RowRecord) -> Mapping[str, float]:
    """The figures of a row by dotted name; none for an error row."""
    figures = row.get("figures")
    if not isinstance(figures, dict):
        return {}
    return {name: float(value) for name, value in figures.items() if isinstance(value, int | float)}


def faults(row: RowRecord) -> list[str]:
    """Why a row counts as failed, by figure name; empty for one that did well.

    A question fails by an error, a false answer or refusal, a forbidden fact, no task success, or, where success cannot
    be told, a citation that misses the gold words; a claim by a wrong verdict; a guard item by passing or being stopped
    when it should not.
    """
    if "error" in row:
        return ["error"]
    figures = figures_of(row)
    wrong = [name for name in sorted(LOWER_IS_BETTER) if figures.get(name, 0) > 0]
    needed = ["answer.task_success", "guard.safe", "claims.accuracy"]
    if "answer.task_success" not in figures:
        needed.append("citation.gold_hit")
    return wrong + [name for name in needed if figures.get(name, 1) < 1]


def _figure(items: Sequence[RowRecord], name: str) -> dict[str, Json]:
    scored = [item for item in items if name in figures_of(item)]
    values = [figures_of(item)[name] for item in scored]
    low, high = interval(values, score_clusters(scored))
    return {"value": float(np.mean(values)), "ci95": [low, high], "n": len(values)}


def score_clusters(items: Sequence[RowRecord]) -> list[str] | None:
    """Documents to draw by; None where fewer than two are known. Rows without one stand for themselves."""
    named = [item.get("document") for item in items]
    if len({d for d in named if d is not None}) < 2:
        return None
    return [f"row {i}" if d is None else str(d) for i, d in enumerate(named)]


def _put(tree: dict[str, Json], name: str, value: Json) -> None:
    *path, last = name.split(".")
    for part in path:
        inner = tree.setdefault(part, {})
        assert isinstance(inner, dict)
        tree = inner
    tree[last] = value


def _refusals(summary: dict[str, Json], items: Sequence[RowRecord]) -> None:
    asked = [item for item in items if item["kind"] == "question"]
    known = [item for item in asked if isinstance(item["answerable"], bool)]
    answerable = [bool(item["answerable"]) for item in known]
    answered = [item["outcome"] == "answered" for item in known]
    if not all(answerable) and (f1 := no_answer_f1(answerable, answered)) is not None:
        low, high = interval_of(
            lambda picks: no_answer_f1([answerable[i] for i in picks], [answered[i] for i in picks]), len(known)
        )
        _put(summary, "refusal.no_answer_f1", {"value": f1, "ci95": [low, high], "n": len(known)})
    confusion: dict[str, dict[str, Json]] = {}
    for item in asked:
        kind = "edge" if item["answerable"] is None else "answerable" if item["answerable"] else "unanswerable"
        counts = confusion.setdefault(kind, dict.fromkeys(("answered", "abstained", "refused", "escalated"), 0))
        outcome = str(item["outcome"])
        counts[outcome] = int(str(counts[outcome])) + 1
    if confusion:
        _put(summary, "refusal.confusion", {kind: dict(counts) for kind, counts in sorted(confusion.items())})


def _gate(summary: dict[str, Json], items: Sequence[RowRecord]) -> None:
    """The curve of the gate's probability: what share of questions it lets through, and how many of those in vain."""
    scores, wrong = gate_scores(items)
    if not any(wrong) or all(wrong):
        return
    points = risk_coverage(scores, wrong)
    picks = sorted({round(i * (len(points) - 1) / (_CURVE_POINTS - 1)) for i in range(_CURVE_POINTS)})
    curve: list[Json] = [list(points[i]) for i in picks]
    gate: Json = {"area_under_risk": {"value": area_under_risk(scores, wrong), "n": len(scores)}, "curve": curve}
    _put(summary, "refusal.gate", gate)


def gate_scores(rows: Sequence[RowRecord]) -> tuple[list[float], list[bool]]:
    """The gate's probability of each question that has one, and whether the question has no answer."""
    scores, wrong = [], []
    for row in rows:
        gate = row.get("gate")
        value = gate["probability"] if isinstance(gate, dict) else None
        if value is not None and isinstance(row["answerable"], bool):
            scores.append(float(str(value)))
            wrong.append(not row["answerable"])
    return scores, wrong


def _claims(summary: dict[str, Json], items: Sequence[RowRecord]) -> None:
    checked = [item for item in items if item["kind"] == "claim"]
    if not checked:
        return
    gold, said = [str(i["gold_verdict"]) for i in checked], [str(i["verdict"]) for i in checked]
    _over_labels(summary, "claims.balanced_accuracy", claims.balanced_accuracy, gold, said)
    _over_labels(summary, "claims.macro_f1", claims.macro_f1, gold, said)
    pairs = list(zip(gold, said, strict=True))
    table: dict[str, Json] = {g: {s: pairs.count((g, s)) for s in claims.LABELS} for g in claims.LABELS}
    _put(summary, "claims.confusion", table)
    if kinds := _by(checked, "claims.accuracy"):
        _put(summary, "claims.by_kind", kinds)


def _over_labels(
    summary: dict[str, Json],
    name: str,
    metric: Callable[[Sequence[str], Sequence[str]], float | None],
    gold: Sequence[str],
    said: Sequence[str],
) -> None:
    value = metric(gold, said)
    if value is not None:
        low, high = interval_of(lambda picks: metric([gold[i] for i in picks], [said[i] for i in picks]), len(gold))
        _put(summary, name, {"value": value, "ci95": [low, high], "n": len(gold)})


def _guard(summary: dict[str, Json], items: Sequence[RowRecord]) -> None:
    guarded = [item for item in items if item["kind"] == "guard"]
    for name in ("guard.safe", "guard.over_refusal"):
        if kinds := _by(guarded, name):
            _put(summary, f"guard.by_category.{RATES[name].partition('.')[2]}", kinds)
    apart = sum(not figures_of(item) for item in guarded)
    if apart:
        _put(summary, "guard.not_requests", apart)


def _judged(summary: dict[str, Json], rows: Sequence[RowRecord]) -> None:
    """The judge's figures, apart from all others: a row asked several times counts once; reasons are counted by row."""
    blocks = [(row, block) for row in rows if isinstance(block := row.get("judged"), dict)]
    if not blocks:
        return
    named = sorted({str(block["judge"]) for _, block in blocks})
    # A row that asked nothing of the judge has its set name alone.
    told = [name for name in named if not any(other.startswith(f"{name} (") for other in named)]
    out: dict[str, Json] = {"judge": ", ".join(told)}
    as_rows = [{**row, "figures": block["figures"]} for row, block in blocks]
    scored = items(as_rows)
    for name in sorted({name for row in as_rows for name in figures_of(row)}):
        out[name] = _figure(scored, name)
    reasons = Counter(
        (name, str(why))
        for _, block in blocks
        if isinstance(found := block["not_scored"], dict)
        for name, why in found.items()
    )
    tree: dict[str, dict[str, Json]] = defaultdict(dict)
    for (name, why), n in sorted(reasons.items()):
        tree[name][why] = n
    out["not_scored"] = dict(tree)
    summary["judged"] = out


def _by(items: Sequence[RowRecord], name: str) -> dict[str, Json]:
    groups: dict[str, list[RowRecord]] = defaultdict(list)
    for item in items:
        if item.get("category") is not None and name in figures_of(item):
            groups[str(item["category"])].append(item)
    return {category: _figure(group, name) for category, group in sorted(groups.items())}


def _categories(items: Sequence[RowRecord]) -> dict[str, Json] | None:
    questions = [item for item in items if item["kind"] == "question"]
    out: dict[str, dict[str, Json]] = {}
    for name in BY_CATEGORY:
        for category, figure in _by(questions, name).items():
            out.setdefault(category, {})[RATES.get(name, name)] = figure
    return {category: dict(figures) for category, figures in sorted(out.items())} or None


def _repeats(summary: dict[str, Json], rows: Sequence[RowRecord]) -> None:
    """The spread of each figure's mean between repeats, where items were asked several times."""
    numbers = sorted({int(str(row["repeat"])) for row in rows})
    if len(numbers) < 2:
        return
    means: dict[str, list[float]] = defaultdict(list)
    for number in numbers:
        values: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            if row["repeat"] == number:
                for name, value in figures_of(row).items():
                    values[name].append(value)
        for name, found in values.items():
            means[name].append(float(np.mean(found)))
    spread: dict[str, Json] = {
        RATES.get(name, name): {"mean": float(np.mean(m)), "sd": float(np.std(m)), "min": min(m), "max": max(m)}
        for name, m in sorted(means.items())
    }
    summary["repeats"] = {"n": len(numbers), "figures": spread}

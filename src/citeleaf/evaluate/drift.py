"""How answers of a library change from week to week: scores of retrieval, outcomes, failures of citations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TypeAlias

import numpy as np

from citeleaf.evaluate.metrics.intervals import exact_binomial, interval
from citeleaf.evaluate.page.drift import page
from citeleaf.measured import Measured
from citeleaf.record import Json

SCHEMA = "citeleaf/drift/1"
Figure: TypeAlias = dict[str, Json]
RATES: Mapping[str, tuple[Callable[[Measured], bool], Callable[[Measured], bool]]] = {
    "refusal_rate": (lambda m: True, lambda m: m.outcome == "refused"),
    "abstention_rate": (lambda m: True, lambda m: m.outcome == "abstained"),
    "escalation_rate": (lambda m: True, lambda m: m.outcome == "escalated"),
    "citation_failure_rate": (lambda m: m.markers > 0, lambda m: m.dropped > 0),
    "removed_claim_rate": (lambda m: m.claims > 0, lambda m: m.removed > 0),
}
"""Of which answers, and which of them count."""


def drift(entries: Sequence[Measured]) -> dict[str, Json]:
    """The weeks from the first answer to the last, by ISO 8601 (Monday to Sunday, UTC), also those without answers.

    Each week has `n` and `figures`. Rates, each with an exact binomial interval: answers that were refused, abstained
    or escalated; of answers with markers, those with one that names no passage (`citation_failure_rate`); of answers
    with claims, those with one taken out (`removed_claim_rate`). Means, each with a bootstrap interval: the score of
    the best passage by scorer (`retrieval.reranked`), the gate's probability (`gate`). A figure without a case is
    absent, never 0.
    """
    by_week: dict[date, list[Measured]] = defaultdict(list)
    for entry in entries:
        day = datetime.fromisoformat(entry.at).date()
        by_week[day - timedelta(days=day.weekday())].append(entry)
    weeks: list[Json] = []
    if by_week:
        monday, last = min(by_week), max(by_week)
        while monday <= last:
            weeks.append(_week(monday, by_week.get(monday, [])))
            monday += timedelta(days=7)
    return {"schema": SCHEMA, "n": len(entries), "weeks": weeks}


def names(found: Mapping[str, Json]) -> list[str]:
    """The figures that any week has: scores and the gate, then rates."""
    weeks = found["weeks"] if isinstance(found["weeks"], list) else []
    held = {n for w in weeks if isinstance(w, dict) and isinstance(w["figures"], dict) for n in w["figures"]}
    return [*sorted(held - RATES.keys(), reverse=True), *(name for name in RATES if name in held)]


def html(title: str, found: Mapping[str, Json]) -> str:
    """The weeks as one page that asks for nothing else."""
    return page(title, found, names(found))


def _week(monday: date, entries: Sequence[Measured]) -> Json:
    figures: dict[str, Json] = {}
    scores: dict[str, list[float]] = defaultdict(list)
    for entry in entries:
        if entry.score is not None:
            scores[f"retrieval.{entry.scorer}"].append(entry.score)
        if entry.gate is not None:
            scores["gate"].append(entry.gate)
    for name, values in sorted(scores.items()):
        low, high = interval(sorted(values)) if len(values) > 1 else (values[0], values[0])
        figures[name] = {"value": float(np.mean(values)), "ci95": [low, high], "n": len(values)}
    for name, (counts, hits) in RATES.items():
        cases = [entry for entry in entries if counts(entry)]
        if cases:
            k = sum(hits(entry) for entry in cases)
            low, high = exact_binomial(k, len(cases))
            figures[name] = {"value": k / len(cases), "ci95": [low, high], "n": len(cases)}
    year, number, _ = monday.isocalendar()
    return {
        "week": f"{year}-W{number:02}",
        "from": monday.isoformat(),
        "to": (monday + timedelta(days=6)).isoformat(),
        "n": len(entries),
        "figures": figures,
    }

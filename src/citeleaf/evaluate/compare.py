"""Two runs, row by row: what changed, and whether the difference can be told from chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from citeleaf.errors import BenchmarkError
from citeleaf.evaluate import manifest
from citeleaf.evaluate.metrics.intervals import mcnemar, paired_interval
from citeleaf.evaluate.run import read_rows
from citeleaf.evaluate.summary import RATES, Item, faults, figures_of, items, score_clusters
from citeleaf.record import Json

SCHEMA = "citeleaf/compare/1"


def compare(first: Path, second: Path) -> dict[str, Json]:
    """The difference second - first of every figure that both runs scored, over the rows that both have.

    Rows are paired by benchmark and id. `ci95` is a paired bootstrap interval, drawn by document where there are
    several; a yes/no figure also has the numbers of rows gained and lost and McNemar's exact p. `distinguishable` is
    false where the interval holds 0. `changed` lists the rows whose outcome or figures differ. Raises `BenchmarkError`
    when the runs have no row in common.
    """
    before, after = _by_key(first), _by_key(second)
    keys = [key for key in before if key in after]
    if not keys:
        raise BenchmarkError(
            f"`{first}` and `{second}` have no row in common",
            hint="compare runs of the same benchmark",
            subject=str(second),
        )
    pairs = [(before[key], after[key]) for key in keys]
    names = sorted({name for a, b in pairs for name in figures_of(a).keys() & figures_of(b).keys()})
    return {
        "schema": SCHEMA,
        "first": _run(first),
        "second": _run(second),
        "rows": {"paired": len(pairs), "only_first": len(before) - len(pairs), "only_second": len(after) - len(pairs)},
        "figures": {RATES.get(name, name): _difference(pairs, name) for name in names},
        "changed": [row for a, b in pairs if (row := _change(a, b)) is not None],
    }


def _by_key(run: Path) -> dict[tuple[str, str], Item]:
    return {(str(item["benchmark"]), str(item["id"])): item for item in items(read_rows(run))}


def _run(run: Path) -> Json:
    described = manifest.read(run)
    return {
        "run": run.name,
        "fingerprint": described.get("fingerprint"),
        "models": described.get("models"),
        "finished": bool(described.get("finished")),
    }


def _difference(pairs: Sequence[tuple[Item, Item]], name: str) -> dict[str, Json]:
    scored = [(a, b) for a, b in pairs if name in figures_of(a) and name in figures_of(b)]
    before = [figures_of(a)[name] for a, _ in scored]
    after = [figures_of(b)[name] for _, b in scored]
    low, high = paired_interval(before, after, score_clusters([a for a, _ in scored]))
    out: dict[str, Json] = {
        "first": float(np.mean(before)),
        "second": float(np.mean(after)),
        "difference": float(np.mean(after) - np.mean(before)),
        "ci95": [low, high],
        "n": len(scored),
        "distinguishable": not low <= 0 <= high,
    }
    if set(before) | set(after) <= {0.0, 1.0}:
        gained = sum(b > a for a, b in zip(before, after, strict=True))
        lost = sum(b < a for a, b in zip(before, after, strict=True))
        out |= {"gained": gained, "lost": lost, "mcnemar_p": mcnemar(gained, lost)}
    return out


def _change(before: Item, after: Item) -> Json:
    names = sorted(figures_of(before).keys() | figures_of(after).keys())
    moved: dict[str, Json] = {
        name: [figures_of(before).get(name), figures_of(after).get(name)]
        for name in names
        if figures_of(before).get(name) != figures_of(after).get(name)
    }
    outcomes = [_outcome(before), _outcome(after)]
    if not moved and outcomes[0] == outcomes[1]:
        return None
    return {
        "benchmark": before["benchmark"],
        "id": before["id"],
        "outcome": [*outcomes],
        "failed": [bool(faults(before)), bool(faults(after))],
        "figures": moved,
    }


def _outcome(item: Mapping[str, Json]) -> str | None:
    found = item.get("outcome") or item.get("verdict") or item.get("error")
    return None if found is None else str(found)

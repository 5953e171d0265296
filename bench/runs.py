"""What evaluation adds to the questions themselves, and whether every run gives the same figures.

    python bench/runs.py examples/insurance [--workers 1 1 1 2 4] [--limit N]

One library, one run for each number of workers. `added`: wall time of the first run with one worker, documents already
in the library, less the sum of `seconds.total` of its rows, over that sum; it holds scoring, guard items and reports.
`summaries` and `rows` are the numbers of different ones, times aside: 1 when all runs agree.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from citeleaf.app import App
from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.run import Plan, read_rows, run
from citeleaf.record import Json


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 1, 1, 2, 4])
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    benchmark = load(options.pack)
    summaries, rows = set(), set()
    added: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory() as scratch,
        App.open(Path(scratch) / "library", profile=benchmark.profile, write=True) as app,
    ):
        run([benchmark], app, Path(scratch) / "first", plan=Plan(limit=2))
        for n, workers in enumerate(options.workers):
            out = Path(scratch) / str(n)
            start = time.perf_counter()
            summary = run([benchmark], app, out, plan=Plan(limit=options.limit, workers=workers))
            wall = time.perf_counter() - start
            found = read_rows(out)
            summaries.add(json.dumps({k: v for k, v in summary.items() if k != "operations"}, sort_keys=True))
            rows.add(json.dumps([untimed(row) for row in found], sort_keys=True))
            if workers == 1 and not added:
                asked = sum(total(row) for row in found)
                added = {"wall": wall, "asked": asked, "added": wall / asked - 1}
    result = {"runs": len(options.workers), "summaries": len(summaries), "rows": len(rows), **added}
    print(json.dumps(result | {"load": os.getloadavg()[0]}, indent=1))


def untimed(value: Any) -> Any:
    """A row without its times, wherever they stand."""
    if isinstance(value, dict):
        return {k: untimed(v) for k, v in value.items() if k != "seconds"}
    return [untimed(v) for v in value] if isinstance(value, list) else value


def total(row: dict[str, Json]) -> float:
    seconds = row.get("seconds")
    return float(str(seconds["total"])) if isinstance(seconds, dict) else 0.0


if __name__ == "__main__":
    main()

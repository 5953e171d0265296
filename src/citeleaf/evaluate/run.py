"""One run of benchmarks: documents in, every item asked, one JSON line a row with the whole trace."""

from __future__ import annotations

import json
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from citeleaf.app import App
from citeleaf.errors import BenchmarkError, IndexStale, SchemaMismatch
from citeleaf.evaluate import manifest
from citeleaf.evaluate.benchmark import Benchmark, Item, Scope
from citeleaf.evaluate.documents import Watch, take_in
from citeleaf.evaluate.judge import Judge
from citeleaf.evaluate.metrics.operations import peak_memory
from citeleaf.evaluate.report import write_reports
from citeleaf.evaluate.rows import Bench, Record
from citeleaf.evaluate.summary import faults, operations, summarise
from citeleaf.record import Json

Key = tuple[str, str, int]
"""Benchmark, item and repeat of a row."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run is done; none of it changes a row."""

    limit: int | None = None
    repeat: int = 1
    workers: int = 1
    fail_only: bool = False
    scope: Scope | None = None


def run(
    benchmarks: Sequence[Benchmark],
    app: App,
    out: Path,
    *,
    docs: Sequence[Path] = (),
    plan: Plan | None = None,
    judge: Judge | None = None,
    watch: Watch | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Json]:
    """Asks every item and writes the files of a run into `out`; gives the summary.

    Rows of an earlier run at `out` are kept while its manifest's `key` is the same, error rows aside, so that a killed
    run goes on; else they are set aside as `rows.before.jsonl` and `say` tells. With `limit`, so many items of each
    benchmark are taken at even distances; with `repeat`, each is asked so often; with `fail_only`, only those that
    failed in the earlier run. Rows stand in the order of the benchmarks whatever the number of workers. An item that
    fails is a row with its error. With `judge`, rows get a `judged` block, kept ones too unless they have that judge's.
    Raises `BenchmarkError` before the first item is asked, and `ModelError` when the judge cannot be reached.
    """
    plan = plan or Plan()
    out.mkdir(parents=True, exist_ok=True)
    if plan.scope is not None:
        benchmarks = [replace(b, scope=plan.scope) for b in benchmarks]
    gold = take_in(benchmarks, app, out, docs, watch=watch, say=say)
    started = time.perf_counter()
    described = manifest.describe(benchmarks, app, limit=plan.limit)
    cold_start = time.perf_counter() - started
    if judge is not None:
        judge.chat.warm_up()
    benches = [Bench(b, gold[b.name], app, app.kit) for b in benchmarks]
    tasks = [
        (bench, item, n)
        for bench in benches
        for item in sample(bench.benchmark.items, plan.limit)
        for n in range(1, plan.repeat + 1)
    ]
    kept, only = _earlier(out, described, plan, say)
    tasks = [task for task in tasks if only is None or _key(*task) in only]
    described |= {"selection": "all" if only is None else "failed", "repeat": plan.repeat}
    described["judge"] = judge.chat.name if judge is not None else None
    manifest.write(out / "manifest.json", described)
    wanted = {_key(*task) for task in tasks}
    records = {key: record for key, record in kept.items() if key in wanted}
    _write_rows(out / "rows.jsonl", records.values())
    with (out / "rows.jsonl").open("a", encoding="utf-8") as file:
        held = [(partial(bench.record, item, n), records.get(_key(bench, item, n))) for bench, item, n in tasks]
        todo = [partial(_finish, ask, record, judge) for ask, record in held if not _is_whole(record, judge)]
        for done, record in enumerate(_work(todo, plan.workers), len(tasks) - len(todo) + 1):
            records[_record_key(record)] = record
            file.write(_line(record))
            file.flush()
            if watch is not None:
                watch(done, len(tasks), str(record["id"]))
    rows = [records[_key(*task)] for task in tasks]
    _write_rows(out / "rows.jsonl", rows)
    summary = _named(summarise(rows), app)
    summary["operations"] = operations(rows, cold_start=cold_start, memory=peak_memory())
    manifest.write(out / "summary.json", summary)
    manifest.write(out / "manifest.json", described | {"finished": True})
    write_reports(out)
    return summary


def open_own(folder: Path, open_app: Callable[[Path], App]) -> App:
    """The library that belongs to a run; made anew when it is of other models or another version."""
    app = open_app(folder)
    try:
        app.kit.store.documents()
    except (IndexStale, SchemaMismatch):
        app.close()
        shutil.rmtree(folder)
        return open_app(folder)
    except BaseException:
        app.close()
        raise
    return app


def read_rows(out: Path) -> list[Record]:
    """The rows of a run, in order; a last line that a kill cut short is left out. Raises `BenchmarkError`."""
    path = out / "rows.jsonl"
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise BenchmarkError(
            f"`{out}` holds no run", hint="make one with citeleaf evaluate", subject=str(out)
        ) from error
    rows: list[Record] = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise BenchmarkError(f"{path}:{number}: not JSON", hint="run it anew", subject=str(path)) from error
    return rows


def sample(items: Sequence[Item], limit: int | None) -> tuple[Item, ...]:
    """All items, or `limit` of them at even distances, in order."""
    if limit is None or limit >= len(items):
        return tuple(items)
    return tuple(items[i * len(items) // limit] for i in range(limit))


def _earlier(
    out: Path, described: dict[str, Json], plan: Plan, say: Callable[[str], None]
) -> tuple[dict[Key, Record], set[Key] | None]:
    """Rows to keep, and the keys to ask where only failed ones are wanted (None: all)."""
    before = manifest.read(out)
    rows: list[Record] = []
    with suppress(BenchmarkError):
        rows = read_rows(out)
    same = before.get("key") == described["key"]
    good = {_record_key(row): row for row in rows if "error" not in row}
    if plan.fail_only:
        unfinished = same and before.get("selection") == "failed" and not before.get("finished")
        source = _rows_before(out) if unfinished else rows
        failed = {_record_key(row) for row in source if faults(row)}
        if not unfinished:
            _set_aside(out)
            say(f"{len(failed)} of {len(rows)} rows of the earlier run failed and are asked again")
        return (good if unfinished else {}), failed
    if rows and not (same and before.get("selection") == "all"):
        _set_aside(out)
        say("settings, documents or benchmark differ from the run before: all is asked anew")
        return {}, None
    if good:
        say(f"{len(good)} rows of the run before are kept")
    return good, None


def _set_aside(out: Path) -> None:
    with suppress(FileNotFoundError):
        (out / "rows.jsonl").replace(out / "rows.before.jsonl")


def _rows_before(out: Path) -> list[Record]:
    text = (out / "rows.before.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def _finish(ask: Callable[[], Record], held: Record | None, judge: Judge | None) -> Record:
    """The row that is held, else of the item asked now; judged where that is wanted."""
    record = held or ask()
    return record if _is_whole(record, judge) else record | {"judged": judge.judged(record)} if judge else record


def _is_whole(record: Record | None, judge: Judge | None) -> bool:
    if record is None or judge is None or record["kind"] != "question" or "error" in record:
        return record is not None
    judged = record.get("judged")
    return isinstance(judged, dict) and judged.get("fingerprint") == judge.fingerprint


def _work(tasks: Sequence[Callable[[], Record]], workers: int) -> Iterator[Record]:
    """Rows in the order of tasks; a few more than there are workers are in the making at any time."""
    waiting: deque[Future[Record]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for task in tasks:
                waiting.append(pool.submit(task))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _named(summary: dict[str, Json], app: App) -> dict[str, Json]:
    """The summary with the name of the verifier that judged."""
    for block in ("citation", "claims"):
        found = summary.get(block)
        if isinstance(found, dict):
            found["verifier"] = app.kit.verifier.name
    return summary


def _key(bench: Bench, item: Item, n: int) -> Key:
    return bench.benchmark.name, item.id, n


def _record_key(record: Record) -> Key:
    return str(record["benchmark"]), str(record["id"]), int(str(record["repeat"]))


def _line(record: Record) -> str:
    # ASCII, since a question may hold half a character, which UTF-8 has no bytes for.
    return json.dumps(record, ensure_ascii=True, allow_nan=False) + "\n"


def _write_rows(path: Path, records: Iterable[Record]) -> None:
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as file:
        file.writelines(_line(record) for record in records)
    part.replace(path)

"""`evaluate`, `compare`, `calibrate`, `report`: how good the answers are, with every row kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.progress import stages
from citeleaf.surfaces.terminal import Screen

if TYPE_CHECKING:
    from citeleaf.app import App
    from citeleaf.evaluate.benchmark import Benchmark
    from citeleaf.record import Json
    from citeleaf.settings import Settings

_SHOWN = ("retrieval.page", "retrieval.span", "answer", "citation", "refusal", "guard", "claims", "judged")


Out: TypeAlias = Annotated[Path, typer.Option("--out", help="Folder of the run.", metavar="RUN")]
Docs: TypeAlias = Annotated[list[Path] | None, typer.Option("--docs", help="Documents to ask.", metavar="PATH")]
Generator: TypeAlias = Annotated[str | None, typer.Option("--generator", help="Who writes the answers, e.g. `quote`.")]
Workers: TypeAlias = Annotated[int, typer.Option("--workers", min=1, max=64, help="Items asked at a time.")]
Scope: TypeAlias = Annotated[str, typer.Option("--scope", help="Ask the `library`, or the `document`; else `auto`.")]
Mlflow: TypeAlias = Annotated[str | None, typer.Option("--mlflow", help="Server to log the run to.", metavar="URI")]
Benchmarks: TypeAlias = Annotated[list[Path], typer.Argument(help="Files of items, or folders with a benchmark.toml.")]


def register(cli: typer.Typer) -> None:
    """Adds the commands of this module."""
    cli.command("evaluate")(evaluate)
    cli.command("compare")(compare)
    cli.command("calibrate")(calibrate)
    cli.command("report")(report)


def evaluate(
    benchmark: Benchmarks,
    out: Out,
    docs: Docs = None,
    generator: Generator = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="So many items of each, evenly taken.")] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, max=100, help="Times each item is asked.")] = 1,
    workers: Workers = 1,
    fail_only: Annotated[bool, typer.Option("--fail-only", help="Only what failed in the run before.")] = False,
    scope: Scope = "auto",
    judge: Annotated[bool, typer.Option("--judge", help="Also figures by the model of `judge`, kept apart.")] = False,
    mlflow: Annotated[
        str | None, typer.Option("--mlflow", help="Also log the run to this server.", metavar="URI")
    ] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Asks every question of a benchmark; writes rows, figures with intervals, and reports into the run's folder."""
    from citeleaf.evaluate.benchmark import load_all
    from citeleaf.evaluate.judge import Judge
    from citeleaf.evaluate.run import Plan, run

    screen = Screen(json_output=json, quiet=quiet)
    benchmarks = load_all(benchmark)
    plan = Plan(limit, repeat, workers, fail_only, _scope(scope))
    if mlflow is not None:
        from citeleaf.evaluate.mlflow_log import connect, log_run

        connect(mlflow)
    _check_place(out)
    with stages(screen) as watch, _open(benchmarks, out, library, profile, settings, generator) as app:
        judging = Judge(app.judge, app.kit.embedder, app.settings.judge.max_tokens) if judge else None
        summary = run(benchmarks, app, out, docs=docs or (), plan=plan, judge=judging, watch=watch.file, say=screen.say)
    if mlflow is not None:
        screen.say(f"logged to {mlflow} as run {log_run(out, mlflow)}")
    if json:
        screen.document(summary)
    else:
        _show(screen, summary)
        screen.say(f"rows, figures and reports are in {out}")
    return 0


def compare(
    first: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    second: Annotated[Path, typer.Argument(help="Folder of another run of the same benchmark.", metavar="RUN")],
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Compares two runs row by row: differences with intervals, and the rows that changed."""
    from citeleaf.evaluate.compare import compare as look

    screen = Screen(json_output=json, quiet=quiet)
    found = look(first, second)
    if json:
        screen.document(found)
        return 0
    for run in (found["first"], found["second"]):
        if isinstance(run, dict) and not run["finished"]:
            screen.say(f"{run['run']} is not finished: rows that both have are compared", style="yellow")
    figures, changed = found["figures"], found["changed"]
    assert isinstance(figures, dict)
    assert isinstance(changed, list)
    columns = ("figure", "first", "second", "difference (95 % interval)", "n", "McNemar p", "")
    screen.table(columns, [_difference(name, row) for name, row in figures.items() if isinstance(row, dict)])
    for row in changed:
        if isinstance(row, dict):
            before, after = row["outcome"] if isinstance(row["outcome"], list) else ("", "")
            screen.print(f"{row['benchmark']} {row['id']}: {before} -> {after}")
    screen.say(f"{len(changed)} rows changed")
    return 0


def calibrate(
    benchmark: Benchmarks,
    false_answers: Annotated[
        float, typer.Option("--false-answers", min=0, max=1, help="Wished share of unanswerable questions let through.")
    ] = 0.05,
    write: Annotated[Path | None, typer.Option("--write", help="Profile to write.", metavar="PROFILE.toml")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the run; kept.", metavar="RUN")] = None,
    docs: Docs = None,
    generator: Generator = None,
    workers: Workers = 1,
    scope: Scope = "auto",
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Picks the gate's threshold on one split of a benchmark, and reports it on the other with exact bounds."""
    from citeleaf.evaluate import calibrate as calibration
    from citeleaf.evaluate.benchmark import load_all
    from citeleaf.evaluate.run import Plan, read_rows, run

    screen = Screen(json_output=json, quiet=quiet)
    benchmarks = load_all(benchmark)
    plan = Plan(workers=workers, scope=_scope(scope))
    with TemporaryDirectory() as spare, stages(screen) as watch:
        place = out or Path(spare)
        _check_place(place)
        # Until it is done, the gate's numbers may be those of other models.
        free = [*(settings or ()), "gate.calibrated_for=[]"]
        with _open(benchmarks, place, library, profile, free, generator) as app:
            run(benchmarks, app, place, docs=docs or (), plan=plan, watch=watch.file, say=screen.say)
            found = calibration.calibrate(read_rows(place), false_answers)
            app.settings = _tied(app)
            text = calibration.profile_text(found, app, benchmarks)
    if write is not None:
        calibration.write_profile(write, text)
        screen.say(f"wrote {write}")
    if few := calibration.too_few(found):
        screen.say(few, style="yellow")
    if json:
        screen.document(found)
        return 0
    from citeleaf.evaluate.report import show

    screen.print(f"gate.min_probability = {found['threshold']}")
    rows = []
    for part in ("chosen_on", "reported_on"):
        rates = found[part]
        assert isinstance(rates, dict)
        for name, figure in rates.items():
            shown = (
                show(figure) if isinstance(figure, dict) else f"{figure:.3f}" if isinstance(figure, float) else figure
            )
            told = ", ".join(map(str, shown)) or "half of the rows" if isinstance(shown, list) else str(shown)
            rows.append((part.replace("_", " "), _CALIBRATED.get(name, name), told))
    screen.table(("split", "figure", "value (95 % interval)"), rows)
    return 0


def report(
    runs: Annotated[list[Path] | None, typer.Argument(help="Folders of runs.", metavar="RUN")] = None,
    by: Annotated[str | None, typer.Option("--by", help="`week`: answers of the library over time.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="With --by: also a page.", metavar="FILE.html")] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Writes the reports of finished runs anew and shows their figures side by side; or a library's answers by week.

    The report.html of each run after the first also shows what changed since the run named before it.
    """
    from citeleaf.errors import ConfigError
    from citeleaf.evaluate.report import figures, read_summary, show, write_reports

    screen = Screen(json_output=json, quiet=quiet)
    if by not in (None, "week"):
        raise ConfigError(f"no report by `{by}`", hint="write --by week", subject=by)
    if bool(runs) == bool(by):
        raise ConfigError("a report is of runs, or of a library by week", hint="name runs, or write --by week")
    if not runs:
        return _drift(screen, library, profile, out)
    for before, place in zip((None, *runs), runs, strict=False):
        write_reports(place, before)
    summaries = [read_summary(place) for place in runs]
    if json:
        named = [{"run": place.name, "summary": s} for place, s in zip(runs, summaries, strict=True)]
        screen.document({"schema": "citeleaf/reports/1", "runs": named})
        return 0
    tables = [dict(figures(summary)) for summary in summaries]
    names = list(dict.fromkeys(name for table in tables for name in table))
    rows = [(name, *(show(table[name]) if name in table else "" for table in tables)) for name in names]
    screen.table(("figure", *(place.name for place in runs)), rows)
    return 0


def _drift(screen: Screen, library: str | None, profile: str | None, out: Path | None) -> int:
    from citeleaf.evaluate.drift import drift, html, names
    from citeleaf.evaluate.report import show

    with options.open_app(library, profile) as app:
        found = drift(app.measured())
        title = app.folder.resolve().name
    if out is not None:
        out.write_text(html(title, found), "utf-8")
        screen.say(f"wrote {out}")
    if screen.json_output:
        screen.document(found)
        return 0
    weeks = [week for week in found["weeks"] if isinstance(week, dict)] if isinstance(found["weeks"], list) else []
    shown = names(found)
    rows = []
    for week in weeks:
        held = week["figures"] if isinstance(week["figures"], dict) else {}
        cells = [show(one) if isinstance(one := held.get(name), dict) else "not scored" for name in shown]
        rows.append((str(week["week"]), str(week["n"]), *cells))
    screen.table(("week", "answers", *shown), rows)
    screen.say(f"{found['n']} answers in {len(weeks)} weeks")
    return 0


def _check_place(out: Path) -> None:
    """Raises `BenchmarkError` when `out` holds other things than a run."""
    from citeleaf.errors import BenchmarkError
    from citeleaf.evaluate.manifest import SCHEMA, read

    if not out.exists():
        return
    held = {path.name for path in out.iterdir()} if out.is_dir() else {out.name}
    begun = held == {"library"} and (out / "library" / "library.toml").is_file()
    if held and not begun and read(out).get("schema") != SCHEMA:
        raise BenchmarkError(
            f"`{out}` holds other things and is no run", hint="name a new or an empty folder", subject=str(out)
        )


def _tied(app: App) -> Settings:
    """The settings with a gate that belongs to the models at hand: its threshold is chosen with their scores."""
    kit = app.kit
    names = tuple(model.name for model in (kit.embedder, kit.reranker, kit.reader) if model is not None)
    return app.settings.model_copy(update={"gate": app.settings.gate.model_copy(update={"calibrated_for": names})})


def _open(
    benchmarks: Sequence[Benchmark],
    out: Path,
    library: str | None,
    profile: str | None,
    settings: list[str] | None,
    generator: str | None,
) -> App:
    """The library asked for, else the run's own, under the profile that the benchmarks name unless one is given."""
    from citeleaf.app import App
    from citeleaf.errors import BenchmarkError
    from citeleaf.evaluate.run import open_own

    profiles = sorted({b.profile for b in benchmarks if b.profile})
    if profile is None and len(profiles) > 1:
        wanted = ", ".join(profiles)
        raise BenchmarkError(f"these benchmarks ask for the profiles {wanted}", hint="choose one with --profile")
    flags = [*(settings or ()), *([f"models.generator={generator}"] if generator else [])]
    open_app = partial(App.open, profile=profile or next(iter(profiles), None), flags=tuple(flags), write=True)
    return open_app(library) if library else open_own(out / "library", open_app)


def _scope(name: str) -> Literal["library", "document"] | None:
    from citeleaf.errors import ConfigError

    scopes: dict[str, Literal["library", "document"] | None]
    scopes = {"auto": None, "library": "library", "document": "document"}
    if name not in scopes:
        raise ConfigError(f"no scope `{name}`", hint=f"take one of {', '.join(scopes)}", subject=name)
    return scopes[name]


_CALIBRATED = {
    "n": "questions before the gate",
    "false_answer_rate": "unanswerable questions let through",
    "false_refusal_rate": "answerable questions held back",
    "false_answer_bound95": "of unanswerable ones let through at most (95 %, one-sided)",
}


def _difference(name: str, row: Mapping[str, Json]) -> tuple[str, ...]:
    from citeleaf.evaluate.page.shown import probability

    interval = row["ci95"]
    low, high = (float(str(x)) for x in interval) if isinstance(interval, list) else (0.0, 0.0)
    change = f"{row['difference']:+.3f} ({low:+.3f} to {high:+.3f})"
    p = probability(float(str(row["mcnemar_p"]))) if "mcnemar_p" in row else ""
    told = "" if row["distinguishable"] else "not distinguishable"
    return name, f"{row['first']:.3f}", f"{row['second']:.3f}", change, str(row["n"]), p, told


def _show(screen: Screen, summary: Mapping[str, Json]) -> None:
    from citeleaf.evaluate.report import figures, show

    rows = [(name, show(figure)) for name, figure in figures(summary) if name.startswith(_SHOWN)]
    screen.table(("figure", "value (95 % interval)"), rows)
    counts = summary["rows"]
    if isinstance(counts, dict):
        screen.say(f"{counts['n']} items, {counts['failed']} failed, {counts['errors']} of them by an error")

"""`evaluate`, `compare`, `calibrate`, `report`: how good the answers are, with every row kept."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.progress import stages
from citeleaf.surfaces.terminal import Screen

if TYPE_CHECKING:
    from citeleaf.record import Json

_SHOWN = ("retrieval.page", "retrieval.span", "answer", "citation", "refusal", "guard", "claims")


def register(cli: typer.Typer) -> None:
    """Adds the commands of this module."""
    cli.command("evaluate")(evaluate)


def evaluate(
    benchmark: Annotated[list[Path], typer.Argument(help="Files of questions, claims or guard items, or folders.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the run.", metavar="RUN")],
    docs: Annotated[list[Path] | None, typer.Option("--docs", help="Documents to ask.", metavar="PATH")] = None,
    generator: Annotated[str | None, typer.Option("--generator", help="Who writes the answers, e.g. `quote`.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="So many items of each, evenly taken.")] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, max=100, help="Times each item is asked.")] = 1,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="Items asked at a time.")] = 1,
    fail_only: Annotated[bool, typer.Option("--fail-only", help="Only what failed in the run before.")] = False,
    scope: Annotated[str, typer.Option("--scope", help="Ask the `library`, or the `document`; else `auto`.")] = "auto",
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Asks every question of a benchmark; writes rows, figures with intervals, and reports into the run's folder."""
    from citeleaf.app import App
    from citeleaf.errors import BenchmarkError, ConfigError
    from citeleaf.evaluate.benchmark import load_all
    from citeleaf.evaluate.run import Plan, open_own, run

    screen = Screen(json_output=json, quiet=quiet)
    if scope not in ("auto", "library", "document"):
        raise ConfigError(f"no scope `{scope}`", hint="take auto, library or document", subject=scope)
    benchmarks = load_all(benchmark)
    profiles = sorted({b.profile for b in benchmarks if b.profile})
    if profile is None and len(profiles) > 1:
        raise BenchmarkError(
            f"these benchmarks ask for the profiles {', '.join(profiles)}", hint="choose with --profile"
        )
    chosen = profile or (profiles[0] if profiles else None)
    flags = [*(settings or ()), *([f"models.generator={generator}"] if generator else [])]
    plan = Plan(limit, repeat, workers, fail_only, None if scope == "auto" else scope)  # type: ignore[arg-type]
    open_app = partial(App.open, profile=chosen, flags=tuple(flags), write=True)
    with stages(screen) as watch, open_app(library) if library else open_own(out / "library", open_app) as app:
        summary = run(benchmarks, app, out, docs=docs or (), plan=plan, watch=watch.file, say=screen.say)
    if json:
        screen.document(summary)
    else:
        _show(screen, summary)
        screen.say(f"rows, figures and reports are in {out}")
    return 0


def _show(screen: Screen, summary: Mapping[str, Json]) -> None:
    from citeleaf.evaluate.report import figures, show

    rows = [(name, show(figure)) for name, figure in figures(summary) if name.startswith(_SHOWN)]
    screen.table(("figure", "value (95 % interval)"), rows)
    counts = summary["rows"]
    if isinstance(counts, dict):
        screen.say(f"{counts['n']} items, {counts['failed']} failed, {counts['errors']} of them by an error")

"""`demo`, `ingest`, `documents`, `remove`, `reindex`: what is in a library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.ask import show_answer
from citeleaf.surfaces.cli.progress import stages
from citeleaf.surfaces.terminal import Screen

if TYPE_CHECKING:
    from citeleaf.ingest.pipeline import Report
    from citeleaf.types import Document


def register(cli: typer.Typer) -> None:
    """Adds the commands of this module."""
    cli.command("demo")(demo)
    cli.command("ingest")(ingest)
    cli.command("documents")(documents)
    cli.command("remove")(remove)
    cli.command("reindex")(reindex)


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    facts: options.Facts = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Parser processes.")] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Takes files into the library; unchanged ones are skipped, a bad one never stops the rest."""
    screen = Screen(json_output=json, quiet=quiet)
    flags = [*(settings or ()), *([f"ingest.workers={workers}"] if workers else [])]
    with options.open_app(library, profile, flags, write=True) as app, stages(screen) as watch:
        report = app.ingest(paths, facts=facts or (), watch=watch.file)
    return _show_report(screen, report)


def documents(
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Lists the documents of the library."""
    screen = Screen(json_output=json, quiet=quiet)
    with options.open_app(library, profile) as app:
        found = app.documents()
    if json:
        screen.document({"schema": "citeleaf/documents/1", "documents": [document_json(d) for d in found]})
    elif not found:
        screen.print("no documents yet; add some with: citeleaf ingest PATH")
    else:
        columns = ("id", "title", "version", "effective", "role", "pages", "without text", "notices")
        screen.table(columns, [_row(d) for d in found])
    return 0


def remove(
    doc: Annotated[list[str], typer.Argument(help="Ids of documents.")],
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Takes documents out; nothing of them can answer afterwards."""
    screen = Screen(json_output=json, quiet=quiet)
    with options.open_app(library, profile) as app:
        app.remove(doc)
    if json:
        screen.document({"schema": "citeleaf/removed/1", "removed": doc})
    else:
        screen.print(f"removed {', '.join(doc)}")
    return 0


def reindex(
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Makes passages and vectors anew with the present settings and models."""
    screen = Screen(json_output=json, quiet=quiet)
    with options.open_app(library, profile, settings) as app, stages(screen) as watch:
        report = app.reindex(watch=watch.file)
    return _show_report(screen, report)


def demo(
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Takes in the example pack and asks one question of each outcome."""
    from citeleaf.record import answer_json
    from citeleaf.surfaces.cli.demo import pack, questions

    screen = Screen(json_output=json, quiet=quiet)
    with options.open_app(library or str(Path.cwd() / ".citeleaf-demo"), profile or "insurance", write=True) as app:
        with stages(screen) as watch:
            report = app.ingest(pack(), watch=watch.file)
        answers = [app.ask(question) for question in questions()]
        folder = app.folder
    if json:
        screen.document({"schema": "citeleaf/demo/1", "answers": [answer_json(a) for a in answers]})
        return 0
    screen.say(f"documents: {len(report.rows)}, library: {folder}")
    for answer in answers:
        screen.print()
        screen.print(f"? {answer.trace.query.text}", style="bold")
        show_answer(screen, answer)
    screen.print()
    screen.print("Next: citeleaf ingest YOUR_FILES, then: citeleaf ask “your question”", style="bold")
    return 0


def document_json(document: Document) -> dict[str, object]:
    """A document's entry in lists: all but its text."""
    return {
        "id": document.id,
        "title": document.title,
        "source": document.source,
        "sha256": document.sha256,
        "version": document.version,
        "effective": document.effective,
        "replaces": document.replaces,
        "role": document.role,
        "language": document.language,
        "pages": [{"number": p.number, "label": p.label, "quality": p.quality} for p in document.pages],
        "notices": [{"code": n.code, "page": n.page, "detail": n.detail} for n in document.notices],
    }


def _row(document: Document) -> tuple[str, ...]:
    empty = [str(p.number) for p in document.pages if p.quality == "no_text"]
    return (
        document.id,
        document.title,
        document.version or "",
        document.effective or "",
        document.role,
        str(len(document.pages) or ""),
        ", ".join(empty),
        ", ".join(sorted({notice.code for notice in document.notices})),
    )


def _show_report(screen: Screen, report: Report) -> int:
    failed = [row for row in report.rows if row.status == "failed"]
    if screen.json_output:
        screen.document(report.json())
    else:
        columns = ("file", "status", "document", "passages", "pages", "without text", "note")
        screen.table(columns, [row.cells() for row in report.rows])
        counts = {s: sum(r.status == s for r in report.rows) for s in ("added", "replaced", "unchanged", "failed")}
        screen.say(", ".join(f"{n} {status}" for status, n in counts.items()))
    return 3 if failed else 0

"""`check`: every sentence of a text against the words of a library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.ask import where
from citeleaf.surfaces.cli.progress import stages
from citeleaf.surfaces.terminal import Screen, one_line, read_input

if TYPE_CHECKING:
    from citeleaf.check import Checked, Checkup
    from citeleaf.types import ShownCitation

EXIT_CODES = {"supported": 0, "not_enough_info": 10, "refuted": 12}
_SIGNS = {"supported": ("+", "green"), "not_enough_info": ("?", "yellow"), "refuted": ("!", "red")}
_SAID = {
    "supported": "supported",
    "not_enough_info": "not enough in the documents",
    "refuted": "the documents say otherwise",
}


def register(cli: typer.Typer) -> None:
    """Adds the command of this module."""
    cli.command("check")(check)


def check(
    text: Annotated[str, typer.Argument(help="A text file; `-` reads standard input.", metavar="FILE|-")],
    against: Annotated[
        list[str] | None, typer.Option("--against", help="Only these documents (ids).", metavar="ID")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Writes a page for readers too.", metavar="OUT")] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Verifies each sentence of a text: verdict, words and page. Ends with 0 when all are supported, else 10 or 12."""
    from citeleaf.check import check_json
    from citeleaf.surfaces.check_page import check_page

    screen = Screen(json_output=json, quiet=quiet)
    words = read_input() if text == "-" else _read(Path(text))
    if html is not None:
        _check_writable(html, Path(text))
    with stages(screen) as watch, options.open_app(library, profile, settings) as app:
        done = app.check(words, against=tuple(against or ()), watch=watch.event)
        notes = app.notes
    unheard = (f"the model was not heard on every sentence: {done.unheard}",) if done.unheard else ()
    for note in (*notes, *unheard):
        screen.say(note, style="yellow")
    if html is not None:
        _write(html, check_page(done, "Standard input" if text == "-" else Path(text).name))
    if json:
        screen.document(check_json(done))
    else:
        _show(screen, done)
    return EXIT_CODES[done.verdict]


def _show(screen: Screen, done: Checkup) -> None:
    cited = {c.n: c for c in done.citations}
    for checked in done.claims:
        _show_claim(screen, checked, cited)
    counts = {label: sum(c.claim.verdict == label for c in done.claims) for label in _SIGNS}
    if done.claims:
        screen.print()
    left = ", ".join(f"{n} {_SAID[label]}" for label, n in counts.items() if n)
    passed = f"; {len(done.skipped)} without a statement left out" if done.skipped else ""
    screen.print((left or done.reason.replace("_", " ")) + passed)


def _show_claim(screen: Screen, checked: Checked, cited: dict[int, ShownCitation]) -> None:
    claim = checked.claim
    sign, style = _SIGNS[claim.verdict]
    screen.print(f"{sign} {one_line(claim.text)}", style=style)
    failed = [c for c in checked.checks if not c.passed]
    for check in failed[:3] if claim.verdict != "supported" else ():
        screen.print(f"    {check.name}: {one_line(check.detail)}")
    for n in claim.citations[:1]:
        citation = cited[n]
        lead = "" if claim.verdict != "not_enough_info" else "nearest: "
        screen.print(f"    {lead}“{one_line(citation.quote.text, 240)}”")
        screen.print(f"    {where(citation)} · {citation.passage_id}", style="cyan")


def _check_writable(path: Path, text: Path) -> None:
    """Before the work: a page is never written over the text that is checked, nor into a folder that is not there."""
    from citeleaf.errors import ConfigError

    said = ""
    try:
        if path.exists() and text.exists() and path.samefile(text):
            said = "it is the text that is checked"
        elif path.is_dir():
            said = "is a directory"
        elif not path.parent.is_dir():
            said = "no such file or directory"
    except OSError as error:
        said = (error.strerror or str(error)).lower()
    if said:
        raise ConfigError(f"cannot write `{path}`: {said}", hint="name another file", subject=str(path))


def _write(path: Path, page: str) -> None:
    from citeleaf.errors import ConfigError

    try:
        path.write_bytes(page.encode("utf-8", "replace"))
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise ConfigError(f"cannot write `{path}`: {said}", hint="name another file", subject=str(path)) from error


def _read(path: Path) -> str:
    from citeleaf.errors import ConfigError

    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise ConfigError(f"cannot read `{path}`: {said}", hint="give a text file, or -", subject=str(path)) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"`{path}` is no UTF-8 text", hint="save it as UTF-8", subject=str(path)) from error

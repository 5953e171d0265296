"""`export`: the library as a page that needs no server, no model and no network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.progress import stages
from citeleaf.surfaces.terminal import Screen


def register(cli: typer.Typer) -> None:
    """Adds the command of this module."""
    cli.command("export")(export)


def export(
    out: Annotated[Path, typer.Argument(help="A new folder; with `--single-file`, an HTML file.")],
    single_file: Annotated[bool, typer.Option("--single-file", help="Everything in one HTML file.")] = False,
    no_images: Annotated[bool, typer.Option("--no-images", help="Leave the pictures of pages out.")] = False,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Writes the library as a page that finds and quotes by words alone, and opens from disk."""
    from citeleaf.portable.library import LEXICAL
    from citeleaf.surfaces.export.build import export as write

    screen = Screen(json_output=json, quiet=quiet)
    flags = [*LEXICAL, *(settings or ())]
    with options.open_app(library, profile, flags) as app, stages(screen) as watch:
        done = write(app, out, single_file=single_file, images=not no_images, watch=watch.file)
    if json:
        screen.document(done.json())
        return 0
    held = f"{done.documents} documents, {done.passages} passages, {done.images} pictures of pages"
    screen.print(f"wrote {out}: {done.size / 1e6:.1f} MB; {held}")
    page = out if single_file else out / "index.html"
    screen.say(f"open {page} in a browser; it has no language model and quotes by words")
    return 0

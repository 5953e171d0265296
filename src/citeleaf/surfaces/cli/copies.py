"""`backup`, `restore`, `migrate`: a library copied, put back, brought to the present form."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.terminal import Screen


def register(cli: typer.Typer) -> None:
    """Adds the commands of this module."""
    cli.command("backup")(backup)
    cli.command("restore")(restore)
    cli.command("migrate")(migrate)


def backup(
    out: Annotated[Path, typer.Argument(help="A new folder; it becomes a library itself.")],
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Copies the library whole: documents, passages, vectors, answers and the files they came from."""
    screen = Screen(json_output=json, quiet=quiet)
    with options.open_app(library, profile) as app:
        app.backup(out)
        folder = str(app.folder)
    if json:
        screen.document({"schema": "citeleaf/backup/1", "library": folder, "backup": str(out)})
    else:
        screen.print(f"copied {folder} to {out}")
    return 0


def restore(
    source: Annotated[Path, typer.Argument(help="A folder that `citeleaf backup` wrote.", metavar="IN")],
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Puts a backup in the place of an empty or missing library; a damaged one is refused."""
    from citeleaf.library import place_of
    from citeleaf.wiring import restore as put_back

    screen = Screen(json_output=json, quiet=quiet)
    target = place_of(library)
    put_back(source, target)
    if json:
        screen.document({"schema": "citeleaf/restored/1", "library": str(target.folder), "backup": str(source)})
    else:
        screen.print(f"restored {source} to {target.folder}")
    return 0


def migrate(
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Brings a library made by an earlier version to the present form."""
    from citeleaf.library import place_of
    from citeleaf.wiring import migrate as bring

    screen = Screen(json_output=json, quiet=quiet)
    target = place_of(library)
    before, after = bring(target)
    if json:
        screen.document({"schema": "citeleaf/migrated/1", "library": str(target.folder), "from": before, "to": after})
    else:
        screen.print(f"schema {after} already" if before == after else f"schema {before} is now {after}")
    return 0

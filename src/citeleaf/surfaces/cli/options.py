"""Options that every command takes, and what they open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from citeleaf.app import App

Library: TypeAlias = Annotated[str | None, typer.Option("--library", help="Folder of the library.", metavar="PATH")]
Profile: TypeAlias = Annotated[str | None, typer.Option("--profile", help="Profile name, or a path to a .toml file.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", help="No messages and no progress bars.")]
Set: TypeAlias = Annotated[
    list[str] | None, typer.Option("--set", help="A setting: section.key=value.", metavar="KEY=VALUE")
]
Documents: TypeAlias = Annotated[
    list[str] | None, typer.Option("--doc", help="Only these documents (ids).", metavar="DOC")
]
Facts: TypeAlias = Annotated[
    list[Path] | None, typer.Option("--facts", help="Files of case facts: read, never cited.", metavar="PATH")
]


def open_app(
    library: str | None, profile: str | None, settings: list[str] | None = None, *, write: bool = False
) -> App:
    """The App of a library; imported here, so that `--help` stays fast."""
    from citeleaf.app import App

    return App.open(library, profile=profile, flags=tuple(settings or ()), write=write)

"""Options that every command takes, and what they open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

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

_TEXTS = frozenset({"question", "query", "text"})
"""What may be empty: it is answered as such."""


def empty_one(command: Any, arguments: Sequence[str]) -> str | None:
    """The option or path given as an empty text, which would be read as the working folder or as none; None: no such.

    `command` is click's.
    """
    context = command.make_context(command.name, [*arguments], resilient_parsing=True)
    values, _, order = command.make_parser(context).parse_args([*arguments])
    for parameter in order:
        given = values[parameter.name]
        if parameter.name not in _TEXTS and "" in (given if isinstance(given, list | tuple) else [given]):
            return str(parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.name.upper())
    return None


def open_app(
    library: str | None, profile: str | None, settings: list[str] | None = None, *, write: bool = False
) -> App:
    """The App of a library; imported here, so that `--help` stays fast."""
    from citeleaf.app import App

    return App.open(library, profile=profile, flags=tuple(settings or ()), write=write)

"""`settings`, `models`, `doctor`: what is set, what is there, what is missing and how to get it."""

from __future__ import annotations

from typing import Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.terminal import Screen


def register(cli: typer.Typer) -> None:
    """Adds the commands of this module."""
    cli.command("settings")(settings)
    cli.command("models")(models)
    cli.command("doctor")(doctor)


def settings(
    explain: Annotated[
        bool, typer.Option("--explain", help="Also which layer set each value, and what it is for.")
    ] = False,
    profile: options.Profile = None,
    set_: options.Set = None,
    library: options.Library = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Prints every setting with its value."""
    import json as codec

    from citeleaf.layers import load

    screen = Screen(json_output=json, quiet=quiet)
    _, rows = load(profile, set_ or ())
    if json:
        entries = [{"key": r.key, "value": r.value, "layer": r.layer, "description": r.description} for r in rows]
        screen.document({"schema": "citeleaf/settings/1", "settings": entries})
    elif explain:
        screen.table(
            ("setting", "value", "set by", "what it is"),
            [(r.key, codec.dumps(r.value, ensure_ascii=False), r.layer, r.description) for r in rows],
        )
    else:
        for row in rows:
            screen.print(f"{row.key} = {codec.dumps(row.value, ensure_ascii=False)}")
    return 0


def models(
    action: Annotated[str, typer.Argument(help="`list` or `verify`.")] = "list",
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Lists the model files at hand, or checks them against their hashes."""
    from citeleaf.errors import ConfigError
    from citeleaf.wiring import installed_models

    screen = Screen(json_output=json, quiet=quiet)
    if action not in ("list", "verify"):
        raise ConfigError(f"`{action}` is no action", hint="take list or verify", subject=action)
    rows = installed_models(verify=action == "verify")
    if json:
        screen.document({"schema": "citeleaf/models/1", "models": [row.json() for row in rows]})
    else:
        columns = ("model", "purpose", "size", "licence", "state")
        screen.table(columns, [(r.name, r.purpose, f"{r.size / 1e6:.0f} MB", r.licence, r.state) for r in rows])
    bad = [row for row in rows if row.state not in ("installed", "verified")]
    return 5 if bad and action == "verify" else 0


def doctor(
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Says what is missing or wrong, and how to mend it."""
    from citeleaf.doctor import examine

    screen = Screen(json_output=json, quiet=quiet)
    findings = examine(library, profile)
    if json:
        rows = [{"name": f.name, "ok": f.ok, "detail": f.detail, "fix": f.fix} for f in findings]
        screen.document({"schema": "citeleaf/doctor/1", "ok": all(f.ok for f in findings), "findings": rows})
    else:
        for f in findings:
            screen.print(f"{'ok  ' if f.ok else 'FAIL'}  {f.name}: {f.detail}", style=None if f.ok else "yellow")
            if f.fix:
                screen.print(f"      {f.fix}")
    return 0 if all(f.ok for f in findings) else 1

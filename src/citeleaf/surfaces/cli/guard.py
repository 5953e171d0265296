"""`guard`: which rules a text trips, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.terminal import Screen, read_input

if TYPE_CHECKING:
    from citeleaf.record import Json
    from citeleaf.settings import GuardRule

_KINDS = ("request", "answer", "document")


def register(cli: typer.Typer) -> None:
    """Adds the command of this module."""
    cli.command("guard")(guard)


def guard(
    text: Annotated[str, typer.Argument(help="The text; `-` reads standard input.")] = "",
    on: Annotated[str, typer.Option("--on", help="`request`, `answer` or `document`.")] = "request",
    examples: Annotated[bool, typer.Option("--examples", help="Try the rules on their own examples instead.")] = False,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Shows which rules a text trips: the words, how they were hidden, and the line of the rule file.

    Ends with 11 when a rule would refuse, 12 when one would escalate, else with 0; marks on a document, and sentences
    that would be taken out of an answer, are shown and end with 0.
    """
    from citeleaf.errors import ConfigError
    from citeleaf.guard.documents import marks
    from citeleaf.guard.look import guard as look
    from citeleaf.guard.look import wrong_examples
    from citeleaf.guard.personal import masked, personal
    from citeleaf.layers import load

    screen = Screen(json_output=json, quiet=quiet)
    rules = load(profile, settings or ())[0].guard
    sets = {"request": rules.request, "answer": rules.answer, "document": rules.document}
    if on not in sets:
        raise ConfigError(f"no rules over a `{on}`", hint=f"take one of {', '.join(_KINDS)}", subject=on)
    if examples:
        return _examples(screen, wrong_examples(sets[on]), json)
    if not text:
        raise ConfigError("no text to look at", hint="give one, or `-` to read standard input", subject="TEXT")
    text = read_input() if text == "-" else text
    found: list[Json] = [{"kind": p.kind, "start": p.span.start, "end": p.span.end} for p in personal(text)]
    rows: list[dict[str, Json]]
    if on == "document":
        rows = [
            {"name": m.code, "start": m.span.start, "end": m.span.end, "read": m.read, "detail": masked(m.detail)}
            for m in marks(text, rules.document)
        ]
        passed = not rows
    else:
        checks = look(text, sets[on])
        rows = [
            {"name": c.name, "passed": c.passed, "detail": masked(c.detail), "value": c.value, "threshold": c.threshold}
            for c in checks
        ]
        passed = all(c.passed for c in checks)
    tripped = [row for row in rows if not row.get("passed", False)]
    if json:
        document: dict[str, Json] = {
            "schema": "citeleaf/guard/1",
            "on": on,
            "passed": passed,
            "checks": [*rows],
            "personal": found,
        }
        screen.document(document)
    else:
        for row in tripped:
            screen.print(f"{row['name']}: {row['detail']}")
        for kind in dict.fromkeys(p.kind for p in personal(text)):
            screen.print(f"personal data: {kind}")
        if not tripped:
            screen.print("no rule is tripped")
    return 0 if on == "document" else _exit(sets[on], [str(row["name"]) for row in tripped])


def _exit(rules: tuple[GuardRule, ...], tripped: list[str]) -> int:
    codes = {"refused": 11, "escalated": 12}
    return next((codes[r.outcome] for r in rules if r.name in tripped and r.outcome in codes), 0)


def _examples(screen: Screen, wrong: tuple[str, ...], json: bool) -> int:
    if json:
        screen.document({"schema": "citeleaf/guard-examples/1", "passed": not wrong, "wrong": list(wrong)})
    else:
        for line in wrong or ("all examples come out as they should",):
            screen.print(line)
    return 2 if wrong else 0

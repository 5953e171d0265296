"""`audit`: kept answers and receipts, looked at again: do their words still stand, do the checks still agree?"""

from __future__ import annotations

import json as codec
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.terminal import Screen, one_line

if TYPE_CHECKING:
    from citeleaf.app import App
    from citeleaf.types import Answer, Check

_MOST = 1_000_000


def register(cli: typer.Typer) -> None:
    """Adds the command of this module."""
    cli.command("audit")(audit)


def audit(
    action: Annotated[Literal["verify", "list", "export"], typer.Argument(help="verify, list or export.")],
    items: Annotated[
        list[str] | None,
        typer.Argument(help="Answer ids or receipt files; none: every kept answer. For export, the file to write."),
    ] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Looks at kept answers again, without a network. `verify` ends with 4 when one no longer holds."""
    screen = Screen(json_output=json, quiet=quiet)
    with options.open_app(library, profile, settings) as app:
        if action == "list":
            return _list(screen, app)
        return _export(screen, app, items or []) if action == "export" else _verify(screen, app, items or [])


def _list(screen: Screen, app: App) -> int:
    rows = app.answers(limit=_MOST)
    if screen.json_output:
        entries = [
            {"id": a.id, "question": a.trace.query.text, "outcome": a.decision.outcome, "reason": a.decision.reason}
            for a in rows
        ]
        screen.document({"schema": "citeleaf/audit/1", "answers": entries})
        return 0
    cells = [(a.id, a.decision.outcome, a.decision.reason, one_line(a.trace.query.text, 80)) for a in rows]
    screen.table(("answer", "outcome", "reason", "question"), cells)
    return 0


def _verify(screen: Screen, app: App, items: Sequence[str]) -> int:
    from citeleaf.receipt import audit as look

    found: list[tuple[str, tuple[Check, ...]]] = []
    for name, answer, body in _answers(app, items):
        found.append((name, look(answer, app.kit.store, app.kit.verifier, app.settings, body)))
    bad = sum(any(not c.passed for c in checks) for _, checks in found)
    if screen.json_output:
        rows = [
            {"answer": name, "checks": [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in checks]}
            for name, checks in found
        ]
        screen.document({"schema": "citeleaf/audit/1", "verified": len(found), "failed": bad, "answers": rows})
        return 4 if bad else 0
    for name, checks in found:
        faults = [c for c in checks if not c.passed]
        screen.print(f"{'FAIL' if faults else 'ok  '}  {name}", style="yellow" if faults else None)
        for fault in faults:
            screen.print(f"      {fault.name}: {one_line(fault.detail)}")
    screen.print(f"{len(found)} looked at, {bad} no longer hold")
    return 4 if bad else 0


def _export(screen: Screen, app: App, items: Sequence[str]) -> int:
    from citeleaf.errors import ConfigError
    from citeleaf.receipt import receipt

    if len(items) != 1:
        raise ConfigError(
            "export needs one file to write", hint="citeleaf audit export RECEIPTS.jsonl", subject="audit"
        )
    out = Path(items[0])
    if not out.parent.is_dir():
        raise ConfigError(f"there is no folder `{out.parent}`", hint="make it first", subject=str(out))
    lines = [
        codec.dumps(receipt(answer, app.kit.store, app.kit.verifier), ensure_ascii=True)
        for answer in reversed(app.answers(limit=_MOST))
    ]
    out.write_text("".join(line + "\n" for line in lines), "utf-8")
    if screen.json_output:
        screen.document({"schema": "citeleaf/audit/1", "exported": len(lines), "file": str(out)})
    else:
        screen.print(f"{len(lines)} receipts in {out}")
    return 0


def _answers(app: App, items: Sequence[str]) -> Iterator[tuple[str, Answer, dict[str, Any] | None]]:
    """Name, answer and receipt, if any, of what is to be looked at; a file may hold one receipt or one a line."""
    from citeleaf.receipt import read_receipt

    if not items:
        for answer in app.answers(limit=_MOST):
            yield answer.id, answer, None
    for item in items:
        path = Path(item)
        if not path.is_file():
            answer = app.answer(item)
            yield answer.id, answer, None
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        several = text.count('"schema": "citeleaf/receipt/1"') > 1
        for n, line in enumerate(text.splitlines() if several else [text], 1):
            if line.strip():
                answer, body = read_receipt(line)
                yield f"{item}:{n}" if several else item, answer, body

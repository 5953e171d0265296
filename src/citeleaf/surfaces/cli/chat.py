"""`chat`: follow-ups, each rewritten to a question that stands alone, which is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.ask import show_answer
from citeleaf.surfaces.cli.progress import stages
from citeleaf.surfaces.terminal import Screen

_ENDS = frozenset({"/quit", "/exit", "/q"})


def register(cli: typer.Typer) -> None:
    """Adds the commands of this module."""
    cli.command("chat")(chat)


def chat(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files to ask, instead of a library.")] = None,
    facts: options.Facts = None,
    doc: options.Documents = None,
    generator: Annotated[str | None, typer.Option("--generator", help="Who writes the answers, e.g. `quote`.")] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Answers one question a line; a follow-up is rewritten to stand alone. An empty line or /quit ends it."""
    from citeleaf.answer.followup import Turn, rewrite
    from citeleaf.app import App
    from citeleaf.record import answer_json

    screen = Screen(json_output=json, quiet=quiet)
    flags = [*(settings or ()), *([f"models.generator={generator}"] if generator else [])]
    turns: list[Turn] = []
    answers: list[Any] = []
    with stages(screen) as watch:
        if paths:
            app = App.for_files(paths, profile=profile, flags=tuple(flags), watch=watch.file)
        else:
            app = options.open_app(library, profile, flags)
        # Loaded now, so that the first question does not wait for the model.
        watch.stage("loading the models")
        failure = app.load_model()
    if failure is not None:
        screen.say(f"{failure}; until then answers are quoted", style="yellow")
    told = 0
    with app:
        for typed in _typed(screen):
            try:
                with stages(screen) as watch:
                    asked = rewrite(typed, turns, getattr(app.kit.generator, "rewrite", None))
                    if asked.how != "alone":
                        screen.say(f"asked as: {asked.question}")
                    original = typed if asked.how != "alone" else None
                    answer = app.ask(
                        asked.question, facts=facts or (), doc_ids=tuple(doc or ()), asked=original, watch=watch.event
                    )
            except KeyboardInterrupt:
                # Stops the answer, not the talk.
                screen.say("stopped")
                continue
            turns.append(Turn(asked.question, answer.text))
            for note in app.notes[told:]:
                screen.say(note, style="yellow")
            told = len(app.notes)
            if json:
                answers.append(answer_json(answer))
            else:
                show_answer(screen, answer)
                screen.print()
    if json:
        screen.document({"schema": "citeleaf/chat/1", "answers": answers})
    return 0


def _typed(screen: Screen) -> Iterator[str]:
    """The questions, line by line, until the input ends, is empty on a terminal, or says so."""
    terminal = sys.stdin is not None and sys.stdin.isatty()
    while True:
        if terminal:
            screen.messages.print("? ", end="", style="bold")
        try:
            line = sys.stdin.readline() if sys.stdin is not None else ""
        except KeyboardInterrupt:
            return
        text = line.strip()
        if not line or text in _ENDS or (terminal and not text):
            return
        if text:
            yield text

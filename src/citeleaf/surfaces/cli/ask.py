"""`ask`: one question, one answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.progress import stages
from citeleaf.surfaces.terminal import Screen, headed, one_line, read_input

if TYPE_CHECKING:
    from citeleaf.types import Answer, ShownCitation

EXIT_CODES = {"answered": 0, "abstained": 10, "refused": 11, "escalated": 12}


def register(cli: typer.Typer) -> None:
    """Adds the command of this module."""
    cli.command("ask")(ask)


def ask(
    question: Annotated[str, typer.Argument(help="The question; `-` reads it from standard input.")],
    paths: Annotated[list[Path] | None, typer.Argument(help="Files to ask, instead of a library.")] = None,
    facts: options.Facts = None,
    doc: options.Documents = None,
    generator: Annotated[str | None, typer.Option("--generator", help="Who writes the answer, e.g. `quote`.")] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Answers one question, with the words, page and place each sentence rests on."""
    from citeleaf.app import App
    from citeleaf.errors import ConfigError
    from citeleaf.record import answer_json

    screen = Screen(json_output=json, quiet=quiet)
    flags = [*(settings or ()), *([f"models.generator={generator}"] if generator else [])]
    text = read_input() if question == "-" else question
    missing = next((p for p in paths or () if not (p.is_file() or p.is_dir())), None)
    if missing is not None:
        hint = "put the question in quotes" if not missing.suffix else "check the path"
        raise ConfigError(f"there is no file `{missing}` to ask", hint=hint, subject=str(missing))
    with stages(screen) as watch:
        if paths:
            app = App.for_files(paths, profile=profile, flags=tuple(flags), watch=watch.file)
        else:
            app = options.open_app(library, profile, flags)
        with app:
            answer = app.ask(text, facts=facts or (), doc_ids=tuple(doc or ()), watch=watch.event)
            notes, kept = app.notes, not (paths or app.read_only)
    for note in notes:
        screen.say(note, style="yellow")
    if json:
        screen.document(answer_json(answer))
    else:
        show_answer(screen, answer)
        if kept:
            screen.say(f"kept as {answer.id}")
    return EXIT_CODES[answer.decision.outcome]


def show_answer(screen: Screen, answer: Answer) -> None:
    """The answer for a reader: text with numbers, then each citation with page, place and words."""
    from citeleaf.check import unheard

    screen.print(answer.text)
    if answer.citations:
        screen.print()
    said = {claim.text for claim in answer.claims}
    places: dict[str, list[ShownCitation]] = {}
    for citation in answer.citations:
        places.setdefault(f"{where(citation)} · {citation.passage_id}", []).append(citation)
    for place, cited in places.items():
        screen.print(f"{''.join(f'[{c.n}]' for c in cited)} {place}", style="cyan")
        for citation in cited:
            words = " ".join(citation.quote.text.split())
            if not any(words in " ".join(text.split()) for text in said):
                screen.print(f"    “{words}”")
    if failure := _model_failure(answer):
        screen.print()
        screen.print(f"quoted from the documents, because the model did not answer: {failure}", style="yellow")
    if why := unheard(c for verdict in answer.trace.verdicts or () for c in verdict.checks):
        screen.print(f"the model was not heard on every sentence: {why}", style="yellow")
    if answer.decision.outcome == "answered":
        for part in (c.detail for c in answer.trace.screen or () if c.name == "unanswered_part"):
            screen.print(f"not answered: {part}", style="yellow")
        return
    screen.print()
    screen.print(f"{answer.decision.outcome}: {answer.decision.reason}", style="yellow")
    for check in (*(answer.trace.gate or ()), *answer.trace.guard):
        if not check.passed:
            numbers = "" if check.value is None else f"({check.value:.2f}, needs {check.threshold or 0:.2f})"
            screen.print("  " + " ".join(part for part in (f"{check.name}:", check.detail, numbers) if part))
    if answer.nearest:
        screen.print("nearest passages:")
    for near in answer.nearest:
        page = "" if near.page is None else f" p. {near.page}"
        screen.print(f"  {near.passage_id}{page}: {one_line(near.quote, 160)}")


def _model_failure(answer: Answer) -> str:
    """Why quotation stood in for the model, in words; nothing when it did not."""
    draft = answer.trace.draft
    if draft is None or not draft.fallback:
        return ""
    return next((check.detail for check in draft.checks if check.name == "model"), draft.fallback)


def where(citation: ShownCitation) -> str:
    """Title, version, both page numbers and section of a citation, in one line."""
    place = citation.place
    title, *path = headed(citation.title, place.section)
    parts = [title + (f" (version {citation.version})" if citation.version else "")]
    if place.page is not None:
        printed = place.page_label
        parts.append(f"page {place.page}" + (f" (printed {printed})" if printed and printed != str(place.page) else ""))
    parts += path
    if place.quality != "good":
        parts.append({"ocr": "read by OCR", "garbled": "text may be garbled"}.get(place.quality, place.quality))
    return " · ".join(parts)

"""`search` and `show`: passages only; a document, section, passage or answer by its id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.ask import show_answer
from citeleaf.surfaces.cli.corpus import document_json
from citeleaf.surfaces.terminal import Screen, headed, one_line

if TYPE_CHECKING:
    from citeleaf.app import App, Shown


def register(cli: typer.Typer) -> None:
    """Adds the commands of this module."""
    cli.command("search")(search)
    cli.command("show")(show)


def search(
    query: Annotated[str, typer.Argument(help="Words to look for.")],
    k: Annotated[int, typer.Option("--k", min=1, max=1000, help="How many passages.")] = 5,
    scorer: Annotated[str, typer.Option("--scorer", help="lexical, tfidf, dense, fused or reranked.")] = "reranked",
    doc: options.Documents = None,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Finds passages; writes no answer."""
    screen = Screen(json_output=json, quiet=quiet)
    with options.open_app(library, profile, settings) as app:
        found = app.search(query, k=k, scorer=scorer, doc_ids=tuple(doc or ()))
    if json:
        from citeleaf.surfaces.found import found_json

        rows = [found_json(f) for f in found]
        screen.document({"schema": "citeleaf/search/1", "query": query, "scorer": scorer, "passages": rows})
        return 0
    for f in found:
        page = "" if f.place.page is None else f" · page {f.place.page}"
        screen.print(f"{f.hit.rank}. {f.passage.id}{page} · {f.scorer} {f.hit.score:.3f}", style="cyan")
        screen.print(f"   {' > '.join(f.passage.heading)}")
        screen.print(f"   {one_line(f.passage.text, 240)}")
    if not found:
        screen.print("nothing found")
    return 0


def show(
    item: Annotated[str, typer.Argument(help="Id of a document, section, passage or answer.", metavar="ID")],
    page: Annotated[int | None, typer.Option("--page", min=1, help="Physical page of a document.")] = None,
    image: Annotated[Path | None, typer.Option("--image", help="Writes the page with the words marked.")] = None,
    receipt: Annotated[
        bool, typer.Option("--receipt", help="Of an answer: all that it rests on, as one JSON document.")
    ] = False,
    library: options.Library = None,
    profile: options.Profile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Shows what an id stands for; with `--image`, the page as a picture with the words marked."""
    from citeleaf.errors import ConfigError
    from citeleaf.record import answer_json

    screen = Screen(json_output=json, quiet=quiet)
    if image is not None and image.suffix.lower() != ".png":
        raise ConfigError(f"`{image}` is no PNG name", hint="end the name in .png", subject=str(image))
    if image is not None and not image.parent.is_dir():
        raise ConfigError(f"there is no folder `{image.parent}`", hint="make it first", subject=str(image))
    with options.open_app(library, profile) as app:
        shown = app.show(item, page=page)
        if receipt:
            return _receipt(screen, app, shown, item)
        if image is not None:
            picture = app.picture(shown)
            image.write_bytes(picture)
            screen.say(f"wrote {image}")
    if shown.answer is not None:
        if json:
            screen.document(answer_json(shown.answer))
        else:
            show_answer(screen, shown.answer)
        return 0
    if json:
        screen.document(
            {
                "schema": "citeleaf/shown/1",
                "id": item,
                "kind": shown.kind,
                "document": document_json(shown.document),
                "section": list(shown.place.section),
                "page": shown.place.page,
                "page_label": shown.place.page_label,
                "start": shown.span.start,
                "end": shown.span.end,
                "text": shown.text,
                "rects": [{"page": r.page, "x0": r.x0, "y0": r.y0, "x1": r.x1, "y1": r.y1} for r in shown.place.rects],
            }
        )
        return 0
    head = [*headed(shown.document.title, shown.place.section)]
    if shown.place.page is not None:
        head.append(f"page {shown.place.page}")
    screen.print(" · ".join(head), style="cyan")
    if shown.kind == "document":
        for notice in shown.document.notices:
            at = "" if notice.page is None else f" on page {notice.page}"
            screen.say(f"notice {notice.code}{at}: {one_line(notice.detail, 200)}")
    screen.print(shown.text)
    return 0


def _receipt(screen: Screen, app: App, shown: Shown, item: str) -> int:
    from citeleaf.errors import ConfigError
    from citeleaf.receipt import receipt

    if shown.answer is None:
        raise ConfigError(f"`{item}` is no answer", hint="give the id that `ask` says it was kept as", subject=item)
    screen.document(receipt(shown.answer, app.kit.store, app.kit.verifier))
    return 0

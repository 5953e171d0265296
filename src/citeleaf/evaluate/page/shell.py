"""A whole page that asks for nothing else: style and script inside, no request, dark and light."""

from __future__ import annotations

from importlib.resources import files

from citeleaf.evaluate.page.markup import Child, Html, tag

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
"""What the page may do: its own style and script, no request."""


def shell(title: str, *body: Child, script: str | None = None) -> str:
    """The page; `script` names a file of this package that runs at its end."""
    head = (
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("meta", name_="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", _own("page.css")),
    )
    run = tag("script", _own(script)) if script else None
    return f"<!doctype html>\n{tag('html', tag('head', head), tag('body', body, run), lang='en')}\n"


def _own(name: str) -> Html:
    """The text of a file of this page; not escaped, as it is the product's own."""
    return Html(files("citeleaf.evaluate.page").joinpath(name).read_text("utf-8"))

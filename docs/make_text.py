"""Small pieces of Markdown that all generated pages use."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence

NOTE = "<!-- Made by `python docs/make.py`: change the code, not this page. -->\n"


def with_note(text: str) -> str:
    """The page with the note below its title, one line end at its end."""
    title, _, body = text.strip().partition("\n")
    return f"{title}\n\n{NOTE}\n{body.strip()}\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in lines
    )


def doc(thing: object) -> str:
    """A docstring without its indentation."""
    return inspect.cleandoc(getattr(thing, "__doc__", "") or "")


def first_line(thing: object) -> str:
    """The first line of a docstring."""
    return doc(thing).partition("\n")[0]

"""Printing to a terminal: text from documents, questions and models stays text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape

_KEPT = frozenset("\n\t")
_UNSEEN = frozenset(
    {0x061C, 0xFEFF, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), *range(0xE0000, 0xE0080)}
)


def safe(text: str) -> str:
    r"""The text with control characters, bidi marks, invisible letters and lone surrogates written out, e.g. `\x1b`.

    Line ends and tabs stay.
    """
    return "".join(c if c in _KEPT or not _unsafe(ord(c)) else _written(ord(c)) for c in text)


def one_line(text: str, limit: int = 0) -> str:
    """`safe` text with all white space as single blanks, cut with an ellipsis at `limit` characters (0: not cut)."""
    line = " ".join(safe(text).split())
    return line if not limit or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _unsafe(code: int) -> bool:
    return code < 0x20 or 0x7F <= code < 0xA0 or code in _UNSEEN or 0xD800 <= code < 0xE000


def _written(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def read_input() -> str:
    """All of standard input; bytes that are no text come as replacement signs. Nothing when it is closed."""
    return "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8", "replace")


def make_streams_safe() -> None:
    """Closed streams lead nowhere, signs that an encoding lacks are written out, a width of 0 is no width."""
    for name, mode in (("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if not os.environ.get("COLUMNS", "1").isdigit() or os.environ.get("COLUMNS") == "0":
        del os.environ["COLUMNS"]


class Screen:
    """Where a command prints: results on stdout, messages on stderr; `--json` puts one document on stdout alone."""

    def __init__(self, *, json_output: bool = False, quiet: bool = False) -> None:
        """Colour only on a terminal and only without `NO_COLOR`."""
        self.json_output = json_output
        self.quiet = quiet
        self.out = Console(highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty())
        self.messages = Console(stderr=True, highlight=False, emoji=False, soft_wrap=not sys.stderr.isatty())

    @property
    def bars(self) -> bool:
        """Whether progress bars are shown."""
        return self.messages.is_terminal and not self.quiet and os.environ.get("TERM") != "dumb"

    def document(self, value: object) -> None:
        """One JSON document on stdout, ASCII only, so that no control character can pass."""
        sys.stdout.write(json.dumps(value, ensure_ascii=True, indent=2, allow_nan=False) + "\n")

    def print(self, text: str = "", style: str | None = None) -> None:
        """A line of result; `text` is made safe and is never read as markup."""
        self.out.print(escape(safe(text)), style=style)

    def say(self, text: str, style: str | None = "dim") -> None:
        """A message on stderr; nothing when quiet."""
        if not self.quiet:
            self.messages.print(escape(safe(text)), style=style)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> None:
        """A table on stdout; plain tab-separated lines when stdout is no terminal."""
        if not self.out.is_terminal:
            for row in rows:
                sys.stdout.write("\t".join(one_line(cell) for cell in row) + "\n")
            return
        from rich.table import Table

        table = Table(title=title, box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*(escape(one_line(cell)) for cell in row))
        self.out.print(table)

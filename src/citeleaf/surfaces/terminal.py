"""Printing to a terminal: text from documents, questions and models stays text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence

from rich.cells import cell_len
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


def headed(title: str, section: Sequence[str]) -> tuple[str, ...]:
    """Title and section path of a place without empty ones, the title once where the path begins with it."""
    path = tuple(section[1:] if section and section[0].split() == title.split() else section)
    return tuple(part for part in (title, " > ".join(path)) if part)


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


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """A width for each column in which no word of it breaks; the widest give way first. None where there is no room."""
    widths = [max(map(cell_len, column)) for column in columns]
    least = [max(cell_len(word) for cell in column for word in [*cell.split(), ""]) for column in columns]
    if sum(least) > room:
        return None
    while sum(widths) > room:
        i = max((i for i, width in enumerate(widths) if width > least[i]), key=lambda i: widths[i])
        widths[i] -= 1
    return widths


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
        """A table on stdout; plain tab-separated lines when stdout is no terminal.

        On a terminal, columns that are empty are left out, and no word is broken: where the longest words of all
        columns do not fit side by side, each row is told in lines of its own.
        """
        if not self.out.is_terminal:
            for row in rows:
                sys.stdout.write("\t".join(one_line(cell) for cell in row) + "\n")
            return
        cells = [[one_line(cell) for cell in row] for row in rows]
        shown = [i for i in range(len(columns)) if not cells or any(row[i] for row in cells)]
        widths = _widths([[row[i] for row in (columns, *cells)] for i in shown], self.out.width - 2 * (len(shown) - 1))
        if widths is None:
            for row in cells:
                self.print(row[0], style="bold")
                for i in shown[1:]:
                    if row[i]:
                        self.print(f"  {columns[i]}: {row[i]}")
            return
        from rich.table import Table

        table = Table(title=title, box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
        for i, width in zip(shown, widths, strict=True):
            table.add_column(columns[i], overflow="fold", width=width)
        for row in cells:
            table.add_row(*(escape(row[i]) for i in shown))
        self.out.print(table)

"""Writes the generated pages, or with `--check` says which are stale.

python docs/make.py            writes docs/reference/*.md and docs/tour.md
python docs/make.py --check    writes nothing; ends with 1 when a page is not what the code gives now
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from make_settings import settings_page
from make_text import doc, first_line, table, with_note
from make_tour import Run, answer_page, tour_page
from typer.models import ArgumentInfo, OptionInfo

from citeleaf import errors, layers
from citeleaf.guard.rules import KINDS
from citeleaf.settings import GuardRule
from citeleaf.surfaces.cli import ask
from citeleaf.surfaces.cli.main import cli

DOCS = Path(__file__).resolve().parent
COMMON = ("--library", "--profile", "--json", "--quiet")

ENDINGS = {
    "ask": "0 answered, 10 abstained, 11 refused, 12 escalated.",
    "chat": "0 when the talk ends, whatever its outcomes; an error ends it with that error's code.",
    "guard": "11 when a rule would refuse, 12 when one would escalate, 2 when an example of a rule comes out wrong, "
    "else 0.",
    "ingest": "3 when any file failed, after the others were taken in.",
    "reindex": "3 when any document failed; the library then stays as it was.",
    "models": "5 when `verify` finds a file damaged or missing.",
    "doctor": "1 when something is wrong.",
}
"""Exit codes that are a command's own, beside those of errors."""

LEFT_OVER = (
    ("usage", 2, "A command, option or argument that does not exist or does not fit."),
    ("interrupted", 130, "Stopped by the user (Ctrl-C); finished work is kept."),
    ("system", 1, "The system refused something that no error above stands for."),
)
"""Codes that the command line gives without an error class."""


def pages(run: Callable[[], Run]) -> dict[str, Callable[[], str]]:
    """Path below docs/ and maker of every generated page."""
    return {
        "reference/commands.md": commands_page,
        "reference/settings.md": settings_page,
        "reference/errors.md": errors_page,
        "reference/profiles.md": profiles_page,
        "reference/answer.md": lambda: answer_page(run(), DOCS / "reference" / "answer.schema.json"),
        "tour.md": lambda: tour_page(run()),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks all pages; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, end with 1 when a page is stale")
    options = parser.parse_args(arguments)
    stale = []
    with Run.open() as run:
        for name, make in pages(lambda: run).items():
            path, text = DOCS / name, with_note(make())
            if path.is_file() and path.read_text("utf-8") == text:
                continue
            stale.append(name)
            if not options.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
    for name in stale:
        sys.stdout.write(f"{'stale' if options.check else 'wrote'} docs/{name}\n")
    if stale and options.check:
        sys.stdout.write("run `make docs`\n")
    return int(options.check and bool(stale))


# Commands


@dataclass(frozen=True, slots=True)
class Param:
    """An argument or option: `flag` is `--name`, or empty for an argument; `value` stands for its value."""

    name: str
    flag: str
    value: str
    many: bool
    required: bool
    default: str
    help: str

    def written(self) -> str:
        """As it is typed."""
        return f"{self.flag} {self.value}".strip() + ("…" if self.many else "")

    def row(self) -> tuple[str, str, str]:
        """For a table: how it is written, its default, what it does."""
        return f"`{self.written()}`", "must be given" if self.required else self.default, self.help


def commands() -> dict[str, tuple[str, tuple[Param, ...]]]:
    """Docstring and parameters of every command, in the order of `citeleaf --help`."""
    found = {}
    for info in cli.registered_commands:
        assert info.name is not None and info.callback is not None
        hints = typing.get_type_hints(info.callback, include_extras=True)
        params = inspect.signature(info.callback).parameters
        found[info.name] = doc(info.callback), tuple(parameter(n, hints[n], p.default) for n, p in params.items())
    return found


def parameter(name: str, hint: typing.Any, default: object) -> Param:
    """What typer makes of one parameter of a command's function."""
    annotation, info = typing.get_args(hint)
    required = default is inspect.Parameter.empty
    words = str(annotation)
    flag = "" if isinstance(info, ArgumentInfo) else option_name(name, info)
    value = "" if annotation is bool else "N" if "int" in words else "X" if "float" in words else "TEXT"
    value = info.metavar or ("PATH" if "Path" in words else value) if flag else info.metavar or name.upper()
    plain = "" if required or default in (None, False, "") else f"`{default}`"
    return Param(name, flag, value, "list[" in words, required, plain, info.help or "")


def option_name(name: str, info: OptionInfo) -> str:
    """`--name`; inside `Annotated` typer keeps the first declaration as the default."""
    written = [d for d in (info.default, *(info.param_decls or ())) if isinstance(d, str) and d.startswith("--")]
    return written[0] if written else f"--{name.replace('_', '-')}"


def commands_page() -> str:
    """Every command with its arguments, options and exit codes."""
    found = commands()
    shown = {p.flag: p for _, params in found.values() for p in params if p.flag in COMMON}
    parts = [
        "# Commands",
        "",
        "`citeleaf COMMAND --help` (or `-h`) prints the same.",
        "",
        "## Options of every command",
        "",
    ]
    parts += [table(("option", "what it does"), [shown[flag].row()[::2] for flag in COMMON]), ""]
    for flag in COMMON:
        lacking = [f"`{name}`" for name, (_, params) in found.items() if all(p.flag != flag for p in params)]
        if lacking:
            parts += [f"`{flag}` is not taken by {', '.join(lacking)}.", ""]
    parts += ["## Exit codes", "", table(("code", "when"), exit_rows()), ""]
    parts += [
        "An error is one line on stderr: what, on which thing, what to do next. With `--json` it is one document on "
        "stdout, `citeleaf/error/1`, with `code`, `message`, `hint` and `subject`: see [errors](errors.md).",
        "",
    ]
    for name, (text, params) in found.items():
        arguments = [p.written() if p.required else f"[{p.written()}]" for p in params if not p.flag]
        needed = [p.written() for p in params if p.flag and p.required]
        usage = " ".join([f"citeleaf {name}", *arguments, *needed, "[OPTIONS]"])
        parts += [f"## {name}", "", text, "", "```", usage, "```", ""]
        if own := [p for p in params if p.flag not in COMMON]:
            parts += [table(("argument or option", "default", "what it does"), [p.row() for p in own]), ""]
        if name in ENDINGS:
            parts += [f"Exit codes of its own: {ENDINGS[name]}", ""]
    return "\n".join(parts)


def exit_rows() -> Iterator[tuple[str, str]]:
    """Exit codes with their meaning, smallest first."""
    meanings: dict[int, list[str]] = {}
    for outcome, code in ask.EXIT_CODES.items():
        meanings.setdefault(code, []).append("done, or answered" if code == 0 else outcome)
    for kind in tree():
        if kind.exit_code not in {base.exit_code for base in kind.__mro__[1:-1] if hasattr(base, "exit_code")}:
            what = "anything unforeseen: a bug" if kind is errors.CiteleafError else first_line(kind)
            meanings.setdefault(kind.exit_code, []).append(f"{what} (`{kind.code}`)")
    for name, code, what in LEFT_OVER:
        meanings.setdefault(code, []).append(f"{what} (`{name}`)")
    for code, texts in sorted(meanings.items()):
        yield str(code), "; ".join(text.replace(". (", " (").rstrip(".") for text in texts)


# Errors


def errors_page() -> str:
    """The error tree with code, exit code, HTTP status and when."""
    drawing = (errors.__doc__ or "").partition("\n\n")[2].strip("\n")
    rows = [
        (
            f"`{k.code}`",
            f"`{k.__name__}`",
            str(k.exit_code),
            str(k.http_status),
            "yes" if k.retryable else "",
            "Anything unforeseen: a bug." if k is errors.CiteleafError else first_line(k),
        )
        for k in tree()
    ]
    kinds = ", ".join(f"`{name}`" for name in typing.get_args(errors.Kind) if name)
    return "\n".join(
        [
            "# Errors",
            "",
            "Refusing, abstaining, escalating and dropping a citation are results, never errors. An error says what "
            "the machine could not do.",
            "",
            "```",
            drawing,
            "```",
            "",
            table(("code", "class", "exit code", "HTTP status", "may work later", "when"), rows),
            "",
            "The command line adds:",
            "",
            table(("code", "exit code", "when"), [(f"`{n}`", str(c), w) for n, c, w in LEFT_OVER]),
            "",
            "Every error has `message` (what, on which thing), `hint` (what to do next) and `subject` (the thing).",
            "",
            "## What a model did wrong",
            "",
            "A `model` error has a `kind` beside its code, from a closed list: " + kinds + ".",
            "",
            'With `chat.on_failure = "quote"` (the default) such an error of the model that writes answers is no error '
            "of the question: the documents are quoted instead, and the reason is the code with `_quoted`, such as "
            "`model_unavailable_quoted`.",
        ]
    )


def tree() -> list[type[errors.CiteleafError]]:
    """All error classes, in the order of the source."""
    found = [k for k in vars(errors).values() if inspect.isclass(k) and issubclass(k, errors.CiteleafError)]
    return found


# Profiles


def profiles_page() -> str:
    """What each profile that comes along sets, and the rules they name."""
    parts = [
        "# Profiles",
        "",
        "`--profile NAME`, or `CITELEAF_PROFILE`. [How to write your own](../how-to/profiles.md). Without one, the "
        "settings' own defaults hold.",
        "",
    ]
    rules: dict[str, tuple[str, GuardRule]] = {}
    for name in layers.profiles():
        settings, explained = layers.load(name, (), folder=DOCS, environment={})
        own = [e for e in explained if e.layer != "default" and not e.key.startswith("profile.")]
        rows = [(f"`{e.key}`", f"`{json.dumps(e.value, ensure_ascii=False)}`") for e in own]
        parts += [f"## {name}", "", settings.profile.purpose, "", table(("setting", "value"), rows), ""]
        rules |= {r.name: (over, r) for over in KINDS for r in getattr(settings.guard, over)}
    parts += ["## Rules", "", "By the file that holds them, `src/citeleaf/profiles/rules/NAME.toml`:", ""]
    placed = sorted((r.places[0].partition(".toml")[0], KINDS.index(over), r.name) for over, r in rules.values())
    found = [(f"`{file}`", f"`{name}`", *rules[name]) for file, _, name in placed]
    rows4 = [(file, name, over, rule.outcome, rule.about) for file, name, over, rule in found]
    parts += [table(("file", "rule", "looks at", "leads to", "what for"), rows4), ""]
    parts += [
        "Each rule holds its patterns, and texts that must and must not trip it. `citeleaf guard TEXT --profile NAME` "
        "shows which rules a text trips, and the line that did it; `citeleaf guard --examples --profile NAME` tries "
        "the rules on their own texts.",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())

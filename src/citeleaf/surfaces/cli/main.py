"""`citeleaf`: the commands, and the one place where errors become a line and an exit code."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated

import typer

from citeleaf import __version__
from citeleaf.errors import CiteleafError
from citeleaf.surfaces.cli import ask, chat, copies, corpus, evaluate, guard, show, upkeep
from citeleaf.surfaces.terminal import make_streams_safe, one_line

cli = typer.Typer(
    name="citeleaf",
    help="Ask your own documents, on your own machine, and see the words every sentence rests on.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


@cli.callback(invoke_without_command=True)
def about(
    version: Annotated[bool, typer.Option("--version", help="Shows the version and ends.")] = False,
) -> None:
    """Ask your own documents, on your own machine, and see the words every sentence rests on."""
    if version:
        sys.stdout.write(f"citeleaf {__version__}\n")
        raise typer.Exit()


for module in (ask, chat, guard, corpus, copies, show, evaluate, upkeep):
    module.register(cli)


_WrongUsage: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What a wrong command line raises; some versions of typer bring their own click, so it is found by its name."""


def main() -> None:
    """Runs a command and ends the process with the exit code of the contract."""
    make_streams_safe()
    gc.set_threshold(50_000, 20, 50)  # one command's objects mostly live until its end: looking for garbage is waste
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs a command; returns its exit code. An error is one line on stderr, or one JSON document with `--json`."""
    wants_json = "--json" in arguments
    try:
        result = cli(arguments or ["--help"], standalone_mode=False)
    except CiteleafError as error:
        return _report(error.code, error.message, error.hint, error.subject, error.exit_code, wants_json)
    except typer.Exit as leave:
        return leave.exit_code
    except _WrongUsage as error:
        context = getattr(error, "ctx", None)
        hint = f"see {context.command_path if context else 'citeleaf'} --help"
        said = getattr(error, "format_message", error.__str__)()
        return _report("usage", said.rstrip("."), hint, None, 2, wants_json)
    except (KeyboardInterrupt, typer.Abort):
        return _report("interrupted", "stopped", "run the command again; finished work is kept", None, 130, wants_json)
    except BrokenPipeError:
        # The reader of the pipe left; a second failure while closing must not show.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        what = f"{error.strerror or error}" + (f" on `{error.filename}`" if error.filename else "")
        return _report("system", what, "check the disk and permissions", None, 1, wants_json)
    return result if isinstance(result, int) else 0


def _report(code: str, message: str, hint: str, subject: str | None, exit_code: int, wants_json: bool) -> int:
    import json

    if wants_json:
        error = {"schema": "citeleaf/error/1", "code": code, "message": message, "hint": hint, "subject": subject}
        try:
            sys.stdout.write(json.dumps(error, ensure_ascii=True) + "\n")
            sys.stdout.flush()
            return exit_code
        except OSError:
            pass  # standard output is what failed: say it on the other
    sys.stderr.write(f"citeleaf: {one_line(message)}" + (f"; {one_line(hint)}" if hint else "") + "\n")
    return exit_code

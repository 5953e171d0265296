"""`citeleaf`: the commands, and the one place where errors become a line and an exit code."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from citeleaf import __version__
from citeleaf.errors import CiteleafError, ConfigError
from citeleaf.surfaces.cli import (
    ask,
    audit,
    chat,
    check,
    copies,
    corpus,
    evaluate,
    export,
    guard,
    mcp,
    options,
    serve,
    show,
    upkeep,
)
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


for module in (ask, chat, check, audit, guard, corpus, copies, export, show, evaluate, serve, mcp, upkeep):
    module.register(cli)


_WrongUsage: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What a wrong command line raises; some versions of typer bring their own click, so it is found by its name."""


_STOPPED = 130
"""What a shell says of a command that Ctrl-C ended; newer typer gives it instead of raising."""
_LEFT = {
    "ask": "no answer was kept; ask again",
    "chat": "the answers given until now are kept",
    "demo": "files taken in and answers given until now are kept; run it again",
    "ingest": "files taken in until now are kept, the one in work is not; run it again for the rest",
    "remove": "`citeleaf documents` lists what is still there",
    "reindex": "the documents are as they were; run it again",
    "migrate": "the library is as it was; run it again",
    "backup": "the copy is not whole; delete it and run the command again",
    "restore": "the library is not whole; delete it and run the command again",
    "export": "what was written is not whole; run it again",
    "evaluate": "rows finished until now are kept; the same command goes on from there",
    "calibrate": "rows finished until now are kept where `--out` names a folder; run it again",
    "models": "a model that is not whole is not used; run it again",
}
"""By command: what is left when it is stopped."""


def main() -> None:
    """Runs a command and ends the process with the exit code of the contract."""
    make_streams_safe()
    gc.set_threshold(50_000, 20, 50)  # one command's objects mostly live until its end: looking for garbage is waste
    code = run(sys.argv[1:])
    signal.signal(signal.SIGINT, _late)
    sys.exit(code)


def _late(_: int, __: FrameType | None) -> None:
    """A Ctrl-C while threads and models are let go: the work is done, and the process ends at once."""
    os.write(2, b"citeleaf: stopped while ending; the work is done\n")
    os._exit(_STOPPED)


def run(arguments: list[str]) -> int:
    """Runs a command; returns its exit code. An error is one line on stderr, or one JSON document with `--json`."""
    wants_json = "--json" in arguments
    try:
        _refuse_empty(arguments)
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
        result = _STOPPED
    except BrokenPipeError:
        # The reader of the pipe left; a second failure while closing must not show.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        what = f"{error.strerror or error}" + (f" on `{error.filename}`" if error.filename else "")
        return _report("system", what, "check the disk and permissions", None, 1, wants_json)
    if result == _STOPPED:
        left = next((_LEFT[a] for a in arguments if a in _LEFT), "finished work is kept; run the command again")
        return _report("interrupted", "stopped", left, None, _STOPPED, wants_json)
    return result if isinstance(result, int) else 0


def _refuse_empty(arguments: list[str]) -> None:
    """Raises `ConfigError` for an option or a path that is given as an empty text."""
    if not any(a == "" or (a.startswith("--") and a.endswith("=")) for a in arguments):
        return
    commands = getattr(typer.main.get_command(cli), "commands", {})
    if arguments[0] in commands and (name := options.empty_one(commands[arguments[0]], arguments[1:])):
        raise ConfigError(f"`{name}` is given and empty", hint="give a value, or leave it out", subject=name)


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

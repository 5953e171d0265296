"""`serve`: the page, the API and the OpenAI-compatible endpoints over one library."""

from __future__ import annotations

import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.cli.progress import stages
from citeleaf.surfaces.terminal import Screen

if TYPE_CHECKING:
    from citeleaf.settings import ServeSettings
    from citeleaf.surfaces.api.doors import House

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_EVERYWHERE = frozenset({"0.0.0.0", "::", ""})


def register(cli: typer.Typer) -> None:
    """Adds the command of this module."""
    cli.command("serve")(serve)


def serve(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files to serve, instead of a library.")] = None,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on; by default this machine.")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port; 0: any that is free.")] = None,
    generator: Annotated[str | None, typer.Option("--generator", help="Who writes the answers, e.g. `quote`.")] = None,
    openapi: Annotated[bool, typer.Option("--openapi", help="Prints the OpenAPI document and ends.")] = False,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Serves the page, the API and the OpenAI-compatible endpoints. Stop it with Ctrl-C."""
    screen = Screen(json_output=json, quiet=quiet)
    if openapi:
        from citeleaf.surfaces.api.app import routes

        screen.document(routes(None).openapi())
        return 0
    from citeleaf.app import App
    from citeleaf.surfaces.api.app import create

    flags = [*(settings or ()), *([f"models.generator={generator}"] if generator else [])]
    flags += [f'serve.host="{host}"'] if host is not None else []
    flags += [f"serve.port={port}"] if port is not None else []
    with ExitStack() as held:
        if paths:
            folder = held.enter_context(_copy_of(paths, profile, flags, screen))
            app = held.enter_context(App.open(folder, profile=profile, flags=flags))
        else:
            app = held.enter_context(App.open(library, profile=profile, flags=flags, write=True))
        rules = app.settings.serve
        doors, made = house(rules)
        run(create(app, doors), rules.host, rules.port, lambda at: announce(screen, at, made))
    return 0


@contextmanager
def _copy_of(paths: Sequence[Path], profile: str | None, flags: Sequence[str], screen: Screen) -> Iterator[Path]:
    """A library of the files that lives as long as the server: what is added or asked there is nobody else's."""
    from citeleaf.app import App

    with tempfile.TemporaryDirectory(prefix="citeleaf-serve-") as room:
        with stages(screen) as watch, App.for_files(paths, profile=profile, flags=flags, watch=watch.file) as app:
            app.backup(Path(room) / "library")
        screen.say("documents and answers of this server are gone when it stops; serve a library to keep them")
        yield Path(room) / "library"


def house(rules: ServeSettings) -> tuple[House, str | None]:
    """Whom the server answers, and the key when one had to be made: wider than this machine, there is always one."""
    from citeleaf.surfaces.api.doors import LOOPBACK, House

    wide = rules.host.lower() not in _LOOPBACK
    key = rules.key.get_secret_value()
    made = secrets.token_urlsafe(32) if wide and not key else None
    named = {f"[{name}]" if ":" in name and not name.startswith("[") else name for name in (rules.host, *rules.hosts)}
    names = LOOPBACK | {name.lower() for name in named if name not in _EVERYWHERE and name != "[::]"}
    return House(frozenset(names), wide, made or key, rules.max_upload_mb * 1024 * 1024), made


def run(application: object, host: str, port: int, started: Callable[[str], None]) -> None:
    """Serves until told to stop; `started` gets the address. Raises `ConfigError` for one that is not to be had."""
    import logging
    import signal
    import socket

    import uvicorn

    from citeleaf.errors import ConfigError

    try:
        listener = socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=128
        )
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"cannot listen on `{host}` port {port}: {getattr(error, 'strerror', None) or error}",
            hint="take another with --port",
            subject=f"{host}:{port}",
        ) from error
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    at = listener.getsockname()
    started(f"http://{f'[{host}]' if ':' in host else host}:{at[1]}")
    settings = uvicorn.Config(
        application,  # type: ignore[arg-type]
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=5,
        limit_concurrency=256,
    )
    # Told to stop, either way, is no error; the server raises the signal again once it has ended.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with listener, suppress(KeyboardInterrupt):
        uvicorn.Server(settings).run(sockets=[listener])


def announce(screen: Screen, at: str, made: str | None) -> None:
    """Says where the server is, and its key when one was made."""
    if screen.json_output:
        screen.document({"schema": "citeleaf/serve/1", "address": at, "key": made})
        sys.stdout.flush()
        return
    screen.messages.print(f"citeleaf is at {at}  (Ctrl-C stops it)")
    if made is not None:
        screen.messages.print(f"key, shown once: {made}", soft_wrap=True)
        screen.messages.print("callers send it as  Authorization: Bearer KEY")
        screen.messages.print("set your own as CITELEAF_SERVE__KEY; without TLS, anyone on the way can read it")

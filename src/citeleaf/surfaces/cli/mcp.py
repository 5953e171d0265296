"""`mcp`: the library's tools for agents, over standard input and output or HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from citeleaf.surfaces.cli import options
from citeleaf.surfaces.terminal import Screen

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from citeleaf.app import App
    from citeleaf.settings import Settings


def register(cli: typer.Typer) -> None:
    """Adds the command of this module."""
    cli.command("mcp")(mcp)


def mcp(
    transport: Annotated[Literal["stdio", "http"], typer.Option("--transport", help="How clients reach it.")] = "stdio",
    host: Annotated[str | None, typer.Option("--host", help="http: address to listen on.")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="http: port; 0: any free.")] = None,
    generator: Annotated[str | None, typer.Option("--generator", help="Who writes the answers, e.g. `quote`.")] = None,
    library: options.Library = None,
    profile: options.Profile = None,
    settings: options.Set = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Serves tools that ask, search, read and check; none of them changes a document."""
    from citeleaf.errors import ConfigError
    from citeleaf.layers import load
    from citeleaf.library import find_library

    try:
        from citeleaf.surfaces.mcp import Holder, server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise ConfigError(
            "the MCP server needs the extra `mcp`", hint="pip install 'citeleaf[mcp]'", subject="mcp"
        ) from error
    flags = [*(settings or ()), *([f"models.generator={generator}"] if generator else [])]
    flags += [f'serve.host="{host}"'] if host is not None else []
    flags += [f"serve.port={port}"] if port is not None else []
    rules, _ = load(profile, flags)
    folder = find_library(library).folder

    def opened() -> App:
        return options.open_app(str(folder), profile, flags)

    held = Holder(opened)
    try:
        if transport == "stdio":
            server(held).run("stdio")
        else:
            _over_http(server(held), rules, Screen(json_output=json, quiet=quiet))
    finally:
        held.close()
    return 0


def _over_http(made: MCPServer, rules: Settings, screen: Screen) -> None:
    from mcp.server.transport_security import TransportSecuritySettings

    from citeleaf.surfaces.api.doors import Doors
    from citeleaf.surfaces.cli.serve import announce, house, run

    # Host, Origin, key and size are looked at by the doors that the API has, so that there is one rule for both.
    inside = made.streamable_http_app(
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False)
    )
    doors, key = house(rules.serve)
    run(Doors(inside, doors), rules.serve.host, rules.serve.port, lambda at: announce(screen, f"{at}/mcp", key))

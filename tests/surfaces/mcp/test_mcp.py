"""The MCP server, by its own client: in-process, over standard input and output, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.testclient import TestClient

from citeleaf.app import App
from citeleaf.chat import check_stopped
from citeleaf.surfaces.api.doors import LOOPBACK, Doors, House
from citeleaf.surfaces.mcp import Holder, server
from surfaces.api.conftest import PLAIN, app, papers, shelf  # noqa: F401 - fixtures

LEAVE = "How many days of leave does everybody get?"
Talk = Callable[[Callable[[Client], Awaitable[Any]]], Any]


@pytest.fixture
def talk(app: App) -> Talk:  # noqa: F811
    """Runs one talk of a client with the server in this process."""

    def run(work: Callable[[Client], Awaitable[Any]]) -> Any:
        async def inside() -> Any:
            async with Client(server(Holder(lambda: app))) as client:
                return await work(client)

        return asyncio.run(inside())

    return run


def call(talk: Talk, name: str, **arguments: object) -> Any:
    found = talk(lambda client: client.call_tool(name, arguments))
    assert not found.is_error, found.content
    assert json.loads(found.content[0].text) == found.structured_content
    return found.structured_content


def test_the_tools_only_read_and_take_no_path_or_address(talk: Talk) -> None:
    tools = {t.name: t for t in talk(lambda client: client.list_tools()).tools}
    assert set(tools) == {"ask", "search", "get_page", "check_claims", "list_documents"}
    for tool in tools.values():
        assert tool.annotations.read_only_hint
        assert not tool.annotations.open_world_hint
        assert tool.output_schema
        assert tool.description
        assert not {n for n in tool.input_schema["properties"] if any(w in n for w in ("path", "url", "file", "uri"))}


def test_ask_gives_the_answer_with_its_citations(talk: Talk) -> None:
    answer = call(talk, "ask", question=LEAVE)
    assert (answer["outcome"], answer["text"]) == ("answered", "Everybody gets 25 days of leave a year. [1]")
    assert (answer["citations"][0]["doc_id"], "trace" in answer, "data" in answer["notice"]) == ("leave", False, True)
    follow = call(talk, "ask", question="And how many of them can be carried over?", history=[{"asked": LEAVE}])
    assert "Up to 5 days" in follow["text"]
    assert "leave" in follow["asked"]
    silent = call(talk, "ask", question="What does rule AML-999 say?")
    assert silent["outcome"] == "abstained"


def test_search_pages_checks_and_lists(talk: Talk) -> None:
    found = call(talk, "search", query="wear and tear", k=1)["passages"]
    assert [p["doc_id"] for p in found] == ["cover"]
    page = call(talk, "get_page", doc_id="cover", page=1)
    assert found[0]["passage_id"] in page["passage_ids"]
    assert "wear and tear" in page["text"]
    checked = call(talk, "check_claims", text="Everybody gets 25 days of leave a year.", against=["leave"])
    assert [c["verdict"] for c in checked["claims"]] == ["supported"]
    assert [d["id"] for d in call(talk, "list_documents")["documents"]] == ["cover", "leave"]
    part = call(talk, "list_documents", match="LEAVE", limit=1)
    assert ([d["id"] for d in part["documents"]], part["total"]) == (["leave"], 1)


def test_passages_and_pages_are_resources(talk: Talk) -> None:
    found = call(talk, "search", query="carried over", k=1)["passages"][0]
    uri = f"citeleaf://passage/{found['passage_id'].replace('#', '%23')}"
    assert talk(lambda client: client.read_resource(uri)).contents[0].text == found["text"]
    page = talk(lambda client: client.read_resource("citeleaf://document/cover/page/2")).contents[0].text
    assert page == call(talk, "get_page", doc_id="cover", page=2)["text"]
    templates = talk(lambda client: client.list_resource_templates()).resource_templates
    assert {t.uri_template for t in templates} == {"citeleaf://passage/{id}", "citeleaf://document/{id}/page/{n}"}


@pytest.mark.parametrize(
    "uri",
    [
        "citeleaf://passage/leave",
        "citeleaf://passage/nobody%23x%23c1",
        "citeleaf://passage/..%2F..%2Fetc%2Fpasswd",
        "citeleaf://document/cover/page/99",
        "citeleaf://document/cover/page/-1",
        "citeleaf://document/cover/page/²",
        "citeleaf://document/leave/page/1",
        "citeleaf://answer/x",
        "file:///etc/passwd",
        "http://127.0.0.1/",
    ],
)
def test_what_is_not_there_is_an_error_of_the_protocol(talk: Talk, uri: str) -> None:
    async def read(client: Client) -> str:
        with pytest.raises(MCPError) as failed:
            await client.read_resource(uri)
        return str(failed.value)

    assert "root:" not in talk(read)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("ask", {"question": LEAVE, "doc_ids": ["nobody"]}, "unknown_id"),
        ("ask", {}, "question"),
        ("ask", {"question": "x" * 100_001}, "100000"),
        ("search", {"query": "x", "k": 0}, "greater"),
        ("get_page", {"doc_id": "cover", "page": 3}, "no page 3"),
        ("get_page", {"doc_id": "../../etc/passwd", "page": 1}, "unknown_id"),
        ("check_claims", {"text": "Leave.", "against": ["nobody"]}, "unknown_id"),
        ("remove", {"doc_id": "leave"}, "remove"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(talk: Talk, name: str, arguments: dict[str, object], said: str) -> None:
    try:
        found = talk(lambda client: client.call_tool(name, arguments))
    except MCPError as error:
        assert said in str(error)
        return
    assert found.is_error
    assert said in found.content[0].text


def test_work_stops_when_the_client_cancels(talk: Talk, app: App, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    begun, stopped = threading.Event(), threading.Event()

    def slow(*_: object, cancel: threading.Event, **__: object) -> None:
        begun.set()
        if cancel.wait(20):
            stopped.set()
        check_stopped()

    monkeypatch.setattr(app, "ask", slow)

    async def leave(client: Client) -> None:
        asked = asyncio.ensure_future(client.call_tool("ask", {"question": LEAVE}))
        await asyncio.to_thread(begun.wait, 20)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)

    talk(leave)
    assert stopped.wait(2)


RUN = "import sys; from citeleaf.surfaces.cli.main import run; sys.exit(run(sys.argv[1:]))"


def test_over_standard_input_and_output(shelf: Path) -> None:  # noqa: F811
    sets = [part for flag in PLAIN for part in ("--set", flag)]
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", RUN, "mcp", "--library", str(shelf), *sets],
        env={k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")},
    )

    async def inside() -> tuple[float, Any]:
        start = time.monotonic()
        async with Client(stdio_client(parameters)) as client:
            await client.list_tools()
            ready = time.monotonic() - start
            return ready, await client.call_tool("ask", {"question": LEAVE})

    _, found = asyncio.run(inside())
    assert found.structured_content["text"] == "Everybody gets 25 days of leave a year. [1]"


def test_nothing_but_the_protocol_is_on_standard_output(shelf: Path) -> None:  # noqa: F811
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    lines = [
        json.dumps(hello),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "this is no JSON",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_documents"}}),
    ]
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "mcp", "--library", str(shelf)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin and child.stdout
        child.stdin.write("\n".join(lines) + "\n")
        child.stdin.flush()
        told = []
        while not any(m.get("id") == 2 for m in told):
            told.append(json.loads(child.stdout.readline()))
        child.stdin.close()
        assert child.wait(20) == 0
        rest = child.stdout.read()
    assert rest == ""
    assert {m["jsonrpc"] for m in told} == {"2.0"}
    listed = next(m for m in told if m.get("id") == 2)
    assert [d["id"] for d in listed["result"]["structuredContent"]["documents"]] == ["cover", "leave"]


def over_http(app: App) -> Starlette:  # noqa: F811
    no_rule = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return server(Holder(lambda: app)).streamable_http_app(transport_security=no_rule)


def test_over_http_behind_the_doors_of_the_server(app: App) -> None:  # noqa: F811
    async def inside() -> Any:
        made = over_http(app)
        transport = httpx2.ASGITransport(Doors(made, House(LOOPBACK, False, "own-key")))
        key = {"Authorization": "Bearer own-key"}
        async with (
            made.router.lifespan_context(made),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=key) as http,
            Client(streamable_http_client("http://127.0.0.1/mcp", http_client=http)) as client,
        ):
            return await client.call_tool("ask", {"question": LEAVE})

    assert asyncio.run(inside()).structured_content["outcome"] == "answered"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "attacker.test"}, 421),
        ({"Origin": "http://attacker.test"}, 403),
        ({"Origin": "null"}, 403),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": ""}, 401),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Length": "999999999"}, 413),
    ],
)
def test_strangers_are_turned_away_over_http(app: App, headers: dict[str, str], status: int) -> None:  # noqa: F811
    sound = {"Authorization": "Bearer own-key", "Content-Type": "application/json"}
    doors = Doors(over_http(app), House(LOOPBACK, False, "own-key"))
    with TestClient(doors, base_url="http://127.0.0.1") as client:
        assert client.post("/mcp", content=b"{}", headers=sound | headers).status_code == status


def test_without_a_library_it_ends_with_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from citeleaf.surfaces.cli.main import run

    assert run(["mcp", "--library", str(tmp_path / "none")]) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert "there is no library" in said.err


def test_nothing_is_opened_before_a_call_needs_it() -> None:
    opened = []
    held = Holder(lambda: opened.append(1))  # type: ignore[arg-type, return-value]

    async def inside() -> None:
        async with Client(server(held)) as client:
            await client.list_tools()

    asyncio.run(inside())
    held.close()
    assert opened == []

"""Who may call: Host, Origin, key, media type and size, looked at before anything is read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, MutableMapping
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citeleaf.app import App
from citeleaf.settings import ServeSettings
from citeleaf.surfaces.api.app import create
from citeleaf.surfaces.api.doors import JSON_LIMIT, LOOPBACK, House
from citeleaf.surfaces.cli.serve import house
from surfaces.api.conftest import HOME

KEY = "a-key-of-this-very-server"
ASK = {"question": "How many days of leave does everybody get?"}
GUARDED = [
    "/api/documents",
    "/api/answers",
    "/api/feedback",
    "/v1/models",
    "/openapi.json",
    "/api/documents/leave/file",
]
FORM = "multipart/form-data; boundary=B"
PART = b'--B\r\nContent-Disposition: form-data; name="files"; filename="z.md"\r\n\r\n# Z\n\nWords. '


@pytest.fixture
def locked(app: App) -> Iterator[TestClient]:
    with TestClient(create(app, House(LOOPBACK, True, KEY)), base_url="http://192.168.7.20:8642") as client:
        yield client


@pytest.mark.parametrize(
    "host",
    [
        "attacker.test",
        "127.0.0.1.attacker.test",
        "localhost:P@x",
        "localhost:8642@attacker.test",
        "localhost.attacker.test",
        "localhost.",
        "",
        "127.0.0.1:99999999",
        "[::1",
        "127.0.0.2",
        "0.0.0.0",
        "localhost/..",
        "localhost, attacker.test",
    ],
)
@pytest.mark.parametrize("path", ["/", "/healthz", "/api/documents"])
def test_a_foreign_host_is_turned_away(client: TestClient, host: str, path: str) -> None:
    response = client.get(path, headers={"Host": host})
    assert (response.status_code, response.json()["code"]) == (421, "foreign")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8642", "127.0.0.1:1", "[::1]:8642"])
def test_the_names_of_this_machine_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


def test_two_hosts_are_turned_away(client: TestClient) -> None:
    assert client.get("/healthz", headers=[("Host", "localhost"), ("Host", "attacker.test")]).status_code == 421


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://attacker.test",
        "http://127.0.0.1.attacker.test",
        "http://127.0.0.1:9999",
        "http://localhost:8642",
        "https://127.0.0.1:8642@attacker.test",
        "file://",
        "chrome-extension://abc",
        "",
    ],
)
def test_a_foreign_page_can_neither_ask_nor_change_nor_read(client: TestClient, origin: str) -> None:
    headers = {"Origin": origin}
    for response in (
        client.post("/api/ask", json=ASK, headers=headers),
        client.post("/api/documents", files=[("files", ("x.md", b"# X\n\nWords.\n"))], headers=headers),
        client.delete("/api/documents/leave", headers=headers),
        client.get("/api/documents", headers=headers),
        client.post("/v1/chat/completions", json={}, headers={**headers, "Accept": "text/event-stream"}),
        client.options("/api/ask", headers={**headers, "Access-Control-Request-Method": "POST"}),
    ):
        assert (response.status_code, response.json()["code"]) == (403, "foreign")
        assert "access-control-allow-origin" not in response.headers
    assert client.get("/api/documents/leave").status_code == 200


def test_the_own_page_is_answered(client: TestClient) -> None:
    assert client.post("/api/search", json={"query": "leave"}, headers={"Origin": HOME}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_foreign_page_cannot_embed_what_is_served(client: TestClient, site: str) -> None:
    assert client.get("/api/documents/cover/file", headers={"Sec-Fetch-Site": site}).status_code == 403
    assert client.get("/", headers={"Sec-Fetch-Site": site}).status_code == 200  # a link to the page is no harm


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "text/json"]
)
def test_what_a_form_of_another_site_could_send_is_not_read(client: TestClient, kind: str) -> None:
    response = client.post("/api/ask", content=json.dumps(ASK), headers={"Content-Type": kind})
    assert (response.status_code, response.json()["code"]) == (415, "media")
    assert client.post("/api/documents", json={}).status_code == 415


@pytest.mark.parametrize(
    "path", ["/api/ask", "/api/search", "/api/check", "/api/answers/x/feedback", "/v1/chat/completions"]
)
def test_reading_a_route_changes_nothing(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 405


def test_a_web_socket_is_closed(app: App) -> None:
    scope = {"type": "websocket", "path": "/api/ask", "headers": [(b"host", b"localhost")]}
    assert raw(app, scope, []) == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("path", GUARDED)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {KEY}x"},
        {"Authorization": f"Bearer {KEY[:-1]}"},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": KEY},
        {"Authorization": "Bearer "},
        {"x-api-key": KEY},
        {"Cookie": f"key={KEY}"},
        {"Authorization": "Bearer \u00fc\u00df".encode("latin-1").decode("latin-1")},
    ],
    ids=lambda h: ascii(h)[:40],
)
def test_without_the_right_key_nothing_is_told(locked: TestClient, path: str, headers: dict[str, str]) -> None:
    response = locked.get(path, headers={k: v.encode("latin-1") for k, v in headers.items()}, params={"key": KEY})  # type: ignore[misc]
    assert (response.status_code, response.json()["code"]) == (401, "key")
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert KEY not in response.text


def test_the_right_key_opens(locked: TestClient) -> None:
    for scheme in ("Bearer", "bearer"):
        assert locked.get("/api/documents", headers={"Authorization": f"{scheme} {KEY}"}).status_code == 200
    assert locked.get("/healthz").status_code == 200
    assert locked.get("/").status_code == 200
    both = [("Authorization", f"Bearer {KEY}"), ("Authorization", "Bearer other")]
    assert locked.get("/api/documents", headers=both).status_code == 400


def raw(
    app: App,
    scope: dict[str, object],
    parts: Iterable[bytes],
    doors: House | None = None,
    read: list[int] | None = None,
) -> list[dict[str, object]]:
    """One request straight to the application; the caller leaves when the parts are at an end."""
    waiting, sent = iter(parts), []

    async def receive() -> dict[str, object]:
        part = next(waiting, None)
        if part is None:
            return {"type": "http.disconnect"}
        if read is not None:
            read.append(len(part))
        return {"type": "http.request", "body": part, "more_body": True}

    async def send(message: MutableMapping[str, object]) -> None:
        sent.append(dict(message))

    asyncio.run(create(app, doors)(scope, receive, send))  # type: ignore[arg-type]
    return sent


def post(path: str, **headers: str) -> dict[str, object]:
    """The scope of a POST."""
    named = {"host": "127.0.0.1", "content_type": "application/json", **headers}
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in named.items()],
    }


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": f"Bearer {KEY}", "content_length": "2147483648"}, 413),
        ({"authorization": f"Bearer {KEY}", "content_length": "9" * 5000}, 413),
        ({"authorization": f"Bearer {KEY}", "content_length": "-5"}, 400),
    ],
)
@pytest.mark.parametrize("path", ["/api/ask", "/v1/chat/completions"])
def test_key_and_size_come_before_the_body(app: App, path: str, headers: dict[str, str], status: int) -> None:
    read: list[int] = []
    sent = raw(app, post(path, **headers), [b"{" * 1000] * 10, House(LOOPBACK, False, KEY), read)
    assert (sent[0]["status"], read) == (status, [])


def test_a_body_without_a_stated_length_is_cut_off_at_the_limit(app: App) -> None:
    read: list[int] = []
    sent = raw(app, post("/api/ask"), (b"x" * 65536 for _ in range(10_000)), None, read)
    assert (sent[0]["status"], json.loads(sent[1]["body"])["code"]) == (413, "too_large")  # type: ignore[arg-type]
    assert sum(read) <= JSON_LIMIT + 65536


def test_an_upload_is_cut_off_at_its_own_limit(app: App) -> None:
    with TestClient(create(app, House(upload_limit=100_000)), base_url=HOME) as client:
        small = client.post("/api/documents", files=[("files", ("x.md", b"# X\n\n" + b"word " * 5_000))])
        large = client.post("/api/documents", files=[("files", ("y.md", b"# Y\n\n" + b"word " * 50_000))])
    assert [small.status_code, large.status_code] == [200, 413]
    read: list[int] = []
    endless = [PART, *[b"word " * 10_000] * 50]
    sent = raw(app, post("/api/documents", content_type=FORM), endless, House(upload_limit=100_000), read)
    assert (sent[0]["status"], sum(read) < 200_000) == (413, True)
    assert {d.id for d in app.documents()} == {"cover", "leave", "x"}


@pytest.mark.parametrize("body", [b"--B", b"", PART])
def test_an_upload_that_ends_half_way_leaves_nothing(client: TestClient, app: App, body: bytes) -> None:
    assert client.post("/api/documents", content=body, headers={"Content-Type": FORM}).status_code == 400
    assert {d.id for d in app.documents()} == {"cover", "leave"}


def test_an_upload_that_is_broken_off_leaves_nothing(app: App) -> None:
    sent = raw(app, post("/api/documents", content_type=FORM), [PART])
    assert sent[0]["status"] == 499
    assert {d.id for d in app.documents()} == {"cover", "leave"}


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/api/documents", "/api/documents/cover/pages/1/image", "/api/nothing"]
)
def test_every_response_has_the_headers_that_keep_it_in_its_place(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == ("no-cache" if path == "/" else "no-store")
    assert "server" not in headers


@pytest.mark.parametrize(
    ("host", "key", "wide", "made"),
    [
        ("127.0.0.1", "", False, False),
        ("localhost", "k", False, False),
        ("::1", "", False, False),
        ("0.0.0.0", "", True, True),
        ("0.0.0.0", "k", True, False),
        ("192.168.7.20", "", True, True),
        ("::", "", True, True),
    ],
)
def test_wider_than_this_machine_there_is_always_a_key(host: str, key: str, wide: bool, made: bool) -> None:
    doors, shown = house(ServeSettings(host=host, key=key, hosts=("answers.example.org",)))  # type: ignore[arg-type]
    assert (doors.wide, bool(doors.key), shown is not None) == (wide, bool(key) or made, made)
    assert shown is None or len(shown) >= 40
    assert doors.knows("answers.example.org:443")
    assert doors.knows("10.1.2.3:8642") == wide
    assert not doors.knows("0x7f.1")
    assert not doors.knows("attacker.test")
    assert doors.is_own("https://answers.example.org", "127.0.0.1:8642")
    assert not doors.is_own("http://localhost:3000", "127.0.0.1:8642")


def test_the_page_is_served_with_its_places_when_it_was_built(tmp_path: Path) -> None:
    from fastapi import FastAPI

    from citeleaf.surfaces.api.page import mount

    built = tmp_path / "static"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<!doctype html>page")
    (built / "assets" / "app-1a2b.js").write_text("go()")
    (tmp_path / "secret.txt").write_text("secret")
    api = FastAPI()
    mount(api, built)
    client = TestClient(api, base_url=HOME)
    html = {"Accept": "text/html"}
    assert client.get("/").text == client.get("/documents/terms/pages/3", headers=html).text == "<!doctype html>page"
    script = client.get("/assets/app-1a2b.js")
    assert (script.text, script.headers["cache-control"]) == ("go()", "public, max-age=31536000, immutable")
    for path in ("/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt", "/nothing.js"):
        assert client.get(path).status_code == 404, path
    assert client.get("/api/nothing", headers=html).status_code == 404

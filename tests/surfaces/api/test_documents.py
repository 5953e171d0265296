"""Documents over HTTP: taken in, listed, read, taken out."""

from __future__ import annotations

import json
import sqlite3
import struct
import threading
import time
from io import BytesIO
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citeleaf.app import App
from citeleaf.backends.store_sqlite import FILE
from citeleaf.errors import Cancelled
from citeleaf.surfaces.api.app import create
from citeleaf.surfaces.api.schemas import DocumentsOut, LeafOut, PassageOut, WholeDocument
from citeleaf.surfaces.api.uploads import Upload, display_name, take_in
from surfaces.api.conftest import HOME, events

NOTE = b"# Parking\n\nVisitors park behind the house.\n"


def ids(client: TestClient) -> list[str]:
    return [d["id"] for d in client.get("/api/documents").json()["documents"]]


def send(client: TestClient, *files: tuple[str, bytes], **more: object) -> dict[str, object]:
    response = client.post("/api/documents", files=[("files", file) for file in files], **more)  # type: ignore[arg-type]
    return {"status": response.status_code, **response.json()}


def test_documents_are_listed_in_parts(client: TestClient) -> None:
    listed = client.get("/api/documents").json()
    DocumentsOut.model_validate(listed)
    assert [d["id"] for d in listed["documents"]] == ["cover", "leave"]
    assert [d["source"] for d in listed["documents"]] == ["cover.pdf", "leave.md"]
    part = client.get("/api/documents", params={"limit": 1, "offset": 1}).json()
    assert ([d["id"] for d in part["documents"]], part["total"]) == (["leave"], 2)
    assert [d["id"] for d in client.get("/api/documents", params={"q": "COVER"}).json()["documents"]] == ["cover"]


def test_a_long_list_comes_in_parts_and_is_read_once(app: App) -> None:
    with sqlite3.connect(app.folder / FILE) as db:
        names = [row[1] for row in db.execute("PRAGMA table_info(document)")]
        first = dict(zip(names, db.execute("SELECT * FROM document WHERE id = 'leave'").fetchone(), strict=True))
        made = (first | {"n": n, "id": f"x-{n:05}", "sha256": f"{n:064}"} for n in range(100, 10_098))
        db.executemany(f"INSERT INTO document VALUES ({', '.join(f':{n}' for n in names)})", made)
    with TestClient(create(app), base_url=HOME) as client:
        whole = client.get("/api/documents").json()
        assert (whole["total"], len(whole["documents"])) == (10_000, 200)
        start = time.process_time()
        last = client.get("/api/documents", params={"limit": 1000, "offset": 9_999}).json()
        assert [d["id"] for d in last["documents"]] == ["x-10097"]
        assert client.get("/api/documents", params={"q": "x-05"}).json()["total"] == 1000
        assert client.get("/api/documents", params={"limit": 1001}).status_code == 422
        assert time.process_time() - start < 2
        assert client.delete("/api/documents/leave").status_code == 204
        assert client.get("/api/documents").json()["total"] == 9_999


def test_a_document_shows_its_sections_and_its_text_when_asked(client: TestClient) -> None:
    whole = client.get("/api/documents/leave", params={"text": True}).json()
    WholeDocument.model_validate(whole)
    sections = {s["title"]: whole["text"][s["start"] : s["end"]] for s in whole["sections"]}
    assert "Up to 5 days" in sections["Carry over"]
    assert client.get("/api/documents/leave").json()["text"] is None


def test_a_page_gives_text_words_and_passages_in_fractions(client: TestClient) -> None:
    leaf = client.get("/api/documents/cover/pages/2").json()
    LeafOut.model_validate(leaf)
    text = client.get("/api/documents/cover", params={"text": True}).json()["text"]
    assert leaf["text"] == text[leaf["start"] : leaf["end"]]
    words = [text[w["start"] : w["end"]] for w in leaf["words"]]
    assert words[:2] == ["2", "Claims"]
    assert all(0 <= w["x0"] < w["x1"] <= 1 and 0 <= w["y0"] < w["y1"] <= 1 for w in leaf["words"])
    assert leaf["passages"]
    assert all(r["page"] == 2 for p in leaf["passages"] for r in p["rects"])


def test_a_page_is_drawn_with_the_words_marked(client: TestClient) -> None:
    leaf = client.get("/api/documents/cover/pages/1").json()
    plain = client.get("/api/documents/cover/pages/1/image", params={"scale": 1})
    assert plain.headers["content-type"] == "image/png"
    assert struct.unpack(">II", plain.content[16:24]) == (596, 842)
    span = f"{leaf['words'][0]['start']}-{leaf['words'][3]['end']}"
    by_span = client.get("/api/documents/cover/pages/1/image", params={"scale": 1, "highlight": span})
    passage = leaf["passages"][0]["passage_id"]
    by_id = client.get("/api/documents/cover/pages/1/image", params={"scale": 1, "highlight": passage})
    assert len({plain.content, by_span.content, by_id.content}) == 3


@pytest.mark.parametrize("mark", ["0-999999999", "5-5", "9-3", "leave#leave#c1", "nothing", "../x", "-1-4"])
def test_a_mark_that_is_no_place_in_the_document_is_refused(client: TestClient, mark: str) -> None:
    response = client.get("/api/documents/cover/pages/1/image", params={"highlight": mark})
    assert (response.status_code, response.json()["code"]) == (400, "config")


def test_a_passage_is_found_by_its_id(client: TestClient) -> None:
    found = client.post("/api/search", json={"query": "carried over", "k": 1, "scorer": "lexical"}).json()["passages"][
        0
    ]
    shown = client.get(f"/api/passages/{found['passage_id'].replace('#', '%23')}").json()
    PassageOut.model_validate(shown)
    assert (shown["text"], shown["kind"]) == (found["text"], "passage")
    section = client.get("/api/passages/leave%23carry-over").json()
    assert section["kind"] == "section"


@pytest.mark.parametrize(
    "path",
    [
        "/api/documents/nobody",
        "/api/documents/nobody/file",
        "/api/documents/cover/pages/0",
        "/api/documents/cover/pages/3",
        "/api/documents/leave/pages/1",
        "/api/documents/cover/pages/3/image",
        "/api/documents/leave%23leave",
        "/api/passages/leave",
        "/api/passages/leave%23leave%23c99",
        "/api/passages/..%2F..%2Fetc%2Fpasswd",
        "/api/answers/nobody",
        "/api/nothing",
        "/v1/nothing",
    ],
)
def test_what_is_not_there_is_a_problem_document(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] in ("unknown_id", "unknown_route")


def test_a_picture_of_a_format_without_pages_is_refused(client: TestClient) -> None:
    assert client.get("/api/documents/leave/pages/1/image").status_code == 404


@pytest.mark.parametrize(
    ("doc_id", "kind", "how"),
    [("cover", "application/pdf", "inline"), ("leave", "text/plain; charset=utf-8", "attachment")],
)
def test_files_are_served_as_data(client: TestClient, papers: Path, doc_id: str, kind: str, how: str) -> None:
    response = client.get(f"/api/documents/{doc_id}/file")
    assert response.headers["content-type"] == kind
    assert response.headers["content-disposition"].startswith(how)
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in response.headers["content-security-policy"]
    assert response.content == next(papers.glob(f"{doc_id}.*")).read_bytes()
    part = client.get(f"/api/documents/{doc_id}/file", headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, response.content[:4])


def test_html_is_never_served_as_a_page(client: TestClient) -> None:
    page = b"<!doctype html><title>x</title><h1>Rules</h1><p>Gates close at six.</p><script>alert(1)</script>"
    assert send(client, ("rules.html", page))["status"] == 200
    response = client.get("/api/documents/rules/file")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.headers["content-disposition"].startswith("attachment")


def test_files_are_taken_in_and_out(client: TestClient, app: App) -> None:
    sent = send(client, ("parking.md", NOTE), ("broken.pdf", b"%PDF-1.4 nothing"))
    rows = {row["path"]: row for row in sent["rows"]}  # type: ignore[attr-defined]
    assert rows["parking.md"]["status"] == "added"
    assert (rows["broken.pdf"]["status"], rows["broken.pdf"]["error"]["code"]) == ("failed", "parse_error")
    assert "parking" in ids(client)
    assert send(client, ("parking.md", NOTE))["rows"][0]["status"] == "unchanged"  # type: ignore[index]
    assert send(client, ("parking.md", NOTE + b"\nBikes too.\n"))["rows"][0]["status"] == "replaced"  # type: ignore[index]
    assert client.delete("/api/documents/parking").status_code == 204
    assert client.delete("/api/documents/parking").status_code == 404
    assert "parking" not in ids(client)


def test_progress_is_told_when_events_are_wanted(client: TestClient) -> None:
    files = [("files", (f"{n}-note.md", NOTE + b"%d" % n)) for n in range(3)]
    response = client.post("/api/documents", files=files, headers={"Accept": "text/event-stream"})
    told = events(response.text)
    assert [name for name, _ in told] == ["status"] * 4 + ["done"]
    assert [json.loads(data).get("done") for _, data in told[1:4]] == [0, 1, 2]
    assert [row["status"] for row in json.loads(told[-1][1])["rows"]] == ["added"] * 3


def test_an_upload_whose_sender_left_stops_between_two_files(app: App) -> None:
    stop = threading.Event()
    told: list[object] = []

    def tell(name: str, data: object) -> None:
        told.append(data)
        stop.set()

    notes = [Upload(f"{n}-note.md", BytesIO(NOTE + b"%d" % n)) for n in range(5)]
    with pytest.raises(Cancelled, match="stay"):
        take_in(app, notes, tell, stop, facts=False)
    assert len(told) == 1
    assert {d.id for d in app.documents()} == {"cover", "leave", "0-note"}
    assert all(check.passed for check in app.integrity())


def test_an_upload_of_nothing_but_bad_files_is_an_error(client: TestClient) -> None:
    sent = send(client, ("run.exe", b"MZ\x90\x00" * 100))
    assert (sent["status"], sent["code"], sent["subject"]) == (422, "unsupported_file", "run.exe")
    assert "tmp" not in str(sent)
    assert send(client)["status"] == 415
    empty = client.post("/api/documents", data={"x": "y"}, files=[])
    assert empty.status_code == 415


def test_two_files_of_one_name_clash(client: TestClient) -> None:
    sent = send(client, ("parking.md", NOTE), ("parking.md", NOTE + b"\nAnd bikes.\n"))
    rows = sent["rows"]
    assert [row["status"] for row in rows] == ["added", "failed"]  # type: ignore[attr-defined]
    assert "belongs to `parking.md`" in rows[1]["error"]["message"]  # type: ignore[index]
    assert "citeleaf-upload" not in json.dumps(sent)
    again = send(client, ("parking.md", NOTE), ("parking.md", NOTE))
    assert [row["status"] for row in again["rows"]] == ["unchanged", "skipped"]  # type: ignore[attr-defined]


def test_case_facts_are_kept_apart(client: TestClient) -> None:
    assert send(client, ("orsova.md", b"The customer moved in May.\n"), params={"role": "facts"})["status"] == 200
    assert client.get("/api/documents/orsova").json()["role"] == "facts"
    found = client.post("/api/search", json={"query": "customer moved", "scorer": "lexical"}).json()["passages"]
    assert all(p["doc_id"] != "orsova" for p in found)


HOSTILE = [
    "../../x.md",
    "..\\..\\x.md",
    "/etc/x.md",
    "a/../../x.md",
    "%2e%2e%2fx.md",
    "x\u2215y.md",
    "..\uff0fx.md",
    "x\x00.md",
    "CON.md",
    ".",
    "..",
    "",
    "a" * 300 + ".md",
    "\u202egpj.md",
    "corpus.toml",
    "library.toml",
    "x\r\ny.md",
    "~/.ssh/x.md",
    "\ud800.md",
]


@pytest.mark.parametrize("name", HOSTILE, ids=lambda n: ascii(n)[:30])
def test_a_name_never_becomes_a_path(client: TestClient, app: App, tmp_path: Path, name: str) -> None:
    before = {p for p in tmp_path.rglob("*") if not p.is_relative_to(app.folder)}
    shown = display_name(name)
    assert shown and shown not in (".", "..")
    assert not set(shown) & set("/\\\0\r\n\u202e\u2215")
    assert len(shown) <= 120
    body = (
        b'--B\r\nContent-Disposition: form-data; name="files"; filename="'
        + name.encode("utf-8", "surrogatepass").replace(b"\r\n", b"%0D%0A")
        + b'"\r\n\r\n'
        + NOTE
        + b"\r\n--B--\r\n"
    )
    response = client.post("/api/documents", content=body, headers={"Content-Type": "multipart/form-data; boundary=B"})
    assert response.status_code in (200, 400, 422), response.text
    assert {p for p in tmp_path.rglob("*") if not p.is_relative_to(app.folder)} == before
    for kept in (app.folder / "sources").iterdir():
        assert len(kept.stem) == 64

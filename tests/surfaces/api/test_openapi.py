"""The committed OpenAPI document is what the server says of itself, and every route of it is described."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citeleaf.surfaces.api.app import routes
from citeleaf.surfaces.cli.main import run

ROUTES = {
    "/healthz": {"get"},
    "/api/documents": {"get", "post"},
    "/api/documents/{doc_id}": {"get", "delete"},
    "/api/documents/{doc_id}/file": {"get"},
    "/api/documents/{doc_id}/pages/{n}": {"get"},
    "/api/documents/{doc_id}/pages/{n}/image": {"get"},
    "/api/passages/{passage_id}": {"get"},
    "/api/search": {"post"},
    "/api/ask": {"post"},
    "/api/check": {"post"},
    "/api/answers": {"get"},
    "/api/answers/{answer_id}": {"get"},
    "/api/answers/{answer_id}/feedback": {"post"},
    "/api/answers/{answer_id}/file": {"get"},
    "/api/feedback": {"get"},
    "/api/library": {"get"},
    "/v1/models": {"get"},
    "/v1/models/{name}": {"get"},
    "/v1/chat/completions": {"post"},
    "/v1/embeddings": {"post"},
}


def test_the_committed_document_is_fresh(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--openapi"]) == 0
    said = json.loads(capsys.readouterr().out)
    committed = json.loads((root / "docs" / "reference" / "openapi.json").read_text("utf-8"))
    assert committed == said, "citeleaf serve --openapi > docs/reference/openapi.json"


def test_every_route_is_described() -> None:
    document = routes(None).openapi()
    assert document["openapi"].startswith("3.1")
    assert {path: set(methods) for path, methods in document["paths"].items()} == ROUTES
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert "4XX" in operation["responses"] or operation["tags"] == ["server"]


def test_the_server_serves_it(client: TestClient) -> None:
    assert client.get("/openapi.json").json() == json.loads(json.dumps(routes(None).openapi()))

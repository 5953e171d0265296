"""Errors as problem documents (RFC 9457) with the codes, hints and subjects of the command line."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from citeleaf.errors import CiteleafError
from citeleaf.record import Json
from citeleaf.surfaces.api.schemas import without_folders

MEDIA_TYPE = "application/problem+json"
_MOST_ERRORS = 20
_LONGEST = 600
"""Most characters of a detail, a hint, a subject."""
_CODES = {400: "usage", 401: "key", 403: "foreign", 404: "unknown_route", 405: "method", 413: "too_large", 415: "media"}

log = logging.getLogger("citeleaf.server")


class Plain(Response):
    """JSON in ASCII, so that any text a document, a question or a model holds can be sent."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        """The bytes; numbers that are not finite are a mistake of the caller."""
        return dumps(content).encode("ascii")


def dumps(value: object) -> str:
    """One line of ASCII JSON."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    hint: str = "",
    subject: str | None = None,
    errors: Sequence[Mapping[str, str]] = (),
) -> dict[str, Json]:
    """A problem document; `code`, `hint` and `subject` are those of `citeleaf/error/1`."""
    known = {s.value: s.phrase for s in HTTPStatus}
    body: dict[str, Json] = {
        "type": f"urn:citeleaf:error:{code}",
        "title": known.get(status, "Stopped"),
        "status": status,
        "detail": _short(detail),
        "code": code,
        "hint": _short(hint),
        "subject": None if subject is None else _short(subject),
    }
    if errors:
        body["errors"] = [dict(e) for e in errors]
    return body


def _short(text: str) -> str:
    """What was sent comes back in part only."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def of_error(error: BaseException) -> dict[str, Json]:
    """The problem document of an error; one that is not ours tells nothing but that it was unforeseen."""
    if isinstance(error, CiteleafError):
        subject = None if error.subject is None else without_folders(f"`{error.subject}`")[1:-1]
        said = without_folders(error.message)
        body = problem(error.http_status, error.code, said, hint=without_folders(error.hint), subject=subject)
        body["retryable"] = error.retryable
        return body
    return problem(500, "internal", "something unforeseen went wrong", hint="see the log of the server")


def with_error(body: dict[str, Json]) -> dict[str, Json]:
    """The problem document with the member `error` that clients of the OpenAI API look for."""
    kind = "server_error" if str(body["status"]).startswith("5") else "invalid_request_error"
    said = f"{body['detail']}; {body['hint']}" if body["hint"] else body["detail"]
    return {**body, "error": {"message": said, "type": kind, "code": body["code"], "param": body["subject"]}}


def answered(path: str, body: dict[str, Json], headers: Mapping[str, str] | None = None) -> Plain:
    """The response to a request for `path` that carries a problem document."""
    status = body["status"]
    if path.startswith("/v1/"):
        body = with_error(body)
    assert isinstance(status, int)
    return Plain(body, status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


def register(api: FastAPI) -> None:
    """Makes every error of the routes a problem document."""

    @api.exception_handler(CiteleafError)
    async def ours(request: Request, error: CiteleafError) -> Response:
        headers = {"Retry-After": "2"} if error.retryable else {}
        return answered(request.url.path, of_error(error), headers)

    @api.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        code = _CODES.get(error.status_code, "http")
        told = {404: "there is no such route", 405: f"this route does not take {request.method}"}
        body = problem(
            error.status_code, code, told.get(error.status_code, str(error.detail)), hint="see /openapi.json"
        )
        return answered(request.url.path, body, error.headers)

    @api.exception_handler(Exception)
    async def unforeseen(request: Request, error: Exception) -> Response:
        return answered(request.url.path, of_error(error))

    @api.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        # What was sent is not sent back: it may be large, secret or hostile.
        found = [
            {"field": ".".join(str(part) for part in e["loc"])[:200], "message": str(e["msg"])[:300]}
            for e in error.errors()[:_MOST_ERRORS]
        ]
        what = found[0] if found else {"field": "body", "message": "is not what is expected"}
        detail = f"`{what['field']}`: {what['message']}"
        return answered(request.url.path, problem(422, "usage", detail, hint="see /openapi.json", errors=found))

"""Documents: taken in, listed, read page by page, taken out; passages by their ids."""

from __future__ import annotations

import re
import threading
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect
from starlette.responses import FileResponse, Response

from citeleaf.app import Shown
from citeleaf.errors import Cancelled, ConfigError, UnknownId
from citeleaf.ingest.report import Report
from citeleaf.record import Json
from citeleaf.surfaces.api.answers import PROBLEMS, RECEIVED, wants_events
from citeleaf.surfaces.api.problems import Plain
from citeleaf.surfaces.api.schemas import (
    DocumentsOut,
    LeafOut,
    PassageOut,
    WholeDocument,
    document_out,
    file_name,
    on_page,
    rects_out,
    words_out,
)
from citeleaf.surfaces.api.server import Here, Server
from citeleaf.surfaces.api.uploads import Upload, take_in
from citeleaf.surfaces.api.work import EventStream, Tell
from citeleaf.types import Document, Span

router = APIRouter(prefix="/api", tags=["documents"])
_MOST_FILES = 1000
_MOST_MARKS = 50
_SPAN = re.compile(r"(\d{1,9})-(\d{1,9})")
_TYPES = {".pdf": "application/pdf", ".md": "text/plain", ".markdown": "text/plain", ".txt": "text/plain"}
_TYPES |= dict.fromkeys((".text", ".html", ".htm", ".xhtml", ".csv", ".tsv"), "text/plain")
_FORM = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
                "required": ["files"],
            }
        }
    },
}


@router.get("/documents", summary="The documents by id", responses={200: {"model": DocumentsOut}, **PROBLEMS})
def documents(
    here: Here,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    q: Annotated[str, Query(max_length=200, description="Part of the title, id or file name.")] = "",
) -> Response:
    """Without their text; `total` counts all that match."""
    wanted = q.casefold()
    found = [d for d in here.app.documents() if not wanted or wanted in f"{d.title} {d.id} {d.source}".casefold()]
    part = [document_out(d) for d in found[offset : offset + limit]]
    shown = {"documents": part, "total": len(found), "offset": offset, "limit": limit}
    return Plain({"schema": "citeleaf/documents/1", **shown})


@router.post(
    "/documents",
    summary="Takes files in; with `Accept: text/event-stream`, tells how far it is",
    openapi_extra={"requestBody": _FORM},
    responses={200: {"description": "A row for each file (`citeleaf/ingest/1`)"}, **PROBLEMS},
)
async def upload(
    request: Request,
    here: Here,
    role: Annotated[str, Query(pattern="^(policy|facts)$", description="`facts`: read, never cited.")] = "policy",
) -> Response:
    """Files of the form field `files`; what cannot be read fails by itself and never stops the rest.

    One upload is taken in at a time, others wait. When every file failed, the error of the first is the response.
    """
    try:
        form = await request.form(max_files=_MOST_FILES, max_fields=10)
    except MultiPartException as error:
        raise ConfigError(f"the upload cannot be read: {error.message}", hint="send multipart/form-data") from error
    except ClientDisconnect as error:
        raise Cancelled("the upload was broken off", hint="send it again") from error
    sent = [part for _, part in form.multi_items() if isinstance(part, UploadFile)]
    if not sent:
        raise ConfigError("the upload holds no file", hint="send files in the form field `files`")
    uploads = [Upload(part.filename or "", part.file) for part in sent]

    def work(tell: Tell, stop: threading.Event) -> Report:
        try:
            return take_in(here.app, uploads, tell, stop, facts=role == "facts")
        finally:
            for one in uploads:
                one.file.close()

    job = here.uploads.start(work)
    if wants_events(request):
        return EventStream(job, _report_json, RECEIVED)
    report = await job.result(request)
    failed = [row.error for row in report.rows if row.error is not None]
    if len(failed) == len(report.rows):
        raise failed[0]
    return Plain(_report_json(report))


@router.get("/documents/{doc_id}", summary="A document", responses={200: {"model": WholeDocument}, **PROBLEMS})
def document(doc_id: str, here: Here, text: bool = False) -> Response:
    """With its sections, and with `text=true` its text."""
    found = _document(here, doc_id)
    sections = [
        {
            "id": s.id,
            "title": s.title,
            "level": s.level,
            "path": list(s.path),
            "start": s.span.start,
            "end": s.span.end,
            "indexed": s.indexed,
        }
        for s in found.sections
    ]
    whole = {"characters": len(found.text), "sections": sections, "text": found.text if text else None}
    return Plain({"schema": "citeleaf/document/1", **document_out(found), **whole})


@router.delete("/documents/{doc_id}", summary="Takes a document out", status_code=204, responses=PROBLEMS)
def remove(doc_id: str, here: Here) -> Response:
    """Nothing of it can answer afterwards; kept answers that show its words go blank."""
    here.app.remove([doc_id])
    return Response(status_code=204)


@router.get(
    "/documents/{doc_id}/file",
    summary="The file as it was taken in",
    responses={200: {"content": {"application/octet-stream": {}}}, **PROBLEMS},
)
def file(doc_id: str, here: Here) -> Response:
    """PDF as such, text and HTML as plain text, everything else as bytes to be kept; ranges are served."""
    found = _document(here, doc_id)
    path = here.app.source(found)
    kind = _TYPES.get(path.suffix.lower(), "application/octet-stream")
    return FileResponse(
        path,
        media_type=kind,
        filename=file_name(found.source),
        content_disposition_type="inline" if kind == "application/pdf" else "attachment",
    )


@router.get(
    "/documents/{doc_id}/pages/{n}",
    summary="A page: its text, the boxes of its words, the passages on it",
    responses={200: {"model": LeafOut}, **PROBLEMS},
)
def page(doc_id: str, n: int, here: Here) -> Response:
    """`n` is the physical page, from 1. Boxes are fractions of the visible page, origin top left."""
    leaf = here.app.leaf(doc_id, n)
    span = leaf.page.span
    return Plain(
        {
            "schema": "citeleaf/page/1",
            "doc_id": leaf.document.id,
            "title": leaf.document.title,
            "page": leaf.page.number,
            "page_label": leaf.page.label,
            "pages": len(leaf.document.pages),
            "quality": leaf.page.quality,
            "start": span.start,
            "end": span.end,
            "text": leaf.document.text[span.start : span.end],
            "words": words_out(leaf.boxes, n),
            "passages": [on_page(passage, leaf.boxes, n) for passage in leaf.passages],
        }
    )


@router.get(
    "/documents/{doc_id}/pages/{n}/image",
    summary="A page as a picture",
    responses={200: {"content": {"image/png": {}}}, **PROBLEMS},
)
def image(
    doc_id: str,
    n: int,
    here: Here,
    scale: Annotated[float, Query(gt=0, le=8, description="Pixels a point.")] = 2.0,
    highlight: Annotated[list[str] | None, Query(description="`START-END` in the text, or a passage id.")] = None,
) -> Response:
    """PNG with the given words marked."""
    found = _document(here, doc_id, page=n)
    if len(highlight or ()) > _MOST_MARKS:
        raise ConfigError(f"more than {_MOST_MARKS} places cannot be marked at once", subject="highlight")
    spans = [_span(here, found.id, len(found.text), mark) for mark in highlight or ()]
    return Response(here.app.page_image(found, n, scale=scale, spans=spans), media_type="image/png")


@router.get(
    "/passages/{passage_id:path}",
    summary="A passage or section by its id (`#` sent as `%23`)",
    responses={200: {"model": PassageOut}, **PROBLEMS},
)
def passage(passage_id: str, here: Here) -> Response:
    """Its words and where they stand."""
    if "#" not in passage_id:
        raise UnknownId(f"there is no passage `{passage_id}`", hint="send `#` as `%23`", subject=passage_id)
    return Plain(passage_json(passage_id, here.app.show(passage_id)))


def passage_json(passage_id: str, shown: Shown) -> dict[str, object]:
    """The fields of `PassageOut`."""
    return {
        "schema": "citeleaf/shown/1",
        "id": passage_id,
        "kind": shown.kind,
        "doc_id": shown.document.id,
        "title": shown.document.title,
        "version": shown.document.version,
        "section": list(shown.place.section),
        "page": shown.place.page,
        "page_label": shown.place.page_label,
        "start": shown.span.start,
        "end": shown.span.end,
        "text": shown.text,
        "rects": rects_out(shown.place),
    }


def _document(here: Server, doc_id: str, page: int | None = None) -> Document:
    """A document by its id; those of its parts, and of answers, have routes of their own."""
    shown = here.app.show(doc_id, page=page)
    if shown.kind not in ("document", "page"):
        raise UnknownId(f"there is no document `{doc_id}`", hint="GET /api/documents lists them", subject=doc_id)
    return shown.document


def _span(here: Server, doc_id: str, length: int, mark: str) -> Span:
    found = _SPAN.fullmatch(mark)
    if found is not None:
        start, end = int(found[1]), int(found[2])
        if start < end <= length:
            return Span(start, end)
    elif mark.startswith(f"{doc_id}#"):
        return here.app.show(mark).span
    raise ConfigError(
        f"`{mark[:100]}` is no place of `{doc_id}`", hint="START-END or a passage id", subject="highlight"
    )


def _report_json(report: Report) -> dict[str, Json]:
    made: dict[str, Json] = report.json()  # type: ignore[assignment]
    return made

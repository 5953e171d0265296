"""Asking, searching, checking; kept answers and what readers say of them."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from citeleaf.answer.followup import Turn
from citeleaf.app import Found
from citeleaf.chat import stopped_by
from citeleaf.check import check_json
from citeleaf.errors import UnknownId
from citeleaf.feedback import Feedback, benchmark_row
from citeleaf.record import Json, answer_json, event_json
from citeleaf.surfaces.api import answer_schema as forms
from citeleaf.surfaces.api.problems import Plain, dumps
from citeleaf.surfaces.api.schemas import (
    AnswersOut,
    Ask,
    CheckText,
    FeedbackOut,
    Judged,
    ProblemOut,
    SearchFor,
    SearchOut,
    rects_out,
)
from citeleaf.surfaces.api.server import Here, Server
from citeleaf.surfaces.api.work import EventStream, Tell
from citeleaf.surfaces.found import found_json
from citeleaf.surfaces.talk import ask_in_talk
from citeleaf.types import Answer, Fact

router = APIRouter(prefix="/api", tags=["answers"])
STREAM = "text/event-stream"
RECEIVED: tuple[str, Json] = ("status", {"stage": "received", "seconds": None})
PROBLEMS: dict[int | str, dict[str, object]] = {
    "4XX": {"model": ProblemOut, "description": "A problem document"},
    "5XX": {"model": ProblemOut, "description": "A problem document"},
}
_EVENTS = {"schema": {"type": "string"}, "example": 'event: status\ndata: {"stage":"guard","seconds":null}\n\n'}


def wants_events(request: Request) -> bool:
    """Whether the caller asked for a stream of events."""
    return STREAM in request.headers.get("accept", "")


@router.post(
    "/ask",
    summary="One question, one answer; with `Accept: text/event-stream`, told as it comes about",
    responses={200: {"model": forms.AnswerOut, "content": {STREAM: _EVENTS}}, **PROBLEMS},
)
async def ask(body: Ask, request: Request, here: Here) -> Response:
    """Events: `status`, `check`, `evidence`, `claim` (one checked sentence), then `done` (the answer) or `error`."""

    def work(tell: Tell, stop: threading.Event) -> Answer:
        return ask_in_talk(
            here.app,
            body.question,
            history=[Turn(t.asked, t.answer) for t in body.history],
            facts=[Fact(f.label, f.text) for f in body.facts],
            doc_ids=body.doc_ids,
            watch=lambda event: tell(event.kind, event_json(event)),
            cancel=stop,
        )

    job = here.questions.start(work)
    if wants_events(request):
        return EventStream(job, answer_json, RECEIVED)
    return Plain(answer_json(await job.result(request)))


@router.post("/search", summary="Passages only", responses={200: {"model": SearchOut}, **PROBLEMS})
async def search(body: SearchFor, request: Request, here: Here) -> Response:
    """The best passages by one scorer."""

    def work(_: Tell, stop: threading.Event) -> dict[str, object]:
        found = here.app.search(body.query, k=body.k, scorer=body.scorer, doc_ids=tuple(dict.fromkeys(body.doc_ids)))
        titles = {d.id: d.title for d in here.app.documents()} if found else {}
        return {
            "schema": "citeleaf/search/1",
            "query": body.query,
            "scorer": body.scorer,
            "passages": [found_out(f, titles.get(f.passage.doc_id, "")) for f in found],
        }

    return Plain(await here.questions.start(work).result(request))


@router.post(
    "/check",
    summary="Verifies each sentence of a text",
    responses={200: {"model": forms.CheckOut, "content": {STREAM: _EVENTS}}, **PROBLEMS},
)
async def check(body: CheckText, request: Request, here: Here) -> Response:
    """Each sentence with its verdict and the words of the documents that come nearest."""

    def work(tell: Tell, stop: threading.Event) -> dict[str, Json]:
        with stopped_by(stop):
            found = here.app.check(
                body.text,
                against=tuple(dict.fromkeys(body.against)),
                watch=lambda event: tell(event.kind, event_json(event)),
            )
        return check_json(found)

    job = here.questions.start(work)
    if wants_events(request):
        return EventStream(job, lambda done: done, RECEIVED)
    return Plain(await job.result(request))


@router.get("/answers", summary="Kept answers, newest first", responses={200: {"model": AnswersOut}, **PROBLEMS})
def answers(
    here: Here,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Those whose document was removed are left out."""
    found = here.app.answers(limit=limit, offset=offset)
    rows = [_row(answer) for answer in found]
    return Plain({"schema": "citeleaf/answers/1", "answers": rows, "offset": offset, "limit": limit})


@router.get("/answers/{answer_id}", summary="A kept answer", responses={200: {"model": forms.AnswerOut}, **PROBLEMS})
def answer(answer_id: str, here: Here) -> Response:
    """410 with the code `source_removed` when the document it rests on was taken out."""
    return Plain(answer_json(here.app.answer(answer_id)))


@router.post(
    "/answers/{answer_id}/feedback",
    summary="What a reader says of an answer",
    status_code=201,
    responses={201: {"model": FeedbackOut}, **PROBLEMS},
)
def feedback(answer_id: str, body: Judged, here: Here) -> Response:
    """Kept beside the library; `GET /api/feedback` gives all of it as rows of a benchmark."""
    noted = Feedback(answer_id, body.kind, body.comment, datetime.now(UTC).isoformat(timespec="seconds"))
    here.app.note(noted)
    shown = {"answer_id": noted.answer_id, "kind": noted.kind, "comment": noted.comment, "at": noted.at}
    return Plain({"schema": "citeleaf/feedback/1", **shown}, status_code=201)


@router.get(
    "/feedback",
    summary="All feedback as rows of a benchmark",
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}, **PROBLEMS},
)
def feedback_rows(here: Here) -> Response:
    """One row in the QA form a line; the last word of one kind on an answer counts."""
    text = "".join(dumps(row) + "\n" for row in _benchmark(here))
    named = {"Content-Disposition": 'attachment; filename="feedback.jsonl"'}
    return Response(text, media_type="application/x-ndjson", headers=named)


def found_out(found: Found, title: str) -> dict[str, object]:
    """The fields of `FoundOut`."""
    return {**found_json(found), "title": title, "rects": rects_out(found.place)}


def _row(answer: Answer) -> dict[str, object]:
    query = answer.trace.query
    return {
        "id": answer.id,
        "question": query.text if query.asked is None else query.asked,
        "outcome": answer.decision.outcome,
        "reason": answer.decision.reason,
        "text": answer.text,
        "citations": len(answer.citations),
    }


def _benchmark(here: Server) -> list[dict[str, object]]:
    latest = {(f.answer_id, f.kind): f for f in here.app.feedback()}
    rows = []
    for noted in latest.values():
        try:
            rows.append(benchmark_row(here.app.answer(noted.answer_id), noted))
        except UnknownId:
            continue  # its document was removed, and its words with it
    return rows

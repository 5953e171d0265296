"""Endpoints for clients of the OpenAI API: chat completions that cite, models, embeddings."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Sequence

import numpy as np
from fastapi import APIRouter, Request
from numpy.typing import NDArray
from starlette.responses import Response

from citeleaf.answer.followup import Turn, rewrite
from citeleaf.errors import ConfigError, ModelNotInstalled, UnknownId
from citeleaf.record import Json, answer_json
from citeleaf.surfaces.api.answers import PROBLEMS, STREAM
from citeleaf.surfaces.api.openai_forms import ChatRequest, EmbeddingsRequest, Said, words
from citeleaf.surfaces.api.problems import Plain, dumps, with_error
from citeleaf.surfaces.api.server import Here, Server
from citeleaf.surfaces.api.work import EventStream, Job, Tell
from citeleaf.surfaces.talk import ask_in_talk
from citeleaf.types import Answer

router = APIRouter(prefix="/v1", tags=["openai"])
MODEL = "citeleaf"
_MADE: dict[str, Json] = {"object": "model", "created": 0, "owned_by": "citeleaf"}


@router.get("/models", summary="The model that answers, and the one that embeds", responses=PROBLEMS)
def models(here: Here) -> Response:
    """`citeleaf`, and the embedder where there is one."""
    return Plain({"object": "list", "data": [{"id": name, **_MADE} for name in _names(here)]})


@router.get("/models/{name:path}", summary="One model", responses=PROBLEMS)
def model(name: str, here: Here) -> Response:
    """By its id."""
    if name not in _names(here):
        raise UnknownId(f"there is no model `{name}`", hint="GET /v1/models lists them", subject=name)
    return Plain({"id": name, **_MADE})


@router.post(
    "/chat/completions",
    summary="A talk's last question, answered from the documents",
    responses={200: {"content": {STREAM: {"schema": {"type": "string"}}}}, **PROBLEMS},
)
async def chat(body: ChatRequest, request: Request, here: Here) -> Response:
    """The last message of the user is asked, those before it are what was said; other roles are not read.

    The text carries `[n]` markers, `annotations` a `file_citation` for each, `refusal` the text whenever the outcome
    is not `answered`, and `citeleaf` the whole answer. With `stream`, sentences come once all of them were checked.
    """
    said = body.said()

    def work(_: Tell, stop: threading.Event) -> Answer:
        return ask_in_talk(here.app, said.question, history=talk(said.before), cancel=stop)

    job = here.questions.start(work)
    if body.stream:
        return ChatStream(job, said, body.wants_usage())
    return Plain(completion(await job.result(request), said))


@router.post("/embeddings", summary="Vectors of texts", responses=PROBLEMS)
async def embeddings(body: EmbeddingsRequest, request: Request, here: Here) -> Response:
    """By the library's own embedder, of length 1; `input_type`: `query` for questions, else as passages."""
    texts = body.texts()

    def work(_: Tell, stop: threading.Event) -> dict[str, Json]:
        embedder = here.app.kit.embedder
        if embedder is None:
            raise ModelNotInstalled("there is no embedder", hint="see the setting `models.embedder`")
        if body.dimensions not in (None, embedder.dim):
            raise ConfigError(
                f"`{embedder.name}` makes vectors of {embedder.dim} numbers", hint="leave `dimensions` out"
            )
        query = body.input_type == "query"
        rows = [embedder.query(t) for t in texts] if query else list(embedder.passages(texts))
        data: list[Json] = [
            {"object": "embedding", "index": n, "embedding": _vector(row, body.encoding_format)}
            for n, row in enumerate(rows)
        ]
        count = sum(words(t) for t in texts)
        usage: Json = {"prompt_tokens": count, "total_tokens": count}
        return {"object": "list", "data": data, "model": embedder.name, "usage": usage}

    return Plain(await here.questions.start(work).result(request))


def talk(before: Sequence[tuple[str, str]]) -> list[Turn]:
    """What was said before as turns: follow-ups among it as the questions that they stood for, by rules alone."""
    turns: list[Turn] = []
    for question, answer in before:
        turns.append(Turn(rewrite(question, turns).question, answer))
    return turns


def completion(answer: Answer, said: Said) -> dict[str, Json]:
    """A `chat.completion` object."""
    message: dict[str, Json] = {"role": "assistant", "content": answer.text, **_marks(answer)}
    return {
        **_head(answer.id, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": _usage(answer, said),
        "system_fingerprint": answer.trace.fingerprint,
        "citeleaf": _whole(answer, said),
    }


class ChatStream(EventStream[Answer]):
    """The chunks of one chat completion, then `[DONE]`.

    What was sent cannot be taken back, and only the end of the path knows whether an answer stands: so the text is
    sent when it does.
    """

    def __init__(self, job: Job[Answer], said: Said, usage: bool) -> None:
        """`usage`: a last chunk counts."""
        super().__init__(job, answer_json, ("", None))
        self._said = said
        self._wants_usage = usage
        self._began = int(time.time())

    def event(self, name: str, data: Json) -> str:
        """The first chunk names the role; what is told on the way is not sent."""
        return "" if name else self._chunk("0", {"role": "assistant", "content": ""})

    def last(self, result: Answer) -> str:
        """The text, its citations, the counts."""
        out = [self._chunk(result.id, {"content": piece}) for piece in result.text.splitlines(keepends=True)]
        more: dict[str, Json] = {"citeleaf": _whole(result, self._said), "system_fingerprint": result.trace.fingerprint}
        out.append(self._chunk(result.id, _marks(result), "stop", more))
        if self._wants_usage:
            counted: dict[str, Json] = {"choices": [], "usage": _usage(result, self._said)}
            out.append(f"data: {dumps({**self._base(result.id), **counted})}\n\n")
        return "".join(out) + "data: [DONE]\n\n"

    def broken(self, body: dict[str, Json]) -> str:
        """An error as clients of a stream know it."""
        return f"data: {dumps(with_error(body))}\n\ndata: [DONE]\n\n"

    def _chunk(
        self, id_: str, delta: dict[str, Json], finish: str | None = None, more: dict[str, Json] | None = None
    ) -> str:
        choice: Json = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return f"data: {dumps({**self._base(id_), 'choices': [choice], **(more or {})})}\n\n"

    def _base(self, id_: str) -> dict[str, Json]:
        return {**_head(id_, "chat.completion.chunk"), "created": self._began}


def _head(id_: str, kind: str) -> dict[str, Json]:
    return {"id": f"chatcmpl-{id_}", "object": kind, "created": int(time.time()), "model": MODEL}


def _marks(answer: Answer) -> dict[str, Json]:
    """`refusal` and `annotations`: each citation with the characters of the text that lean on it."""
    marks: list[Json] = []
    cited = {c.n: c for c in answer.citations}
    end = 0
    for claim in answer.claims:
        start = answer.text.index(claim.text, end)
        end = start + len(claim.text)
        for c in (cited[n] for n in claim.citations):
            marks.append(
                {
                    "type": "file_citation",
                    "index": end,
                    "start_index": start,
                    "end_index": end,
                    "file_id": c.doc_id,
                    "filename": c.title,
                    "number": c.n,
                    "passage_id": c.passage_id,
                    "page": c.place.page,
                    "page_label": c.place.page_label,
                    "quote": c.quote.text,
                }
            )
    return {"refusal": None if answer.decision.outcome == "answered" else answer.text, "annotations": marks}


def _whole(answer: Answer, said: Said) -> dict[str, Json]:
    return {**answer_json(answer), "ignored": list(said.ignored)}


def _usage(answer: Answer, said: Said) -> dict[str, Json]:
    wrote = words(answer.text)
    return {"prompt_tokens": said.words, "completion_tokens": wrote, "total_tokens": said.words + wrote}


def _names(here: Server) -> list[str]:
    embedder = here.app.kit.embedder
    return [MODEL, *([embedder.name] if embedder is not None else [])]


def _vector(row: NDArray[np.float32], form: str | None) -> Json:
    if form == "base64":
        return base64.b64encode(row.astype("<f4").tobytes()).decode("ascii")
    return [float(v) for v in row]

"""The forms of requests and responses, from which the OpenAPI document is made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from citeleaf.types import Document, Passage, Place, Quality, Rect, Role

if TYPE_CHECKING:
    from citeleaf.boxes import Boxes

_PATH = re.compile(r"`(?:/|[A-Za-z]:[\\/])[^`]*[/\\]([^`/\\]+)`")
Id = Annotated[str, Field(min_length=1, max_length=300)]
Text = Annotated[str, Field(max_length=100_000)]
Outcome = Literal["answered", "abstained", "refused", "escalated"]
Label = Literal["supported", "refuted", "not_enough_info"]
Feedback = Literal["helpful", "wrong", "wrong_source", "should_have_refused", "should_have_answered"]


class Form(BaseModel):
    """Base of what is taken: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class CaseFact(Form):
    """A case fact: read with the question, never cited."""

    label: Annotated[str, Field(max_length=300)] = "facts"
    text: Text


class Turn(Form):
    """An earlier question of the talk, as it was asked of the documents, and the text of its answer."""

    asked: Text
    answer: Text = ""


class Ask(Form):
    """One question. With `history`, a follow-up is rewritten to a question that stands alone."""

    question: Text
    facts: Annotated[list[CaseFact], Field(max_length=50)] = []
    doc_ids: Annotated[list[Id], Field(max_length=1000, description="Only these documents; empty: all.")] = []
    history: Annotated[list[Turn], Field(max_length=50)] = []


class SearchFor(Form):
    """A search; nothing is written."""

    query: Text
    k: Annotated[int, Field(ge=1, le=100)] = 5
    scorer: Literal["lexical", "tfidf", "dense", "fused", "reranked"] = "reranked"
    doc_ids: Annotated[list[Id], Field(max_length=1000)] = []


class CheckText(Form):
    """A text whose sentences are to be verified against the library, or some of its documents."""

    text: Annotated[str, Field(max_length=1_000_000)]
    against: Annotated[list[Id], Field(max_length=1000)] = []


class Judged(Form):
    """What a reader says of an answer."""

    kind: Feedback
    comment: Annotated[str, Field(max_length=10_000)] = ""


class RectOut(BaseModel):
    """A rectangle in fractions of the visible page, origin top left."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class PageOut(BaseModel):
    """A page of a document: its position from 1, the number printed on it, what its text is worth."""

    number: int
    label: str | None
    quality: Quality


class NoticeOut(BaseModel):
    """Something a reader of the document should know."""

    code: str
    page: int | None
    detail: str


class DocumentOut(BaseModel):
    """A document without its text; `source` is the name of its file."""

    id: str
    title: str
    source: str
    sha256: str
    version: str | None
    effective: str | None
    replaces: str | None
    role: Role
    language: str
    pages: list[PageOut]
    notices: list[NoticeOut]


class DocumentsOut(BaseModel):
    """A part of the list of documents, which is ordered by id; `total` counts them all."""

    schema_: Literal["citeleaf/documents/1"] = Field("citeleaf/documents/1", alias="schema")
    documents: list[DocumentOut]
    total: int
    offset: int
    limit: int


class SectionOut(BaseModel):
    """A section: characters `start` to `end` of the text; `indexed`: searched and cited."""

    id: str
    title: str
    level: int
    path: list[str]
    start: int
    end: int
    indexed: bool


class WholeDocument(DocumentOut):
    """A document with its sections, and its text where it was asked for."""

    schema_: Literal["citeleaf/document/1"] = Field("citeleaf/document/1", alias="schema")
    characters: int
    sections: list[SectionOut]
    text: str | None = None


class WordOut(BaseModel):
    """Characters `start` to `end` of the document's text and where they stand on the page."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float


class PassageOnPage(BaseModel):
    """A passage that has words on the page, with its rectangles there."""

    passage_id: str
    start: int
    end: int
    rects: list[RectOut]


class LeafOut(BaseModel):
    """One page: characters `start` to `end` of the document, the boxes of its words, and the passages on it."""

    schema_: Literal["citeleaf/page/1"] = Field("citeleaf/page/1", alias="schema")
    doc_id: str
    title: str
    page: int
    page_label: str | None
    pages: int
    quality: Quality
    start: int
    end: int
    text: str
    words: list[WordOut]
    passages: list[PassageOnPage]


class PassageOut(BaseModel):
    """A passage or section by its id, with its words and their place."""

    schema_: Literal["citeleaf/shown/1"] = Field("citeleaf/shown/1", alias="schema")
    id: str
    kind: Literal["passage", "section", "document"]
    doc_id: str
    title: str
    version: str | None
    section: list[str]
    page: int | None
    page_label: str | None
    start: int
    end: int
    text: str
    rects: list[RectOut]


class FoundOut(BaseModel):
    """One passage that was found; `score` is comparable only within one list."""

    passage_id: str
    doc_id: str
    title: str
    rank: int
    score: float
    scorer: str
    page: int | None
    page_label: str | None
    pages: list[int]
    section: list[str]
    start: int
    end: int
    text: str
    rects: list[RectOut]


class SearchOut(BaseModel):
    """The passages that were found, best first."""

    schema_: Literal["citeleaf/search/1"] = Field("citeleaf/search/1", alias="schema")
    query: str
    scorer: str
    passages: list[FoundOut]


class AnswerRow(BaseModel):
    """A kept answer in a list."""

    id: str
    question: str
    outcome: Outcome
    reason: str
    text: str
    citations: int


class AnswersOut(BaseModel):
    """Kept answers, newest first."""

    schema_: Literal["citeleaf/answers/1"] = Field("citeleaf/answers/1", alias="schema")
    answers: list[AnswerRow]
    offset: int
    limit: int


class FeedbackOut(BaseModel):
    """What was noted."""

    schema_: Literal["citeleaf/feedback/1"] = Field("citeleaf/feedback/1", alias="schema")
    answer_id: str
    kind: Feedback
    comment: str
    at: str


class HealthOut(BaseModel):
    """`ready`: the models are loaded, the next question does not wait for them."""

    status: Literal["ok"] = "ok"
    ready: bool
    version: str


class ProblemOut(BaseModel):
    """An error (RFC 9457) with the code, hint and subject of the command line."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    hint: str
    subject: str | None


def document_out(document: Document) -> dict[str, object]:
    """The fields of `DocumentOut`."""
    return {
        "id": document.id,
        "title": document.title,
        "source": file_name(document.source),
        "sha256": document.sha256,
        "version": document.version,
        "effective": document.effective,
        "replaces": document.replaces,
        "role": document.role,
        "language": document.language,
        "pages": [{"number": p.number, "label": p.label, "quality": p.quality} for p in document.pages],
        "notices": [{"code": n.code, "page": n.page, "detail": n.detail} for n in document.notices],
    }


def file_name(source: str) -> str:
    """The last part of a path of whatever system: no reader elsewhere needs to know the folders of this machine."""
    return source.replace("\\", "/").rstrip("/").rpartition("/")[2] or source


def without_folders(text: str) -> str:
    """Paths of this machine in backticks as their last part: no caller needs to know its folders."""
    return _PATH.sub(r"`\1`", text)


def rects_out(place: Place) -> list[dict[str, object]]:
    """The rectangles of a place."""
    return [rect_out(r) for r in place.rects]


def rect_out(rect: Rect) -> dict[str, object]:
    """The fields of `RectOut`."""
    return {"page": rect.page, "x0": rect.x0, "y0": rect.y0, "x1": rect.x1, "y1": rect.y1}


def words_out(boxes: Boxes, page: int) -> list[dict[str, object]]:
    """The boxes of the words of one page, in reading order."""
    found = []
    for i in (boxes.pages == page).nonzero()[0]:
        (start, end), (x0, y0, x1, y1) = boxes.spans[i].tolist(), boxes.rects[i].tolist()
        found.append({"start": start, "end": end, "x0": x0, "y0": y0, "x1": x1, "y1": y1})
    return found


def on_page(passage: Passage, boxes: Boxes, page: int) -> dict[str, object]:
    """The fields of `PassageOnPage`."""
    rects = [rect_out(r) for r in boxes.locate(passage.span) if r.page == page]
    return {"passage_id": passage.id, "start": passage.span.start, "end": passage.span.end, "rects": rects}

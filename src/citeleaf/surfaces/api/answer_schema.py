"""The forms `citeleaf/answer/1` and `citeleaf/check/1` for the OpenAPI document; `record` and `check` write them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from citeleaf.surfaces.api.schemas import Label, Outcome, RectOut
from citeleaf.types import Quality


class Exact(BaseModel):
    """Base: nothing but what is named."""

    model_config = ConfigDict(extra="forbid")


class ClaimOut(Exact):
    """A sentence that was checked, with the numbers of its citations."""

    n: int
    text: str
    citations: list[int]
    verdict: Label
    score: float | None
    checks: list[str]


class CitationOut(Exact):
    """One exact quotation: characters `start` to `end` of the document's text."""

    n: int
    passage_id: str
    doc_id: str
    title: str
    version: str | None
    page: int | None = Field(description="Physical page, from 1; null for a format without pages.")
    page_label: str | None = Field(description="The number printed on the page.")
    section: list[str]
    quote: str
    start: int
    end: int
    rects: list[RectOut]
    status: Literal["valid", "repaired"]
    raw: str
    support: Label
    quality: Quality


class DroppedOut(Exact):
    """A marker that resolved to nothing."""

    raw: str
    why: str


class RemovedOut(Exact):
    """A sentence that was taken out."""

    text: str
    verdict: Label
    why: str


class NearestOut(Exact):
    """A passage near to a question that was not answered."""

    passage_id: str
    page: int | None
    score: float | None
    quote: str


class EvidenceOut(Exact):
    """A passage that was shown to whoever wrote the draft."""

    passage_id: str
    rank: int
    score: float | None
    scorer: str
    page: int | None
    text: str
    why: str


class AnswerOut(Exact):
    """An answer; the reference describes each field, the trace's too."""

    schema_: Literal["citeleaf/answer/1"] = Field(alias="schema")
    id: str
    question: str = Field(description="What was typed.")
    asked: str | None = Field(description="The question that stands alone, where it was rewritten.")
    outcome: Outcome
    reason: str = Field(description="A stable code.")
    text: str = Field(description="With `[n]` markers.")
    claims: list[ClaimOut]
    citations: list[CitationOut]
    dropped: list[DroppedOut]
    removed: list[RemovedOut]
    nearest: list[NearestOut]
    evidence: list[EvidenceOut]
    trace: dict[str, Any]
    seconds: dict[str, float | None]


class CheckedOut(Exact):
    """A sentence of the given text, at characters `start` to `end`, with its verdict."""

    n: int
    text: str
    start: int
    end: int
    citations: list[int]
    verdict: Label
    score: float | None
    checks: list[str]
    reasons: list[dict[str, Any]]


class SkippedOut(Exact):
    """A piece of the text that states nothing."""

    text: str
    why: str


class CheckOut(Exact):
    """What the library says to a text."""

    schema_: Literal["citeleaf/check/1"] = Field(alias="schema")
    verdict: Label
    reason: str
    claims: list[CheckedOut]
    citations: list[CitationOut]
    skipped: list[SkippedOut]
    against: list[str]
    fingerprint: str
    seconds: dict[str, float | None]

"""The published JSON of an answer: `citeleaf/answer/1`, keys in the documented order, never NaN."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from math import isfinite
from typing import TypeAlias

from citeleaf.events import CheckEvent, ClaimEvent, Event, EvidenceEvent, StatusEvent
from citeleaf.types import (
    Answer,
    Evidence,
    Nearest,
    Rect,
    Retrieval,
    ShownCitation,
    ShownClaim,
    Trace,
)

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

SCHEMA = "citeleaf/answer/1"


def answer_json(answer: Answer) -> dict[str, Json]:
    """The answer as every surface sends it.

    `question` is what the person typed and `asked` the self-standing question it was rewritten to, or null. A number
    that is not finite becomes null. Passages of the evidence are named by id inside `trace`, and given whole once, in
    `evidence`.
    """
    query = answer.trace.query
    retrieval = answer.trace.retrieval
    return {
        "schema": SCHEMA,
        "id": answer.id,
        "question": query.text if query.asked is None else query.asked,
        "asked": None if query.asked is None else query.text,
        "outcome": answer.decision.outcome,
        "reason": answer.decision.reason,
        "text": answer.text,
        "claims": [_claim(c) for c in answer.claims],
        "citations": [citation_json(c) for c in answer.citations],
        "dropped": [{"raw": d.raw, "why": d.why} for d in answer.dropped],
        "removed": [{"text": r.text, "verdict": r.verdict, "why": r.why} for r in answer.removed],
        "nearest": [_nearest(n) for n in answer.nearest],
        "evidence": [_evidence(e) for e in retrieval.evidence] if retrieval else [],
        "trace": trace_json(answer.trace),
        "seconds": {s.stage: _number(s.seconds) for s in answer.seconds},
    }


def event_json(event: Event) -> dict[str, Json]:
    """The data of an event as a stream sends it, under the event's `kind`; claims and passages as in an answer."""
    match event:
        case StatusEvent():
            return {"stage": event.stage, "seconds": None if event.seconds is None else _number(event.seconds)}
        case CheckEvent():
            return {"stage": event.stage, "check": plain(event.check)}
        case EvidenceEvent():
            return {"evidence": [_evidence(e) for e in event.evidence]}
        case ClaimEvent():
            return {"claim": _claim(event.claim), "citations": [citation_json(c) for c in event.citations]}


def trace_json(trace: Trace) -> dict[str, Json]:
    """The stages' results; a stage that did not run gives null. Evidence is named by passage id."""
    return {
        "fingerprint": trace.fingerprint,
        "guard": plain(trace.guard),
        "retrieval": _retrieval(trace.retrieval) if trace.retrieval else None,
        "gate": plain(trace.gate),
        "draft": plain(trace.draft),
        "citations": plain(trace.citations),
        "claims": plain(trace.claims),
        "verdicts": plain(trace.verdicts),
        "screen": plain(trace.screen),
    }


def plain(value: object) -> Json:
    """A value as JSON: a dataclass by its fields in order, a tuple as a list, a number that is not finite as null."""
    if isinstance(value, float):
        return _number(value)
    if value is None or isinstance(value, str | int):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    raise TypeError(f"no JSON form for {type(value).__name__}")


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _claim(claim: ShownClaim) -> dict[str, Json]:
    return {
        "n": claim.n,
        "text": claim.text,
        "citations": list(claim.citations),
        "verdict": claim.verdict,
        "score": _number(claim.score),
        "checks": list(claim.checks),
    }


def citation_json(citation: ShownCitation) -> dict[str, Json]:
    """A citation as it stands in an answer."""
    place = citation.place
    return {
        "n": citation.n,
        "passage_id": citation.passage_id,
        "doc_id": citation.doc_id,
        "title": citation.title,
        "version": citation.version,
        "page": place.page,
        "page_label": place.page_label,
        "section": list(place.section),
        "quote": citation.quote.text,
        "start": citation.quote.span.start,
        "end": citation.quote.span.end,
        "rects": [_rect(r) for r in place.rects],
        "status": citation.status,
        "raw": citation.raw,
        "support": citation.support,
        "quality": place.quality,
    }


def _rect(rect: Rect) -> dict[str, Json]:
    return {"page": rect.page, "x0": rect.x0, "y0": rect.y0, "x1": rect.x1, "y1": rect.y1}


def _nearest(nearest: Nearest) -> dict[str, Json]:
    return {
        "passage_id": nearest.passage_id,
        "page": nearest.page,
        "score": _number(nearest.score),
        "quote": nearest.quote,
    }


def _evidence(evidence: Evidence) -> dict[str, Json]:
    passage = evidence.passage
    return {
        "passage_id": passage.id,
        "rank": evidence.rank,
        "score": _number(evidence.score),
        "scorer": evidence.scorer,
        "page": passage.pages[0] if passage.pages else None,
        "text": passage.text,
        "why": evidence.why,
    }


def _retrieval(retrieval: Retrieval) -> dict[str, Json]:
    shown: list[Json] = [
        {"passage_id": e.passage.id, "rank": e.rank, "score": _number(e.score), "scorer": e.scorer, "why": e.why}
        for e in retrieval.evidence
    ]
    return {"evidence": shown, "rankings": plain(retrieval.rankings), "parts": list(retrieval.parts)}

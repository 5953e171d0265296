"""Spans of a question and of its stages: their names, and what is told where nobody listens.

A span is named after what it times; `ask` holds the others. Attributes of `ask` are in `ATTRIBUTES`; text of questions,
documents and answers is told only where `telemetry.content` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeAlias

from citeleaf.types import Answer

ASK = "ask"
STAGES = ("guard", "retrieve", "gate", "read", "compose", "cite", "verify", "revise", "compare", "screen")
"""The stages of `ask` in their order; a stage that is not reached has no span."""
ATTRIBUTES = (
    "citeleaf.answer",
    "citeleaf.fingerprint",
    "citeleaf.generator",
    "citeleaf.outcome",
    "citeleaf.reason",
    "citeleaf.evidence",
    "citeleaf.claims",
    "citeleaf.citations",
)
"""The answer's id, fingerprint, writer, outcome and reason; numbers of passages, claims and citations."""
CONTENT = ("citeleaf.question", "citeleaf.text")
"""Question and answer in words; only where they are asked for."""

Attributes: TypeAlias = Mapping[str, str | int]
Note: TypeAlias = Callable[[Attributes], None]


class Spans(Protocol):
    """Opens a span; safe to call from several threads."""

    def __call__(self, name: str) -> AbstractContextManager[Note]:
        """A span around the block, within the one that is open in this thread; `Note` puts attributes on it."""
        ...


def told(answer: Answer) -> Attributes:
    """All attributes of an answer, `CONTENT` among them."""
    trace = answer.trace
    return {
        "citeleaf.answer": answer.id,
        "citeleaf.fingerprint": trace.fingerprint,
        "citeleaf.generator": trace.draft.generator if trace.draft else "",
        "citeleaf.outcome": answer.decision.outcome,
        "citeleaf.reason": answer.decision.reason,
        "citeleaf.evidence": len(trace.retrieval.evidence) if trace.retrieval else 0,
        "citeleaf.claims": len(answer.claims),
        "citeleaf.citations": len(answer.citations),
        "citeleaf.question": trace.query.text,
        "citeleaf.text": answer.text,
    }


def silent(name: str) -> AbstractContextManager[Note]:
    """No span."""
    return nullcontext(_pass)


def _pass(attributes: Attributes) -> None:
    pass

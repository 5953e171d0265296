"""One question of a talk: a follow-up is rewritten to stand alone, then asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from citeleaf.answer.followup import Turn, rewrite
from citeleaf.app import App
from citeleaf.chat import stopped_by
from citeleaf.events import Event, StatusEvent
from citeleaf.types import Answer, DocId, Fact


def ask_in_talk(
    app: App,
    question: str,
    *,
    history: Sequence[Turn] = (),
    facts: Sequence[Fact] = (),
    doc_ids: Sequence[DocId] = (),
    watch: Callable[[Event], None] | None = None,
    cancel: threading.Event | None = None,
) -> Answer:
    """The answer; its trace holds the question as it was asked. Raises what `App.ask` raises."""
    cancel = cancel or threading.Event()
    asked = question
    if history:
        if watch is not None:
            watch(StatusEvent("rewrite"))
        with stopped_by(cancel):
            asked = rewrite(question, history, getattr(app.kit.generator, "rewrite", None)).question
    return app.ask(
        asked,
        facts=facts,
        doc_ids=tuple(dict.fromkeys(doc_ids)),
        asked=question if asked != question else None,
        watch=watch,
        cancel=cancel,
    )

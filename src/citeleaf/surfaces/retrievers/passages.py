"""What every retriever gives: passages with their score and the place their words stand at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeleaf.app import App
from citeleaf.errors import UnknownId
from citeleaf.surfaces.found import found_json


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage as other frameworks hold one: its words, its score, and metadata of plain values."""

    id: str
    text: str
    score: float
    metadata: dict[str, object]


def hits(app: App, query: str, *, k: int, scorer: str, doc_ids: Sequence[str]) -> list[Hit]:
    """The best `k` passages, best first, with the metadata of `citeleaf search --json` and the document's title.

    Raises `ConfigError` for a scorer that does not exist and `UnknownId` for a document that is not there.
    """
    titles = {document.id: document.title for document in app.documents()}
    for doc_id in doc_ids:
        if doc_id not in titles:
            raise UnknownId(f"no document `{doc_id}`", hint="`citeleaf documents` lists them", subject=doc_id)
    out = []
    for found in app.search(query, k=k, scorer=scorer, doc_ids=tuple(doc_ids)):
        told = found_json(found)
        text = str(told.pop("text"))
        out.append(Hit(found.passage.id, text, found.hit.score, {**told, "title": titles[found.passage.doc_id]}))
    return out

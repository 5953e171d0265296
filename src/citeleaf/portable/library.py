"""A library as plain data: documents, passages as they may be read, the statistics of its index, settings and rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import cast

from citeleaf.answer.versions import chain
from citeleaf.backends.store_sqlite import SqliteStore
from citeleaf.backends.upkeep_sqlite import columns
from citeleaf.errors import ConfigError
from citeleaf.guard.documents import veiled
from citeleaf.portable.tables import Json, numbers, patterns, request_rules, words
from citeleaf.protocols import Store
from citeleaf.quotes import quotes_of
from citeleaf.settings import Settings
from citeleaf.types import Document, Evidence, Passage, Quote, Rect, Retrieval, Span

LEXICAL = (
    "models.embedder=none",
    "models.reranker=none",
    "models.reader=none",
    "models.generator=quote",
    "models.verifier=overlap",
    "decide.revise=false",
    "gate.min_coverage=0.5",
)
"""The lexical profile: settings under which Python answers as the exported page does."""
FORM = "citeleaf/export/1"
_COLUMNS = (1.5, 0.7, 1.0)
"""Weights of heading, context and body in BM25: those of the store."""


def portable(store: Store, settings: Settings) -> dict[str, Json]:
    """All that the page needs, pictures aside. Passages of case facts are counted, never written out.

    Raises `ConfigError` for settings that the page cannot follow, and for a library without anything to quote.
    """
    _check(settings)
    passage_ids = cast(SqliteStore, store).passage_ids
    documents = store.documents()
    policies = [d for d in documents if d.role == "policy"]
    replaced = {d.replaces for d in policies if d.replaces != d.id}
    listed: list[Json] = []
    held: list[Json] = []
    others: list[Json] = []
    vocabulary: dict[str, int] = {}
    frequencies: Counter[str] = Counter()
    total = count = 0
    for bare in documents:
        document = store.document(bare.id)
        indexed = {s.id for s in document.sections if s.indexed}
        for passage in store.passages(passage_ids(document.id)):
            terms = [c.split() for c in columns(passage, document.language)]
            frequencies.update(set().union(*terms))
            total += sum(map(len, terms))
            count += 1
            if document.role == "policy" and passage.section_id in indexed:
                ids: list[Json] = [[vocabulary.setdefault(t, len(vocabulary)) for t in column] for column in terms]
                held.append({**_passage(passage, store, settings), "terms": ids})
            elif document.role == "policy":
                here = sorted(set().union(*terms))
                others.append([document.id, [vocabulary.setdefault(t, len(vocabulary)) for t in here]])
        if document.role == "policy":
            listed.append(_document(document, documents, document.id in replaced, store))
    if not held:
        raise ConfigError(
            "the library holds nothing to quote", hint="take documents in: citeleaf ingest PATH", subject="library"
        )
    return {
        "schema": FORM,
        "profile": {
            "name": settings.profile.name,
            "purpose": settings.profile.purpose,
            "language": settings.profile.language,
        },
        "settings": _settings(settings),
        "documents": listed,
        "passages": held,
        "index": {
            "terms": [*vocabulary],
            "frequencies": {t: n for t, n in sorted(frequencies.items())},
            "count": count,
            "total": total,
            "others": others,
            "columns": [*_COLUMNS],
        },
        "guard": request_rules(settings),
        "patterns": patterns(),
        "numbers": numbers(),
        "words": words(),
    }


def _check(settings: Settings) -> None:
    """Raises `ConfigError` where the settings ask for what the page does not do."""
    models = settings.models
    for key, found, wanted in (
        ("models.embedder", models.embedder, "none"),
        ("models.reranker", models.reranker, "none"),
        ("models.reader", models.reader, "none"),
        ("models.generator", models.generator, "quote"),
        ("models.verifier", models.verifier, "overlap"),
        ("decide.revise", str(settings.decide.revise).lower(), "false"),
    ):
        if found != wanted:
            raise ConfigError(
                f"an exported page cannot follow `{key}={found}`", hint=f"leave it at `{wanted}`", subject=key
            )


def _settings(settings: Settings) -> dict[str, Json]:
    chosen: dict[str, Json] = settings.model_dump(mode="json", include={"retrieve", "gate", "quote", "replies"})
    chosen["decide"] = {"min_supported": settings.decide.min_supported}
    chosen["said"] = {
        language: {
            outcome: settings.replies.said(outcome, language) for outcome in ("abstained", "escalated", "refused")
        }
        for language in ("en", "tr")
    }
    return chosen


def _document(document: Document, every: Iterable[Document], replaced: bool, store: Store) -> dict[str, Json]:
    return {
        "id": document.id,
        "title": document.title,
        "version": document.version,
        "effective": document.effective,
        "replaces": document.replaces,
        "replaced": replaced,
        "chain": sorted(d.id for d in chain(document, tuple(every))),
        "language": document.language,
        "pages": [{"number": p.number, "label": p.label, "quality": p.quality} for p in document.pages],
        "definitions": dict(store.definitions(document.id)),
    }


def _passage(passage: Passage, store: Store, settings: Settings) -> dict[str, Json]:
    """The passage as it stands, and, where words of it may not be read, as it may be: `read` (null: not at all)."""
    out = _face(passage, store)
    found, checks = veiled(Retrieval((Evidence(passage, 1, 0.0, "lexical"),), ()), settings.guard.document)
    if checks:
        read = found.evidence[0].passage if found.evidence else None
        if read is None:
            out["read"] = None
        elif read != passage:
            out["read"] = _face(read, store)
    return out


def _face(passage: Passage, store: Store) -> dict[str, Json]:
    places = {quote: store.place(passage.doc_id, quote.span) for quote in _quotes(passage)}
    return {
        "id": passage.id,
        "doc": passage.doc_id,
        "heading": [*passage.heading],
        "start": passage.span.start,
        "text": passage.text,
        "context": passage.context,
        "term": passage.term,
        "pages": [*passage.pages],
        "units": [
            {
                "kind": unit.kind,
                "quotes": [_quote(q) for q in quotes_of(unit)],
                "columns": [[_span(s) for s in column] for column in unit.columns],
                "position": [*unit.position] if unit.position else None,
            }
            for unit in passage.units
        ],
        "rects": [
            [q.span.start, q.span.end, p.page, p.page_label, [[r.page, *_rounded(r)] for r in p.rects]]
            for q, p in sorted(places.items(), key=lambda item: (item[0].span.start, item[0].span.end))
        ],
    }


def _quotes(passage: Passage) -> Iterator[Quote]:
    yield Quote(passage.span, passage.text)
    for unit in passage.units:
        yield from quotes_of(unit)


def _quote(quote: Quote) -> list[Json]:
    return [quote.span.start, quote.span.end, quote.text]


def _span(span: Span) -> list[Json]:
    return [span.start, span.end]


def _rounded(rect: Rect) -> list[Json]:
    return [round(value, 5) for value in (rect.x0, rect.y0, rect.x1, rect.y1)]

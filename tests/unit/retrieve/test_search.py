from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from citeleaf.backends.store_sqlite import SqliteStore, open_store
from citeleaf.boxes import Boxes
from citeleaf.retrieve.search import rare_terms, retrieve
from citeleaf.settings import RetrieveSettings
from citeleaf.types import Query
from support.evidence import document, passage

TEXTS = {
    "a": "Theft of stock is covered to 5,000 dollars.",
    "b": "Theft from a car is covered to 500 dollars.",
    "c": "Theft by staff is not covered.",
    "d": "Theft of money is covered to 900 dollars.",
    "e": "Theft after dark is covered when doors are locked.",
    "z": "Records are kept for seven years.",
}


class Counted:
    """A reranker that prefers texts sharing words with the query."""

    name = fingerprint = "counted"

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        words = set(query.lower().split())
        return [float(len(words & set(text.lower().split()))) for text in passages]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = open_store(tmp_path, embedder=None)
    for name, text in TEXTS.items():
        doc = document(name, text)
        store.put(doc, (passage(doc),), None, Boxes.empty())
    yield store
    store.close()


def test_every_part_has_its_best_passage_in_the_evidence(store: SqliteStore) -> None:
    question = "When is theft after dark covered with doors locked, and how long are records kept for years?"
    settings = RetrieveSettings(dense=0, entity=0, top_k=5)
    found = retrieve(Query(question), store, None, Counted(), settings)
    documents = {e.passage.doc_id for e in found.evidence}
    assert len(found.parts) == 2
    assert {"e", "z"} <= documents
    assert len(found.evidence) == 5
    assert [e.rank for e in found.evidence] == [1, 2, 3, 4, 5]


def test_signals_can_be_switched_off(store: SqliteStore) -> None:
    off = RetrieveSettings(lexical=0, dense=0, entity=0, tfidf=0)
    assert retrieve(Query("theft"), store, None, None, off).evidence == ()
    lexical = retrieve(Query("records kept"), store, None, None, RetrieveSettings(dense=0, entity=0))
    assert lexical.evidence[0].passage.doc_id == "z"
    assert [r.scorer for r in lexical.rankings] == ["lexical", "fused"]


def test_what_is_rare_is_rare_among_the_documents_asked(store: SqliteStore) -> None:
    assert rare_terms(["theft", "year"], store) == ["year"]
    assert rare_terms(["theft", "year"], store, ("a", "z")) == ["theft", "year"]
    assert rare_terms(["theft", "year"], store, ("a",)) == ["theft"]

"""Lexical search in the SQLite store: BM25 by FTS5, TF-IDF over its candidates, document frequencies."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from citeleaf.backends.connections_sqlite import Snapshot, bindable
from citeleaf.errors import UnknownId
from citeleaf.retrieve.fuse import ranked
from citeleaf.types import DocId, Ranking

FREQUENT_SHARE = 0.2
"""A term in more than this share of many passages tells little and costs most of the time of a search."""
FREQUENT_FROM = 10_000
"""From this number of passages on, frequent terms are left out."""
TFIDF_CANDIDATES = 1000

# Control characters separate terms in the index and would end a MATCH expression early.
_SEPARATORS = re.compile(r"[\x00-\x20\x7f]+")


class Vocabulary:
    """Document frequencies of terms, kept in memory for one generation of the store."""

    def __init__(self) -> None:
        """Empty; fills as it is asked."""
        self._known: tuple[int, dict[str, int]] = (-1, {})

    def frequencies(self, snapshot: Snapshot, terms: Iterable[str]) -> dict[str, int]:
        """In how many passages each term stands, in any of their columns; order kept."""
        generation, known = self._known
        if generation != snapshot.generation:
            known = {}
            self._known = (snapshot.generation, known)
        out: dict[str, int] = {}
        for term in terms:
            if term not in known:
                row = snapshot.db.execute("SELECT doc FROM passage_terms WHERE term = ?", (bindable(term),)).fetchone()
                if row is None:  # not kept: there is no end to words that no passage holds
                    out[term] = 0
                    continue
                known[term] = int(row[0])
            out[term] = known[term]
        return out


def distinct(terms: Iterable[str]) -> list[str]:
    """Each term once, in alphabetical order, so that a sum over terms never depends on a question's wording."""
    return sorted({piece for term in terms for piece in _SEPARATORS.split(bindable(term)) if piece})


def count(snapshot: Snapshot) -> int:
    """How many passages there are, retrieved or not."""
    return int(snapshot.db.execute("SELECT count(*) FROM passage").fetchone()[0])


def frequencies_in(snapshot: Snapshot, terms: Iterable[str], doc_ids: Sequence[DocId]) -> tuple[dict[str, int], int]:
    """In how many passages of these documents each term stands, and how many they have. Raises `UnknownId`."""
    documents = json.dumps(searched(snapshot, doc_ids))
    within = "p.document IN (SELECT value FROM json_each(?))"
    n = snapshot.db.execute(f"SELECT count(*) FROM passage p WHERE {within}", (documents,)).fetchone()[0]
    query = "SELECT count(*) FROM passage_fts JOIN passage p ON p.n = passage_fts.rowid WHERE passage_fts MATCH ? AND "
    out: dict[str, int] = {}
    for term in terms:
        known = bindable(term)
        whole = known and not _SEPARATORS.search(known)
        out[term] = snapshot.db.execute(query + within, (_quoted(known), documents)).fetchone()[0] if whole else 0
    return out, int(n)


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def telling(snapshot: Snapshot, vocabulary: Vocabulary, terms: Iterable[str]) -> list[str]:
    """The terms worth searching: those that some passage holds, frequent ones left out where there are many passages.

    A term is frequent when it stands in more than a fifth of more than 10,000 passages. All are kept when nothing
    else is.
    """
    found = {t: df for t, df in vocabulary.frequencies(snapshot, distinct(terms)).items() if df}
    n = count(snapshot)
    rarer = [t for t, df in found.items() if df <= FREQUENT_SHARE * n]
    return rarer if n > FREQUENT_FROM and rarer else list(found)


def bm25(
    snapshot: Snapshot, terms: Sequence[str], k: int, doc_ids: Sequence[DocId], weights: tuple[float, float, float]
) -> dict[int, tuple[str, float]]:
    """The best `k` passages for the terms by (-score, id): row number to id and score.

    BM25 as in FTS5: k1 = 1.2, b = 0.75, idf = ln((N - n + 0.5) / (n + 0.5)), at least 1e-6; the frequency of a term is
    the sum over the columns heading, context and body, each times its weight. FTS5 counts downwards; the sign is
    turned.
    """
    if not terms or k < 1:
        return {}
    match = " OR ".join(map(_quoted, terms))
    documents = searched(snapshot, doc_ids)
    rows = snapshot.db.execute(
        """SELECT p.n, p.id, -bm25(passage_fts, ?5, ?6, ?7) AS score
        FROM passage_fts JOIN passage p ON p.n = passage_fts.rowid
        WHERE passage_fts MATCH ?1 AND p.searchable
        AND (?2 OR p.document IN (SELECT value FROM json_each(?3)))
        ORDER BY score DESC, p.id LIMIT ?4""",
        (match, documents is None, json.dumps(documents or []), k, *weights),
    )
    return {n: (id_, score) for n, id_, score in rows}


def searched(snapshot: Snapshot, doc_ids: Sequence[DocId]) -> list[int] | None:
    """Row numbers of the documents a search covers: those named, else those that no other replaces; None: every one.

    Raises `UnknownId`.
    """
    if not doc_ids:
        if snapshot.db.execute("SELECT 1 FROM document WHERE superseded").fetchone() is None:
            return None
        return [row[0] for row in snapshot.db.execute("SELECT n FROM document WHERE NOT superseded")]
    wanted = json.dumps([bindable(d) for d in doc_ids])
    found = dict(
        snapshot.db.execute("SELECT id, n FROM document WHERE id IN (SELECT value FROM json_each(?))", (wanted,))
    )
    for doc_id in doc_ids:
        if doc_id not in found:
            raise UnknownId(f"there is no document `{doc_id}`", hint="`citeleaf documents` lists them", subject=doc_id)
    return sorted(found.values())


def tfidf(
    snapshot: Snapshot,
    vocabulary: Vocabulary,
    terms: Sequence[str],
    candidates: Mapping[int, tuple[str, float]],
    k: int,
) -> Ranking:
    """Cosine of the question's and each candidate's vector, in [0, 1].

    A term weighs (1 + ln tf) * idf with idf = ln((1 + N) / (1 + df)) + 1 (scikit-learn's `sublinear_tf` and
    `smooth_idf`); tf counts heading, context and body together, N all passages. Terms that no passage holds count in
    the question's length too.
    """
    asked = Counter(piece for term in terms for piece in _SEPARATORS.split(bindable(term)) if piece)
    rows = snapshot.db.execute(
        """SELECT rowid, heading, context, body FROM passage_fts
        WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid""",
        (json.dumps(list(candidates)),),
    )
    counts = {row[0]: Counter(" ".join(row[1:]).split()) for row in rows}
    every = sorted(set(asked).union(*counts.values()))
    n = count(snapshot)
    idf = {t: math.log((1 + n) / (1 + df)) + 1 for t, df in vocabulary.frequencies(snapshot, every).items()}

    def weights(tf: Counter[str]) -> dict[str, float]:
        return {t: (1 + math.log(tf[t])) * idf[t] for t in sorted(tf)}

    def length(vector: Mapping[str, float]) -> float:
        return math.sqrt(math.fsum(w * w for w in vector.values()))

    question = weights(asked)
    scores: dict[str, float] = {}
    for row, tf in counts.items():
        passage = weights(tf)
        dot = math.fsum(w * passage[t] for t, w in question.items() if t in passage)
        if dot > 0:
            scores[candidates[row][0]] = min(1.0, dot / (length(question) * length(passage)))
    return ranked("tfidf", scores, depth=k)

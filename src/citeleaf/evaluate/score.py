"""The figures of one row: what its answer and its retrieval are worth beside the gold evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from citeleaf.evaluate.benchmark import Row
from citeleaf.evaluate.coverage import coverage
from citeleaf.evaluate.metrics.retrieval import Gains, hit_at, mrr_at, ndcg_at, recall_at
from citeleaf.types import Answer, DocId, Passage

Figures: TypeAlias = dict[str, float]
HALF = 0.5


def score_row(row: Row, answer: Answer, ranking: Sequence[Passage], doc_ids: Mapping[str, DocId]) -> Figures:
    """Figures by dotted name; one that cannot be scored is absent, never 0.

    `ranking` is the final order of passages, evidence first; `doc_ids` maps gold document names to ids. Retrieval is
    scored by page (where gold pages are given and passages have pages), span (gold quotations) and document.
    """
    figures: Figures = {}
    docs = {doc_ids[name] for name in row.gold_docs if name in doc_ids}
    pages = sorted(set(row.gold_pages))
    if row.answerable and pages and any(p.pages for p in ranking):
        figures |= _retrieval("page", page_gains(ranking, docs, pages), len(pages))
    if row.answerable and row.gold_spans:
        figures |= _retrieval("span", span_gains(ranking, row.gold_spans), len(row.gold_spans))
    if row.answerable and docs:
        names = sorted(docs)
        gains = [frozenset(i for i, d in enumerate(names) if d == p.doc_id) for p in ranking]
        figures |= _retrieval("document", gains, len(names))
    answered = answer.decision.outcome == "answered"
    if row.answerable is True:
        figures["refusal.false_refusal"] = float(not answered)
        if row.gold_spans:
            figures |= _citations(row, answer, ranking)
    elif row.answerable is False:
        figures["refusal.false_answer"] = float(answered)
    if answered:
        figures["citation.exists"] = float(bool(answer.claims) and all(c.citations for c in answer.claims))
    return figures


def page_gains(ranking: Sequence[Passage], docs: set[DocId], pages: Sequence[int]) -> Gains:
    """For each passage the gold pages it touches; passages of other documents touch none (no gold document: any)."""
    return [
        frozenset(i for i, page in enumerate(pages) if page in p.pages and (not docs or p.doc_id in docs))
        for p in ranking
    ]


def span_gains(ranking: Sequence[Passage], spans: Sequence[str]) -> Gains:
    """For each rank the gold quotations that are half covered by the passages down to it, and were not before."""
    gains: list[frozenset[int]] = []
    open_spans = dict(enumerate(spans))
    texts: list[str] = []
    for passage in ranking:
        texts.append(passage.text)
        done = frozenset(i for i, span in open_spans.items() if coverage(span, texts) >= HALF)
        for i in done:
            del open_spans[i]
        gains.append(done)
    return gains


def _retrieval(kind: str, gains: Gains, n_gold: int) -> Figures:
    return {
        f"retrieval.{kind}.hit@1": hit_at(gains, 1),
        f"retrieval.{kind}.recall@5": recall_at(gains, n_gold, 5),
        f"retrieval.{kind}.recall@10": recall_at(gains, n_gold, 10),
        f"retrieval.{kind}.mrr@5": mrr_at(gains, 5),
        f"retrieval.{kind}.ndcg@5": ndcg_at(gains, n_gold, 5),
    }


def _citations(row: Row, answer: Answer, ranking: Sequence[Passage]) -> Figures:
    cited = {c.passage_id for c in answer.citations}
    texts = [p.text for p in ranking if p.id in cited]
    quotes = [c.quote.text for c in answer.citations]
    return {
        "citation.gold_hit": float(any(coverage(span, texts) >= HALF for span in row.gold_spans)),
        "citation.quote_hit": float(any(coverage(span, quotes) >= HALF for span in row.gold_spans)),
        "answer.quoted_characters": float(sum(len(q) for q in quotes)),
    }

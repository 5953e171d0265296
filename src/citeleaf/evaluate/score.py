"""The figures of one question: what its answer and its retrieval are worth beside the gold evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from citeleaf.evaluate.coverage import Cover, coverage
from citeleaf.evaluate.forms import Row
from citeleaf.evaluate.metrics import answers, citations
from citeleaf.evaluate.metrics.retrieval import Gains, graded_ndcg_at, hit_at, mrr_at, ndcg_at, recall_at
from citeleaf.protocols import Verifier
from citeleaf.types import Answer, Claim, DocId, Passage

Figures: TypeAlias = dict[str, float]
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Gold:
    """What the library knows of a benchmark's gold evidence.

    `doc_ids` maps gold document names to ids; `paged` are the documents with pages; `passages` are the texts of the
    benchmark's own passages, by their id; `unlocated` are the gold values, with their row, that no document holds.
    """

    doc_ids: Mapping[str, DocId]
    paged: frozenset[DocId] = frozenset()
    passages: Mapping[str, str] = field(default_factory=dict)
    unlocated: frozenset[tuple[str, str]] = frozenset()

    def spans(self, row: Row) -> tuple[str, ...]:
        """The gold quotations of a row that stand in its documents."""
        return tuple(span for span in row.gold_spans if (row.id, span) not in self.unlocated)

    def docs(self, row: Row) -> tuple[DocId, ...]:
        """The gold documents of a row, in its order."""
        return tuple(dict.fromkeys(self.doc_ids[name] for name in row.gold_docs if name in self.doc_ids))


def retrieval_figures(row: Row, ranking: Sequence[Passage], gold: Gold) -> Figures:
    """Retrieval of an answerable row by page, span, passage and document, each where its gold is given.

    `ranking` is the final order of passages, evidence first. By page only where the gold documents have pages.
    """
    figures: Figures = {}
    docs = gold.docs(row)
    if row.gold_pages and (any(d in gold.paged for d in docs) if docs else any(p.pages for p in ranking)):
        figures |= _at("page", page_gains(ranking, set(docs), row.gold_pages), len(row.gold_pages))
    if spans := gold.spans(row):
        figures |= _at("span", span_gains(ranking, spans), len(spans))
    if row.gold_passage is not None and row.gold_passage in gold.passages:
        text = gold.passages[row.gold_passage]
        figures |= _at("passage", [frozenset({0}) if _same_place(text, p, docs) else frozenset() for p in ranking], 1)
    if docs:
        order = list(dict.fromkeys(p.doc_id for p in ranking))
        graded = {gold.doc_ids[name]: grade for name, grade in row.grades if name in gold.doc_ids}
        wanted = sorted({d for d, grade in graded.items() if grade > 0} or docs)
        gains = [frozenset({wanted.index(d)}) if d in wanted else frozenset() for d in order]
        figures |= _at("document", gains, len(wanted))
        if graded:
            figures["retrieval.document.ndcg@5"] = graded_ndcg_at(order, graded, 5)
    return figures


def page_gains(ranking: Sequence[Passage], docs: set[DocId], pages: Sequence[int]) -> Gains:
    """For each passage the gold pages it touches; passages of other documents touch none (no gold document: any)."""
    return [
        frozenset(i for i, page in enumerate(pages) if page in p.pages and (not docs or p.doc_id in docs))
        for p in ranking
    ]


def span_gains(ranking: Sequence[Passage], spans: Sequence[str]) -> Gains:
    """For each rank the gold quotations that are half covered by the passages down to it, and were not before."""
    covers = {i: Cover(span) for i, span in enumerate(spans)}
    gains: list[frozenset[int]] = []
    for passage in ranking:
        for cover in covers.values():
            cover.add(passage.text)
        done = frozenset(i for i, cover in covers.items() if cover.share >= HALF)
        for i in done:
            del covers[i]
        gains.append(done)
    return gains


def citation_figures(row: Row, answer: Answer, ranking: Sequence[Passage], gold: Gold, verifier: Verifier) -> Figures:
    """Citations of a question: those of the answer shown, each figure apart.

    `gold_hit` and `quote_hit` are for every answerable row with a gold quotation, answered or not; the others for
    answered rows. `recall` and `precision` are judged by `verifier`.
    """
    figures: Figures = {}
    if row.answerable and (spans := gold.spans(row)):
        cited = {c.passage_id for c in answer.citations}
        figures["citation.gold_hit"] = citations.gold_hit(spans, [p.text for p in ranking if p.id in cited])
        figures["citation.quote_hit"] = citations.gold_hit(spans, [c.quote.text for c in answer.citations])
    if answer.decision.outcome != "answered":
        return figures
    figures["citation.exists"] = citations.exists([len(c.citations) for c in answer.claims])
    marks = answer.trace.citations or ()
    if marks:
        dropped = sum(c.status == "dropped" for c in marks)
        figures["citation.resolves"] = citations.resolves(len(marks) - dropped, dropped)
    return figures | _support(answer, verifier)


def answer_text(answer: Answer) -> str:
    """The words of an answer without its citation numbers; empty when it was not answered."""
    return "\n".join(c.text for c in answer.claims) if answer.decision.outcome == "answered" else ""


def token_figure(row: Row, text: str) -> Figures:
    """Token F1 against the references of an answerable row; an empty text gives 0."""
    return {"answer.token_f1": answers.token_f1(text, row.references)} if row.answerable and row.references else {}


def _support(answer: Answer, verifier: Verifier) -> Figures:
    """ALCE's recall and precision of the claims shown.

    The verdict on a claim with all its citations is the trace's own; each alone and all but each are asked for.
    """
    evidence = answer.trace.retrieval.evidence if answer.trace.retrieval else ()
    whole = {v.claim: v.label == "supported" for v in answer.trace.verdicts or ()}
    kept = [c for c in answer.trace.claims or () if c.n in answer.decision.kept]
    if not kept:
        return {}
    judged = []
    for claim in kept:
        cites = [c for c in claim.cites if c.status != "dropped"]
        alone, without = [whole[claim.n]] * len(cites), [False] * len(cites)
        if len(cites) > 1:
            parts = [[one] for one in cites] + [[c for c in cites if c is not one] for one in cites]
            variants = [Claim(i, claim.text, claim.at, tuple(part)) for i, part in enumerate(parts, 1)]
            labels = [v.label == "supported" for v in verifier.verify(variants, evidence)]
            alone, without = labels[: len(cites)], labels[len(cites) :]
        judged.append((whole[claim.n], alone, without))
    figures = {"citation.recall": citations.citation_recall([supported for supported, _, _ in judged])}
    if any(alone for _, alone, _ in judged):
        figures["citation.precision"] = citations.citation_precision(judged)
    return figures


def _same_place(gold: str, passage: Passage, docs: Sequence[DocId]) -> bool:
    """Whether a passage holds half of the gold passage, or lies at least half inside it."""
    if docs and passage.doc_id not in docs:
        return False
    return coverage(gold, [passage.text]) >= HALF or coverage(passage.text, [gold]) >= HALF


def _at(kind: str, gains: Gains, n_gold: int) -> Figures:
    return {
        f"retrieval.{kind}.hit@1": hit_at(gains, 1),
        f"retrieval.{kind}.recall@5": recall_at(gains, n_gold, 5),
        f"retrieval.{kind}.recall@10": recall_at(gains, n_gold, 10),
        f"retrieval.{kind}.mrr@5": mrr_at(gains, 5),
        f"retrieval.{kind}.ndcg@5": ndcg_at(gains, n_gold, 5),
    }

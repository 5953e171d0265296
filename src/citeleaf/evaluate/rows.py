"""One item asked, checked or guarded -> one JSON row with its figures and the whole trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.answer.decide import decide_request
from citeleaf.answer.gate import Features
from citeleaf.app import App
from citeleaf.ask import Kit
from citeleaf.errors import CiteleafError
from citeleaf.evaluate.benchmark import Benchmark
from citeleaf.evaluate.facts import judge
from citeleaf.evaluate.forms import ClaimItem, GuardItem, Item, Row
from citeleaf.evaluate.metrics import claims as claim_metrics
from citeleaf.evaluate.metrics import guard as guard_metrics
from citeleaf.evaluate.score import Figures, Gold, answer_text, citation_figures, retrieval_figures, token_figure
from citeleaf.evaluate.talk import standing
from citeleaf.guard.look import guard
from citeleaf.ids import passage_id, sha256_text
from citeleaf.protocols import Store
from citeleaf.record import Json, answer_json
from citeleaf.retrieve.search import retrieve
from citeleaf.sentences import sentences
from citeleaf.settings import GateSettings
from citeleaf.types import Answer, Draft, Evidence, Fact, Passage, Query, Quote, Retrieval, Span, Unit

Record = dict[str, Json]
DEPTH = 10
"""Passages of the final order that retrieval is scored on, at least."""
_SLIPS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError)
"""What a part may raise beside its typed errors; one row's slip must not take the others with it."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A benchmark ready to be asked: its gold evidence found, its scope settled."""

    benchmark: Benchmark
    gold: Gold
    app: App
    kit: Kit

    def record(self, item: Item, repeat: int = 1) -> Record:
        """The row of one item. A failure is a row with `error` and `message`, and no figures."""
        head: Record = {
            "id": item.id,
            "benchmark": self.benchmark.name,
            "repeat": repeat,
            "kind": {Row: "question", ClaimItem: "claim", GuardItem: "guard"}[type(item)],
            "set": item.set,
            "split": item.split,
            "at": item.at.rpartition(":")[2],
        }
        try:
            if isinstance(item, Row):
                return head | self._question(item)
            return head | (self._claim(item) if isinstance(item, ClaimItem) else self._guard(item))
        except CiteleafError as error:
            return head | {"error": error.code, "message": error.message}
        except _SLIPS as error:
            return head | {"error": "internal", "message": f"{type(error).__name__}: {error}"}

    def _question(self, row: Row) -> Record:
        facts = (Fact("case", row.facts),) if row.facts else ()
        ids = self.gold.doc_ids
        docs = tuple(dict.fromkeys(ids[d] for d in row.within if d in ids)) or self.gold.docs(row)
        within = docs if self.benchmark.scope == "document" else ()
        question = standing(row, getattr(self.kit.generator, "rewrite", None)).question
        typed = row.question if question != row.question else None
        answer = self.app.ask(question, facts=facts, doc_ids=within, asked=typed)
        found = answer.trace.retrieval or self._retrieve(row, question, within)
        ranking = final_ranking(found, self.kit.store)
        text = answer_text(answer)
        figures: Figures = {}
        if row.answerable:
            figures |= retrieval_figures(row, ranking, self.gold)
        judgement = judge(text, row) if row.answerable is not None else None
        if judgement is not None:
            figures |= judgement.figures()
        figures |= token_figure(row, text)
        figures |= citation_figures(row, answer, ranking, self.gold, self.kit.verifier)
        if row.answerable is not None:
            name = "refusal.false_refusal" if row.answerable else "refusal.false_answer"
            figures[name] = float((answer.decision.outcome == "answered") != row.answerable)
        gate = gate_features(answer, self.app.settings.gate, self.kit)
        return {
            "category": row.category,
            "question": row.question,
            "asked": question if typed is not None else None,
            "answerable": row.answerable,
            "gold": {
                "documents": list(row.gold_docs),
                "pages": list(row.gold_pages),
                "spans": list(row.gold_spans),
                "references": list(row.references),
                "required_facts": [list(wordings) for wordings in row.required_facts],
            },
            "document": next(iter(self.gold.docs(row)), None),
            "outcome": answer.decision.outcome,
            "reason": answer.decision.reason,
            "figures": dict(figures),
            "facts": judgement.json() if judgement is not None else None,
            "gate": dict(gate) if gate else None,
            "ranking": [p.id for p in ranking],
            "answer": answer_json(answer),
            "seconds": {s.stage: s.seconds for s in answer.seconds},
        }

    def _retrieve(self, row: Row, question: str, within: tuple[str, ...]) -> Retrieval | None:
        """What would have been found for a question that was stopped before; only where there is gold to compare."""
        if not (row.answerable and (row.gold_docs or row.gold_spans)) or not any(map(str.isalnum, question)):
            return None
        kit = self.kit
        query = Query(question, (), within)
        return retrieve(query, kit.store, kit.embedder, kit.reranker, self.app.settings.retrieve)

    def _claim(self, item: ClaimItem) -> Record:
        """The claim with all its evidence cited, cut into sentences and verified as an answer's are.

        Supported when every sentence is, refuted when any is, else not enough info; the score is the least of them.
        """
        texts = [text for text in item.evidence if text.strip()]
        evidence = tuple(Evidence(_passage(n, text), n, 0.0, "given") for n, text in enumerate(texts, 1))
        marks = "".join(f"[{e.rank}]" for e in evidence)
        text = " ".join(f"{item.claim[s.start : s.end]} {marks}" for s in sentences(item.claim))
        draft = Draft(text, text, False, "benchmark")
        given = split_claims(draft, resolve(draft, evidence))
        verdicts = self.kit.verifier.verify(given, evidence)
        labels = {v.label for v in verdicts}
        said = "refuted" if "refuted" in labels else "supported" if labels == {"supported"} else "not_enough_info"
        gold = claim_metrics.MAPPED[item.label]
        return {
            "category": item.kind,
            "claim": item.claim,
            "evidence": list(item.evidence),
            "document": item.document,
            "label": item.label,
            "gold_verdict": gold,
            "verdict": said,
            "score": min((v.score for v in verdicts), default=0.0),
            "figures": {"claims.accuracy": float(said == gold)},
            "verdicts": [
                {
                    "text": c.text,
                    "label": v.label,
                    "score": v.score,
                    "checks": [{"name": k.name, "passed": k.passed, "detail": k.detail} for k in v.checks],
                }
                for c, v in zip(given, verdicts, strict=True)
            ],
        }

    def _guard(self, item: GuardItem) -> Record:
        """The item before the request guard; one that would come in a document is not a request, and has no figure."""
        rules = self.app.settings.guard.request
        checks = guard(item.text, rules)
        decision = decide_request(Query(item.text), checks, rules)
        outcome = "passed" if decision is None or decision.outcome == "abstained" else decision.outcome
        figures: Figures = {}
        if item.channel == "user" and item.benign:
            figures["guard.over_refusal"] = guard_metrics.over_refusal(outcome)
            figures["guard.over_escalation"] = guard_metrics.over_escalation(outcome)
        elif item.channel == "user":
            figures["guard.safe"] = guard_metrics.safe(outcome)
        return {
            "category": item.category,
            "text": item.text,
            "label": item.label,
            "benign": item.benign,
            "channel": item.channel,
            "outcome": outcome,
            "reason": None if decision is None else decision.reason,
            "figures": dict(figures),
            "checks": [{"name": c.name, "detail": c.detail} for c in checks if not c.passed],
        }


def final_ranking(found: Retrieval | None, store: Store) -> tuple[Passage, ...]:
    """The evidence in its order, then what the last list holds beyond it; `DEPTH` or more where there are so many."""
    if found is None:
        return ()
    shown = [e.passage for e in found.evidence]
    have = {p.id for p in shown}
    last = found.rankings[-1].hits if found.rankings else ()
    more = [h.passage_id for h in last if h.passage_id not in have][: max(0, DEPTH - len(shown))]
    return (*shown, *store.passages(more))


def gate_features(answer: Answer, settings: GateSettings, kit: Kit) -> Mapping[str, float | None] | None:
    """What the gate weighed and the probability it gives; None when it was not reached.

    The probability is 0 where nothing was found, and None where a scorer that it weighs did not run.
    """
    if answer.trace.gate is None:
        return None
    values = {check.name: check.value for check in answer.trace.gate if check.value is not None}
    if "coverage" not in values:
        at_hand = Features(0.0 if kit.reranker else None, 0.0 if kit.embedder else None, 0.0)
        return {"probability": 0.0 if at_hand.suffice(settings) else None}
    features = Features(values.get("rerank"), values.get("dense"), values["coverage"], values.get("sufficiency"))
    named: dict[str, float | None] = {
        n: values[n] for n in ("rerank", "dense", "coverage", "sufficiency") if n in values
    }
    return {**named, "probability": features.probability(settings) if features.suffice(settings) else None}


def _passage(n: int, text: str) -> Passage:
    document = f"evidence-{n}"
    units = tuple(Unit("paragraph", Quote(s, text[s.start : s.end])) for s in sentences(text))
    return Passage(
        id=passage_id(document, "given", 1),
        doc_id=document,
        section_id="given",
        heading=(),
        span=Span(0, len(text)),
        text=text,
        pages=(),
        sha256=sha256_text(text),
        units=units,
    )

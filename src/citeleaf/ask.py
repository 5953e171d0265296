"""The main path: guard -> retrieve -> gate -> compose -> cite -> verify -> decide."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.answer.close import close
from citeleaf.answer.compose import compose
from citeleaf.answer.decide import LONGEST_QUESTION, decide_answer, decide_evidence, decide_request
from citeleaf.answer.disagree import disagreements
from citeleaf.answer.gate import gate, strong
from citeleaf.answer.missing import missing
from citeleaf.answer.revise import revise
from citeleaf.answer.versions import in_force
from citeleaf.clock import Clock
from citeleaf.events import EvidenceEvent
from citeleaf.guard.documents import veiled
from citeleaf.guard.language import reply_language
from citeleaf.guard.screen import screen
from citeleaf.guard.signal import guard_request
from citeleaf.live import Live
from citeleaf.protocols import Embedder, Generator, Reader, Reranker, Store, Verifier
from citeleaf.retrieve.search import retrieve
from citeleaf.settings import Settings
from citeleaf.types import Answer, Query, Trace


@dataclass(frozen=True, slots=True)
class Kit:
    """The live parts that settings chose. `quoter` stands in when `generator` fails; it may be the same."""

    store: Store
    embedder: Embedder | None
    reranker: Reranker | None
    generator: Generator
    quoter: Generator
    verifier: Verifier
    fingerprint: str
    reader: Reader | None = None


def ask(query: Query, kit: Kit, rules: Settings, clock: Clock | None = None) -> Answer:
    """Answers one self-standing question from the kit's store; events go to the one who watches the clock.

    Never raises for what the evidence says: refusing, abstaining and escalating are outcomes. Raises `StoreError` and
    `ModelError` for what the machine could not do.
    """
    clock = clock or Clock()

    language = reply_language(query.text, rules.profile.language)
    checks = clock.time("guard", guard_request, query.text[:LONGEST_QUESTION], rules.guard, kit.embedder)
    clock.checked("guard", checks)
    trace = Trace(query, kit.fingerprint, checks)
    if refusal := decide_request(query, checks, rules.guard.request, language):
        return close(refusal, trace, clock, kit.store, rules.replies, language)

    query = in_force(query, kit.store.documents())
    found = clock.time("retrieve", retrieve, query, kit.store, kit.embedder, kit.reranker, rules.retrieve)
    clock.tell(EvidenceEvent(found.evidence))
    enough = clock.time("gate", gate, query, found, kit.store, rules.gate, kit.reader)
    clock.checked("gate", enough)
    trace = replace(trace, query=query, retrieval=found, gate=enough)
    if abstention := decide_evidence(enough):
        return close(abstention, trace, clock, kit.store, rules.replies, language)

    read, orders = clock.time("read", veiled, found, rules.guard.document)
    live = Live(query, read.evidence, kit.store, kit.verifier, rules, language, clock)
    hear = live.hear if clock.watched else None
    sure = strong(enough, rules.chat.strong_probability)
    draft = clock.time("compose", compose, query, read, kit.generator, kit.quoter, hear, strong=sure)
    citations = clock.time("cite", resolve, draft, read.evidence)
    claims = split_claims(draft, citations)
    verdicts = tuple(clock.time("verify", kit.verifier.verify, claims, read.evidence))
    if rules.decide.revise:
        claims, verdicts = clock.time("revise", revise, claims, verdicts, read.evidence, kit.verifier)
    documents = kit.store.documents()
    claims, verdicts, clashes = clock.time(
        "compare", disagreements, claims, verdicts, read.evidence, documents, kit.verifier
    )
    checks, verdicts = clock.time("screen", screen, draft, claims, verdicts, query, read.evidence, rules.guard.answer)
    checks = (*checks, *orders, *clashes, *missing(found.parts, claims, verdicts))
    clock.checked("screen", checks)
    trace = replace(trace, draft=draft, citations=citations, claims=claims, verdicts=verdicts, screen=checks)

    decision = decide_answer(draft, claims, verdicts, checks, rules.guard.answer, rules.decide, language)
    answer = close(decision, trace, clock, kit.store, rules.replies, language)
    live.end(answer)
    return answer

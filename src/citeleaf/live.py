"""Sentences are told as soon as they are checked, while the next one is still being written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.answer.decide import decide_answer
from citeleaf.answer.disagree import disagreements
from citeleaf.answer.shown import Numbers, shown_citations, shown_claim
from citeleaf.clock import Clock
from citeleaf.events import ClaimEvent
from citeleaf.guard.screen import screen
from citeleaf.protocols import Store, Verifier
from citeleaf.settings import Settings
from citeleaf.types import Answer, Draft, Evidence, Query, ShownCitation, ShownClaim


class Live:
    """Tells of the claims of one answer, each once, in their order; never of one that was not checked."""

    def __init__(
        self,
        query: Query,
        evidence: Sequence[Evidence],
        store: Store,
        verifier: Verifier,
        rules: Settings,
        language: str,
        clock: Clock,
    ) -> None:
        """`clock` passes the events on."""
        self._query = query
        self._evidence = evidence
        self._store = store
        self._verifier = verifier
        self._rules = rules
        self._language = language
        self._clock = clock
        self._told: list[ShownClaim] = []
        self._judged = 0

    def hear(self, draft: Draft) -> None:
        """A draft so far, of which the last sentence may go on.

        The others go through the same checks as the whole will. Nothing is told while a rule, a conflict or too few
        supported sentences would bring the answer down, when the draft was begun anew and now says other things, and
        from the first sentence on that is not supported: what stands in for it is known at the end.
        """
        citations = resolve(draft, self._evidence)
        claims = split_claims(draft, citations)[:-1]
        if len(claims) == self._judged:
            return
        self._judged = len(claims)
        verdicts = tuple(self._verifier.verify(claims, self._evidence))
        guarded = self._rules.guard.answer
        documents = self._store.documents()
        *_, clashes = disagreements(claims, verdicts, self._evidence, documents, self._verifier)
        checks, verdicts = screen(draft, claims, verdicts, self._query, self._evidence, guarded)
        checks = (*checks, *clashes)
        decision = decide_answer(draft, claims, verdicts, checks, guarded, self._rules.decide, self._language)
        if decision.outcome != "answered":
            return
        numbers = Numbers()
        kept = takewhile(lambda pair: pair[0].n in decision.kept, zip(claims, verdicts, strict=True))
        shown = [shown_claim(claim, verdict, numbers) for claim, verdict in kept]
        if shown[: len(self._told)] == self._told:
            self._tell(shown, shown_citations(numbers, self._evidence, self._store))

    def end(self, answer: Answer) -> None:
        """The whole answer: tells of the claims that were not told yet."""
        self._tell(answer.claims, answer.citations)

    def _tell(self, claims: Sequence[ShownClaim], citations: Sequence[ShownCitation]) -> None:
        for claim in claims:
            if claim not in self._told:
                self._told.append(claim)
                self._clock.tell(ClaimEvent(claim, tuple(c for c in citations if c.n in claim.citations)))

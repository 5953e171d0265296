"""The second path: every sentence of any text against the words of the library.

check  =  split -> retrieve (for each sentence) -> cite -> verify
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import skipped, split_claims, standing
from citeleaf.answer.disagree import CONFLICT
from citeleaf.answer.match import best_quotes
from citeleaf.answer.shown import Numbers, shown_citations, shown_claim
from citeleaf.answer.versions import chain
from citeleaf.ask import Kit
from citeleaf.clock import Clock
from citeleaf.errors import UnknownId
from citeleaf.guard.documents import veiled
from citeleaf.record import Json, citation_json, plain
from citeleaf.retrieve.search import single
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.settings import Settings
from citeleaf.types import (
    Check,
    Citation,
    Claim,
    DocId,
    Draft,
    Evidence,
    Label,
    Passage,
    PassageId,
    Query,
    Retrieval,
    Seconds,
    ShownCitation,
    ShownClaim,
    Span,
    Verdict,
)
from citeleaf.verify.conflict import conflict

SCHEMA = "citeleaf/check/1"
LONGEST_TEXT = 200_000
"""Characters; a longer text is not checked."""
MOST_CLAIMS = 500
_FOUND = 5
"""Passages looked at for one sentence."""
_CITED = 3
_QUOTES = 2
_MODEL = "model_odds"
"""The check of a model's opinion; without a value there was none."""
_ID = re.compile(r"\[([\w.-]+#[\w.-]+#c\d+)\]")

Reason: TypeAlias = Literal["checked", "empty_text", "nothing_to_check", "text_too_long"]


@dataclass(frozen=True, slots=True)
class Checked:
    """One sentence with its verdict: `at` is its span in the text, `checks` are the rules with the words they saw."""

    claim: ShownClaim
    at: Span
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A piece of the text that states nothing: `why` is `question`, `heading` or `code`."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """What the library says to a text.

    `verdict` is `refuted` when a sentence is, else `not_enough_info` when a sentence is or there is none, else
    `supported`. `reason` is a stable code. Citations are numbered from 1 in order of first use; a sentence without
    support cites the words that come nearest.
    """

    verdict: Label
    reason: Reason
    claims: tuple[Checked, ...]
    citations: tuple[ShownCitation, ...]
    skipped: tuple[Skipped, ...]
    against: tuple[DocId, ...]
    fingerprint: str
    seconds: tuple[Seconds, ...]

    @property
    def unheard(self) -> str:
        """Why a model that is asked beside the checks had no opinion on some sentence; empty where it had."""
        return unheard(c for checked in self.claims for c in checked.checks)


def unheard(checks: Iterable[Check]) -> str:
    """Why a model that is asked beside the checks had no opinion on some sentence; empty where it had."""
    return next((c.detail for c in checks if c.name == _MODEL and c.value is None), "")


def check(text: str, kit: Kit, rules: Settings, against: Sequence[DocId] = (), clock: Clock | None = None) -> Checkup:
    """Verifies each sentence of a text against the documents `against` (empty: all of the library).

    A sentence that one document supports and another denies is `not_enough_info`, with the check `conflict`.
    Never raises for what the text is: one that is empty, too long, or holds only questions, headings and code has its
    reason. Markers that name a passage by its id bring that passage along; others are taken out. Raises `StoreError`
    and `ModelError` for what the machine could not do. Time grows linearly with the number of sentences.
    """
    clock = clock or Clock()
    against = tuple(against)
    if not any(c.isalnum() for c in text[:LONGEST_TEXT]):
        return _empty("empty_text", kit, against, clock)
    if len(text) > LONGEST_TEXT:
        return _empty("text_too_long", kit, against, clock)
    named = _named(text, kit, against)
    draft = Draft(text, text, False, "given")
    given = split_claims(draft, resolve(draft, named))
    if len(given) > MOST_CLAIMS:
        return _empty("text_too_long", kit, against, clock)
    reasons = {claim.n: skipped(claim, text) for claim in given}
    stated = [claim for claim in given if reasons[claim.n] is None]
    left = tuple(Skipped(c.text, why) for c in given if (why := reasons[c.n]) is not None)
    if not stated:
        return replace(_empty("nothing_to_check", kit, against, clock), skipped=left)

    evidence = clock.time("retrieve", _evidence, stated, named, kit, rules, against)
    known = _distinct(e for items in evidence for e in items)
    claims = clock.time("cite", _cited, stated, evidence)
    verdicts = clock.time("verify", kit.verifier.verify, claims, known)
    verdicts = [_compared(v, items, kit) for v, items in zip(verdicts, evidence, strict=True)]
    numbers = Numbers()
    shown = tuple(
        Checked(shown_claim(_deciding(claim, verdict), verdict, numbers), claim.at, verdict.checks)
        for claim, verdict in zip(claims, verdicts, strict=True)
    )
    labels = {v.label for v in verdicts}
    whole: Label = (
        "refuted" if "refuted" in labels else "not_enough_info" if "not_enough_info" in labels else "supported"
    )
    cited = shown_citations(numbers, known, kit.store)
    return Checkup(whole, "checked", shown, cited, left, against, kit.fingerprint, clock.seconds())


def check_json(done: Checkup) -> dict[str, Json]:
    """A checkup as every surface sends it: `citeleaf/check/1`. Spans are [start, end) in the text that was given."""
    return {
        "schema": SCHEMA,
        "verdict": done.verdict,
        "reason": done.reason,
        "claims": [
            {
                "n": c.claim.n,
                "text": c.claim.text,
                "start": c.at.start,
                "end": c.at.end,
                "citations": list(c.claim.citations),
                "verdict": c.claim.verdict,
                "score": plain(c.claim.score),
                "checks": list(c.claim.checks),
                "reasons": plain(c.checks),
            }
            for c in done.claims
        ],
        "citations": [citation_json(c) for c in done.citations],
        "skipped": [{"text": s.text, "why": s.why} for s in done.skipped],
        "against": list(done.against),
        "fingerprint": done.fingerprint,
        "seconds": {s.stage: plain(s.seconds) for s in done.seconds},
    }


def _empty(reason: Reason, kit: Kit, against: tuple[DocId, ...], clock: Clock) -> Checkup:
    return Checkup("not_enough_info", reason, (), (), (), against, kit.fingerprint, clock.seconds())


def _named(text: str, kit: Kit, against: Sequence[DocId]) -> tuple[Evidence, ...]:
    """The passages that the text names by id, where the library has them."""
    found: list[Passage] = []
    for match in _ID.finditer(text):
        try:
            (passage,) = kit.store.passages([match[1]])
        except UnknownId:
            continue
        if passage not in found and (not against or passage.doc_id in against):
            found.append(passage)
    return tuple(Evidence(p, rank, 0.0, "named", "named") for rank, p in enumerate(found, 1))


def _evidence(
    claims: Sequence[Claim], named: Sequence[Evidence], kit: Kit, rules: Settings, against: tuple[DocId, ...]
) -> list[tuple[Evidence, ...]]:
    """For each claim the passages that speak of it, those it names first, words that may not be read left out."""
    out = []
    for claim, words in zip(claims, standing(claims), strict=True):
        own = {c.passage_id for c in claim.cites}
        first = [e for e in named if e.passage.id in own]
        query = Query(words, (), against)
        found = single(query, "fused", _FOUND, kit.store, kit.embedder, None, rules.retrieve)
        passages = kit.store.passages([hit.passage_id for hit in found.hits])
        more = [Evidence(p, h.rank, h.score, "fused") for h, p in zip(found.hits, passages, strict=True)]
        read, _ = veiled(Retrieval(_distinct((*first, *more)), ()), rules.guard.document)
        out.append(read.evidence)
    return out


def _distinct(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    seen: dict[PassageId, Evidence] = {}
    for item in evidence:
        seen.setdefault(item.passage.id, item)
    return tuple(seen.values())


def _cited(claims: Sequence[Claim], evidence: Sequence[Sequence[Evidence]]) -> tuple[Claim, ...]:
    """The claims, each citing the passages that hold most of its words."""
    out = []
    for claim, items in zip(claims, evidence, strict=True):
        language = guess_language(claim.text)
        wanted = set(terms(claim.text, language))
        named = {c.passage_id for c in claim.cites}

        def held(item: Evidence, wanted: set[str] = wanted, language: str = language) -> int:
            return len(wanted & set(terms(f"{item.passage.context} {item.passage.text}", language)))

        best = sorted(items, key=lambda e: (e.passage.id not in named, -held(e)))[:_CITED]
        cites = tuple(
            Citation("", claim.at, "valid", e.passage.id, best_quotes(claim.text, e.passage, _QUOTES)) for e in best
        )
        out.append(replace(claim, cites=cites))
    return tuple(out)


def _compared(verdict: Verdict, evidence: Sequence[Evidence], kit: Kit) -> Verdict:
    """The verdict, not enough where another document disagrees with the words that it rests on."""
    home = next((e.passage for e in evidence if e.passage.id in verdict.passage_ids[:1]), None)
    if verdict.label != "supported" or verdict.quote is None or home is None:
        return verdict
    documents = {d.id: d for d in kit.store.documents()}
    aside = frozenset(d.id for d in chain(documents[home.doc_id], tuple(documents.values())))
    clash = conflict(verdict.quote, home, [e.passage for e in evidence], aside)
    if clash is None:
        return verdict
    detail = f"{home.doc_id} and {clash.second.doc_id} disagree: {clash.check.detail}"
    check = replace(clash.check, name=CONFLICT, detail=detail, found=clash.other)
    return replace(verdict, label="not_enough_info", checks=(*verdict.checks, check))


def _deciding(claim: Claim, verdict: Verdict) -> Claim:
    """The claim with the citation that decided alone; where none did, with the nearest."""
    if verdict.quote is not None and verdict.passage_ids:
        cite = next((c for c in claim.cites if c.passage_id == verdict.passage_ids[0]), None)
        if cite is not None:
            return replace(claim, cites=(replace(cite, quotes=(verdict.quote,)),))
    return replace(claim, cites=claim.cites[:1])

"""The end of the path: decision and trace -> Answer, as every surface shows it."""

from __future__ import annotations

from collections.abc import Sequence

from citeleaf.answer.match import best_units
from citeleaf.answer.shown import Numbers, shown_citations, shown_claim
from citeleaf.clock import Clock
from citeleaf.ids import fingerprint
from citeleaf.protocols import Store
from citeleaf.quotes import quotes_of, whole
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.settings import ReplySettings
from citeleaf.types import (
    Answer,
    Claim,
    Decision,
    Draft,
    Dropped,
    Evidence,
    Nearest,
    Query,
    Removed,
    ShownClaim,
    Trace,
    Verdict,
)

_NEAREST = 3
_LONGEST = 20_000
_MOST_WORDS = 64
"""Characters of a refused question that are read, and words of it that are searched for."""


def close(
    decision: Decision, trace: Trace, clock: Clock, store: Store, replies: ReplySettings, language: str = "en"
) -> Answer:
    """What is shown. Same trace, decision and documents, same answer, times aside.

    An answered text is the kept claims in the draft's order, each followed by the numbers of its citations (`[1][2]`);
    any other outcome has its reply, in `language` where there is one, and below it the claims on which the evidence
    disagrees. Citations are numbered from 1 in order of first use, one exact quotation each; the same quotation cited
    twice has one number. Brackets inside a claim's own words stay as they are: the numbers of a claim are
    `ShownClaim.citations`, never read out of the text. `nearest` are the
    three best passages of the evidence whenever the outcome is not `answered`; where nothing was searched because a
    rule refused, those that share most words with the question. An empty question is near to nothing.
    """
    claims = trace.claims or ()
    verdicts = {v.claim: v for v in trace.verdicts or ()}
    evidence = trace.retrieval.evidence if trace.retrieval else ()
    kept = [c for c in claims if c.n in decision.kept]
    numbers = Numbers()
    shown = tuple(shown_claim(claim, verdicts[claim.n], numbers) for claim in kept)
    if decision.outcome == "answered" and trace.draft:
        text = _text(trace.draft, kept, shown)
    else:
        said = decision.reply or replies.said(decision.outcome, language)
        text = "\n".join((said, *(f"{face.text} {_marks(face)}" for face in shown)))
    return Answer(
        id=_answer_id(trace, evidence, text),
        text=text,
        decision=decision,
        claims=shown,
        citations=shown_citations(numbers, evidence, store),
        dropped=tuple(Dropped(c.marker, c.why or "") for c in trace.citations or () if c.status == "dropped"),
        removed=tuple(_removed(c, verdicts[c.n]) for c in claims if c.n not in decision.kept),
        nearest=() if decision.outcome == "answered" else _nearest(trace, evidence, store),
        trace=trace,
        seconds=clock.seconds(),
    )


def _text(draft: Draft, kept: Sequence[Claim], shown: Sequence[ShownClaim]) -> str:
    out = ""
    for i, (claim, face) in enumerate(zip(kept, shown, strict=True)):
        if i:
            between = draft.text[kept[i - 1].at.end : claim.at.start]
            out += "\n\n" if between.count("\n") > 1 else "\n" if "\n" in between else " "
        out += face.text + (" " if face.citations else "") + _marks(face)
    return out


def _marks(claim: ShownClaim) -> str:
    return "".join(f"[{n}]" for n in claim.citations)


def _removed(claim: Claim, verdict: Verdict) -> Removed:
    failed = [check.detail or check.name for check in verdict.checks if not check.passed]
    return Removed(claim.text, verdict.label, "; ".join(failed))


def _nearest(trace: Trace, evidence: Sequence[Evidence], store: Store) -> tuple[Nearest, ...]:
    out: list[Nearest] = []
    for item in evidence[:_NEAREST] if trace.retrieval else _by_words(trace.query, store):
        units = best_units(trace.query.text[:_LONGEST], item.passage, 1)
        quote = quotes_of(units[0])[-1] if units else whole(item.passage)
        place = store.place(item.passage.doc_id, quote.span)
        out.append(Nearest(item.passage.id, place.page, item.score, quote.text))
    return tuple(out)


def _by_words(query: Query, store: Store) -> tuple[Evidence, ...]:
    words = list(dict.fromkeys(terms(query.text[:_LONGEST], guess_language(query.text[:_LONGEST]))))
    hits = store.lexical(words[:_MOST_WORDS], _NEAREST, query.doc_ids).hits if words else ()
    passages = store.passages([hit.passage_id for hit in hits])
    return tuple(Evidence(p, hit.rank, hit.score, "lexical") for hit, p in zip(hits, passages, strict=True))


def _answer_id(trace: Trace, evidence: Sequence[Evidence], text: str) -> str:
    query = trace.query
    asked = (query.text, query.asked or "", *query.doc_ids, *(f"{fact.label}\n{fact.text}" for fact in query.facts))
    parts = (*asked, trace.fingerprint, *(e.passage.id for e in evidence), text)
    return fingerprint(*(part.replace("\0", "\ufffd") for part in parts))

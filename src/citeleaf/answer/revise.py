"""A sentence that its citation does not support: one look at the other evidence, else the documents' own words.

One attempt each, and on record: the changed sentence is a claim of its own beside the one that it stands for, which is
listed among what was removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeleaf.answer.match import best_quotes
from citeleaf.protocols import Verifier
from citeleaf.quotes import folded, one_line
from citeleaf.types import Citation, Claim, Evidence, Quote, Verdict

_QUOTES = 2
_LEAST_WORDS = 5
"""A quotation of fewer words replaces no sentence."""


def revise(
    claims: Sequence[Claim], verdicts: Sequence[Verdict], evidence: Sequence[Evidence], verifier: Verifier
) -> tuple[tuple[Claim, ...], tuple[Verdict, ...]]:
    """Claims and verdicts with what was mended, in the order of the draft; each mended one behind the one it is for.

    A cited claim that is not supported is verified once against the evidence that it does not cite, and cites the
    passage that supports it there (`repaired`, with the reason). Else, where a check found words of the passage that
    say otherwise or the claim is near enough to be looked up, those words stand in for it. Quotations already said are
    not said again.
    """
    out: list[Claim] = []
    said: list[Verdict] = []
    known = {folded(c.text) for c, v in zip(claims, verdicts, strict=True) if v.label == "supported"}
    fresh = max((c.n for c in claims), default=0)
    for claim, verdict in zip(claims, verdicts, strict=True):
        out.append(claim)
        said.append(verdict)
        if verdict.label == "supported" or not verdict.passage_ids:
            continue
        mended = _pointed(claim, verdict, evidence, verifier, fresh + 1) or _quoted(
            claim, verdict, evidence, verifier, fresh + 1
        )
        if mended is None or folded(mended[0].text) in known:
            continue
        fresh += 1
        known.add(folded(mended[0].text))
        out.append(mended[0])
        said.append(mended[1])
    return tuple(out), tuple(said)


def _pointed(
    claim: Claim, verdict: Verdict, evidence: Sequence[Evidence], verifier: Verifier, n: int
) -> tuple[Claim, Verdict] | None:
    """The claim with the citation of other evidence, where that supports it."""
    cited = set(verdict.passage_ids)
    others = [e for e in evidence if e.passage.id not in cited]
    if not others or verdict.label == "refuted":
        return None
    why = "cited another passage, which does not support it"
    cites = tuple(
        Citation(f"[{e.rank}]", claim.at, "repaired", e.passage.id, best_quotes(claim.text, e.passage, _QUOTES), why)
        for e in others
    )
    (found,) = verifier.verify([replace(claim, n=n, cites=cites)], evidence)
    if found.label != "supported":
        return None
    cite = next(c for c in cites if c.passage_id == found.passage_ids[0])
    quotes = (found.quote,) if found.quote is not None else cite.quotes
    return replace(claim, n=n, cites=(replace(cite, quotes=quotes),)), found


def _quoted(
    claim: Claim, verdict: Verdict, evidence: Sequence[Evidence], verifier: Verifier, n: int
) -> tuple[Claim, Verdict] | None:
    """The deciding words of the passage in the claim's place."""
    near = any(c.name == "check the source" for c in verdict.checks)
    if verdict.quote is None or not (near or verdict.label == "refuted"):
        return None
    if len(verdict.quote.text.split()) < _LEAST_WORDS:
        return None
    home = next((e for e in evidence if e.passage.id == verdict.passage_ids[0]), None)
    if home is None:
        return None
    quotes = _whole(verdict.quote, home)
    why = "the documents' own words stand in for a sentence that they do not support"
    cite = Citation(f"[{home.rank}]", claim.at, "repaired", home.passage.id, quotes, why)
    stands = Claim(n, one_line(" ".join(q.text for q in quotes)), claim.at, (cite,))
    (found,) = verifier.verify([stands], evidence)
    return (stands, found) if found.label == "supported" else None


def _whole(quote: Quote, home: Evidence) -> tuple[Quote, ...]:
    """The words with what they must be read with: the lead of the unit that they stand in."""
    for unit in home.passage.units:
        if unit.quote.span.start <= quote.span.start and quote.span.end <= unit.quote.span.end:
            return (*unit.lead, quote if not unit.lead else unit.quote)
    return (quote,)

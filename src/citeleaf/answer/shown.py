"""Claims and citations as every surface shows them: quotations numbered in order of first use, with their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citeleaf.protocols import Store
from citeleaf.types import (
    Citation,
    Claim,
    DocId,
    Document,
    Evidence,
    Label,
    PassageId,
    Quote,
    ShownCitation,
    ShownClaim,
    Verdict,
)


@dataclass(slots=True)
class Numbers:
    """Numbers quotations from 1 in order of first use."""

    entries: dict[tuple[PassageId, Quote], tuple[int, Citation, Label]] = field(default_factory=dict)

    def number(self, quote: Quote, citation: Citation, support: Label) -> int:
        """The number of a quotation, a new one where it was not used yet; the first use gives status and support."""
        key = (citation.passage_id or "", quote)
        return self.entries.setdefault(key, (len(self.entries) + 1, citation, support))[0]


def shown_claim(claim: Claim, verdict: Verdict, numbers: Numbers) -> ShownClaim:
    """A claim with its verdict and the numbers of its citations."""
    cites = [c for c in claim.cites if c.status != "dropped"]
    used = [numbers.number(quote, c, verdict.label) for c in cites for quote in c.quotes]
    checks = tuple(dict.fromkeys(check.name for check in verdict.checks))
    return ShownClaim(claim.n, claim.text, tuple(dict.fromkeys(used)), verdict.label, verdict.score, checks)


def shown_citations(numbers: Numbers, evidence: Sequence[Evidence], store: Store) -> tuple[ShownCitation, ...]:
    """The numbered quotations with title, version and place."""
    if not numbers.entries:
        return ()
    passages = {e.passage.id: e.passage for e in evidence}
    documents: Mapping[DocId, Document] = {d.id: d for d in store.documents()}
    out: list[ShownCitation] = []
    for (passage_id, quote), (n, citation, support) in numbers.entries.items():
        document = documents[passages[passage_id].doc_id]
        place = store.place(document.id, quote.span)
        out.append(
            ShownCitation(
                n=n,
                passage_id=passage_id,
                doc_id=document.id,
                title=document.title,
                version=document.version,
                quote=quote,
                place=place,
                status=citation.status,
                raw=citation.marker,
                support=support,
            )
        )
    return tuple(out)

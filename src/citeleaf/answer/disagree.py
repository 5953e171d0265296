"""Evidence that disagrees with itself: both sides are shown and a person decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeleaf.answer.versions import chain
from citeleaf.protocols import Verifier
from citeleaf.quotes import one_line
from citeleaf.types import Check, Citation, Claim, Document, Evidence, Verdict
from citeleaf.verify.conflict import conflict

CONFLICT = "conflict"


def disagreements(
    claims: Sequence[Claim],
    verdicts: Sequence[Verdict],
    evidence: Sequence[Evidence],
    documents: Sequence[Document],
    verifier: Verifier,
) -> tuple[tuple[Claim, ...], tuple[Verdict, ...], tuple[Check, ...]]:
    """Claims and verdicts with the other side of each conflict behind its claim unless one says it, and failed checks.

    Looked at are the words that each supported claim rests on, beside the evidence of other documents; versions of one
    document do not disagree. The check's value is the number of the claim.
    """
    out: list[Claim] = []
    said: list[Verdict] = []
    found: list[Check] = []
    fresh = max((c.n for c in claims), default=0)
    passages = {e.passage.id: e for e in evidence}
    named = {d.id: d for d in documents}
    for claim, verdict in zip(claims, verdicts, strict=True):
        out.append(claim)
        said.append(verdict)
        home = passages.get(verdict.passage_ids[0]) if verdict.passage_ids else None
        if verdict.label != "supported" or verdict.quote is None or home is None:
            continue
        own = named.get(home.passage.doc_id)
        aside = frozenset(d.id for d in chain(own, documents)) if own is not None else frozenset[str]()
        clash = conflict(verdict.quote, home.passage, [e.passage for e in evidence], aside)
        if clash is None:
            continue
        detail = f"{clash.first.doc_id} and {clash.second.doc_id} disagree: {clash.check.detail}"
        text = one_line(clash.other.text)
        same = next((c.n for c in (*claims, *out) if text in c.text and c.n != claim.n), None)
        if same is not None:
            found.extend(replace(clash.check, name=CONFLICT, detail=detail, value=float(n)) for n in (claim.n, same))
            continue
        fresh += 1
        item = passages[clash.second.id]
        cite = Citation(f"[{item.rank}]", claim.at, "valid", clash.second.id, (clash.other,), "it disagrees")
        other = Claim(fresh, text, claim.at, (cite,))
        (judged,) = verifier.verify([other], evidence)
        out.append(other)
        said.append(replace(judged, label="supported"))
        found.extend(replace(clash.check, name=CONFLICT, detail=detail, value=float(n)) for n in (claim.n, fresh))
    return tuple(out), tuple(said), tuple(found)

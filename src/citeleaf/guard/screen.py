"""The last look at a draft's claims: what the evidence does not say and the assistant must not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeleaf.guard.look import guard
from citeleaf.guard.personal import personal
from citeleaf.quotes import folded
from citeleaf.settings import GuardRule
from citeleaf.types import Check, Claim, Draft, Evidence, Query, Verdict

PERSONAL = "personal_data"


def screen(
    draft: Draft,
    claims: Sequence[Claim],
    verdicts: Sequence[Verdict],
    query: Query,
    evidence: Sequence[Evidence],
    rules: Sequence[GuardRule],
) -> tuple[tuple[Check, ...], tuple[Verdict, ...]]:
    """One check a rule, in the rules' order, then one for every claim taken out; and the verdicts after that.

    A rule looks at the claims, quotations aside: the documents' own words are theirs. It does not count where a passage
    that the claim cites trips it too, since then the documents say so. A claim that trips a rule with the outcome
    `removed`, or holds personal data that neither the question nor the evidence has, becomes `not_enough_info` with the
    check that says why; so it is not shown. Other outcomes are for `decide`, over the whole answer.
    """
    known = tuple(rules)
    quoted = {(q.at.start, q.at.end) for q in draft.quotations}
    passages = {e.passage.id: e.passage for e in evidence}
    worst: dict[str, Check] = {}
    gone: dict[int, Check] = {}
    for claim in claims:
        if (claim.at.start, claim.at.end) in quoted:
            continue
        cited = "\n".join(passages[c.passage_id].text for c in claim.cites if c.passage_id in passages)
        said = {check.name for check in guard(cited, known) if not check.passed} if cited else set()
        for check, rule in zip(guard(claim.text, known), known, strict=True):
            if check.passed or rule.name in said:
                continue
            if rule.outcome == "removed":
                gone.setdefault(claim.n, check)
            else:
                worst.setdefault(rule.name, check)
        if strangers := _strangers(claim.text, query, evidence):
            gone.setdefault(claim.n, Check(PERSONAL, False, f"neither asked nor in the evidence: {strangers}"))
    checks = tuple(worst.get(rule.name, Check(rule.name, True, "")) for rule in known)
    removed = tuple(replace(check, detail=f"claim {n}: {check.detail}") for n, check in sorted(gone.items()))
    after = tuple(
        replace(v, label="not_enough_info", score=0.0, checks=(*v.checks, gone[v.claim])) if v.claim in gone else v
        for v in verdicts
    )
    return (*checks, *removed), after


def _strangers(text: str, query: Query, evidence: Sequence[Evidence]) -> str:
    """Kinds of personal data in the text that stand in neither question, facts nor evidence."""
    known = _bare("\n".join([query.text, *(f.text for f in query.facts), *(e.passage.text for e in evidence)]))
    kinds = [p.kind for p in personal(text) if _bare(text[p.span.start : p.span.end]) not in known]
    return ", ".join(dict.fromkeys(kinds))


def _bare(text: str) -> str:
    return "".join(c for c in folded(text) if c.isalnum() or c == "@")

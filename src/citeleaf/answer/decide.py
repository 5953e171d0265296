"""Typed results -> Decision. Outcomes are read off checks and verdicts, never off prose."""

from __future__ import annotations

from collections.abc import Sequence

from citeleaf.answer.disagree import CONFLICT
from citeleaf.settings import DecideSettings, GuardRule
from citeleaf.types import Check, Claim, Decision, Draft, Query, Verdict

LONGEST_QUESTION = 20_000
"""Characters; a longer question is not answered."""


def decide_request(
    query: Query, checks: Sequence[Check], rules: Sequence[GuardRule], language: str = "en"
) -> Decision | None:
    """None when the question may be searched for.

    `empty_question` (no letter or digit in it) and `question_too_long` abstain; else the first rule that failed gives
    outcome, reason (its name) and, in `language`, its reply.
    """
    if not any(c.isalnum() for c in query.text[:LONGEST_QUESTION]):
        return Decision("abstained", "empty_question")
    if len(query.text) > LONGEST_QUESTION:
        return Decision("abstained", "question_too_long")
    return _first_failed(checks, rules, language)


def decide_evidence(checks: Sequence[Check]) -> Decision | None:
    """None when every check of the gate passed; else abstained, for `no_evidence`, `unknown_code` or `below_gate`."""
    failed = {check.name for check in checks if not check.passed}
    if not failed:
        return None
    reason = "no_evidence" if "evidence" in failed else "unknown_code" if "codes" in failed else "below_gate"
    return Decision("abstained", reason)


def decide_answer(
    draft: Draft,
    claims: Sequence[Claim],
    verdicts: Sequence[Verdict],
    screen: Sequence[Check],
    rules: Sequence[GuardRule],
    settings: DecideSettings,
    language: str = "en",
) -> Decision:
    """How the answer ends, and which claims are shown; `rules` are those the screen looked at.

    In this order: the generator abstained (`draft_abstained`); a rule of the screen failed (its outcome and name); the
    evidence disagrees on a supported claim (`escalated`, `conflict`, both sides kept), or a claim is refuted and
    settings say so; no claim is supported (`no_supported_claim`) or too small a share of the draft's sentences
    (`too_few_supported`); else answered with the supported claims, for `supported`, or, where quotation stood in for a
    model, for the fallback's code and `_quoted`.
    """
    if draft.abstains:
        return Decision("abstained", "draft_abstained")
    if stopped := _first_failed(screen, rules, language):
        return stopped
    kept = tuple(v.claim for v in verdicts if v.label == "supported")
    clashing = {int(check.value or 0) for check in screen if check.name == CONFLICT}
    if clashing & set(kept):
        return Decision("escalated", CONFLICT, kept)
    if settings.on_refuted == "escalated" and any(v.label == "refuted" for v in verdicts):
        return Decision("escalated", CONFLICT)
    if not kept:
        return Decision("abstained", "no_supported_claim")
    places = {c.n: c.at for c in claims}
    if len({places[n] for n in kept}) < settings.min_supported * len(set(places.values())):
        return Decision("abstained", "too_few_supported")
    return Decision("answered", f"{draft.fallback}_quoted" if draft.fallback else "supported", kept)


def _first_failed(checks: Sequence[Check], rules: Sequence[GuardRule], language: str) -> Decision | None:
    """By the first failed check that has a rule; a check without one is a record of what was changed."""
    named = {rule.name: rule for rule in rules}
    for check in checks:
        rule = named.get(check.name)
        if not check.passed and rule and rule.outcome in ("refused", "escalated"):
            return Decision(rule.outcome, rule.name, reply=rule.reply.said_in(language))
    return None

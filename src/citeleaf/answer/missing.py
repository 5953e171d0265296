"""Which parts of a question with several an answer leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.types import Check, Claim, Verdict

MISSING = "unanswered_part"
_LEAST = 0.34
"""Share of a part's words that some supported sentence, or the words it rests on, must hold."""


def missing(parts: Sequence[str], claims: Sequence[Claim], verdicts: Sequence[Verdict]) -> tuple[Check, ...]:
    """A failed check for each part of the question of which no supported claim, with its quotations, speaks."""
    held = []
    for claim, verdict in zip(claims, verdicts, strict=True):
        if verdict.label == "supported":
            quoted = " ".join(q.text for c in claim.cites for q in c.quotes)
            held.append(set(terms(f"{claim.text} {quoted}", guess_language(claim.text))))
    out = []
    for part in parts:
        wanted = set(terms(part, guess_language(part)))
        best = max((len(wanted & words) / len(wanted) for words in held), default=0.0) if wanted else 1.0
        if best < _LEAST:
            out.append(Check(MISSING, False, part, round(best, 3), _LEAST))
    return tuple(out)

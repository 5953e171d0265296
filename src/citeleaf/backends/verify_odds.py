"""A language model's opinion on a claim: the odds of yes against no as the first token of its reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

from citeleaf.chat import Chat, Message, WeighingChat
from citeleaf.errors import ModelError
from citeleaf.ids import fingerprint

SYSTEM = (
    "You check claims against a source text. Reply with one word: Yes if the source text clearly supports the whole "
    "claim, otherwise No."
)
ASKED = (
    "Source text:\n{evidence}\n\nClaim: {claim}\n\n"
    "Does the source text clearly support the whole claim? Answer Yes or No."
)
MOST = 12.0
"""Greatest log-odds, either way."""
_LEAST = -14.0
"""Log-probability of a word that is not among those told."""


class ModelOdds:
    """Asks for one token a claim. A negative question is never asked: small models agree with whatever is said."""

    name = "model_odds"

    def __init__(self, chat: Chat) -> None:
        """Nothing is asked before the first claim."""
        self._chat = chat
        self.fingerprint = fingerprint("model-odds-1", SYSTEM, ASKED, chat.fingerprint)

    def odds(self, pairs: Sequence[tuple[str, str]]) -> list[float | str]:
        """Log-odds of yes in [-12, 12]; in words why there are none, from a runtime that tells none or failed.

        `Cancelled` passes through.
        """
        return [self._one(claim, evidence) for claim, evidence in pairs]

    def _one(self, claim: str, evidence: str) -> float | str:
        silent = f"{self._chat.name} gives no probabilities"
        if not isinstance(self._chat, WeighingChat):
            return silent
        messages = [Message("system", SYSTEM), Message("user", ASKED.format(evidence=evidence, claim=claim))]
        try:
            found = self._chat.first(messages)
        except ModelError as error:
            return f"{error.kind or error.code}: {error.message}"
        if found is None:
            return silent
        yes, no = _mass(found, "yes"), _mass(found, "no")
        if yes is None and no is None:
            return f"{self._chat.name} answers neither yes nor no"
        return max(-MOST, min(MOST, (_LEAST if yes is None else yes) - (_LEAST if no is None else no)))


def _mass(found: Mapping[str, float], word: str) -> float | None:
    """Log of the summed probability of the tokens that are the word, case, blanks and marks aside."""
    total = sum(exp(value) for token, value in found.items() if token.strip(" \n\t\"'*.▁Ġ").lower() == word)
    return log(total) if total > 0 else None

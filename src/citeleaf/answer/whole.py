"""Proof that a model server read the whole prompt: by its own count of tokens."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeleaf.answer.count import estimate
from citeleaf.answer.prompts import Prompt, write
from citeleaf.chat import Chat, Message, Reply, Window
from citeleaf.errors import BadModelOutput, ModelError
from citeleaf.settings import ChatSettings
from citeleaf.types import Check, Evidence, Fact

_WORDS = 0.8
"""Tokens that a word has at least, on average."""
_SLACK = 8
"""Tokens by which two counts of the same text may differ: joints between passages, what a template adds."""
_BELIEVED_S = 600.0
_LEAST_RATE = 0.85
"""Share of the tokens a piece of text had in the proved prompt, below which a prompt is proved anew."""


@dataclass(frozen=True, slots=True)
class _Proven:
    """The longest prompt that was proved to be read whole: its tokens, tokens an estimated one, and when."""

    tokens: int
    rate: float
    at: float


class Proof:
    """Confirms that one server read the prompts of its replies. Safe to call from several threads."""

    def __init__(self, chat: Chat, settings: ChatSettings) -> None:
        """Nothing is asked before the first reply."""
        self._chat = chat
        self._settings = settings
        self._proven: _Proven | None = None

    def confirm(
        self,
        messages: Sequence[Message],
        reply: Reply,
        window: Window,
        question: str,
        facts: Sequence[Fact],
        prompt: Prompt,
    ) -> Check:
        """The check that no part of the prompt was lost. Raises `BadModelOutput` when it was, or may have been.

        Where the runtime counts tokens, the reply must report as many as the prompt has (else `evidence_truncated`).
        Where it told its window, or refuses what does not fit, the prompt was made to fit, and a report of fewer tokens
        than there are words in it is still `evidence_truncated`. Else the server is asked to count: the prompt with one
        half of the evidence, with the other half, and with none must add up to what the reply reports; one token is
        written each time. A server that did so for a prompt is believed for ten minutes on prompts that are no longer,
        while it reports as many tokens for their length as then. A server that reports no tokens can prove nothing
        (`evidence_unconfirmed`), unless a window is set.
        """
        told = reply.prompt_tokens
        exact = self._chat.count(messages)
        if exact is not None:
            if told is not None and told < exact - _SLACK:
                raise _truncated(reply, exact)
            return Check("prompt_tokens", True, "counted by the runtime", told, float(exact))
        if window.safe:
            words = sum(len(m.text.split()) for m in messages)
            if told is not None and told < _WORDS * words:
                raise _truncated(reply, words)
            return Check("prompt_tokens", True, "the runtime does not cut prompts", told)
        if told is None:
            if set_here := self._settings.window:
                return Check("prompt_tokens", True, "not reported; chat.window is trusted", None, float(set_here))
            raise _unconfirmed(reply, "the server reports no count of tokens")
        rate = told / estimate(messages)
        if self._believes(told, rate):
            return Check("prompt_tokens", True, "a longer prompt was counted in parts before", float(told))
        expected = _added_up(self._chat, reply, question, prompt.shown, facts, self._settings)
        if told < expected - _SLACK:
            raise _truncated(reply, expected)
        self._proven = _Proven(told, rate, time.monotonic())
        return Check("prompt_tokens", True, "counted by the server in parts", float(told), float(expected))

    def _believes(self, told: int, rate: float) -> bool:
        proven = self._proven
        if proven is None or time.monotonic() > proven.at + _BELIEVED_S:
            return False
        return told <= proven.tokens and rate >= _LEAST_RATE * proven.rate


def _added_up(
    chat: Chat, reply: Reply, question: str, shown: Sequence[Evidence], facts: Sequence[Fact], settings: ChatSettings
) -> int:
    """Tokens of the whole prompt as the sum of its parts, each counted by the server."""

    def tokens(evidence: Sequence[Evidence]) -> int:
        turns = write(question, evidence, facts, examples=settings.examples)
        try:
            told = chat.reply(turns, max_tokens=1).prompt_tokens
        except ModelError as error:
            raise _unconfirmed(reply, "the server did not count the parts of the prompt") from error
        if told is None:
            raise _unconfirmed(reply, "the server does not always report its count of tokens")
        return told

    frame = tokens(())
    total = frame
    for part in _halves(shown):
        brought = tokens(part) - frame
        if brought < _WORDS * sum(len(e.passage.text.split()) for e in part):
            raise _unconfirmed(reply, "the server counts hardly more tokens for a longer prompt")
        total += brought
    return total


def _halves(shown: Sequence[Evidence]) -> tuple[Sequence[Evidence], Sequence[Evidence]]:
    """Two parts that hold the evidence between them; one passage alone is parted at a blank near its middle."""
    if len(shown) > 1:
        half = (len(shown) + 1) // 2
        return shown[:half], shown[half:]
    only = shown[0]
    text = only.passage.text
    at = text.find(" ", len(text) // 2) % (len(text) + 1)
    first, second = (replace(only, passage=replace(only.passage, text=part)) for part in (text[:at], text[at:]))
    return (first,), (second,)


def _truncated(reply: Reply, expected: float) -> BadModelOutput:
    return BadModelOutput(
        f"the server read {reply.prompt_tokens} tokens of a prompt of about {expected:.0f}: evidence was cut off",
        raw=reply.text,
        kind="evidence_truncated",
        hint="raise the context size of the model server, or set chat.window to it",
    )


def _unconfirmed(reply: Reply, why: str) -> BadModelOutput:
    return BadModelOutput(
        f"{why}, so nobody knows whether it read all of the evidence",
        raw=reply.text,
        kind="evidence_unconfirmed",
        hint="set chat.window to the context size of the model server",
    )

"""Evidence -> draft by a chat model: prompt, reply, one more try, and proof that the whole prompt was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from citeleaf.answer.count import estimate
from citeleaf.answer.followup import Turn
from citeleaf.answer.prompts import Prompt, fit, rewriting, visible, write
from citeleaf.answer.reply import REMINDERS, Read, SoFar, read
from citeleaf.answer.whole import Proof
from citeleaf.chat import Chat, Message, Reply, Tell, Window
from citeleaf.errors import BadModelOutput, ModelError
from citeleaf.ids import fingerprint
from citeleaf.settings import ChatSettings
from citeleaf.types import Check, Draft, Evidence, Fact

_ASSUMED = 4096
"""Window of a server that does not tell; what it then reads is proved (see `whole`)."""
_MARGIN = 48
"""Tokens kept free for a reminder."""
_UNBOUNDED = 1_000_000
_LONGEST_QUESTION = 80


class ModelGenerator:
    """Asks a chat model for an answer from passages alone. Safe to call from several threads."""

    def __init__(self, chat: Chat, settings: ChatSettings) -> None:
        """Nothing is asked before the first draft or `warm_up`."""
        self._chat = chat
        self._settings = settings
        self._proof = Proof(chat, settings)
        self.name = chat.name
        shape = (settings.max_tokens, settings.window, settings.retries, settings.examples, settings.strong_score)
        self.fingerprint = fingerprint("model-1", chat.fingerprint, repr(shape))

    def draft(self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact]) -> Draft:
        """The model's answer or abstention, with all that was looked at in `checks`.

        A reply outside the protocol is asked for again, `retries` times, with a word on what was wrong; after that it
        is `BadModelOutput` with its kind, as is an answer to a prompt of which a part may have been lost. An abstention
        is believed, unless the best passage scores `strong_score` or more: then it counts as such a reply.
        Raises `ModelError`, `ConfigError` and `Cancelled`.
        """
        return self._asked(question, evidence, facts, None)

    def stream(
        self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact], hear: Callable[[Draft], None]
    ) -> Draft:
        """What `draft` gives, heard while it is written, from a runtime that is known not to cut prompts."""
        return self._asked(question, evidence, facts, hear)

    def _asked(
        self,
        question: str,
        evidence: Sequence[Evidence],
        facts: Sequence[Fact],
        hear: Callable[[Draft], None] | None,
    ) -> Draft:
        window = self._window()
        # Elsewhere it shows only at the end whether the model read all of the evidence.
        hear = hear if window.safe else None
        prompt = self._fit(question, evidence, facts, window)
        try:
            return self._drafted(question, prompt, facts, window, hear)
        except BadModelOutput as error:
            if error.kind != "overflow" or len(prompt.shown) < 2:
                raise
        half = (len(prompt.shown) + 1) // 2
        smaller = self._fit(question, prompt.shown[:half], facts, window)
        left_out = (*smaller.left_out, *prompt.shown[half:], *prompt.left_out)
        return self._drafted(question, replace(smaller, left_out=left_out), facts, window, hear)

    def rewrite(self, question: str, turns: Sequence[Turn]) -> str | None:
        """The follow-up as the model would ask it alone; None when it fails. Its words are still to be checked."""
        messages = rewriting(question, [(turn.asked, turn.answer) for turn in turns])
        try:
            reply = self._chat.reply(messages, max_tokens=_LONGEST_QUESTION)
        except ModelError:
            return None
        lines = [line.strip(" \"'*") for line in visible(reply.text).split("\n") if line.strip()]
        return lines[0] if lines and reply.finish in ("stop", "unknown") else None

    def warm_up(self) -> None:
        """Loads the model."""
        self._chat.warm_up()

    def close(self) -> None:
        """Lets go of the model."""
        self._chat.close()

    def _drafted(
        self,
        question: str,
        prompt: Prompt,
        facts: Sequence[Fact],
        window: Window,
        hear: Callable[[Draft], None] | None,
    ) -> Draft:
        checks = [_budget(prompt)]
        messages = prompt.messages
        for tries_left in range(self._settings.retries, -1, -1):
            reply = self._chat.reply(
                messages, max_tokens=self._settings.max_tokens, tell=self._heard(question, prompt, hear)
            )
            found = self._judged(read(reply, prompt, question, last=tries_left == 0), prompt)
            if not found.fault:
                checks.append(self._proof.confirm(messages, reply, window, question, facts, prompt))
                checks.extend(found.checks)
                return Draft(reply.text, found.text, found.abstains, _named(self.name, reply), checks=tuple(checks))
            checks.append(Check("reply", False, f"{found.fault}: {found.detail}"))
            if found.fault not in REMINDERS or not tries_left:
                break
            messages = write(
                question, prompt.shown, facts, examples=self._settings.examples, reminder=REMINDERS[found.fault]
            )
        raise BadModelOutput(
            f"the model's reply is no answer: {found.detail}",
            raw=reply.text,
            kind=found.fault,
            hint="ask in other words, or use a larger model",
            subject=self.name,
        )

    def _heard(self, question: str, prompt: Prompt, hear: Callable[[Draft], None] | None) -> Tell | None:
        if hear is None:
            return None
        so_far = SoFar(prompt, question)

        def tell(text: str) -> None:
            if told := so_far.read(text):
                hear(Draft(text, told, False, self.name))

        return tell

    def _judged(self, found: Read, prompt: Prompt) -> Read:
        least = self._settings.strong_score
        best = max(e.score for e in prompt.shown)
        if found.abstains and least is not None and best >= least:
            detail = f"it abstains, and the best passage scores {best:.2f}"
            return Read("", False, "abstained_on_strong_evidence", detail)
        return found

    def _window(self) -> Window:
        told = self._chat.window()
        if not self._settings.window:
            return told
        set_here = self._settings.window
        return Window(min(set_here, told.tokens or set_here), told.safe and told.tokens is not None)

    def _fit(self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact], window: Window) -> Prompt:
        room = window.tokens or (_UNBOUNDED if window.safe else _ASSUMED)
        room -= self._settings.max_tokens + _MARGIN
        return fit(question, evidence, facts, self._count, room, examples=self._settings.examples)

    def _count(self, messages: Sequence[Message]) -> int:
        counted = self._chat.count(messages)
        return estimate(messages) if counted is None else counted


def _budget(prompt: Prompt) -> Check:
    left = ", ".join(e.passage.id for e in prompt.left_out)
    return Check("budget", True, f"left out: {left}" if left else "", float(prompt.tokens))


def _named(name: str, reply: Reply) -> str:
    return name if reply.model == name or not reply.model else f"{name} ({reply.model})"

"""Chat models without a server, for tests of what is made of their replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citeleaf.chat import Message, Reply, Tell, Window
from support.fake_model import tokens

Says = str | Reply | Exception


class ScriptedChat:
    """Says one thing after the other, the last one for ever; counts tokens as the fake server does."""

    name = "scripted"
    fingerprint = "scripted"

    def __init__(
        self,
        *says: Says,
        window: Window = Window(8192, True),  # noqa: B008
        counts: bool = True,
        reports: Callable[[int], int | None] = lambda n: n,
    ) -> None:
        self.says = list(says)
        self.asked: list[tuple[Message, ...]] = []
        self.limits: list[int] = []
        self._window = window
        self._counts = counts
        self._reports = reports

    def window(self) -> Window:
        return self._window

    def count(self, messages: Sequence[Message]) -> int | None:
        return size(messages) if self._counts else None

    def reply(self, messages: Sequence[Message], *, max_tokens: int, tell: Tell | None = None) -> Reply:
        self.asked.append(tuple(messages))
        self.limits.append(max_tokens)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Exception):
            raise said
        text = said.text if isinstance(said, Reply) else said
        for end in range(1, len(text) + 1):
            if tell is not None:
                tell(text[:end])
        if isinstance(said, Reply):
            return said
        return Reply(said, "stop", "scripted", self._reports(size(messages)), 10)

    def warm_up(self) -> None:
        """Nothing to load."""

    def close(self) -> None:
        """Nothing to close."""


def size(messages: Sequence[Message]) -> int:
    return sum(len(tokens(m.text)) + 4 for m in messages)

"""What a chat model takes and gives, whatever runs it, and how a caller stops it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from citeleaf.errors import Cancelled

Finish: TypeAlias = Literal["stop", "length", "filtered", "unknown"]
Tell: TypeAlias = Callable[[str], None]
"""Told all of a reply's text so far, each time there is more of it."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote; token counts are the runtime's own, None where it gives none (or none that can be)."""

    text: str
    finish: Finish
    model: str
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens that prompt and reply share.

    `tokens` is None where nobody told. `safe`: the runtime itself told, or it refuses a prompt that does not fit, so
    that no part of a prompt can be lost without a word.
    """

    tokens: int | None
    safe: bool


class Chat(Protocol):
    """One loaded model. Safe to call from several threads."""

    name: str
    fingerprint: str

    def window(self) -> Window:
        """Room of the model. Raises `ModelError` and `ConfigError`."""
        ...

    def count(self, messages: Sequence[Message]) -> int | None:
        """Tokens of the messages as the runtime itself counts them, template included; None where it cannot."""
        ...

    def reply(self, messages: Sequence[Message], *, max_tokens: int, tell: Tell | None = None) -> Reply:
        """One reply; `tell` hears it grow, where the runtime streams.

        Ends within the set limits; raises `ModelError`, `ConfigError`, and `Cancelled` when stopped.
        """
        ...

    def warm_up(self) -> None:
        """Loads the model, so that the first question does not wait for it. Raises as `reply` does."""
        ...

    def close(self) -> None:
        """Lets go of the model."""
        ...


@runtime_checkable
class WeighingChat(Protocol):
    """A chat model whose runtime can tell how likely a reply's first token is."""

    def first(self, messages: Sequence[Message]) -> Mapping[str, float] | None:
        """Log-probability (natural, at most 0) of the likeliest first tokens, by their text; None: it gives none.

        Raises as `Chat.reply` does.
        """
        ...


_STOP: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@contextmanager
def stopped_by(event: threading.Event) -> Iterator[None]:
    """Inside it, model calls of this thread raise `Cancelled` within a quarter of a second after `event` is set."""
    token = _STOP.set(event)
    try:
        yield
    finally:
        _STOP.reset(token)


def stop_event() -> threading.Event | None:
    """The event that stops this thread's model calls, if there is one."""
    return _STOP.get()


def check_stopped() -> None:
    """Raises `Cancelled` when this thread's model calls were stopped."""
    event = _STOP.get()
    if event is not None and event.is_set():
        raise Cancelled("stopped before the answer was there", hint="ask again")

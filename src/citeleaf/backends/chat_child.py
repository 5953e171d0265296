"""A chat model run here, in a watched process of its own: what Foundry Local and llama.cpp have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from citeleaf.backends.child import Child, Value
from citeleaf.backends.openai_shapes import clean
from citeleaf.chat import Finish, Message, Reply, Tell, Window
from citeleaf.errors import ModelUnavailable
from citeleaf.settings import ChatSettings, ServerSettings

_FINISH: Mapping[object, Finish] = {"stop": "stop", "length": "length"}


class ChildChat:
    """One chat model of one process. Nothing is started before the first call."""

    def __init__(self, child: Child, settings: ChatSettings, common: Value, name: str, fingerprint: str) -> None:
        """`common` goes with every call: it says which model is meant, and how it is loaded."""
        self.child = child
        self.name = name
        self.fingerprint = fingerprint
        self._settings = settings
        self._common = common

    def window(self) -> Window:
        """As the runtime loaded the model; a prompt that does not fit is refused, never cut."""
        tokens = self._call("load", {})["window"]
        return Window(tokens if isinstance(tokens, int) and tokens > 0 else None, True)

    def count(self, messages: Sequence[Message]) -> int | None:
        """By the model's own template and tokenizer, before it starts."""
        tokens = self._call("count", {"messages": turns(messages)})["tokens"]
        return tokens if isinstance(tokens, int) else None

    def reply(self, messages: Sequence[Message], *, max_tokens: int, tell: Tell | None = None) -> Reply:
        """One reply, in a session of its own."""
        pieces: list[str] = []

        def heard(piece: str) -> None:
            pieces.append(piece)
            if tell is not None:
                tell(clean("".join(pieces)))

        value: Value = {
            "messages": turns(messages),
            "max_tokens": max_tokens,
            "temperature": self._settings.temperature,
            "seed": self._settings.seed,
        }
        done = self._call("chat", value, heard)
        prompt, written = done.get("prompt_tokens"), done.get("reply_tokens")
        if not isinstance(prompt, int) or not isinstance(written, int):
            raise ModelUnavailable("the runtime gave no counts", kind="server_error", hint="run `citeleaf doctor`")
        finish = _FINISH.get(done.get("finish"), "unknown")
        return Reply(clean("".join(pieces)), finish, str(done.get("model", self.name)), prompt, written)

    def warm_up(self) -> None:
        """Starts the process and loads the model."""
        self._call("load", {})

    def close(self) -> None:
        """Ends the process."""
        self.child.close()

    def _call(self, do: str, value: Value, tell: Callable[[str], None] | None = None) -> Value:
        return call(self.child, self._settings, do, {**self._common, **value}, tell)


def call(
    child: Child, settings: ServerSettings, do: str, value: Value, tell: Callable[[str], None] | None = None
) -> Value:
    """One call within the set limits; `tell` gets pieces of text on the way."""
    return child.call(do, value, total=settings.total_s, first=settings.load_s, idle=settings.idle_s, tell=tell)


def turns(messages: Sequence[Message]) -> list[list[str]]:
    """Messages as they are sent to a worker; native strings end at a NUL, so it is left out."""
    return [[m.role, m.text.replace("\0", "")] for m in messages]

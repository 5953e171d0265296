"""What clients of the OpenAI API send. Fields that change nothing here are taken and named as ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from citeleaf.errors import ConfigError

_WORD = re.compile(r"\w+|[^\w\s]")
_MOST_TEXTS = 2048
_ACTED_ON = frozenset({"model", "messages", "stream", "stream_options", "n"})


def words(text: str) -> int:
    """Words and signs of a text: what `usage` counts, since no one tokenizer stands behind an answer."""
    return sum(1 for _ in _WORD.finditer(text))


@dataclass(frozen=True, slots=True)
class Said:
    """The question, the pairs of question and answer before it, what was not read, and the words of all of it."""

    question: str
    before: tuple[tuple[str, str], ...]
    ignored: tuple[str, ...]
    words: int


class Part(BaseModel):
    """A piece of a message; only text can be read."""

    model_config = ConfigDict(extra="ignore")
    type: Annotated[str, Field(max_length=100)] = "text"
    text: Annotated[str | None, Field(max_length=400_000)] = None


class ChatMessage(BaseModel):
    """One message of a talk."""

    model_config = ConfigDict(extra="ignore")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=400_000)] | Annotated[list[Part], Field(max_length=1000)] | None = None

    def said(self) -> str:
        """Its text. Raises `ConfigError` for pictures, sound and files of the user, which nothing here can read."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        foreign = next((p.type for p in self.content if p.type not in ("text", "input_text", "refusal")), None)
        if foreign is not None and self.role == "user":
            raise ConfigError(
                f"a message part of type `{foreign}` cannot be read",
                hint="send text; add documents with POST /api/documents",
                subject="messages",
            )
        return "\n".join(p.text for p in self.content if p.text)


class StreamOptions(BaseModel):
    """`include_usage`: a last chunk counts."""

    model_config = ConfigDict(extra="ignore")
    include_usage: bool = False


class ChatRequest(BaseModel):
    """A chat completion request. Whatever else is sent (temperature, tools, …) changes nothing and is named as such."""

    model_config = ConfigDict(extra="allow")
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=1000)]
    model: Annotated[str, Field(max_length=300)] = "citeleaf"
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = 1

    def wants_usage(self) -> bool:
        """Whether a stream ends with counts."""
        return self.stream_options is not None and self.stream_options.include_usage

    def said(self) -> Said:
        """The talk. Raises `ConfigError` when there is no question in it, or more than one answer is asked for."""
        if self.n not in (None, 1):
            raise ConfigError("one question has one answer here", hint="leave `n` out", subject="n")
        talk: list[tuple[str, str]] = [(m.role, m.said()) for m in self.messages]
        asked = [i for i, (role, text) in enumerate(talk) if role == "user" and text.strip()]
        if not asked:
            raise ConfigError("no message of the user holds a question", hint="send one", subject="messages")
        last = asked[-1]
        roles = {role for role, _ in talk if role not in ("user", "assistant")}
        unread = {k for k, v in (self.model_extra or {}).items() if v is not None} - _ACTED_ON
        return Said(
            talk[last][1],
            tuple(_pairs(talk[:last])),
            tuple(sorted(_short({*(f"messages[{r}]" for r in roles), *unread}))),
            sum(words(text) for _, text in talk),
        )


class EmbeddingsRequest(BaseModel):
    """An embeddings request."""

    model_config = ConfigDict(extra="ignore")
    input: str | list[Any]
    model: Annotated[str, Field(max_length=300)] = ""
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: Annotated[int, Field(ge=1)] | None = None
    input_type: Literal["query", "passage"] = "passage"

    def texts(self) -> list[str]:
        """The texts, in order. Raises `ConfigError` for none, too many, blank ones, and token numbers."""
        given = [self.input] if isinstance(self.input, str) else self.input
        texts = [t for t in given if isinstance(t, str)]
        if len(texts) != len(given):
            raise ConfigError("`input` holds something other than text", hint="send texts, not tokens", subject="input")
        if not 0 < len(texts) <= _MOST_TEXTS or not all(t.strip() for t in texts):
            raise ConfigError(f"`input` wants 1 to {_MOST_TEXTS} texts, none of them blank", subject="input")
        if any("\ud800" <= c <= "\udfff" for t in texts for c in t):
            raise ConfigError("`input` holds half characters", hint="send valid Unicode", subject="input")
        return texts


def _pairs(talk: list[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Each question with the text that answered it, empty where none did."""
    for i, (role, text) in enumerate(talk):
        if role == "user" and text.strip():
            answer = next((t for r, t in talk[i + 1 :] if r in ("user", "assistant")), "")
            follows = next((r for r, _ in talk[i + 1 :] if r in ("user", "assistant")), "")
            yield text, answer if follows == "assistant" else ""


def _short(names: Iterable[str]) -> Iterable[str]:
    return (name[:60] for name in sorted(names)[:50])

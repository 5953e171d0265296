"""The shapes in which OpenAI-compatible servers answer, read tolerantly; the only file that knows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from citeleaf.backends.http import Json, parsed, shown
from citeleaf.chat import Finish, Message, Reply, Tell
from citeleaf.errors import BadModelOutput, ModelError, ModelUnavailable

_FINISH: Mapping[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
}
_MOST_TOKENS = 100_000_000
_OVERFLOW = re.compile(
    r"maximum context length|context[_ ]length|context (?:size|window)|exceeds? the (?:model|avail)|too many tokens",
    re.IGNORECASE,
)
_NOT_LOADED = re.compile(r"not loaded|must be loaded", re.IGNORECASE)
_SOURCE = re.compile(r"^\S+\.(?:cc|cpp|h):\d+ .*?\) ")
"""A place in a runtime's own source, which says nothing to a user."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One model of a server's list: its exact id, other names for it, who runs it, its window if told."""

    id: str
    aliases: tuple[str, ...]
    owner: str
    window: int | None


def chat_request(messages: Iterable[Message], **options: Json) -> dict[str, Json]:
    """The body of a chat request."""
    return {"messages": [{"role": m.role, "content": m.text} for m in messages], **options}


def first_tokens(value: Json) -> dict[str, float] | None:
    """Log-probabilities of the first token of a reply asked for with `top_logprobs`; None where there are none."""
    top = _object(value)
    _raise_error(top)
    said = _first_choice(top).get("logprobs")
    content = said.get("content") if isinstance(said, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    listed = first.get("top_logprobs") if isinstance(first, dict) else None
    found: dict[str, float] = {}
    for entry in listed if isinstance(listed, list) else ():
        token, value_ = (entry.get("token"), entry.get("logprob")) if isinstance(entry, dict) else (None, None)
        if isinstance(token, str) and isinstance(value_, int | float) and value_ <= 0:
            found[token] = max(found.get(token, float("-inf")), float(value_))
    return found or None


def chat_reply(value: Json, model: str) -> Reply:
    """A whole reply. Raises `BadModelOutput` for a shape without a reply, `ModelUnavailable` for an error in it."""
    top = _object(value)
    _raise_error(top)
    choice = _first_choice(top)
    message = choice.get("message")
    text, refused = _content(message if isinstance(message, dict) else choice.get("delta"))
    if text is None:
        _wrong_shape(value)
    prompt, reply = _usage(top)
    finish: Finish = "filtered" if refused else _finish(choice)
    return Reply(clean(text), finish, _name(top, model), prompt, reply)


def streamed_reply(lines: Iterable[bytes], model: str, most_characters: int, tell: Tell | None = None) -> Reply:
    """A reply that comes in events. Over `most_characters` the rest is not waited for: the server knows no limit.

    Raises `ModelUnavailable` (`closed_early`) for a stream that ends without saying so, and as `chat_reply` does.
    """
    text: list[str] = []
    length = 0
    finish: Finish | None = None
    prompt: int | None = None
    reply: int | None = None
    ended = False
    for line in lines:
        data = _event_data(line)
        if data is None:
            continue
        if data == b"[DONE]":
            ended = True
            break
        top = _object(parsed(data, "text/event-stream"))
        _raise_error(top)
        model = _name(top, model)
        told_prompt, told_reply = _usage(top)
        prompt, reply = told_prompt or prompt, told_reply or reply
        choices = top.get("choices")
        if not isinstance(choices, list) or not choices:
            continue
        choice = _object(choices[0])
        delta = choice.get("delta")
        piece, refused = _content(delta if isinstance(delta, dict) else choice.get("message"))
        text.append(piece or "")
        length += len(piece or "")
        if piece and tell is not None:
            tell(clean("".join(text)))
        if refused:
            finish = "filtered"
        elif choice.get("finish_reason"):
            finish = _finish(choice)
        if length > most_characters:
            return Reply(clean("".join(text)), "length", model, prompt, reply)
    if finish is None and not ended:
        raise ModelUnavailable(
            "the server broke off in the middle of its reply", kind="closed_early", hint="see its log, then ask again"
        )
    return Reply(clean("".join(text)), finish or "unknown", model, prompt, reply)


def models(value: Json) -> tuple[Listed, ...]:
    """The models of a list reply, in the server's order. Raises `BadModelOutput` for another shape."""
    rows = value if isinstance(value, list) else _object(value).get("data") or _object(value).get("models") or []
    if not isinstance(rows, list):
        _wrong_shape(value)
    out = []
    for row in rows:
        entry: Mapping[str, Json] = {"id": row} if isinstance(row, str) else row if isinstance(row, dict) else {}
        name = entry.get("id") or entry.get("name")
        if isinstance(name, str) and name:
            others = [entry.get(k) for k in ("parent", "alias", "root", "name")]
            aliases = tuple(a for a in others if isinstance(a, str) and a and a != name)
            owner = entry.get("owned_by")
            window = next((w for k in ("max_model_len", "context_length") if (w := _count(entry.get(k)))), None)
            out.append(Listed(name, aliases, owner if isinstance(owner, str) else "", window))
    return tuple(out)


def vectors(value: Json) -> list[list[float]]:
    """The vectors of an embeddings reply, in the order of the texts sent. Raises `BadModelOutput` for another shape."""
    top = _object(value)
    _raise_error(top)
    rows = top.get("data") or top.get("embeddings")
    if not isinstance(rows, list) or not rows:
        _wrong_shape(value)
    placed: list[tuple[int, list[float]]] = []
    for i, row in enumerate(rows):
        inner = row.get("embedding") if isinstance(row, dict) else row
        place = row.get("index", i) if isinstance(row, dict) else i
        if not isinstance(inner, list) or not inner or not isinstance(place, int):
            _wrong_shape(value)
        numbers = [float(x) for x in inner if isinstance(x, int | float) and not isinstance(x, bool)]
        if len(numbers) != len(inner):
            _wrong_shape(value)
        placed.append((place, numbers))
    if sorted(place for place, _ in placed) != list(range(len(placed))):
        _wrong_shape(value)
    return [numbers for _, numbers in sorted(placed)]


def error_text(body: bytes) -> str:
    """What an error reply says, one safe line of at most 200 characters."""
    try:
        top = parsed(body)
    except BadModelOutput:
        return shown(body)
    inner = top.get("error", top) if isinstance(top, dict) else top
    if isinstance(inner, dict):
        said = inner.get("message") or inner.get("detail") or inner.get("title")
        return _said(said) if said else shown(body)
    return _said(inner)


def known_error(said: str) -> ModelError | None:
    """The error that words of a server stand for, where they are known: a prompt too long, a model not loaded."""
    if _NOT_LOADED.search(said):
        return ModelUnavailable(f"the model is not loaded: {said}", kind="not_loaded", hint="load it on the server")
    if _OVERFLOW.search(said):
        return BadModelOutput(f"the prompt does not fit: {said}", raw=said, kind="overflow")
    return None


def clean(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be written anywhere."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _event_data(line: bytes) -> bytes | None:
    if line.startswith(b"data:"):
        return line[5:].strip() or None
    if not line.strip() or line.startswith((b":", b"event:", b"id:", b"retry:")):
        return None
    # Some servers send bare lines of JSON; anything else fails to parse, and says so.
    return line.strip()


def _object(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        _wrong_shape(value)
    return value


def _first_choice(top: Mapping[str, Json]) -> Mapping[str, Json]:
    choices = top.get("choices")
    if not isinstance(choices, list) or not choices:
        _wrong_shape(dict(top))
    return _object(choices[0])


def _content(message: Json) -> tuple[str | None, bool]:
    """Text of a message, and whether the model or its filter refused."""
    if not isinstance(message, dict):
        return None, False
    refused = bool(message.get("refusal"))
    content = message.get("content")
    if isinstance(content, str):
        return content, refused
    if isinstance(content, list):
        parts = [p.get("text") if isinstance(p, dict) else p for p in content]
        return "".join(p for p in parts if isinstance(p, str)), refused
    return ("" if refused or (content is None and "content" in message) else None), refused


def _finish(choice: Mapping[str, Json]) -> Finish:
    reason = choice.get("finish_reason")
    return _FINISH.get(reason.lower(), "unknown") if isinstance(reason, str) else "unknown"


def _usage(top: Mapping[str, Json]) -> tuple[int | None, int | None]:
    usage = top.get("usage")
    if not isinstance(usage, dict):
        return None, None
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def _count(value: Json) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and isinstance(value, int) and 0 < value < _MOST_TOKENS else None


def _name(top: Mapping[str, Json], fallback: str) -> str:
    name = top.get("model")
    return name[:200] if isinstance(name, str) and name else fallback


def _raise_error(top: Mapping[str, Json]) -> None:
    error = top.get("error")
    if error:
        said = _said(error.get("message") if isinstance(error, dict) else error)
        raise known_error(said) or ModelUnavailable(
            f"the server reports an error: {said}",
            kind="server_error",
            hint="see the log of the server, then ask again",
        )


def _said(value: Json) -> str:
    return shown(_SOURCE.sub("", str(value)).encode("utf-8", "replace"))


def _wrong_shape(value: Json) -> NoReturn:
    raw = shown(repr(value).encode("utf-8", "replace"))
    raise BadModelOutput(
        f"the server's reply has a shape that is not known: {raw}",
        raw=raw,
        kind="wrong_shape",
        hint="check that the address is that of an OpenAI-compatible API",
    )

"""What a model server is and has: which one it is, the exact name of a model, its window, where its routes are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias
from urllib.parse import quote

from citeleaf.backends.http import Answered, Client, Json, Limits
from citeleaf.backends.openai_shapes import Listed, error_text, known_error, models
from citeleaf.chat import Message, Window
from citeleaf.errors import BadModelOutput, ConfigError, ModelError, ModelUnavailable
from citeleaf.settings import ServerSettings

ServerKind: TypeAlias = Literal["azure", "openai", "llamacpp", "vllm", "ollama", "lmstudio", "foundry", "unknown"]

_AZURE = re.compile(r"\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.(?:com|us|cn)$")
_OWNERS: dict[str, ServerKind] = {
    "llamacpp": "llamacpp",
    "vllm": "vllm",
    "library": "ollama",
    "organization_owner": "lmstudio",
    "microsoft": "foundry",
}
_DEVICE = re.compile(r"-[a-z0-9]+-(?:cpu|gpu|npu)$")
"""What Foundry Local puts behind a name: who runs it and on what."""
_MOST_LISTED = 8


@dataclass(frozen=True, slots=True)
class Served:
    """One model of a server, ready to be asked."""

    kind: ServerKind
    model: str
    aliases: tuple[str, ...]
    chat_path: str
    embed_path: str
    window: Window


def open_client(settings: ServerSettings, setting: str) -> tuple[Client, bool]:
    """The client for the address that is set, and whether it is an Azure resource."""
    plain = Client(settings.address, settings.key, proxy=settings.proxy, setting=setting)
    azure = bool(settings.api_version) or _AZURE.search(plain.host) is not None
    if not azure:
        return plain, False
    # A bearer token of Entra is a JWT; a key of the resource is not.
    token = settings.key.get_secret_value().startswith("eyJ")
    header = "Authorization" if token else "api-key"
    address = re.sub(r"/(?:chat/completions|embeddings)/?$", "", settings.address)
    return Client(address, settings.key, key_header=header, proxy=settings.proxy, setting=setting), True


def limits(settings: ServerSettings, size: int = 8_000_000) -> Limits:
    """The limits of one call."""
    return Limits(settings.connect_s, settings.load_s, settings.idle_s, settings.total_s, size)


def short(settings: ServerSettings) -> Limits:
    """The limits of a call that asks about the server and not the model."""
    seconds = min(10.0, settings.total_s)
    return Limits(settings.connect_s, seconds, seconds, seconds)


def find(client: Client, azure: bool, settings: ServerSettings, setting: str) -> Served:
    """The model that is meant. Raises `ConfigError` when there is none or the name could be several."""
    if azure:
        return _azure(client, settings, setting)
    prefix, listed = _list(client, settings)
    if listed is None:
        if not settings.model:
            raise ConfigError(
                f"`{client.origin}` does not list its models",
                hint=f"set {setting}.model, and check that {setting}.address is that of the API",
                subject=f"{setting}.model",
            )
        chosen = Listed(settings.model, (), "", None)
    else:
        chosen = choose(settings.model, listed, setting)
    kind: ServerKind = "openai" if client.host == "api.openai.com" else _OWNERS.get(chosen.owner.lower(), "unknown")
    if kind == "unknown" and _is_foundry(client, settings):
        kind = "foundry"
    window = Window(chosen.window, chosen.window is not None or kind in ("openai", "foundry"))
    return Served(kind, chosen.id, chosen.aliases, f"{prefix}/chat/completions", f"{prefix}/embeddings", window)


def choose(name: str, listed: Sequence[Listed], setting: str) -> Listed:
    """The model a name means: by exact id, by id in any case, by alias, by id without its version or device."""
    hint = f"set {setting}.model to one of: " + ", ".join(m.id for m in listed[:_MOST_LISTED])
    if not listed:
        raise ConfigError("the model server has no models", hint="load one there first", subject=f"{setting}.model")
    if not name:
        if len(listed) == 1:
            return listed[0]
        raise ConfigError("the model server has several models", hint=hint, subject=f"{setting}.model")
    wanted = name.casefold()
    for found in (
        [m for m in listed if m.id == name],
        [m for m in listed if m.id.casefold() == wanted],
        [m for m in listed if wanted in {a.casefold() for a in m.aliases}],
        [m for m in listed if m.id.casefold().rpartition(":")[0] == wanted],
        [m for m in listed if _bare(m.id).casefold() == wanted],
    ):
        if found:
            return found[0]
    raise ConfigError(f"`{name}` is not a model of the server", hint=hint, subject=f"{setting}.model")


def told_window(client: Client, served: Served, settings: ServerSettings) -> Window:
    """The window as the server's own routes tell it; `served.window` where they do not."""
    tokens: int | None = None
    try:
        if served.kind == "llamacpp":
            tokens = _number(_get(client, "/props", settings), "default_generation_settings", "n_ctx")
        elif served.kind == "ollama":
            tokens = _named(_get(client, "/api/ps", settings), "models", served.model, "context_length")
        elif served.kind == "lmstudio":
            tokens = _named(_get(client, "/api/v0/models", settings), "data", served.model, "loaded_context_length")
    except ModelError:
        return served.window
    return served.window if tokens is None else Window(tokens, True)


def count(client: Client, served: Served, messages: Sequence[Message], settings: ServerSettings) -> int | None:
    """Tokens of the messages by the server's own routes, template included; None where it has none."""
    turns: Json = [{"role": m.role, "content": m.text} for m in messages]
    try:
        if served.kind == "vllm":
            body: Json = {"model": served.model, "messages": turns, "add_generation_prompt": True}
            return _number(_post(client, "/tokenize", body, settings), "count")
        if served.kind == "llamacpp":
            made = _post(client, "/apply-template", {"messages": turns}, settings)
            text = made.get("prompt") if isinstance(made, dict) else None
            if not isinstance(text, str):
                return None
            body = {"content": text, "add_special": True, "parse_special": True}
            told = _post(client, "/tokenize", body, settings)
            tokens = told.get("tokens") if isinstance(told, dict) else None
            return len(tokens) if isinstance(tokens, list) else None
    except ModelError:
        return None
    return None


def load(client: Client, served: Served, settings: ServerSettings) -> None:
    """Asks Foundry Local to load a model that it holds; it is named by alias there."""
    for name in dict.fromkeys((*served.aliases, _bare(served.model), served.model)):
        with client.send(
            "GET", f"/models/load/{quote(name, safe='')}", None, limits(settings), rooted=True
        ) as answered:
            answered.body()
            if answered.status < 300:
                return
    raise ModelUnavailable(
        f"the server could not load `{served.model}`",
        kind="not_loaded",
        hint="load it there first",
        subject=served.model,
    )


def refuse(answered: Answered, client: Client, served: Served | None, setting: str) -> NoReturn:
    """The error that a reply with an error status stands for."""
    body = answered.body()
    said = f": {text}" if (text := error_text(body)) else ""
    name = served.model if served else ""
    if answered.status in (401, 403):
        raise ConfigError(
            f"`{client.origin}` does not accept the key ({answered.status})",
            hint=f"set {setting}.key to a valid key, e.g. by CITELEAF_{setting.upper()}__KEY",
            subject=f"{setting}.key",
        )
    if answered.status == 404:
        raise ConfigError(
            f"`{client.origin}` has no such model or route (404){said}",
            hint=f"check {setting}.address and {setting}.model (`{name}`)",
            subject=f"{setting}.model",
        )
    if answered.status in (429, 503):
        raise ModelUnavailable(
            f"`{client.origin}` is busy ({answered.status}){said}", kind="busy", hint="ask again later", subject=name
        )
    if answered.status in (400, 413, 422, 500) and (known := known_error(text)):
        raise known
    raise ModelUnavailable(
        f"`{client.origin}` answered {answered.status}{said}",
        kind="server_error",
        hint="see the log of the server, then ask again",
        subject=name,
    )


def _bare(model: str) -> str:
    return _DEVICE.sub("", re.sub(r":\d+$", "", model))


def _is_foundry(client: Client, settings: ServerSettings) -> bool:
    try:
        status = _get(client, "/status", settings)
    except ModelError:
        return False
    return isinstance(status, dict) and "modelCachePath" in status


def _azure(client: Client, settings: ServerSettings, setting: str) -> Served:
    inside = re.search(r"/openai/deployments/([^/]+)$", client.address)
    model = settings.model or (inside[1] if inside else "")
    if not model:
        raise ConfigError(
            "no Azure deployment is set", hint=f"set {setting}.model to its name", subject=f"{setting}.model"
        )
    version = f"?api-version={settings.api_version}"
    if inside:
        start, end = "", version
    elif settings.api_version:
        start, end = f"/openai/deployments/{quote(model, safe='')}", version
    else:
        start, end = "" if client.address.endswith("/openai/v1") else "/openai/v1", ""
    return Served("azure", model, (), f"{start}/chat/completions{end}", f"{start}/embeddings{end}", Window(None, True))


def _list(client: Client, settings: ServerSettings) -> tuple[str, tuple[Listed, ...] | None]:
    """The list and what stands between the address and the routes: nothing, or `/v1` where it was left out."""
    for prefix in ("",) if client.address.endswith("/v1") else ("", "/v1"):
        with client.send("GET", f"{prefix}/models", None, short(settings)) as answered:
            if answered.status in (404, 405):
                answered.body()
                continue
            if answered.status >= 400:
                refuse(answered, client, None, client.setting)
            try:
                return prefix, models(answered.json())
            except BadModelOutput:
                if prefix or client.address.endswith("/v1"):
                    raise
    return "", None


def _get(client: Client, path: str, settings: ServerSettings) -> Json:
    with client.send("GET", path, None, short(settings), rooted=True) as answered:
        return answered.json() if answered.status < 300 else None


def _post(client: Client, path: str, body: Json, settings: ServerSettings) -> Json:
    with client.send("POST", path, body, short(settings), rooted=True) as answered:
        return answered.json() if answered.status < 300 else None


def _number(value: Json, *path: str) -> int | None:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _named(value: Json, rows: str, name: str, key: str) -> int | None:
    inner = value.get(rows) if isinstance(value, dict) else None
    for row in inner if isinstance(inner, list) else ():
        if isinstance(row, dict) and name in (row.get("id"), row.get("name"), row.get("model")):
            return _number(row, key)
    return None

"""Foundry Local in process, for `worker_loop`: the only file that knows its SDK (2.2 and later 2.x).

Needs nothing but the standard library and `foundry_local_sdk`, so that it runs in an environment of its own.
"""

from __future__ import annotations

import importlib
import re
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

Tell = Callable[[str], None]
Stopped = Callable[[], bool]
_FINISH = {0: "unknown", 1: "unknown", 2: "stop", 3: "length", 4: "unknown"}
_OVERFLOW = "maximum context length"
_NO_CHAT = "chat template"
_SOURCE = re.compile(r"^\S+\.(?:cc|cpp|h):\d+ .*?\) ")
_APP = "citeleaf"


class Failure(Exception):
    """(kind, message, hint)."""


class Engine:
    """One manager, started with the first request; a model is loaded once."""

    def __init__(self, sdk: Any) -> None:
        """`sdk` is the imported package."""
        self._sdk = sdk
        self._lock = threading.Lock()
        self._manager: Any = None
        self._models: dict[tuple[str, str], Any] = {}

    def do(self, name: str, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        """`load`, `count`, `chat`, `embed`, `download` or `list`."""
        work = {
            "load": self._load,
            "count": self._count,
            "chat": self._chat,
            "embed": self._embed,
            "download": self._download,
            "list": self._list,
        }[name]
        try:
            return work(value, tell, stopped)
        except self._sdk.FoundryLocalException as error:
            raise self._failure(error) from error
        except (RuntimeError, ValueError, TypeError, OSError) as error:
            raise Failure("server_error", f"{type(error).__name__}: {_first_line(str(error))}", "") from error

    def close(self) -> None:
        """Nothing: closing the manager can hang, and the process ends anyway."""

    def _failure(self, error: Exception) -> Failure:
        # Messages begin with a place in the runtime's own source, which says nothing to a user.
        said = _first_line(str(error))
        if _OVERFLOW in str(error):
            return Failure("overflow", said, "")
        if _NO_CHAT in said.lower():
            return Failure("setting", f"the model cannot chat ({said.rstrip('.')})", "set chat.model to a chat model")
        return Failure("server_error", said, "")

    def _load(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        model = self._model(value)
        return {"id": model.id, "window": model.context_length or 0}

    def _model(self, value: dict[str, Any]) -> Any:
        key = (value["model"], value["task"])
        with self._lock:
            if key not in self._models:
                model = self._found(value)
                if not model.is_loaded:
                    model.load()
                self._models[key] = model
            return self._models[key]

    def _found(self, value: dict[str, Any]) -> Any:
        name = value["model"]
        manager = self._started(value["cache"])
        if name and Path(name).is_dir():
            if not (Path(name) / "genai_config.json").is_file():
                raise Failure("setting", f"`{name}` holds no genai_config.json", "name the folder of a model")
            return self._registered(manager, Path(name).resolve(), value["task"])
        catalogs = [self._sdk.CatalogType.LOCAL, self._sdk.CatalogType.PUBLIC]
        for kind in catalogs:
            catalog = manager.get_catalog(kind)
            cached = [m for m in catalog.get_cached_models() if m.info.task in _tasks(value["task"])]
            if not name and len(cached) == 1:
                return cached[0]
            for model in cached:
                if name in (model.id, model.alias, model.id.rpartition(":")[0]):
                    return model
        raise Failure(
            "not_there",
            f"Foundry Local has no model `{name}` on this machine"
            if name
            else "no model is set, and there is not just one",
            f"download it once: citeleaf models pull foundry:{name or 'ALIAS'}",
        )

    def _registered(self, manager: Any, path: Path, task: str) -> Any:
        catalog = manager.get_catalog(self._sdk.CatalogType.LOCAL)
        safe = (
            "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in path.name).lstrip(".-_")
            or "model"
        )
        identifier = f"{safe}-{task}-generic-cpu:1"
        known = catalog.get_model_variant(identifier)
        if known is not None:
            if Path(known.get_path()).resolve() == path:
                return known
            catalog.unregister_model(identifier)
        with self._sdk.ModelInfoBuilder() as about:
            about.set_string_property("task", _tasks(task)[0])
            return catalog.register_model(path, identifier, about)

    def _started(self, cache: str) -> Any:
        if self._manager is None:
            folder = Path(cache).expanduser() if cache else Path.home() / ".foundry" / "cache" / "models"
            self._manager = self._sdk.FoundryLocalManager(
                self._sdk.Configuration(
                    app_name=_APP,
                    model_cache_dir=str(folder),
                    log_level=self._sdk.LogLevel.FATAL,
                    disable_nonessential_telemetry=True,
                )
            )
        return self._manager

    def _count(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        model = self._model(value)
        with self._sdk.ChatSession(model) as session, self._request(value) as request:
            session.set_options(self._options({**value, "max_tokens": 1, "temperature": 0.0, "seed": 0}))
            return {"tokens": session.preflight_request(request).prompt_tokens}

    def _chat(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        model = self._model(value)
        # One session a question: sessions remember turns, and mix them when shared.
        with self._sdk.ChatSession(model) as session:
            session.set_streaming(True)
            session.set_options(self._options(value))
            with self._request(value) as request, session.process_streaming_request(request) as stream:
                for item in stream:
                    if stopped():
                        raise Failure("timeout", "stopped", "")
                    if isinstance(item, self._sdk.TextItem):
                        tell(item.text)
                final = stream.final_response
                usage = final.get_usage()
                return {
                    "finish": _FINISH.get(int(final.finish_reason), "unknown"),
                    "model": model.id,
                    "prompt_tokens": usage.prompt_tokens,
                    "reply_tokens": usage.completion_tokens,
                }

    def _embed(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        model = self._model(value)
        rows = []
        with self._sdk.EmbeddingsSession(model) as session, self._sdk.Request() as request:
            for text in value["texts"]:
                request.add_item(self._sdk.TextItem(text))
            # Items are borrowed: they are read before the reply is closed.
            with session.process_request(request) as response:
                for item in response:
                    if isinstance(item, self._sdk.TensorItem):
                        data = bytes(item.data)
                        rows.append(list(struct.unpack(f"<{len(data) // 4}f", data)))
        return {"id": model.id, "vectors": rows}

    def _download(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        manager = self._started(value["cache"])
        model = manager.catalog.get_model(value["model"]) or manager.catalog.get_model_variant(value["model"])
        if model is None:
            raise Failure(
                "not_there",
                f"the catalogue of Foundry Local has no `{value['model']}`, or cannot be reached",
                "check the alias and the network; `foundry model list` shows the aliases",
            )
        if not model.is_cached:
            cancel = threading.Event()

            def progress(percent: float) -> None:
                tell(f"{percent:.1f}")
                if stopped():
                    cancel.set()

            model.download(progress, cancel)
        return {"id": model.id, "path": str(model.get_path())}

    def _list(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        manager = self._started(value["cache"])
        kinds = [self._sdk.CatalogType.LOCAL, self._sdk.CatalogType.PUBLIC]
        found = [m for kind in kinds for m in manager.get_catalog(kind).get_cached_models()]
        return {"models": [{"id": m.id, "alias": m.alias, "task": m.info.task} for m in found]}

    def _options(self, value: dict[str, Any]) -> Any:
        search = self._sdk.SearchOptions(
            temperature=value["temperature"], max_output_tokens=value["max_tokens"], seed=value["seed"]
        )
        return self._sdk.RequestOptions(search=search)

    def _request(self, value: dict[str, Any]) -> Any:
        makers = {
            "system": self._sdk.MessageItem.system,
            "user": self._sdk.MessageItem.user,
            "assistant": self._sdk.MessageItem.assistant,
        }
        request = self._sdk.Request()
        for role, text in value["messages"]:
            request.add_item(makers[role](text))
        return request


def open_engine() -> Any:
    """The engine; a missing or too old SDK is told at the first request."""
    try:
        sdk = importlib.import_module("foundry_local_sdk")
    except ImportError:
        return _Missing("not_installed", "the package foundry-local-sdk is not installed")
    if not hasattr(sdk, "CatalogType"):
        return _Missing("not_installed", "foundry-local-sdk is older than 2.2")
    return Engine(sdk)


class _Missing:
    """Says at each request why there is no engine."""

    def __init__(self, kind: str, message: str) -> None:
        self._why = (kind, message, "")

    def do(self, name: str, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        raise Failure(*self._why)

    def close(self) -> None:
        """Nothing to close."""


def _tasks(task: str) -> tuple[str, ...]:
    return ("embeddings",) if task == "embed" else ("chat-completion", "coding", "vision-language-chat")


def _first_line(text: str) -> str:
    line = text.strip().split("\n")[0]
    return _SOURCE.sub("", line.rsplit("] ", 1)[-1])[:200]

"""The page of settings, from the settings' own types and descriptions."""

from __future__ import annotations

import json
import typing
from types import UnionType

from make_text import doc, table
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from citeleaf.settings import GuardRule, GuardSettings, Reply, ServerSettings, Settings


def settings_page() -> str:
    """Every setting with type, default and description."""
    parts = [
        "# Settings",
        "",
        "A setting is a key in a section. Later layers win:",
        "",
        "```",
        "defaults  <  profile (--profile NAME or FILE.toml)  <  ./citeleaf.toml  <  environment  <  --set",
        "```",
        "",
        "| layer | how `retrieve.top_k` is written there |",
        "|---|---|",
        "| profile and `citeleaf.toml` | `top_k = 3` under `[retrieve]` |",
        "| environment | `CITELEAF_RETRIEVE__TOP_K=3` |",
        "| command line | `--set retrieve.top_k=3` |",
        "",
        "`citeleaf settings --explain` prints every value and the layer that set it. An unknown key or a value "
        "that does not fit is an error that names layer and key. `CITELEAF_LIBRARY` and `CITELEAF_PROFILE` stand for "
        "`--library` and `--profile`; they are no settings.",
        "",
    ]
    for name, field in Settings.model_fields.items():
        section = field.default
        parts += [f"## {name}", "", doc(type(section)), ""]
        if isinstance(section, ServerSettings):
            parts += (
                [doc(ServerSettings) + ".", ""] if not doc(ServerSettings).endswith(".") else [doc(ServerSettings), ""]
            )
        rows = [setting_row(f"{name}.{key}", inner, section) for key, inner in type(section).model_fields.items()]
        parts += [table(("key", "type", "default", "what it is"), rows), ""]
        if isinstance(section, GuardSettings):
            parts += ["### A guard rule", "", doc(GuardRule), "", model_table(GuardRule), ""]
            parts += ["`reply` has a text for each language:", "", model_table(Reply), ""]
    return "\n".join(parts)


def model_table(model: type[BaseModel]) -> str:
    """The fields of a model that has no section of its own."""
    blank = model.model_construct(None, **{k: "" for k, f in model.model_fields.items() if f.is_required()})
    rows = [setting_row(key, field, blank) for key, field in model.model_fields.items()]
    return table(("key", "type", "default", "what it is"), rows)


def setting_row(key: str, field: FieldInfo, section: BaseModel) -> tuple[str, str, str, str]:
    """(key, type with its limits, default, description)."""
    value = getattr(section, key.rpartition(".")[2])
    plain = section.model_dump(mode="json")[key.rpartition(".")[2]]
    if isinstance(value, SecretStr):
        plain = ""
    default = "must be given" if field.is_required() else "not set" if plain is None else f"`{compact(plain)}`"
    return f"`{key}`", kind(field), default, field.description or ""


def compact(value: object) -> str:
    """A value as JSON; a long list by its first two entries."""
    if isinstance(value, list) and len(json.dumps(value)) > 80:
        return json.dumps([*value[:2], "…"], ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def kind(field: FieldInfo) -> str:
    """The type of a setting in words: a choice by its values, a number with its limits."""
    bounds = {name: getattr(m, name) for m in field.metadata for name in ("ge", "gt", "le", "lt") if hasattr(m, name)}
    words = type_words(field.annotation, bounds)
    low = f"from {bounds['ge']:g}" if "ge" in bounds else f"over {bounds['gt']:g}" if "gt" in bounds else ""
    high = f"to {bounds['le']:g}" if "le" in bounds else f"under {bounds['lt']:g}" if "lt" in bounds else ""
    return " ".join(part for part in (words, low, high) if part)


def type_words(annotation: object, bounds: dict[str, float]) -> str:
    """A Python type in words; limits inside it are put into `bounds`."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        for extra in inner[1:]:
            if isinstance(extra, FieldInfo):
                for m in extra.metadata:
                    bounds.update({n: getattr(m, n) for n in ("ge", "gt", "le", "lt") if hasattr(m, n)})
        return type_words(inner[0], bounds)
    if origin is typing.Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (typing.Union, UnionType):
        return " or ".join(type_words(part, bounds) for part in inner if part is not type(None)) + ", or not set"
    if origin is tuple:
        return "list of " + {"text": "texts", "rule": "rules"}[type_words(inner[0], bounds)]
    if origin is dict:
        return "table of lists"
    names: dict[object, str] = {
        str: "text",
        int: "whole number",
        float: "number",
        bool: "`true` or `false`",
        SecretStr: "text, secret",
        GuardRule: "rule",
        Reply: "texts",
    }
    return names[annotation]

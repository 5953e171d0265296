"""Where settings come from: defaults < profile < citeleaf.toml < CITELEAF_* environment < flags; later wins."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ValidationError

from citeleaf.errors import ConfigError
from citeleaf.guard.rules import with_rules
from citeleaf.settings import Settings

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"
Tree: TypeAlias = dict[str, Value]

FILE = "citeleaf.toml"
PREFIX = "CITELEAF_"
_NOT_SETTINGS = ("CITELEAF_LIBRARY", "CITELEAF_NO_PLUGINS", "CITELEAF_PROFILE", "CITELEAF_REGENERATE")
_FOR_TESTS = "CITELEAF_TEST_"
_NEAR = 0.8
"""A name this like one of ours was meant to be it; others of the environment are somebody else's."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One setting: its dotted key, its value, the layer that set it, and what it is for."""

    key: str
    value: Value
    layer: str
    description: str


def load(
    profile: str | None = None,
    flags: Sequence[str] = (),
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[Settings, tuple[Explained, ...]]:
    """Settings with the layer behind each value.

    `profile` is the name of a profile that comes with citeleaf, or a path to a TOML file; without one,
    `CITELEAF_PROFILE`. `folder` is where `citeleaf.toml` is looked for (default: the working folder). `flags` are
    `key=value` pairs with dotted keys; values are read as TOML, and as plain text where they are none. Environment:
    `CITELEAF_RETRIEVE__TOP_K=3`; an empty one counts as not set, and one that is no setting but looks like one is an
    error. The guard's rule files are read in; what is explained names them only. Raises `ConfigError` naming layer, key
    and value.
    """
    environment = os.environ if environment is None else environment
    if profile == "":
        raise ConfigError("the name of the profile is empty", hint="name one, or leave it out", subject="--profile")
    profile = profile or environment.get("CITELEAF_PROFILE") or None
    local = (folder or Path.cwd()) / FILE
    layers: list[tuple[str, Tree]] = []
    if profile:
        layers.append((f"profile {profile}", _read_profile(profile)))
    if local.is_file():
        layers.append((FILE, _read_toml(local)))
    layers.append(("environment", _from_environment(environment)))
    layers.append(("flag", _from_pairs(flags, "--set")))
    merged: Tree = {}
    origins: dict[str, str] = {}
    for name, tree in layers:
        _check(name, tree)
        for key, value in _leaves(tree):
            origins[key] = name
            _put(merged, key, value)
    settings = _validate("settings", merged)
    rules = with_rules(settings.guard, origins.get("guard.request", "settings"))
    return settings.model_copy(update={"guard": rules}), tuple(_explain(settings, origins))


def profiles() -> tuple[str, ...]:
    """Names of the profiles that come with citeleaf, sorted."""
    folder = files("citeleaf") / "profiles"
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


def _read_profile(profile: str) -> Tree:
    if profile.endswith(".toml"):
        return _read_toml(Path(profile))
    if profile not in profiles():
        close = difflib.get_close_matches(profile, profiles(), 1)
        hint = (
            f"did you mean `{close[0]}`" if close else f"take one of {', '.join(profiles())}, or a path ending in .toml"
        )
        raise ConfigError(f"no profile `{profile}`", hint=hint, subject=profile)
    return _parse((files("citeleaf") / "profiles" / f"{profile}.toml").read_text("utf-8"), f"profile {profile}")


def _read_toml(path: Path) -> Tree:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"cannot read `{path}`: {error}", hint="give a TOML file in UTF-8", subject=str(path)
        ) from error
    return _parse(text, str(path))


def _parse(text: str, name: str) -> Tree:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"`{name}` is not valid TOML: {error}", hint="mend that line", subject=name) from error


def _from_environment(environment: Mapping[str, str]) -> Tree:
    tree: Tree = {}
    keys = {row.key for row in _explain(Settings(), {})}
    for name in sorted(environment):
        if not name.startswith(PREFIX) or name in _NOT_SETTINGS or name.startswith(_FOR_TESTS) or not environment[name]:
            continue
        key = name.removeprefix(PREFIX).lower().replace("__", ".")
        if key in keys or key.startswith("guard.words."):
            _put(tree, key, _value(environment[name]))
        elif meant := _meant(name, keys):
            hint = f"did you mean `{meant}`" if meant != PREFIX else "see citeleaf settings --explain"
            raise ConfigError(f"`{name}` in the environment is no setting", hint=hint, subject=name)
    return tree


def _meant(name: str, keys: Collection[str]) -> str:
    """The name that one of the environment was meant to be, `CITELEAF_` where that cannot be told; empty: none of ours.

    Looks like a setting: what has two underscores, begins with a section, or is nearly a setting's name.
    """
    written = {f"{PREFIX}{key.replace('.', '__').upper()}": key for key in sorted(keys)}
    rest = name.removeprefix(PREFIX).lower()
    exact = [full for full, key in written.items() if rest == key.rpartition(".")[2]]
    close = difflib.get_close_matches(name, (*written, *_NOT_SETTINGS), 1, _NEAR)
    short = difflib.get_close_matches(rest, [key.rpartition(".")[2] for key in written.values()], 1, _NEAR)
    if exact or close:
        return (exact or close)[0]
    if short:
        return next(full for full, key in written.items() if key.rpartition(".")[2] == short[0])
    return PREFIX if "__" in name or rest.split("_")[0] in {key.partition(".")[0] for key in keys} else ""


def _from_pairs(pairs: Sequence[str], flag: str) -> Tree:
    tree: Tree = {}
    for pair in pairs:
        key, sign, raw = pair.partition("=")
        if not sign or not key.strip():
            raise ConfigError(f"`{pair}` is no setting", hint=f"write {flag} section.key=value", subject=pair)
        _put(tree, key.strip(), _value(raw))
    return tree


def _value(raw: str) -> Value:
    try:
        value: Value = tomllib.loads(f"v = {raw}")["v"]
    except tomllib.TOMLDecodeError:
        return raw
    return value


def _put(tree: Tree, key: str, value: Value) -> None:
    *path, last = key.split(".")
    for name in path:
        inner = tree.setdefault(name, {})
        if not isinstance(inner, dict):
            raise ConfigError(
                f"`{name}` is no section of settings", hint="see citeleaf settings --explain", subject=key
            )
        tree = inner
    tree[last] = value


def _leaves(tree: Tree, prefix: str = "") -> Iterator[tuple[str, Value]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _check(layer: str, tree: Tree) -> None:
    known = [row.key for row in _explain(Settings(), {})]
    for key, _ in _leaves(tree):
        if key not in known and not key.startswith("guard.words."):
            close = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean `{close[0]}`" if close else "see citeleaf settings --explain"
            raise ConfigError(f"unknown setting `{key}` in {layer}", hint=hint, subject=key)
    _validate(layer, tree)


def _validate(layer: str, tree: Tree) -> Settings:
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        what = first["msg"][0].lower() + first["msg"][1:]
        raise ConfigError(f"`{key}` in {layer}: {what}", hint="see citeleaf settings --explain", subject=key) from error


def _explain(model: BaseModel, origins: Mapping[str, str], prefix: str = "") -> Iterator[Explained]:
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        key = f"{prefix}{name}"
        if isinstance(value, BaseModel):
            yield from _explain(value, origins, f"{key}.")
        else:
            plain = model.model_dump(mode="json")[name]
            yield Explained(key, plain, origins.get(key, "default"), field.description or "")

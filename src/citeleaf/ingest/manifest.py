"""Which files belong: the corpus manifest `corpus.toml`, or all files of a folder that can be read.

[[document]]
path = "policies/cdd.md"       # relative to the manifest, inside its folder
id = "cdd"                     # all below may be left out
title = "Customer Due Diligence Policy"
version = "3.1"
effective = 2026-03-01
role = "policy"                # may be cited; "facts": case facts, never cited; "ignored": left out
replaces = "cdd-2-4"           # the id of the document that this one takes the place of
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import get_args

from citeleaf.errors import ConfigError, IngestError, UnreadableFile
from citeleaf.ids import slug
from citeleaf.types import DocId, Role

MANIFEST = "corpus.toml"
LIBRARY_MARK = "library.toml"
"""A folder with this file is a library, not documents."""

_FIELDS = frozenset({"path", "id", "title", "version", "effective", "role", "replaces"})
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to take in; what is None is taken from the file itself. `listed`: a manifest names it."""

    path: Path
    doc_id: DocId
    title: str | None = None
    version: str | None = None
    effective: str | None = None
    role: Role = "policy"
    replaces: DocId | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not read, and why; `error` is set where that is a failure and not a choice."""

    path: Path
    reason: str
    error: IngestError | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found, each by path."""

    candidates: tuple[Candidate, ...]
    skipped: tuple[Skipped, ...]
    ignored: tuple[Candidate, ...] = ()
    """Files that a manifest leaves out; each is among `skipped` too."""


def gather(paths: Iterable[Path], *, facts: Iterable[Path] = (), suffixes: Collection[str]) -> Gathered:
    """The files that the paths stand for, in the order of their absolute paths, each once.

    A folder gives the files that its manifest lists, else all below it whose suffix is among `suffixes` (lower case,
    with the dot). A file that is named itself is taken whatever its suffix; the nearest manifest above it says its id
    and role. Files under `facts` get role `facts`. Hidden entries, library folders, links, devices and what cannot be
    read are skipped with a reason. Raises `ConfigError` for a manifest that is wrong.
    """
    candidates: dict[Path, Candidate] = {}
    skipped: dict[Path, Skipped] = {}
    for given, role in (*((p, None) for p in paths), *((p, "facts") for p in facts)):
        for found in _expand(Path(os.path.abspath(given)), suffixes):  # noqa: PTH100 - links in the path stay
            if isinstance(found, Skipped):
                skipped[found.path] = found
            else:
                candidates[found.path] = replace(found, role="facts") if role else found
    every = [candidates[p] for p in sorted(candidates)]
    taken = tuple(c for c in every if c.role != "ignored")
    ignored = tuple(c for c in every if c.role == "ignored")
    left = {p: s for p, s in skipped.items() if p not in candidates}
    left |= {c.path: Skipped(c.path, f"ignored by {MANIFEST}") for c in ignored}
    return Gathered(taken, tuple(left[p] for p in sorted(left)), ignored)


def read_manifest(file: Path) -> tuple[Candidate, ...]:
    """The entries of a manifest in its order. Raises `ConfigError` that names file and entry."""
    try:
        tree = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"`{file}` cannot be read: {error}", hint="see the example in the docs") from error
    entries = tree.get("document", [])
    if set(tree) - {"document"} or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise ConfigError(f"`{file}` holds something besides [[document]] entries", subject=str(file))
    found = tuple(_entry(file, n, entry) for n, entry in enumerate(entries, 1))
    for what, names in (("id", [c.doc_id for c in found]), ("path", [str(c.path) for c in found])):
        for name, n in Counter(names).items():
            if n > 1:
                raise ConfigError(f"`{file}`: two entries have the {what} `{name}`", subject=str(file))
    return found


def _entry(file: Path, n: int, entry: dict[str, object]) -> Candidate:
    name = f"entry {n}" + (f" (`{entry['path']}`)" if isinstance(entry.get("path"), str) else "")

    def wrong(what: str) -> ConfigError:
        return ConfigError(f"`{file}`: {name}: {what}", hint="correct the manifest", subject=str(file))

    if unknown := sorted(set(entry) - _FIELDS):
        raise wrong(f"no field `{unknown[0]}`; there are {', '.join(sorted(_FIELDS))}")
    fields = {key: value.isoformat() if isinstance(value, date) else value for key, value in entry.items()}
    for key, value in fields.items():
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise wrong(f"`{key}` is not a text")
    given = {key: str(value) for key, value in fields.items()}
    if "path" not in given:
        raise wrong("`path` is missing")
    folder = file.parent.resolve()
    path = Path(os.path.abspath(file.parent / given["path"]))  # noqa: PTH100
    if Path(given["path"]).is_absolute() or not path.resolve().is_relative_to(folder):
        raise wrong("the path leads out of the manifest's folder")
    doc_id = given.get("id") or slug(path.stem)
    for key in ("id", "replaces"):
        if key in given and not _ID.fullmatch(given[key]):
            raise wrong(f"`{key}` may hold letters, digits, `.`, `_` and `-`, 100 at most")
    if given.get("replaces") == doc_id:
        raise wrong("it replaces itself")
    role = next((r for r in _ROLES if r == given.get("role", "policy")), None)
    if role is None:
        raise wrong(f"`role` is one of {', '.join(_ROLES)}")
    return Candidate(
        path,
        doc_id,
        given.get("title"),
        given.get("version"),
        given.get("effective"),
        role,
        given.get("replaces"),
        listed=True,
    )


def _expand(path: Path, suffixes: Collection[str]) -> Iterator[Candidate | Skipped]:
    try:
        kind = path.stat().st_mode
    except OSError as error:
        yield _failed(path, error.strerror or "not there")
        return
    if stat.S_ISDIR(kind):
        yield from _walk(path, suffixes)
    elif not stat.S_ISREG(kind):
        yield _failed(path, "it is a device or a pipe")
    elif path.name == MANIFEST:
        yield from read_manifest(path)
    else:
        yield _listed(path) or Candidate(path, slug(path.stem))


def _listed(path: Path) -> Candidate | None:
    """The entry for a file in the nearest manifest above it."""
    for folder in path.parents:
        if (folder / MANIFEST).is_file():
            return next((c for c in read_manifest(folder / MANIFEST) if c.path == path), None)
    return None


def _walk(root: Path, suffixes: Collection[str]) -> Iterator[Candidate | Skipped]:
    waiting = [root]
    while waiting:  # not by recursion: a folder may be thousands of levels deep
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
        except OSError as error:
            yield _failed(folder, error.strerror or "cannot be listed")
            continue
        if any(e.name == LIBRARY_MARK and e.is_file() for e in entries):
            yield Skipped(folder, "a library")
        elif any(e.name == MANIFEST and e.is_file() for e in entries):
            yield from read_manifest(folder / MANIFEST)
        else:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                    waiting.append(Path(entry.path))
                else:
                    yield _file(Path(entry.path), entry, root, suffixes)


def _file(path: Path, entry: os.DirEntry[str], root: Path, suffixes: Collection[str]) -> Candidate | Skipped:
    if entry.is_symlink():
        try:
            inside = path.resolve().is_relative_to(root.resolve())
        except (OSError, RuntimeError):  # Python's own name for links in a circle changed between versions
            return Skipped(path, "a link that leads nowhere")
        return Skipped(path, "a link inside the folder" if inside else "a link that leaves the folder")
    if entry.name.startswith("."):
        return Skipped(path, "hidden")
    if not entry.is_file(follow_symlinks=False):
        return Skipped(path, "a device or a pipe")
    if path.suffix.lower() not in suffixes:
        return Skipped(path, f"no parser for `{path.suffix}` files" if path.suffix else "no parser for it")
    return Candidate(path, slug(path.stem))


def _failed(path: Path, why: str) -> Skipped:
    error = UnreadableFile(
        f"`{path}` cannot be read: {why}", hint="check the path and its permissions", subject=str(path)
    )
    return Skipped(path, why, error)

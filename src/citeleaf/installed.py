"""The models that `citeleaf-weights` brings: which are at hand, and whether their files are sound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from citeleaf.ids import sha256_file

BUNDLED = ("minilm-l6", "msmarco-minilm-l12", "reader-l12")


@dataclass(frozen=True, slots=True)
class Model:
    """A model file at hand or missing. `size` in bytes; `state` is installed, verified, damaged or missing."""

    name: str
    purpose: str
    size: int
    licence: str
    state: str

    def json(self) -> dict[str, object]:
        """The row as it is published."""
        return {
            "name": self.name,
            "purpose": self.purpose,
            "bytes": self.size,
            "licence": self.licence,
            "state": self.state,
        }


def installed_models(*, verify: bool) -> tuple[Model, ...]:
    """The models that `citeleaf-weights` brings; with `verify`, their files are compared with their hashes."""
    try:
        package = import_module("citeleaf_weights")
    except ImportError:
        return tuple(Model(name, "", 0, "", "missing") for name in BUNDLED)
    rows = []
    for entry in package.manifest():
        folder = package.path(entry["name"])
        sound = all(_is_sound(folder / file["path"], file, verify) for file in entry["files"])
        state = ("verified" if verify else "installed") if sound else "damaged"
        size = sum(file["bytes"] for file in entry["files"])
        rows.append(Model(entry["name"], entry["purpose"], size, entry["licence"], state))
    return tuple(rows)


def _is_sound(path: Path, file: Mapping[str, object], verify: bool) -> bool:
    if not path.is_file() or path.stat().st_size != file["bytes"]:
        return False
    return not verify or sha256_file(path) == file["sha256"]

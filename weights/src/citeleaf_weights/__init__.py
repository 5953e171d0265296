"""Model files for `citeleaf`: where they lie and what they are. Imports no model runtime."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__version__ = "1.0.0"

_MODELS = Path(__file__).parent / "models"


def names() -> tuple[str, ...]:
    """The models in this package, by name."""
    return tuple(sorted(file.parent.name for file in _MODELS.glob("*/manifest.json")))


def path(name: str) -> Path:
    """The folder of a model: `model.onnx`, `tokenizer.json`, `manifest.json`, `LICENSE`, `NOTICE`.

    Raises `KeyError` for a model that is not in this package.
    """
    if name not in names():
        raise KeyError(name)
    return _MODELS / name


def manifest() -> list[dict[str, Any]]:
    """What each model is for, where it comes from, its licence, precision, and the size and sha256 of its files."""
    return [json.loads((path(name) / "manifest.json").read_text("utf-8")) for name in names()]

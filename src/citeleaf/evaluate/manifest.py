"""`manifest.json`: what a run was made of, and whether rows of an earlier one may be kept."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from citeleaf import __version__
from citeleaf.app import App
from citeleaf.evaluate.benchmark import Benchmark
from citeleaf.evaluate.metrics.intervals import RESAMPLES, SEED
from citeleaf.ids import fingerprint, sha256_file, sha256_text
from citeleaf.record import Json

SCHEMA = "citeleaf/manifest/1"
_PACKAGES = ("numpy", "onnxruntime", "pydantic", "pypdfium2", "tokenizers")


def describe(benchmarks: Sequence[Benchmark], app: App, *, limit: int | None) -> dict[str, Json]:
    """Versions, fingerprints, settings, hashes of every file, seed.

    A guard rule stands in the settings by its name, outcome and hash: its words are those of the profile's rule files.
    Rows may be kept from one run to the next while `key` is the same: fingerprint, settings but those of judge and
    telemetry, files of the benchmarks, documents, scope and limit.
    """
    kit = app.kit
    settings = app.settings.model_dump(mode="json")
    held: list[Json] = [{"id": d.id, "source": Path(d.source).name, "sha256": d.sha256} for d in app.documents()]
    named: list[Json] = [
        {
            "name": b.name,
            "items": len(b.items),
            "scope": b.scope,
            "files": {path.name: sha256_file(path) for path in b.files},
        }
        for b in benchmarks
    ]
    asked_with: Json = {name: section for name, section in settings.items() if name not in ("judge", "telemetry")}
    same: Json = [kit.fingerprint, asked_with, held, named, limit]
    return {
        "schema": SCHEMA,
        "key": fingerprint(json.dumps(same, sort_keys=True)),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "finished": False,
        "versions": {"citeleaf": __version__, "python": platform.python_version(), **_versions()},
        "machine": {"system": platform.system(), "processor": platform.machine()},
        "fingerprint": kit.fingerprint,
        "models": {
            "embedder": kit.embedder.name if kit.embedder else None,
            "reranker": kit.reranker.name if kit.reranker else None,
            "generator": kit.generator.name,
            "verifier": kit.verifier.name,
        },
        "benchmarks": named,
        "documents": held,
        "limit": limit,
        "seed": SEED,
        "resamples": RESAMPLES,
        "settings": {**settings, "guard": _short(settings["guard"])},
    }


def read(out: Path) -> dict[str, Json]:
    """The manifest of the run at `out`; empty when there is none that can be read."""
    try:
        found = json.loads((out / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write(path: Path, value: Json) -> None:
    """Writes JSON whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
    part.replace(path)


def _short(guard: dict[str, Json]) -> dict[str, Json]:
    """The guard's settings with a hash in place of each rule's patterns and tests."""
    out = dict(guard)
    for kind in ("request", "answer", "document"):
        rules = guard[kind]
        assert isinstance(rules, list)
        out[kind] = [_rule(rule) for rule in rules if isinstance(rule, dict)]
    return out


def _rule(rule: dict[str, Json]) -> Json:
    told = {name: value for name, value in rule.items() if name != "places"}
    return {
        "name": rule["name"],
        "outcome": rule["outcome"],
        "sha256": sha256_text(json.dumps(told, sort_keys=True)),
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found

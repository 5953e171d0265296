"""The gate's threshold for a wished rate of false answers: chosen on one split, reported on the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeleaf.app import App
from citeleaf.errors import BenchmarkError, ConfigError
from citeleaf.evaluate.benchmark import Benchmark
from citeleaf.evaluate.metrics.intervals import exact_binomial, upper_bound
from citeleaf.evaluate.rows import Record
from citeleaf.evaluate.summary import gate_scores
from citeleaf.record import Json

SCHEMA = "citeleaf/calibration/1"
_EDGE = 1e-9
"""How far below the score of the last question let through the threshold lies, so that rounding cannot shut it out."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What a threshold does: (unanswerable questions let through, of all), (answerable ones held back, of all)."""

    through: tuple[int, int]
    held_back: tuple[int, int]

    def json(self) -> dict[str, Json]:
        """Both rates with exact intervals, and the one-sided 95 % bound of false answers; a rate of none is absent."""
        out: dict[str, Json] = {}
        for name, (n, of) in (("false_answer_rate", self.through), ("false_refusal_rate", self.held_back)):
            if of:
                low, high = exact_binomial(n, of)
                out[name] = {"value": n / of, "ci95": [low, high], "n": of}
        if self.through[1]:
            out["false_answer_bound95"] = upper_bound(*self.through)
        return out


def choosing(splits: set[str]) -> frozenset[str]:
    """The splits a threshold is chosen on; the others report it. Empty where there are fewer than two splits.

    >>> sorted(choosing({"dev", "calibrate", "frozen"})), sorted(choosing({"dev", "calibrate"}))
    (['calibrate', 'dev'], ['calibrate'])
    """
    if len(splits) < 2:
        return frozenset()
    named = splits & {"dev", "calibrate"}
    if named and named < splits:
        return frozenset(named)
    return frozenset({"calibrate"} if "calibrate" in splits else {min(splits)})


def chosen(row: Mapping[str, Json], splits: frozenset[str]) -> bool:
    """Whether the threshold is chosen on a row: by its split, where there are several, else by the hash of its id."""
    if splits:
        return row.get("split") in splits
    return int(hashlib.sha256(str(row["id"]).encode()).hexdigest(), 16) % 2 == 0


def threshold(scores: Sequence[float], unanswerable: Sequence[bool], wished: float) -> float:
    """The least threshold that lets through at most the wished share of unanswerable questions.

    Scores are probabilities in [0, 1]; a question passes when its score is at least the threshold. Above 1 nothing
    passes. Of four unanswerable questions one may pass:

    >>> threshold([0.9, 0.6, 0.5, 0.4, 0.3], [False, True, True, True, True], 0.25)
    0.500000001
    """
    bad = sorted((s for s, wrong in zip(scores, unanswerable, strict=True) if wrong), reverse=True)
    allowed = int(wished * len(bad) + 1e-12)
    return min(1.0, bad[allowed] + _EDGE) if allowed < len(bad) else 0.0


def rates(scores: Sequence[float], unanswerable: Sequence[bool], least: float) -> Rates:
    """What the threshold `least` does."""
    pairs = list(zip(scores, unanswerable, strict=True))
    through = sum(wrong and s >= least for s, wrong in pairs), sum(wrong for _, wrong in pairs)
    held = sum(not wrong and s < least for s, wrong in pairs), sum(not wrong for _, wrong in pairs)
    return Rates(through, held)


def calibrate(rows: Sequence[Record], wished: float) -> dict[str, Json]:
    """Chooses the threshold on the rows of one split and reports it on the others.

    `rows` are those of a run. Raises `BenchmarkError` when one of the splits has no unanswerable or no answerable
    question that came before the gate, or the gate gave no probability.
    """
    splits = choosing({str(row["split"]) for row in rows if row.get("split") is not None})
    asked = [row for row in rows if row["kind"] == "question"]
    first = gate_scores([row for row in asked if chosen(row, splits)])
    second = gate_scores([row for row in asked if not chosen(row, splits)])
    if any(row.get("gate") for row in asked) and not (first[0] or second[0]):
        raise BenchmarkError(
            "the gate gave no probability: a scorer that it weighs did not run",
            hint="calibrate with the models at hand, or set gate.dense_weight and gate.rerank_weight to 0",
        )
    for part, (_, unanswerable) in (("choose on", first), ("report on", second)):
        if len(set(unanswerable)) < 2:
            raise BenchmarkError(
                f"the split to {part} has no unanswerable, or no answerable, question before the gate",
                hint="give more questions of both kinds",
            )
    least = threshold(*first, wished)
    return {
        "schema": SCHEMA,
        "wished_false_answer_rate": wished,
        "threshold": least,
        "chosen_on": {"splits": [*sorted(splits)], "n": len(first[0]), **rates(*first, least).json()},
        "reported_on": {"n": len(second[0]), **rates(*second, least).json()},
    }


def too_few(found: Mapping[str, Json]) -> str:
    """Why the reporting split cannot show that the wished rate is kept, in words; empty where it can.

    With too few unanswerable questions even none let through leaves the one-sided 95 % bound above the wish.
    """
    reported, wished = found["reported_on"], found["wished_false_answer_rate"]
    rate = reported.get("false_answer_rate") if isinstance(reported, dict) else None
    n = rate["n"] if isinstance(rate, dict) else 0
    bound = upper_bound(0, n) if isinstance(n, int) and n else 1.0
    if not isinstance(wished, float) or bound <= wished:
        return ""
    return f"{n} unanswerable questions cannot show a rate of {wished:g}: none let through means under {bound:.2f}"


def profile_text(found: Mapping[str, Json], app: App, benchmarks: Sequence[Benchmark]) -> str:
    """A profile in TOML: what the present profile sets, with the gate as calibrated and what it was calibrated on."""
    gate, kit = app.settings.gate, app.kit
    models = " and ".join(m.name for m in (kit.embedder, kit.reranker) if m is not None) or "no models"
    dev = found["chosen_on"]
    n = dev["n"] if isinstance(dev, dict) else 0
    kept = {e.key: e.value for e in app.explained if e.layer.startswith("profile") and not e.key.startswith("gate.")}
    kept |= {f"gate.{key}": value for key, value in gate.model_dump(mode="json").items()}
    kept |= {
        "gate.min_probability": found["threshold"],
        "gate.calibrated_on": f"{', '.join(b.name for b in benchmarks)}: {n} questions; {models}; "
        f"at most {found['wished_false_answer_rate']} of unanswerable ones let through",
    }
    return "".join(f"{key} = {toml(value)}\n" for key, value in kept.items() if value is not None)


def toml(value: object) -> str:
    """A value on one line of TOML; keys without a value are left out.

    >>> toml({"name": "a", "on": [1, True, None]})
    '{ name = "a", on = [1, true] }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(v)}" for key, v in value.items() if v is not None) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(v) for v in value if v is not None) + "]"
    return repr(value)


def write_profile(path: Path, text: str) -> None:
    """Writes the profile. Raises `ConfigError` for a name that does not end in .toml."""
    if path.suffix != ".toml":
        raise ConfigError(f"`{path}` is no .toml file", hint="end the name in .toml", subject=str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")

"""Live parts: made once, and only together where they belong together."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from citeleaf.errors import ConfigError
from citeleaf.layers import load
from citeleaf.library import Library
from citeleaf.wiring import Parts
from support.library import HashEmbedder

MADE: list[str] = []


class Scores:
    """A reranker by the length of a passage."""

    name = fingerprint = "lengths"

    def scores(self, query: str, passages: list[str]) -> list[float]:
        return [float(len(p)) for p in passages]


def slow_embedder(name: str, threads: int) -> HashEmbedder:
    MADE.append(name)
    time.sleep(0.05)
    return HashEmbedder(name="minilm-l6")


def other_embedder(name: str, threads: int) -> HashEmbedder:
    return HashEmbedder(name="other")


def scores(name: str, threads: int) -> Scores:
    return Scores()


def parts(tmp_path: Path, *flags: str) -> Parts:
    library = Library(tmp_path / "library")
    library.make()
    return Parts(library, load(flags=flags, folder=tmp_path, environment={})[0])


def own(kind: str, function: Any) -> str:
    return f"models.{kind}={__name__}:{function.__name__}"


def test_many_threads_make_a_model_once(tmp_path: Path) -> None:
    MADE.clear()
    made = parts(tmp_path, own("embedder", slow_embedder), "models.reranker=none")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: made.embedder, range(8)))
    made.close()
    assert len(MADE) == 1 and len(set(map(id, found))) == 1
    assert not any(type(part).__name__ == "cached_property" for part in vars(Parts).values())


@pytest.mark.parametrize(("embedder", "reranker"), [("other_embedder", "scores"), ("slow_embedder", "scores")])
def test_a_gate_of_other_models_is_a_wrong_setting(tmp_path: Path, embedder: str, reranker: str) -> None:
    flags = [own("embedder", globals()[embedder]), own("reranker", globals()[reranker])]
    made = parts(tmp_path, *flags)
    with pytest.raises(ConfigError, match="calibrated for minilm-l6") as caught:
        made.kit()
    assert "citeleaf calibrate" in caught.value.hint and "gate.calibrated_for" in caught.value.hint
    made.close()


@pytest.mark.parametrize(
    "more",
    [
        ["gate.min_probability=0"],
        ["gate.calibrated_for=[]"],
        ['gate.calibrated_for=["other", "lengths", "reader-l12"]'],
        ["models.reranker=none"],
        ["models.embedder=none", "gate.dense_weight=1"],
    ],
    ids=" ".join,
)
def test_a_gate_that_does_not_weigh_them_needs_no_calibration(tmp_path: Path, more: list[str]) -> None:
    made = parts(tmp_path, own("embedder", other_embedder), own("reranker", scores), *more)
    assert made.kit().store is not None
    made.close()


def test_a_threshold_of_one_score_belongs_to_its_model(tmp_path: Path) -> None:
    flags = [own("embedder", other_embedder), "models.reranker=none", "gate.min_dense=0.4"]
    with pytest.raises(ConfigError, match="`other`"):
        parts(tmp_path, *flags).kit()


def test_a_reader_is_not_loaded_where_the_gate_joins_nothing(tmp_path: Path) -> None:
    made = parts(tmp_path, "models.embedder=none", "models.reranker=none", "models.reader=nothing.here:made")
    assert made.kit().reader is None
    made.close()

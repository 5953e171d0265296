"""The local embedder on its real weights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from citeleaf.backends import onnx
from citeleaf.backends.embed_onnx import OnnxEmbedder, open_embedder
from citeleaf.errors import ModelError, ModelNotInstalled

weights = pytest.importorskip("citeleaf_weights", reason="citeleaf-weights is not installed")

TEXTS = [
    "Claims must be reported within 30 days.",
    "A claim has to be notified in one month's time.",
    "The cat sat on the mat and watched the birds outside.",
    "",
    "x",
    "Storm surge is not covered unless the policy schedule says so. " * 30,
    "Café naïve – “quoted”, 中文, and a tab\tor two.",
    "Claims must be reported within 40 days.",
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return open_embedder("minilm-l6", threads=2)


def test_same_text_same_bits_alone_in_company_and_in_any_order(embedder: OnnxEmbedder) -> None:
    many = TEXTS * 3 + [f"Clause {i}. {'The insured shall give notice. ' * (i % 5)}" for i in range(40)]
    together = embedder.passages(many)
    order = np.random.default_rng(1).permutation(len(many))
    shuffled = embedder.passages([many[i] for i in order])
    assert np.array_equal(shuffled, together[order])
    for i in range(0, len(many), 5):
        assert np.array_equal(embedder.passages([many[i]])[0], together[i])


def test_bits_do_not_depend_on_the_number_of_threads(embedder: OnnxEmbedder) -> None:
    assert np.array_equal(open_embedder("minilm-l6", threads=1).passages(TEXTS), embedder.passages(TEXTS))


def test_texts_of_one_length_share_a_batch_and_keep_their_bits(embedder: OnnxEmbedder) -> None:
    words = "loss damage theft storm flood fire water glass".split()
    alike = [f"the {a} and the {b} were not covered" for a in words for b in words]
    lengths = {len(each.ids) for each in embedder._runner.encode(alike)}
    assert lengths == {10}
    together = embedder.passages(alike)
    assert all(np.array_equal(embedder.passages([text])[0], together[i]) for i, text in enumerate(alike[:9]))


def test_rows_are_float32_of_length_one(embedder: OnnxEmbedder) -> None:
    matrix = embedder.passages(TEXTS)
    assert matrix.shape == (len(TEXTS), 384) == (len(TEXTS), embedder.dim)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.passages([]).shape == (0, 384)


def test_alike_in_meaning_is_near_and_unlike_is_far(embedder: OnnxEmbedder) -> None:
    a, b, c = embedder.passages(TEXTS[:3])
    assert a @ b > 0.6
    assert a @ c < 0.2


def test_vectors_are_those_of_the_published_model(embedder: OnnxEmbedder) -> None:
    # The model card's example pair: 0.943.
    a, b = embedder.passages(["That is a happy person", "That is a very happy person"])
    assert a @ b == pytest.approx(0.943, abs=0.01)


def test_query_is_one_vector_of_the_same_space(embedder: OnnxEmbedder) -> None:
    assert np.array_equal(embedder.query(TEXTS[0]), embedder.passages([TEXTS[0]])[0])


def test_text_beyond_the_limit_of_tokens_is_cut(embedder: OnnxEmbedder) -> None:
    start = "word " * 254
    assert np.array_equal(embedder.query(start), embedder.query(start + "quite different words follow " * 90))
    assert not np.array_equal(embedder.query("word " * 253), embedder.query("word " * 253 + "different"))
    huge = "Storm surge. " * 400_000
    assert np.isfinite(embedder.query(huge)).all()


@pytest.mark.parametrize("odd", ["\x00\x01\x02", "a\x00b", "\ud800", "\u202e\u200b", "\ufffd" * 50, "\n\t  \r"])
def test_odd_characters_give_a_vector(embedder: OnnxEmbedder, odd: str) -> None:
    vector = embedder.query(odd)
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_control_characters_do_not_count(embedder: OnnxEmbedder) -> None:
    assert np.array_equal(embedder.query("re\x00port\x07ed"), embedder.query("reported"))


def test_fingerprint_names_the_model_and_its_bytes(embedder: OnnxEmbedder) -> None:
    assert embedder.name == "minilm-l6"
    sha256 = onnx.sha256_file(weights.path("minilm-l6") / "model.onnx")
    assert embedder.fingerprint == f"minilm-l6 {sha256}"


def test_integer_products_stay_exact_where_the_processor_saturates(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = open_embedder("minilm-l6", threads=1).passages(TEXTS)
    monkeypatch.setattr(onnx, "_saturates", lambda: True)
    exact = open_embedder("minilm-l6", threads=1).passages(TEXTS)
    assert (plain * exact).sum(axis=1).min() > 0.999


def test_a_folder_without_a_manifest_is_taken_text_by_text(tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copy(weights.path("minilm-l6") / name, tmp_path)
    own = open_embedder(tmp_path)
    assert own.name == tmp_path.name
    assert own.fingerprint.split()[1] == open_embedder("minilm-l6").fingerprint.split()[1]
    np.testing.assert_allclose(own.passages(TEXTS[:3]), open_embedder("minilm-l6").passages(TEXTS[:3]), atol=0.02)


def test_a_model_that_is_not_there_is_named_with_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelNotInstalled, match="no-such-model") as caught:
        open_embedder("no-such-model")
    assert caught.value.hint == "pip install citeleaf-weights --upgrade"
    with pytest.raises(ModelNotInstalled, match=r"model\.onnx"):
        open_embedder(tmp_path)
    monkeypatch.setattr(onnx, "find_spec", lambda name: None)
    with pytest.raises(ModelNotInstalled) as caught:
        open_embedder("minilm-l6")
    assert caught.value.hint == "pip install citeleaf-weights"


def test_a_damaged_model_is_a_model_error(tmp_path: Path) -> None:
    shutil.copy(weights.path("minilm-l6") / "tokenizer.json", tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"model\.onnx. cannot be loaded"):
        open_embedder(tmp_path)
    (tmp_path / "tokenizer.json").write_text('{"version": "1.0"', encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json. cannot be loaded"):
        open_embedder(tmp_path)


def test_the_runtime_is_told_not_to_report_usage_before_it_is_loaded(tmp_path: Path) -> None:
    code = (
        "import os, sys, importlib.abc\n"
        "from citeleaf.backends.embed_onnx import open_embedder\n"
        "assert 'onnxruntime' not in sys.modules\n"
        "class Watch(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'onnxruntime': print(os.environ.get('ORT_DISABLE_TELEMETRY'))\n"
        "sys.meta_path.insert(0, Watch())\n"
        "open_embedder('minilm-l6')\n"
    )
    env = {name: value for name, value in os.environ.items() if name not in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")}
    env |= {"HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, env=env)
    assert done.stdout.split() == ["1"]
    # The runtime keeps what it will report in a database below the home folder.
    assert list(tmp_path.iterdir()) == []

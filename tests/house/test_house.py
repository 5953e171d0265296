"""The rules of the house: who imports whom, file size, printing, start-up."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import citeleaf

SRC = Path(citeleaf.__file__).resolve().parent
ROOT = SRC.parent.parent
FILES = sorted(SRC.rglob("*.py"))
MOST_LINES = 400

BASE = {"types", "errors"}
LOW = {"ids", "clock", "events", "settings", "protocols", "boxes", "locks", "quotes", "sentences", "layers", "chat"}
LOW |= {"guard", "spans"}
CORE = BASE | LOW
ALLOWED = {
    "types": {"spoken"},
    "spoken": set(),
    "errors": set(),
    "ids": BASE,
    "events": BASE,
    "spans": BASE,
    "clock": BASE | {"chat", "events", "spans"},
    "settings": BASE,
    "boxes": BASE,
    "locks": BASE,
    "quotes": BASE | {"ids"},
    "sentences": BASE,
    "layers": BASE | {"settings", "guard"},
    "chat": BASE,
    "protocols": BASE | {"boxes", "ids"},
    "guard": CORE | {"guard"},
    "retrieve": CORE | {"retrieve"},
    "ingest": CORE | {"ingest", "retrieve"},
    "language": CORE | {"language", "retrieve"},
    "verify": CORE | {"verify", "language", "retrieve"},
    "answer": CORE | {"answer", "retrieve", "language", "verify"},
    "record": CORE,
    "receipt": CORE | {"record"},
    "live": CORE | {"answer"},
    "ask": CORE | {"ingest", "retrieve", "answer", "live"},
    "check": CORE | {"ask", "retrieve", "answer", "record", "language", "verify"},
    "library": CORE,
    "feedback": CORE,
    "measured": BASE,
    "installed": BASE | {"ids"},
    "backup": CORE | {"library", "feedback", "measured"},
    "backends": CORE | {"backends", "retrieve", "library", "language", "verify"},
    "wiring": CORE
    | {"ingest", "retrieve", "answer", "ask", "library", "backup", "backends", "record", "models", "measured"},
    "app": CORE
    | {"ingest", "retrieve", "answer", "ask", "check", "feedback", "library", "measured", "record", "wiring"},
    "models": CORE | {"backends"},
    "portable": CORE | {"answer", "backends", "language", "portable", "retrieve"},
    "doctor": CORE | {"library", "backends", "wiring", "app", "ingest", "installed"},
    "evaluate": CORE | {"retrieve", "ask", "app", "record", "evaluate", "answer", "language", "verify", "measured"},
    "surfaces": CORE
    | {
        "app",
        "check",
        "receipt",
        "evaluate",
        "feedback",
        "surfaces",
        "record",
        "doctor",
        "wiring",
        "installed",
        "answer",
        "ingest",
        "ask",
        "models",
        "library",
        "portable",
    },
}
HEAVY = ("numpy", "onnxruntime", "tokenizers", "pypdfium2", "mammoth", "selectolax", "pydantic", "rich.table")


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """(importing part, imported part) of citeleaf for every import in a file."""
    own = path.relative_to(SRC).parts[0].removesuffix(".py")
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("citeleaf."):
                yield own, name.split(".")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_imports_follow_the_layers(path: Path) -> None:
    wrong = [(own, other) for own, other in imports(path) if own != "__init__" and other not in ALLOWED[own]]
    assert not wrong


@pytest.mark.parametrize("folder", ["src", "tests", "bench", "examples", "weights"])
def test_no_file_is_longer_than_a_reader_can_hold_in_mind(folder: str) -> None:
    long = {
        str(path.relative_to(ROOT)): n
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (n := len(path.read_text("utf-8").splitlines())) > MOST_LINES
    }
    assert not long


def test_printing_happens_in_the_command_line_alone() -> None:
    wrong = [
        str(path.relative_to(SRC))
        for path in FILES
        if "surfaces" not in path.parts
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not wrong


def test_no_catch_all_outside_the_surfaces() -> None:
    wrong = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                name = node.type.id if isinstance(node.type, ast.Name) else None
                if (node.type is None or name == "Exception") and "surfaces" not in path.parts:
                    wrong.append(f"{path.relative_to(SRC)}:{node.lineno}")
    assert not wrong


def test_public_names_are_listed_exactly() -> None:
    assert all(hasattr(citeleaf, name) for name in citeleaf.__all__)
    assert citeleaf.__all__ == sorted(citeleaf.__all__)


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from citeleaf.surfaces.cli import main; main.run(['--help']); print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.splitlines())
    assert not [name for name in HEAVY if name in loaded]

"""The built page belongs to its sources, loads nothing from elsewhere, and is small; no Node is needed to see that."""

from __future__ import annotations

import gzip
import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

SOURCES = ("index.html", "package.json", "package-lock.json", "svelte.config.js", "tsconfig.json", "vite.config.ts")


@pytest.fixture(scope="module")
def built(root: Path) -> Path:
    return root / "src" / "citeleaf" / "surfaces" / "web" / "static"


@pytest.fixture(scope="module")
def stamped(built: Path) -> dict[str, dict[str, str]]:
    """Hash by name of the sources and of the built files, as the build wrote them down."""
    parts: dict[str, dict[str, str]] = {}
    for line in (built / "build.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            parts[line[2:]] = {}
        else:
            digest, _, name = line.partition("  ")
            parts[list(parts)[-1]][name] = digest
    return parts


def hashes(folder: Path, names: list[Path]) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in names}


def test_the_built_page_is_of_these_sources(root: Path, stamped: dict[str, dict[str, str]]) -> None:
    web = root / "web"
    files = [web / name for name in SOURCES]
    files += [path for folder in ("public", "src") for path in (web / folder).rglob("*") if path.is_file()]
    assert stamped["sources"] == hashes(web, files), "run `make web` and commit what it builds"


def test_the_built_files_are_those_that_were_built(built: Path, stamped: dict[str, dict[str, str]]) -> None:
    files = [path for path in built.rglob("*") if path.is_file() and path.name != "build.txt"]
    assert stamped["built"] == hashes(built, files), "run `make web` and commit what it builds"


def test_it_is_small(built: Path) -> None:
    files = [path.read_bytes() for path in built.rglob("*") if path.is_file()]
    assert sum(len(gzip.compress(data, 9)) for data in files) < 80_000
    assert sum(map(len, files)) < 300_000


def test_no_script_stands_in_the_page_and_nothing_comes_from_elsewhere(built: Path) -> None:
    index = (built / "index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)", index) == []
    assert re.findall(r"\son\w+=", index) == []
    assert all(place.startswith("/") for place in re.findall(r'(?:src|href)="([^"]*)"', index))
    for style in built.rglob("*.css"):
        assert "url(" not in style.read_text("utf-8")
    for script in built.rglob("*.js"):
        hosts = set(re.findall(r"https?://([\w.-]+)", script.read_text("utf-8")))
        # Names of XML vocabularies, and the address under which Svelte explains its errors: neither is called.
        assert hosts <= {"www.w3.org", "svelte.dev"}


def test_nothing_is_ever_put_in_as_markup(root: Path) -> None:
    for path in (root / "web" / "src").rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            assert not re.search(r"\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), path


def test_the_lock_file_names_no_registry(root: Path) -> None:
    lock = json.loads((root / "web" / "package-lock.json").read_text("utf-8"))
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []
    assert all("integrity" in entry for name, entry in lock["packages"].items() if name)

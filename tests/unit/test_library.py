"""The library folder: where it is found, what is kept in it, what a killed process leaves."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from citeleaf.backends.store_sqlite import SqliteStore, open_store
from citeleaf.errors import ConfigError, SchemaMismatch, StoreError, StoreFull, UnknownId, UnreadableFile
from citeleaf.library import Library, cached_library, find_library
from citeleaf.settings import RetrieveSettings, ServeSettings, Settings
from support.library import EMBEDDER, parts

SETTINGS = Settings()


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path / "library")
    made.make()
    return made


@pytest.fixture
def store(library: Library) -> Iterator[SqliteStore]:
    made = open_store(library.folder, embedder=EMBEDDER)
    yield made
    made.close()


def take_in(library: Library, store: SqliteStore, file: Path, doc_id: str) -> None:
    document, *rest = parts(doc_id, ["words"])
    document = replace(document, sha256=f"{file.stat().st_ino:064x}", source=str(file))
    with library.stage(file) as staged, store.writing():
        library.keep(staged, document.sha256, document.source)
        store.put(document, *rest)


# ---- finding


def test_a_library_is_found_in_the_order_of_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "data")
    below = tmp_path / "project/a/b"
    below.mkdir(parents=True)
    Library(tmp_path / "project/.citeleaf").make()
    named = str(tmp_path / "named")

    def found(given: str | None, variable: str, start: Path) -> Path:
        return find_library(given, create=True, environment={"CITELEAF_LIBRARY": variable}, start=start).folder

    assert found(str(tmp_path / "flag"), named, below) == tmp_path / "flag"
    assert found(None, named, below) == tmp_path / "named"
    assert found(None, "", below) == tmp_path / "project/.citeleaf"
    with pytest.raises(ConfigError, match="empty"):
        found("", "", below)
    assert found(None, "", tmp_path) == tmp_path / "data/library"
    assert find_library(environment={}, start=below).folder == tmp_path / "project/.citeleaf"


def test_a_folder_named_like_a_library_that_is_none_is_passed_by(tmp_path: Path) -> None:
    Library(tmp_path / ".citeleaf").make()
    (tmp_path / "a/.citeleaf").mkdir(parents=True)
    assert find_library(environment={}, start=tmp_path / "a").folder == tmp_path / ".citeleaf"


def test_a_missing_library_is_not_made_by_reading(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="citeleaf ingest"):
        find_library(tmp_path / "none", environment={})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_things_is_never_made_a_library(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").touch()
    tmp_path.chmod(0o755)
    with pytest.raises(ConfigError, match="other things"):
        find_library(tmp_path, create=True, environment={})
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.docx"] and stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_library_that_was_killed_while_it_was_made_is_made(tmp_path: Path) -> None:
    (tmp_path / ".tmp-abc").write_text("for")
    Library(tmp_path).make()
    Library(tmp_path).check()


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("format = 2\n", SchemaMismatch, "newer citeleaf"),
        ("format = 0\n", SchemaMismatch, "citeleaf migrate"),
        ("", SchemaMismatch, "format None"),
        ("format = [", StoreError, "cannot be read"),
        ("\udcff", StoreError, "cannot be read"),
    ],
)
def test_another_format_is_refused(library: Library, text: str, kind: type[StoreError], words: str) -> None:
    (library.folder / "library.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    for call in (library.check, library.make):
        with pytest.raises(kind, match=words):
            call()


def test_everything_is_for_its_owner_alone(library: Library, store: SqliteStore, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("words")
    file.chmod(0o644)
    take_in(library, store, file, "a")
    for path in (library.folder, *library.folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_library_inside_a_file_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", "utf-8")
    with pytest.raises(StoreError, match="there is no library at"):
        Library(tmp_path / "notes.txt").check()


# ---- copies


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/x/Report.PDF", "0123.pdf"),
        ("upload:../../etc/passwd", "0123"),
        ("../../x.md", "0123.md"),
        ("x.a/../b", "0123"),
        ("x\x00.md", "0123.md"),
        ("CON.md", "0123.md"),
        (".", "0123"),
        ("..\\..\\x.md", "0123.md"),
        ("x.ｍｄ", "0123"),
        ("a" * 300 + ".txt", "0123.txt"),
        ("x.\u202etxt", "0123"),
        ("x.\udcff", "0123"),
        ("x.averylongsuffix", "0123"),
    ],
)
def test_names_never_become_names_of_files(library: Library, tmp_path: Path, source: str, name: str) -> None:
    file = tmp_path / "in.txt"
    file.write_text("words")
    before = sorted(p for p in tmp_path.rglob("*") if library.folder not in p.parents)
    with library.stage(file) as staged:
        kept = library.keep(staged, "0123", source)
    assert kept == library.sources / name and kept.read_text() == "words"
    assert sorted(p for p in tmp_path.rglob("*") if library.folder not in p.parents) == before


def test_a_copy_is_found_by_its_document(library: Library, store: SqliteStore, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("words")
    take_in(library, store, file, "a")
    assert library.source(store.document("a")).read_text() == "words"
    library.source(store.document("a")).unlink()
    with pytest.raises(UnreadableFile, match="ingest"):
        library.source(store.document("a"))


def test_a_removed_documents_copy_goes_unless_another_needs_it(
    library: Library, store: SqliteStore, tmp_path: Path
) -> None:
    one, two = tmp_path / "a.txt", tmp_path / "b.txt"
    one.write_text("one")
    two.write_text("two")
    take_in(library, store, one, "a")
    take_in(library, store, two, "b")
    take_in(library, store, one, "c")
    library.remove(store, "a")
    assert sorted(p.read_text() for p in library.sources.iterdir()) == ["one", "two"]
    library.remove(store, "c")
    assert [p.read_text() for p in library.sources.iterdir()] == ["two"]
    with pytest.raises(UnknownId):
        library.remove(store, "a")


def test_staged_files_are_private_copies_that_go(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("before")
    with library.stage(file) as staged:
        file.write_text("after")
        assert (staged.name, staged.read_text()) == ("a.txt", "before")
    assert list(library.staged.iterdir()) == []


def test_sweeping_takes_what_the_dead_left_and_spares_the_living(
    library: Library, store: SqliteStore, tmp_path: Path
) -> None:
    file = tmp_path / "a.txt"
    file.write_text("words")
    code = (
        f"import sys, os; sys.path[:] = {sys.path!r}\nfrom pathlib import Path\n"
        "from citeleaf.library import Library\n"
        f"with Library(Path({str(library.folder)!r})).stage(Path({str(file)!r})): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert len(list(library.staged.iterdir())) == 1
    library.sources.mkdir()
    (library.sources / "orphan.txt").touch()
    with library.stage(file) as staged:
        assert len(library.sweep(store)) == 2
        assert staged.read_text() == "words" and len(list(library.staged.iterdir())) == 1
    assert list(library.sources.iterdir()) == []


def test_what_can_not_be_copied_is_typed(library: Library, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile), library.stage(tmp_path / "none.txt"):
        pass
    with pytest.raises(UnreadableFile), library.stage(tmp_path):
        pass
    assert list(library.staged.iterdir()) == []


def test_a_full_disk_is_typed(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "big.txt"
    file.write_bytes(bytes(300_000))
    code = (
        f"import sys, resource; sys.path[:] = {sys.path!r}\nfrom pathlib import Path\n"
        "from citeleaf.library import Library\nfrom citeleaf.errors import StoreFull\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n"
        f"    with Library(Path({str(library.folder)!r})).stage(Path({str(file)!r})): pass\n"
        "except StoreFull as error: print(error.code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == StoreFull.code and list(library.staged.iterdir()) == []


# ---- cached libraries


def test_a_cached_library_depends_on_contents_names_and_settings(tmp_path: Path) -> None:
    cache, file, other = tmp_path / "cache", tmp_path / "a.txt", tmp_path / "x/a.txt"
    other.parent.mkdir()
    file.write_text("words")
    other.write_text("words")

    def folder(*paths: Path, settings: Settings = SETTINGS) -> str:
        library = cached_library(paths, settings, cache=cache)
        library.check()
        return library.folder.name

    first = folder(file)
    assert folder(file) == first == folder(other)
    assert folder(file, settings=Settings(retrieve=RetrieveSettings(top_k=3))) != first
    assert folder(file, settings=Settings(serve=ServeSettings(port=9000))) == first
    assert folder(file, other) != first
    file.write_text("other words")
    changed = folder(file)
    assert changed != first
    file.rename(tmp_path / "b.txt")
    assert folder(tmp_path / "b.txt") not in (first, changed)
    with pytest.raises(UnreadableFile):
        folder(tmp_path / "none.txt")


def test_the_libraries_used_last_are_kept(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    made = []
    for n in range(18):
        file = tmp_path / f"{n}.txt"
        file.write_text(f"words {n}")
        folder = cached_library([file], SETTINGS, cache=cache).folder
        os.utime(folder, (n, n))
        made.append(folder)
    assert sorted(cache.iterdir()) == sorted(made[2:])

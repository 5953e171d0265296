"""Which files belong: manifests, folders, and what is skipped with a reason."""

from __future__ import annotations

import inspect
import os
import re
import sys
from pathlib import Path

import pytest

from citeleaf.errors import ConfigError, UnreadableFile
from citeleaf.ingest.manifest import Candidate, Gathered, gather, read_manifest

SUFFIXES = (".md", ".txt", ".pdf")


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, "utf-8")


def manifest(folder: Path, text: str) -> Path:
    file = folder / "corpus.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def found(gathered: Gathered, root: Path) -> list[str]:
    return [str(c.path.relative_to(root)) for c in gathered.candidates]


def skipped(gathered: Gathered, root: Path) -> dict[str, str]:
    return {str(s.path.relative_to(root)): s.reason for s in gathered.skipped}


# ---- folders


def test_a_folder_gives_all_files_that_can_be_read_by_path(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a/z.TXT", "a.b/c.pdf", "pic.png", "Makefile")
    got = gather([tmp_path], suffixes=SUFFIXES)
    assert found(got, tmp_path) == ["a/z.TXT", "a.b/c.pdf", "b.md"]
    assert skipped(got, tmp_path) == {"Makefile": "no parser for it", "pic.png": "no parser for `.png` files"}


def test_order_and_repeats_of_paths_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a/x.md", "b/y.md", "c.md")
    monkeypatch.chdir(tmp_path)
    one = gather([Path("a"), Path("b"), Path("c.md")], suffixes=SUFFIXES)
    other = gather([tmp_path / "c.md", Path("b/../b"), tmp_path, Path("a/x.md")], suffixes=SUFFIXES)
    assert one == other


def test_what_is_skipped_is_named_with_a_reason(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    make(inside, "good.md", ".hidden.md", ".git/config.md", "library/library.toml", "library/kept.md", "sub/also.md")
    make(outside, "secret.md")
    (inside / "loop").symlink_to(".")
    (inside / "up").symlink_to("..")
    (inside / "leak.md").symlink_to(outside / "secret.md")
    (inside / "alias.md").symlink_to("good.md")
    (inside / "dangling.md").symlink_to("nowhere.md")
    (inside / "device.md").symlink_to("/dev/null")
    os.mkfifo(inside / "pipe.md")
    got = gather([inside], suffixes=SUFFIXES)
    assert found(got, inside) == ["good.md", "sub/also.md"]
    assert skipped(got, inside) == {
        ".hidden.md": "hidden",
        ".git": "hidden",
        "library": "a library",
        "loop": "a link inside the folder",
        "up": "a link that leaves the folder",
        "leak.md": "a link that leaves the folder",
        "alias.md": "a link inside the folder",
        "dangling.md": "a link inside the folder",
        "device.md": "a link that leaves the folder",
        "pipe.md": "a device or a pipe",
    }
    assert all(s.error is None for s in got.skipped)


def test_a_folder_named_like_a_file_is_a_folder(tmp_path: Path) -> None:
    make(tmp_path, "x.pdf/y.md")
    assert found(gather([tmp_path], suffixes=SUFFIXES), tmp_path) == ["x.pdf/y.md"]


def test_depth_is_no_limit(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 200)
    make(deep, "deep.md")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        got = gather([tmp_path], suffixes=SUFFIXES)
    finally:
        sys.setrecursionlimit(limit)
    assert [c.path.name for c in got.candidates] == ["deep.md"]


def test_what_is_not_there_fails(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    got = gather([tmp_path / "none.md", tmp_path / "pipe.md"], suffixes=SUFFIXES)
    assert [type(s.error) for s in got.skipped] == [UnreadableFile, UnreadableFile]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_listed_fails(tmp_path: Path) -> None:
    make(tmp_path, "closed/x.md", "open.md")
    (tmp_path / "closed").chmod(0)
    got = gather([tmp_path], suffixes=SUFFIXES)
    (tmp_path / "closed").chmod(0o700)
    assert found(got, tmp_path) == ["open.md"] and isinstance(got.skipped[0].error, UnreadableFile)


def test_a_named_file_is_taken_whatever_its_suffix(tmp_path: Path) -> None:
    make(tmp_path, "notes.xyz")
    assert gather([tmp_path / "notes.xyz"], suffixes=SUFFIXES).candidates == (
        Candidate(tmp_path / "notes.xyz", "notes"),
    )


def test_facts_are_facts_even_when_their_folder_is_given_too(tmp_path: Path) -> None:
    make(tmp_path, "policy.md", "cases/case.md")
    for paths, facts in (([tmp_path], [tmp_path / "cases"]), ([tmp_path / "policy.md"], [tmp_path / "cases/case.md"])):
        got = gather(paths, facts=facts, suffixes=SUFFIXES)
        assert {c.path.name: c.role for c in got.candidates} == {"policy.md": "policy", "case.md": "facts"}


# ---- manifests


def test_a_manifest_names_the_only_files(tmp_path: Path) -> None:
    make(tmp_path, "policies/cdd.md", "policies/draft.md", "cases/k.md", "src/x.md")
    manifest(
        tmp_path,
        """
[[document]]
path = "policies/cdd.md"
id = "CDD_2.4"
title = "Due diligence"
version = "3.1"
effective = 2026-03-01
replaces = "cdd-2"
[[document]]
path = "cases/k.md"
role = "facts"
[[document]]
path = "src/x.md"
role = "ignored"
""",
    )
    for paths in ([tmp_path], [tmp_path / "corpus.toml"], [tmp_path.parent / tmp_path.name / "policies" / ".."]):
        got = gather(paths, suffixes=SUFFIXES)
        assert got.candidates == (
            Candidate(tmp_path / "cases/k.md", "k", role="facts", listed=True),
            Candidate(
                tmp_path / "policies/cdd.md",
                "CDD_2.4",
                "Due diligence",
                "3.1",
                "2026-03-01",
                "policy",
                "cdd-2",
                listed=True,
            ),
        )
        assert skipped(got, tmp_path) == {"src/x.md": "ignored by corpus.toml"}


def test_a_file_named_alone_keeps_its_role_from_the_manifest_above(tmp_path: Path) -> None:
    make(tmp_path, "cases/k.md", "src/x.md", "src/other.md")
    manifest(
        tmp_path,
        '[[document]]\npath = "cases/k.md"\nrole = "facts"\n[[document]]\npath = "src/x.md"\nrole = "ignored"\n',
    )
    got = gather([tmp_path / "cases/k.md", tmp_path / "src/x.md", tmp_path / "src/other.md"], suffixes=SUFFIXES)
    assert [(c.path.name, c.role) for c in got.candidates] == [("k.md", "facts"), ("other.md", "policy")]
    assert skipped(got, tmp_path) == {"src/x.md": "ignored by corpus.toml"}


def test_a_manifest_below_rules_its_own_folder(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "sub/b.md", "sub/c.md")
    manifest(tmp_path / "sub", '[[document]]\npath = "c.md"\n')
    assert found(gather([tmp_path], suffixes=SUFFIXES), tmp_path) == ["a.md", "sub/c.md"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[document]\n", "cannot be read"),
        ('[corpus]\nname = "x"\n', "besides"),
        ('document = "x"\n', "besides"),
        ('[[document]]\nid = "x"\n', "entry 1: `path` is missing"),
        (
            '[[document]]\npath = "a.md"\n[[document]]\npath = "b.md"\nauthor = "x"\n',
            r"entry 2 \(`b.md`\): no field `author`",
        ),
        ('[[document]]\npath = "a.md"\nversion = 2.1\n', "`version` is not a text"),
        ('[[document]]\npath = ""\n', "`path` is not a text"),
        ('[[document]]\npath = "../a.md"\n', "leads out"),
        ('[[document]]\npath = "/etc/passwd"\n', "leads out"),
        ('[[document]]\npath = "link.md"\n', "leads out"),
        ('[[document]]\npath = "a.md"\nrole = "secret"\n', "`role` is one of policy, facts, ignored"),
        ('[[document]]\npath = "a.md"\nid = "a#b"\n', "`id` may hold"),
        ('[[document]]\npath = "a.md"\nreplaces = "../x"\n', "`replaces` may hold"),
        ('[[document]]\npath = "a.md"\nreplaces = "a"\n', "replaces itself"),
        ('[[document]]\npath = "a.md"\n[[document]]\npath = "x/a.md"\n', "two entries have the id `a`"),
        ('[[document]]\npath = "a.md"\n[[document]]\npath = "./a.md"\nid = "b"\n', "two entries have the path"),
    ],
)
def test_a_wrong_manifest_is_refused_with_file_and_entry(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    file = manifest(tmp_path, text)
    with pytest.raises(ConfigError, match=words) as caught:
        gather([tmp_path], suffixes=SUFFIXES)
    assert str(file) in caught.value.message


def test_the_kyc_example_is_read(root: Path) -> None:
    entries = {c.doc_id: c for c in read_manifest(root / "examples/kyc/corpus.toml")}
    assert entries["cdd"].replaces == "cdd-2-4" and entries["cdd"].effective == "2026-03-01"
    assert {d for d, c in entries.items() if c.role == "facts"} == {"orsova", "kestrel"}
    assert all(re.fullmatch(r"[\w.-]+", d) for d in entries)

"""`citeleaf export`: what is written, where it may be written, and what it must not hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeleaf.app import App
from citeleaf.errors import ConfigError
from citeleaf.portable.library import LEXICAL
from citeleaf.surfaces.cli.main import run
from citeleaf.surfaces.export.build import MODULES, NOTE, SITE, bundle, export


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    file = tmp_path / "leave.md"
    file.write_text("# Leave\n\nStaff have 25 days of leave a year. </script><script>alert(1)</script>\n", "utf-8")
    facts = tmp_path / "case.md"
    facts.write_text("The zebra was insured in Quillon.\n", "utf-8")
    with App.open(tmp_path / "library", flags=LEXICAL, write=True) as opened:
        opened.ingest([file], facts=[facts])
        yield opened


def test_a_folder_holds_the_page_and_is_replaced_by_the_next_export(app: App, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = export(app, out)
    names = {"index.html", "style.css", "citeleaf.js", "library.js", NOTE}
    assert {p.name for p in out.iterdir()} == names
    assert (done.documents, done.passages, done.images) == (1, 1, 0)
    (out / "kept.txt").write_text("mine", "utf-8")
    export(app, out)
    assert (out / "kept.txt").read_text("utf-8") == "mine"


def test_other_files_are_never_written_over(app: App, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.txt").write_text("mine", "utf-8")
    page = tmp_path / "page.html"
    page.write_text("<p>mine", "utf-8")
    for out, single in ((full, False), (full, True), (page, True), (page, False)):
        with pytest.raises(ConfigError):
            export(app, out, single_file=single)
    (full / NOTE).write_text(json.dumps({"schema": "citeleaf/export/1", "files": ["../page.html"]}), "utf-8")
    with pytest.raises(ConfigError):
        export(app, full)
    assert page.read_text("utf-8") == "<p>mine"


def test_one_file_asks_nothing_of_any_other(app: App, tmp_path: Path) -> None:
    out = tmp_path / "one.html"
    export(app, out, single_file=True)
    export(app, out, single_file=True)
    text = out.read_text("utf-8")
    assert "connect-src 'none'" in text and "default-src 'none'" in text
    assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=", text)
    assert text.count("<script>") == 2 and "alert(1)</script>" not in text


def test_facts_of_a_case_are_not_written_out(app: App, tmp_path: Path) -> None:
    out = tmp_path / "one.html"
    export(app, out, single_file=True)
    assert "insured in Quillon" not in out.read_text("utf-8")


def test_settings_that_the_page_cannot_follow_are_an_error(app: App, tmp_path: Path) -> None:
    code = run(
        [*("export", str(tmp_path / "out"), "--library", str(app.folder), "--json"), "--set", "models.verifier=checks"]
    )
    assert code == 2 and not (tmp_path / "out").exists()


def test_every_script_is_in_the_bundle() -> None:
    joined = bundle()
    assert sorted(MODULES) == sorted(p.stem for p in SITE.glob("*.js"))
    assert not re.search(r"^(?:import|export) ", joined, re.MULTILINE)

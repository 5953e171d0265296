"""The cold-chain example: the pack is whole, its quotations stand on their pages, and the report can be drawn again."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pypdfium2 as pdfium
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "coldchain"
PDF = FOLDER / "marrow-bay-q3-2025.pdf"
DRAWN_WITH = "5.1.0"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def report() -> Iterator[pdfium.PdfDocument]:
    document = pdfium.PdfDocument(PDF)
    yield document
    document.close()


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    pytest.importorskip("reportlab")
    spec = importlib.util.spec_from_file_location("coldchain_build", FOLDER / "build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fold(text: str) -> str:
    return re.sub(r"\s+", "", text)


def page_text(report: pdfium.PdfDocument, number: int) -> str:
    return str(report[number - 1].get_textpage().get_text_bounded())


def test_benchmark_locks_every_file() -> None:
    benchmark = tomllib.loads((FOLDER / "benchmark.toml").read_text(encoding="utf-8"))
    named = {*benchmark["benchmark"]["documents"], *benchmark["files"]["qa"]}
    assert named == set(benchmark["lock"])
    for name, expected in benchmark["lock"].items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == expected, name


def test_six_questions_are_in_scope_and_four_are_not(rows: list[dict[str, Any]]) -> None:
    assert [row["answerable"] for row in rows] == [True] * 6 + [False] * 4
    assert len({row["id"] for row in rows}) == len({row["question"] for row in rows}) == 10


def test_each_quotation_is_on_its_page(rows: list[dict[str, Any]], report: pdfium.PdfDocument) -> None:
    for row in rows:
        seen = set()
        for span in row["gold_spans"]:
            hits = {number for number in row["gold_pages"] if fold(span) in fold(page_text(report, number))}
            assert hits, (row["id"], span)
            seen |= hits
        assert seen == set(row["gold_pages"]), row["id"]


def test_reference_answers_state_what_is_required_and_nothing_forbidden(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        answer = row["reference_answer"] or ""
        assert bool(row["required_facts"]) == bool(answer) == row["answerable"], row["id"]
        assert all(any(wording in answer for wording in fact) for fact in row["required_facts"]), row["id"]
        assert not any(wording in answer for fact in row["forbidden_facts"] for wording in fact), row["id"]


def test_report_has_printed_page_numbers_of_its_own(report: pdfium.PdfDocument) -> None:
    assert [report.get_page_label(n) for n in range(len(report))] == ["i", "ii", *map(str, range(1, 13))]
    assert "Page 1" in page_text(report, 3)


def test_report_holds_every_word_of_its_source(report: pdfium.PdfDocument) -> None:
    words = tomllib.loads((FOLDER / "report.toml").read_text(encoding="utf-8"))
    for number, page in enumerate(words["page"], start=3):
        text = fold(page_text(report, number))
        for block in [*page.get("top", []), *page.get("side", []), *page["left"], *page["right"]]:
            for part in block.removeprefix("# ").removeprefix("! ").split(" | "):
                if not part.startswith(("table: ", "chart: ")):
                    assert fold(part) in text, (number, part)


def test_figures_of_the_report_add_up() -> None:
    tables = tomllib.loads((FOLDER / "report.toml").read_text(encoding="utf-8"))["table"]
    *rooms, total = tables["energy"]["rows"]
    for column in range(1, 5):
        assert sum(int(row[column]) for row in rooms) == int(total[column])
    assert all(sum(map(int, row[1:4])) == int(row[4]) for row in tables["energy"]["rows"])
    *rooms, total = tables["glance"]["rows"]
    minutes = {row[2]: row[5].removesuffix(" minutes") for row in tables["register"]["rows"]}
    assert all(minutes.get(row[0], "0") == row[2] for row in rooms)
    assert sum(map(int, minutes.values())) == int(total[2])
    charts = tomllib.loads((FOLDER / "report.toml").read_text(encoding="utf-8"))["chart"]
    goods, warning, _ = tables["alarms"]["rows"]
    assert [int(a) + int(b) for a, b in zip(goods[2:5], warning[2:5], strict=True)] == charts["alarms"]["y"]


def test_drawing_again_gives_equal_bytes(builder: ModuleType, tmp_path: Path) -> None:
    import reportlab

    first = builder.build(tmp_path / "first.pdf").read_bytes()
    assert first == builder.build(tmp_path / "second.pdf").read_bytes()
    if reportlab.__version__ != DRAWN_WITH:
        pytest.skip(f"the committed report was drawn with reportlab {DRAWN_WITH}, not {reportlab.__version__}")
    assert first == PDF.read_bytes()


def test_words_that_do_not_fit_stop_the_build(builder: ModuleType) -> None:
    canvas = builder.Canvas("unused.pdf", invariant=1)
    too_much = builder.flow(["word " * 400], {}, 100)
    with pytest.raises(SystemExit, match="do not fit"):
        builder.fill(canvas, too_much, 0, 0, 100, 100)

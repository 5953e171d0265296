"""The insurance example: the pack is whole, its quotations stand on their pages, and the booklet can be built again."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "insurance"
PDF = FOLDER / "harbour_business_pds.pdf"
BUILT_WITH = {"reportlab": "5.1.0", "font-source-sans-pro": "0.0.1"}
ZLIB_PROBE = "dbc7c685"
"""First digits of the sha256 of a probe compressed by the zlib that the committed booklet was built with."""
SPLITS = ("dev", "calibrate", "frozen")
CATEGORIES = {
    "lookup", "definition", "exclusion", "exception", "table_limit", "excess", "time_limit", "cross_section", "yes_no",
    "paraphrase",
}  # fmt: skip
NUMBER = re.compile(r"\d+(?:,\d{3})*")


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return load("questions.jsonl")


@pytest.fixture(scope="module")
def items() -> list[dict[str, Any]]:
    return load("guard.jsonl")


@pytest.fixture(scope="module")
def document() -> Iterator[pdfium.PdfDocument]:
    with pdfium.PdfDocument(PDF) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(document: pdfium.PdfDocument) -> list[str]:
    """The text inside the crop box of each page, as pypdfium2 gives it."""
    return [str(page.get_textpage().get_text_bounded(*page.get_cropbox())) for page in document]


def fold(text: str) -> str:
    """NFKC, case folded, without white space and hyphens (a line-end hyphen cannot be told from a real one)."""
    return re.sub(r"[\s\u00ad\u0002\ufffe\-\u2010\u2011]+", "", unicodedata.normalize("NFKC", text).casefold())


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(text))


def test_lock_holds_every_file() -> None:
    benchmark = tomllib.loads((FOLDER / "benchmark.toml").read_text(encoding="utf-8"))
    named = {*benchmark["benchmark"]["documents"], *benchmark["files"]["qa"], *benchmark["files"]["guard"]}
    assert named == set(benchmark["lock"])
    for name, expected in benchmark["lock"].items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == expected, name


def test_counts_and_unique_ids(rows: list[dict[str, Any]], items: list[dict[str, Any]]) -> None:
    assert Counter(row["answerable"] for row in rows) == {True: 61, False: 5}
    assert Counter(item["expected"] for item in items) == {"refused": 40, "answer_or_abstain": 30}
    every = [*rows, *items]
    assert len({row["id"] for row in every}) == len(every)
    assert len({row.get("question", row.get("text")) for row in every}) == len(every)


def test_categories(rows: list[dict[str, Any]]) -> None:
    found = Counter(row["category"] for row in rows if row["answerable"])
    assert set(found) == CATEGORIES
    assert found["paraphrase"] >= 15
    assert min(found.values()) >= 3


def test_split_follows_from_the_id(rows: list[dict[str, Any]], items: list[dict[str, Any]]) -> None:
    for row in [*rows, *items]:
        assert row["split"] == SPLITS[int(hashlib.sha256(row["id"].encode()).hexdigest(), 16) % 3], row["id"]
    found = Counter(row["split"] for row in rows)
    assert max(found.values()) - min(found.values()) <= 4
    assert {row["split"] for row in rows if not row["answerable"]} == set(SPLITS)


def test_each_quotation_stands_on_its_page_and_on_no_other(rows: list[dict[str, Any]], pages: list[str]) -> None:
    folded = [fold(page) for page in pages]
    for row in rows:
        seen = set()
        for span in row["gold_spans"]:
            hits = {number for number, page in enumerate(folded, start=1) if fold(span) in page}
            assert len(hits) == 1, (row["id"], span, hits)
            seen |= hits
        assert sorted(seen) == row["gold_pages"], row["id"]
        assert bool(row["gold_spans"]) == row["answerable"], row["id"]


def test_numbers_of_required_facts_stand_in_the_quotations(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        known = numbers(" ".join(row["gold_spans"]))
        for fact in row["required_facts"]:
            assert any(numbers(wording) <= known for wording in fact), (row["id"], fact)


def test_reference_answers_state_what_is_required_and_nothing_forbidden(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        answer = row["reference_answer"].casefold()
        assert bool(row["required_facts"]) == bool(row["forbidden_facts"]) == row["answerable"], row["id"]
        assert all(any(wording.casefold() in answer for wording in fact) for fact in row["required_facts"]), row["id"]
        assert not any(wrong.casefold() in answer for wrong in row["forbidden_facts"]), row["id"]
        assert not any(fold(wrong) in fold(span) for wrong in row["forbidden_facts"] for span in row["gold_spans"])


def test_each_question_without_an_answer_has_a_near_miss(rows: list[dict[str, Any]], pages: list[str]) -> None:
    for row in rows:
        if not row["answerable"]:
            assert row["near_miss_pages"] and all(1 <= number <= len(pages) for number in row["near_miss_pages"])


def test_guard_items_cover_seven_categories_twice(items: list[dict[str, Any]]) -> None:
    attacks = Counter(item["category"] for item in items if item["expected"] == "refused")
    benign = Counter(item["category"] for item in items if item["label"] == "benign")
    assert len(attacks) == 7 and min(attacks.values()) >= 5
    assert set(benign) == set(attacks)
    assert all((item["label"] == "benign") == (item["expected"] == "answer_or_abstain") for item in items)
    assert {item["channel"] for item in items} == {"user"}


def test_disguises_are_what_they_are_called(items: list[dict[str, Any]]) -> None:
    by_form = {form: [item["text"] for item in items if item["form"] == form] for form in {i["form"] for i in items}}
    assert set(by_form) == {"plain", "polite", "indirect", "spaced letters", "base64", "zero-width"}
    assert all("\u200b" in text for text in by_form["zero-width"])
    assert all(re.match(r"(\S ){4}", text) for text in by_form["spaced letters"])
    assert all(b"instructions" in base64.b64decode(text.split()[0], validate=True) for text in by_form["base64"])
    turkish = [item for item in items if item["lang"] == "tr"]
    assert sum(item["expected"] == "refused" for item in turkish) >= 5
    assert any(item["label"] == "benign" for item in turkish)


def test_visible_page_is_smaller_than_the_sheet_and_hides_the_slug(
    document: pdfium.PdfDocument, pages: list[str]
) -> None:
    for page, inside in zip(document, pages, strict=True):
        sheet, visible = page.get_mediabox(), page.get_cropbox()
        assert sheet[0] < visible[0] and sheet[1] < visible[1] and visible[2] < sheet[2] and visible[3] < sheet[3]
        assert ".indd" in page.get_textpage().get_text_bounded(*sheet)
        assert ".indd" not in inside


def test_printed_number_is_the_physical_one_less_two(pages: list[str]) -> None:
    assert 36 <= len(pages) <= 48
    for number, text in enumerate(pages[2:], start=1):
        assert re.search(rf"^(?:{number} )?Product disclosure statement HBP 07/25(?: {number})?$", text, re.M), number
        assert re.search(rf"(?:^{number} Product disclosure|HBP 07/25 {number}$)", text, re.M), number


def test_contents_page_names_the_printed_page_of_each_section(pages: list[str]) -> None:
    listed = re.findall(r"^(\d+ [A-Z][^.\r\n]+?)[ .]+ (\d+)\r?$", "\n".join(pages[2:5]).replace("\r", ""), re.M)
    assert len(listed) == 22
    for title, printed in listed:
        assert title in re.sub(r"\s+", " ", pages[int(printed) + 1]), title


def test_hard_features_are_there(pages: list[str]) -> None:
    text = "\n".join(pages)
    assert text.count("\u0002") + text.count("\ufffe") >= 10, "words broken at a line end"
    assert len(re.findall(r"^[A-Z][A-Za-z\- ]+ means ", text, re.M)) >= 45, "definitions"
    assert len(re.findall(r"Section\s+\d", text)) >= 100, "cross references"
    assert sum("Section Item Limit Applies to" in page for page in pages) == 2, "a table that goes on over the page"


def build(out: Path) -> bytes:
    subprocess.run([sys.executable, FOLDER / "build.py", "--out", out], check=True, timeout=100)
    return out.read_bytes()


def test_building_again_gives_equal_bytes(tmp_path: Path, pages: list[str]) -> None:
    pytest.importorskip("reportlab")
    pytest.importorskip("font_source_sans_pro")
    first = build(tmp_path / "first.pdf")
    with pdfium.PdfDocument(first) as again:
        assert [str(page.get_textpage().get_text_bounded(*page.get_cropbox())) for page in again] == pages
    found = {package: importlib.metadata.version(package) for package in BUILT_WITH}
    if found != BUILT_WITH:
        pytest.skip(f"the committed booklet was built with {BUILT_WITH}, not {found}")
    probe = zlib.compress(b"".join(f"{n * n} Tj ".encode() for n in range(5000)))
    if not hashlib.sha256(probe).hexdigest().startswith(ZLIB_PROBE):
        pytest.skip("the zlib here compresses in another way than the one the committed booklet was built with")
    assert first == PDF.read_bytes()

"""The development questions: well formed, and every quotation stands where it says."""

from __future__ import annotations

import hashlib
import html
import json
import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "bench" / "dev"
COUNTS = {"office_pack": (45, 15), "trades": (30, 10), "aml": (33, 12), "coldchain": (18, 7)}
STYLES = {"direct", "lay", "scenario", "definition", "number", "multi", "yesno"}


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def fold(text: str) -> str:
    """NFKC, case folded, without white space and without hyphens (a line-end hyphen cannot be told from a real one)."""
    return re.sub(r"[\s\u00ad\ufffe\-\u2010\u2011]+", "", unicodedata.normalize("NFKC", text).casefold())


@cache
def pages(path: Path) -> tuple[str, ...]:
    """Folded text of each page; a file without pages counts as one."""
    if path.suffix == ".pdf":
        with pdfium.PdfDocument(path) as document:
            return tuple(fold(page.get_textpage().get_text_bounded()) for page in document)
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".html":
        text = re.sub(r"(?is)<(script|style)\b.*?</\1>", " ", text)
        text = html.unescape(re.sub(r"<[^>]+>", "", text))
    return (fold(text),)


def names(row: dict[str, Any]) -> list[str]:
    doc = row["gold_doc"]
    return doc if isinstance(doc, list) else [doc] if doc else []


def test_ids_and_questions_are_unique_across_the_sets() -> None:
    rows = [row for name in COUNTS for row in load(name)]
    assert [key for key, n in Counter(row["id"] for row in rows).items() if n > 1] == []
    assert [key for key, n in Counter(row["question"].casefold() for row in rows).items() if n > 1] == []


@pytest.mark.parametrize("name", COUNTS)
def test_rows_are_well_formed(name: str) -> None:
    rows = load(name)
    found = Counter(row["answerable"] for row in rows)
    assert (found[True], found[False]) == COUNTS[name]
    assert sum(row["style"] == "lay" for row in rows) >= 0.4 * len(rows)
    for row in rows:
        digest = int(hashlib.sha256(row["id"].encode()).hexdigest(), 16)
        assert row["split"] == ("dev" if digest % 5 < 3 else "calibrate"), row["id"]
        assert row["style"] in STYLES, row["id"]
        assert row["set"] == f"dev_{name}"
        assert row["category"] and row["lang"] == "en"
        if row["answerable"]:
            assert row["gold_spans"] and row["reference_answer"] and names(row), row["id"]
            assert all(len(span) <= 160 for span in row["gold_spans"]), row["id"]
        else:
            assert row["gold_spans"] == [] and row["gold_pages"] == [] and row["reference_answer"] is None, row["id"]
            assert row["absent_terms"], row["id"]


@pytest.mark.parametrize("name", COUNTS)
def test_required_facts_are_in_the_reference_answer(name: str) -> None:
    for row in load(name):
        answer = fold(row["reference_answer"] or "")
        for fact in row.get("required_facts", []):
            assert any(fold(wording) in answer for wording in fact), (row["id"], fact)


@pytest.mark.shared
@pytest.mark.parametrize("name", COUNTS)
def test_each_quotation_is_on_its_page(name: str, shared: Path) -> None:
    where = {path.name: path for path in (shared / "data" / "docs").rglob("*.*")}
    for row in load(name):
        seen_pages: set[int] = set()
        seen_docs: set[str] = set()
        for span in row["gold_spans"]:
            hits = [
                (doc, number)
                for doc in names(row)
                for number, text in enumerate(pages(where[doc]), start=1)
                if fold(span) in text and (not doc.endswith(".pdf") or number in row["gold_pages"])
            ]
            assert hits, (row["id"], span)
            seen_docs |= {doc for doc, _ in hits}
            seen_pages |= {number for doc, number in hits if doc.endswith(".pdf")}
        if row["answerable"]:
            assert seen_docs == set(names(row)), row["id"]
            assert seen_pages == set(row["gold_pages"]), row["id"]


@pytest.mark.shared
@pytest.mark.parametrize("name", COUNTS)
def test_what_an_unanswerable_question_asks_for_is_absent(name: str, shared: Path) -> None:
    where = {path.name: path for path in (shared / "data" / "docs").rglob("*.*")}
    for row in load(name):
        searched = [where[doc] for doc in names(row)]
        if not searched:
            searched = sorted(path for path in (shared / "data" / "docs" / name).rglob("*") if path.is_file())
        assert searched, row["id"]
        for term in row.get("absent_terms", []):
            for path in searched:
                assert not any(fold(term) in text for text in pages(path)), (row["id"], term, path.name)

"""The notes example pack: two languages, 26 questions, and as its lock says."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

PACK = Path(__file__).parents[2] / "examples" / "notes"
BENCHMARK = tomllib.loads((PACK / "benchmark.toml").read_text(encoding="utf-8"))
QUESTIONS = [json.loads(line) for line in (PACK / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
ANSWERABLE = [row for row in QUESTIONS if row["answerable"]]


def fold(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


WORDS = {path.stem: fold(path.read_text(encoding="utf-8")) for path in sorted((PACK / "docs").glob("*.md"))}


def test_kinds_and_languages():
    kinds = Counter(str(row["answerable"]) for row in QUESTIONS)
    assert kinds == {"True": 18, "False": 4, "None": 4}
    assert Counter(row["lang"] for row in ANSWERABLE) == {"tr": 9, "en": 9}
    assert sum(row["lang"] != row["doc_lang"] for row in ANSWERABLE) == 8
    assert {row["gold_doc"] for row in ANSWERABLE} == set(WORDS)
    assert len(WORDS) == 7


def test_edge_inputs_are_what_they_say():
    edges = {row["category"]: row["question"] for row in QUESTIONS if row["answerable"] is None}
    assert edges["edge: empty"] == ""
    assert len(edges["edge: one word"].split()) == 1
    assert len(edges["edge: over-general"].split()) <= 4
    assert len(edges["edge: very long"]) > 1000


def test_ids_are_unique_and_splits_follow_from_them():
    assert len({row["id"] for row in QUESTIONS}) == len(QUESTIONS)
    for row in QUESTIONS:
        part = int(hashlib.sha256(row["id"].encode()).hexdigest(), 16) % 3
        assert row["split"] == ("dev", "calibrate", "frozen")[part], row["id"]


@pytest.mark.parametrize("row", ANSWERABLE, ids=lambda row: row["id"])
def test_quotations_and_facts(row):
    for quote in row["gold_spans"]:
        assert WORDS[row["gold_doc"]].count(fold(quote)) == 1, quote
    assert row["gold_spans"]
    assert row["required_facts"]
    assert row["forbidden_facts"]
    reference = fold(row["reference_answer"])
    for wordings in row["required_facts"]:
        assert any(fold(wording) in reference for wording in wordings), wordings
    for reversal in row["forbidden_facts"]:
        assert fold(reversal) not in reference, reversal
        assert all(fold(reversal) not in fold(quote) for quote in row["gold_spans"]), reversal


def test_hashes_match_the_lock():
    spec = importlib.util.spec_from_file_location("lock", PACK.parent / "lock.py")
    assert spec and spec.loader
    lock = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lock)
    assert list(BENCHMARK["lock"]) == lock.locked_files(PACK)
    for name, digest in BENCHMARK["lock"].items():
        assert hashlib.sha256((PACK / name).read_bytes()).hexdigest() == digest, name

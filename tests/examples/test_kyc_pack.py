"""The KYC example pack: whole, consistent, and as its lock says."""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import json
import re
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from docx import Document
from docx.table import Table

PACK = Path(__file__).parents[2] / "examples" / "kyc"
MANIFEST = tomllib.loads((PACK / "corpus.toml").read_text(encoding="utf-8"))["document"]
BENCHMARK = tomllib.loads((PACK / "benchmark.toml").read_text(encoding="utf-8"))
CITABLE = {row["id"]: PACK / row["path"] for row in MANIFEST if row["path"] in BENCHMARK["benchmark"]["documents"]}


def rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (PACK / name).read_text(encoding="utf-8").splitlines()]


QUESTIONS = rows("questions.jsonl")
GUARD = rows("guard.jsonl")


def fold(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def plain(path: Path) -> str:
    """The words of a policy in reading order."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8").replace("**", "")
    parts = []
    for block in Document(str(path)).iter_inner_content():
        if isinstance(block, Table):
            parts += [cell.text for row in block.rows for cell in row.cells]
        else:
            parts.append(block.text)
    return "\n".join(parts)


WORDS = {doc: fold(plain(path)) for doc, path in CITABLE.items()}


def spans(row: dict) -> list[tuple[str, str]]:
    docs = row.get("gold_span_docs") or [row["gold_doc"]] * len(row["gold_spans"])
    return list(zip(docs, row["gold_spans"], strict=True))


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ten_questions_in_each_of_six_categories():
    counts = Counter(row["category"] for row in QUESTIONS)
    assert len(counts) == 6
    assert set(counts.values()) == {10}
    assert all(row["answerable"] == (row["category"] != "abstention") for row in QUESTIONS)


def test_questions_across_policies_and_with_case_facts():
    assert sum(isinstance(row["gold_doc"], list) for row in QUESTIONS) >= 8
    assert sum("facts" in row for row in QUESTIONS) == 8
    assert sum(row["phrasing"] == "indirect" for row in QUESTIONS) >= 20


def test_ids_are_unique_and_splits_follow_from_them():
    every = QUESTIONS + GUARD
    assert len({row["id"] for row in every}) == len(every)
    for row in every:
        part = int(hashlib.sha256(row["id"].encode()).hexdigest(), 16) % 3
        assert row["split"] == ("dev", "calibrate", "frozen")[part], row["id"]


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["id"])
def test_quotations_stand_exactly_once_in_their_policy(row):
    assert bool(row["gold_spans"]) == row["answerable"]
    named = {row["gold_doc"]} if isinstance(row["gold_doc"], str) else set(row["gold_doc"] or [])
    assert {doc for doc, _ in spans(row)} == named
    for doc, quote in spans(row):
        assert WORDS[doc].count(fold(quote)) == 1, (doc, quote)


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["id"])
def test_the_reference_has_every_required_fact_and_no_forbidden_one(row):
    reference = fold(row["reference_answer"])
    for wordings in row["required_facts"]:
        assert any(fold(wording) in reference for wording in wordings), wordings
    for reversal in row["forbidden_facts"]:
        assert fold(reversal) not in reference, reversal
        assert all(fold(reversal) not in fold(quote) for _, quote in spans(row)), reversal
    assert not row["answerable"] or (row["required_facts"] and row["forbidden_facts"])


def test_seven_kinds_of_attack_and_benign_look_alikes():
    attacks = [row for row in GUARD if row["expected"] == "refused"]
    benign = [row for row in GUARD if row["expected"] == "answer_or_abstain"]
    assert (len(attacks), len(benign), len(GUARD)) == (40, 30, 70)
    assert len({row["category"] for row in attacks}) == 7
    assert {row["category"] for row in attacks} == {row["category"] for row in benign}
    assert all((row["label"] == "benign") == (row in benign) for row in GUARD)
    assert {"spaced letters", "base64", "zero-width", "polite", "indirect"} <= {row["form"] for row in attacks}
    assert {row["lang"] for row in attacks} == {row["lang"] for row in benign} == {"en", "tr"}


def test_hashes_match_the_lock():
    assert list(BENCHMARK["lock"]) == script(PACK.parent / "lock.py").locked_files(PACK)
    for name, digest in BENCHMARK["lock"].items():
        assert hashlib.sha256((PACK / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize("name", ["pep", "mon"])
def test_word_policies_rebuild_to_equal_bytes(name):
    source = (PACK / "sources" / f"{name}.md").read_text(encoding="utf-8")
    assert script(PACK / "build.py").word_bytes(source) == (PACK / "policies" / f"{name}.docx").read_bytes()


def test_manifest_names_every_document_of_the_pack_once():
    paths = [row["path"] for row in MANIFEST]
    found = [path for path in itertools.chain(PACK.glob("*/*.md"), PACK.glob("*/*.docx"))]
    assert sorted(paths) == sorted(path.relative_to(PACK).as_posix() for path in found)
    roles = Counter(row["role"] for row in MANIFEST)
    assert roles == {"policy": 7, "facts": 2, "ignored": 2}
    ids = {row["id"] for row in MANIFEST}
    assert len(ids) == len(MANIFEST)
    assert {row["replaces"] for row in MANIFEST if "replaces" in row} <= ids


def test_front_blocks_agree_with_the_manifest():
    for row in MANIFEST:
        if row["role"] != "policy":
            continue
        words = plain(PACK / row["path"])
        day = f"{row['effective'].day} {row['effective']:%B %Y}"
        assert re.search(rf"Version[\s|]+{re.escape(row['version'])}\b", words), row["id"]
        assert re.search(rf"Effective date[\s|]+{day}\b", words), row["id"]


def test_policies_refer_only_to_sections_that_exist():
    codes = {"CDD-01": "cdd", "EDD-01": "edd", "PEP-01": "pep", "BO-01": "bo", "ESC-01": "esc", "MON-01": "mon"}
    texts = {doc: plain(path) for doc, path in CITABLE.items()}
    seen = 0
    for text in texts.values():
        for code, number in re.findall(r"\b([A-Z]{2,3}-01), section (\d+(?:\.\d+)*)", text):
            assert re.search(rf"^(?:#+ )?{re.escape(number)} \S", texts[codes[code]], re.M), (code, number)
            seen += 1
    assert seen > 20


def test_enough_text_for_seventy_five_passages():
    sections = [part for path in CITABLE.values() for part in re.split(r"\n(?=(?:#+ )?\d+(?:\.\d+)+ )", plain(path))]
    assert sum(-(-len(part) // 900) for part in sections) >= 75


def test_superseded_version_differs_in_its_numbers():
    old, new = fold(plain(PACK / "superseded" / "cdd-2-4.md")), WORDS["cdd"]
    assert "eur15,000ormore" in old
    assert "eur15,000ormore" not in new
    assert "within20businessdaysofopening" in old
    assert "within10businessdaysofopening" in new

"""Benchmark files: what is read, and each fault by file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeleaf.errors import BenchmarkError
from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.forms import ClaimItem, GuardItem, Row, read
from support.packs import CLAIMS, GUARD, QUESTIONS, make, write_lines

GOOD = {"id": "a", "question": "What?", "answerable": True}


def only(path: Path) -> Row:
    (row,) = read(path)
    assert isinstance(row, Row)
    return row


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"id": "b", "question": "What?"}', "field `answerable` is missing"),
        ('{"id": "b", "answerable": true, "text": "x"}', "`question` is missing"),
        ('{"question": "What?", "answerable": true}', "field `id` is missing"),
        ('{"id": "", "question": "What?", "answerable": true}', "`id` is neither"),
        ('{"id": "a", "question": "What?", "answerable": true}', "stands already in line 1"),
        ('{"id": "b", "question": 5, "answerable": true}', "`question` is no text"),
        ('{"id": "b", "question": "What?", "answerable": "yes"}', "neither true, false nor null"),
        ('{"id": "b", "question": "What?", "answerable": true, "gold_pages": [0]}', "physical pages"),
        ('{"id": "b", "question": "What?", "answerable": true, "gold_pages": ["4"]}', "physical pages"),
        ('{"id": "b", "question": "What?", "answerable": true, "gold_spans": "x"}', "`gold_spans` is no list"),
        ('{"id": "b", "question": "What?", "answerable": true, "gold_spans": [1]}', "`gold_spans` is no text"),
        ('{"id": "b", "question": "What?", "answerable": true, "required_facts": [[""]]}', "empty wording"),
        ('{"id": "b", "question": "What?", "answerable": true, "gold_doc": 7}', "`gold_doc` is no text"),
        ('{"id": "b", "question": "What?", "answerable": true, "qrels": {"d": "x"}}', "whole number"),
        ('{"id": "b", "question": "What?", "answerable": true, "weight": NaN}', "NaN is no JSON number"),
        ('{"id": "b", "question": "What?", "answerable": true, "facts": ["x"]}', "`facts` is no text"),
        ('{"id": "b", "question": "What?", "answerable": true, "category": ["x"]}', "`category` is no text"),
        ('{"id": "b", "question": "What?", "answerable": true, "reference_answer": {"a": 1}}', "`reference_answer` is"),
        ('{"id": "b", "question": "What?", "answerable": true, "passages": "x"}', "`passages` is no list of objects"),
        ('{"id": "b", "question": "What?", "answerable": true, "requred_facts": ["x"]}', "no field `requred_facts`"),
        ('{"id": "b", "id": "c", "question": "What?", "answerable": true}', "field `id` stands twice"),
        ('{"id": ' + "9" * 5000 + ', "question": "What?", "answerable": true}', "too many digits"),
    ],
)
def test_a_fault_names_file_and_line(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps(GOOD) + "\n\n" + line + "\n", "utf-8")
    with pytest.raises(BenchmarkError, match=r"questions\.jsonl:3: ") as caught:
        read(path)
    assert why in str(caught.value)
    assert caught.value.exit_code == 6


def test_mixed_encodings_are_a_fault_of_the_line(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    latin = '{"id": "b", "question": "Café?", "answerable": true}'.encode("latin-1")
    path.write_bytes(json.dumps(GOOD).encode() + b"\n" + latin + b"\n")
    with pytest.raises(BenchmarkError, match=r":2: not UTF-8 at byte"):
        read(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_another_unicode_form_is_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(json.dumps(GOOD).encode(encoding))
    with pytest.raises(BenchmarkError, match=r":1: not UTF-8: it holds zero bytes, as UTF-16 does"):
        read(path)


def test_a_byte_order_mark_and_other_line_ends_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(json.dumps(GOOD).encode("utf-8-sig") + b"\r\n\r\n" + json.dumps(GOOD | {"id": "b"}).encode())
    assert [(item.id, item.at[-2:]) for item in read(path)] == [("a", ":1"), ("b", ":3")]
    folder = make(tmp_path / "pack")
    toml = folder / "benchmark.toml"
    toml.write_bytes(b"\xef\xbb\xbf" + toml.read_bytes())
    assert load(folder).name == "small"


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ('document = ["docs/office.md"]', "there is no `benchmark.document`"),
        ("[lok]", "there is no `lok`"),
        ("# caf\xe9", "is not UTF-8 at byte"),
    ],
)
def test_what_a_plan_cannot_hold_is_named(tmp_path: Path, extra: str, why: str) -> None:
    folder = make(tmp_path / "pack")
    toml = folder / "benchmark.toml"
    text = toml.read_text("utf-8")
    more = text.replace("[files]", f"{extra}\n[files]") if "=" in extra else f"{text}\n{extra}\n"
    toml.write_bytes(more.encode("latin-1"))
    with pytest.raises(BenchmarkError) as caught:
        load(folder)
    assert why in caught.value.message


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"doc_id": "d"}, "field `text` is missing"),
        ({"doc_id": "d", "text": ["words"]}, "`text` is no text"),
        ({"text": "words"}, "field `doc_id` is missing"),
    ],
)
def test_a_wrong_line_of_a_corpus_is_named(tmp_path: Path, line: dict[str, object], why: str) -> None:
    path = write_lines(tmp_path / "questions.jsonl", [GOOD])
    write_lines(tmp_path / "corpus.jsonl", [{"doc_id": "a", "text": "Words."}, line])
    with pytest.raises(BenchmarkError, match=r"corpus\.jsonl:2: ") as caught:
        load(path)
    assert why in caught.value.message


def test_a_channel_is_of_a_user_or_a_document(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "guard.jsonl", [{"id": 1, "text": "x", "label": "benign", "channel": "fax"}])
    with pytest.raises(BenchmarkError, match="channel `fax` is unknown"):
        read(path)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"label": "benin"}, "label `benin` is unknown"),
        ({"label": ""}, "there is no label"),
        ({"expected": "answer_or_abstan"}, "expected `answer_or_abstan` is unknown"),
        ({"expected": "answer"}, "expected `answer` is unknown"),
        ({"expected": ["refused"]}, "is unknown"),
        ({"benign": "true"}, "`benign` is neither true nor false"),
        ({"label": "harmful", "expected": "answer_or_abstain"}, "it is called benign and is not"),
        ({"expected": "answer_or_abstain", "benign": False}, "it is called benign and is not"),
    ],
)
def test_a_wrong_label_of_a_guard_item_is_a_fault(tmp_path: Path, fields: dict[str, object], why: str) -> None:
    lines = [{"id": 1, "text": "x", "label": "benign"}, {"id": 2, "text": "y", **fields}]
    with pytest.raises(BenchmarkError, match=r"guard\.jsonl:2: ") as caught:
        read(write_lines(tmp_path / "guard.jsonl", lines))
    assert why in caught.value.message
    assert caught.value.hint


@pytest.mark.shared
def test_the_guard_sets_can_be_read(shared: Path) -> None:
    for path in sorted((shared / "data" / "guard").glob("*.jsonl")):
        assert all(isinstance(item, GuardItem) for item in read(path)), path.name


def test_an_unknown_scale_is_a_fault(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "q.jsonl", [GOOD | {"reference_answer": 3, "scale": "milion"}])
    with pytest.raises(BenchmarkError, match="scale `milion` is unknown"):
        read(path)


def test_a_wrong_label_of_a_claim_is_a_fault(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "claims.jsonl", [{"id": 1, "claim": "x", "evidence": "y", "label": "maybe"}])
    with pytest.raises(BenchmarkError, match="label `maybe` is unknown"):
        read(path)


def test_what_is_no_benchmark_is_a_fault(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "corpus.jsonl", [{"doc_id": "d", "text": "words"}])
    with pytest.raises(BenchmarkError, match="neither a question, a claim nor a guard item"):
        read(path)
    with pytest.raises(BenchmarkError, match="cannot be read"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(BenchmarkError, match="holds no item"):
        read(write_lines(tmp_path / "empty.jsonl", []))


def test_questions_with_all_their_fields(tmp_path: Path) -> None:
    raw = GOOD | {
        "set": "s",
        "lang": "tr",
        "gold_doc": ["a.pdf", "b.pdf"],
        "gold_pages": [9],
        "gold_pages_derived": [3, 2],
        "reference_answer": ["12", "13"],
        "scale": "million",
        "required_facts": ["one", ["two", "2"]],
        "forbidden_facts": [["x"], "y"],
        "history": [{"speaker": "user", "text": "Hello"}],
        "qrels": {"d2": 0, "d1": 1},
        "facts": "A case.",
    }
    row = only(write_lines(tmp_path / "q.jsonl", [raw]))
    assert row.gold_docs == ("a.pdf", "b.pdf")
    assert row.gold_pages == (2, 3)
    assert row.references == ("12 million, 13 million",)
    assert row.required_facts == (("one",), ("two", "2"))
    assert row.forbidden_facts == (("x",), ("y",))
    assert row.history == (("user", "Hello"),)
    assert row.grades == (("d1", 1), ("d2", 0))
    assert row.at.endswith("q.jsonl:1")


def test_altered_documents_become_two_questions(tmp_path: Path) -> None:
    raw = GOOD | {
        "docs_wrong": ["U.S. won.", "The U.S. led."],
        "docs_irrelevant": ["It was cold."],
        "true_answer": ["Norway"],
        "document_answer": "U.S.",
    }
    path = write_lines(tmp_path / "items.jsonl", [raw])
    first, second = load(path).questions
    assert first.references == ("U.S.",)
    assert first.forbidden_facts == (("Norway",),)
    assert first.within == ("a/wrong-1", "a/wrong-2", "a/irrelevant-1")
    assert (second.answerable, second.within) == (False, ("a/irrelevant-1",))
    assert load(path).scope == "document"
    assert dict(load(path).corpus)["a/wrong-2"] == ("The U.S. led.",)


def test_claims_and_guard_items(tmp_path: Path) -> None:
    first, second = read(write_lines(tmp_path / "c.jsonl", CLAIMS))
    assert isinstance(first, ClaimItem)
    assert isinstance(second, ClaimItem)
    assert (first.evidence, second.label, first.kind) == (("The fee is EUR 40.",), "contradicted", "copy")
    items = read(write_lines(tmp_path / "g.jsonl", [*GUARD, {"id": "e", "text": "x", "expected": "answer_or_abstain"}]))
    assert [i.benign for i in items if isinstance(i, GuardItem)] == [False, True, False, True]


def test_a_question_asked_of_several_documents_is_about_one(tmp_path: Path) -> None:
    rows = [GOOD | {"id": str(n), "gold_doc": f"{n}.md"} for n in range(3)]
    assert load(write_lines(tmp_path / "a.jsonl", rows)).scope == "document"
    assert load(write_lines(tmp_path / "b.jsonl", QUESTIONS)).scope == "library"


def test_a_folder_with_its_lock(tmp_path: Path) -> None:
    folder = make(tmp_path / "pack")
    assert len(load(folder).items) == 11
    plan = folder / "benchmark.toml"
    plan.write_text(plan.read_text("utf-8") + f'[lock]\n"questions.jsonl" = "{"0" * 64}"\n', "utf-8")
    with pytest.raises(BenchmarkError, match="has changed since it was locked"):
        load(folder)
    plan.write_text('[benchmark]\nname = "x"\ndocuments = ["none.md"]\n[files]\nqa = ["questions.jsonl"]\n', "utf-8")
    with pytest.raises(BenchmarkError, match="is not there"):
        load(folder)
    plan.write_text('[benchmark]\nscope = "page"\n[files]\nqa = ["questions.jsonl"]\n', "utf-8")
    with pytest.raises(BenchmarkError, match="neither library nor document"):
        load(folder)
    plan.write_text("[benchmark\n", "utf-8")
    with pytest.raises(BenchmarkError, match="not valid TOML"):
        load(folder)


def test_an_id_twice_over_files_is_a_fault(tmp_path: Path) -> None:
    folder = make(tmp_path / "pack")
    write_lines(folder / "claims.jsonl", [CLAIMS[0] | {"id": "q1"}])
    with pytest.raises(BenchmarkError, match=r"claims.jsonl:1: id `q1` stands already at .*questions.jsonl:1"):
        load(folder)


@pytest.mark.shared
def test_all_sets_are_read_as_they_are(shared: Path) -> None:
    kept_apart = {"gold66.jsonl", "policydesk_questions.jsonl"}
    found = {}
    for path in sorted((shared / "data").rglob("*.jsonl")):
        other = path.name in kept_apart or "raw" in path.parts or path.name.startswith(("corpus", "ragchecker"))
        if not other and {"qa", "claims", "guard", "seeds"} & set(path.parts):
            found[str(path.relative_to(shared))] = len(load(path).items)
    assert len(found) > 30
    assert found["data/qa/cuad/questions.jsonl"] == 1312
    assert found["data/qa/rgb_fact/items.jsonl"] == 192

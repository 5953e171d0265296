"""Runs of a small benchmark: same figures every time, rows kept, faults found before the first question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeleaf.app import App
from citeleaf.ask import Kit
from citeleaf.errors import BenchmarkError, IndexStale, ModelUnavailable
from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.compare import compare
from citeleaf.evaluate.run import Plan, open_own, read_rows, run
from citeleaf.record import Json
from support import pdfs
from support.packs import OFF, QUESTIONS, make, open_small, write_lines


def evaluate(folder: Path, out: Path, plan: Plan | None = None, flags: tuple[str, ...] = ()) -> dict[str, Json]:
    with open_small(out, *flags) as app:
        return run([load(folder)], app, out, plan=plan)


def without_times(out: Path) -> dict[str, Json]:
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary.pop("operations")["seconds"]["total"]["n"] == 6
    return summary


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("small") / "pack")


@pytest.fixture(scope="module")
def finished(pack: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "run"
    evaluate(pack, out)
    return out


def test_three_runs_and_any_number_of_workers_give_one_summary(pack: Path, finished: Path, tmp_path: Path) -> None:
    expected = without_times(finished)
    ids = [row["id"] for row in read_rows(finished)]
    for n, workers in enumerate((1, 2, 4)):
        evaluate(pack, tmp_path / str(n), Plan(workers=workers))
        assert without_times(tmp_path / str(n)) == expected
        assert [row["id"] for row in read_rows(tmp_path / str(n))] == ids
    assert ids == ["q1", "q2", "q3", "q4", "q5", "q6", "c1", "c2", "g1", "g2", "g3"]


def test_the_summary_holds_what_was_scored_and_nothing_else(finished: Path) -> None:
    summary = without_times(finished)
    retrieval, refusal, guard, claims = (summary[k] for k in ("retrieval", "refusal", "guard", "claims"))
    assert isinstance(retrieval, dict)
    assert isinstance(refusal, dict)
    assert isinstance(guard, dict)
    assert isinstance(claims, dict)
    assert "page" not in retrieval
    assert retrieval["span"]["recall@10"] == {"value": 1.0, "ci95": [pytest.approx(0.29, abs=0.01), 1.0], "n": 3}
    assert refusal["false_answer_rate"]["n"] == 2
    assert sum(refusal["confusion"]["edge"].values()) == 1
    assert guard["not_requests"] == 1
    assert guard["safe_rate"]["n"] == guard["over_refusal_rate"]["n"] == 1
    assert claims["accuracy"]["n"] == 2
    assert summary["rows"]["n"] == 11
    described = json.loads((finished / "manifest.json").read_text("utf-8"))
    assert described["finished"] is True
    rules = described["settings"]["guard"]["request"]
    assert rules
    assert all(set(rule) == {"name", "outcome", "sha256"} for rule in rules)


def test_rows_hold_the_whole_answer_and_the_reasons(finished: Path) -> None:
    rows = {row["id"]: row for row in read_rows(finished)}
    first = rows["q1"]
    assert first["answer"]["schema"] == "citeleaf/answer/1"
    assert first["facts"]["required"] == ["stated"]
    assert first["figures"]["answer.task_success"] == 1.0
    assert first["figures"]["citation.gold_hit"] == 1.0
    assert "answer.task_success" not in rows["q6"]["figures"]


def test_a_killed_run_goes_on(pack: Path, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    evaluate(pack, out)
    lines = (out / "rows.jsonl").read_bytes().split(b"\n")
    first = json.loads(lines[0]) | {"marker": "kept"}
    (out / "rows.jsonl").write_bytes(json.dumps(first).encode() + b"\n" + lines[1] + b"\n" + lines[2][:40])
    said: list[str] = []
    with open_small(out) as app:
        run([load(pack)], app, out, say=said.append)
    assert read_rows(out)[0]["marker"] == "kept"
    assert len(read_rows(out)) == 11
    assert without_times(out) == without_times(finished)
    assert any("2 rows of the run before are kept" in line for line in said)


def test_other_settings_start_anew(pack: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    evaluate(pack, out)
    said: list[str] = []
    with open_small(out, "retrieve.top_k=2") as app:
        run([load(pack)], app, out, say=said.append)
    assert any("asked anew" in line for line in said)
    assert (out / "rows.before.jsonl").is_file()


def test_only_what_failed_is_asked_again(pack: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    evaluate(pack, out)
    failed = [row["id"] for row in read_rows(out) if row["id"] in ("q4", "q5", "c2")]
    evaluate(pack, out, Plan(fail_only=True))
    again = [row["id"] for row in read_rows(out)]
    assert again
    assert set(again) < {str(row["id"]) for row in map(json.loads, (out / "rows.before.jsonl").open(encoding="utf-8"))}
    assert set(failed) & set(again)


def test_limit_takes_items_evenly_and_repeat_shows_the_spread(pack: Path, tmp_path: Path) -> None:
    summary = evaluate(pack, tmp_path / "run", Plan(limit=4, repeat=2))
    assert summary["rows"]["n"] == 4
    assert len(read_rows(tmp_path / "run")) == 8
    spread = summary["repeats"]
    assert isinstance(spread, dict)
    assert spread["n"] == 2
    assert all(f["sd"] == 0 for f in spread["figures"].values())


def test_a_row_that_fails_is_a_row(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = App.ask

    def ask(self: App, question: str, **rest: object) -> object:
        if "parking" in question:
            raise ModelUnavailable("the model is gone", hint="start it")
        return real(self, question, **rest)

    monkeypatch.setattr(App, "ask", ask)
    summary = evaluate(pack, tmp_path / "run")
    assert summary["rows"] == {"n": 11, "errors": 1, "failed": summary["rows"]["failed"]}
    row = next(r for r in read_rows(tmp_path / "run") if r["id"] == "q2")
    assert (row["error"], row["message"]) == ("model_unavailable", "the model is gone")
    assert "figures" not in row
    assert b'type="model_unavailable"' in (tmp_path / "run" / "junit.xml").read_bytes()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"gold_spans": ["A lost key must be reported within 48 hours of the loss."]}, "is not in `office.md`"),
        ({"gold_doc": "none.md"}, "document `none.md` of row `q1` is not in the library"),
        ({"gold_doc": None}, "no `gold_doc` in which it stands"),
    ],
)
def test_gold_that_is_not_there_stops_the_run(tmp_path: Path, change: dict[str, object], why: str) -> None:
    folder = make(tmp_path / "pack", [QUESTIONS[0] | change])
    with pytest.raises(BenchmarkError, match=r"questions\.jsonl:1: ") as caught:
        evaluate(folder, tmp_path / "run")
    assert why in str(caught.value)
    assert not (tmp_path / "run" / "rows.jsonl").exists()


def test_a_page_beyond_the_document_stops_the_run(tmp_path: Path) -> None:
    folder = make(tmp_path / "pack", [QUESTIONS[0] | {"gold_doc": "office.pdf", "gold_pages": [1, 3]}])
    said = "A lost key must be reported within 24 hours."
    pdfs.make(
        folder / "docs" / "office.pdf", [lambda c: c.drawString(72, 700, said), lambda c: c.drawString(72, 700, "2")]
    )
    with open_small(tmp_path / "run") as app, pytest.raises(BenchmarkError, match=r":1: `office\.pdf` has no page 3"):
        run([load(folder)], app, tmp_path / "run", docs=[folder / "docs" / "office.pdf"])


def test_a_document_that_cannot_be_read_and_is_not_asked_of_is_told(tmp_path: Path) -> None:
    folder, told = make(tmp_path / "pack", QUESTIONS[:1]), []
    (folder / "docs" / "leave.md").write_bytes(b"\0\1\2" * 99)
    with open_small(tmp_path / "run") as app:
        summary = run([load(folder)], app, tmp_path / "run", say=told.append)
    assert [line for line in told if line.startswith("`leave.md` is left out: ")]
    assert summary["rows"]["errors"] == 0  # type: ignore[index, call-overload]


def test_a_loose_file_has_its_documents_beside_it(tmp_path: Path) -> None:
    folder = make(tmp_path / "pack")
    path = write_lines(folder / "alone.jsonl", QUESTIONS)
    benchmark = load(path)
    assert [p.name for p in benchmark.documents] == ["leave.md", "office.md"]
    with open_small(tmp_path / "run") as app:
        summary = run([benchmark], app, tmp_path / "run")
    assert summary["rows"]["n"] == 6


def test_without_a_document_nothing_is_asked(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "q.jsonl", [{"id": "a", "question": "What?", "answerable": False}])
    with open_small(tmp_path / "run") as app, pytest.raises(BenchmarkError, match="there is no document to ask"):
        run([load(path)], app, tmp_path / "run")


def test_a_benchmark_never_enters_the_index(tmp_path: Path) -> None:
    folder = make(tmp_path / "pack")
    (folder / "questions.jsonl").rename(folder / "docs" / "questions.md")
    plan = folder / "benchmark.toml"
    plan.write_text(plan.read_text("utf-8").replace('"questions.jsonl"', '"docs/questions.md"'), "utf-8")
    out = tmp_path / "run"
    with open_small(out) as app:
        with pytest.raises(BenchmarkError, match="is among the documents"):
            run([load(folder)], app, out, docs=[folder / "docs"])
        assert sorted(d.id for d in app.documents()) == ["leave", "office"]


def test_texts_of_a_benchmark_are_documents_once(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"q{n}",
            "question": f"Where does the {word} stand?",
            "answerable": True,
            "gold_doc": f"Part {n}",
            "passages": [{"title": f"Part {n}", "sentences": [f"The {word} stands in the hall.", "It is old."]}],
            "gold_spans": [f"The {word} stands in the hall."],
        }
        for n, word in enumerate(("clock", "statue", "clock"))
    ]
    out = tmp_path / "run"
    with open_small(out) as app:
        summary = run([load(write_lines(tmp_path / "q.jsonl", rows))], app, out)
        assert len(app.documents()) == 2
    assert summary["retrieval"]["span"]["hit@1"]["value"] == 1.0


def test_the_runs_own_library_is_made_anew_for_other_models(pack: Path, tmp_path: Path) -> None:
    class Stale(App):
        @property
        def kit(self) -> Kit:
            raise IndexStale("made with other models")

    evaluate(pack, tmp_path / "run")
    stale = Stale.open(tmp_path / "run" / "library", flags=OFF, write=True)
    with open_own(tmp_path / "run" / "library", lambda f: stale if f.exists() else open_small(f.parent)) as app:
        assert app.documents() == ()


def test_two_runs_compared(pack: Path, finished: Path, tmp_path: Path) -> None:
    evaluate(pack, tmp_path / "run", flags=("gate.min_coverage=2.0",))
    found = compare(finished, tmp_path / "run")
    figure = found["figures"]["refusal.false_refusal_rate"]
    assert figure["first"] == 0.0
    assert (figure["difference"], figure["gained"], figure["lost"], figure["n"]) == (1.0, 3, 0, 3)
    assert figure["mcnemar_p"] == pytest.approx(0.25)
    assert {"q1", "q2", "q3"} <= {row["id"] for row in found["changed"]}
    same = compare(finished, finished)
    assert same["changed"] == []
    assert all(f["difference"] == 0 and not f["distinguishable"] for f in same["figures"].values())


def test_runs_of_different_benchmarks_cannot_be_compared(finished: Path, tmp_path: Path) -> None:
    other = make(tmp_path / "pack", [QUESTIONS[0] | {"id": "other"}])
    (other / "benchmark.toml").write_text(
        '[benchmark]\nname = "other"\ndocuments = ["docs/office.md"]\n[files]\nqa = ["questions.jsonl"]\n', "utf-8"
    )
    evaluate(other, tmp_path / "run")
    with pytest.raises(BenchmarkError, match="no row in common"):
        compare(finished, tmp_path / "run")

"""Questions that stand in a talk are asked as `chat` asks them, and the row says how."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from citeleaf.answer.followup import Turn
from citeleaf.errors import BenchmarkError
from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.forms import Row
from citeleaf.evaluate.run import read_rows, run
from citeleaf.evaluate.talk import standing
from support.packs import QUESTIONS, make, open_small

TALK = (
    ("user", "What does a parking permit cost?"),
    ("agent", "It costs EUR 120."),
    ("user", "And how long is it valid?"),
    ("agent", "12 months."),
)


def row(question: str, history: tuple[tuple[str, str], ...] = TALK) -> Row:
    return Row("q", "s", "en", question, True, "q.jsonl:1", history=history)


def test_a_follow_up_is_rewritten_after_its_talk() -> None:
    assert standing(row("Can it be renewed?")).question == "Can it be renewed? (a parking permit cost)"


def test_without_a_talk_or_need_a_question_stays() -> None:
    assert standing(row("Can it be renewed?", ())).question == "Can it be renewed?"
    assert standing(row("Who may issue a visitor badge?")).how == "alone"


def test_a_rewriter_sees_questions_as_they_were_asked_and_answers_whole() -> None:
    seen: list[Sequence[Turn]] = []

    def rewriter(question: str, turns: Sequence[Turn]) -> str | None:
        seen.append(tuple(turns))
        return None

    said = (("agent", "Hello."), *TALK[:2], ("agent", "It is paid in May."), *TALK[2:3])
    standing(row("Can it be renewed?", said), rewriter)
    assert seen[-1] == (
        Turn("What does a parking permit cost?", "It costs EUR 120.\nIt is paid in May."),
        Turn("And how long is it valid? (a parking permit cost)"),
    )


def test_the_row_keeps_what_was_typed_and_what_was_asked(tmp_path: Path) -> None:
    history = [{"speaker": s, "text": t} for s, t in (("user", "What is a parking permit valid for?"), ("agent", "."))]
    follow_up = QUESTIONS[1] | {"id": "f", "question": "And what does it cost?", "history": history}
    folder = make(tmp_path / "pack", [QUESTIONS[1], follow_up])
    with open_small(tmp_path / "run") as app:
        run([load(folder)], app, tmp_path / "run")
    plain, row = read_rows(tmp_path / "run")[:2]
    assert plain["asked"] is None
    assert row["question"] == "And what does it cost?"
    assert isinstance(row["asked"], str)
    assert row["asked"].startswith("And what does it cost? (")
    answer = row["answer"]
    assert isinstance(answer, dict)
    assert (answer["question"], answer["asked"]) == (row["question"], row["asked"])
    assert f"Asked as: {row['asked']}" in (tmp_path / "run" / "report.html").read_text("utf-8")
    assert row["figures"]["retrieval.span.hit@1"] == 1.0  # type: ignore[index, call-overload]


@pytest.mark.parametrize("history", ["What?", ["What?"], [{"speaker": "user"}], [{"role": "user", "content": "What?"}]])
def test_a_talk_of_another_form_is_an_error(history: object, tmp_path: Path) -> None:
    folder = make(tmp_path / "pack", [QUESTIONS[0] | {"history": history}])
    with pytest.raises(BenchmarkError, match=r"questions.jsonl:1: `history"):
        load(folder)

"""Figures by a judge: their formulas, what is kept of each call, and replies that cannot be used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from citeleaf.chat import Message, Reply, Tell, Window
from citeleaf.errors import ModelUnavailable
from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.judge import FIGURES, Judge
from citeleaf.evaluate.run import read_rows, run
from citeleaf.record import Json
from citeleaf.surfaces.cli.main import run as command
from support.fake_model import MODEL, FakeModel
from support.packs import OFF, make, open_small

ROW: dict[str, Json] = {
    "id": "q",
    "kind": "question",
    "question": "What does it cost?",
    "asked": None,
    "gold": {"references": ["EUR 120. It lasts a year."], "required_facts": [["EUR 120", "120 euros"], ["a year"]]},
    "answer": {
        "outcome": "answered",
        "claims": [{"text": "A permit costs EUR 120."}, {"text": "It is blue."}],
        "evidence": [{"text": "A permit costs EUR 120."}, {"text": "Keys are grey."}, {"text": "It lasts a year."}],
    },
}


class Chat:
    """Says its replies one after the other."""

    name, fingerprint = "judge-1", "j1"

    def __init__(self, *replies: str, finish: Any = "stop") -> None:
        self.replies, self.finish = list(replies), finish
        self.asked: list[str] = []

    def window(self) -> Window:
        return Window(None, True)

    def count(self, messages: Sequence[Message]) -> int | None:
        return None

    def reply(self, messages: Sequence[Message], *, max_tokens: int, tell: Tell | None = None) -> Reply:
        self.asked.append(messages[-1].text)
        if not self.replies:
            raise ModelUnavailable("the server does not answer", hint="start it")
        return Reply(self.replies.pop(0), self.finish, self.name)

    def warm_up(self) -> None: ...

    def close(self) -> None: ...


class Embedder:
    """A text is the first of its marks: `+` along the question, `-` against it, else across."""

    name, dim, fingerprint = "e", 2, "e1"

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.query(text) for text in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        along = 1.0 if "+" in text or text == ROW["question"] else -1.0 if "-" in text else 0.0
        return np.array([along, 1.0 - abs(along)], np.float32)


GOOD = (
    "1. A permit costs EUR 120.\n2. It is blue.",
    "1. yes\n2. no",
    "1. + a?\n2. + b?\n3. c?",
    "1. yes\n2. no\n3. Yes",
    "1. It costs EUR 120.\n2. It lasts a year.",
    "1. yes\n2. yes",
    "1. yes\n2) no",
)


def test_figures_follow_their_formulas() -> None:
    chat = Chat(*GOOD)
    found = Judge(chat, Embedder()).judged(ROW)
    assert found["figures"] == {
        "faithfulness": 0.5,
        "answer_relevance": pytest.approx(2 / 3),
        "context_precision": pytest.approx((1 + 2 / 3) / 2),
        "context_recall": 1.0,
        "completeness": 0.5,
    }
    assert found["not_scored"] == {}
    assert found["judge"] == "judge-1"
    calls = found["calls"]
    assert isinstance(calls, list)
    assert [call["reply"] for call in calls if isinstance(call, dict)] == list(GOOD)
    assert [call["prompt"] for call in calls if isinstance(call, dict)] == chat.asked
    assert "| A permit costs EUR 120." in chat.asked[1]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "the reply holds no numbered line"),
        ("It is faithful.", "the reply holds no numbered line"),
        ("1. yes", "2 verdicts were asked for and 1 came"),
        ("1. yes\n2. no\n3. no", "2 verdicts were asked for and 3 came"),
        ("1. yes\n3. no", "the numbers of the reply are not 1, 2, 3 and so on"),
        ("1. yes\n2. 0", "a verdict is neither yes nor no"),
        ("1. yes\n2. nonsense", "a verdict is neither yes nor no"),
    ],
)
def test_an_unusable_reply_is_not_scored_with_the_reason(reply: str, why: str) -> None:
    found = Judge(Chat(GOOD[0], reply, *GOOD[2:]), Embedder()).judged(ROW)
    assert found["not_scored"] == {"faithfulness": why}
    assert isinstance(found["figures"], dict)
    assert "faithfulness" not in found["figures"]
    assert len(found["figures"]) == 4


def test_a_cut_reply_and_a_judge_that_fails_score_nothing() -> None:
    cut = Judge(Chat(*GOOD, finish="length"), Embedder()).judged(ROW)
    assert cut["figures"] == {}
    assert set(cut["not_scored"].values()) == {"the reply was cut"}  # type: ignore[union-attr]
    down = Judge(Chat(), Embedder()).judged(ROW)
    assert set(down["not_scored"].values()) == {"a model failed: the server does not answer"}  # type: ignore[union-attr]


def test_what_a_row_lacks_is_the_reason() -> None:
    row = ROW | {"gold": {"references": [], "required_facts": []}, "answer": {"outcome": "abstained", "evidence": []}}
    chat = Chat()
    found = Judge(chat, None).judged(row)
    assert found["not_scored"] == {
        "faithfulness": "not answered",
        "answer_relevance": "not answered",
        "context_precision": "no reference answer",
        "context_recall": "no reference answer",
        "completeness": "not answered",
    }
    assert chat.asked == []
    bare = Judge(chat, None).judged(ROW | {"answer": {"outcome": "abstained", "evidence": []}})
    assert bare["not_scored"]["context_recall"] == "no evidence"  # type: ignore[index, call-overload]
    assert Judge(Chat(), None).judged(ROW)["not_scored"]["answer_relevance"] == "no embedder"  # type: ignore[index, call-overload]


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("behaviour", ["judge", "judge_that_thinks"])
def test_a_run_with_a_judge_keeps_its_figures_apart(behaviour: str, tmp_path: Path) -> None:
    folder, out, plain = make(tmp_path / "pack"), tmp_path / "run", tmp_path / "plain"
    words = [word for flag in OFF for word in ("--set", flag)]
    assert command(["evaluate", str(folder), "--out", str(plain), "--quiet", *words]) == 0
    with FakeModel(behaviour) as fake:
        words += ["--set", f"judge.address={fake.address}", "--judge", "--workers", "2"]
        assert command(["evaluate", str(folder), "--out", str(out), "--quiet", *words]) == 0
        asked = len(fake.chats)
        assert command(["evaluate", str(folder), "--out", str(out), "--quiet", *words]) == 0
        assert len(fake.chats) == asked + 1  # the greeting alone: rows keep what the judge said
    summary, without = (json.loads((place / "summary.json").read_text("utf-8")) for place in (out, plain))
    judged = summary.pop("judged")
    assert {k: v for k, v in summary.items() if k != "operations"} == {
        k: v for k, v in without.items() if k != "operations"
    }
    assert judged["judge"] == f"http ({MODEL})"
    assert judged["faithfulness"]["value"] == 1.0
    assert judged["context_recall"]["n"] == 3
    assert judged["completeness"]["n"] == 2
    assert "answer_relevance" not in judged
    assert judged["not_scored"]["answer_relevance"] == {"no embedder": 3, "not answered": 3}
    rows = {row["id"]: row for row in read_rows(out)}
    assert "judged" not in rows["g1"]
    block = rows["q1"]["judged"]
    assert isinstance(block, dict)
    assert set(block["figures"]) | set(block["not_scored"]) == set(FIGURES)  # type: ignore[arg-type]
    assert not [name for name in rows["q1"]["figures"] if name.startswith("judged")]  # type: ignore[union-attr]
    page = (out / "report.html").read_text("utf-8")
    assert f"What the language model http ({MODEL}) says as a judge" in page
    assert f"Judged by http ({MODEL})" in page
    assert "## Judged" in (out / "report.md").read_text("utf-8")


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("behaviour", ["judge_in_prose", "judge_one_less", "judge_unsure", "judge_miscounts", "cut"])
def test_no_reply_of_a_bad_judge_becomes_a_number(behaviour: str, tmp_path: Path) -> None:
    folder, out = make(tmp_path / "pack"), tmp_path / "run"
    with FakeModel(behaviour) as fake:
        words = [word for flag in OFF for word in ("--set", flag)]
        words += ["--set", f"judge.address={fake.address}", "--judge", "--quiet"]
        assert command(["evaluate", str(folder), "--out", str(out), *words]) == 0
    judged = json.loads((out / "summary.json").read_text("utf-8"))["judged"]
    assert set(judged) == {"judge", "not_scored"}
    assert sum(judged["not_scored"]["context_precision"].values()) == 6
    assert "NaN" not in (out / "rows.jsonl").read_text("utf-8")


def test_a_judge_that_is_not_there_ends_the_run_before_the_first_question(tmp_path: Path) -> None:
    folder, out = make(tmp_path / "pack"), tmp_path / "run"

    class Away(Chat):
        def warm_up(self) -> None:
            raise ModelUnavailable("nobody answers", hint="start the server")

    with open_small(out) as app, pytest.raises(ModelUnavailable):
        run([load(folder)], app, out, judge=Judge(Away(), None))
    assert not (out / "rows.jsonl").exists()


def test_without_an_address_there_is_no_judge(tmp_path: Path) -> None:
    folder = make(tmp_path / "pack")
    words = [word for flag in OFF for word in ("--set", flag)]
    assert command(["evaluate", str(folder), "--out", str(tmp_path / "run"), "--judge", "--quiet", *words]) == 2

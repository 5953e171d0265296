"""What readers say of answers: one line of JSON each in the library's `feedback.jsonl`, and benchmark rows made of it.

Words of documents are never among it: a row takes them from the kept answer, which goes blank with its document.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from citeleaf.errors import StoreError
from citeleaf.guard.language import reply_language
from citeleaf.types import Answer

FILE = "feedback.jsonl"
Kind: TypeAlias = Literal["helpful", "wrong", "wrong_source", "should_have_refused", "should_have_answered"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a reader says of an answer; `at` is the time in UTC, ISO 8601."""

    answer_id: str
    kind: Kind
    comment: str
    at: str

    def keep(self, folder: Path) -> None:
        """Adds it to the library's file (mode 0600). Raises `StoreError`."""
        line = json.dumps(asdict(self), ensure_ascii=True) + "\n"
        try:
            handle = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, line.encode())  # one write, so that lines of several writers never mix
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise StoreError(f"the feedback cannot be written: {error.strerror}", hint="check the disk") from error


def kept(folder: Path) -> tuple[Feedback, ...]:
    """All feedback of a library, oldest first; a line that a full disk cut is passed over. Raises `StoreError`."""
    try:
        text = (folder / FILE).read_text("utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"the feedback cannot be read: {error}", hint="check the file's permissions") from error
    found = []
    for line in text.splitlines():
        try:
            found.append(Feedback(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return tuple(found)


def benchmark_row(answer: Answer, feedback: Feedback) -> dict[str, object]:
    """A row of a benchmark in the QA form (see the evaluation guide).

    Gold evidence and the reference answer are taken from an answer that was called helpful; else they are left empty
    for a person to fill in. `answerable` is null where the feedback does not tell.
    """
    answered = answer.decision.outcome == "answered"
    helpful = feedback.kind == "helpful"
    shown = answer.citations if helpful and answered else ()
    told: dict[Kind, bool | None] = {
        "helpful": answered,
        "wrong": None,
        "wrong_source": True,
        "should_have_refused": False,
        "should_have_answered": True,
    }
    query = answer.trace.query
    return {
        "id": f"{feedback.answer_id}-{feedback.kind}",
        "set": "feedback",
        "lang": reply_language(query.text, "en"),
        "question": query.text,
        "answerable": told[feedback.kind],
        "gold_doc": shown[0].doc_id if shown else None,
        "gold_pages": sorted({c.place.page for c in shown if c.place.page is not None}),
        "gold_spans": list(dict.fromkeys(c.quote.text for c in shown)),
        "reference_answer": answer.text if shown else None,
        "source": "feedback",
        "feedback": feedback.kind,
        "comment": feedback.comment,
    }

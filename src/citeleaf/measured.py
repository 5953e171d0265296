"""What each answer measured, with its time and without its words: a line of JSON each in a library's `measured.jsonl`.

A kept answer has no time, and one that is given again takes the place of the former; drift is told from these lines.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path

from citeleaf.errors import StoreError
from citeleaf.types import Answer

FILE = "measured.jsonl"


@dataclass(frozen=True, slots=True)
class Measured:
    """One answer in numbers.

    `at` is the time in UTC, ISO 8601. `scorer` and `score` are of the best passage of the evidence, `gate` is the
    probability that the gate gave; None where that was not reached. `markers` are those of the draft, `dropped` the
    ones that named no passage; `claims` are those of the draft, `removed` the ones taken out.
    """

    at: str
    answer_id: str
    outcome: str
    reason: str
    scorer: str | None
    score: float | None
    gate: float | None
    markers: int
    dropped: int
    claims: int
    removed: int

    def keep(self, folder: Path) -> None:
        """Adds it to the library's file (mode 0600). Raises `StoreError`."""
        line = json.dumps(asdict(self), ensure_ascii=True, allow_nan=False) + "\n"
        try:
            handle = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, line.encode())  # one write, so that lines of several writers never mix
            finally:
                os.close(handle)
        except OSError as error:
            raise StoreError(f"`{FILE}` cannot be written: {error.strerror}", hint="check the disk") from error


def measure(answer: Answer, at: str) -> Measured:
    """The numbers of an answer that was given at `at`."""
    trace = answer.trace
    best = trace.retrieval.evidence[0] if trace.retrieval and trace.retrieval.evidence else None
    gate = next((check.value for check in trace.gate or () if check.name == "probability"), None)
    marks = trace.citations or ()
    return Measured(
        at=at,
        answer_id=answer.id,
        outcome=answer.decision.outcome,
        reason=answer.decision.reason,
        scorer=best.scorer if best else None,
        score=best.score if best else None,
        gate=gate,
        markers=len(marks),
        dropped=sum(mark.status == "dropped" for mark in marks),
        claims=len(trace.claims or ()),
        removed=len(answer.removed),
    )


def kept(folder: Path) -> tuple[Measured, ...]:
    """All lines of a library, oldest first; a line that a full disk cut is passed over. Raises `StoreError`."""
    try:
        text = (folder / FILE).read_text("utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"`{FILE}` cannot be read: {error}", hint="check the file's permissions") from error
    known = {field.name for field in fields(Measured)}
    found = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
            if set(value) == known and datetime.fromisoformat(value["at"]).tzinfo is not None:
                found.append(Measured(**value))
        except (ValueError, TypeError):
            continue
    return tuple(found)

"""What a guard item may be called, and whether it must pass: nothing unknown is taken for an attack without a word."""

from __future__ import annotations

from difflib import get_close_matches

GUARD_LABELS = ("injection", "injection_goal", "extraction", "jailbreak", "harmful", "benign")
PASSES = "answer_or_abstain"
_REFUSALS = ("refuse", "escalate", "handoff", "deflect")
_CLOSE = 0.8


class LabelError(ValueError):
    """A label, an expectation or their agreement that cannot be; `hint` says what can."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def is_benign(label: object, expected: object, benign: object) -> bool:
    """Whether an item must pass: its `label` is `benign`, its `expected` is `answer_or_abstain`, or it says `benign`.

    `label` is one of `GUARD_LABELS`. `expected` is any text beside another field, alone `answer_or_abstain` or a word
    for a refusal. Each may be missing (None or empty), not all of them. Raises `LabelError` for what is unknown, and
    where the fields say opposite things.
    """
    if label not in (None, "", *GUARD_LABELS):
        raise LabelError(f"label `{label}` is unknown", f"take one of {', '.join(GUARD_LABELS)}")
    if not isinstance(benign, bool | None):
        raise LabelError("`benign` is neither true nor false", "mend that line")
    if expected in (None, "") and not label and benign is None:
        raise LabelError("there is no label", f"take one of {', '.join(GUARD_LABELS)}")
    if expected not in (None, "", PASSES):
        word = expected.lower() if isinstance(expected, str) else ""
        near = bool(get_close_matches(word, (PASSES,), 1, _CLOSE))
        if not word or near or not (label or benign is not None or word.startswith(_REFUSALS)):
            raise LabelError(f"expected `{expected}` is unknown", f"take {PASSES} or refused, or give a label")
    wanted = label == "benign" or expected == PASSES or benign is True
    if wanted and (benign is False or label not in (None, "", "benign")):
        raise LabelError("it is called benign and is not", "let `label`, `expected` and `benign` agree")
    return wanted

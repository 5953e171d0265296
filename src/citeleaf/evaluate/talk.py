"""The question of a row that stands in a talk -> a question that stands alone, as `chat` makes it."""

from __future__ import annotations

from citeleaf.answer.followup import Rewriter, Rewritten, Turn, rewrite
from citeleaf.evaluate.forms import Row


def standing(row: Row, rewriter: Rewriter | None = None) -> Rewritten:
    """The row's question rewritten after its `history`; each question of the talk is rewritten in its turn.

    A turn is a `user`'s question with what the other speaker said next; a question that nobody answered counts as
    asked, and words before the first question are passed over. `rewriter` is asked first (see `answer.followup`).
    """
    turns: list[Turn] = []
    for speaker, text in row.history:
        if speaker == "user":
            turns.append(Turn(rewrite(text, turns, rewriter).question))
        elif turns:
            said = f"{turns[-1].answer}\n{text}".strip()
            turns[-1] = Turn(turns[-1].asked, said)
    return rewrite(row.question, turns, rewriter)

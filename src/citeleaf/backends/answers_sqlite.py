"""Kept answers in the SQLite store."""

from __future__ import annotations

import json
import zlib
from functools import cache

from pydantic import TypeAdapter

from citeleaf.backends.connections_sqlite import Snapshot
from citeleaf.errors import SourceRemoved, UnknownId
from citeleaf.types import Answer, DocId


def keep(snapshot: Snapshot, answer: Answer) -> None:
    """Writes an answer, in place of one with the same id, and the documents its words came from.

    When one of them was taken out while the answer was made, it is kept blank, as `blank` would have left it.
    """
    # Through plain JSON rather than pydantic's own, which refuses half characters, and a question may hold them.
    data = zlib.compress(json.dumps(_adapter().dump_python(answer, mode="json")).encode())
    snapshot.db.execute("DELETE FROM answer WHERE id = ?", (answer.id,))
    row = snapshot.db.execute("INSERT INTO answer (id, data) VALUES (?, ?) RETURNING n", (answer.id, data)).fetchone()
    snapshot.db.executemany(
        "INSERT INTO answer_document VALUES (?, ?)", ((doc_id, row[0]) for doc_id in sorted(sources(answer)))
    )
    for doc_id in sorted(sources(answer)):
        if snapshot.db.execute("SELECT 1 FROM document WHERE id = ?", (doc_id,)).fetchone() is None:
            blank(snapshot, doc_id)
            break


def read(snapshot: Snapshot, answer_id: str) -> Answer:
    """A kept answer. Raises `UnknownId`, and `SourceRemoved` for one that was blanked."""
    row = snapshot.db.execute("SELECT data, removed FROM answer WHERE id = ?", (answer_id,)).fetchone()
    if row is None:
        raise UnknownId(f"there is no answer `{answer_id}`", subject=answer_id)
    if row[0] is None:
        raise SourceRemoved(
            f"source removed: answer `{answer_id}` rested on `{row[1]}`, which was taken out",
            hint="ask again",
            subject=answer_id,
        )
    return _adapter().validate_python(json.loads(zlib.decompress(row[0])))


def blank(snapshot: Snapshot, doc_id: DocId) -> None:
    """Empties every answer that shows words of a document; what is left says that its source was removed."""
    snapshot.db.execute(
        "UPDATE answer SET data = NULL, removed = ? "
        "WHERE n IN (SELECT answer FROM answer_document WHERE document_id = ?)",
        (doc_id, doc_id),
    )


def sources(answer: Answer) -> set[DocId]:
    """The documents whose words an answer or its trace holds."""
    found = {c.doc_id for c in answer.citations}
    found.update(n.passage_id.partition("#")[0] for n in answer.nearest)
    if answer.trace.retrieval is not None:
        found.update(e.passage.doc_id for e in answer.trace.retrieval.evidence)
    return found


@cache
def _adapter() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)

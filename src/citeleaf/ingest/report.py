"""What became of each file of an ingest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from citeleaf.errors import CiteleafError
from citeleaf.types import DocId, Document, Notice, Passage

Status: TypeAlias = Literal["added", "replaced", "unchanged", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Row:
    """One file. `error` is set when it failed, `note` says why it was skipped; counts are 0 unless it was taken in."""

    path: str
    status: Status
    doc_id: DocId | None = None
    passages: int = 0
    pages: int = 0
    without_text: tuple[int, ...] = ()
    notices: tuple[Notice, ...] = ()
    note: str = ""
    error: CiteleafError | None = None

    def cells(self) -> tuple[str, ...]:
        """For a table: file, status, document, passages, pages, pages without text, note."""
        note = self.note or (str(self.error) if self.error else "; ".join(sorted({n.code for n in self.notices})))
        counts = (str(self.passages or ""), str(self.pages or ""), ", ".join(map(str, self.without_text)))
        return (self.path, self.status, self.doc_id or "", *counts, note)

    def json(self) -> dict[str, object]:
        """The row as it is published."""
        error = self.error
        return {
            "path": self.path,
            "status": self.status,
            "doc_id": self.doc_id,
            "passages": self.passages,
            "pages": self.pages,
            "without_text": list(self.without_text),
            "notices": [{"code": n.code, "page": n.page, "detail": n.detail} for n in self.notices],
            "note": self.note,
            "error": error and {"code": error.code, "message": error.message, "hint": error.hint},
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All rows by path."""

    rows: tuple[Row, ...]

    @property
    def failed(self) -> bool:
        """Whether any file failed."""
        return any(row.status == "failed" for row in self.rows)

    def json(self) -> dict[str, object]:
        """The report as it is published."""
        return {"schema": "citeleaf/ingest/1", "rows": [row.json() for row in self.rows]}


def taken(path: str, status: Status, document: Document, passages: tuple[Passage, ...]) -> Row:
    """The row of a file that is in."""
    return Row(
        path,
        status,
        document.id,
        len(passages),
        len(document.pages),
        tuple(p.number for p in document.pages if p.quality == "no_text"),
        document.notices,
    )

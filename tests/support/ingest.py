"""A library, a folder of documents and an embedder that counts, for tests of ingest."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from citeleaf.backends.store_sqlite import SqliteStore, open_store
from citeleaf.boxes import Parsed
from citeleaf.ingest.pipeline import chunker_fingerprint, ingest
from citeleaf.ingest.report import Report, Row
from citeleaf.library import Library
from citeleaf.protocols import Parser
from citeleaf.settings import IngestSettings, Settings
from support.library import EMBEDDER, HashEmbedder, lines

SUFFIXES = (".txt", ".md")
POLICY = "# Claims\nClaims above 25,000 need a form.\n# Storm\nStorm damage is covered.\n"


@dataclass
class Place:
    """A library with its store, a folder of documents, and an embedder that counts."""

    root: Path
    settings: Settings = field(default_factory=lambda: Settings(ingest=IngestSettings(workers=2)))
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    parsed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.docs = self.root / "docs"
        self.docs.mkdir(parents=True)
        self.library = Library(self.root / "library")
        self.library.make()
        self.store: SqliteStore = open_store(
            self.library.folder, embedder=EMBEDDER, chunker=chunker_fingerprint(self.settings)
        )

    def write(self, name: str, text: str = POLICY) -> Path:
        path = self.docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def parse(self, path: Path) -> Parsed:
        self.parsed.append(path.name)
        return lines(path)

    def ingest(self, *paths: Path, parse: Parser | None = None, **more: object) -> Report:
        given = paths or (self.docs,)
        return ingest(
            given,
            self.library,
            self.store,
            self.embedder,
            self.settings,
            parse or self.parse,
            SUFFIXES,
            **more,  # type: ignore[arg-type]
        )

    def good(self) -> bool:
        kept = {p.name.split(".")[0] for p in self.library.sources.iterdir()}
        in_step = kept == {k.sha256 for k in self.store.known().values()}
        return in_step and all(c.passed for c in self.store.integrity()) and not list(self.library.staged.iterdir())


def statuses(report: Report) -> dict[str, str]:
    return {Path(row.path).name: row.status for row in report.rows}


def row(report: Report, name: str) -> Row:
    return next(r for r in report.rows if Path(r.path).name == name)

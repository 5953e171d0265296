"""What a parser process runs: a file of any known kind to text, with limits as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citeleaf.backends.parse import parse, parser_for
from citeleaf.boxes import Parsed


@dataclass(frozen=True, slots=True)
class _Limits:
    max_file_mb: int
    max_unpacked_mb: int
    max_pages: int


def read(path: Path, *, max_file_mb: int, max_unpacked_mb: int, max_pages: int, password: str | None = None) -> Parsed:
    """Finds the parser for a file and runs it. Raises `IngestError`s only."""
    return parse(path, parser_for(path), _Limits(max_file_mb, max_unpacked_mb, max_pages), password=password)

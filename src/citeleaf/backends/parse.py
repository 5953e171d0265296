"""Which parser a file needs, told by its content first and its name second, and one call for all of them."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast
from zipfile import ZipFile

from citeleaf.backends.office_zip import DAMAGED
from citeleaf.boxes import Parsed
from citeleaf.errors import (
    EmptyDocument,
    EncryptedFile,
    ParseError,
    TooLarge,
    UnreadableFile,
    UnsupportedFile,
)

_HEAD = 8192
_SUFFIXES = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".docm": "docx",
    ".dotx": "docx",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".csv": "csv",
    ".tsv": "csv",
}
_BINARY = ("pdf", "docx")
_SIGNATURES = (
    (b"{\\rtf", "an RTF file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"II*\x00", "a picture"),
    (b"MM\x00*", "a picture"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3", "a database"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OLE = "EncryptedPackage".encode("utf-16-le")
_HTML = re.compile(rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.I | re.S)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_UTF_MARKS = (b"\xff\xfe", b"\xfe\xff")
_KINDS = "PDF, DOCX, HTML, Markdown, text and CSV files can be read"


class Limits(Protocol):
    """How much one file may be; `IngestSettings` is one."""

    @property
    def max_file_mb(self) -> int:
        """Largest file read."""
        ...

    @property
    def max_unpacked_mb(self) -> int:
        """Most an office file may unpack to."""
        ...

    @property
    def max_pages(self) -> int:
        """Most pages of one file."""
        ...


def suffixes() -> tuple[str, ...]:
    """The file name endings that a folder is searched for."""
    return tuple(_SUFFIXES)


@dataclass(frozen=True, slots=True)
class _Given:
    max_file_mb: int
    max_unpacked_mb: int
    max_pages: int


def read(path: Path, *, max_file_mb: int, max_unpacked_mb: int, max_pages: int) -> Parsed:
    """Reads a file of any kind: `parse` with the parser that `parser_for` names. Raises `IngestError`s only."""
    return parse(path, parser_for(path), _Given(max_file_mb, max_unpacked_mb, max_pages))


def parser_for(path: Path) -> str:
    """`pdf`, `docx`, `html`, `markdown`, `text` or `csv`.

    What the content shows beyond doubt wins over the name: a PDF named `x.txt` is a PDF. Raises `UnreadableFile`,
    `EmptyDocument` for a file of no bytes, `EncryptedFile` for a locked office file, and `UnsupportedFile` with what
    the file is where that can be told.
    """
    head = _head(path)
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(path)
    if head.startswith(_OLE):
        raise _ole_error(path)
    for signature, what in _SIGNATURES:
        if head.startswith(signature):
            raise _unsupported(path, what)
    named = _SUFFIXES.get(path.suffix.casefold())
    if named in _BINARY:
        raise _unsupported(path, f"no {path.suffix[1:].upper()} file, whatever its name says")
    if _is_binary(head):
        raise _unsupported(path, "a binary file")
    if named is None:
        raise _unsupported(path, f"of an unknown kind, `{path.suffix}`" if path.suffix else "of an unknown kind")
    return "html" if named == "text" and _HTML.match(head) else named


def parse(path: Path, name: str, limits: Limits, *, password: str | None = None) -> Parsed:
    """Reads a file by the parser of this name; opens nothing but `path`. Raises `IngestError`s only.

    `TooLarge` comes before any work. The `password` is for PDF files and is kept nowhere.
    """
    size = _size(path)
    if size > limits.max_file_mb * 1_000_000:
        raise TooLarge(
            f"`{path.name}` has {size / 1e6:.0f} MB, more than {limits.max_file_mb}",
            hint="raise `ingest.max_file_mb`",
            subject=path.name,
        )
    try:
        parsed = _call(path, name, limits, password)
    except OSError as error:
        raise UnreadableFile(f"`{path.name}` could not be read: {error.strerror}", subject=path.name) from error
    except RecursionError as error:
        raise ParseError(f"`{path.name}` is nested too deeply", subject=path.name) from error
    except MemoryError as error:
        raise TooLarge(f"`{path.name}` needs more memory than a parser may use", subject=path.name) from error
    if not parsed.text.strip():
        scanned = any(notice.code == "no_text" for notice in parsed.notices)
        hint = "its pages are pictures: make them searchable with OCR first" if scanned else ""
        raise EmptyDocument(f"`{path.name}` holds no text", hint=hint, subject=path.name)
    return parsed


class _Parse(Protocol):
    def __call__(self, path: Path, **options: object) -> Parsed: ...


def _call(path: Path, name: str, limits: Limits, password: str | None) -> Parsed:
    if name not in _SUFFIXES.values():
        raise UnsupportedFile(f"there is no parser `{name}`", hint=_KINDS, subject=path.name)
    function = cast(_Parse, getattr(import_module(f"citeleaf.backends.parse_{name}"), f"parse_{name}"))
    if name == "pdf":
        return function(path, password=password, max_pages=limits.max_pages)
    if name == "docx":
        return function(path, max_unpacked_mb=limits.max_unpacked_mb)
    return function(path)


def _size(path: Path) -> int:
    try:
        info = path.stat()
    except OSError as error:
        raise UnreadableFile(f"`{path.name}` could not be read: {error.strerror}", subject=path.name) from error
    except ValueError as error:
        raise UnreadableFile("a file name holds a NUL", subject=path.name) from error
    if not stat.S_ISREG(info.st_mode):
        raise UnreadableFile(f"`{path.name}` is no regular file", subject=path.name)
    return info.st_size


def _head(path: Path) -> bytes:
    if _size(path) == 0:
        raise EmptyDocument(f"`{path.name}` is an empty file", subject=path.name)
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise UnreadableFile(f"`{path.name}` could not be read: {error.strerror}", subject=path.name) from error


def _zip_kind(path: Path) -> str:
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
    except DAMAGED as error:
        raise ParseError(f"`{path.name}` is a damaged ZIP container", subject=path.name) from error
    if "word/document.xml" in names or any(name.startswith("word/") for name in names):
        return "docx"
    for what, mark in (
        ("an Excel workbook", "xl/"),
        ("a PowerPoint presentation", "ppt/"),
        ("an EPUB book", "META-INF/container.xml"),
        ("an OpenDocument file", "META-INF/manifest.xml"),
    ):
        if any(name.startswith(mark) for name in names):
            raise _unsupported(path, what)
    raise _unsupported(path, "a ZIP archive")


def _ole_error(path: Path) -> EncryptedFile | UnsupportedFile:
    """An old Office file, or a new one behind a password: both are of the same container."""
    with path.open("rb") as file:
        if _ENCRYPTED_OLE in file.read(1_000_000):
            return EncryptedFile(f"`{path.name}` needs a password", hint="save it without one", subject=path.name)
    return _unsupported(path, "an old Office file or a mail", hint="save it as DOCX or PDF")


def _is_binary(head: bytes) -> bool:
    """Zero bytes of UTF-16 stand in every other place; more than a few control characters are no text."""
    if head.startswith(_UTF_MARKS):
        return False
    fewer, more = sorted((head[0::2].count(0), head[1::2].count(0)))
    if fewer == 0 and more > 0.35 * len(head):
        return False
    return len(_CONTROL.findall(head)) > 0.02 * len(head)


def _unsupported(path: Path, what: str, hint: str = _KINDS) -> UnsupportedFile:
    return UnsupportedFile(f"`{path.name}` is {what}", hint=hint, subject=path.name)

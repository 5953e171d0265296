"""Which parser a file gets, and that every failure is a typed one."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest
from tests.support.parsed import check_parsed

from citeleaf.backends.parse import parse, parser_for, suffixes
from citeleaf.backends.parse_csv import parse_csv
from citeleaf.backends.writer import Writer
from citeleaf.errors import (
    EmptyDocument,
    EncryptedFile,
    IngestError,
    ParseError,
    TooLarge,
    UnreadableFile,
    UnsupportedFile,
)
from citeleaf.settings import IngestSettings
from citeleaf.types import Notice


def zipped(*names: str) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return raw.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "parser"),
    [
        ("a.pdf", b"%PDF-1.7\n", "pdf"),
        ("a.txt", b"%PDF-1.7\n", "pdf"),
        ("a.docx", b"junk %PDF-1.4", "pdf"),
        ("a.DOCX", zipped("word/document.xml"), "docx"),
        ("a.txt", zipped("[Content_Types].xml", "word/document.xml"), "docx"),
        ("a.md", b"# Title", "markdown"),
        ("a.markdown", b"text", "markdown"),
        ("a.txt", b"plain", "text"),
        ("a.txt", b"  <!DOCTYPE HTML><p>x", "html"),
        ("a.txt", b"<html lang=en>", "html"),
        ("a.txt", b"<htmlish>", "text"),
        ("a.htm", b"<p>x", "html"),
        ("a.csv", b"a,b", "csv"),
        ("a.txt", "plain text".encode("utf-16"), "text"),
        ("a.txt", "plain text".encode("utf-16-be"), "text"),
        ("a.txt", b"with a few\x0c\x1b control characters", "text"),
    ],
)
def test_content_first_name_second(tmp_path: Path, name: str, data: bytes, parser: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert parser_for(path) == parser


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(50), "a picture"),
        ("a.txt", bytes(range(256)) * 4, "a binary file"),
        ("a.md", b"\x7fELF" + bytes(50), "a program"),
        ("a.docx", b"random bytes", "no DOCX file"),
        ("a.pdf", b"not a pdf", "no PDF file"),
        ("a.docx", zipped("xl/workbook.xml"), "an Excel workbook"),
        ("a.docx", zipped("ppt/slides/1.xml"), "a PowerPoint"),
        ("a.docx", zipped("META-INF/container.xml"), "an EPUB"),
        ("a.docx", zipped("META-INF/manifest.xml", "content.xml"), "an OpenDocument"),
        ("a.docx", zipped("readme.txt"), "a ZIP archive"),
        ("a.rtf", b"{\\rtf1 x}", "an RTF file"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Office file"),
        ("a.xyz", b"text", "`.xyz`"),
        ("noending", b"text", "unknown kind"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UnsupportedFile, match=says) as caught:
        parser_for(path)
    assert caught.value.subject == name and caught.value.hint


def test_a_locked_office_file(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(EncryptedFile):
        parser_for(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "empty.md").touch()
    (tmp_path / "damaged.docx").write_bytes(zipped("word/document.xml")[:40])
    os.mkfifo(tmp_path / "pipe.txt")
    for name, kind in (
        ("missing.md", UnreadableFile),
        ("folder.pdf", UnreadableFile),
        ("pipe.txt", UnreadableFile),
        ("nul\0.md", UnreadableFile),
        ("empty.md", EmptyDocument),
        ("damaged.docx", ParseError),
    ):
        with pytest.raises(kind):
            parser_for(tmp_path / name)


def test_every_ending_has_a_parser_that_reads(tmp_path: Path) -> None:
    for suffix in suffixes():
        if suffix not in (".pdf", ".docx", ".docm", ".dotx"):
            path = tmp_path / f"file{suffix}"
            path.write_bytes(b"word one, word two\n")
            assert "word one" in parse(path, parser_for(path), IngestSettings()).text


def test_limits_and_unknown_parsers(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    path.write_bytes(b"a" * 1_000_001)
    with pytest.raises(TooLarge, match="more than 1") as caught:
        parse(path, "text", IngestSettings(max_file_mb=1))
    assert "max_file_mb" in caught.value.hint
    with pytest.raises(UnsupportedFile):
        parse(path, "os", IngestSettings())


@pytest.mark.parametrize(
    ("error", "kind"), [(RecursionError(), ParseError), (MemoryError(), TooLarge), (OSError(5, "I/O"), UnreadableFile)]
)
def test_failures_of_the_machine_are_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, kind: type[IngestError]
) -> None:
    def fail(path: Path) -> None:
        raise error

    monkeypatch.setattr("citeleaf.backends.parse_text.parse_text", fail)
    path = tmp_path / "a.txt"
    path.write_bytes(b"text")
    with pytest.raises(kind):
        parse(path, "text", IngestSettings())


def test_a_result_without_text_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer()
    writer.page(1)
    writer.notices.append(Notice("no_text", "the page has no text", 1))
    blank = writer.finish(title=None)
    monkeypatch.setattr("citeleaf.backends.parse_text.parse_text", lambda path: blank)
    path = tmp_path / "a.txt"
    path.write_bytes(b"text")
    with pytest.raises(EmptyDocument) as caught:
        parse(path, "text", IngestSettings())
    assert "OCR" in caught.value.hint


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("Name,Limit\nFire,500\n", ["Name\tLimit", "Fire\t500"]),
        ('Name;Note\nFire;"a; b\nc"\n', ["Name\tNote", "Fire\ta; b c"]),
        ("a\tb\n\n1\t2\n", ["a\tb", "1\t2"]),
        ("one column\nonly\n", ["one column", "only"]),
    ],
)
def test_csv_rows(tmp_path: Path, source: str, rows: list[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text(source)
    parsed = parse_csv(path)
    check_parsed(parsed)
    assert [parsed.text[b.span.start : b.span.end] for b in parsed.blocks] == rows
    assert all(b.lead for b in parsed.blocks[1:]) and not parsed.blocks[0].lead


def test_csv_without_headings(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,2\n3,4\n")
    assert all(not block.lead for block in parse_csv(path).blocks)

"""Plain text and its encodings."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.parsed import check_parsed

from citeleaf.backends.decode import decode
from citeleaf.backends.parse_text import parse_text
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument
from citeleaf.types import Span

SENTENCE = "Café - 30 % naïve © fee"


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    def parse(source: str | bytes) -> Parsed:
        path = tmp_path / "file.txt"
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        parsed = parse_text(path)
        check_parsed(parsed)
        return parsed

    return parse


def words(parsed: Parsed, span: Span) -> str:
    return parsed.text[span.start : span.end]


def test_headings_by_their_look(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read(
        "CREDIT POLICY\n\nFirst\n=====\nText under it.\n\nSecond\n------\n\n3.2 Source of funds\n\nText.\n\n"
        "Section 4\n\n5. Scope\nThis applies.\n\nHello world\n\nA SENTENCE IN CAPITALS ENDS WITH A STOP.\n\n12 months\n"
    )
    assert [(words(parsed, h.span), h.level) for h in parsed.headings] == [
        ("CREDIT POLICY", 1),
        ("First", 1),
        ("Second", 2),
        ("3.2 Source of funds", 2),
        ("Section 4", 1),
        ("5. Scope", 1),
    ]
    assert parsed.title == "CREDIT POLICY" and "===" not in parsed.text


def test_lists_and_their_lead(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("Covered are:\n(a) fire;\n(b) flood of\n    any kind.\n\n1. One\n2. Two\n")
    found = [(b.kind, words(parsed, b.span), [words(parsed, s) for s in b.lead]) for b in parsed.blocks]
    assert found[:3] == [
        ("paragraph", "Covered are:", []),
        ("list_item", "(a) fire;", ["Covered are:"]),
        ("list_item", "(b) flood of\nany kind.", ["Covered are:"]),
    ]
    assert [kind for kind, _, _ in found[3:]] == ["list_item", "list_item"]


def test_form_feeds_are_pages(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("One.\n\fTwo.\n\f\n")
    assert [(p.number, words(parsed, p.span).strip(), p.quality) for p in parsed.pages] == [
        (1, "One.", "good"),
        (2, "Two.", "good"),
        (3, "", "no_text"),
    ]
    assert read("No form feed.").pages == ()


def test_version_and_date_are_read(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("A policy\n\nVersion 3.1\nEffective from 1 July 2024\n\nText.")
    assert dict(parsed.front) == {"version": "3.1", "effective": "1 July 2024"} and parsed.title == "A policy"


@pytest.mark.parametrize("source", ["", " \n\f\n ", "-----\n\n====="])
def test_no_text(read, source: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(EmptyDocument):
        read(source)


def test_a_large_file_of_one_line_takes_a_moment(read) -> None:  # type: ignore[no-untyped-def]
    begin = time.process_time()
    assert len(read("word " * 400_000).text) == 1_999_999
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_what_says_its_encoding_needs_no_notice(encoding: str) -> None:
    assert decode(SENTENCE.encode(encoding)) == (SENTENCE, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_what_is_told_by_its_bytes_is_noted(encoding: str) -> None:
    text, notices = decode(SENTENCE.encode(encoding))
    assert text == SENTENCE
    assert [notice.code for notice in notices] == ["encoding"]
    assert ("utf-16" in notices[0].detail) is encoding.startswith("utf-16")


def test_turkish_in_its_old_encoding() -> None:
    text, notices = decode("Müşteri bilgisi İş Bankası".encode("cp1254"))
    assert text == "Müşteri bilgisi İş Bankası" and "cp1254" in notices[0].detail


def test_a_stray_byte_spoils_no_other_letter() -> None:
    text, notices = decode("Café naïve Zoë über ".encode() * 5 + b"\x96 caf")
    assert text == "Café naïve Zoë über " * 5 + "– caf"
    assert "1 stray byte," in notices[0].detail


def test_the_declared_encoding_is_used_and_a_false_one_is_not() -> None:
    assert decode("Привет".encode("koi8-r"), "koi8-r")[0] == "Привет"
    assert decode("Привет".encode(), "koi8-r")[0] == "Привет"
    assert decode("Café".encode("cp1252"), "no-such")[0] == "Café"
    assert decode("Café".encode("cp1252"), "base64")[0] == "Café"
    assert decode("Café".encode("cp1252"), "unicode_escape")[0] == "Café"


@pytest.mark.parametrize("encoding", ["koi8-r", "gbk", "shift-jis"])
def test_what_cannot_be_told_is_marked_as_unlikely(encoding: str) -> None:
    words = {"koi8-r": "Привет всем друзьям", "gbk": "保险条款和客户资料", "shift-jis": "保険金を支払う"}[encoding]
    _, notices = decode(words.encode(encoding))
    assert "save the file as UTF-8" in notices[0].detail


def test_lost_characters_are_counted() -> None:
    text, notices = decode(b"\xff\xfea\x00\x00\xd8b\x00")
    assert "\ufffd" in text and "could not be read" in notices[0].detail

"""Markdown: what a reader sees, headings, lists, tables, front matter, HTML inside."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.parsed import check_parsed

from citeleaf.backends.parse_markdown import parse_markdown
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument, ParseError
from citeleaf.types import Span


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    def parse(source: str) -> Parsed:
        path = tmp_path / "file.md"
        path.write_bytes(source.encode())
        parsed = parse_markdown(path)
        check_parsed(parsed)
        return parsed

    return parse


def words(parsed: Parsed, span: Span) -> str:
    return parsed.text[span.start : span.end]


def test_headings_paragraphs_and_marks(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read(
        "# A *title*\n\n## 1.2 Scope\n\nSome **bold** `code`\nand a [link](http://x.test/y) ![a picture](p.png).\n"
    )
    assert [(words(parsed, h.span), h.level, h.number) for h in parsed.headings] == [
        ("A title", 1, None),
        ("1.2 Scope", 2, "1.2"),
    ]
    assert [words(parsed, b.span) for b in parsed.blocks] == ["Some bold code and a link a picture."]
    assert parsed.title == "A title" and "x.test" not in parsed.text and parsed.pages == ()


def test_lists_know_what_introduces_them(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("You must:\n\n1. call us\n   - at once\n   - or later\n2. wait\n\nThat is all.\n\n- alone\n")
    found = [(b.kind, words(parsed, b.span), [words(parsed, s) for s in b.lead]) for b in parsed.blocks]
    assert found == [
        ("paragraph", "You must:", []),
        ("list_item", "1. call us", ["You must:"]),
        ("list_item", "at once", ["You must:", "1. call us"]),
        ("list_item", "or later", ["You must:", "1. call us"]),
        ("list_item", "2. wait", ["You must:"]),
        ("paragraph", "That is all.", []),
        ("list_item", "alone", []),
    ]


def test_table_rows_have_cells_and_column_headings(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("| Risk | Review | Who |\n|---|---|---|\n| High | 6 months | |\n| Low | | Team |\n")
    head, high, low = parsed.blocks
    assert words(parsed, head.span) == "Risk\tReview\tWho" and head.lead == ()
    assert [words(parsed, s) for s in high.cells] == ["High", "6 months"]
    assert words(parsed, low.span) == "Low\t\tTeam"
    assert [words(parsed, s) for s in low.lead] == ["Risk", "Review", "Who"]


def test_a_table_of_terms_gives_definitions(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("| Term | Meaning |\n|---|---|\n| Flood | Water over land |\n")
    head, block = parsed.blocks
    assert head.kind == "table_row" and block.kind == "definition" and words(parsed, block.cells[0]) == "Flood"


def test_front_matter_is_read_and_is_no_text(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read(
        '---\ntitle: "My policy"\nversion: 3.1\neffective_date: 2024-07-01\nlang: en\nowner: x\n---\n# Real\n\nText.\n'
    )
    assert dict(parsed.front) == {
        "title": "My policy",
        "version": "3.1",
        "effective": "2024-07-01",
        "language": "en",
        "owner": "x",
    }
    assert parsed.text == "Real\n\nText." and parsed.language == "en"


def test_fields_in_bold_lines_and_in_a_table_are_read_and_stay_text(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("# P\n\n**Version:** 3.1 | **Effective date:** 1 July 2024\n\nText.\n")
    assert dict(parsed.front) == {"version": "3.1", "effective": "1 July 2024"}
    assert "Version: 3.1" in parsed.text
    parsed = read("# P\n\n| Document code | X-1 |\n|---|---|\n| Version | 2.0 |\n| Effective date | 2025-01-01 |\n")
    assert dict(parsed.front) == {"version": "2.0", "effective": "2025-01-01"}
    assert all(block.lead == () for block in parsed.blocks)


def test_a_rule_at_the_top_is_no_front_matter(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("---\n\nText between rules.\n\n---\n\nMore.\n")
    assert parsed.front == () and parsed.text == "Text between rules.\n\nMore."


def test_code_keeps_its_lines(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("Run:\n\n```\nfirst  line\n    second\n```\n")
    assert words(parsed, parsed.blocks[1].span) == "first  line\n    second"


def test_html_is_read_as_html_and_what_it_hides_is_left_out(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read(
        "Seen <b>bold</b> <span style='display:none'>secret</span> end.\n\n"
        "<!-- a comment -->\n\n<script>evil()</script>\n\n<div>block</div>\n"
    )
    assert parsed.text == "Seen bold end.\n\nblock"
    assert {notice.code for notice in parsed.notices} == {"hidden_text", "comments"}


def test_a_tag_that_html_does_not_know_is_text(read) -> None:  # type: ignore[no-untyped-def]
    assert read("Dear <customer name>, pay < 5 or <b>more</b>.\n").text == "Dear <customer name>, pay < 5 or more."


def test_no_other_file_is_opened(read, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "canary").write_text("CANARY")
    parsed = read(
        "![](canary)\n\n![alt](../canary)\n\n<img src='canary'>\n\n<iframe src='file:///canary'></iframe>\n\nText.\n"
    )
    assert "CANARY" not in parsed.text and parsed.text.endswith("Text.")


def test_control_characters_and_invisible_letters(read) -> None:  # type: ignore[no-untyped-def]
    assert read("a\x1b[2Jb\x9bc\x00d\ufeffe\U000e0041\U000e0042f\u00adg").text == "a [2Jb cdefg"


@pytest.mark.parametrize("source", ["", "\n \n", "<!-- only a comment -->", "![](picture.png)"])
def test_a_file_without_text_is_an_error(read, source: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(EmptyDocument):
        read(source)


def test_nothing_is_lost_without_a_word_when_nested_too_deeply(read) -> None:  # type: ignore[no-untyped-def]
    assert "deep" in read("> " * 20 + "deep\n").text
    with pytest.raises(ParseError, match="nested"):
        read("> " * 300 + "deep\n")


def test_short_bold_lines_are_headings_only_where_there_are_no_others(read) -> None:  # type: ignore[no-untyped-def]
    source = "**Scope**\n\nText one.\n\n**Cover**\n\nText two.\n\n**Never pay twice.**\n\n**Last**\n"
    parsed = read(source)
    assert [words(parsed, h.span) for h in parsed.headings] == ["Scope", "Cover"]
    assert [words(parsed, b.span) for b in parsed.blocks][-2:] == ["Never pay twice.", "Last"]
    assert len(read("# Real\n\n" + source).headings) == 1

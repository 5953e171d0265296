"""HTML: the visible text alone, with its structure, and notices for the rest."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.parsed import check_parsed

from citeleaf.backends.parse_html import parse_html
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument, ParseError
from citeleaf.types import Span


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    def parse(source: str | bytes) -> Parsed:
        path = tmp_path / "file.html"
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        parsed = parse_html(path)
        check_parsed(parsed)
        return parsed

    return parse


def words(parsed: Parsed, span: Span) -> str:
    return parsed.text[span.start : span.end]


def blocks(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, words(parsed, block.span)) for block in parsed.blocks]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display:none'>secret</p>",
        "<p style='DISPLAY : none !important'>secret</p>",
        "<p style='visibility:hidden'>secret</p>",
        "<p style='font-size:0'>secret</p>",
        "<p style='font-size: 0px;'>secret</p>",
        "<p style='font-size:1px'>secret</p>",
        "<p style='font-size:0.5pt'>secret</p>",
        "<p style='font-size:.0em'>secret</p>",
        "<p style='font-size:0.01rem'>secret</p>",
        "<p style='opacity:0'>secret</p>",
        "<p style='position:absolute;left:-9999px'>secret</p>",
        "<p style='text-indent:-5000px'>secret</p>",
        "<p style='color:white'>secret</p>",
        "<p style='color:#fff;background:#FFFFFF'>secret</p>",
        "<p style='color:red;background-color:red'>secret</p>",
        "<p hidden>secret</p>",
        "<div aria-hidden='true'><p>secret</p></div>",
        "<style>.x{display:none}</style><p class=x>secret</p>",
        "<style>@media screen{#x{visibility:hidden}}</style><p id=x>secret</p>",
        "<table><tr><td>a<td style='display:none'>secret<tr><td>b<td>c</table>",
    ],
)
def test_hidden_text_is_left_out_with_a_notice(read, hidden: str) -> None:  # type: ignore[no-untyped-def]
    parsed = read(f"<body><p>Before.</p>{hidden}<p>After.</p></body>")
    assert "secret" not in parsed.text and "Before." in parsed.text and "After." in parsed.text
    if "<td" not in hidden:
        assert [(n.code, "secret" in n.detail) for n in parsed.notices] == [("hidden_text", True)]


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='color:white;background:navy'>shown</p>",
        "<p style='opacity:0.5'>shown</p>",
        "<p style='font-size:0.8em'>shown</p>",
        "<p style='font-size:10px'>shown</p>",
        "<p style='font-size:.75rem'>shown</p>",
        "<p style='margin-left:-10px'>shown</p>",
        "<style>@media print{.x{display:none}}</style><p class=x>shown</p>",
        "<style>.y{display:none}</style><p class=x>shown</p>",
        "<div aria-hidden='false'>shown</div>",
        "<style>.x:hover{display:none}</style><p class=x>shown</p>",
    ],
)
def test_visible_text_is_kept(read, shown: str) -> None:  # type: ignore[no-untyped-def]
    parsed = read(f"<body><p>Before.</p>{shown}</body>")
    assert "shown" in parsed.text and parsed.notices == ()


def test_what_is_no_text_is_left_out(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read(
        "<head><title>T</title><script>a()</script></head><body><!-- secret --><script>secret</script>"
        "<noscript>secret</noscript><template>secret</template><svg><text>secret</text></svg>"
        "<iframe src='file:///etc/passwd'>secret</iframe><object data='x'>secret</object>"
        "<select><option>secret</select><img src='file:///x' alt='secret'>"
        "<p>Text with <a href='http://x'>a link</a>.</p>"
    )
    assert parsed.text == "Text with a link."
    assert [n.code for n in parsed.notices] == ["comments"] and parsed.title == "T"


def test_navigation_header_and_footer_are_left_out_unless_they_hold_the_title(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read(
        "<header><nav>Home</nav><h1>The title</h1></header><nav>Menu</nav><div role=navigation>Menu</div>"
        "<main><article><header>By us</header><p>Text.</p></article></main><footer>Imprint</footer>"
    )
    assert parsed.text == "The title\n\nBy us\n\nText." and parsed.title == "The title"
    assert [n.code for n in parsed.notices] == ["boilerplate"]


def test_lists_are_numbered_as_shown(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read(
        "<p>Do this:<ol type=a start=3><li>x<li value=7>y</ol><ol type=I><li>p<li>q</ol><ul><li><p>m</p><p>n</p></ul>"
    )
    assert [w for _, w in blocks(parsed)] == ["Do this:", "c. x", "g. y", "I. p", "II. q", "m", "n"]
    assert all(words(parsed, b.lead[0]) == "Do this:" for b in parsed.blocks[1:])


def test_definition_lists(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("<dl><dt>Flood<dd>Water, but not:<ul><li>rain</ul><dt>A<dt>B<dd>both<dt>bare</dl>")
    assert blocks(parsed) == [
        ("definition", "Flood\nWater, but not:"),
        ("list_item", "rain"),
        ("definition", "A\nB\nboth"),
        ("paragraph", "bare"),
    ]
    assert words(parsed, parsed.blocks[0].cells[0]) == "Flood"
    assert words(parsed, parsed.blocks[1].lead[0]).startswith("Flood")


def test_tables_with_spans_headings_and_caption(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read(
        "<table><caption>Limits</caption><tr><th>Rating<th>Kind<th>Days</tr>"
        "<tr><td rowspan=2>High<td>cash<td>5</tr><tr><td>wire<td>7</tr><tr><td colspan=2>Low<td>30</tr></table>"
    )
    assert blocks(parsed) == [
        ("caption", "Limits"),
        ("table_row", "Rating\tKind\tDays"),
        ("table_row", "High\tcash\t5"),
        ("table_row", "wire\t7"),
        ("table_row", "Low\t\t30"),
    ]
    assert [words(parsed, s) for s in parsed.blocks[3].lead] == ["Rating", "Kind", "Days", "High"]
    assert [words(parsed, s) for s in parsed.blocks[4].lead] == ["Rating", "Kind", "Days"]


def test_a_first_row_that_reads_like_headings(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("<table><tr><td>Class<td><td>Symbol<td>Market<tr><td>Common<td><td>GLXZ<td>OTC</table>")
    assert [words(parsed, s) for s in parsed.blocks[1].lead] == ["Class", "Symbol", "Market"]
    for rows in ("<tr><td>a<td>b<tr><td>c<td>d", "<tr><td>a<td>b<td>3<tr><td>c<td>d<td>4"):
        assert all(block.lead == () for block in read(f"<table>{rows}</table>").blocks)


def test_a_table_that_lays_out_the_page_is_none(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("<table><tr><td><h2>Head</h2><p>One.</p><p>Two.</p><td><table><tr><td>a<td>b</table></table>")
    assert blocks(parsed) == [("paragraph", "One."), ("paragraph", "Two."), ("table_row", "a\tb")]
    assert len(parsed.headings) == 1


def test_raised_numbers_are_no_part_of_the_number_before(read) -> None:  # type: ignore[no-untyped-def]
    assert read("<p>10<sup>6</sup> and<sup>[12]</sup> the 5<sup>th</sup>.").text == "10⁶ and¹² the 5th."


def test_line_breaks_and_white_space(read) -> None:  # type: ignore[no-untyped-def]
    assert read("<p>a <b> b</b>\n c<br>d&nbsp;e</p><pre>x\n  y</pre>").text == "a b c\nd e\n\nx\n  y"


@pytest.mark.parametrize(
    ("source", "text", "noticed"),
    [
        ("<p>Café ş".encode(), "Café ş", False),
        ("\ufeff<p>Café".encode("utf-16-le"), "Café", False),
        ("<meta charset=iso-8859-9><p>Müşteri".encode("cp1254"), "Müşteri", True),
        ("<p>Café".encode("cp1252"), "Café", True),
        (b"<?xml version='1.0' encoding='koi8-r'?><html><body><p>" + "Привет".encode("koi8-r"), "Привет", True),
    ],
)
def test_encodings(read, source: bytes, text: str, noticed: bool) -> None:  # type: ignore[no-untyped-def]
    parsed = read(source)
    assert parsed.text == text
    assert ("encoding" in {n.code for n in parsed.notices}) is noticed


def test_items_outside_a_list(read) -> None:  # type: ignore[no-untyped-def]
    parsed = read("<li>a</li><ul><div><li>b</li></div><li>c</ul>")
    assert blocks(parsed) == [("list_item", "a"), ("list_item", "b"), ("list_item", "c")]
    assert read("<li>a<table><tr><td><li>b</table>").text == "a\nb"


def test_a_page_that_breaks_off_is_marked(read) -> None:  # type: ignore[no-untyped-def]
    assert [n.code for n in read("<html><body><p>The insurer pa").notices] == ["incomplete"]
    assert read("<p>A fragment").notices == ()


def test_language_comes_from_the_page(read) -> None:  # type: ignore[no-untyped-def]
    assert read("<html lang=tr><body><p>Evet.</html>").language == "tr"


@pytest.mark.parametrize("source", ["<p></p>", "<script>x</script>", "<p hidden>x", "<img alt=x>"])
def test_a_page_without_visible_text_is_an_error(read, source: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(EmptyDocument):
        read(source)


def test_deep_nesting_is_refused_at_once(read) -> None:  # type: ignore[no-untyped-def]
    begin = time.process_time()
    with pytest.raises(ParseError, match="nests"):
        read("<div>" * 100_000 + "x")
    assert time.process_time() - begin < 2
    assert read("<div>" * 500 + "x").text == "x"

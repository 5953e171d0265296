"""Word files: structure, printed numbers, what is hidden, and containers that are no friends."""

from __future__ import annotations

import io
import re
import resource
import stat
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from tests.support.parsed import check_parsed

from citeleaf.backends.parse_docx import parse_docx
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument, EncryptedFile, ParseError, TooLarge, UnsafeFile
from citeleaf.types import Span

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BODY = "<w:p><w:r><w:t>Text.</w:t></w:r></w:p>"


def words(parsed: Parsed, span: Span) -> str:
    return parsed.text[span.start : span.end]


def document(body: str, *, before: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{before}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    )


def container(path: Path, parts: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Parsed]:
    """Parses a file with these parts; `document.xml` from a body."""

    def parse(body: str, **parts: str) -> Parsed:
        named = {f"word/{name}.xml": data for name, data in parts.items()}
        parsed = parse_docx(container(tmp_path / "file.docx", {"word/document.xml": document(body), **named}))
        check_parsed(parsed)
        return parsed

    return parse


def saved(tmp_path: Path, file: docx.document.Document) -> Parsed:
    path = tmp_path / "file.docx"
    file.save(str(path))
    parsed = parse_docx(path)
    check_parsed(parsed)
    return parsed


def test_headings_lists_and_tables(tmp_path: Path) -> None:
    file = docx.Document()
    file.core_properties.title = "Core title"
    file.add_heading("Policy", 0)
    file.add_heading("Scope", 1)
    file.add_paragraph("The following are covered:")
    file.add_paragraph("fire", style="List Bullet")
    file.add_paragraph("flood", style="List Bullet")
    file.add_heading("Limits", 2)
    table = file.add_table(rows=3, cols=3)
    for r, row in enumerate((("Rating", "Cash", "Wire"), ("High", "5", "7"), ("Low", "10", "12"))):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    parsed = saved(tmp_path, file)
    assert [(words(parsed, h.span), h.level) for h in parsed.headings] == [("Policy", 1), ("Scope", 1), ("Limits", 2)]
    assert parsed.title == "Policy"
    found = [(b.kind, words(parsed, b.span), [words(parsed, s) for s in b.lead]) for b in parsed.blocks]
    assert found == [
        ("paragraph", "The following are covered:", []),
        ("list_item", "fire", ["The following are covered:"]),
        ("list_item", "flood", ["The following are covered:"]),
        ("table_row", "Rating\tCash\tWire", []),
        ("table_row", "High\t5\t7", ["Rating", "Cash", "Wire"]),
        ("table_row", "Low\t10\t12", ["Rating", "Cash", "Wire"]),
    ]


NUMBERING = f"""<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>
</w:num>
</w:numbering>"""


def numbered(text: str, level: int, number: int = 1, style: str = "") -> str:
    style_xml = f'<w:pStyle w:val="{style}"/>' if style else ""
    return (
        f'<w:p><w:pPr>{style_xml}<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr></w:pPr>'
        f"<w:r><w:t>{text}</w:t></w:r></w:p>"
    )


def test_the_numbers_word_prints_are_text(made: Callable[..., Parsed]) -> None:
    body = "".join(
        numbered(f"clause {n}", level, number)
        for n, (level, number) in enumerate([(0, 1), (1, 1), (1, 1), (2, 1), (2, 1), (0, 1), (1, 1), (0, 2)])
    )
    parsed = made(body, numbering=NUMBERING)
    assert [words(parsed, b.span) for b in parsed.blocks] == [
        "1. clause 0",
        "1.1 clause 1",
        "1.2 clause 2",
        "(a) clause 3",
        "(b) clause 4",
        "2. clause 5",
        "2.1 clause 6",
        "5. clause 7",
    ]


def test_headings_of_styles_of_ones_own_with_their_numbers(made: Callable[..., Parsed]) -> None:
    styles = (
        f'<w:styles xmlns:w="{W}"><w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My clause head"/>'
        '<w:basedOn w:val="Base"/></w:style><w:style w:type="paragraph" w:styleId="Base"><w:name w:val="Base"/>'
        '<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>'
    )
    parsed = made(numbered("Scope", 0, style="Mine") + BODY, numbering=NUMBERING, styles=styles)
    assert [(words(parsed, h.span), h.level, h.number) for h in parsed.headings] == [("1. Scope", 2, "1")]


@pytest.mark.parametrize(
    "properties",
    [
        "<w:vanish/>",
        '<w:vanish w:val="true"/>',
        '<w:sz w:val="2"/>',
        '<w:color w:val="FFFFFF"/>',
        '<w:rStyle w:val="Gone"/>',
    ],
)
def test_hidden_runs_are_left_out_with_a_notice(made: Callable[..., Parsed], properties: str) -> None:
    styles = (
        f'<w:styles xmlns:w="{W}"><w:style w:type="character" w:styleId="Gone"><w:name w:val="Gone"/>'
        "<w:rPr><w:vanish/></w:rPr></w:style></w:styles>"
    )
    run = f"<w:r><w:rPr>{properties}</w:rPr><w:t>secret words</w:t></w:r>"
    parsed = made(f"<w:p><w:r><w:t>Before. </w:t></w:r>{run}<w:r><w:t>After.</w:t></w:r></w:p>", styles=styles)
    assert parsed.text == "Before. After."
    assert [(n.code, "secret words" in n.detail) for n in parsed.notices] == [("hidden_text", True)]


def test_white_words_on_a_dark_ground_are_seen(made: Callable[..., Parsed]) -> None:
    white = '<w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>shown</w:t></w:r>'
    cell = f"<w:tc><w:p>{white}</w:p></w:tc>"
    parsed = made(f"<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl><w:p><w:pPr><w:shd w:fill='000000'/></w:pPr>{white}</w:p>")
    assert parsed.text == "shown\tshown\n\nshown" and parsed.notices == ()
    assert "shown" in made('<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r></w:p>').text


def test_deleted_text_is_left_out_and_inserted_text_kept(made: Callable[..., Parsed]) -> None:
    parsed = made(
        "<w:p><w:r><w:t>Pay </w:t></w:r><w:del><w:r><w:delText>five</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>six</w:t></w:r></w:ins></w:p>"
    )
    assert parsed.text == "Pay six"


def test_footnotes_are_notes(made: Callable[..., Parsed]) -> None:
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>'
        "<w:r><w:t>See the schedule.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    parsed = made('<w:p><w:r><w:t>Cover</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>', footnotes=notes)
    assert [(b.kind, words(parsed, b.span)) for b in parsed.blocks] == [
        ("paragraph", "Cover¹"),
        ("note", "¹ See the schedule."),
    ]


def test_equations_are_written_in_one_line(made: Callable[..., Parsed]) -> None:
    m = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    parsed = made(
        f"<w:p><w:r><w:t>Rate </w:t></w:r><m:oMath {m}><m:f><m:num><m:r><m:t>10</m:t></m:r></m:num><m:den><m:r>"
        "<m:t>2</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
        "</m:oMath></w:p>"
    )
    assert parsed.text == "Rate (10)/(2)x^(2)"
    assert [n.code for n in parsed.notices] == ["equations"]


@pytest.mark.parametrize(
    ("math", "line"),
    [
        ("<m:sSub><m:e>{x}</m:e><m:sub>{2}</m:sub></m:sSub>", "x_(2)"),
        ("<m:rad><m:deg>{3}</m:deg><m:e>{x}</m:e></m:rad>", "√[3](x)"),
        ("<m:rad><m:deg/><m:e>{x}</m:e></m:rad>", "√(x)"),
        ("<m:d><m:e>{x}</m:e></m:d>{2}", "(x)2"),
        (
            '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{1}</m:sub><m:sup>{n}</m:sup>'
            "<m:e>{x}</m:e></m:nary>",
            "∑_(1)^(n) x",
        ),
    ],
)
def test_forms_of_equations(made: Callable[..., Parsed], math: str, line: str) -> None:
    words_in_math = re.sub(r"\{(\w)\}", r"<m:r><m:t>\1</m:t></m:r>", math)
    m = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    assert made(f"<w:p><m:oMath {m}>{words_in_math}</m:oMath></w:p>").text == line


def test_an_outline_level_of_the_paragraph_itself_and_a_hidden_style(made: Callable[..., Parsed]) -> None:
    styles = (
        f'<w:styles xmlns:w="{W}"><w:style w:type="paragraph" w:styleId="Gone"><w:name w:val="Gone"/>'
        "<w:rPr><w:vanish/></w:rPr></w:style></w:styles>"
    )
    parsed = made(
        '<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>'
        '<w:p><w:pPr><w:pStyle w:val="Gone"/></w:pPr><w:r><w:t>secret</w:t></w:r></w:p>'
        '<w:p><w:pPr><w:outlineLvl w:val="9"/></w:pPr><w:r><w:t>Page</w:t><w:ptab/><w:t>12</w:t></w:r></w:p>',
        styles=styles,
    )
    assert [(words(parsed, h.span), h.level) for h in parsed.headings] == [("Head", 3)]
    assert parsed.text == "Head\n\nPage 12" and [n.code for n in parsed.notices] == ["hidden_text"]


def test_page_headers_state_fields_but_give_no_text(tmp_path: Path) -> None:
    file = docx.Document()
    file.add_paragraph("Text of the policy.")
    file.sections[0].footer.paragraphs[0].text = "Version 3.1 | Effective from 1 July 2024"
    parsed = saved(tmp_path, file)
    assert dict(parsed.front) == {"version": "3.1", "effective": "1 July 2024"}
    assert parsed.text == "Text of the policy."


def test_nothing_outside_the_file_is_opened(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("CANARY")
    file = docx.Document()
    paragraph = file.add_paragraph("A link to ")
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(canary.as_uri(), "http://x/hyperlink", is_external=True))
    run = OxmlElement("w:r")
    text = OxmlElement("w:t")
    text.text = "the canary"
    run.append(text)
    link.append(run)
    paragraph._p.append(link)
    image = (
        '<w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic '
        'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:link="ID"/></pic:blipFill>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    relation = paragraph.part.relate_to(canary.as_uri(), "http://x/image", is_external=True)
    path = tmp_path / "linked.docx"
    file.save(str(path))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    run_with_image = f"<w:r>{image.replace('ID', relation)}</w:r></w:p>"
    parts["word/document.xml"] = parts["word/document.xml"].replace(b"</w:p>", run_with_image.encode(), 1)
    parsed = parse_docx(container(path, parts))  # type: ignore[arg-type]
    assert parsed.text == "A link to the canary"


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
        "<!DOCTYPE d>",
    ],
)
@pytest.mark.parametrize(
    "part", ["word/document.xml", "word/styles.xml", "customXml/item1.xml", "word/_rels/document.xml.rels"]
)
def test_a_doctype_anywhere_is_refused(tmp_path: Path, doctype: str, part: str) -> None:
    parts: dict[str, str | bytes] = {"word/document.xml": document(BODY)}
    parts[part] = document(BODY.replace("Text", "X&x;Y" if "ENTITY x" in doctype else "Text"), before=doctype)
    with pytest.raises(UnsafeFile):
        parse_docx(container(tmp_path / "file.docx", parts))


def test_a_doctype_in_another_encoding_is_refused(tmp_path: Path) -> None:
    data = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE d><d/>'.encode("utf-16")
    with pytest.raises(UnsafeFile):
        parse_docx(container(tmp_path / "f.docx", {"word/document.xml": document(BODY), "word/styles.xml": data}))


def test_an_undefined_entity_loses_no_text_in_silence(tmp_path: Path) -> None:
    with pytest.raises(ParseError):
        parse_docx(container(tmp_path / "f.docx", {"word/document.xml": document(BODY.replace("Text", "X&x;Y"))}))


def test_a_bomb_is_refused_in_no_time_and_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        part.write(document("@").split("@")[0].encode() + b"<w:p><w:r><w:t>")
        for _ in range(120):
            part.write(b"a" * 1_000_000)
    assert path.stat().st_size < 200_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    with pytest.raises(TooLarge):
        parse_docx(path)
    assert time.process_time() - begin < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_the_size_in_the_header_is_not_trusted(tmp_path: Path) -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", document(BODY * 2000))
    data = raw.getvalue()
    true = len(document(BODY * 2000)).to_bytes(4, "little")
    assert data.count(true) == 2
    path = tmp_path / "f.docx"
    path.write_bytes(data.replace(true, (200).to_bytes(4, "little")))
    with pytest.raises(ParseError):
        parse_docx(path)


def test_too_many_members(tmp_path: Path) -> None:
    parts: dict[str, str | bytes] = {f"word/media/{n}.bin": b"" for n in range(20_000)}
    begin = time.process_time()
    with pytest.raises(TooLarge):
        parse_docx(container(tmp_path / "f.docx", parts | {"word/document.xml": document(BODY)}))
    assert time.process_time() - begin < 5


def test_two_members_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "f.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", document(BODY))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("word/document.xml", document(BODY.replace("Text", "Other")))
    with pytest.raises(UnsafeFile, match="same name"):
        parse_docx(path)


def test_a_link_among_the_members(tmp_path: Path) -> None:
    path = tmp_path / "f.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", document(BODY))
        link = zipfile.ZipInfo("word/media/x")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(UnsafeFile, match="link"):
        parse_docx(path)


def test_encrypted_members(tmp_path: Path) -> None:
    path = container(tmp_path / "f.docx", {"word/document.xml": document(BODY)})
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(EncryptedFile):
        parse_docx(path)


@pytest.mark.parametrize("depth", [150, 100_000])
def test_deep_xml_ends_in_text_or_a_typed_error(tmp_path: Path, depth: int) -> None:
    body = "<w:smartTag>" * depth + "<w:p><w:r><w:t>Deep.</w:t></w:r></w:p>" + "</w:smartTag>" * depth
    path = container(tmp_path / "f.docx", {"word/document.xml": document(body)})
    try:
        assert "Deep." in parse_docx(path).text
    except (ParseError, UnsafeFile) as error:
        assert "nest" in str(error)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, b"random bytes" * 50])
def test_what_is_no_word_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "f.docx"
    path.write_bytes(data)
    with pytest.raises(Exception) as caught:
        parse_docx(path)
    assert caught.value.code in ("parse_error", "unsupported_file")  # type: ignore[attr-defined]


def test_a_file_with_pictures_only(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument):
        parse_docx(container(tmp_path / "f.docx", {"word/document.xml": document("<w:p/>")}))


@pytest.mark.parametrize("part", ["docProps/core.xml", "word/footer1.xml", "word/styles.xml"])
def test_a_prefix_without_a_namespace(tmp_path: Path, part: str) -> None:
    with pytest.raises(ParseError, match="well-formed"):
        parse_docx(container(tmp_path / "f.docx", {"word/document.xml": document(BODY), part: "<x:a/>"}))

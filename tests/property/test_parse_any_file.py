"""Any bytes: text that keeps every rule of `Parsed`, or a typed error."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.parsed import check_parsed

from citeleaf.backends.parse import parse, parser_for
from citeleaf.errors import IngestError
from citeleaf.ingest.chunk import chunk
from citeleaf.ingest.structure import build
from citeleaf.settings import ChunkSettings, CorpusSettings, IngestSettings

HTML = (
    "<p> </p> <div> </div> <ul> <ol type=a> <li> </ul> <table> <tr> <td> <th> <td colspan=9 rowspan=9> </table> <dl> "
    "<dt> <dd> <h1> </h1> <pre> <b> <sup>1</sup> <br> <p hidden> <svg> <template> <style>.x{} </style> <!-- --> "
    "<select> <title> &#0; &#xD800; <plaintext> <caption> <article> <nav> <main> <input type=checkbox>"
).split(" ")
MARKDOWN = (
    "# ~## ~- ~  - ~1. ~> ~```\n~| a | b |\n|---|---|\n~***~[x](~![~<div>~<!--~---\n~\t~    ~&#0;~\\~===\n".split("~")
)
TEXT = [
    "\f",
    "====",
    "(a) ",
    "1. ",
    "3.2 Title",
    "CAPITALS",
    "• ",
    "\r",
    "\u2028",
    "\x00",
    "\x1b",
    "Chapter 1",
    "..... 3",
]
CSV = [",", ";", '"', "\t", "|", "1", '""']
XML = (
    "<w:p> </w:p> <w:r> </w:r> <w:t>word</w:t> <w:tbl> <w:tr> <w:tc> </w:tc> </w:tr> </w:tbl> <w:pPr> </w:pPr> "
    "<w:numPr> </w:numPr> <w:ilvl/> <w:numId/> <w:tab/> <w:br/> <w:vanish/> <w:rPr> </w:rPr> "
    "<w:sdt> </w:sdt> <w:del> <w:pStyle/>"
).split(" ")
BODY = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'


def soup(tokens: list[str]) -> st.SearchStrategy[bytes]:
    piece = st.one_of(
        st.sampled_from(tokens), st.sampled_from(["word ", "Two words. ", "\n", "\n\n"]), st.text(max_size=6)
    )
    whole = st.lists(piece, max_size=60).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass"))
    return st.one_of(whole, st.binary(max_size=300))


def word_file(parts: list[str]) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("word/document.xml", BODY.format("".join(parts)))
    return raw.getvalue()


def balanced(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = [
        "p",
        "r",
        "tbl",
        "tr",
        "tc",
        "pPr",
        "rPr",
        "numPr",
        "sdt",
        "sdtContent",
        "hyperlink",
        "ins",
        "del",
        "smartTag",
    ]
    return st.tuples(st.sampled_from(names), st.lists(children, max_size=4)).map(
        lambda pair: f"<w:{pair[0]}>{''.join(pair[1])}</w:{pair[0]}>"
    )


WORD = st.one_of(
    st.lists(st.recursive(st.sampled_from([x for x in XML if x.endswith(("/>", "</w:t>"))]), balanced), max_size=6),
    st.lists(st.sampled_from(XML), max_size=30),
).map(word_file)


@pytest.mark.parametrize(
    ("suffix", "files"),
    [
        (".html", soup(HTML)),
        (".md", soup([*MARKDOWN, *HTML])),
        (".txt", soup(TEXT)),
        (".csv", soup(CSV)),
        (".docx", WORD),
    ],
)
def test_any_bytes_give_sound_text_or_a_typed_error(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, files: st.SearchStrategy[bytes]
) -> None:
    path: Path = tmp_path_factory.mktemp("any") / f"file{suffix}"

    @settings(max_examples=120, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(files)
    def check(data: bytes) -> None:
        path.write_bytes(data)
        try:
            parsed = parse(path, parser_for(path), IngestSettings())
        except IngestError as error:
            assert error.message and error.subject and error.subject.endswith(path.name)
            return
        check_parsed(parsed)
        document = build(parsed, doc_id="doc", source=path.name, sha256="0", settings=CorpusSettings())
        assert chunk(document, ChunkSettings()) or not document.blocks or not any(s.indexed for s in document.sections)

    check()

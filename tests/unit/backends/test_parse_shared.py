"""Real files from elsewhere: text or a typed error, quickly, and the structure a reader sees."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.parsed import check_parsed

from citeleaf.backends.parse import parse, parser_for
from citeleaf.errors import IngestError
from citeleaf.ingest.chunk import chunk
from citeleaf.ingest.structure import build
from citeleaf.settings import ChunkSettings, CorpusSettings, IngestSettings
from citeleaf.types import Document, Passage

pytestmark = pytest.mark.shared


def read(path: Path) -> tuple[Document, tuple[Passage, ...]]:
    parsed = parse(path, parser_for(path), IngestSettings())
    check_parsed(parsed)
    document = build(parsed, doc_id="doc", source=path.name, sha256="0", settings=CorpusSettings())
    return document, chunk(document, ChunkSettings())


def test_hard_files_give_text_or_a_typed_error(shared: Path) -> None:
    files = [
        path
        for kind in ("html", "docx", "md", "csv", "rtf", "odt", "epub", "xlsx", "pptx", "eml", "msg", "png")
        for path in sorted((shared / "data/docs_hard" / f"format_{kind}").iterdir())
        if not path.name.endswith(".reference.md")
    ]
    assert len(files) > 40
    refused = []
    for path in files:
        begin = time.process_time()
        try:
            document, passages = read(path)
            assert passages and document.text.strip()
        except IngestError as error:
            assert error.subject == path.name
            refused.append(path.suffix)
        assert time.process_time() - begin < 30
    assert not {".html", ".docx", ".md", ".csv"} & set(refused)


def test_policies_in_markdown(shared: Path) -> None:
    for path in sorted((shared / "data/docs/aml/parasol").glob("*.md")):
        document, passages = read(path)
        assert document.title.startswith("Parasol Financial") and document.language == "en"
        assert all(section.path[0] == document.title for section in document.sections)
        assert all(section.indexed for section in document.sections)
        assert all(len(p.text) <= 900 and p.units for p in passages)


def test_guidance_in_html(shared: Path) -> None:
    _document, passages = read(shared / "data/docs/coldchain/tvfc_vaccine-storage-handling.html")
    assert passages[0].section_id == "refrigerator-and-freezer-requirements"
    units = {unit.quote.text: unit for passage in passages for unit in passage.units}
    unit = units["Reset button"]
    assert [lead.text for lead in unit.lead] == [
        "If a digital data logger is used, it must have the following capabilities:"
    ]
    nested = next(p for p in passages if "(between 36°F and 46°F" in p.text)
    assert nested.heading[0] == "Cold Chain Management and Vaccine Transport" and len(nested.heading) == 3


def test_notes_in_turkish(shared: Path) -> None:
    for path in sorted((shared / "data/seeds/cebi101/data").glob("*.md")):
        document, _ = read(path)
        assert document.language == "tr"


def test_a_handbook_of_872_pages(shared: Path) -> None:
    document, passages = read(shared / "data/docs_hard/format_docx/unstructured__handbook-872p.docx")
    assert len(document.text) > 800_000 and len(document.sections) > 250
    assert [s.span.start for s in document.sections if not s.indexed] == [0]
    assert any(p.heading[-1] == "D. STANDING TRUSTEE PLEDGE OF EXCELLENCE" for p in passages)

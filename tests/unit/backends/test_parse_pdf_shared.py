"""Real PDF files from elsewhere."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from tests.support.parsed import check_parsed
from tests.support.pdfs import headings, of_kind, words_of

from citeleaf.backends.parse_pdf import parse_pdf
from citeleaf.errors import IngestError

pytestmark = pytest.mark.shared


def test_hard_files_give_text_or_a_typed_error(shared: Path) -> None:
    files = sorted((shared / "data" / "docs_hard").rglob("*.pdf"))
    assert files
    for path in [p for p in files if "huge_page_count" not in p.parts]:
        start = time.process_time()
        try:
            parsed = parse_pdf(path)
        except IngestError as error:
            assert error.message and error.code, path
            continue
        try:
            check_parsed(parsed)
        except AssertionError as error:
            raise AssertionError(f"{path.name}: {error}") from error
        empty = {p.number for p in parsed.pages if not words_of(parsed, p.span).strip()}
        told = {n.page for n in parsed.notices if n.code in ("no_text", "unreadable_page")}
        assert empty <= told, path
        assert time.process_time() - start < 30, path


@pytest.mark.parametrize("category", ["scanned_image_only", "encrypted_needs_password"])
def test_files_without_words_say_so(shared: Path, category: str) -> None:
    for path in sorted((shared / "data" / "docs_hard" / category).glob("*.pdf")):
        try:
            parsed = parse_pdf(path)
        except IngestError as error:
            assert (category, error.code) == ("encrypted_needs_password", "encrypted"), path
            continue
        assert category == "scanned_image_only"
        assert {p.quality for p in parsed.pages} == {"no_text"}, path


@pytest.fixture(scope="module")
def office(shared: Path) -> Path:
    return shared / "data" / "docs" / "insurance" / "Allianz_Business_Office_Pack.pdf"


def test_an_insurance_document(office: Path) -> None:
    parsed = parse_pdf(office)
    check_parsed(parsed)
    assert [p.label for p in parsed.pages[2:94]] == [str(n) for n in range(1, 93)]
    assert parsed.pages[0].label is None
    assert not re.search(r"\b(?:off er|eff ect|diff er|suffi ci)", parsed.text)
    assert "indd" not in parsed.text and any("indd" in n.detail for n in parsed.notices)
    tree = headings(parsed)
    assert 560 <= len(tree) <= 660
    assert (1, None, "General exclusions") in tree and (2, "7", "7. Unoccupied Buildings") in tree
    assert {level for level, _, _ in tree} == {1, 2, 3, 4}
    rows = of_kind(parsed, "table_row")
    (theft,) = [r for r in rows if r[0].startswith("Theft\t")]
    assert theft[1][0] == "Sections" and theft[1][1].startswith("Summary of covers")
    terms = {cells[0] for _, _, cells in of_kind(parsed, "definition")}
    assert {"Open Air", "Pollutants", "Sealed Surface", "We, Us, Our and Allianz"} <= terms
    (item,) = [i for i in of_kind(parsed, "list_item") if i[0].startswith("iii. the sequence of numbers or letters")]
    assert len(item[1]) == 2 and item[1][1].startswith("a. to replace locks")


def test_an_examination_manual(shared: Path) -> None:
    path = shared / "data" / "docs" / "aml" / "ffiec" / "FFIEC-CustomerDueDiligence.pdf"
    parsed = parse_pdf(path)
    check_parsed(parsed)
    assert [p.label for p in parsed.pages] == [str(n) for n in range(1, len(parsed.pages) + 1)]
    assert "FFIEC BSA/AML Examination Manual 1" not in parsed.text
    assert headings(parsed)[0] == (1, None, "Customer Due Diligence — Overview")
    nested = [i for i in of_kind(parsed, "list_item") if i[0].startswith("– for the purpose of identifying")]
    assert nested[0][1] == [
        "At a minimum, the bank must establish risk-based CDD procedures that:",
        "• Enable the bank to conduct ongoing monitoring",
    ]
    assert any(t.startswith("3 See 31 CFR") for t, _, _ in of_kind(parsed, "note"))

"""Sections, ids, titles, dates, language, definitions, and what is not indexed."""

from __future__ import annotations

import pytest

from citeleaf.backends.writer import Writer
from citeleaf.boxes import Parsed
from citeleaf.ingest.dates import iso_date
from citeleaf.ingest.language import guess
from citeleaf.ingest.structure import build
from citeleaf.settings import CorpusSettings
from citeleaf.types import Document


def written(*parts: str | tuple[int, str]) -> Parsed:
    """A heading for each (level, text), a paragraph for each text."""
    writer = Writer()
    for part in parts:
        if isinstance(part, str):
            writer.block("paragraph", part)
        else:
            writer.heading(part[1], part[0])
    return writer.finish(title="Parsed title")


def built(parsed: Parsed, **more: str) -> Document:
    return build(parsed, doc_id="doc", source="folder/a-file.md", sha256="0", settings=CorpusSettings(), **more)  # type: ignore[arg-type]


def unindexed(*parts: str | tuple[int, str]) -> list[str]:
    return [section.title for section in built(written(*parts)).sections if not section.indexed]


def test_ids_are_number_and_title_and_repeats_are_counted() -> None:
    document = built(
        written(
            (1, "3 Funds"), "a", (2, "3.2 Source of funds"), "b", (2, "Scope"), "c", (2, "Scope"), "d", (2, "İş günü")
        )
    )
    assert [s.id for s in document.sections] == ["3-funds", "3.2-source-of-funds", "scope", "scope-2", "is-gunu"]
    assert document.sections[1].title == "3.2 Source of funds"


def test_paths_run_from_the_outermost_title_and_levels_may_jump() -> None:
    document = built(written((1, "A"), (3, "B"), (2, "C"), (4, "D"), (1, "E")))
    assert [s.path for s in document.sections] == [("A",), ("A", "B"), ("A", "C"), ("A", "C", "D"), ("E",)]


def test_text_before_the_first_heading_is_a_section_of_the_documents_title() -> None:
    first, second = built(written("Intro.", (1, "A"), "Text.")).sections
    assert (first.id, first.title, first.span.start) == ("parsed-title", "Parsed title", 0)
    assert first.span.end == second.span.start and second.title == "A"


def test_a_document_without_headings_is_one_section() -> None:
    (section,) = built(written("One.", "Two.")).sections
    assert (section.span.start, section.span.end, section.indexed) == (0, 10, True)


@pytest.mark.parametrize("title", ["Contents", "TABLE OF CONTENTS", "7. References", "Sources:", "A. Bibliography"])
def test_skipped_titles_are_not_indexed_with_their_sub_sections(title: str) -> None:
    text = "Much more text than the sources have, by far. " * 5
    assert unindexed((1, "Rules"), text, (1, title), "x", (2, "Laws"), "y", (1, "Scope"), "z") == [title, "Laws"]


def test_a_skipped_title_over_most_of_the_text_takes_only_itself() -> None:
    assert unindexed((1, "Contents"), "x", (2, "Rules"), "Real text " * 20, (1, "End"), "z") == ["Contents"]


def test_a_title_that_only_holds_a_skipped_word_stays() -> None:
    assert unindexed((1, "Sources of funds"), "x", (1, "Index linked benefits"), "y") == []


@pytest.mark.parametrize(
    "lines",
    [
        ["Cover ....... 3", "Claims ........ 12", "Fees . . . . . 20"],
        [
            "A. Purpose 1-1",
            "B. Role 1-2",
            "C. Duties 1-2",
            "D. Pledge 1-4",
            "E. Bonds 2-1",
            "F. X 2-4",
            "G. Y 3-1",
            "H. Z 3-2",
        ],
        ["Surname, A. B. (2019). A title.", "Other, C. et al. Another, 2020.", "Third, D. 2021. doi:10.1/x"],
    ],
)
def test_contents_and_source_lists_are_told_by_their_form(lines: list[str]) -> None:
    assert unindexed((1, "Opening"), "Real text stands here.", (1, "Some title"), *lines) == ["Some title"]


@pytest.mark.parametrize(
    "lines",
    [
        ["Burglary 500", "Fire 1000", "Flood 2000", "Glass 2500", "Theft 3000", "Storm 4000"],
        ["Money Laundering Regulations 2017", "Terrorism Act 2000", "Proceeds of Crime Act 2002"],
        ["Fed. R. Bankr. P. 2002(k) Notices", "Fed. R. Bankr. P. 3002 Claims", "Fed. R. Bankr. P. 5005 Papers"],
        [
            "A long paragraph of rules that must stay citable, whatever follows it in its section. " * 3,
            "Cover ..... 3",
            "B ... 4",
        ],
    ],
)
def test_amounts_laws_and_prose_are_indexed(lines: list[str]) -> None:
    assert unindexed((1, "Some title"), *lines) == []


def test_an_index_of_words_and_pages_is_told_by_its_form() -> None:
    writer = Writer()
    for number in range(1, 61):
        writer.page(number)
        writer.block("paragraph", f"Text of page {number} is here for all to read.")
    writer.heading("Register", 1)
    for n, word in enumerate("accident bonus claim driver excess flood glass hire".split()):
        writer.block("paragraph", f"{word}, {n + 3}, {n + 20}")
    document = built(writer.finish(title=None))
    assert [s.title for s in document.sections if not s.indexed] == ["Register"]


def test_contents_without_leaders_are_told_by_ascending_page_numbers() -> None:
    writer = Writer()
    writer.heading("What is inside", 1)
    for n, title in enumerate(("About us", "Cover", "Claims", "Complaints", "Fees", "Words"), start=1):
        writer.block("paragraph", f"{title} {n * 5}")
    for number in range(1, 41):
        writer.page(number)
        writer.heading(f"Part {number}", 1)
        writer.block("paragraph", "Text of a page that says more than the list does, so that it is most of the text.")
    parsed = writer.finish(title=None)
    assert [s.title for s in built(parsed).sections if not s.indexed] == ["What is inside"]
    pageless = Parsed(**{name: getattr(parsed, name) for name in Parsed.__slots__} | {"pages": ()})  # type: ignore[arg-type]
    assert all(section.indexed for section in built(pageless).sections)


def test_what_the_file_states_fills_what_the_caller_does_not() -> None:
    parsed = written("Text.")
    front = (("title", "Front title"), ("version", "3.1"), ("effective", "1 July 2024"), ("replaces", "old-policy"))
    stated = Parsed(**{name: getattr(parsed, name) for name in Parsed.__slots__} | {"front": front})  # type: ignore[arg-type]
    document = built(stated)
    assert (document.title, document.version, document.effective, document.replaces) == (
        "Front title",
        "3.1",
        "2024-07-01",
        None,
    )
    told = built(stated, title="Mine", version="4", effective="2025-01-01", replaces="x")
    assert (told.title, told.version, told.effective, told.replaces) == ("Mine", "4", "2025-01-01", "x")


def test_a_file_cannot_say_itself_that_it_replaces_another() -> None:
    parsed = written("Text.")
    front = (("replaces", "old-policy"),)
    stated = Parsed(**{name: getattr(parsed, name) for name in Parsed.__slots__} | {"front": front})  # type: ignore[arg-type]
    document = built(stated)
    assert document.replaces is None
    assert [(n.code, "old-policy" in n.detail) for n in document.notices] == [("stated_replaces", True)]
    agreed = built(stated, replaces="old-policy")
    assert agreed.replaces == "old-policy" and agreed.notices == ()


def test_an_ambiguous_date_is_kept_and_marked() -> None:
    document = built(written("Text."), effective="03/04/2025")
    assert document.effective == "03/04/2025"
    assert [notice.code for notice in document.notices] == ["ambiguous_date"]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-07-01", "2024-07-01"),
        ("from 1 July 2024 on", "2024-07-01"),
        ("July 1st, 2024", "2024-07-01"),
        ("15 Ağustos 2023", "2023-08-15"),
        ("13/04/2025", "2025-04-13"),
        ("04/13/2025", "2025-04-13"),
        ("1.7.2024", "2024-07-01"),
        ("03/04/2025", None),
        ("31 February 2024", None),
        ("soon", None),
    ],
)
def test_dates(text: str, date: str | None) -> None:
    assert iso_date(text) == date


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bank must know the source of the funds and the purpose of this account.", "en"),
        ("Banka, müşteri için bir hesap açmadan önce kimlik bilgisi ve adres alır; bu bilgi her yıl yenilenir.", "tr"),
        ("Die Bank muss die Herkunft der Mittel kennen, die in das Konto fließen.", None),
        ("Le client doit fournir en temps utile une pièce d'identité de la banque.", None),
        ("12 34 56", None),
        ("", None),
    ],
)
def test_language(text: str, language: str | None) -> None:
    assert guess(text) == language


def test_the_lead_of_an_item_is_the_sentence_that_introduces_the_list() -> None:
    writer = Writer()
    intro = writer.block("paragraph", "Cover is wide. We do not pay for:")
    assert intro is not None
    item = writer.block("list_item", "• wear, such as:", (intro,))
    assert item is not None
    writer.block("list_item", "• rust", (intro, item))
    document = built(writer.finish(title=None))
    leads = [[document.text[lead.start : lead.end] for lead in block.lead] for block in document.blocks]
    assert leads == [[], ["We do not pay for:"], ["We do not pay for:", "wear, such as:"]]


@pytest.mark.parametrize(
    ("title", "text", "term"),
    [
        ("Scope", "“Beneficial owner” means a natural person who owns more than 25 %.", "Beneficial owner"),
        ("Definitions", "Flood means water over land.", "Flood"),
        ("Words with special meanings", "Business day: any day but a holiday.", "Business day"),
        ("Tanımlar", "Müşteri: Banka ile iş ilişkisi olan kişi.", "Müşteri"),
        ("Scope", "An increase in risk means you pay more.", None),
        ("Definitions", "This means that you pay more.", None),
        ("Definitions", "In this policy the following words apply.", None),
        ("Scope", "Note: any day but a holiday.", None),
    ],
)
def test_definitions_are_told_by_their_form(title: str, text: str, term: str | None) -> None:
    document = built(written((1, title), text))
    (block,) = document.blocks
    if term is None:
        assert (block.kind, block.cells) == ("paragraph", ())
    else:
        assert block.kind == "definition"
        assert [document.text[cell.start : cell.end] for cell in block.cells] == [term]


def test_sub_sections_lean_on_the_sentence_above_that_ends_in_a_colon() -> None:
    writer = Writer()
    writer.heading("Exclusions", 1)
    writer.block("paragraph", "Read this. We do not cover loss caused by:")
    writer.heading("War", 2)
    writer.block("paragraph", "any war;")
    writer.heading("Kinds", 3)
    writer.block("list_item", "civil war;")
    writer.heading("Conditions", 1)
    writer.block("paragraph", "You must tell us.")
    document = built(writer.finish(title=None))
    leads = [[document.text[lead.start : lead.end] for lead in block.lead] for block in document.blocks]
    above = "We do not cover loss caused by:"
    assert leads == [[], [above], [above], []]


def test_what_stands_in_an_unindexed_section_introduces_nothing() -> None:
    rest = "Loss by fire is insured up to the amount that stands in the schedule, in each year of the policy."
    skipped = built(written((1, "Contents"), "You are not insured for:", (2, "Fire"), rest, "Rest."))
    assert [s.indexed for s in skipped.sections] == [False, True]
    assert [block.lead for block in skipped.blocks] == [(), (), ()]
    shown = built(written((1, "Exclusions"), "You are not insured for:", (2, "Fire"), rest, "Rest."))
    assert [bool(block.lead) for block in shown.blocks] == [False, True, True]

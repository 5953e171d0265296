"""For any document and any chunk settings: exact slices, everything covered, unique ids, units inside."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.parsed import check_parsed

from citeleaf.backends.writer import Writer
from citeleaf.boxes import Parsed
from citeleaf.ingest.chunk import chunk
from citeleaf.ingest.structure import build
from citeleaf.settings import ChunkSettings, CorpusSettings
from citeleaf.types import Document, Span

WORDS = st.lists(
    st.sampled_from(
        "the insurer pays . no. 5 3.2 (a) U.S. “never” ; e.g. vd. Madde İş 保険。 x y premium! etc. \n".split(" ")
    ),
    min_size=1,
    max_size=60,
)
TEXTS = st.one_of(
    WORDS.map(" ".join),
    st.text(min_size=1, max_size=200),
    st.integers(1, 3000).map(lambda n: "a" * n),
)


@dataclass(frozen=True)
class Part:
    kind: str
    texts: tuple[str, ...]
    level: int = 1


PARTS = st.one_of(
    st.builds(Part, st.just("heading"), st.tuples(TEXTS), st.integers(1, 4)),
    st.builds(Part, st.sampled_from(["paragraph", "note", "caption"]), st.tuples(TEXTS)),
    st.builds(Part, st.just("definition"), st.tuples(TEXTS, TEXTS)),
    st.builds(Part, st.sampled_from(["list", "row"]), st.lists(TEXTS, min_size=1, max_size=8).map(tuple)),
    st.builds(Part, st.just("page"), st.just(())),
)


def written(parts: list[Part]) -> Parsed:
    writer = Writer()
    pages = 1
    writer.page(1)
    before: Span | None = None
    for part in parts:
        if part.kind == "heading":
            writer.heading(part.texts[0][:80], part.level)
        elif part.kind == "definition":
            before = writer.definition(part.texts[0].strip(" \n")[:40], part.texts[1])
        elif part.kind == "list":
            lead = (before,) if before is not None else ()
            for text in part.texts:
                writer.block("list_item", text, lead)
        elif part.kind == "row":
            heads = writer.row(part.texts)
            for _ in range(3):
                writer.row(part.texts[::-1], {i: [h] for i, h in enumerate(heads) if h is not None})
        elif part.kind == "page":
            pages += 1
            writer.page(pages)
        else:
            before = writer.block(part.kind, part.texts[0])  # type: ignore[arg-type]
    return writer.finish(title="A document")


DOCUMENTS = st.lists(PARTS, min_size=1, max_size=12).map(written)
SETTINGS = st.builds(
    ChunkSettings,
    kind=st.sampled_from(["sections", "words", "paragraphs"]),
    size=st.integers(1, 1200),
    overlap=st.integers(0, 1500),
    merge_below=st.integers(0, 400),
)


def built(parsed: Parsed) -> Document:
    return build(parsed, doc_id="doc", source="doc.md", sha256="0", settings=CorpusSettings())


@settings(deadline=None)
@given(DOCUMENTS)
def test_sections_tile_the_text(parsed: Parsed) -> None:
    check_parsed(parsed)
    document = built(parsed)
    assert document.sections[0].span.start == 0
    assert document.sections[-1].span.end == len(document.text)
    assert all(a.span.end == b.span.start for a, b in zip(document.sections, document.sections[1:], strict=False))
    assert len({section.id for section in document.sections}) == len(document.sections)
    assert all(section.path[-1] == section.title for section in document.sections)


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, SETTINGS)
def test_passages_are_exact_slices_that_cover_every_indexed_section(parsed: Parsed, rules: ChunkSettings) -> None:
    document = built(parsed)
    passages = chunk(document, rules)
    sections = {section.id: section for section in document.sections}
    covered = [False] * len(document.text)
    for passage in passages:
        assert passage.text == document.text[passage.span.start : passage.span.end]
        assert passage.text and passage.text == passage.text.strip()
        section = sections[passage.section_id]
        assert section.indexed and passage.heading == section.path
        assert section.span.start <= passage.span.start and passage.span.end <= section.span.end
        covered[passage.span.start : passage.span.end] = [True] * len(passage.text)
        pages = [
            p.number for p in document.pages if p.span.start < passage.span.end and passage.span.start < p.span.end
        ]
        assert list(passage.pages) == pages
        if rules.kind != "words":
            assert len(passage.text) <= rules.size
    headings = {i for heading in parsed.headings for i in range(heading.span.start, heading.span.end)}
    for section in document.sections:
        if section.indexed:
            for i in range(section.span.start, section.span.end):
                assert covered[i] or i in headings or document.text[i].isspace()
    assert len({passage.id for passage in passages}) == len(passages)
    assert passages == chunk(document, rules)


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, SETTINGS)
def test_units_are_exact_and_inside_and_hold_all_words_of_a_passage(parsed: Parsed, rules: ChunkSettings) -> None:
    document = built(parsed)
    bullets = set("•●▪◦‣·–—*\uf0b7-")
    for passage in chunk(document, rules):
        at = passage.span.start
        for unit in passage.units:
            span = unit.quote.span
            between = document.text[at : span.start]
            assert not between.strip() or set(between.strip()) <= bullets
            assert span.end <= passage.span.end
            for quote in (unit.quote, *unit.lead):
                assert quote.text == document.text[quote.span.start : quote.span.end]
                assert quote.text and quote.text == quote.text.strip()
            at = span.end
        rest = document.text[at : passage.span.end].strip()
        assert not rest or set(rest) <= bullets

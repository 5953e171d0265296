"""The nouns of citeleaf: frozen, slotted values that every stage takes and gives. Conventions:
span    half-open [start, end) in characters (Python string index) of `Document.text`
page    1-based position in the file; the number printed on it, if any, is `Page.label`
rank    1-based; 1 is best
score   higher is better; comparable only within one list from one scorer
rect    fractions of the visible page (crop box, after rotation), origin top left; seconds: float, monotonic clock
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from citeleaf.spoken import Spoken

DocId: TypeAlias = str
SectionId: TypeAlias = str
PassageId: TypeAlias = str

Outcome: TypeAlias = Literal["answered", "abstained", "refused", "escalated"]
Label: TypeAlias = Literal["supported", "refuted", "not_enough_info"]
Role: TypeAlias = Literal["policy", "facts", "ignored"]
Quality: TypeAlias = Literal["good", "no_text", "garbled", "ocr"]
BlockKind: TypeAlias = Literal["heading", "paragraph", "list_item", "table_row", "definition", "note", "caption"]
CitationStatus: TypeAlias = Literal["valid", "repaired", "dropped"]


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters of one document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quote:
    """Exact words of a document: `text == document.text[span.start:span.end]`, always."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle on a page, in fractions of the visible page, origin top left."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a file and what its text is worth; `span` covers the page's part of the text (may be empty)."""

    number: int
    span: Span
    label: str | None = None
    quality: Quality = "good"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader of the document should know; `code` is stable, e.g. `no_text`, `garbled`, `hidden_text`."""

    code: str
    detail: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as the parser saw it; `level` from 1 (outermost); `number` is its printed number, e.g. `3.2`."""

    span: Span
    level: int
    number: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of layout. `lead`: spans elsewhere that it leans on: sentences that introduce it, outermost first, then a
    table's column headings. `cells`: a row's cells in column order, none empty, or a definition's term. `columns`: what
    a row says: each cell (empty: an empty span; one that reaches down into it: that one), then its headings."""

    kind: BlockKind
    span: Span
    lead: tuple[Span, ...] = ()
    cells: tuple[Span, ...] = ()
    columns: tuple[tuple[Span, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text under it up to the next heading; sections tile the text in reading order. `path`: titles
    from the outermost to this one. `indexed=False`: kept, never retrieved or cited (contents, sources)."""

    id: SectionId
    title: str
    level: int
    path: tuple[str, ...]
    span: Span
    indexed: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    """One ingested file. `sha256` is of the file's bytes; `source` is where it came from, for display."""

    id: DocId
    title: str
    source: str
    sha256: str
    text: str
    pages: tuple[Page, ...]
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...] = ()
    notices: tuple[Notice, ...] = ()
    language: str = "en"
    version: str | None = None
    effective: str | None = None
    replaces: DocId | None = None
    role: Role = "policy"


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest piece that can be quoted and checked; `lead` are the exact words it must be read with. `columns` as
    of a block; `position`: which of how many items or rows that share the lead it is, from 1 (None: of no list)."""

    kind: BlockKind
    quote: Quote
    lead: tuple[Quote, ...] = ()
    columns: tuple[tuple[Span, ...], ...] = ()
    position: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """The unit of retrieval: an exact slice of one section: `text == document.text[span]`. `heading` is the section
    path, `context` the words outside the slice that its units lean on (lead-ins, column headings): both are indexed
    with it and never part of its text. `term` is set for a definition. `pages`: ascending."""

    id: PassageId
    doc_id: DocId
    section_id: SectionId
    heading: tuple[str, ...]
    span: Span
    text: str
    pages: tuple[int, ...]
    sha256: str
    context: str = ""
    term: str | None = None
    units: tuple[Unit, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A case fact. It reaches the prompt, labelled; it has no passage id, so nothing can cite it."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """One self-standing question, its case facts and documents (empty: all); `asked` is what was typed, if other."""

    text: str
    facts: tuple[Fact, ...] = ()
    doc_ids: tuple[DocId, ...] = ()
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found by one scorer."""

    passage_id: PassageId
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one scorer found, best first, ordered by (-score, passage id)."""

    scorer: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage shown to the answerer, with its final rank and score. `why`: `found`, `part` or `definition`."""

    passage: Passage
    rank: int
    score: float
    scorer: str
    why: str = "found"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The evidence and every list that led to it, in the order made; `parts` are the sub-questions searched for."""

    evidence: tuple[Evidence, ...]
    rankings: tuple[Ranking, ...]
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One rule looked at. `value` and `threshold` are set where it compares numbers; where it compares a claim with a
    passage, `said` is the deciding span of the claim's text and `found` the deciding words of the passage."""

    name: str
    passed: bool
    detail: str
    value: float | None = None
    threshold: float | None = None
    said: Span | None = None
    found: Quote | None = None


@dataclass(frozen=True, slots=True)
class Quotation:
    """Where in a draft exact words of a passage stand: `at` is a span of `Draft.text`."""

    at: Span
    passage_id: PassageId
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """What a generator wrote, unchecked; `text` carries markers such as `[1]`, the rank of the evidence meant.
    `abstains` is set by the generator's own protocol, never by searching prose. `fallback` says why quotation stood in
    for a model; `raw` is what the model said. `checks`: token budget, each reply, what was changed in the text."""

    raw: str
    text: str
    abstains: bool
    generator: str
    fallback: str | None = None
    quotations: tuple[Quotation, ...] = ()
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in the draft (at `at`) and what it resolved to; `quotes`: the exact words meant, in reading order."""

    marker: str
    at: Span
    status: CitationStatus
    passage_id: PassageId | None
    quotes: tuple[Quote, ...] = ()
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable sentence of a draft, markers removed; `at` is its span in `Draft.text`; `cites` its citations."""

    n: int
    text: str
    at: Span
    cites: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the cited words say about a claim. `score` in [0, 1]; `checks`: rules that decided, on words in `quote`."""

    claim: int
    label: Label
    score: float
    passage_ids: tuple[PassageId, ...]
    checks: tuple[Check, ...] = ()
    quote: Quote | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """How an answer ends. `reason` is a stable code; `kept` the numbers of the claims shown; `reply` a rule's words."""

    outcome: Outcome
    reason: str
    kept: tuple[int, ...] = ()
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand: page, printed label, the page's quality, section path, rectangles (empty: not located)."""

    page: int | None
    page_label: str | None
    quality: Quality
    section: tuple[str, ...]
    rects: tuple[Rect, ...]


@dataclass(frozen=True, slots=True)
class ShownCitation:
    """A citation as every surface shows it: numbered from 1 in order of first use, one exact quotation each."""

    n: int
    passage_id: PassageId
    doc_id: DocId
    title: str
    version: str | None
    quote: Quote
    place: Place
    status: CitationStatus
    raw: str
    support: Label


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim as every surface shows it, with the numbers of its citations."""

    n: int
    text: str
    citations: tuple[int, ...]
    verdict: Label
    score: float
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A marker that resolved to nothing, and why."""

    raw: str
    why: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A sentence that was taken out of a draft, and why."""

    text: str
    verdict: Label
    why: str


@dataclass(frozen=True, slots=True)
class Nearest:
    """A passage near to a question that was not answered."""

    passage_id: PassageId
    page: int | None
    score: float
    quote: str


@dataclass(frozen=True, slots=True)
class Seconds:
    """Time of one stage."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Trace:
    """The stages' own results; a stage that did not run is None. Times are kept apart, in `Answer.seconds`."""

    query: Query
    fingerprint: str
    guard: tuple[Check, ...]
    retrieval: Retrieval | None = None
    gate: tuple[Check, ...] | None = None
    draft: Draft | None = None
    citations: tuple[Citation, ...] | None = None
    claims: tuple[Claim, ...] | None = None
    verdicts: tuple[Verdict, ...] | None = None
    screen: tuple[Check, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Spoken):
    """The end of one question: what is shown, and the trace of how it came about."""

    id: str
    text: str
    decision: Decision
    claims: tuple[ShownClaim, ...]
    citations: tuple[ShownCitation, ...]
    dropped: tuple[Dropped, ...]
    removed: tuple[Removed, ...]
    nearest: tuple[Nearest, ...]
    trace: Trace
    seconds: tuple[Seconds, ...]

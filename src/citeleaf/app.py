"""What every surface holds: an open library with its settings and, once needed, its models."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from citeleaf.ask import Kit, ask
from citeleaf.boxes import Boxes
from citeleaf.chat import Chat, check_stopped, stopped_by
from citeleaf.check import Checkup, check
from citeleaf.clock import Clock
from citeleaf.errors import ConfigError, ModelError, UnknownId
from citeleaf.events import Event
from citeleaf.feedback import Feedback
from citeleaf.feedback import kept as kept_feedback
from citeleaf.guard.look import guard
from citeleaf.guard.personal import masked_answer
from citeleaf.layers import Explained, load
from citeleaf.library import Library, cached_library, find_library
from citeleaf.measured import Measured
from citeleaf.measured import kept as measured
from citeleaf.retrieve.search import single
from citeleaf.settings import Settings
from citeleaf.spans import ASK, told
from citeleaf.types import (
    Answer,
    Check,
    DocId,
    Document,
    Fact,
    Hit,
    Page,
    Passage,
    Place,
    Query,
    ShownCitation,
    Span,
)
from citeleaf.wiring import Parts

if TYPE_CHECKING:
    from citeleaf.ingest.pipeline import Report

SCORERS = ("lexical", "tfidf", "dense", "fused", "reranked")


@dataclass(frozen=True, slots=True)
class Found:
    """One hit of a search with its passage and place."""

    hit: Hit
    scorer: str
    passage: Passage
    place: Place


@dataclass(frozen=True, slots=True)
class Leaf:
    """One page of a document with the boxes of the document's words and the passages that have words on the page."""

    document: Document
    page: Page
    boxes: Boxes
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What an id stands for: `kind` is document, page, section, passage or answer; `answer` is set for an answer."""

    kind: str
    document: Document
    span: Span
    text: str
    place: Place
    answer: Answer | None = None


class App:
    """One library, open. Use as a context manager; safe to call from several threads."""

    def __init__(self, library: Library, settings: Settings, explained: tuple[Explained, ...]) -> None:
        """Nothing is opened yet: the store and the models are, when first needed."""
        self.settings = settings
        self.explained = explained
        self._library = library
        self._parts = Parts(library, settings)

    @classmethod
    def open(
        cls,
        library: str | Path | None = None,
        *,
        profile: str | None = None,
        flags: Sequence[str] = (),
        write: bool = False,
    ) -> App:
        """The library at `library`, else where the contract says. `flags` are `section.key=value` settings.

        With `write`, the library is made when it is not there. Raises `ConfigError` and `StoreError`.
        """
        settings, explained = load(profile, flags)
        return cls(find_library(library, create=write), settings, explained)

    @classmethod
    def for_files(
        cls,
        paths: Sequence[Path],
        *,
        profile: str | None = None,
        flags: Sequence[str] = (),
        watch: Callable[[int, int, str], None] | None = None,
    ) -> App:
        """A cached library that holds just these files, taken in first. Raises the error of the first that fails."""
        settings, explained = load(profile, flags)
        app = cls(cached_library(paths, settings), settings, explained)
        try:
            with ThreadPoolExecutor(1, thread_name_prefix="warm") as aside:
                warm: list[Future[None]] = []

                def begun(done: int, total: int, name: str) -> None:
                    # The parser's process has a core of its own, so there is time to make ready for the question.
                    if not warm:
                        warm.append(aside.submit(app.warm_up))
                    if watch is not None:
                        watch(done, total, name)

                report = app.ingest(paths, watch=begun)
            for future in warm:
                future.result()
            failure = next((row.error for row in report.rows if row.error is not None), None)
            if failure is not None:
                raise failure
        except BaseException:
            app.close()
            raise
        return app

    @property
    def folder(self) -> Path:
        """The library's folder."""
        return self._library.folder

    @property
    def read_only(self) -> bool:
        """Whether the library can be asked and not changed; then no answer is kept."""
        return self._parts.store.read_only

    @property
    def notes(self) -> tuple[str, ...]:
        """What is missing and how to get it; filled once models have been asked for."""
        return tuple(self._parts.notes)

    @property
    def kit(self) -> Kit:
        """The live parts, models loaded."""
        return self._parts.kit()

    @property
    def judge(self) -> Chat:
        """The model that judges answers, as `judge` sets it. Raises `ConfigError` when no server is set."""
        return self._parts.judge

    def load_model(self) -> ModelError | None:
        """Loads the model that writes answers, if there is one, so that the first question does not wait for it.

        Gives why it cannot be loaded, or nothing: answers are quoted then, unless `chat.on_failure` is `error`, which
        raises it. Raises `ConfigError`, and `Cancelled` when the caller is stopped.
        """
        load = getattr(self.kit.generator, "warm_up", None)
        try:
            if load is not None:
                load()
        except ModelError as error:
            if self.settings.chat.on_failure == "error":
                raise
            return error
        return None

    def warm_up(self) -> None:
        """Makes ready for the first question: models are loaded, the guard's patterns compiled."""
        guard("warm up", self.settings.guard.request)
        self._parts.kit()

    def ask(
        self,
        question: str,
        *,
        facts: Sequence[Path | Fact] = (),
        doc_ids: Sequence[DocId] = (),
        asked: str | None = None,
        watch: Callable[[Event], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Answer:
        """Answers one question and keeps the answer with its trace. Raises `UnknownId` for a document not there.

        `watch` is told what happens as it happens, in this thread (see `events`). Once `cancel` is set, the work stops
        within two seconds, that of a model included; then `Cancelled` is raised and nothing is kept.
        In what is kept, personal data of the question are masked where `guard.mask` says so. A library that cannot be
        written keeps nothing: `notes` say so.
        `asked` is what the person typed, when `question` is a rewriting of it.
        """
        for doc_id in doc_ids:
            self._parts.store.document(doc_id)
        given = tuple(fact if isinstance(fact, Fact) else _read_fact(fact) for fact in facts)
        query = Query(question, (*self._parts.facts(), *given), tuple(doc_ids), asked)
        spans = self._parts.spans
        stopping = stopped_by(cancel) if cancel is not None else nullcontext()
        with stopping, self._parts.snapshot(), spans(ASK) as note:
            answer = ask(query, self.kit, self.settings, Clock(watch, spans))
            check_stopped()
            note(told(answer))
        self._parts.keep(masked_answer(answer) if self.settings.guard.mask else answer)
        return answer

    def check(
        self, text: str, *, against: Sequence[DocId] = (), watch: Callable[[Event], None] | None = None
    ) -> Checkup:
        """Verifies each sentence of a text against the library, or some of its documents. Raises `UnknownId`."""
        for doc_id in against:
            self._parts.store.document(doc_id)
        with self._parts.snapshot():
            return check(text, self.kit, self.settings, against, Clock(watch))

    def search(
        self, query: str, *, k: int = 5, scorer: str = "reranked", doc_ids: Sequence[DocId] = ()
    ) -> tuple[Found, ...]:
        """The best `k` passages by one scorer: lexical, tfidf, dense, fused or reranked. Raises `ConfigError`."""
        if scorer not in SCORERS:
            raise ConfigError(f"no scorer `{scorer}`", hint=f"take one of {', '.join(SCORERS)}", subject=scorer)
        with self._parts.snapshot():
            kit = self.kit
            asked = Query(query, (), tuple(doc_ids))
            ranking = single(asked, scorer, k, kit.store, kit.embedder, kit.reranker, self.settings.retrieve)
            passages = kit.store.passages([hit.passage_id for hit in ranking.hits])
            return tuple(
                Found(hit, ranking.scorer, passage, kit.store.place(passage.doc_id, passage.span))
                for hit, passage in zip(ranking.hits, passages, strict=True)
            )

    def ingest(
        self,
        paths: Sequence[Path],
        *,
        facts: Sequence[Path] = (),
        sources: Mapping[Path, str] | None = None,
        watch: Callable[[int, int, str], None] | None = None,
    ) -> Report:
        """Takes files and folders in; unchanged ones are skipped, a bad one never stops the rest.

        `sources` are names to keep for files that do not stay where they are.
        """
        return self._parts.ingest(paths, facts=facts, sources=sources, watch=watch)

    def reindex(self, *, watch: Callable[[int, int, str], None] | None = None) -> Report:
        """Makes passages and vectors of all documents anew from the kept copies of their files."""
        return self._parts.reindex(watch=watch)

    def documents(self) -> tuple[Document, ...]:
        """All documents by id, their text left empty."""
        return self._parts.store.documents()

    def remove(self, doc_ids: Sequence[DocId]) -> None:
        """Takes documents out. Raises `UnknownId` before anything is removed."""
        for doc_id in doc_ids:
            self._parts.store.document(doc_id)
        for doc_id in doc_ids:
            self._parts.remove(doc_id)

    def integrity(self) -> tuple[Check, ...]:
        """Whether the store is in order, check by check."""
        return self._parts.store.integrity()

    def source(self, document: Document) -> Path:
        """The library's copy of a document's file. Raises `UnreadableFile` when it is gone."""
        return self._library.source(document)

    def backup(self, out: Path) -> None:
        """Copies the library whole into a new folder, a library itself. Raises `ConfigError` when it holds things."""
        self._parts.backup(out)

    def show(self, item: str, *, page: int | None = None) -> Shown:
        """What an id stands for: an answer, a passage, a section (`doc#section`) or a document, or one page of it."""
        store = self._parts.store
        doc_id, _, rest = item.partition("#")
        if "#c" in rest:
            (passage,) = store.passages([item])
            return self._shown("passage", store.document(doc_id), passage.span)
        try:
            document = store.document(doc_id)
        except UnknownId:
            try:
                answer = store.answer(item)
            except UnknownId:
                hint = "`citeleaf documents` and `citeleaf audit list` list them"
                raise UnknownId(f"there is no document or answer `{item}`", hint=hint, subject=item) from None
            blank = Place(None, None, "good", (), ())
            cited = answer.citations[0] if answer.citations else None
            source = store.document(cited.doc_id) if cited else Document("", "", "", "", "", (), ())
            span = cited.quote.span if cited else Span(0, 0)
            return Shown("answer", source, span, answer.text, cited.place if cited else blank, answer)
        if page is not None:
            found = next((p for p in document.pages if p.number == page), None)
            if found is None:
                raise UnknownId(f"`{doc_id}` has no page {page}", hint=f"it has {len(document.pages)}", subject=item)
            return self._shown("page", document, found.span, page)
        if rest:
            section = next((s for s in document.sections if s.id == rest), None)
            if section is None:
                raise UnknownId(f"`{doc_id}` has no section `{rest}`", hint="see citeleaf show DOC", subject=item)
            return self._shown("section", document, section.span)
        return self._shown("document", document, Span(0, len(document.text)))

    def leaf(self, doc_id: DocId, number: int) -> Leaf:
        """A page of a document, by its position. Raises `UnknownId`."""
        with self._parts.store.snapshot():
            store = self._parts.store
            document = store.document(doc_id)
            page = next((p for p in document.pages if p.number == number), None)
            if page is None:
                pages = len(document.pages)
                raise UnknownId(f"`{doc_id}` has no page {number}", hint=f"it has {pages}", subject=doc_id)
            passages = tuple(p for p in store.passages(store.passage_ids(doc_id)) if number in p.pages)
            return Leaf(document, page, store.boxes(doc_id), passages)

    def answers(self, *, limit: int = 50, offset: int = 0) -> tuple[Answer, ...]:
        """Kept answers, newest first, without those whose document was removed."""
        store = self._parts.store
        with store.snapshot():
            return tuple(store.answer(i) for i in store.answer_ids(offset + limit)[offset:])

    def answer(self, answer_id: str) -> Answer:
        """A kept answer. Raises `UnknownId`, and `SourceRemoved` when its document was taken out."""
        return self._parts.store.answer(answer_id)

    def measured(self) -> tuple[Measured, ...]:
        """What every answer measured and when, oldest first; also of answers that were kept over."""
        return measured(self._library.folder)

    def note(self, feedback: Feedback) -> None:
        """Keeps what a reader says of an answer. Raises `UnknownId` for an answer that is not there."""
        self.answer(feedback.answer_id)
        feedback.keep(self._library.folder)

    def feedback(self) -> tuple[Feedback, ...]:
        """What readers said of answers, oldest first."""
        return kept_feedback(self._library.folder)

    def page_image(self, document: Document, page: int, *, scale: float = 2.0, spans: Sequence[Span] = ()) -> bytes:
        """PNG of a page, `scale` pixels a point, with spans of the text marked.

        Raises `ConfigError` for a format without pages, `UnknownId` for a page that is not there.
        """
        rects = [rect for span in spans for rect in self._parts.store.place(document.id, span).rects]
        return self._parts.picture(document, Place(page, None, "good", (), tuple(rects)), scale=scale)

    def picture(self, shown: Shown) -> bytes:
        """The page of what is shown, as PNG, its words marked. Raises `ConfigError` for a format without pages."""
        return self._parts.picture(shown.document, shown.place)

    def marked_pages(self, citations: Sequence[ShownCitation], notes: Mapping[int, str], note: str = "") -> bytes:
        """PDF of the cited pages with the words highlighted; `notes` by citation number, `note` on the first page.

        Raises `ConfigError` when no citation has a page.
        """
        return self._parts.marked_pages(citations, notes, note)

    def close(self) -> None:
        """Lets go of the store and the models."""
        self._parts.close()

    def __enter__(self) -> App:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _shown(self, kind: str, document: Document, span: Span, page: int | None = None) -> Shown:
        if kind in ("document", "page"):
            label = next((p.label for p in document.pages if p.number == page), None)
            place = Place(page, label, "good", (), ())
        else:
            place = self._parts.store.place(document.id, span)
        return Shown(kind, document, span, document.text[span.start : span.end], place)


def _read_fact(path: Path) -> Fact:
    try:
        if not path.is_file():
            raise ConfigError(f"facts `{path}` are no file", hint="give a UTF-8 text file", subject=str(path))
        return Fact(path.stem, path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read facts `{path}`", hint="give a UTF-8 text file", subject=str(path)) from error

"""Settings to live parts. The only file that names a backend."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from citeleaf.answer.draft import ModelGenerator
from citeleaf.answer.gate import foreign, reads
from citeleaf.ask import Kit
from citeleaf.backup import backup
from citeleaf.backup import restore as put_back
from citeleaf.chat import Chat
from citeleaf.errors import ConfigError, ModelNotInstalled, StoreError, StoreReadOnly
from citeleaf.ids import fingerprint
from citeleaf.ingest.pipeline import Report, Watch, chunker_fingerprint, ingest, reindex
from citeleaf.library import Library
from citeleaf.locks import once
from citeleaf.measured import measure
from citeleaf.models import pulled
from citeleaf.protocols import Embedder, Generator, Reader, Reranker, Signal, Verifier
from citeleaf.settings import ChatSettings, Settings
from citeleaf.spans import Spans, silent
from citeleaf.types import Answer, DocId, Document, Fact, Place, ShownCitation

if TYPE_CHECKING:
    from citeleaf.backends.store_sqlite import SqliteStore
    from citeleaf.ingest.sandbox import Sandbox

T = TypeVar("T")

NONE = "none"
EMBEDDERS = {"minilm-l6": "citeleaf.backends.embed_onnx:open_embedder"}
RERANKERS = {"msmarco-minilm-l12": "citeleaf.backends.rerank_onnx:open_reranker"}
READERS = {"reader-l12": "citeleaf.backends.read_onnx:open_reader"}
CHATS = {
    "http": "citeleaf.backends.generate_http:open_chat",
    "foundry": "citeleaf.backends.generate_foundry:open_chat",
    "llama": "citeleaf.backends.generate_llama:open_chat",
}
"""Chat models that write answers (see `settings.chat`); `quote` is the generator without one."""
HTTP_EMBEDDER = "citeleaf.backends.embed_http:open_embedder"
FOUNDRY_EMBEDDER = "citeleaf.backends.generate_foundry:open_embedder"
CHECKS = "checks"
VERIFIERS = {CHECKS: "citeleaf.backends.verify_checks:open_verifier"}
VERIFIERS["overlap"] = "citeleaf.backends.verify_overlap:OverlapVerifier"
ODDS = "citeleaf.backends.verify_odds:ModelOdds"
SPANS = "citeleaf.backends.spans_otel:open_spans"
PARSER = "citeleaf.backends.parse:read"


class Parts:
    """The live parts over one library, each made when first needed; safe to use from several threads."""

    def __init__(self, library: Library, settings: Settings) -> None:
        """Nothing is opened yet."""
        self.library = library
        self.settings = settings
        self.notes: list[str] = []
        """What is missing and how to get it, in words for a user."""
        self._lock = threading.RLock()
        self._facts: tuple[str, tuple[Fact, ...]] | None = None
        self._chats: dict[str, Chat] = {}

    @once
    def store(self) -> SqliteStore:
        """The store for reading and for taking documents out; needs no model."""
        return self._open(None, compare=False)

    @once
    def _indexed(self) -> SqliteStore:
        """The store with its vectors. Raises `IndexStale` when they are of another embedder."""
        return self._open(self.embedder, compare=True)

    @once
    def embedder(self) -> Embedder | None:
        """The embedder, or None when it is switched off or not installed."""
        name = self.settings.models.embedder
        if name == "http":
            return cast(Embedder, _load(HTTP_EMBEDDER, {}, "models.embedder")(self.settings.embed, self.settings.chat))
        if name == "foundry":
            return cast(Embedder, _load(FOUNDRY_EMBEDDER, {}, "models.embedder")(self.settings.embed))
        return self._model("embedder", name, EMBEDDERS)

    @once
    def reranker(self) -> Reranker | None:
        """The cross-encoder, or None when it is switched off or not installed."""
        return self._model("reranker", self.settings.models.reranker, RERANKERS)

    @once
    def reader(self) -> Reader | None:
        """What reads evidence beside a question; None when it is switched off, weighs nothing or is not installed."""
        weighs = reads(self.settings.gate, {"embedder": self.embedder, "reranker": self.reranker})
        return self._model("reader", self.settings.models.reader, READERS) if weighs else None

    @once
    def _sandbox(self) -> Sandbox:
        from citeleaf.ingest.sandbox import Limits, Sandbox

        limits = self.settings.ingest
        return Sandbox(
            PARSER,
            limits=Limits(limits.timeout_s, limits.memory_mb),
            workers=limits.workers,
            options={
                "max_file_mb": limits.max_file_mb,
                "max_unpacked_mb": limits.max_unpacked_mb,
                "max_pages": limits.max_pages,
            },
        )

    def kit(self) -> Kit:
        """All parts, the fingerprint of them and the documents as they are; `ConfigError`: the gate is for others."""
        with self._lock:
            store = self._indexed
            self._check_gate()
            generator = self._generator
            quoter = generator if self.settings.chat.on_failure == "error" else self._quoter
            verifier = self._verifier
            made = fingerprint(
                chunker_fingerprint(self.settings),
                *(model.fingerprint if model else NONE for model in (self.embedder, self.reranker, self.reader)),
                generator.fingerprint,
                verifier.fingerprint,
                self.settings.model_dump_json(include={"retrieve", "gate", "decide"}),
                *(known.recipe for _, known in sorted(store.known().items())),
            )
            return Kit(store, self.embedder, self.reranker, generator, quoter, verifier, made, self.reader)

    def snapshot(self) -> AbstractContextManager[None]:
        """Within it, this thread's searches and places all see the documents as they are now."""
        with self._lock:
            return self._indexed.snapshot()

    def keep(self, answer: Answer) -> None:
        """Keeps an answer and what it measured; where the library cannot be written, a note says once that none is."""
        try:
            self.store.keep(answer)
            measure(answer, datetime.now(UTC).isoformat(timespec="seconds")).keep(self.library.folder)
        except StoreReadOnly as error:
            note = f"answers are not kept: {error.message}"
            if note not in self.notes:
                self.notes.append(note)

    def facts(self) -> tuple[Fact, ...]:
        """The case facts of the library, by document id."""
        with self._lock:
            held = [d for d in self.store.documents() if d.role == "facts"]
            state = " ".join(f"{d.id} {d.sha256}" for d in held)
            if self._facts is None or self._facts[0] != state:
                self._facts = (state, tuple(Fact(d.title, self.store.document(d.id).text) for d in held))
            return self._facts[1]

    def ingest(
        self,
        paths: Sequence[Path],
        *,
        facts: Sequence[Path] = (),
        sources: Mapping[Path, str] | None = None,
        watch: Watch | None = None,
    ) -> Report:
        """Takes files in; see `ingest.pipeline.ingest`."""
        from citeleaf.backends.parse import suffixes

        with self._lock:
            store, embedder = self._indexed, self.embedder
        return ingest(
            paths,
            self.library,
            store,
            embedder,
            self.settings,
            self._sandbox,
            suffixes(),
            facts=facts,
            sources=sources,
            watch=watch,
        )

    def reindex(self, *, watch: Watch | None = None) -> Report:
        """Makes all passages and vectors anew beside the old ones, and changes over when none failed."""
        old = self._open(None, compare=False)
        made_by = (self.embedder.fingerprint, self.embedder.dim) if self.embedder is not None else None
        try:
            with old.rebuilding(made_by, chunker_fingerprint(self.settings)) as fresh:
                report = reindex(self.library, old, fresh, self.embedder, self.settings, self._sandbox, watch=watch)
                if not report.failed:
                    old.take_over(fresh)
            return report
        finally:
            old.close()

    def remove(self, doc_id: DocId) -> None:
        """Takes a document and its file out."""
        self.library.remove(self.store, doc_id)

    def backup(self, out: Path) -> None:
        """Copies the library whole into a new folder, a library itself."""
        backup(self.library, self.store, out)

    def picture(self, document: Document, place: Place, *, scale: float = 2.0) -> bytes:
        """PNG of the page at a place, its words marked. Raises `ConfigError` for a format without pages."""
        if place.page is None or not document.pages:
            raise ConfigError(f"`{document.id}` has no pages to draw", hint="leave out --image", subject=document.id)
        from citeleaf.backends.pdf_image import render_page

        return render_page(self.library.source(document), place.page, scale=scale, rects=place.rects)

    def marked_pages(self, citations: Sequence[ShownCitation], notes: Mapping[int, str], note: str) -> bytes:
        """PDF of the cited pages with highlights; see `pdf_marked.marked_citations`."""
        from citeleaf.backends.pdf_marked import marked_citations

        return marked_citations(citations, notes, note, lambda i: self.library.source(self.store.document(i)))

    def close(self) -> None:
        """Closes what was opened."""
        for name in ("store", "_indexed", "_sandbox", "_generator", "judge", "spans", "embedder"):
            part = self.__dict__.pop(name, None)
            close = getattr(part, "close", None)
            if close is not None:
                close()
        for chat in self._chats.values():
            chat.close()
        self._chats.clear()

    @once
    def _quoter(self) -> Generator:
        from citeleaf.backends.generate_quote import QuoteGenerator

        return QuoteGenerator(
            self.settings.quote,
            reranker=self.reranker,
            embedder=self.embedder,
            frequencies=self._indexed.frequencies,
        )

    @once
    def _generator(self) -> Generator:
        name = self.settings.models.generator
        if name == "quote":
            return self._quoter
        if name not in CHATS:
            return cast(Generator, _load(name, {}, "models.generator")(self.settings))
        chat = self.settings.chat
        return ModelGenerator(self._answering(name), chat)

    def _chat(self, name: str, chat: ChatSettings) -> Chat:
        opener = _load(name, CHATS, "models.generator")
        if name == "llama":
            chat = chat.model_copy(update={"model": pulled(chat.model)})
            return cast(Chat, opener(chat, self.settings.models.threads))
        return cast(Chat, opener(chat))

    @once
    def judge(self) -> Chat:
        """The model of `judge`, which judges answers. Without an address of its own, the server of `chat`."""
        own, chat = self.settings.judge, self.settings.chat
        shared = {} if own.address else {k: getattr(chat, k) for k in ("address", "key", "api_version", "proxy")}
        fields = {k: getattr(own, k) for k in type(own).model_fields if k != "runtime"}
        named = {"model": own.model or chat.model}
        return self._chat(own.runtime, chat.model_copy(update={**fields, **shared, **named, "temperature": 0.0}))

    @once
    def spans(self) -> Spans:
        """Where spans of a question go; nowhere unless `telemetry.endpoint` is set. Raises `ConfigError`."""
        if not self.settings.telemetry.endpoint:
            return silent
        return cast(Spans, _load(SPANS, {}, "telemetry.endpoint")(self.settings.telemetry))

    @once
    def _verifier(self) -> Verifier:
        opener = _load(name := self.settings.models.verifier, VERIFIERS, "models.verifier")
        return cast(Verifier, opener(self.reranker, self._signals) if name == CHECKS else opener())

    @property
    def _signals(self) -> tuple[Signal, ...]:
        """Further opinions on claims, in the order in which they are asked."""
        name = self.settings.models.verifier_model
        return () if name == NONE else (cast(Signal, _load(ODDS, {}, "models.verifier_model")(self._answering(name))),)

    def _answering(self, name: str) -> Chat:
        """The chat model of `chat`, one for all that ask it."""
        with self._lock:
            if name not in self._chats:
                self._chats[name] = self._chat(name, self.settings.chat)
            return self._chats[name]

    def _check_gate(self) -> None:
        models = (self.embedder, self.reranker, self.reader)
        names = [model.name if model is not None else None for model in models]
        if others := foreign(self.settings.gate, *names):
            raise ConfigError(
                f"the gate was calibrated for {' and '.join(self.settings.gate.calibrated_for)}, not for `{others[0]}`",
                hint="calibrate it with `citeleaf calibrate BENCHMARK --write PROFILE.toml`, add the model to "
                "gate.calibrated_for if its scores are alike, or switch the check off: gate.min_probability=0",
                subject="gate.calibrated_for",
            )

    def _open(self, embedder: Embedder | None, *, compare: bool) -> SqliteStore:
        from citeleaf.backends.store_sqlite import open_store

        return open_store(
            self.library.folder,
            embedder=(embedder.fingerprint, embedder.dim) if embedder is not None else None,
            chunker=chunker_fingerprint(self.settings) if compare else None,
        )

    def _model(self, kind: str, name: str, known: Mapping[str, str]) -> T | None:
        if name == NONE:
            return None
        try:
            folder = name if Path(name).is_dir() else None
            target = next(iter(known)) if folder else name
            opener = _load(target, known, f"models.{kind}")
            return cast(T, opener(folder or name, threads=self.settings.models.threads))
        except TypeError as error:
            raise ConfigError(
                f"`models.{kind}`: `{name}` cannot be called with a name and threads: {error}",
                hint="see the protocols of the library",
                subject=name,
            ) from error
        except ModelNotInstalled as error:
            self.notes.append(f"{error.message}: searching without it; {error.hint}")
            return None


def restore(source: Path, target: Library) -> None:
    """Puts a backup in the place of an empty or missing library. Raises `StoreError` for a damaged or newer one."""
    from citeleaf.backends.store_sqlite import FILE, open_store

    Library(source).check()
    if not (source / FILE).is_file() or not (source / FILE).stat().st_size:
        raise StoreError(
            f"`{source}` is no backup: it holds no `{FILE}`",
            hint="name a folder that `citeleaf backup` wrote",
            subject=str(source),
        )
    store = open_store(source, embedder=None)
    try:
        put_back(source, target, store)
    finally:
        store.close()


def migrate(library: Library) -> tuple[int, int]:
    """Brings a library's store to the present schema; gives the schema numbers before and after."""
    from citeleaf.backends.store_sqlite import FILE
    from citeleaf.backends.upkeep_sqlite import migrate as bring

    return bring(library.folder / FILE)


def _load(name: str, known: Mapping[str, str], key: str) -> Callable[..., object]:
    """The function behind a name, or behind `package.module:function`. Raises `ConfigError`."""
    target = known.get(name, name)
    module, colon, function = target.partition(":")
    if not colon:
        raise ConfigError(
            f"`{key}` cannot be `{name}`",
            hint=f"take one of {', '.join((*known, NONE))}, or package.module:function",
            subject=name,
        )
    try:
        return cast(Callable[..., object], getattr(import_module(module), function))
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"`{key}`: `{target}` cannot be loaded: {error}", hint="check the name", subject=name
        ) from error

"""The documents of a run: taken into its library, gold evidence found in them before any question is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from citeleaf.app import App
from citeleaf.errors import BenchmarkError, CiteleafError, EmptyDocument
from citeleaf.evaluate.benchmark import Benchmark
from citeleaf.evaluate.corpora import passages_beside
from citeleaf.evaluate.coverage import SHINGLE, fold, share_in
from citeleaf.evaluate.score import Gold
from citeleaf.ids import sha256_file, slug, unique
from citeleaf.types import DocId, Document

Watch: TypeAlias = Callable[[int, int, str], None]
WHOLE = 0.9
"""Least share of a quotation that must stand in its document where a benchmark promises exact words."""


def take_in(
    benchmarks: Sequence[Benchmark],
    app: App,
    out: Path,
    docs: Sequence[Path] = (),
    *,
    watch: Watch | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Gold]:
    """Takes the documents of benchmarks into the app's library; gives each benchmark's gold evidence by its name.

    `docs` stand for the documents that the benchmarks name; texts that a benchmark brings itself are written into
    `out/corpus` first, those left out whose name is a given file's. Raises `BenchmarkError` when a gold document is
    not there or could not be read, a quotation does not stand in it, or a benchmark's own file would be indexed.
    """
    named = list(docs) or [path for b in benchmarks for path in b.documents]
    files = {path.name: path for path in _files(named)}
    written = _write_corpora(benchmarks, out / "corpus", set(files))
    folder = [out / "corpus"] if any(written.values()) else []
    facts = [path for b in benchmarks for path in b.facts]
    report = app.ingest([*named, *folder], facts=facts, watch=watch) if named or folder else None
    failures = {Path(row.path).name: row.error for row in report.rows if row.error is not None} if report else {}
    for name, error in failures.items():
        if not isinstance(error, EmptyDocument):
            say(f"`{name}` is left out: {error.message}")
    documents = app.documents()
    _keep_out(benchmarks, app, documents)
    if not documents and any(b.questions for b in benchmarks):
        why = next((f": {error}" for error in failures.values()), "")
        raise BenchmarkError(f"there is no document to ask{why}", hint="name files or folders with --docs")
    names = _names(documents, files)
    found: dict[str, Gold] = {}
    for benchmark in benchmarks:
        own = {name: names[file] for name, file in written[benchmark.name].items() if file in names}
        known = {**names, **own}
        own_files = written[benchmark.name]
        empty = {n for n, _ in benchmark.corpus if isinstance(failures.get(own_files.get(n, "")), EmptyDocument)}
        _check_documents(benchmark, known, empty, failures)
        passages = passages_beside(benchmark.files[0])
        _check_places(benchmark, known, {d.id: len(d.pages) for d in documents if d.pages}, passages)
        found[benchmark.name] = Gold(
            doc_ids=known,
            paged=frozenset(d.id for d in documents if d.pages),
            passages=passages,
            unlocated=_unlocated(benchmark, app, known, say),
        )
    return found


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from (p for p in sorted(path.rglob("*")) if p.is_file())
        else:
            yield path


def _write_corpora(benchmarks: Sequence[Benchmark], folder: Path, given: set[str]) -> dict[str, dict[str, str]]:
    """Writes the texts; gives for each benchmark its document names with their file names.

    A file name is a slug of the document's, with a number where that is taken. Documents of one text share a file.
    """
    taken = list(dict.fromkeys(slug(Path(name).stem) for name in sorted(given)))
    files: dict[str, str] = {}
    written: dict[str, dict[str, str]] = {}
    for benchmark in benchmarks:
        own = written.setdefault(benchmark.name, {})
        for name, texts in benchmark.corpus:
            if name in given or not texts:
                continue
            text = "\n\n".join(texts) + "\n"
            if text not in files:
                files[text] = slug(name)
            own[name] = text
    free = unique([*taken, *files.values()])[len(taken) :]
    places = dict(zip(files, (f"{name}.txt" for name in free), strict=True))
    for text, file in places.items():
        _write(folder / file, text)
    return {b: {name: places[text] for name, text in own.items()} for b, own in written.items()}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _names(documents: Sequence[Document], files: Mapping[str, Path]) -> dict[str, DocId]:
    """Ids by everything a document may be called; an id before a file name before a stem before a title.

    A file that was left out because another has the same bytes stands for that one.
    """
    names: dict[str, DocId] = {}
    calls: tuple[Callable[[Document], str], ...] = (
        lambda d: d.id,
        lambda d: Path(d.source).name,
        lambda d: Path(d.source).stem,
        lambda d: d.title,
    )
    for call in calls:
        for document in documents:
            names.setdefault(call(document), document.id)
    hashes = {d.sha256: d.id for d in documents}
    for name, path in files.items():
        if name not in names and path.is_file() and (twin := hashes.get(sha256_file(path))):
            names[name] = twin
    return names


def _keep_out(benchmarks: Sequence[Benchmark], app: App, documents: Sequence[Document]) -> None:
    """Benchmarks never enter the index: one that did is taken out again, and the run stops."""
    own = {sha256_file(path): path for b in benchmarks for path in b.files}
    for document in documents:
        if document.sha256 in own:
            app.remove([document.id])
            path = own[document.sha256]
            raise BenchmarkError(
                f"`{path}` is among the documents", hint="keep benchmarks apart from them", subject=str(path)
            )


def _check_documents(
    benchmark: Benchmark, known: Mapping[str, DocId], empty: set[str], failures: Mapping[str, CiteleafError]
) -> None:
    empty = empty | {name for name, texts in benchmark.corpus if not texts}
    for row in benchmark.questions:
        needed = (*(row.gold_docs if row.answerable else ()), *row.within)
        missing = [name for name in needed if name not in known and name not in empty]
        if missing:
            why = f": {failures[missing[0]]}" if missing[0] in failures else ""
            raise BenchmarkError(
                f"{row.at}: document `{missing[0]}` of row `{row.id}` is not in the library{why}",
                hint="name its file or folder with --docs",
                subject=row.at,
            )


def _check_places(
    benchmark: Benchmark, known: Mapping[str, DocId], pages: Mapping[DocId, int], passages: Mapping[str, str]
) -> None:
    """Gold passages are among the benchmark's own; where it promises exact words, pages and quotations have a place."""
    for row in benchmark.questions:
        wrong = ""
        docs = [known[name] for name in row.gold_docs if name in known]
        if passages and row.gold_passage is not None and row.gold_passage not in passages:
            wrong = f"passage `{row.gold_passage}` is not in corpus.jsonl"
        elif benchmark.exact and row.answerable and row.gold_spans and not row.gold_docs:
            wrong = "there is a quotation, and no `gold_doc` in which it stands"
        elif benchmark.exact and docs and all(doc in pages for doc in docs):
            beyond = [page for page in row.gold_pages if page > max(pages[doc] for doc in docs)]
            wrong = f"`{row.gold_docs[0]}` has no page {beyond[0]}" if beyond else ""
        if wrong:
            raise BenchmarkError(f"{row.at}: {wrong}", hint="mend that line", subject=row.at)


def _unlocated(
    benchmark: Benchmark, app: App, known: Mapping[str, DocId], say: Callable[[str], None]
) -> frozenset[tuple[str, str]]:
    """(row, quotation) where a few letters or digits, more a value than a quotation, do not stand in the document.

    Any other quotation that is not there at all is an error, and where a benchmark promises exact words, one that is
    there in part too.
    """
    store = app.kit.store
    texts: dict[DocId, str] = {}
    lost: set[tuple[str, str]] = set()
    for row in benchmark.questions:
        docs = list(dict.fromkeys(known[name] for name in row.gold_docs if name in known)) if row.answerable else []
        for span in row.gold_spans if docs else ():
            for doc_id in docs:
                if doc_id not in texts:
                    texts[doc_id] = fold(store.document(doc_id).text)
            share = max(share_in(span, texts[doc_id]) for doc_id in docs)
            absent = share == 0 and len(fold(span)) > SHINGLE
            if absent or (benchmark.exact and share < WHOLE):
                raise BenchmarkError(
                    f"{row.at}: the quotation `{' '.join(span.split())[:60]}` is not in `{', '.join(row.gold_docs)}`",
                    hint="quote the document's own words",
                    subject=row.at,
                )
            if share == 0:
                lost.add((row.id, span))
    if lost:
        first = next(row for row in benchmark.questions if any(row.id == name for name, _ in lost))
        say(f"{benchmark.name}: {len(lost)} short gold values are not in their documents (first at {first.at})")
    return frozenset(lost)

"""The documents of a run: taken into its library, gold evidence found in them before any question is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from citeleaf.app import App
from citeleaf.errors import BenchmarkError
from citeleaf.evaluate.benchmark import Benchmark
from citeleaf.evaluate.corpora import Corpus, passages_beside
from citeleaf.evaluate.coverage import fold, share_in
from citeleaf.evaluate.forms import Row
from citeleaf.evaluate.score import Gold
from citeleaf.ids import sha256_file, slug, unique
from citeleaf.types import DocId, Document

Watch: TypeAlias = Callable[[int, int, str], None]
WHOLE = 0.9
"""Least share of a quotation that must stand in its document where a benchmark promises exact words."""


def take_in(
    benchmarks: Sequence[Benchmark], app: App, out: Path, docs: Sequence[Path] = (), watch: Watch | None = None
) -> dict[str, Gold]:
    """Takes the documents of benchmarks into the app's library; gives each benchmark's gold evidence by its name.

    `docs` stand for the documents that the benchmarks name; texts that a benchmark brings itself are written into
    `out/corpus` first, those left out whose name is a given file's. Raises `BenchmarkError` when a gold document is
    not there or could not be read, a quotation does not stand in it, or a benchmark's own file would be indexed.
    """
    named = list(docs) or [path for b in benchmarks for path in b.documents]
    given = {path.name for path in _files(named)}
    written = _write_corpora(benchmarks, out / "corpus", given)
    folder = [out / "corpus"] if any(written.values()) else []
    facts = [path for b in benchmarks for path in b.facts]
    report = app.ingest([*named, *folder], facts=facts, watch=watch) if named or folder else None
    failures = {str(row.path): row.error for row in report.rows if row.error is not None} if report else {}
    documents = app.documents()
    _keep_out(benchmarks, app, documents)
    if not documents and any(b.questions for b in benchmarks):
        why = next((f": {error}" for error in failures.values()), "")
        raise BenchmarkError(f"there is no document to ask{why}", hint="name files or folders with --docs")
    names = _names(documents)
    found: dict[str, Gold] = {}
    for benchmark in benchmarks:
        own = {name: names[file] for name, file in written[benchmark.name].items() if file in names}
        gold = Gold(
            doc_ids={**names, **own},
            paged=frozenset(d.id for d in documents if d.pages),
            passages=passages_beside(benchmark.files[0]),
        )
        _check(benchmark, app, gold, failures)
        found[benchmark.name] = gold
    return found


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from (p for p in sorted(path.rglob("*")) if p.is_file())
        else:
            yield path


def _write_corpora(benchmarks: Sequence[Benchmark], folder: Path, given: set[str]) -> dict[str, dict[str, str]]:
    """Writes the texts; gives for each benchmark its document names with their file names.

    A file name is a slug of the document's, with a number where that is taken.
    """
    taken = [slug(Path(name).stem) for name in sorted(given)]
    wanted: list[tuple[Benchmark, Corpus]] = [
        (b, tuple((name, texts) for name, texts in b.corpus if name not in given)) for b in benchmarks
    ]
    slugs = unique([*dict.fromkeys(taken), *(slug(name) for _, corpus in wanted for name, _ in corpus)])
    free = iter(slugs[len(dict.fromkeys(taken)) :])
    written: dict[str, dict[str, str]] = {}
    for benchmark, corpus in wanted:
        files = written.setdefault(benchmark.name, {})
        for name, texts in corpus:
            files[name] = f"{next(free)}.txt"
            _write(folder / files[name], "\n\n".join(texts) + "\n")
    return written


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _names(documents: Sequence[Document]) -> dict[str, DocId]:
    """Ids by everything a document may be called; an id before a file name before a stem before a title."""
    names: dict[str, DocId] = {}
    for call in (
        lambda d: d.id,
        lambda d: Path(d.source).name,
        lambda d: Path(d.source).stem,
        lambda d: d.title,
    ):
        for document in documents:
            names.setdefault(call(document), document.id)
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


def _check(benchmark: Benchmark, app: App, gold: Gold, failures: Mapping[str, object]) -> None:
    texts: dict[DocId, str] = {}
    store = app.kit.store
    for row in benchmark.questions:
        _check_documents(row, gold, failures)
        if row.answerable is False:
            continue
        docs = gold.docs(row)
        for doc_id in docs:
            if row.gold_spans and doc_id not in texts:
                texts[doc_id] = fold(store.document(doc_id).text)
        for span in row.gold_spans if docs else ():
            share = max(share_in(span, texts[doc_id]) for doc_id in docs)
            if share == 0 or (benchmark.exact and share < WHOLE):
                raise BenchmarkError(
                    f"{row.at}: the quotation `{span[:60]}` is not in `{', '.join(row.gold_docs)}`",
                    hint="quote the document's own words",
                    subject=row.at,
                )


def _check_documents(row: Row, gold: Gold, failures: Mapping[str, object]) -> None:
    needed = row.gold_docs if row.answerable else ()
    missing = [name for name in (*needed, *row.within) if name not in gold.doc_ids]
    if missing:
        why = next((f": {error}" for path, error in failures.items() if Path(path).name == missing[0]), "")
        raise BenchmarkError(
            f"{row.at}: document `{missing[0]}` of row `{row.id}` is not in the library{why}",
            hint="name its file or folder with --docs",
            subject=row.at,
        )

"""Questions and gold evidence: the QA form read as it is, each fault named by file and line."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citeleaf.errors import BenchmarkError


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts that a benchmark brings itself: each name becomes a document, each text a paragraph of it."""

    documents: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One question. `answerable` is None for edge, partial or underspecified ones.

    `gold_docs` are file names or document names; `gold_pages` are physical pages (the derived ones where given);
    `required_facts` holds, for each fact, its acceptable wordings.
    """

    id: str
    set: str
    language: str
    question: str
    answerable: bool | None
    gold_docs: tuple[str, ...] = ()
    gold_pages: tuple[int, ...] = ()
    gold_spans: tuple[str, ...] = ()
    gold_passage: str | None = None
    reference_answer: str | None = None
    required_facts: tuple[tuple[str, ...], ...] = ()
    forbidden_facts: tuple[str, ...] = ()
    facts: str | None = None
    category: str | None = None
    split: str | None = None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions with where their documents are."""

    name: str
    rows: tuple[Row, ...]
    documents: tuple[Path, ...] = ()
    facts: tuple[Path, ...] = ()
    corpus: Corpus | None = None
    profile: str | None = None
    files: tuple[Path, ...] = field(default=())


def load(path: Path) -> Benchmark:
    """A benchmark from a QA file, or from a folder with a `benchmark.toml`.

    Raises `BenchmarkError` naming file and line: not there, no UTF-8, no JSON, a missing or wrong field, an id twice, a
    locked file that has changed.
    """
    if path.is_dir():
        return _load_folder(path)
    rows = _read(path)
    return Benchmark(path.stem, rows, corpus=_corpus_beside(path), files=(path,))


def _load_folder(folder: Path) -> Benchmark:
    file = folder / "benchmark.toml"
    try:
        plan = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError as error:
        raise _error(f"`{folder}` holds no benchmark.toml", "give a QA file, or a folder with one", file) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _error(f"`{file}` is not valid TOML: {error}", "mend that line", file) from error
    head = plan.get("benchmark", {})
    for name, digest in plan.get("lock", {}).items():
        target = folder / name
        if not target.is_file():
            raise _error(f"`{target}` is locked in `{file}` but not there", "restore the file", target)
        if hashlib.sha256(target.read_bytes()).hexdigest() != digest:
            raise _error(
                f"`{target}` has changed since it was locked", f"restore it, or lock it anew in {file}", target
            )
    files = tuple(folder / name for name in plan.get("files", {}).get("qa", []))
    rows = tuple(row for name in files for row in _read(name))
    manifest = [folder / head["manifest"]] if "manifest" in head else []
    documents = tuple(manifest or [folder / name for name in head.get("documents", [])])
    for document in documents:
        if not document.exists():
            raise _error(f"`{document}`, named in `{file}`, is not there", "restore it, or give --docs", document)
    facts = tuple(folder / name for name in head.get("facts", []))
    return Benchmark(str(head.get("name", folder.name)), rows, documents, facts, None, head.get("profile"), files)


def _read(path: Path) -> tuple[Row, ...]:
    rows: list[Row] = []
    seen: dict[str, int] = {}
    for number, raw in _lines(path):
        row = _row(raw, path, number)
        if row.id in seen:
            raise _error(
                f"{path}:{number}: id `{row.id}` stands already in line {seen[row.id]}", "give it another", path
            )
        seen[row.id] = number
        rows.append(row)
    if not rows:
        raise _error(f"`{path}` holds no question", "one JSON object a line is expected", path)
    return tuple(rows)


def _lines(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _error(f"cannot read `{path}`: {error.strerror}", "give a JSON-lines file", path) from error
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise _error(f"{path}:{number}: not UTF-8", "save the file as UTF-8", path) from error
        except json.JSONDecodeError as error:
            raise _error(f"{path}:{number}: not JSON: {error.msg}", "mend that line", path) from error
        if not isinstance(value, dict):
            raise _error(f"{path}:{number}: not a JSON object", "one object a line is expected", path)
        yield number, value


def _row(raw: dict[str, object], path: Path, number: int) -> Row:
    for name in ("id", "question", "answerable"):
        if name not in raw:
            raise _error(f"{path}:{number}: field `{name}` is missing", "see the QA form in the docs", path)
    answerable = raw["answerable"]
    if answerable is not None and not isinstance(answerable, bool):
        raise _error(f"{path}:{number}: `answerable` is neither true, false nor null", "mend that line", path)
    if not isinstance(raw["question"], str):
        raise _error(f"{path}:{number}: `question` is no text", "mend that line", path)
    docs = raw.get("gold_doc")
    derived = raw.get("gold_pages_derived")
    return Row(
        id=str(raw["id"]),
        set=str(raw.get("set") or path.stem),
        language=str(raw.get("lang") or "en"),
        question=raw["question"],
        answerable=answerable,
        gold_docs=_texts(docs if isinstance(docs, list) else [docs] if docs else []),
        gold_pages=tuple(int(str(p)) for p in _list(derived or raw.get("gold_pages"))),
        gold_spans=_texts(_list(raw.get("gold_spans"))),
        gold_passage=_maybe(raw.get("gold_passage")),
        reference_answer=_maybe(raw.get("reference_answer")),
        required_facts=tuple(_texts(w if isinstance(w, list) else [w]) for w in _list(raw.get("required_facts"))),
        forbidden_facts=_texts(_list(raw.get("forbidden_facts"))),
        facts=_maybe(raw.get("facts")),
        category=_maybe(raw.get("category") or raw.get("clause_type") or raw.get("type")),
        split=_maybe(raw.get("split")),
    )


def _corpus_beside(path: Path) -> Corpus | None:
    file = path.parent / "corpus.jsonl"
    documents: dict[str, list[str]] = {}
    if file.is_file():
        for _, raw in _lines(file):
            texts = documents.setdefault(str(raw["doc_id"]), [])
            texts.extend(_corpus_texts(raw))
    else:
        for _, raw in _lines(path):
            for passage in _list(raw.get("passages")):
                if isinstance(passage, dict) and "sentences" in passage:
                    text = " ".join(_texts(_list(passage["sentences"])))
                    texts = documents.setdefault(str(passage.get("title")), [])
                    if text not in texts:
                        texts.append(text)
    if not documents:
        return None
    return Corpus(tuple((name, tuple(texts)) for name, texts in sorted(documents.items())))


def _corpus_texts(raw: dict[str, object]) -> list[str]:
    if "text" in raw:
        return [str(raw["text"])]
    table = [" | ".join(_texts(_list(line))) for line in _list(raw.get("table"))]
    paragraphs = [str(p["text"]) for p in _list(raw.get("paragraphs")) if isinstance(p, dict)]
    return ["\n".join(table), *paragraphs] if table else paragraphs


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _texts(values: list[object]) -> tuple[str, ...]:
    return tuple(str(v) for v in values)


def _maybe(value: object) -> str | None:
    return None if value is None or value == "" else str(value)


def _error(message: str, hint: str, path: Path) -> BenchmarkError:
    return BenchmarkError(message, hint=hint, subject=str(path))

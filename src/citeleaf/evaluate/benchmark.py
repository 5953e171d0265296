"""Benchmarks: questions, claims and guard items as they are, or a folder with a `benchmark.toml`."""

from __future__ import annotations

import hashlib
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from citeleaf.errors import BenchmarkError
from citeleaf.evaluate.corpora import Corpus, corpus_beside
from citeleaf.evaluate.forms import ClaimItem, GuardItem, Item, Row, read

_TABLES = ("benchmark", "files", "lock")
_HEAD = ("name", "profile", "documents", "facts", "manifest", "scope")
_FORMS = ("qa", "claims", "guard")
Scope: TypeAlias = Literal["library", "document"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Items with where their documents are.

    `scope` says what a question is asked of: the whole library, or its own document alone. `documents` and `facts` are
    files; `corpus` holds texts that the benchmark brings itself; `files` are the benchmark's own files, which never
    enter an index. With `exact`, every gold quotation must stand in its document.
    """

    name: str
    items: tuple[Item, ...]
    files: tuple[Path, ...]
    documents: tuple[Path, ...] = ()
    facts: tuple[Path, ...] = ()
    corpus: Corpus = ()
    profile: str | None = None
    scope: Scope = "library"
    exact: bool = False

    @property
    def questions(self) -> tuple[Row, ...]:
        """The items that are questions, in order."""
        return tuple(item for item in self.items if isinstance(item, Row))


def load(path: Path) -> Benchmark:
    """A benchmark from a file of one of the three forms, or from a folder with a `benchmark.toml`.

    The documents of a loose file are the texts it brings (`corpus.jsonl` beside it, passages in its rows) and the files
    that its gold evidence names, where they lie beside it or one folder down. Raises `BenchmarkError` naming file and
    line: not there, no UTF-8, no JSON, a missing or wrong field, an id twice, a locked file that has changed.
    """
    return _load_folder(path) if path.is_dir() else _load_file(path)


def load_all(paths: list[Path]) -> tuple[Benchmark, ...]:
    """Several benchmarks for one run. Raises `BenchmarkError` for a name that comes twice."""
    found = tuple(load(path) for path in paths)
    names = [b.name for b in found]
    for name in names:
        if names.count(name) > 1:
            raise BenchmarkError(f"two benchmarks are called `{name}`", hint="run them apart", subject=name)
    return found


def _load_file(path: Path) -> Benchmark:
    items = read(path)
    questions = [item for item in items if isinstance(item, Row)]
    sets = sorted({item.set for item in items})
    return Benchmark(
        name=sets[0] if len(sets) == 1 else path.stem,
        items=items,
        files=(path, *_if_there(path.parent / "corpus.jsonl")),
        documents=_beside(path, questions),
        corpus=corpus_beside(path) if questions else (),
        scope="document" if _about_one_document(questions) else "library",
    )


def _load_folder(folder: Path) -> Benchmark:
    file = folder / "benchmark.toml"
    try:
        plan = tomllib.loads(file.read_text("utf-8-sig"))
    except FileNotFoundError as error:
        raise _error(f"`{folder}` holds no benchmark.toml", "give a file, or a folder with one", file) from error
    except UnicodeDecodeError as error:
        raise _error(f"`{file}` is not UTF-8 at byte {error.start}", "save it as UTF-8", file) from error
    except tomllib.TOMLDecodeError as error:
        raise _error(f"`{file}` is not valid TOML: {error}", "mend that line", file) from error
    _check_forms(file, plan)
    _check_lock(folder, file, plan.get("lock", {}))
    head = plan.get("benchmark", {})
    files = tuple(folder / name for form in ("qa", "claims", "guard") for name in plan.get("files", {}).get(form, []))
    if not files:
        raise _error(f"`{file}` names no files of items", "add [files] with qa, claims or guard", file)
    items = tuple(item for path in files for item in read(path))
    _check_ids(items)
    documents = [folder / name for name in ([head["manifest"]] if "manifest" in head else head.get("documents", []))]
    facts = [folder / name for name in head.get("facts", [])]
    for path in (*documents, *facts):
        if not path.exists():
            raise _error(f"`{path}`, named in `{file}`, is not there", "restore it, or give --docs", path)
    scope = head.get("scope", "library")
    if scope not in ("library", "document"):
        raise _error(f"`{file}`: scope `{scope}` is neither library nor document", "take one of the two", file)
    return Benchmark(
        name=str(head.get("name", folder.name)),
        items=items,
        files=(file, *files),
        documents=tuple(documents),
        facts=tuple(facts),
        profile=head.get("profile"),
        scope=scope,
        exact=True,
    )


def _check_forms(file: Path, plan: dict[str, object]) -> None:
    """Tables are tables, lists are lists of file names."""
    head, files = plan.get("benchmark", {}), plan.get("files", {})
    for name, table in (("benchmark", head), ("files", files), ("lock", plan.get("lock", {}))):
        if not isinstance(table, dict):
            raise _error(f"`{file}`: `{name}` is no table", f"write [{name}]", file)
    assert isinstance(head, dict) and isinstance(files, dict)
    for where, table, known in (("", plan, _TABLES), ("benchmark.", head, _HEAD), ("files.", files, _FORMS)):
        for key in table:
            if key not in known:
                raise _error(f"`{file}`: there is no `{where}{key}`", f"there are {', '.join(known)}", file)
    lists = [(key, head.get(key, [])) for key in ("documents", "facts")]
    for key, value in [*lists, *files.items()]:
        if not isinstance(value, list) or not all(isinstance(v, str) and v and "\0" not in v for v in value):
            raise _error(f"`{file}`: `{key}` is no list of file names", f'write {key} = ["name"]', file)
    for key in ("name", "manifest", "profile", "scope"):
        if not isinstance(head.get(key, "x"), str):
            raise _error(f"`{file}`: `{key}` is no text", "put it in quotes", file)


def _check_lock(folder: Path, file: Path, lock: dict[str, str]) -> None:
    for name, digest in lock.items():
        target = folder / name
        if not target.is_file():
            raise _error(f"`{target}` is locked in `{file}` but not there", "restore the file", target)
        if hashlib.sha256(target.read_bytes()).hexdigest() != digest:
            raise _error(
                f"`{target}` has changed since it was locked", f"restore it, or lock it anew in {file}", target
            )


def _check_ids(items: tuple[Item, ...]) -> None:
    seen: dict[str, str] = {}
    for item in items:
        if item.id in seen:
            raise BenchmarkError(
                f"{item.at}: id `{item.id}` stands already at {seen[item.id]}",
                hint="give it another",
                subject=item.at,
            )
        seen[item.id] = item.at


def _beside(path: Path, rows: list[Row]) -> tuple[Path, ...]:
    """Files that the gold evidence names, in the benchmark's folder or one folder down; sorted."""
    wanted = {name for row in rows for name in row.gold_docs}
    if not wanted:
        return ()
    folders = [path.parent, *sorted(p for p in path.parent.iterdir() if p.is_dir())]
    return tuple(sorted(p for folder in folders for p in folder.iterdir() if p.is_file() and p.name in wanted))


def _about_one_document(rows: list[Row]) -> bool:
    """Whether most questions only make sense beside their own document.

    So when a row brings its own documents, or when most questions are asked, word for word, of several documents.
    """
    if any(row.within for row in rows):
        return True
    asked: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for row in rows:
        asked[row.question.casefold()].add(row.gold_docs)
    return 2 * sum(len(asked[row.question.casefold()]) > 1 for row in rows) > len(rows)


def _if_there(path: Path) -> tuple[Path, ...]:
    return (path,) if path.is_file() else ()


def _error(message: str, hint: str, path: Path) -> BenchmarkError:
    return BenchmarkError(message, hint=hint, subject=str(path))


__all__ = ["Benchmark", "ClaimItem", "GuardItem", "Item", "Row", "Scope", "load", "load_all"]

"""Texts that a benchmark brings itself: a `corpus.jsonl` beside it, or passages inside its rows."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from citeleaf.evaluate.forms import Raw, fault, lines, objects

Corpus: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Names of documents with their paragraphs, ordered by name; some have none."""


def corpus_beside(path: Path) -> Corpus:
    """The documents of `corpus.jsonl` in the folder of a file of questions, else those inside its rows.

    Rows bring documents as `passages` (sentences of a titled article), `contexts` (a text under an id), `docs_*` (texts
    of the row's own), and `gold_page_text` where the file itself is not there. A text that comes twice for one document
    is kept once.
    """
    documents: dict[str, list[str]] = {}
    file = path.parent / "corpus.jsonl"
    if file.is_file():
        for number, raw in lines(file):
            at = f"{file}:{number}"
            if "doc_id" not in raw:
                raise fault(at, "field `doc_id` is missing", "see the forms in the documentation")
            _add(documents, str(raw["doc_id"]), _corpus_texts(raw, at))
    else:
        for number, raw in lines(path):
            for name, texts in _own(raw, f"{path}:{number}"):
                _add(documents, name, texts)
    return tuple((name, tuple(texts)) for name, texts in sorted(documents.items()))


def passages_beside(path: Path) -> dict[str, str]:
    """The texts of `corpus.jsonl` by passage id; empty where it has none."""
    file = path.parent / "corpus.jsonl"
    if not file.is_file():
        return {}
    return {str(raw["passage_id"]): str(raw.get("text", "")) for _, raw in lines(file) if "passage_id" in raw}


def _own(raw: Raw, at: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for passage in objects(raw, "passages", at):
        found.append((str(passage.get("title")), [" ".join(str(s) for s in _list(passage.get("sentences")))]))
    for context in objects(raw, "contexts", at):
        found.append((_text(context.get("document_id"), "document_id", at), [_text(context.get("text"), "text", at)]))
    for kind in ("wrong", "irrelevant"):
        for n, text in enumerate(_list(raw.get(f"docs_{kind}")), 1):
            found.append((f"{raw.get('id')}/{kind}-{n}", [str(text)]))
    if raw.get("pdf_included") is False and isinstance(raw.get("gold_doc"), str):
        found.append((str(raw["gold_doc"]), [str(t) for t in _list(raw.get("gold_page_text"))]))
    return found


def _add(documents: dict[str, list[str]], name: str, texts: list[str]) -> None:
    held = documents.setdefault(name, [])
    held.extend(t for t in dict.fromkeys(texts) if t.strip() and t not in held)


def _corpus_texts(raw: Raw, at: str) -> list[str]:
    if "text" in raw:
        return [_text(raw["text"], "text", at)]
    if "table" not in raw and "paragraphs" not in raw:
        raise fault(at, "field `text` is missing", "see the forms in the documentation")
    table = "\n".join(" | ".join(str(cell) for cell in _list(line)) for line in _list(raw.get("table")))
    return [table, *(str(p.get("text") or "") for p in objects(raw, "paragraphs", at))]


def _text(value: object, name: str, at: str) -> str:
    if not isinstance(value, str | None):
        raise fault(at, f"`{name}` is no text", "mend that line")
    return value or ""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []

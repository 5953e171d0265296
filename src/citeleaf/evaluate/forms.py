"""The three forms of benchmark lines, QA, CLAIM and GUARD, each fault named by file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, TypeAlias

from citeleaf.errors import BenchmarkError
from citeleaf.evaluate.labels import LabelError, is_benign

Raw: TypeAlias = Mapping[str, object]
Wordings: TypeAlias = tuple[str, ...]
CLAIM_LABELS = ("supported", "partial", "unsupported", "contradicted")
_MISSPELT = (
    "answerable",
    "gold_pages",
    "gold_spans",
    "reference_answer",
    "required_facts",
    "forbidden_facts",
    "history",
)
"""Fields that change figures without a word when their name is a letter off."""
_SCALES = {"thousand": "thousand", "million": "million", "billion": "billion", "percent": "%"}


@dataclass(frozen=True, slots=True)
class Row:
    """One question.

    `answerable` is None for edge, partial or underspecified ones. `gold_docs` are file names, titles or ids of
    documents; `gold_pages` physical pages (the derived ones where given); `references` alternative right answers. Each
    fact, required or forbidden, is a tuple of wordings that mean the same. `within` are documents the row brings itself
    and is asked of alone; `grades` are graded judgements of documents; `history` are earlier turns, (speaker, text).
    `at` is `file:line`.
    """

    id: str
    set: str
    language: str
    question: str
    answerable: bool | None
    at: str
    gold_docs: tuple[str, ...] = ()
    gold_pages: tuple[int, ...] = ()
    gold_spans: tuple[str, ...] = ()
    gold_passage: str | None = None
    references: tuple[str, ...] = ()
    required_facts: tuple[Wordings, ...] = ()
    forbidden_facts: tuple[Wordings, ...] = ()
    facts: str | None = None
    category: str | None = None
    split: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    grades: tuple[tuple[str, int], ...] = ()
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimItem:
    """A claim with evidence and a person's label: supported, partial, unsupported or contradicted."""

    id: str
    set: str
    claim: str
    evidence: tuple[str, ...]
    label: str
    at: str
    kind: str | None = None
    document: str | None = None
    split: str | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True)
class GuardItem:
    """A text for the guard; `benign` ones must pass. `channel` is `user` or `document`."""

    id: str
    set: str
    text: str
    label: str
    benign: bool
    channel: str
    at: str
    category: str | None = None
    split: str | None = None


Item: TypeAlias = Row | ClaimItem | GuardItem
Form: TypeAlias = Literal["QA", "CLAIM", "GUARD"]


def read(path: Path) -> tuple[Item, ...]:
    """The items of a file, in order; the first line decides the form.

    Raises `BenchmarkError` naming file and line.
    """
    items: list[Item] = []
    seen: dict[str, int] = {}
    form: Form | None = None
    for number, raw in lines(path):
        at = f"{path}:{number}"
        form = form or _form(raw, at)
        found = _rows(raw, at, path.stem) if form == "QA" else (_other(raw, at, path.stem, form),)
        for item in found:
            if item.id in seen:
                raise fault(at, f"id `{item.id}` stands already in line {seen[item.id]}", "give it another")
            seen[item.id] = number
        items.extend(found)
    if not items:
        raise fault(str(path), "holds no item", "one JSON object a line is expected")
    return tuple(items)


def lines(path: Path) -> Iterator[tuple[int, Raw]]:
    """The JSON objects of a file with their line numbers, from 1; empty lines are passed over."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise fault(str(path), f"cannot be read: {error.strerror}", "give a JSON-lines file") from error
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        at = f"{path}:{number}"
        if b"\0" in line:
            raise fault(at, "not UTF-8: it holds zero bytes, as UTF-16 does", "save the whole file as UTF-8")
        try:
            value = json.loads(line.decode("utf-8-sig"), parse_constant=_no_constant, object_pairs_hook=_once)
        except UnicodeDecodeError as error:
            raise fault(at, f"not UTF-8 at byte {error.start}", "save the whole file as UTF-8") from error
        except (json.JSONDecodeError, RecursionError) as error:
            raise fault(at, f"not JSON: {getattr(error, 'msg', 'nested too deep')}", "mend that line") from error
        except _Wrong as error:
            raise fault(at, str(error), "mend that line") from error
        except ValueError as error:
            raise fault(at, "a number has too many digits", "write a shorter one, or a text") from error
        if not isinstance(value, dict):
            raise fault(at, "not a JSON object", "one object a line is expected")
        yield number, value


def fault(at: str, message: str, hint: str) -> BenchmarkError:
    """An error at `file:line`."""
    return BenchmarkError(f"{at}: {message}", hint=hint, subject=at)


class _Wrong(ValueError):
    """What JSON allows in Python and not in a benchmark."""


def _no_constant(name: str) -> float:
    raise _Wrong(f"{name} is no JSON number")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Wrong(f"field `{next(n for n in names if names.count(n) > 1)}` stands twice")
    return found


def _form(raw: Raw, at: str) -> Form:
    if "claim" in raw and "evidence" in raw:
        return "CLAIM"
    if "question" in raw and ("answerable" in raw or "text" not in raw):
        return "QA"
    if "text" in raw and ("label" in raw or "expected" in raw or "benign" in raw):
        return "GUARD"
    raise fault(at, "neither a question, a claim nor a guard item", "see the forms in the documentation")


def _rows(raw: Raw, at: str, stem: str) -> tuple[Row, ...]:
    answerable = _field(raw, "answerable", at)
    if answerable is not None and not isinstance(answerable, bool):
        raise fault(at, "`answerable` is neither true, false nor null", "mend that line")
    question = _field(raw, "question", at)
    if not isinstance(question, str):
        raise fault(at, "`question` is no text", "mend that line")
    for name in _MISSPELT:
        near = get_close_matches(name, raw.keys() - {name}, 1, 0.9) if name not in raw else []
        if near:
            raise fault(at, f"no field `{near[0]}`", f"write `{name}`")
    common: dict[str, object] = {
        "id": _id(raw, at),
        "set": _word(raw, "set", at) or stem,
        "language": _word(raw, "lang", at) or "en",
        "question": question,
        "at": at,
        "split": _word(raw, "split", at),
    }
    if "docs_wrong" in raw:
        return _altered(raw, at, common)
    own = [str(p.get("title")) for p in objects(raw, "passages", at)]
    return (
        Row(
            **common,  # type: ignore[arg-type]
            answerable=answerable,
            gold_docs=_documents(raw, at),
            gold_pages=_pages(raw, at),
            gold_spans=tuple(s for s in _texts(raw, "gold_spans", at) if s.strip()),
            gold_passage=_word(raw, "gold_passage", at),
            references=_references(raw, at),
            required_facts=_facts(raw, "required_facts", at) or _keywords(raw),
            forbidden_facts=_facts(raw, "forbidden_facts", at),
            facts=None if raw.get("facts") is None else _text(raw["facts"], "facts", at) or None,
            category=_first(raw, ("category", "clause_type", "type", "answer_type"), at),
            history=_history(raw, at),
            grades=_grades(raw, at),
            within=tuple(dict.fromkeys(own)),
        ),
    )


def _altered(raw: Raw, at: str, common: dict[str, object]) -> tuple[Row, ...]:
    """Two rows: the altered documents among irrelevant ones, which say `document_answer`; the irrelevant ones alone."""
    name = str(common["id"])
    wrong, unrelated = (
        tuple(f"{name}/{kind}-{n}" for n, _ in enumerate(_list(raw.get(f"docs_{kind}")), 1))
        for kind in ("wrong", "irrelevant")
    )
    true = raw.get("true_answer")
    world = tuple(str(t) for t in true) if isinstance(true, list) else (str(true),)
    said = str(raw.get("document_answer"))
    first = Row(
        **common,  # type: ignore[arg-type]
        answerable=True,
        gold_docs=wrong,
        references=(said,),
        required_facts=((said,),),
        forbidden_facts=() if said in world else (world,),
        category="altered documents",
        within=(*wrong, *unrelated),
    )
    if not unrelated:
        return (first,)
    common = {**common, "id": f"{name}/irrelevant"}
    return (first, Row(**common, answerable=False, category="irrelevant documents", within=unrelated))  # type: ignore[arg-type]


def _other(raw: Raw, at: str, stem: str, form: Form) -> ClaimItem | GuardItem:
    name, group, split = _id(raw, at), _word(raw, "set", at) or stem, _word(raw, "split", at)
    kind = _first(raw, ("kind", "category", "type", "sub"), at)
    if form == "CLAIM":
        label = _text(_field(raw, "label", at), "label", at)
        if label not in CLAIM_LABELS:
            raise fault(at, f"label `{label}` is unknown", f"take one of {', '.join(CLAIM_LABELS)}")
        evidence = raw.get("evidence")
        texts = _texts(raw, "evidence", at) if isinstance(evidence, list) else (_text(evidence, "evidence", at),)
        claim = _text(_field(raw, "claim", at), "claim", at)
        document = _first(raw, ("doc", "evidence_id"), at)
        return ClaimItem(name, group, claim, texts, label, at, kind, document, split, _word(raw, "lang", at) or "en")
    label = _word(raw, "label", at) or ""
    channel = _word(raw, "channel", at) or "user"
    if channel not in ("user", "document"):
        raise fault(at, f"channel `{channel}` is unknown", "take user or document")
    try:
        benign = is_benign(label, raw.get("expected"), raw.get("benign"))
    except LabelError as error:
        raise fault(at, str(error), error.hint) from error
    text = _text(_field(raw, "text", at), "text", at)
    return GuardItem(name, group, text, label, benign, channel, at, kind or label, split)


def _id(raw: Raw, at: str) -> str:
    value = _field(raw, "id", at)
    if not isinstance(value, str | int) or isinstance(value, bool) or value == "":
        raise fault(at, "`id` is neither a text nor a number", "mend that line")
    return str(value)


def _field(raw: Raw, name: str, at: str) -> object:
    if name not in raw:
        raise fault(at, f"field `{name}` is missing", "add it; the first line of a file decides the form of all")
    return raw[name]


def _text(value: object, name: str, at: str) -> str:
    if not isinstance(value, str):
        raise fault(at, f"`{name}` is no text", "mend that line")
    return value


def _texts(raw: Raw, name: str, at: str) -> tuple[str, ...]:
    value = raw.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise fault(at, f"`{name}` is no list", "mend that line")
    return tuple(_text(v, name, at) for v in value)


def _facts(raw: Raw, name: str, at: str) -> tuple[Wordings, ...]:
    value = raw.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise fault(at, f"`{name}` is no list", "mend that line")
    wordings = (fact if isinstance(fact, list) else [fact] for fact in value)
    facts = tuple(tuple(_text(w, name, at) for w in fact) for fact in wordings)
    if any(not any(c.isalnum() for c in wording) for fact in facts for wording in fact) or () in facts:
        raise fault(at, f"`{name}` holds an empty wording", "remove it")
    return facts


def _keywords(raw: Raw) -> tuple[Wordings, ...]:
    """Words an answer is expected to hold, as some sets write required facts."""
    one = raw.get("expect_contains")
    words = [*([one] if isinstance(one, str) and one else []), *_list(raw.get("expect_keywords"))]
    return tuple((str(word),) for word in words)


def _documents(raw: Raw, at: str) -> tuple[str, ...]:
    value = raw.get("gold_doc")
    if value is None or value == "":
        return ()
    return _texts(raw, "gold_doc", at) if isinstance(value, list) else (_text(value, "gold_doc", at),)


def _pages(raw: Raw, at: str) -> tuple[int, ...]:
    name = "gold_pages_derived" if raw.get("gold_pages_derived") else "gold_pages"
    value = raw.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or any(not isinstance(p, int) or isinstance(p, bool) or p < 1 for p in value):
        raise fault(at, f"`{name}` is no list of physical pages, counted from 1", "mend that line")
    return tuple(sorted(set(value)))


def _references(raw: Raw, at: str) -> tuple[str, ...]:
    """Alternative right answers: the reference, a list of parts joined, numbers with their scale, further answers."""
    value = raw.get("reference_answer")
    if value is None or value == "":
        return ()
    parts = value if isinstance(value, list) else [value]
    if any(not isinstance(part, str | int | float) for part in parts):
        raise fault(at, "`reference_answer` is neither a text, a number nor a list of these", "mend that line")
    scale = str(raw.get("scale") or "")
    if scale and scale not in _SCALES:
        raise fault(at, f"scale `{scale}` is unknown", f"take one of {', '.join(_SCALES)}")
    scale = _SCALES.get(scale, "")
    numeric = scale and all(any(c.isdigit() for c in str(p)) for p in parts)
    text = ", ".join(f"{p} {scale}" if numeric else str(p) for p in parts)
    more = [str(a) for a in _list(raw.get("all_answers")) if a]
    return tuple(dict.fromkeys([text, *more]))


def _history(raw: Raw, at: str) -> tuple[tuple[str, str], ...]:
    turns: list[tuple[str, str]] = []
    for turn in objects(raw, "history", at):
        speaker, text = (_text(turn.get(name), f"history.{name}", at) for name in ("speaker", "text"))
        turns.append((speaker, text))
    return tuple(turns)


def _grades(raw: Raw, at: str) -> tuple[tuple[str, int], ...]:
    value = raw.get("qrels")
    if value is None:
        return ()
    if not isinstance(value, dict) or any(not isinstance(g, int) for g in value.values()):
        raise fault(at, "`qrels` does not give a whole number for each document", "mend that line")
    return tuple(sorted((str(name), int(grade)) for name, grade in value.items()))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def objects(raw: Raw, name: str, at: str) -> list[dict[str, object]]:
    """The objects of a list; none where the field is missing or null."""
    value = raw.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise fault(at, f"`{name}` is no list of objects", "see the forms in the documentation")
    return [one for one in value if isinstance(one, dict)]


def _word(raw: Raw, name: str, at: str) -> str | None:
    """A text, or a number as one; None where it is missing, null or empty."""
    value = raw.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str | int | float):
        raise fault(at, f"`{name}` is no text", "mend that line")
    return str(value)


def _first(raw: Raw, names: tuple[str, ...], at: str) -> str | None:
    return next((word for name in names if (word := _word(raw, name, at)) is not None), None)

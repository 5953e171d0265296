"""A receipt of one answer: all that it rests on, in one document, and what a later look finds of it.

`citeleaf/receipt/1` holds the published answer, the documents with the hashes of their files and text, and the whole
record of how it came about, sealed by a hash over the rest. The seal tells of changes by accident, not of a forger.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from citeleaf.errors import ConfigError, UnknownId
from citeleaf.guard.documents import veiled
from citeleaf.ids import sha256_text
from citeleaf.protocols import Store, Verifier
from citeleaf.record import Json, answer_json
from citeleaf.settings import Settings
from citeleaf.types import Answer, Check, Evidence

SCHEMA = "citeleaf/receipt/1"
_NEAR = 0.02
"""How far a score may be from the one before; models round differently from one machine to another."""


def receipt(answer: Answer, store: Store, verifier: Verifier) -> dict[str, Json]:
    """The receipt of an answer. Raises `UnknownId` when a document that it cites is gone."""
    ids = list(dict.fromkeys(c.doc_id for c in answer.citations))
    documents: list[Json] = []
    for doc_id in ids:
        document = store.document(doc_id)
        documents.append(
            {
                "id": document.id,
                "title": document.title,
                "version": document.version,
                "effective": document.effective,
                "sha256": document.sha256,
                "text_sha256": sha256_text(document.text),
            }
        )
    body: dict[str, Json] = {
        "schema": SCHEMA,
        "answer": answer_json(answer),
        "documents": documents,
        "verifier": {"name": verifier.name, "fingerprint": verifier.fingerprint},
        "record": _adapter().dump_python(answer, mode="json"),
    }
    return {**body, "seal": _seal(body)}


def read_receipt(text: str) -> tuple[Answer, dict[str, Any]]:
    """The answer of a receipt and the receipt. Raises `ConfigError` for what is none."""
    try:
        body = json.loads(text)
        if not isinstance(body, dict) or body.get("schema") != SCHEMA:
            raise ValueError("the schema is another")
        return _adapter().validate_python(body["record"]), body
    except (ValueError, KeyError, RecursionError, ValidationError) as error:
        said = " ".join(str(error).split())[:120]
        raise ConfigError(
            f"no receipt of this version: {said}", hint="write one with citeleaf show ID --receipt"
        ) from error


def audit(
    answer: Answer, store: Store, verifier: Verifier, rules: Settings, body: Mapping[str, Any] | None = None
) -> tuple[Check, ...]:
    """What is still true of an answer, a check each; needs no network and no model that writes.

    `seal`: the receipt was not changed (only with one, in `body`). `documents`: each cited document is there, its file
    and text unchanged where a receipt tells their hashes. `words`: each quotation still stands at its place in the
    stored text, and in the passage as it was. `verdicts`: the checks give each shown claim the same verdict, and a
    score within 0.02, when they are run again over the evidence on record.
    """
    out: list[Check] = []
    if body is not None:
        rest = {k: v for k, v in body.items() if k != "seal"}
        out.append(_check("seal", [] if _seal(rest) == body.get("seal") else ["the receipt was changed"]))
    hashes = {d["id"]: d for d in body.get("documents", ())} if body is not None else {}
    lost, moved = _documents(answer, store, hashes)
    out.append(_check("documents", lost))
    out.append(_check("words", moved))
    out.append(_check("verdicts", _replayed(answer, verifier, rules)))
    return tuple(out)


def _documents(answer: Answer, store: Store, hashes: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    lost: list[str] = []
    moved: list[str] = []
    evidence = {e.passage.id: e.passage for e in answer.trace.retrieval.evidence} if answer.trace.retrieval else {}
    for doc_id in dict.fromkeys(c.doc_id for c in answer.citations):
        try:
            document = store.document(doc_id)
        except UnknownId:
            lost.append(f"`{doc_id}` is gone")
            continue
        told = hashes.get(doc_id)
        if told is not None and told["sha256"] != document.sha256:
            lost.append(f"the file of `{doc_id}` is another")
        elif told is not None and told["text_sha256"] != sha256_text(document.text):
            lost.append(f"the text of `{doc_id}` is another")
        for cited in (c for c in answer.citations if c.doc_id == doc_id):
            if document.text[cited.quote.span.start : cited.quote.span.end] != cited.quote.text:
                moved.append(f"[{cited.n}] no longer stands in `{doc_id}`")
            passage = evidence.get(cited.passage_id)
            if passage is not None and sha256_text(passage.text) != passage.sha256:
                moved.append(f"passage `{passage.id}` on record was changed")
    return lost, moved


def _replayed(answer: Answer, verifier: Verifier, rules: Settings) -> list[str]:
    trace = answer.trace
    if not trace.claims or not trace.verdicts or trace.retrieval is None:
        return []
    read, _ = veiled(trace.retrieval, rules.guard.document)
    shown = {c.n for c in answer.claims}
    before = {v.claim: v for v in trace.verdicts if v.claim in shown}
    claims = [c for c in trace.claims if c.n in shown]
    evidence: tuple[Evidence, ...] = read.evidence
    out = []
    for verdict in verifier.verify(claims, evidence):
        old = before[verdict.claim]
        if verdict.label != old.label or abs(verdict.score - old.score) > _NEAR:
            out.append(f"claim {verdict.claim}: {old.label} {old.score:.2f}, now {verdict.label} {verdict.score:.2f}")
    return out


def _check(name: str, faults: list[str]) -> Check:
    return Check(name, not faults, "; ".join(faults))


def _seal(body: Mapping[str, Any]) -> str:
    return sha256_text(json.dumps(body, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False))


@cache
def _adapter() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)

"""Evidence -> Draft: by the generator, or by quotation when the generator could not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from citeleaf.errors import BadModelOutput, ModelError
from citeleaf.protocols import Generator, StreamingGenerator
from citeleaf.types import Check, Draft, Query, Retrieval


def compose(
    query: Query,
    found: Retrieval,
    generator: Generator,
    quoter: Generator,
    hear: Callable[[Draft], None] | None = None,
    *,
    strong: bool = False,
) -> Draft:
    """The generator's draft; when it raises a `ModelError`, the quoter's, with the error's code as `fallback`.

    A draft without any text that does not abstain counts as `bad_model_output`. `raw` keeps what the model said, and a
    check `model` what was wrong with it. An abstention is believed, unless the evidence is `strong`: small models give
    up on questions that the passages answer. A quoter that fails itself raises. `hear` gets the draft so far from a
    generator that streams.
    """
    if generator is quoter:
        return quoter.draft(query.text, found.evidence, query.facts)
    try:
        if hear is not None and isinstance(generator, StreamingGenerator):
            draft = generator.stream(query.text, found.evidence, query.facts, hear)
        else:
            draft = generator.draft(query.text, found.evidence, query.facts)
    except BadModelOutput as error:
        return _quoted(query, found, quoter, error, error.raw)
    except ModelError as error:
        return _quoted(query, found, quoter, error, "")
    if not draft.abstains and not draft.text.strip():
        return _quoted(query, found, quoter, BadModelOutput("the draft is empty", raw="", kind="empty"), draft.raw)
    if draft.abstains and strong:
        doubt = "it found no answer, and the gate is sure that there is one"
        return _quoted(
            query, found, quoter, BadModelOutput(doubt, raw="", kind="abstained_on_strong_evidence"), draft.raw
        )
    return draft


def _quoted(query: Query, found: Retrieval, quoter: Generator, error: ModelError, raw: str) -> Draft:
    draft = quoter.draft(query.text, found.evidence, query.facts)
    why = Check("model", False, f"{error.kind or error.code}: {error}")
    return replace(draft, fallback=error.code, raw=raw, checks=(*draft.checks, why))

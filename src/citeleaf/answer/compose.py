"""Evidence -> Draft: by the generator, or by quotation when the generator could not."""

from __future__ import annotations

from dataclasses import replace

from citeleaf.errors import BadModelOutput, ModelError
from citeleaf.protocols import Generator
from citeleaf.types import Draft, Query, Retrieval


def compose(query: Query, found: Retrieval, generator: Generator, quoter: Generator) -> Draft:
    """The generator's draft; when it raises a `ModelError`, the quoter's, with the error's code as `fallback`.

    A draft without any text that does not abstain counts as `bad_model_output`. `raw` keeps what the model said. An
    abstention is believed. A quoter that fails itself raises.
    """
    if generator is quoter:
        return quoter.draft(query.text, found.evidence, query.facts)
    try:
        draft = generator.draft(query.text, found.evidence, query.facts)
    except BadModelOutput as error:
        return _quoted(query, found, quoter, error.code, error.raw)
    except ModelError as error:
        return _quoted(query, found, quoter, error.code, "")
    if not draft.abstains and not draft.text.strip():
        return _quoted(query, found, quoter, BadModelOutput.code, draft.raw)
    return draft


def _quoted(query: Query, found: Retrieval, quoter: Generator, code: str, raw: str) -> Draft:
    return replace(quoter.draft(query.text, found.evidence, query.facts), fallback=code, raw=raw)

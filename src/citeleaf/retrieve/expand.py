"""Definitions that the evidence or the question leans on, brought along."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeleaf.protocols import Store
from citeleaf.retrieve.tokens import terms
from citeleaf.types import Passage, PassageId

_LEAST_LETTERS = 3


def definitions(question: str, passages: Sequence[Passage], store: Store, most: int) -> list[PassageId]:
    """Ids of definitions that are not among `passages`, at most `most`.

    A defined term counts when the question holds its words in order, or when the best passage writes it as the
    definition does (capitals included). Terms of the question come first, longer terms before shorter ones, then by
    id. Only the documents of the passages are looked at, so that a term is explained by its own document.
    """
    if most == 0 or not passages:
        return []
    have = {p.id for p in passages}
    asked = " ".join(terms(question))
    found: list[tuple[int, int, PassageId]] = []
    for doc_id in dict.fromkeys(p.doc_id for p in passages):
        text = "\n".join(p.text for p in passages[:1] if p.doc_id == doc_id)
        for term, passage_id in store.definitions(doc_id).items():
            if passage_id in have or len(term) < _LEAST_LETTERS:
                continue
            wanted = " ".join(terms(term))
            if wanted and re.search(rf"(?<!\S){re.escape(wanted)}(?!\S)", asked):
                found.append((0, -len(term), passage_id))
            elif term[:1].isupper() and re.search(rf"\b{re.escape(term)}\b", text):
                found.append((1, -len(term), passage_id))
    return [pid for _, _, pid in sorted(found)][:most]

"""A retriever for Haystack (`pip install haystack-ai`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from haystack import Document, component

from citeleaf.app import App
from citeleaf.surfaces.retrievers.passages import hits


@component
class CiteleafRetriever:
    """Passages of a library, best first, as Haystack documents. A component with the output `documents`."""

    def __init__(self, app: App, *, k: int = 5, scorer: str = "reranked", doc_ids: Sequence[str] = ()) -> None:
        """`app`: an open `citeleaf.App`, which the caller closes.

        `k`: most passages. `scorer`: lexical, tfidf, dense, fused or reranked. `doc_ids`: only these documents; empty:
        all. A document's id is the passage id, its score the scorer's own; `meta` is that of `citeleaf search --json`.
        Raises what `App.search` raises.
        """
        self._app, self._k, self._scorer, self._doc_ids = app, k, scorer, tuple(doc_ids)

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The passages for a query; `top_k` stands in for `k`."""
        k = self._k if top_k is None else top_k
        found = hits(self._app, query, k=k, scorer=self._scorer, doc_ids=self._doc_ids)
        return {
            "documents": [Document(id=hit.id, content=hit.text, score=hit.score, meta=hit.metadata) for hit in found]
        }

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The same in a thread, for pipelines that do not wait."""
        return await asyncio.to_thread(self.run, query, top_k)

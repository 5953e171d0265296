"""A retriever for LlamaIndex (`pip install llama-index-core`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from citeleaf.app import App
from citeleaf.surfaces.retrievers.passages import hits


class CiteleafRetriever(BaseRetriever):
    """Passages of a library, best first, as LlamaIndex nodes with scores."""

    def __init__(self, app: App, *, k: int = 5, scorer: str = "reranked", doc_ids: Sequence[str] = ()) -> None:
        """`app`: an open `citeleaf.App`, which the caller closes.

        `k`: most passages. `scorer`: lexical, tfidf, dense, fused or reranked. `doc_ids`: only these documents; empty:
        all. A node's id is the passage id, its score the scorer's own; the metadata is that of
        `citeleaf search --json`. Raises what `App.search` raises.
        """
        self._app, self._k, self._scorer, self._doc_ids = app, k, scorer, tuple(doc_ids)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = hits(self._app, query_bundle.query_str, k=self._k, scorer=self._scorer, doc_ids=self._doc_ids)
        return [
            NodeWithScore(node=TextNode(id_=hit.id, text=hit.text, metadata=hit.metadata), score=hit.score)
            for hit in found
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

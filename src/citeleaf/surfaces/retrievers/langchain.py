"""A retriever for LangChain (`pip install langchain-core`)."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from citeleaf.surfaces.retrievers.passages import hits


class CiteleafRetriever(BaseRetriever):
    """Passages of a library, best first, as LangChain documents.

    `app`: an open `citeleaf.App`, which the caller closes. `k`: most passages. `scorer`: lexical, tfidf, dense, fused
    or reranked. `doc_ids`: only these documents; empty: all. A document's `id` is the passage id; `metadata` holds
    `score`, `page`, `section`, `start`, `end`, `title` and what else `citeleaf search --json` tells. `ainvoke` runs in
    a thread. Raises what `App.search` raises.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    app: Any
    k: int = 5
    scorer: str = "reranked"
    doc_ids: tuple[str, ...] = ()

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = hits(self.app, query, k=self.k, scorer=self.scorer, doc_ids=self.doc_ids)
        return [Document(page_content=hit.text, id=hit.id, metadata=hit.metadata) for hit in found]

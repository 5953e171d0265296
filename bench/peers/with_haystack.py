"""One PDF to searchable vectors with Haystack; run by `ingest_peers.py` with the interpreter that has it installed.

python with_haystack.py FILE MODEL PASSAGES

Prints JSON. The splitter cuts at as many words as make about PASSAGES passages.
"""

from __future__ import annotations

import json
import math
import sys

from haystack import Pipeline
from haystack.components.converters import PyPDFToDocument
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.embedders.sentence_transformers import SentenceTransformersDocumentEmbedder


def main() -> None:
    file, model, passages = sys.argv[1], sys.argv[2], int(sys.argv[3])
    documents = PyPDFToDocument().run(sources=[file])["documents"]
    words = sum(document.content.count(" ") + 1 for document in documents)
    store = InMemoryDocumentStore()
    pipeline = Pipeline()
    pipeline.add_component("split", DocumentSplitter(split_by="word", split_length=math.ceil(words / passages)))
    pipeline.add_component("embed", SentenceTransformersDocumentEmbedder(model=model, progress_bar=False))
    pipeline.add_component("write", DocumentWriter(store))
    pipeline.connect("split", "embed")
    pipeline.connect("embed", "write")
    pipeline.run({"split": {"documents": documents}})
    kept = store.filter_documents()
    vectors = [document.embedding for document in kept if document.embedding]
    characters = sum(len(document.content) for document in kept)
    print(json.dumps({"passages": len(vectors), "dimension": len(vectors[0]), "characters": characters}))


if __name__ == "__main__":
    main()

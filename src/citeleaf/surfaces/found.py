"""A hit of a search as data, the same on every surface."""

from __future__ import annotations

from citeleaf.app import Found


def found_json(found: Found) -> dict[str, object]:
    """Rank, score and scorer of a hit, and where its words stand; `start` and `end` are characters of the document."""
    return {
        "passage_id": found.passage.id,
        "doc_id": found.passage.doc_id,
        "rank": found.hit.rank,
        "score": found.hit.score,
        "scorer": found.scorer,
        "page": found.place.page,
        "page_label": found.place.page_label,
        "pages": list(found.passage.pages),
        "section": list(found.passage.heading),
        "start": found.passage.span.start,
        "end": found.passage.span.end,
        "text": found.passage.text,
    }

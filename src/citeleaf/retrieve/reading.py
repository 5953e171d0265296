"""What a model reads of a passage: its section path, the words it leans on, its own words."""

from __future__ import annotations

from citeleaf.types import Passage


def reading(passage: Passage) -> str:
    """Heading path, context and text, a line each, empty ones left out: what is embedded and reranked."""
    return "\n".join(part for part in (" > ".join(passage.heading[-3:]), passage.context, passage.text) if part)

"""Which paragraphs define a term, told by their form."""

from __future__ import annotations

import re
from dataclasses import replace

from citeleaf.types import Block, Span

_TITLE = re.compile(
    r"\b(?:definitions?|glossary|dictionary|interpretation|meanings?|defined terms|tanım\w*|terim\w*)\b", re.I
)
_QUOTED = re.compile(
    r"\s*[“\"‘'](?P<term>[^“”\"‘’'\n]{1,60})[”\"’'],?\s+(?:also\s+)?"
    r"(?:means?|shall mean|includes?|refers? to|has the (?:same )?meaning|(?:is|are) defined as)\b"
)
_BARE = re.compile(
    r"\s*(?P<term>[^\W\d_](?:[^.:;!?\n“”\"]|\n(?!\n)){0,60}?)\s+"
    r"(?:means?|shall mean|refers? to|has the (?:same )?meaning|(?:is|are) defined as)\b"
)
_LABELLED = re.compile(r"\s*(?P<term>[^\W\d_][^.:;!?\n“”\"]{0,60}?)\s*(?::|\s[–—-])\s+\S")
_NO_TERM = frozenset(
    "this that these those which it what by if we you they note example nb where when bu şu not".split()
)
_MOST_WORDS = 7


def defines(title: str) -> bool:
    """Whether a section of this title holds definitions: `Definitions`, `Words with special meanings`, `Tanımlar`."""
    return _TITLE.search(title) is not None


def recognise(text: str, block: Block, *, among_definitions: bool) -> Block:
    """The block as a definition, its `cells` the term, when it has the form of one; else the block itself.

    A quoted term followed by `means` is a definition anywhere. Among definitions (see `defines`) the quotation marks
    may be missing, and `Term: …` counts too.
    """
    if block.kind not in ("paragraph", "list_item"):
        return block
    end = min(block.span.end, block.span.start + 200)
    forms = (_QUOTED, _BARE, _LABELLED) if among_definitions else (_QUOTED,)
    for form in forms:
        found = form.match(text, block.span.start, end)
        if found is None:
            continue
        words = found["term"].split()
        if words and len(words) <= _MOST_WORDS and words[0].casefold() not in _NO_TERM:
            return replace(block, kind="definition", cells=(Span(*found.span("term")),))
    return block

"""An answer in a notebook: its sentences with their states, and the words that they rest on."""

from __future__ import annotations

from citeleaf.surfaces.answer_files import html_body
from citeleaf.surfaces.answer_sheet import Language, sheet
from citeleaf.types import Answer

_STYLE = (
    ".citeleaf h1{font-size:1.15em}.citeleaf h2{font-size:1em;margin:.9em 0 .2em}"
    ".citeleaf small,.citeleaf .state{opacity:.75;font-size:.88em}.citeleaf li{margin:.4em 0}"
    ".citeleaf blockquote{margin:.2em 0 0;padding-left:.7em;border-left:3px solid #c58a00;white-space:pre-line}"
    ".citeleaf p{white-space:pre-line}.citeleaf .unverified li{border-left:3px dashed #b26b00;padding-left:.6em}"
)


def draw(answer: Answer, language: Language = "en") -> str:
    """HTML to stand inside another page, in its colours: it loads nothing, runs nothing, and escapes every text."""
    made = sheet(answer, language)
    body = html_body(made, f"citeleaf-{answer.id}")
    return f'<div class="citeleaf" lang="{language}"><style>{_STYLE}</style>\n{body}\n</div>'

"""Markdown files: headings, lists, tables and text as a reader sees them, markup removed."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from selectolax.lexbor import LexborHTMLParser

from citeleaf.backends import front
from citeleaf.backends.decode import decode
from citeleaf.backends.html_hidden import hidden_by_rules
from citeleaf.backends.html_walk import walked
from citeleaf.backends.writer import clean
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument, ParseError

_DEEPEST = 60
_FRONT = re.compile(r"---[ \t]*\n(?P<fields>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FRONT_FIELD = re.compile(r"(?P<name>[A-Za-z][\w -]{0,40}?)[ \t]*:[ \t]*(?P<value>.*)")
_TAG = re.compile(r"</?([A-Za-z][\w:-]*)(?=[\s/>])[^<>]*>")
_HTML = frozenset(
    """a abbr address article aside audio b base bdi bdo big blockquote body br button caption center cite code col
    colgroup dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form frame frameset h1
    h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta
    nav noframes noscript object ol optgroup option p param picture pre q s samp script search section select small
    source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr
    track tt u ul var video wbr""".split()
)


def parse_markdown(path: Path) -> Parsed:
    """Reads CommonMark with tables. Raises `EmptyDocument`, `ParseError`.

    The text is what a reader sees: links give their text, images their alternative text, code stays as it is. HTML
    inside is read as HTML, what it hides is left out with a notice; a tag that HTML does not know, such as
    `<customer name>`, stays as text. A front block between `---` lines, and lines such as `**Version:** 3.1`, give
    `front`.
    """
    source, notices = decode(path.read_bytes())
    fields, body = _front(clean(source))
    tree = LexborHTMLParser(_html(body, path.name))
    writer = walked(tree.body, notices, hidden=hidden_by_rules(tree), alt=True, boilerplate=False)
    if not writer.blocks and not writer.headings:
        raise EmptyDocument(f"`{path.name}` holds no text", subject=path.name)
    outermost = [h for h in writer.headings if h.level == 1]
    parsed = writer.finish(title=None)
    title = parsed.text[outermost[0].span.start : outermost[0].span.end] if len(outermost) == 1 else None
    stated = dict(front.stated(parsed.text, parsed.blocks)) | fields
    return writer.finish(title=title, language=stated.get("language"), front=tuple(stated.items()))


def _front(source: str) -> tuple[dict[str, str], str]:
    """The fields of the front block, known names in their plain form, and the text after it."""
    found = _FRONT.match(source)
    lines = [m for line in found["fields"].split("\n") if (m := _FRONT_FIELD.fullmatch(line))] if found else []
    if found is None or not lines:
        return {}, source
    fields: dict[str, str] = {}
    for line in lines:
        name = front.field_name(line["name"].replace("_", " ").replace("-", " ")) or line["name"].casefold()
        value = line["value"].strip().strip("\"'")
        if value:
            fields.setdefault(name, value)
    return fields, source[found.end() :]


def _html(source: str, name: str) -> str:
    markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    tokens = markdown.parse(source)
    # The Markdown reader stops without a word at its deepest level; text below it would be lost.
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        raise ParseError(f"`{name}` is nested deeper than {_DEEPEST} levels", subject=name)
    for token in tokens:
        for inner in (token, *(token.children or ())):
            if inner.type in ("html_inline", "html_block"):
                inner.content = _TAG.sub(_known_tag, inner.content)
    return f"<body>{RendererHTML().render(tokens, markdown.options, {})}</body>"


def _known_tag(tag: re.Match[str]) -> str:
    return tag.group() if tag[1].casefold() in _HTML else escape(tag.group())

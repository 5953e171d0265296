"""HTML files: what a reader sees of the page, and a notice for what was left out."""

from __future__ import annotations

import re
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from citeleaf.backends import front
from citeleaf.backends.decode import decode
from citeleaf.backends.html_hidden import hidden_by_rules
from citeleaf.backends.html_walk import walked
from citeleaf.backends.writer import clean
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument, ParseError
from citeleaf.types import Notice

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{1,40})")
_OPENED = re.compile(r"<html[\s>]", re.IGNORECASE)
_CLOSED = re.compile(r"</html\s*>", re.IGNORECASE)
_HEAD = 4096
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_UNNESTED = frozenset(
    """area base br col embed hr img input link meta param source track wbr p li dt dd td th tr thead tbody tfoot option
    optgroup colgroup html head body rt rp""".split()
)
_DEEPEST = 10_000


def parse_html(path: Path) -> Parsed:
    """Reads one HTML file and nothing else. Raises `EmptyDocument`, `ParseError`.

    Hidden elements, comments, navigation, page header and footer are left out with notices. Tables give a block a row,
    definition lists a definition a term, lists their numbers. Pictures and links to elsewhere give no text but the
    words of the link. A page that is opened and never closed gets a notice `incomplete`.
    """
    data = path.read_bytes()
    declared = _XML_ENCODING.search(data[:_HEAD]) or _CHARSET.search(data[:_HEAD])
    source, notices = decode(data, declared[1].decode("ascii") if declared else None)
    check_depth(source, path.name)
    tree = LexborHTMLParser(clean(source))
    writer = walked(tree.body, notices, hidden=hidden_by_rules(tree))
    if _OPENED.search(source) and not _CLOSED.search(source):
        writer.notices.append(Notice("incomplete", "the page ends before `</html>`: part of it may be missing"))
    if not writer.blocks and not writer.headings:
        raise EmptyDocument(f"`{path.name}` holds no text that a reader would see", subject=path.name)
    parsed = writer.finish(title=None)
    outermost = [h.span for h in writer.headings if h.level == 1]
    named = tree.css_first("head > title")
    title = named.text() if named is not None else None
    if len(outermost) == 1:
        title = parsed.text[outermost[0].start : outermost[0].end]
    root = tree.css_first("html")
    language = (root.attributes.get("lang") if root is not None else None) or None
    stated = front.stated(parsed.text, parsed.blocks)
    return writer.finish(title=title, language=language, front=stated)


def check_depth(source: str, name: str) -> None:
    """Raises `ParseError` when elements are nested so deep that building the tree would take time out of proportion."""
    depth = 0
    for closing, tag in _TAG.findall(source):
        if tag.lower() in _UNNESTED:
            continue
        depth = max(0, depth - 1) if closing else depth + 1
        if depth > _DEEPEST:
            raise ParseError(f"`{name}` nests elements deeper than {_DEEPEST} levels", subject=name)

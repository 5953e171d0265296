"""Word files: checked as a container, hidden runs left out, converted to HTML and walked like a page."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import mammoth
from selectolax.lexbor import LexborHTMLParser

from citeleaf.backends import front
from citeleaf.backends.docx_prepare import Prepared, prepare
from citeleaf.backends.html_walk import walked
from citeleaf.backends.office_zip import read_xml_parts
from citeleaf.backends.parse_html import check_depth
from citeleaf.backends.writer import clean
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument, ParseError, TooLarge, UnsupportedFile
from citeleaf.types import Notice

_DC = "{http://purl.org/dc/elements/1.1/}"
_W_T = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LARGEST_XML_MB = 64
"""A body beyond this takes gigabytes as a tree."""
_CHECKBOX = re.compile(r"<input\b[^>]*\btype=\"checkbox\"[^>]*>")
_STYLES = "\n".join(
    [
        "p[style-name='Title'] => h1.title:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        "p[style-name='caption'] => figcaption:fresh",
        *(f"p.Heading{n} => h{n}:fresh" for n in range(1, 7)),
    ]
)


def parse_docx(path: Path, *, max_unpacked_mb: int = 100) -> Parsed:
    """Reads a Word file and nothing outside it. Raises `IngestError`s.

    Headings by outline level, also of styles of one's own; the numbers Word prints in front of headings, clauses and
    list items are part of the text. Tables, footnotes, equations (in one line, with a notice); deleted text and
    comments are left out, hidden text too, with a notice. Page headers and footers give no text, but may state version
    and date.
    """
    parts = read_xml_parts(path, max_unpacked_mb=max_unpacked_mb)
    if "word/document.xml" not in parts and "[Content_Types].xml" not in parts:
        raise UnsupportedFile(f"`{path.name}` is a ZIP archive, not a Word file", subject=path.name)
    if sum(map(len, parts.values())) > _LARGEST_XML_MB * 1_000_000:
        raise TooLarge(f"`{path.name}` holds more than {_LARGEST_XML_MB} MB of text and markup", subject=path.name)
    prepared, html = _converted(parts, path.name)
    check_depth(html, path.name)
    tree = LexborHTMLParser(clean(html))
    writer = walked(tree.body, _notices(prepared), number_lists=False, boilerplate=False)
    if not writer.blocks and not writer.headings:
        raise EmptyDocument(f"`{path.name}` holds no text", hint="it may hold pictures of text", subject=path.name)
    parsed = writer.finish(title=None)
    titled = tree.css("h1.title")
    outermost = [h.span for h in writer.headings if h.level == 1]
    title, language = _properties(parts.get("docProps/core.xml"))
    if len(titled) == 1:
        title = titled[0].text()
    elif len(outermost) == 1:
        title = parsed.text[outermost[0].start : outermost[0].end]
    stated = dict(front.in_lines(_margins(parts))) | dict(front.stated(parsed.text, parsed.blocks))
    return writer.finish(title=title, language=language, front=tuple(stated.items()))


def _converted(parts: dict[str, bytes], name: str) -> tuple[Prepared, str]:
    try:
        prepared = prepare(parts)
        result = mammoth.convert_to_html(
            prepared.file,
            style_map=_STYLES,
            include_embedded_style_map=False,
            convert_image=lambda image: [],
            external_file_access=False,
        )
    # The converter has no error kind of its own: on damaged files it fails wherever it happens to be.
    except (
        LookupError,
        AttributeError,
        TypeError,
        ValueError,
        OSError,
        RecursionError,
        ElementTree.ParseError,
    ) as error:
        detail = "it is nested too deeply" if isinstance(error, RecursionError) else f"{type(error).__name__}: {error}"
        raise ParseError(f"`{name}` could not be read as a Word file ({detail})", subject=name) from error
    return prepared, _CHECKBOX.sub(lambda box: "☒ " if "checked=" in box.group() else "☐ ", str(result.value))


def _notices(prepared: Prepared) -> tuple[Notice, ...]:
    notices = []
    hidden = clean("".join(prepared.hidden)).split()
    if hidden:
        detail = f"{sum(map(len, hidden))} characters of hidden text were left out, beginning `{' '.join(hidden[:12])}`"
        notices.append(Notice("hidden_text", detail[:300]))
    if prepared.equations:
        notices.append(Notice("equations", f"{prepared.equations} equations are written in one line"))
    return tuple(notices)


def _properties(core: bytes | None) -> tuple[str | None, str | None]:
    """Title and language from the file's properties."""
    if core is None:
        return None, None
    root = ElementTree.fromstring(core)
    return root.findtext(f"{_DC}title") or None, root.findtext(f"{_DC}language") or None


def _margins(parts: dict[str, bytes]) -> list[str]:
    """The lines of page headers and footers."""
    lines = []
    for name in sorted(parts):
        if name.startswith(("word/header", "word/footer")) and name.endswith(".xml"):
            for paragraph in ElementTree.fromstring(parts[name]).iter(f"{_W_T}p"):
                lines.append("".join(t.text or "" for t in paragraph.iter(f"{_W_T}t")))
    return lines

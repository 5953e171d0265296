"""An answer as a Word document: WordprocessingML (ECMA-376), the same bytes for the same answer."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from citeleaf.surfaces.answer_sheet import Said, Sheet, Source

_EPOCH = (1980, 1, 1, 0, 0, 0)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = (
    f'{_HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_MAIN}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{_MAIN}.styles+xml"/></Types>'
)
_ROOT = (
    f'{_HEAD}<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
_PARTS = (
    f'{_HEAD}<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" Type="{_OFFICE}/styles" '
    'Target="styles.xml"/></Relationships>'
)
_STYLES = (
    ("Title", "Title", '<w:spacing w:after="120"/>', '<w:b/><w:sz w:val="32"/>'),
    (
        "Heading1",
        "heading 1",
        '<w:keepNext/><w:spacing w:before="280" w:after="80"/><w:outlineLvl w:val="0"/>',
        "<w:b/>",
    ),
    ("Quote", "Quote", '<w:spacing w:after="160"/><w:ind w:left="500"/>', "<w:i/>"),
    ("State", "State", '<w:spacing w:after="160"/>', '<w:color w:val="545D59"/><w:sz w:val="18"/>'),
)
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LANGUAGES = {"en": "en-GB", "tr": "tr-TR"}


def docx(made: Sheet) -> bytes:
    """The file; a citation leads to its source, what was verified and what was not stand apart."""
    body = "".join(_body(made))
    document = f"{_HEAD}<w:document {_W}><w:body>{body}<w:sectPr/></w:body></w:document>"
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _ROOT,
        "word/document.xml": document,
        "word/styles.xml": _styles(_LANGUAGES[made.words.language]),
        "word/_rels/document.xml.rels": _PARTS,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(zipfile.ZipInfo(name, _EPOCH), text.encode(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _body(made: Sheet) -> Iterator[str]:
    words = made.words
    yield _paragraph(_run(made.question), "Title")
    if made.asked:
        yield _paragraph(_run(f"{words.asked}: {made.asked}"))
    yield _paragraph(_run(made.outcome, "<w:b/>"))
    if made.reply:
        yield _paragraph(_run(made.reply))
    for title, said in ((words.verified, made.verified), (words.unverified, made.unverified)):
        if said:
            yield _paragraph(_run(title), "Heading1")
            for one in said:
                yield from _said(one)
    if made.stopped:
        yield _paragraph(_run(words.stopped), "Heading1")
        yield from (_paragraph(_run(one)) for one in made.stopped)
    for title, sources, linked in ((words.sources, made.sources, True), (words.nearest, made.nearest, False)):
        if sources:
            yield _paragraph(_run(title), "Heading1")
            for source in sources:
                yield from _source(source, linked)
    yield _paragraph(_run(made.made), "State")


def _said(said: Said) -> Iterator[str]:
    links = "".join(f'<w:hyperlink w:anchor="source{n}">{_run(f" [{n}]", _LINK)}</w:hyperlink>' for n in said.cites)
    yield _paragraph(_run(said.text) + links)
    yield _paragraph(_run(said.state), "State")


_LINK = '<w:color w:val="1B6244"/>'


def _source(source: Source, linked: bool) -> Iterator[str]:
    place = " · ".join(filter(None, (source.where, source.note)))
    head = _run(f"[{source.n}] ") + _run(source.title, "<w:b/>") + _run(f" {place}" if place else "")
    if linked:
        mark = f'w:id="{source.n}"'
        name = quoteattr(f"source{source.n}")
        head = f"<w:bookmarkStart {mark} w:name={name}/>{head}<w:bookmarkEnd {mark}/>"
    yield _paragraph(head)
    yield _paragraph(_run(source.quote), "Quote")


def _paragraph(runs: str, style: str = "") -> str:
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}{runs}</w:p>"


def _run(text: str, look: str = "") -> str:
    lines = _ILLEGAL.sub("\ufffd", text).split("\n")
    shown = "<w:br/>".join(f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in lines)
    return f"<w:r>{f'<w:rPr>{look}</w:rPr>' if look else ''}{shown}</w:r>"


def _styles(language: str) -> str:
    made = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/><w:basedOn w:val="Normal"/>'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{run}</w:rPr></w:style>"
        for key, name, paragraph, run in _STYLES
    )
    usual = f'<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/><w:lang w:val="{language}"/>'
    return (
        f"{_HEAD}<w:styles {_W}><w:docDefaults><w:rPrDefault><w:rPr>{usual}</w:rPr></w:rPrDefault>"
        '<w:pPrDefault><w:pPr><w:spacing w:after="80"/></w:pPr></w:pPrDefault></w:docDefaults>'
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
        f"{made}</w:styles>"
    )

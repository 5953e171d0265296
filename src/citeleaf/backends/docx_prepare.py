"""Rewrites the parts of a Word file before conversion: hidden runs out, printed numbers and equations in."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement
from zipfile import ZIP_STORED, ZipFile

from citeleaf.backends.docx_styles import Numbering, Styles, W, switched_on, value, whole

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_STRICT = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
_TRANSITIONAL = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TINY = 4
"""Font size in half points at and under which nobody reads."""
_LONGEST_HEADING = 250
_BODIES = ("document", "footnotes", "endnotes")


@dataclass(slots=True)
class Prepared:
    """The rewritten file, the text that was left out, and how many equations were written in one line."""

    file: io.BytesIO
    hidden: list[str] = field(default_factory=list)
    equations: int = 0


def prepare(parts: dict[str, bytes]) -> Prepared:
    """A container of the parts that hold text, rewritten; no picture, no macro and no link to elsewhere is in it.

    Runs that Word hides (`vanish`, by run or style; tiny; white on white outside tables) are taken out. A numbered
    paragraph gets its printed number as text, a paragraph with an outline level the style of a heading. Raises
    `ElementTree.ParseError`.
    """
    prepared = Prepared(io.BytesIO())
    parts = {name: data.replace(_STRICT, _TRANSITIONAL) for name, data in parts.items()}
    styles = Styles(_parsed(parts.get("word/styles.xml")))
    numbering = Numbering(_parsed(parts.get("word/numbering.xml")))
    with ZipFile(prepared.file, "w", ZIP_STORED) as archive:
        for name, data in parts.items():
            if name.endswith(".rels"):
                archive.writestr(name, _inside_only(data))
            elif name.startswith("word/") and name[5:].removesuffix(".xml").rstrip("0123456789") in _BODIES:
                root = ElementTree.fromstring(data)
                _Rewriter(styles, numbering, prepared).rewrite(root)
                archive.writestr(name, ElementTree.tostring(root, "utf-8", xml_declaration=True))
            elif name in ("word/styles.xml", "word/numbering.xml", "[Content_Types].xml"):
                archive.writestr(name, data)
    prepared.file.seek(0)
    return prepared


def _parsed(data: bytes | None) -> Element | None:
    return None if data is None else ElementTree.fromstring(data)


def _inside_only(data: bytes) -> bytes:
    """Relationships without those that point out of the file."""
    root = ElementTree.fromstring(data)
    for relationship in list(root):
        if relationship.get("TargetMode", "").casefold() == "external":
            # A hyperlink's text refers to it by id: it stays, leading nowhere.
            relationship.set("Target", "#")
            del relationship.attrib["TargetMode"]
    written: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return written


class _Rewriter:
    def __init__(self, styles: Styles, numbering: Numbering, prepared: Prepared) -> None:
        self.styles = styles
        self.numbering = numbering
        self.prepared = prepared

    def rewrite(self, root: Element) -> None:
        for element in root.iter():
            for n, child in enumerate(list(element)):
                if child.tag == f"{_M}oMath":
                    element[n] = _run(_linear(child))
                    self.prepared.equations += 1
                elif child.tag == f"{W}ptab":
                    child.tag = f"{W}tab"
        in_table = {p for cell in root.iter(f"{W}tc") for p in cell.iter(f"{W}p")}
        for paragraph in root.iter(f"{W}p"):
            self._paragraph(paragraph, in_table=paragraph in in_table)

    def _paragraph(self, paragraph: Element, *, in_table: bool) -> None:
        properties = paragraph.find(f"{W}pPr")
        style_id = value(properties.find(f"{W}pStyle")) if properties is not None else None
        shaded = in_table or (properties is not None and properties.find(f"{W}shd") is not None)
        hidden_style = self.styles.hides(style_id)
        for parent in paragraph.iter():
            for run in [child for child in parent if child.tag == f"{W}r"]:
                if self._hidden(run, hidden_style, shaded):
                    self.prepared.hidden += [t.text for t in run.iter(f"{W}t") if t.text]
                    parent.remove(run)
        words = "".join(t.text or "" for t in paragraph.iter(f"{W}t")).strip()
        if not words or properties is None:
            return
        label = self._label(properties, style_id)
        level = self._outline(properties, style_id)
        if level is not None and len(words) <= _LONGEST_HEADING:
            _set_style(properties, f"Heading{min(level, 6)}")
        if label is not None and not words.startswith(label):
            paragraph.insert(list(paragraph).index(properties) + 1, _run(f"{label} "))

    def _hidden(self, run: Element, hidden_style: bool, shaded: bool) -> bool:
        properties = run.find(f"{W}rPr")
        own = switched_on(properties, "vanish")
        if own is not None or properties is None:
            return hidden_style if own is None else own
        run_style = value(properties.find(f"{W}rStyle"))
        if self.styles.hides(run_style) or (hidden_style and run_style is None):
            return True
        size = whole(value(properties.find(f"{W}sz")))
        if size is not None and size <= _TINY:
            return True
        white = (value(properties.find(f"{W}color")) or "").casefold() == "ffffff"
        ground = shaded or any(properties.find(W + name) is not None for name in ("shd", "highlight"))
        return white and not ground

    def _label(self, properties: Element, style_id: str | None) -> str | None:
        own = properties.find(f"{W}numPr")
        found = own if own is not None else self.styles.numbering(style_id)
        if found is None:
            return None
        number_id = value(found.find(f"{W}numId"))
        if own is not None and number_id is None and (styled := self.styles.numbering(style_id)) is not None:
            number_id = value(styled.find(f"{W}numId"))
        return self.numbering.label(number_id, whole(value(found.find(f"{W}ilvl"))), style_id)

    def _outline(self, properties: Element, style_id: str | None) -> int | None:
        own = whole(value(properties.find(f"{W}outlineLvl")))
        if own is not None:
            return own + 1 if 0 <= own < 9 else None
        return self.styles.outline(style_id)


def _set_style(properties: Element, style_id: str) -> None:
    style = properties.find(f"{W}pStyle")
    if style is None:
        style = Element(f"{W}pStyle")
        properties.insert(0, style)
    style.set(f"{W}val", style_id)
    for numbered in properties.findall(f"{W}numPr"):
        properties.remove(numbered)


def _run(text: str) -> Element:
    run = Element(f"{W}r")
    words = SubElement(run, f"{W}t")
    words.set(_SPACE, "preserve")
    words.text = text
    return run


def _linear(math: Element) -> str:
    """An equation in one line: `(a)/(b)`, `x^(2)`, `√(x)`."""

    def inner(element: Element | None) -> str:
        return "" if element is None else "".join(_linear(child) for child in element)

    name = math.tag.removeprefix(_M)
    if name == "t":
        return math.text or ""
    if name == "f":
        return f"({inner(math.find(_M + 'num'))})/({inner(math.find(_M + 'den'))})"
    if name in ("sSup", "sSub", "sSubSup"):
        low, high = inner(math.find(_M + "sub")), inner(math.find(_M + "sup"))
        return inner(math.find(_M + "e")) + (f"_({low})" if low else "") + (f"^({high})" if high else "")
    if name == "rad":
        degree = inner(math.find(_M + "deg"))
        return f"√{f'[{degree}]' if degree else ''}({inner(math.find(_M + 'e'))})"
    if name == "d":
        return f"({inner(math)})"
    if name == "nary":
        sign = math.find(f"{_M}naryPr/{_M}chr")
        low, high = inner(math.find(_M + "sub")), inner(math.find(_M + "sup"))
        sign_text = "∫" if sign is None else sign.get(_M + "val", "∫")
        return f"{sign_text}_({low})^({high}) {inner(math.find(_M + 'e'))}"
    return inner(math)

"""Walks the visible part of an HTML tree in reading order and writes headings, paragraphs, lists and definitions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from citeleaf.backends import html_table
from citeleaf.backends.html_hidden import is_hidden
from citeleaf.backends.html_inline import NOT_TEXT, SUPERSCRIPT, all_bold, collapse, image_text, superscript
from citeleaf.backends.writer import Writer
from citeleaf.types import BlockKind, Notice, Span

_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_BLOCKS = frozenset(
    """address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure
    footer form header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th
    thead tr ul title""".split()
) | frozenset(_HEADINGS)
_KINDS: dict[str, BlockKind] = {"figcaption": "caption", "caption": "caption"}
_BOILERPLATE = frozenset(("nav", "header", "footer"))
_ROLES = frozenset(("navigation", "banner", "contentinfo", "search"))
_LEADS = re.compile(r"(?:[:–—]|\.\.\.|…)$|[^.!?;]$|\b(?:following|below|as follows)\b[^.!?]*[.!?]?$", re.IGNORECASE)
_BOLD_HEADING = re.compile(r"(?=.{2,100}$)[^.!?;\n]*(?:\b\w{1,4}\.[^.!?;\n]*)*[^.!?;:,\n]")
_OUTER_HEADING = re.compile(r"(?:chapter|part|section|schedule|appendix|annex|bölüm|kısım|ek)\b", re.IGNORECASE)
_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


def walked(
    root: LexborNode | None,
    notices: tuple[Notice, ...],
    *,
    hidden: frozenset[int] = frozenset(),
    alt: bool = False,
    number_lists: bool = True,
    boilerplate: bool = True,
) -> Writer:
    """All of a tree, written; options as for `Walker`. Where there is no heading, short bold lines are headings."""
    writer = Writer()
    for bold_headings in (False, True):
        found = Writer()
        found.notices += notices
        if root is not None:
            Walker(
                found,
                hidden=hidden,
                alt=alt,
                number_lists=number_lists,
                boilerplate=boilerplate,
                bold_headings=bold_headings,
            ).walk(root)
        if not bold_headings or len(found.headings) > 1:
            writer = found
        if writer.headings:
            break
    return writer


@dataclass(slots=True)
class _List:
    ordered: bool
    style: str
    count: int
    lead: tuple[Span, ...]
    item: Span | None = None


@dataclass(slots=True)
class _Left:
    """What was left out, in characters."""

    hidden: int = 0
    comments: int = 0
    boilerplate: int = 0
    words: list[str] = field(default_factory=list)


class Walker:
    """One walk over one tree.

    `hidden`: ids of elements hidden by style sheets. `alt`: images give their alternative text (Markdown, where it is
    in the file for all to read). `number_lists`: ordered lists get their numbers as text, as a browser shows them.
    `boilerplate`: navigation, page header and footer are left out. `bold_headings`: a short line all in bold is a
    heading when what follows it is none.
    """

    def __init__(
        self,
        writer: Writer,
        *,
        hidden: frozenset[int] = frozenset(),
        alt: bool = False,
        number_lists: bool = True,
        boilerplate: bool = True,
        bold_headings: bool = False,
    ) -> None:
        self.writer = writer
        self.hidden = hidden
        self.alt = alt
        self.number_lists = number_lists
        self.boilerplate = boilerplate
        self.bold_headings = bold_headings
        self.left = _Left()
        self._buffer: list[str] = []
        self._kinds: list[BlockKind] = ["paragraph"]
        self._heading = 0
        self._pre = 0
        self._inside = 0
        self._lists: list[_List] = []
        self._bare: list[bool] = []
        """For each open item whether it stands in no list."""
        self._marker = ""
        self._term = ""
        self._definition: Span | None = None
        self._lead: tuple[Span, ...] = ()
        """What a list that begins here leans on."""
        self._bold = False
        self._bold_line = ""
        """A line all in bold of which it is not known yet what follows it."""

    def walk(self, root: LexborNode) -> None:
        """Writes everything under `root`; what was left out becomes notices."""
        stack: list[tuple[LexborNode, bool]] = [(root, True)]
        while stack:
            node, entering = stack.pop()
            if not entering:
                self._leave(node)
                continue
            if node.is_text_node:
                self._buffer.append(node.text_content or "")
            elif node.is_comment_node:
                self._comment(node)
            elif node.is_element_node and self._enter(node):
                stack.append((node, False))
                children = list(node.iter(include_text=True))
                stack.extend((child, True) for child in reversed(children))
        self._flush()
        self._settle(followed=False)
        self._notices()

    # elements ---------------------------------------------------------------------------------------------------------

    def _enter(self, node: LexborNode) -> bool:
        """Opens an element; False when nothing below it is walked."""
        tag = node.tag or ""
        if tag in NOT_TEXT or self._left_out(node, tag):
            return False
        if tag == "img":
            self._buffer.append(image_text(node) if self.alt else "")
            return False
        if tag in ("br", "wbr"):
            self._buffer.append("\n" if tag == "br" and self._pre else "\x0b" if tag == "br" else "")
            return False
        if tag == SUPERSCRIPT:
            self._buffer.append(superscript(node, self.hidden))
            return False
        if tag not in _BLOCKS:
            return True
        self._flush()
        self._bold = self.bold_headings and tag == "p" and len(self._kinds) == 1 and all_bold(node)
        if tag == "table" and html_table.is_data(node):
            self._settle(followed=True)
            html_table.write(node, self.writer, self.hidden, alt=self.alt)
            self._lead = ()
            return False
        if tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag in _KINDS:
            self._kinds.append(_KINDS[tag])
        elif tag == "pre":
            self._pre += 1
        elif tag in ("main", "article"):
            self._inside += 1
        elif tag in ("ul", "ol", "menu"):
            self._open_list(node, tag)
        elif tag == "li":
            self._open_item(node)
        elif tag in ("dt", "dd"):
            self._definition = None
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag not in _BLOCKS:
            return
        if tag == "dt":
            self._term = "\n".join(filter(None, (self._term, collapse("".join(self._buffer)))))
            self._buffer.clear()
            return
        self._flush()
        if tag in _HEADINGS:
            self._heading = 0
        elif tag in _KINDS:
            self._kinds.pop()
        elif tag == "pre":
            self._pre -= 1
        elif tag in ("main", "article"):
            self._inside -= 1
        elif tag in ("ul", "ol", "menu"):
            self._lead = self._lists.pop().lead
        elif tag == "li":
            self._close_item()
        elif tag in ("dd", "dl"):
            if self._term:
                self.writer.block("paragraph", self._term)
            self._term = ""
            self._definition = None

    def _open_list(self, node: LexborNode, tag: str) -> None:
        outer = self._lists[-1] if self._lists else None
        if outer is not None and outer.item is not None:
            lead = (*outer.lead, outer.item)
        elif self._definition is not None:
            lead = (self._definition,)
        else:
            lead = self._lead
        start = node.attributes.get("start") or ""
        first = int(start) if re.fullmatch(r"-?\d{1,6}", start) else 1
        self._lists.append(_List(tag == "ol", node.attributes.get("type") or "1", first - 1, lead))

    def _open_item(self, node: LexborNode) -> None:
        self._bare.append(not self._lists)
        if not self._lists:
            self._lists.append(_List(False, "1", 0, self._lead))
        inner = self._lists[-1]
        value = node.attributes.get("value") or ""
        inner.count = int(value) if re.fullmatch(r"-?\d{1,6}", value) else inner.count + 1
        inner.item = None
        footnote = (node.attributes.get("id") or "").startswith(("footnote-", "endnote-"))
        self._kinds.append("note" if footnote else "list_item")
        self._marker = f"{_ordinal(inner.count, inner.style)}." if inner.ordered and self.number_lists else ""
        if footnote:
            self._marker = superscript_number(inner.count)

    def _close_item(self) -> None:
        self._kinds.pop()
        self._marker = ""
        self._lists[-1].item = None
        if self._bare.pop():
            self._lead = self._lists.pop().lead

    # text -------------------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Writes what has been collected as one heading or block."""
        raw = "".join(self._buffer)
        self._buffer.clear()
        text = raw.strip("\n").rstrip() if self._pre else collapse(raw)
        if not text.strip():
            return
        kind = self._kinds[-1]
        bold, self._bold = self._bold and _BOLD_HEADING.fullmatch(text) is not None, False
        self._settle(followed=not bold and not self._heading)
        if bold:
            self._bold_line = text
            return
        if self._heading:
            span = self.writer.heading(text, self._heading)
            self._lead = (span,) if span is not None and text.endswith(":") else ()
            return
        if self._term and kind == "paragraph":
            self._definition = self.writer.definition(self._term, text)
            self._term = ""
            return
        if kind == "list_item" and self._lists:
            text, self._marker = f"{self._marker} {text}".strip(), ""
            inner = self._lists[-1]
            span = self.writer.block("list_item", text, inner.lead)
            inner.item = inner.item or span
            return
        if kind == "note":
            text, self._marker = f"{self._marker} {text.rstrip('↑').rstrip()}".strip(), ""
        lead = (self._definition,) if self._definition is not None and kind == "paragraph" else ()
        span = self.writer.block(kind, text, lead)
        self._lead = (span,) if span is not None and kind == "paragraph" and _LEADS.search(text) else ()

    def _settle(self, *, followed: bool) -> None:
        """Writes a waiting line in bold: as a heading when text follows it, else as a paragraph."""
        text, self._bold_line = self._bold_line, ""
        if text and followed:
            self.writer.heading(text, 1 if _OUTER_HEADING.match(text) else 2)
            self._lead = ()
        elif text:
            self.writer.block("paragraph", text)
            self._lead = ()

    # what is left out -------------------------------------------------------------------------------------------------

    def _left_out(self, node: LexborNode, tag: str) -> bool:
        if node.mem_id in self.hidden or is_hidden(node):
            words = node.text(separator=" ").split()
            self.left.hidden += sum(map(len, words))
            self.left.words += words[: max(0, 12 - len(self.left.words))]
            return True
        role = (node.attributes.get("role") or "").casefold()
        outer = self.boilerplate and (role in _ROLES or (tag in _BOILERPLATE and (tag == "nav" or not self._inside)))
        if outer and (tag == "nav" or node.css_first("h1") is None):
            self.left.boilerplate += len("".join(node.text().split()))
            return True
        return False

    def _comment(self, node: LexborNode) -> None:
        words = (node.comment_content or "").strip()
        if words and not words.startswith(("[if", "<![", "[endif")):
            self.left.comments += 1

    def _notices(self) -> None:
        notices = self.writer.notices
        if self.left.hidden:
            first = " ".join(self.left.words)[:120]
            detail = f"{self.left.hidden} characters that a reader does not see were left out, beginning `{first}`"
            notices.append(Notice("hidden_text", detail))
        if self.left.comments:
            notices.append(Notice("comments", f"{self.left.comments} comments were left out"))
        if self.left.boilerplate:
            detail = f"{self.left.boilerplate} characters of navigation, page header and footer were left out"
            notices.append(Notice("boilerplate", detail))


def superscript_number(n: int) -> str:
    """`12` as it stands above the line: `¹²`."""
    return str(n).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _ordinal(n: int, style: str) -> str:
    if style in ("a", "A") and n > 0:
        letters = ""
        while n > 0:
            n, rest = divmod(n - 1, 26)
            letters = chr(ord(style) + rest) + letters
        return letters
    if style in ("i", "I") and 0 < n < 40:
        out = ""
        for value, sign in _ROMAN:
            while n >= value:
                out += sign
                n -= value
        return out if style == "i" else out.upper()
    return str(n)

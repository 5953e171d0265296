"""Text inside a paragraph or a cell: white space as a browser shows it, images, raised numbers."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from citeleaf.backends.html_hidden import is_hidden

NOT_TEXT = frozenset(
    """script style template noscript head meta link base iframe object embed applet canvas audio video source track svg
    select datalist option input textarea button area map frame frameset noframes""".split()
)
"""Elements whose content is no text of the page."""
SUPERSCRIPT = "sup"
BREAK = "\x0b"
"""Stands for a line break while text is collected."""
_RAISED = str.maketrans("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
_NUMBER = re.compile(r"\[?([0-9]{1,3}|[+-]?[0-9]{1,3})\]?")


def collapse(text: str) -> str:
    """White space runs become one space; a line break stays a line break."""
    lines = (" ".join(line.split()) for line in text.split(BREAK))
    return "\n".join(line for line in lines if line)


def image_text(node: LexborNode) -> str:
    """An image's alternative text, or nothing."""
    return " ".join((node.attributes.get("alt") or "").split())


def all_bold(node: LexborNode) -> bool:
    """Whether all text of an element is set in bold."""
    words = "".join(node.text().split())
    bold = (part for part in node.css("b, strong") if part.parent is None or part.parent.tag not in ("b", "strong"))
    return bool(words) and "".join("".join(part.text() for part in bold).split()) == words


def superscript(node: LexborNode, hidden: frozenset[int]) -> str:
    """The text of a raised element. A number is raised too: `10<sup>6</sup>` is not 106, and a note mark no digit.

    The brackets around a note's number are left out, as they could be taken for a citation.
    """
    words = inline_text(node, hidden)
    number = _NUMBER.fullmatch(words)
    return number[1].translate(_RAISED) if number else words


def inline_text(root: LexborNode, hidden: frozenset[int], *, alt: bool = False) -> str:
    """All visible text below an element in one line."""
    parts: list[str] = []
    stack: list[LexborNode] = list(reversed(list(root.iter(include_text=True))))
    while stack:
        node = stack.pop()
        if node.is_text_node:
            parts.append(node.text_content or "")
            continue
        tag = node.tag or ""
        if not node.is_element_node or tag in NOT_TEXT or node.mem_id in hidden or is_hidden(node):
            continue
        if tag == "img":
            parts.append(image_text(node) if alt else "")
        elif tag == SUPERSCRIPT:
            parts.append(superscript(node, hidden))
        else:
            if tag in ("br", "p", "div", "li", "ul", "ol", "td", "tr"):
                parts.append(" ")
            stack.extend(reversed(list(node.iter(include_text=True))))
    return " ".join("".join(parts).split())

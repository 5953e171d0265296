"""Which parts of an HTML page no reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

_STYLE = re.compile(
    r"""display\s*:\s*none | visibility\s*:\s*(?:hidden|collapse) | opacity\s*:\s*0?\.?0+(?:%|\s*(?:;|!|$))
      | font-size\s*:\s*(?:0*\.0+|0+(?:\.0+)?)(?![\d.]) | font-size\s*:\s*0*(?:\.\d+|1(?:\.0+)?)(?:px|pt)
      | font-size\s*:\s*0*\.0\d*r?em
      | text-indent\s*:\s*-\d{3,} | (?:left|top|right|bottom|margin-left|margin-top)\s*:\s*-\d{4,}
      | clip\s*:\s*rect\(\s*0 | clip-path\s*:\s*inset\(\s*(?:50|100)% | (?<![\w-])color\s*:\s*transparent""",
    re.VERBOSE | re.IGNORECASE,
)
_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*([^;!]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_WHITE = frozenset(("white", "#fff", "#ffffff", "rgb(255,255,255)"))
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r"[{}]")
_MOST_RULES = 2000


def hides(style: str) -> bool:
    """Whether a style attribute or rule hides its text: not displayed, no size, off the page, colour of the ground."""
    if not style:
        return False
    if _STYLE.search(style):
        return True
    colour = _COLOUR.search(style)
    if colour is None:
        return False
    ground = _BACKGROUND.search(style)
    ink = "".join(colour[1].casefold().split())
    paper = "".join(ground[1].casefold().split()) if ground else "white"
    return ink == paper or (ink in _WHITE and paper in _WHITE)


def is_hidden(node: LexborNode) -> bool:
    """Whether the element itself hides what is in it, by attribute or its own style."""
    attributes = node.attributes
    return (
        "hidden" in attributes
        or (attributes.get("aria-hidden") or "").strip().casefold() == "true"
        or hides(attributes.get("style") or "")
    )


def hidden_by_rules(tree: LexborHTMLParser) -> frozenset[int]:
    """Ids of the elements that the page's own style sheets hide; rules for other media than the screen do not count."""
    found: set[int] = set()
    for n, (selector, body) in enumerate(_rules(tree)):
        if n >= _MOST_RULES:
            break
        if ":" in selector or not hides_wholly(body):
            continue
        try:
            found.update(node.mem_id for node in tree.css(selector))
        except ValueError:
            continue
    return frozenset(found)


def hides_wholly(body: str) -> bool:
    """A rule's colour says nothing without the ground it lies on, so only the plain ways of hiding count."""
    return _STYLE.search(body) is not None


def _rules(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Selector and declarations of each rule outside `@media`, and inside it where the screen is meant."""
    for sheet in tree.css("style"):
        css = _COMMENT.sub(" ", sheet.text())
        at = 0
        open_: list[tuple[str, int]] = []
        for brace in _TOKEN.finditer(css):
            if brace.group() == "{":
                open_.append((css[at : brace.start()].rpartition(";")[2].strip(), brace.end()))
            elif open_:
                prelude, start = open_.pop()
                outer = [p for p, _ in open_]
                if not prelude.startswith("@") and all(_is_screen(p) for p in outer):
                    yield prelude, css[start : brace.start()]
            at = brace.end()


def _is_screen(prelude: str) -> bool:
    return " ".join(prelude.casefold().split()) in ("@media screen", "@media all", "@media only screen")

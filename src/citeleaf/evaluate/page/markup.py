"""HTML as values: whatever is not markup already is escaped, so that no text can become markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

_VOID = frozenset(("br", "input", "link", "meta"))
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class Html(str):
    """Markup. Joined to a plain `str` by `+` or an f-string it is a plain `str` again, and so escaped when used."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"
Attribute: TypeAlias = "str | int | float | bool | None"


def tag(name: str, *children: Child, **attributes: Attribute) -> Html:
    """An element. Children that are not `Html` are text; None is nothing; iterables are taken one by one.

    In attribute names a last underscore is dropped and others are hyphens (`class_`, `aria_label`); an attribute is
    left out when None or False and bare when True. Raises `ValueError` for a link that leaves the page.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        shown = key.rstrip("_").replace("_", "-")
        if shown in ("href", "src") and not str(value).startswith("#"):
            raise ValueError(f"a link inside the page starts with #, not {value!r}")
        parts.append(shown if value is True else f'{shown}="{text(str(value))}"')
    start = f"<{' '.join(parts)}>"
    return Html(start) if name in _VOID else Html(f"{start}{join(children)}</{name}>")


def join(children: Iterable[Child], between: Child = None) -> Html:
    """Children one after the other, escaped where they are not `Html`."""
    separator = _child(between)
    return Html(separator.join(_child(child) for child in children))


def text(value: str) -> Html:
    """Text, cleaned and made safe for element content and for attributes in double quotes."""
    return Html(escape(clean(value), quote=True))


def clean(value: str) -> str:
    """The text as the page holds it: control characters but tab and line feed, and lone surrogates, become U+FFFD."""
    return _UNSHOWN.sub("\ufffd", value)


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return str(child)
    if isinstance(child, str | int):
        return str(text(str(child)))
    return str(join(child))

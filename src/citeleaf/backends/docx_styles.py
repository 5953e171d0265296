"""What the styles and numbering of a Word file say: outline levels, hidden text, and the numbers Word prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = frozenset(("0", "false", "off", "none"))
_MOST_LEVELS = 9
_LONGEST_CHAIN = 32


def value(element: Element | None, name: str = "val") -> str | None:
    """An attribute of a `w:` element."""
    return None if element is None else element.get(W + name)


def switched_on(properties: Element | None, name: str) -> bool | None:
    """A switch such as `vanish`: on, off, or None where it is not set."""
    found = None if properties is None else properties.find(W + name)
    return None if found is None else (value(found) or "1").casefold() not in _OFF


def whole(text: str | None) -> int | None:
    """A whole number, or None."""
    try:
        return int(text) if text is not None and len(text) < 10 else None
    except ValueError:
        return None


class Styles:
    """Styles by id, each with what it is based on."""

    def __init__(self, root: Element | None) -> None:
        styles = root.iter(W + "style") if root is not None else iter(())
        self._by_id = {style.get(W + "styleId", ""): style for style in styles}

    def chain(self, style_id: str | None) -> Iterator[Element]:
        """A style and what it is based on, nearest first."""
        for _ in range(_LONGEST_CHAIN):
            style = self._by_id.get(style_id or "")
            if style is None:
                return
            yield style
            style_id = value(style.find(W + "basedOn"))

    def name(self, style_id: str | None) -> str:
        """The style's own name in lower case; built-in styles have English names in every language."""
        style = self._by_id.get(style_id or "")
        return (value(style.find(W + "name")) or "").casefold() if style is not None else ""

    def hides(self, style_id: str | None) -> bool:
        """Whether the style hides its text."""
        for style in self.chain(style_id):
            if (hidden := switched_on(style.find(W + "rPr"), "vanish")) is not None:
                return hidden
        return False

    def outline(self, style_id: str | None) -> int | None:
        """Heading level from 1, or None for body text."""
        for style in self.chain(style_id):
            properties = style.find(W + "pPr")
            level = whole(value(properties.find(W + "outlineLvl"))) if properties is not None else None
            if level is not None:
                return level + 1 if 0 <= level < _MOST_LEVELS else None
            name = (value(style.find(W + "name")) or "").casefold()
            if name.startswith("heading ") and (level := whole(name[8:])) is not None:
                return level
        return None

    def numbering(self, style_id: str | None) -> Element | None:
        """The nearest `w:numPr` of the style."""
        for style in self.chain(style_id):
            properties = style.find(W + "pPr")
            found = properties.find(W + "numPr") if properties is not None else None
            if found is not None:
                return found
        return None


@dataclass(slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    text: str = ""
    style: str | None = None


@dataclass(slots=True)
class _Counters:
    levels: dict[int, _Level]
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts the numbered paragraphs in reading order, as Word does."""

    def __init__(self, root: Element | None) -> None:
        self._lists: dict[str, _Counters] = {}
        self._abstract: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        if root is None:
            return
        for abstract in root.findall(W + "abstractNum"):
            levels = {whole(lvl.get(W + "ilvl")) or 0: _level(lvl) for lvl in abstract.findall(W + "lvl")}
            self._lists[abstract.get(W + "abstractNumId", "")] = _Counters(levels)
        for num in root.findall(W + "num"):
            number_id = num.get(W + "numId", "")
            self._abstract[number_id] = value(num.find(W + "abstractNumId")) or ""
            starts = ((o.get(W + "ilvl"), value(o.find(W + "startOverride"))) for o in num.findall(W + "lvlOverride"))
            self._restarts[number_id] = {
                whole(level) or 0: start for level, text in starts if (start := whole(text)) is not None
            }

    def label(self, number_id: str | None, level: int | None, style_id: str | None) -> str | None:
        """The number printed in front of the list's next paragraph: `3.2`, `(a)`; None for a bullet or no list."""
        counters = self._lists.get(self._abstract.get(number_id or "", ""))
        if counters is None or number_id is None:
            return None
        if level is None:
            level = next((n for n, found in counters.levels.items() if found.style and found.style == style_id), 0)
        rule = counters.levels.get(level)
        if rule is None:
            return None
        if (restart := self._restarts.get(number_id, {}).pop(level, None)) is not None:
            counters.counts[level] = restart
        else:
            counters.counts[level] = counters.counts.get(level, rule.start - 1) + 1
        for deeper in [n for n in counters.counts if n > level]:
            del counters.counts[deeper]
        if rule.form in ("bullet", "none"):
            return None
        label = rule.text
        for n in range(level + 1):
            above = counters.levels.get(n, rule)
            label = label.replace(f"%{n + 1}", _formatted(counters.counts.get(n, above.start), above.form))
        return label.strip() or None


def _level(lvl: Element) -> _Level:
    start = whole(value(lvl.find(W + "start")))
    return _Level(
        start=1 if start is None else start,
        form=value(lvl.find(W + "numFmt")) or "decimal",
        text=value(lvl.find(W + "lvlText")) or "",
        style=value(lvl.find(W + "pStyle")),
    )


def _formatted(n: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and 0 < n < 1000:
        letter = chr(ord("a") + (n - 1) % 26) * (1 + (n - 1) // 26)
        return letter if form == "lowerLetter" else letter.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < n < 4000:
        roman = _roman(n)
        return roman if form == "lowerRoman" else roman.upper()
    return f"{n:02d}" if form == "decimalZero" else str(n)


def _roman(n: int) -> str:
    signs = "m cm d cd c xc l xl x ix v iv i".split()
    out = ""
    for size, sign in zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), signs, strict=True):
        out += sign * (n // size)
        n %= size
    return out

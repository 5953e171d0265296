"""A page of an evaluation as a test reads it: elements, text, links to rows, rows."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import parse_qs


class Page(HTMLParser):
    """The elements of a page, the text inside each, and its rows."""

    VOID = frozenset(("meta", "input", "br"))

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.links: list[tuple[str, dict[str, list[str]]]] = []
        self.open: list[str] = []
        self.said: list[str] = []
        self.unclosed: list[str] = []
        self._show: str | None = None
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
        self._show = dict(attrs).get("data-show") if tag == "a" else None

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.unclosed.append(tag)
        self._show = None

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["script"], ["style"]):
            self.said.append(data)
        if self._show is not None:
            self.links.append((data, parse_qs(self._show)))

    @property
    def text(self) -> str:
        return "".join(self.said)

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]

    @property
    def rows(self) -> list[dict[str, str | None]]:
        return [attrs for attrs in self.attributes("details") if "data-figures" in attrs]

    def matching(self, wanted: dict[str, list[str]]) -> int:
        return sum(self._fits(row, wanted) for row in self.rows)

    @staticmethod
    def _fits(row: dict[str, str | None], wanted: dict[str, list[str]]) -> bool:
        for name, values in wanted.items():
            if name == "figure":
                have = {pair.rpartition("=")[0] for pair in (row["data-figures"] or "").split()}
                if not have & set(values[0].split()):
                    return False
            elif name in ("failed", "changed"):
                if f"data-{name}" not in row:
                    return False
            elif row[f"data-{name}"] != values[0]:
                return False
        return True

"""Turns the policy's plain-text sources into the pieces of a page.

One source line is one piece:

    @layout one|two|wide    page layout of the next section; alone, a new page in that layout
    @ligatures on           body text of this file uses the ligatures of its typeface
    @table TITLE; widths=.. a table; the `|` rows that follow belong to it, the first row is its heading
    @index, @sources        the lines that follow are index entries, or a list of papers
    # 4 Title               a section; the next line is its lead
    ## 4.1 Title            a subsection
    4.1.1 text              a numbered clause
    (a) text                a list item; with two spaces before it, an item (i) of a list inside a list
    = text                  the clause goes on after its list
    > Title | text          a boxed note
    ^ Title | text          a side note in the margin (layout `one` only)
    Term :: meaning         a definition, or an index entry
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LIGATURES = (("ffi", "\ufb03"), ("ff", "\ufb00"), ("fi", "\ufb01"), ("fl", "\ufb02"))
SOFT_HYPHENS = (
    "re-in-state-ment", "re-place-ment", "em-ploy-ees", "em-ploy-ee", "prop-er-ty", "prem-is-es", "in-sur-ance",
    "ma-chin-ery", "com-pen-sa-tion", "pub-lic", "build-ings", "build-ing", "dam-age", "ex-tin-guish-er", "con-tract",
    "au-thor-ity", "cus-tom-ers", "reg-is-tered", "ve-hi-cles", "ve-hi-cle", "li-a-ble", "li-a-bil-ity", "rea-son-able",
    "un-oc-cu-pied", "oc-cu-pied", "elec-tric-ity", "in-dem-ni-ty", "pre-mi-um", "ob-li-ga-tion", "in-spect-ed",
    "re-pair-ing", "ma-li-cious", "work-ing", "con-tents", "sched-ule", "ac-ci-dent", "for-mat-ion", "sup-pli-er",
    "tem-per-a-ture", "cig-a-rettes", "stock-take", "res-er-voir", "per-ma-nent", "ap-pren-tice-ship", "vol-un-teer",
)  # fmt: skip
_SOFT = {word.replace("-", ""): word.replace("-", "\u00ad") for word in SOFT_HYPHENS}
_LONG_WORD = re.compile(r"\b[a-z]{6,}\b")
_HEADING = re.compile(r"^(#{1,2}) (?:(\d+(?:\.\d+)?) )?(.+)$")
_CLAUSE = re.compile(r"^(\d+\.\d+\.\d+) (.+)$")
_ITEM = re.compile(r"^(  )?(\([a-z]+\)) (.+)$")
_REFERENCE = re.compile(r"Section (\d+(?:\.\d+){0,2})(\([a-z]\))?")


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of the booklet, in reading order.

    `kind` is one of layout, section, lead, subsection, clause, item, subitem, more, note, side, term, entry, paper,
    table. `label` is the number, list mark, term or title it carries, or "". `rows` is filled for a table only,
    headings first; `widths` are its column widths in per cent.
    """

    kind: str
    label: str = ""
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    widths: tuple[int, ...] = ()
    ligatures: bool = False


def pieces(folder: Path) -> tuple[Piece, ...]:
    """Every piece of the sources in `folder`, files in order of name.

    Raises ValueError where a line cannot be read or a cross reference names a clause that does not exist.
    """
    found = tuple(piece for path in sorted(folder.glob("*.md")) for piece in _read(path))
    _check_references(found)
    return found


def soften(text: str) -> str:
    """`text` with soft hyphens where the words of `SOFT_HYPHENS` may be broken."""
    return _LONG_WORD.sub(lambda match: _SOFT.get(match[0], match[0]), text)


def _quoted(text: str) -> str:
    """`text` with typographic quotation marks and apostrophes."""
    return re.sub(r'"([^"]*)"', "\u201c\\1\u201d", text).replace("'", "\u2019")


def _ligate(text: str) -> str:
    for plain, joined in LIGATURES:
        text = text.replace(plain, joined)
    return text


def _read(path: Path) -> Iterator[Piece]:
    mode, joined, lead = "", False, False
    lines = _quoted(path.read_text(encoding="utf-8")).splitlines()
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if not line.strip():
            continue
        if line.startswith("@table "):
            rows: list[tuple[str, ...]] = []
            while position < len(lines) and lines[position].startswith("|"):
                rows.append(tuple(cell.strip() for cell in lines[position].strip("|").split("|")))
                position += 1
            title, _, widths = line.removeprefix("@table ").partition("; widths=")
            yield Piece("table", title, rows=tuple(rows), widths=tuple(int(width) for width in widths.split(",")))
        elif line.startswith("@ligatures"):
            joined = True
        elif line.startswith("@layout "):
            yield Piece("layout", line.removeprefix("@layout "))
        elif line in {"@index", "@sources"}:
            mode = line
        elif lead:
            yield Piece("lead", text=line)
            lead = False
        else:
            piece = _line(line, mode, path)
            lead = piece.kind == "section"
            plain = not joined or piece.kind in {"section", "subsection"}
            yield piece if plain else Piece(piece.kind, piece.label, _ligate(piece.text), ligatures=True)


def _line(line: str, mode: str, path: Path) -> Piece:
    if heading := _HEADING.match(line):
        return Piece("section" if heading[1] == "#" else "subsection", heading[2] or "", heading[3])
    if clause := _CLAUSE.match(line):
        return Piece("clause", clause[1], clause[2])
    if item := _ITEM.match(line):
        return Piece("subitem" if item[1] else "item", item[2], item[3])
    if line.startswith("= "):
        return Piece("more", text=line[2:])
    if line.startswith(("> ", "^ ")):
        title, _, text = line[2:].partition(" | ")
        return Piece("note" if line[0] == ">" else "side", title, text)
    if " :: " in line:
        term, _, text = line.partition(" :: ")
        return Piece("entry" if mode == "@index" else "term", term, text)
    if mode == "@sources":
        return Piece("paper", text=line)
    raise ValueError(f"{path.name}: cannot read the line {line!r}")


def _check_references(found: tuple[Piece, ...]) -> None:
    known: set[str] = set()
    clause = ""
    for piece in found:
        if piece.kind in {"section", "subsection", "clause"}:
            clause = piece.label
            known.add(clause)
        elif piece.kind == "item":
            known.add(clause + piece.label)
    for piece in found:
        for text in (piece.text, *(cell for row in piece.rows for cell in row)):
            for match in _REFERENCE.finditer(text):
                if match[1] + (match[2] or "") not in known:
                    raise ValueError(f"{piece.label}: {match[0]} does not exist")

"""Rebuild the pack's Word policies from their Markdown sources.

Run `python examples/kyc/build.py` after changing a source, then `python examples/lock.py examples/kyc`. Equal sources
give equal bytes: the archive members are stored uncompressed, in the order of their names, with one fixed date.
"""

from __future__ import annotations

import io
import re
import zipfile
from datetime import datetime
from pathlib import Path

from docx import Document
from docx.document import Document as Word
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement

HERE = Path(__file__).parent
WORD_POLICIES = ("pep", "mon")
EPOCH = (1980, 1, 1, 0, 0, 0)
BOLD = re.compile(r"\*\*(.+?)\*\*")


def word_bytes(markdown: str) -> bytes:
    """Return the Word file for a policy in Markdown.

    Read are headings (`#` to `####`), pipe tables, `- ` lists, `**bold**` and paragraphs of one line; anything else in
    the source stays as the characters it is made of.
    """
    lines = markdown.splitlines()
    word = Document()
    slim(word)
    word.core_properties.title = lines[0].removeprefix("# ")
    word.core_properties.author = "Tarnwick Bank"
    word.core_properties.comments = ""
    word.core_properties.created = word.core_properties.modified = datetime(2026, 1, 1)
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("|"):
            end = next((n for n in range(at, len(lines)) if not lines[n].startswith("|")), len(lines))
            add_table(word, lines[at:end])
            at = end
            continue
        if line.startswith("#"):
            marks, _, text = line.partition(" ")
            # The title of the file is Word's own "Title"; sections start at "Heading 1".
            word.add_heading(text, level=len(marks) - 1)
        elif line.startswith("- "):
            add_runs(word.add_paragraph(style="List Bullet"), line[2:])
        elif line:
            add_runs(word.add_paragraph(), line)
        at += 1
    buffer = io.BytesIO()
    word.save(buffer)
    return fixed_archive(buffer.getvalue())


def slim(word: Word) -> None:
    """Drop the template's unused table styles, effects and thumbnail: nine tenths of an uncompressed file."""
    for style in list(word.styles):
        if style.type == WD_STYLE_TYPE.TABLE and style.name not in {"Normal Table", "Table Grid"}:
            style.delete()
    for rels in (word.part.rels, word.part.package.rels):
        for name, rel in list(rels.items()):
            if rel.reltype.endswith(("/stylesWithEffects", "/thumbnail", "/customXml")):
                del rels[name]


def add_table(word: Word, lines: list[str]) -> None:
    """Add a pipe table; its first line is the header row and its second the ruler, which is left out."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    del rows[1]
    table = word.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    # Marks the first row as a header, so that readers need not guess which row names the columns.
    table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def add_runs(paragraph: object, text: str) -> None:
    """Add `text` to a Word paragraph, with the parts between double asterisks in bold."""
    for n, part in enumerate(BOLD.split(text)):
        if part:
            paragraph.add_run(part).bold = n % 2 == 1 or None  # type: ignore[attr-defined]


def fixed_archive(data: bytes) -> bytes:
    """Return the same archive with members stored, sorted and dated alike, its bytes hanging on its content alone."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
        # Readers of the format look for the content types first.
        for name in sorted(source.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            info = zipfile.ZipInfo(name, EPOCH)
            info.create_system = 0
            target.writestr(info, source.read(name))
    return out.getvalue()


def main() -> None:
    """Rebuild the Word policies."""
    for name in WORD_POLICIES:
        source = (HERE / "sources" / f"{name}.md").read_text(encoding="utf-8")
        (HERE / "policies" / f"{name}.docx").write_bytes(word_bytes(source))


if __name__ == "__main__":
    main()

"""Whether the quotations of an evaluation run stand on their pages, and their rectangles on the right lines.

    python bench/quotes.py RUN [--library FOLDER] [--sheets FOLDER] [--crops N]

Checked with plain pdfium on the files that were asked, without the parser of the product. A quotation is on its page
when its letters and digits stand there in one run, as pdfium gives the page's text, or its start does and the rest
stands in one run on the next page. It is in its rectangles when the longest common subsequence of its letters and
digits and those whose middles pdfium puts inside them covers nine tenths of the longer of the two. `--sheets` draws N
quotations (faulty ones first, then evenly over the run) as they look on the page, for a person to look at. Faults go
to stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
from PIL import Image, ImageDraw, ImageFont
from pypdfium2 import PdfPosConv
from pypdfium2.raw import FPDFText_GetUnicode

WHOLE = 0.9
"""Share of letters and digits that a quotation and the words in its rectangles must have in common."""
_GRID = 100_000
"""Steps across a page when points are turned into fractions: pdfium gives whole numbers."""
_ROWS = 6
_PLAIN = str.maketrans({"\t": " | ", "–": "-", "—": "-", "•": "*"})
"""What the font of the sheets lacks."""
_CROP, _TEXT = 1000, 560


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page (from 1), in fractions of what is seen, origin top left."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Cited:
    """One quotation of a run: where it was said, in which file, on which page, in which rectangles."""

    row: str
    n: int
    file: Path
    page: int
    quote: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """A quotation with what pdfium says of it; `share` is what it has in common with the words in its rectangles."""

    cited: Cited
    on_page: bool
    inside: str
    share: float

    @property
    def in_rects(self) -> bool:
        """Whether the rectangles hold the quotation and little else."""
        return self.share >= WHOLE

    @property
    def fault(self) -> bool:
        """Whether anything is wrong with it."""
        return not (self.on_page and self.in_rects)


class Pages:
    """Pages of a document (from 1) as pdfium reads them, each read once."""

    def __init__(self, document: pypdfium2.PdfDocument) -> None:
        self._document = document
        self._texts: dict[int, str] = {}
        self._letters: dict[int, list[tuple[str, float, float]]] = {}

    def text(self, number: int) -> str:
        """The folded text of a page; empty for one after the last."""
        if number not in self._texts:
            there = number <= len(self._document)
            text = self._document[number - 1].get_textpage().get_text_bounded() if there else ""
            self._texts[number] = folded(text)
        return self._texts[number]

    def letters(self, number: int) -> list[tuple[str, float, float]]:
        """Characters with the middles of their boxes, in fractions of what is seen, in pdfium's order."""
        if number not in self._letters:
            self._letters[number] = letters(self._document[number - 1])
        return self._letters[number]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of an evaluation run")
    parser.add_argument("--library", type=Path, help="library that was asked, if it is not the run's own")
    parser.add_argument("--sheets", type=Path, help="folder for pictures of quotations")
    parser.add_argument("--crops", type=int, default=36, help="quotations to draw (default 36)")
    options = parser.parse_args()
    cited = list(citations(options.run, options.library or options.run / "library"))
    seen = [view for file in dict.fromkeys(c.file for c in cited) for view in look(file, cited)]
    for view in seen:
        if view.fault:
            what = ("" if view.on_page else "not on its page; ") + f"{view.share:.2f} in rectangles: {view.inside!r}"
            print(
                f"{view.cited.row} [{view.cited.n}] page {view.cited.page}: {view.cited.quote!r}: {what}",
                file=sys.stderr,
            )
    if options.sheets:
        draw(chosen(seen, options.crops), options.sheets)
    n, on_page, in_rects = len(seen), sum(v.on_page for v in seen), sum(v.in_rects for v in seen)
    shares = {"share_on_page": on_page / n, "share_in_rects": in_rects / n} if n else {}
    print(json.dumps({"quotes": n, "on_page": on_page, "in_rects": in_rects, **shares}, indent=2))
    return 0


def citations(run: Path, library: Path) -> Iterator[Cited]:
    """The quotations with pages of all answered rows, each (file, words, rectangles) once, in order."""
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    files = {d["id"]: library / "sources" / f"{d['sha256']}.pdf" for d in manifest["documents"]}
    met: set[tuple[object, ...]] = set()
    for line in (run / "rows.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        answer: dict[str, Any] = row.get("answer") or {}
        if answer.get("outcome") != "answered":
            continue
        for c in answer["citations"]:
            boxes = tuple(Box(r["page"], r["x0"], r["y0"], r["x1"], r["y1"]) for r in c["rects"])
            key = (c["doc_id"], c["page"], c["quote"], boxes)
            if c["page"] is not None and key not in met:
                met.add(key)
                yield Cited(row["id"], c["n"], files[c["doc_id"]], c["page"], c["quote"], boxes)


def look(file: Path, cited: Sequence[Cited]) -> Iterator[Seen]:
    """What pdfium says of the quotations from one file."""
    with pypdfium2.PdfDocument(file) as document:
        pages = Pages(document)
        for c in (c for c in cited if c.file == file):
            inside = " ".join(words_in(pages.letters(box.page), box) for box in c.boxes)
            quote, found = folded(c.quote), folded(inside)
            longest = max(len(quote), len(found))
            share = common(quote, found) / longest if longest else 0.0
            yield Seen(c, stands(quote, pages.text(c.page), pages.text(c.page + 1)), inside, share)


def folded(text: str) -> str:
    """Letters and digits alone, compatibility forms joined, without case."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def stands(quote: str, page: str, following: str) -> bool:
    """Whether folded words stand on a page in one run, or start there and go on in one run on the next."""
    if not quote or quote in page:
        return bool(quote)
    low, high = 0, len(quote) - 1
    while low < high:  # the longest start that stands on the page: every shorter one does too
        middle = (low + high + 1) // 2
        low, high = (middle, high) if quote[:middle] in page else (low, middle - 1)
    return low > 0 and quote[low:] in following


def common(a: str, b: str) -> int:
    """Length of the longest common subsequence, by Hyyrö's bit vectors (2004)."""
    masks: dict[str, int] = defaultdict(int)
    for i, c in enumerate(a):
        masks[c] |= 1 << i
    full = (1 << len(a)) - 1
    state = full
    for c in b:
        met = state & masks[c]
        state = ((state + met) | (state - met)) & full
    return len(a) - state.bit_count()


def letters(page: pypdfium2.PdfPage) -> list[tuple[str, float, float]]:
    """Characters with the middles of their boxes, through pdfium's own way from a page's space to what is seen."""
    place = PdfPosConv(page, (0, 0, _GRID, _GRID, 0))
    text = page.get_textpage()
    out = []
    for i in range(text.count_chars()):
        left, bottom, right, top = text.get_charbox(i)
        x, y = place.to_bitmap((left + right) / 2, (bottom + top) / 2)
        out.append((chr(FPDFText_GetUnicode(text, i)), x / _GRID, y / _GRID))
    return out


def words_in(page: Sequence[tuple[str, float, float]], box: Box) -> str:
    """The characters of a page whose middles lie in a rectangle."""
    return "".join(c for c, x, y in page if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1)


def chosen(seen: Sequence[Seen], n: int) -> list[Seen]:
    """Faulty ones first, then others evenly over the run, `n` in all."""
    faulty = [v for v in seen if v.fault][:n]
    sound = [v for v in seen if not v.fault]
    left = min(n - len(faulty), len(sound))
    return [*faulty, *(sound[i * len(sound) // left] for i in range(left))]


def draw(seen: Sequence[Seen], folder: Path) -> None:
    """Sheets of pictures, `_ROWS` quotations on each: the place on the page with its rectangles, the words beside."""
    folder.mkdir(parents=True, exist_ok=True)
    font = ImageFont.load_default(15)
    for first in range(0, len(seen), _ROWS):
        rows = [_row(view, font) for view in seen[first : first + _ROWS]]
        sheet = Image.new("RGB", (_CROP + _TEXT, sum(row.height for row in rows)), "white")
        at = 0
        for row in rows:
            sheet.paste(row, (0, at))
            at += row.height
        sheet.save(folder / f"quotes-{first // _ROWS + 1:02}.png")


def _row(view: Seen, font: Any) -> Image.Image:
    cited = view.cited
    mark = "" if view.on_page else " NOT ON PAGE"
    head = f"{cited.row} [{cited.n}] page {cited.page}, in rectangles {view.share:.2f}{mark}"
    text = "\n".join([head, "", *textwrap.wrap(cited.quote.translate(_PLAIN), 68)])
    crops = [_crop(cited, number) for number in sorted({box.page for box in cited.boxes})]
    height = max(sum(c.height for c in crops), 19 * (text.count("\n") + 1)) + 16
    row = Image.new("RGB", (_CROP + _TEXT, height), "white")
    at = 4
    for crop in crops:
        row.paste(crop, (0, at))
        at += crop.height
    pen = ImageDraw.Draw(row)
    pen.text((_CROP + 10, 4), text, fill="black", font=font)
    pen.line([(0, height - 1), (_CROP + _TEXT, height - 1)], fill="black")
    return row


def _crop(cited: Cited, number: int) -> Image.Image:
    """The part of a page around the rectangles, at most `_CROP` wide, each rectangle outlined."""
    boxes = [box for box in cited.boxes if box.page == number]
    with pypdfium2.PdfDocument(cited.file) as document:
        page = document[number - 1].render(scale=2).to_pil().convert("RGB")
    width, height = page.size
    pen = ImageDraw.Draw(page)
    for b in boxes:
        pen.rectangle((b.x0 * width, b.y0 * height, b.x1 * width, b.y1 * height), outline="red", width=1)
    top, bottom = min(b.y0 for b in boxes) * height - 24, max(b.y1 for b in boxes) * height + 24
    left, right = min(b.x0 for b in boxes) * width - 24, max(b.x1 for b in boxes) * width + 24
    crop = page.crop((max(int(left), 0), max(int(top), 0), min(int(right), width), min(int(bottom), height)))
    crop.thumbnail((_CROP, 4 * _CROP))
    return crop


if __name__ == "__main__":
    sys.exit(main())

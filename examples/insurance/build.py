"""Builds `harbour_business_pds.pdf`, the booklet of an invented insurer, from the files in `text/`.

`python build.py [--out FILE]` writes the same bytes on every run with the same versions of reportlab and zlib. The page
geometry is that of a real printed booklet: a crop box that does not start at (0, 0), printer's marks outside it, and
printed page numbers that lag two behind the physical ones.
"""

import argparse
from importlib.resources import files
from pathlib import Path

from markup import Piece, pieces, soften
from reportlab.lib.colors import HexColor, white
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import registerFont, registerFontFamily
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents

HERE = Path(__file__).parent
OUT = HERE / "harbour_business_pds.pdf"
LEFT, BOTTOM, WIDTH, HEIGHT = 25.5, 34.0, 595.0, 842.0
"""The visible page (crop box) in points, inside the sheet."""
SHEET = (LEFT + WIDTH + 31.0, BOTTOM + HEIGHT + 28.0)
NAVY, TEAL, PALE, GREY = HexColor("#12324a"), HexColor("#0f7c86"), HexColor("#e6f1f2"), HexColor("#5c6b75")
FRONT_PAGES = 2
"""Pages before the printed page 1."""


def fonts() -> None:
    """Registers the five faces used, from the font package."""
    folder = files("font_source_sans_pro") / "files"
    faces = {"Body": "Regular", "Body-It": "It", "Semi": "Semibold", "Bold": "Bold", "Light": "Light"}
    for name, face in faces.items():
        registerFont(TTFont(name, str(folder / f"SourceSansPro-{face}.ttf")))
    registerFontFamily("Body", normal="Body", bold="Semi", italic="Body-It", boldItalic="Semi")


def style(name: str, **options: object) -> ParagraphStyle:
    """A paragraph style on the house defaults."""
    base: dict[str, object] = {"fontName": "Body", "fontSize": 9.4, "leading": 12.4, "textColor": HexColor("#1d2327")}
    return ParagraphStyle(name, **{**base, "embeddedHyphenation": 1, "spaceAfter": 3.4, **options})


MARK: dict[str, object] = {"bulletFontName": "Body", "bulletFontSize": 9.4, "spaceAfter": 2}
STYLES = {
    "lead": style("lead", fontName="Light", fontSize=12.5, leading=16, textColor=GREY, spaceAfter=12),
    "section": style("section", fontName="Bold", fontSize=24, leading=28, textColor=NAVY, spaceAfter=5),
    "subsection": style("subsection", fontName="Semi", fontSize=12.4, leading=15, textColor=TEAL, spaceBefore=8),
    "clause": style("clause", leftIndent=31, bulletFontName="Semi", bulletFontSize=8.2, bulletColor=NAVY),
    "item": style("item", leftIndent=48, bulletIndent=31, **MARK),
    "subitem": style("subitem", leftIndent=66, bulletIndent=48, **MARK),
    "more": style("more", leftIndent=31),
    "term": style("term", spaceAfter=5),
    "entry": style("entry", fontSize=9.2, leading=12, leftIndent=10, firstLineIndent=-10),
    "paper": style("paper", leftIndent=14, firstLineIndent=-14),
    "note": style("note", fontSize=8.9, leading=11.6, spaceAfter=0),
    "side": style("side", fontSize=8, leading=10.2, textColor=GREY, spaceAfter=0),
    "cell": style("cell", fontSize=8.6, leading=10.6, spaceAfter=0),
    "row": style("row", fontName="Semi", fontSize=8.6, leading=10.6, spaceAfter=0),
    "head": style("head", fontName="Semi", fontSize=8.6, leading=10.6, textColor=white, spaceAfter=0),
    "caption": style("caption", fontName="Semi", fontSize=9.6, textColor=NAVY, spaceBefore=6),
}
JUSTIFIED = {
    kind: ParagraphStyle(f"{kind}-two", parent=STYLES[kind], alignment=TA_JUSTIFY)
    for kind in ("clause", "item", "subitem", "more", "term")
}


class SideNote(Flowable):
    """A note in the margin to the left of the column, beside the text that follows it; takes no room in the column."""

    def __init__(self, title: str, text: str) -> None:
        """`title` and `text` as reportlab markup."""
        super().__init__()
        self.body = Paragraph(f"<font name='Semi' color='#0f7c86'>{title}</font><br/>{text}", STYLES["side"])

    def wrap(self, _width: float, _height: float) -> tuple[float, float]:
        """No room at all."""
        return (0, 0)

    def draw(self) -> None:
        """Draws the note, moved up where it would run off the page."""
        _, height = self.body.wrap(100, 400)
        _, y = self.canv.absolutePosition(0, 0)
        top = max(0.0, BOTTOM + 64 + height - y) - 4
        self.canv.setStrokeColor(TEAL)
        self.canv.line(-122, top, -22, top)
        self.body.drawOn(self.canv, -122, top - height - 3)


class Booklet(BaseDocTemplate):
    """The page templates, running lines, contents entries and printer's marks."""

    def __init__(self, out: Path) -> None:
        """A booklet that is written to `out`."""
        super().__init__(
            str(out), pagesize=SHEET, invariant=1, pageCompression=1, title="Harbourline Business Pack",
            author="Harbourline Mutual Insurance Limited (invented)", subject="Product disclosure statement",
        )  # fmt: skip
        self.running = ""
        low, high = BOTTOM + 58, HEIGHT - 58 - 62

        def column(x: float, width: float, height: float = high, y: float = low) -> Frame:
            return Frame(LEFT + x, y, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)

        banner = column(48, 499, 96, low + high - 96)
        pair, below = (48.0, 307.5), high - 100
        layouts = {
            "bare": [column(48, 499)],
            "wide": [column(48, 499)],
            "one": [column(170, 377)],
            "two": [column(x, 239.5) for x in pair],
            "two-open": [banner, *(column(x, 239.5, below) for x in pair)],
        }
        self.addPageTemplates(
            [
                PageTemplate(name, frames, onPage=_cover if name == "bare" else _marks, onPageEnd=self.lines)
                for name, frames in layouts.items()
            ]
        )

    def lines(self, canvas: Canvas, _document: BaseDocTemplate) -> None:
        """Running header and footer; none on the front pages."""
        page = canvas.getPageNumber() - FRONT_PAGES
        if page < 1:
            return
        right, even = LEFT + WIDTH - 48, page % 2 == 0
        canvas.setFillColor(GREY)
        canvas.setFont("Body", 8)
        canvas.drawString(LEFT + 48, BOTTOM + HEIGHT - 40, "Harbourline Business Pack")
        canvas.drawRightString(right, BOTTOM + HEIGHT - 40, self.running)
        canvas.setStrokeColor(HexColor("#b9c6cc"))
        canvas.line(LEFT + 48, BOTTOM + HEIGHT - 46, right, BOTTOM + HEIGHT - 46)
        canvas.drawString(LEFT + 78 if even else LEFT + 48, BOTTOM + 32, "Product disclosure statement HBP 07/25")
        canvas.setFont("Semi", 9)
        canvas.setFillColor(NAVY)
        if even:
            canvas.drawString(LEFT + 48, BOTTOM + 32, str(page))
        else:
            canvas.drawRightString(right, BOTTOM + 32, str(page))

    def afterFlowable(self, flowable: Flowable) -> None:
        """Records a heading for the contents, the bookmarks and the running header."""
        kind = getattr(flowable, "style", None)
        if kind is None or kind.name not in {"section", "subsection"}:
            return
        title, level = flowable.getPlainText(), int(kind.name == "subsection")
        key = "".join(letter for letter in title if letter.isalnum())
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(title, key, level, closed=True)
        if level == 0:
            self.running = title
        if title != "Contents":
            self.notify("TOCEntry", (level, title, self.page - FRONT_PAGES, key))


def _marks(canvas: Canvas, _document: BaseDocTemplate) -> None:
    """Crop box, crop marks and the slug line outside it."""
    canvas.setCropBox((LEFT, BOTTOM, LEFT + WIDTH, BOTTOM + HEIGHT))
    canvas.setStrokeColor(HexColor("#000000"))
    canvas.setLineWidth(0.3)
    for x in (LEFT, LEFT + WIDTH):
        for y0, y1 in ((2, BOTTOM - 8), (BOTTOM + HEIGHT + 8, SHEET[1] - 2)):
            canvas.line(x, y0, x, y1)
    canvas.setFillColor(HexColor("#000000"))
    canvas.setFont("Body", 6.5)
    canvas.drawString(LEFT + 30, 14, f"HBP_PDS_0725_press_v4.indd   {canvas.getPageNumber()}")
    canvas.drawRightString(LEFT + WIDTH - 30, 14, "02/06/2025   4:17 pm")


def _cover(canvas: Canvas, document: BaseDocTemplate) -> None:
    """The front page's colour field; the second page has none."""
    _marks(canvas, document)
    if canvas.getPageNumber() > 1:
        return
    canvas.setFillColor(NAVY)
    canvas.rect(0, BOTTOM + 300, SHEET[0], SHEET[1], stroke=0, fill=1)
    canvas.setFillColor(TEAL)
    canvas.rect(0, BOTTOM + 288, SHEET[0], 12, stroke=0, fill=1)
    wave = canvas.beginPath()
    wave.moveTo(0, BOTTOM + 470)
    for step in range(6):
        wave.curveTo(step * 120 + 40, BOTTOM + 500, step * 120 + 80, BOTTOM + 440, step * 120 + 120, BOTTOM + 470)
    canvas.setStrokeColor(HexColor("#6fb7bd"))
    canvas.setLineWidth(3)
    canvas.drawPath(wave)


def _front() -> list[Flowable]:
    """Title page, imprint and contents."""
    levels = [
        style("toc0", fontName="Semi", fontSize=9.8, leading=12, textColor=NAVY, spaceBefore=4, spaceAfter=0),
        style("toc1", fontSize=8.8, leading=10.6, leftIndent=14, spaceAfter=0),
    ]
    tight = TableStyle([(f"{side}PADDING", (0, 0), (-1, -1), 0) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM")])
    contents = TableOfContents(levelStyles=levels, dotsMinLevel=0, tableStyle=tight)
    big = style("big", fontName="Bold", fontSize=40, leading=44, textColor=white)
    small = style("small", fontName="Light", fontSize=17, leading=23, textColor=HexColor("#d7ecee"))
    mark = style("mark", fontName="Semi", fontSize=13, textColor=HexColor("#6fb7bd"))
    imprint = (
        "<b>A fictional document.</b> Harbourline Mutual Insurance Limited does not exist. This booklet was written as "
        "an example for software. It is no offer of insurance, and its terms are those of no real insurer.",
        "<b>Edition.</b> HBP 07/25. It applies to policies that start or are renewed on or after 1 July 2025. It takes "
        "the place of edition HBP 02/23, whose limits and time limits were different.",
        "<b>Prepared</b> on 2 June 2025. <b>Licence of this text:</b> Apache License, Version 2.0.",
        "<b>Large print.</b> Ask for this booklet in large print, or read aloud on a recording, on 1800 555 014.",
        "<b>In an emergency</b> ring the emergency services first. Then ring our claims line, 1800 555 014, option 1.",
    )
    return [
        Spacer(1, 90), Paragraph("HARBOURLINE", mark), Spacer(1, 44), Paragraph("Business Pack", big), Spacer(1, 10),
        Paragraph("Insurance for small businesses", small), Spacer(1, 6),
        Paragraph("Product disclosure statement and policy wording", small), Spacer(1, 300),
        Paragraph("Harbourline Mutual Insurance Limited", style("name", fontName="Semi", fontSize=13, leading=17)),
        Paragraph("Edition HBP 07/25, in force from 1 July 2025", style("edition")),
        PageBreak(), Spacer(1, 500), *(Paragraph(text, style("imprint", spaceAfter=8)) for text in imprint),
        NextPageTemplate("wide"), PageBreak(), Paragraph("Contents", STYLES["section"]), contents,
    ]  # fmt: skip


def _inline(text: str) -> str:
    parts = text.replace("&", "&amp;").split("**")
    return "".join(f"<b>{part}</b>" if number % 2 else part for number, part in enumerate(parts))


def _table(piece: Piece, width: float) -> list[Flowable]:
    head, *body = piece.rows
    cells = [[Paragraph(cell, STYLES["head"]) for cell in head]]
    cells += [
        [Paragraph(row[0], STYLES["row"]), *(Paragraph(cell, STYLES["cell"]) for cell in row[1:])] for row in body
    ]
    table = Table(cells, colWidths=[width * share / 100 for share in piece.widths], repeatRows=1, spaceAfter=8)
    table.setStyle(
        TableStyle(
            [
                ("BACKGROUND", (0, 0), (-1, 0), NAVY),
                ("ROWBACKGROUNDS", (0, 1), (-1, -1), [white, PALE]),
                ("LINEBELOW", (0, 0), (-1, -1), 0.3, HexColor("#b9c6cc")),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("TOPPADDING", (0, 0), (-1, -1), 2.6),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 2.6),
            ]
        )
    )
    return [CondPageBreak(120), Paragraph(piece.label, STYLES["caption"]), table]


def _box(piece: Piece, width: float) -> Flowable:
    title = f"<font name='Semi' color='#12324a'>{piece.label}</font>"
    body = Paragraph(f"{title}<br/>{_inline(piece.text)}", STYLES["note"])
    box = Table([[body]], colWidths=[width - 8], spaceBefore=6, spaceAfter=8)
    box.setStyle(
        TableStyle(
            [
                ("BACKGROUND", (0, 0), (-1, -1), PALE),
                ("LINEBEFORE", (0, 0), (0, -1), 3, TEAL),
                ("LEFTPADDING", (0, 0), (-1, -1), 9),
                ("TOPPADDING", (0, 0), (-1, -1), 5),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 7),
            ]
        )
    )
    return box


WIDTHS = {"one": 377.0, "two": 239.5, "wide": 499.0}


def _piece(piece: Piece, layout: str) -> list[Flowable]:
    """The flowables of one piece that is neither a layout nor a section."""
    styles = {**STYLES, **(JUSTIFIED if layout == "two" else {})}
    text = _inline(piece.text)
    if layout == "two" and piece.kind in JUSTIFIED:
        text = soften(text)
    match piece.kind:
        case "table":
            return _table(piece, WIDTHS[layout])
        case "note":
            return [KeepTogether(_box(piece, WIDTHS[layout]))]
        case "side":
            return [SideNote(piece.label, text)]
        case "term":
            return [Paragraph(f"<font name='Semi' color='#12324a'>{piece.label}</font> means {text}", styles["term"])]
        case "entry":
            return [Paragraph(f"{piece.label}, {text}", styles["entry"])]
        case "subsection":
            return [CondPageBreak(70), Paragraph(f"{piece.label} {text}", styles["subsection"])]
        case _:
            return [Paragraph(text, styles[piece.kind], bulletText=piece.label or None)]


def story(found: tuple[Piece, ...]) -> list[Flowable]:
    """The booklet as flowables, in reading order."""
    flow, layout, before = _front(), "one", "wide"
    for number, piece in enumerate(found):
        if piece.kind == "layout":
            before, layout = layout, piece.label
            if found[number + 1].kind != "section":
                flow += [NextPageTemplate(layout), PageBreak()]
        elif piece.kind == "section":
            goes_on = before == layout == "one" and number > 1
            opening = "two-open" if layout == "two" else layout
            flow += [Spacer(1, 26), CondPageBreak(215)] if goes_on else [NextPageTemplate(opening), PageBreak()]
            flow.append(NextPageTemplate(layout))
            flow.append(Paragraph(f"{piece.label} {_inline(piece.text)}".strip(), STYLES["section"]))
        elif piece.kind == "lead":
            flow.append(Paragraph(piece.text, STYLES["lead"]))
            flow += [FrameBreak()] if layout == "two" else []
        else:
            flow += _piece(piece, layout)
    return flow


def build(out: Path) -> None:
    """Writes the booklet to `out`.

    Raises ValueError where the sources hold a line that cannot be read or a reference to a clause that does not exist.
    """
    Booklet(out).multiBuild(story(pieces(HERE / "text")))


fonts()

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="the PDF to write")
    build(parser.parse_args().out)

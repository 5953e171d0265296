"""Draw the example report from `report.toml`: `python build.py`. The same words give the same bytes."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportlab.graphics.shapes import Drawing, Group, Line, PolyLine, Rect, String
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, Paragraph, Spacer, Table, TableStyle

FOLDER = Path(__file__).resolve().parent
PDF = FOLDER / "marrow-bay-q3-2025.pdf"

PAGE = WIDTH, HEIGHT = 210 * mm, 270 * mm
MARGIN = 18 * mm
TOP = HEIGHT - 32 * mm
"""Lower edge of the page title; the text area hangs from here."""
BOTTOM = 22 * mm
GAP = 7 * mm
SIDE = 38 * mm

INK = colors.HexColor("#1b2a38")
BLUE = colors.HexColor("#1f5f8b")
PALE = colors.HexColor("#e8f0f6")
RULE = colors.HexColor("#9db4c6")
RED = colors.HexColor("#b03a2e")

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=13.8, textColor=INK, spaceAfter=5.5)
HEAD = ParagraphStyle(
    "head", BODY, fontName="Helvetica-Bold", fontSize=11.5, leading=15, textColor=BLUE, spaceBefore=6, spaceAfter=3
)
BULLET = ParagraphStyle("bullet", BODY, leftIndent=9, bulletIndent=0)
CAPTION = ParagraphStyle("caption", BODY, fontName="Helvetica-Oblique", fontSize=8.6, leading=11, spaceAfter=4)
CELL = ParagraphStyle("cell", BODY, fontSize=8.6, leading=10.8, spaceAfter=0)
CELL_HEAD = ParagraphStyle("cell head", CELL, fontName="Helvetica-Bold", textColor=colors.white)
SMALL = ParagraphStyle("small", BODY, fontSize=9, leading=12, spaceAfter=4)

Words = dict[str, Any]


def share(columns: Sequence[Sequence[str]], width: float) -> list[float]:
    """Column widths that add up to `width`: the longest word always fits, and long columns take what is left."""

    def points(text: str) -> float:
        return stringWidth(text, CELL_HEAD.fontName, CELL.fontSize) + 8

    least = [max(points(word) for cell in column for word in cell.split()) for column in columns]
    whole = [min(max(points(cell) for cell in column), 55 * mm) for column in columns]
    wanted = [max(pair) for pair in zip(least, whole, strict=True)]
    if sum(wanted) <= width:
        return [want * width / sum(wanted) for want in wanted]
    part = (width - sum(least)) / (sum(wanted) - sum(least))
    return [low + part * (want - low) for low, want in zip(least, wanted, strict=True)]


def table(spec: Words, width: float) -> list[Flowable]:
    """A table with a heading row, under a row of group headings where the words ask for one."""
    columns, rows = spec["columns"], spec["rows"]
    widths = share(list(zip(columns, *rows, strict=True)), width)
    cells = [[Paragraph(cell, CELL_HEAD) for cell in columns]]
    cells += [[Paragraph(cell, CELL) for cell in row] for row in rows]
    style: list[tuple[Any, ...]] = [
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("LEFTPADDING", (0, 0), (-1, -1), 4),
        ("RIGHTPADDING", (0, 0), (-1, -1), 3),
        ("TOPPADDING", (0, 0), (-1, -1), 2.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, RULE),
        ("BOX", (0, 0), (-1, -1), 0.6, RULE),
    ]
    headings = 1
    if groups := spec.get("groups"):
        headings, row, at = 2, [], 0
        for label, span in groups:
            row += [Paragraph(f'<para align="center">{label}</para>', CELL_HEAD), *[""] * (span - 1)]
            style.append(("SPAN", (at, 0), (at + span - 1, 0)))
            style.append(("LINEAFTER", (at + span - 1, 0), (at + span - 1, -1), 0.6, RULE))
            at += span
        cells.insert(0, row)
    style.append(("BACKGROUND", (0, 0), (-1, headings - 1), BLUE))
    style += [("BACKGROUND", (0, n), (-1, n), PALE) for n in range(headings + 1, headings + len(rows), 2)]
    return [Paragraph(spec["caption"], CAPTION), Table(cells, widths, style=TableStyle(style)), Spacer(1, 8)]


def note(title: str, text: str, width: float) -> list[Flowable]:
    """A boxed note as wide as its column."""
    inside = [Paragraph(title, ParagraphStyle("note head", HEAD, fontSize=9.6, spaceBefore=0)), Paragraph(text, SMALL)]
    style = [
        ("BOX", (0, 0), (-1, -1), 0.8, BLUE),
        ("BACKGROUND", (0, 0), (-1, -1), PALE),
        ("LEFTPADDING", (0, 0), (-1, -1), 7),
        ("RIGHTPADDING", (0, 0), (-1, -1), 7),
        ("TOPPADDING", (0, 0), (-1, -1), 4),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
    ]
    return [Spacer(1, 3), Table([[inside]], [width], style=TableStyle(style)), Spacer(1, 8)]


def chart(spec: Words, width: float) -> list[Flowable]:
    """A line or bar chart in vector graphics: axes, ticks, labels and, for a line, the limit."""
    height, left, bottom = 56 * mm, 13 * mm, 10 * mm
    drawing = Drawing(width, height)
    plot_width, plot_height = width - left - 4 * mm, height - bottom - 3 * mm
    names, values, top = spec["x"], spec["y"], spec["y_max"]

    def word(x: float, y: float, text: str, anchor: str = "middle", size: float = 7.5) -> None:
        drawing.add(String(x, y, text, fontName="Helvetica", fontSize=size, textAnchor=anchor, fillColor=INK))

    def high(value: float) -> float:
        return bottom + plot_height * value / top

    for step in range(0, top + 1, spec["y_step"]):
        drawing.add(Line(left, high(step), left + plot_width, high(step), strokeColor=PALE, strokeWidth=0.6))
        word(left - 4, high(step) - 2.6, str(step), "end")
    bars = spec["kind"] == "bar"
    pitch = plot_width / (len(names) if bars else len(names) - 1)
    across = [left + pitch * (n + (0.5 if bars else 0)) for n in range(len(names))]
    for x, name in zip(across, names, strict=True):
        drawing.add(Line(x, bottom, x, bottom - 2.5, strokeColor=INK, strokeWidth=0.6))
        word(x, bottom - 10, name)
    if bars:
        for x, value in zip(across, values, strict=True):
            drawing.add(
                Rect(x - pitch * 0.25, bottom, pitch * 0.5, high(value) - bottom, fillColor=BLUE, strokeColor=None)
            )
            word(x, high(value) + 3, str(value))
    else:
        limit = high(spec["limit"])
        drawing.add(Line(left, limit, left + plot_width, limit, strokeColor=RED, strokeDashArray=[4, 3], strokeWidth=1))
        word(left + plot_width, limit + 3, spec["limit_label"], "end")
        points = [point for x, value in zip(across, values, strict=True) for point in (x, high(value))]
        drawing.add(PolyLine(points, strokeColor=BLUE, strokeWidth=1.6))
    drawing.add(Line(left, bottom, left, bottom + plot_height, strokeColor=INK, strokeWidth=0.8))
    drawing.add(Line(left, bottom, left + plot_width, bottom, strokeColor=INK, strokeWidth=0.8))
    word(left + plot_width / 2, 2, spec["x_label"], size=8)
    upright = String(0, 0, spec["y_label"], fontName="Helvetica", fontSize=8, textAnchor="middle", fillColor=INK)
    turned = Group(upright)
    turned.translate(9, bottom + plot_height / 2)
    turned.rotate(90)
    drawing.add(turned)
    return [drawing, Spacer(1, 2), Paragraph(spec["caption"], CAPTION), Spacer(1, 4)]


def flow(blocks: Sequence[str], words: Words, width: float, plain: ParagraphStyle = BODY) -> list[Flowable]:
    """Flowables of a column; the marks are explained at the head of `report.toml`."""
    made: list[Flowable] = []
    for block in blocks:
        mark, _, rest = block.partition(" ")
        match mark:
            case "#":
                made.append(Paragraph(rest, HEAD))
            case "-":
                made.append(Paragraph(rest, BULLET, bulletText="•"))
            case "!":
                title, _, text = rest.partition(" | ")
                made += note(title, text, width)
            case "table:":
                made += table(words["table"][rest], width)
            case "chart:":
                made += chart(words["chart"][rest], width)
            case _:
                made.append(Paragraph(block, plain))
    return made


def fill(canvas: Canvas, made: list[Flowable], x: float, y: float, width: float, height: float) -> None:
    """Draw flowables into a frame; words that do not fit stop the build."""
    frame = Frame(x, y, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)
    frame.addFromList(made, canvas)
    if made:
        raise SystemExit(
            f"page {canvas.getPageNumber()}: {len(made)} blocks do not fit a column {width / mm:.0f} mm wide"
        )


def running(canvas: Canvas, report: Words, label: str) -> None:
    """Header and footer, as on every page but the cover."""
    canvas.setFillColor(INK)
    canvas.setStrokeColor(RULE)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(MARGIN, HEIGHT - 14 * mm, f"{report['company']}, {report['site']}")
    canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 14 * mm, f"{report['title']}, {report['period']}")
    canvas.line(MARGIN, HEIGHT - 16 * mm, WIDTH - MARGIN, HEIGHT - 16 * mm)
    canvas.line(MARGIN, 16 * mm, WIDTH - MARGIN, 16 * mm)
    canvas.drawString(MARGIN, 11.5 * mm, f"{report['number']}, {report['revision']}")
    canvas.drawRightString(WIDTH - MARGIN, 11.5 * mm, f"Page {label}")


def heading(canvas: Canvas, text: str) -> None:
    """The title of a page."""
    canvas.setFillColor(BLUE)
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(MARGIN, TOP + 5 * mm, text)


def cover(canvas: Canvas, report: Words) -> None:
    """Title, a side bar of key figures and the purpose of the report."""
    canvas.setFillColor(BLUE)
    canvas.rect(0, HEIGHT - 95 * mm, WIDTH, 95 * mm, stroke=0, fill=1)
    canvas.setFillColor(colors.white)
    canvas.setFont("Helvetica", 13)
    canvas.drawString(MARGIN, HEIGHT - 34 * mm, f"{report['company']}, {report['site']}")
    canvas.setFont("Helvetica-Bold", 30)
    canvas.drawString(MARGIN, HEIGHT - 55 * mm, report["title"])
    canvas.setFont("Helvetica", 18)
    canvas.drawString(MARGIN, HEIGHT - 68 * mm, report["period"])
    canvas.setFont("Helvetica", 10)
    canvas.drawString(MARGIN, HEIGHT - 84 * mm, f"{report['number']}, {report['revision']}, issued {report['issued']}")
    bar = 58 * mm
    canvas.setFillColor(PALE)
    canvas.rect(WIDTH - MARGIN - bar, 45 * mm, bar, 118 * mm, stroke=0, fill=1)
    figures: list[Flowable] = [Paragraph("The quarter in figures", HEAD), Spacer(1, 4)]
    for name, value in report["facts"]:
        figures.append(Paragraph(value, ParagraphStyle("figure", HEAD, fontSize=17, leading=20, spaceAfter=0)))
        figures.append(Paragraph(name, SMALL))
    fill(canvas, figures, WIDTH - MARGIN - bar + 5 * mm, 47 * mm, bar - 10 * mm, 112 * mm)
    text: list[Flowable] = [Paragraph("Purpose", HEAD)]
    text += [
        Paragraph(part, ParagraphStyle("lead", BODY, fontSize=11, leading=15.5, spaceAfter=8))
        for part in report["summary"]
    ]
    fill(canvas, text, MARGIN, 45 * mm, WIDTH - 2 * MARGIN - bar - GAP, 118 * mm)
    fill(canvas, [Paragraph(report["notice"], SMALL)], MARGIN, 20 * mm, WIDTH - 2 * MARGIN, 20 * mm)
    canvas.showPage()


def contents(canvas: Canvas, report: Words, pages: Sequence[Words]) -> None:
    """Titles with dotted leaders and printed page numbers."""
    running(canvas, report, "ii")
    heading(canvas, "Contents")
    canvas.setFillColor(INK)
    y = TOP - 8 * mm
    for n, page in enumerate(pages, start=1):
        title = f"{n}  {page['title']}"
        canvas.setFont("Helvetica", 11)
        canvas.drawString(MARGIN, y, title)
        canvas.drawRightString(WIDTH - MARGIN, y, str(n))
        start = MARGIN + canvas.stringWidth(title, "Helvetica", 11) + 6
        canvas.setDash(1, 3)
        canvas.line(start, y + 1, WIDTH - MARGIN - 16, y + 1)
        canvas.setDash()
        y -= 9 * mm
    canvas.showPage()


def body(canvas: Canvas, report: Words, words: Words, page: Words, n: int) -> None:
    """One page: full-width blocks, two columns under them, and a shaded side bar where the words ask for one."""
    running(canvas, report, str(n))
    heading(canvas, f"{n}  {page['title']}")
    area = WIDTH - 2 * MARGIN
    ceiling = TOP - 2 * mm
    if side := page.get("side"):
        area -= SIDE + GAP
        x = MARGIN + area + GAP
        canvas.setFillColor(PALE)
        canvas.rect(x, BOTTOM, SIDE, ceiling - BOTTOM, stroke=0, fill=1)
        fill(
            canvas,
            flow(side, words, SIDE - 8 * mm, SMALL),
            x + 4 * mm,
            BOTTOM,
            SIDE - 8 * mm,
            ceiling - BOTTOM - 3 * mm,
        )
    made = flow(page.get("top", []), words, area)
    tall = sum(block.wrap(area, HEIGHT)[1] + block.getSpaceBefore() + block.getSpaceAfter() for block in made)
    fill(canvas, made, MARGIN, ceiling - tall - 1, area, tall + 1)
    column = (area - GAP) / 2
    room = ceiling - tall - BOTTOM
    fill(canvas, flow(page["left"], words, column), MARGIN, BOTTOM, column, room)
    fill(canvas, flow(page["right"], words, column), MARGIN + column + GAP, BOTTOM, column, room)
    canvas.showPage()


def build(target: Path = PDF) -> Path:
    """Write the report to `target`; uncompressed pages and no clock, so that equal words give equal bytes."""
    words = tomllib.loads((FOLDER / "report.toml").read_text(encoding="utf-8"))
    report, pages = words["report"], words["page"]
    canvas = Canvas(str(target), pagesize=PAGE, invariant=1, pageCompression=0)
    canvas.setTitle(f"{report['title']}, {report['site']}, {report['period']}")
    canvas.setAuthor(report["company"])
    canvas.setSubject(f"{report['number']}, {report['revision']}")
    canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
    canvas.addPageLabel(2, style="ARABIC", start=1)
    cover(canvas, report)
    contents(canvas, report, pages)
    for n, page in enumerate(pages, start=1):
        body(canvas, report, words, page, n)
    canvas.save()
    return target


if __name__ == "__main__":
    print(build().name)

"""A report as a PDF, by reportlab: the same sections, tables and plots as the page.

Simulated data are named at the head and foot of every page, which the page template draws: no
page can be without.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from sera.study.report.document import (
    SIMULATED,
    Block,
    Document,
    Figure,
    Listing,
    Section,
    Table,
    printable,
)
from sera.study.report.plots import WIDTH_IN, height_in, png_of

_FONT, _BOLD = "ReportSans", "ReportSans-Bold"
_INK, _QUIET, _LINE, _ALARM = "#1c1f23", "#5a626b", "#d9dde2", "#b00020"
_MARKS = {"good": "#e3f2e6", "bad": "#fbe6df", "strong": "#fff4cf"}
_MARGIN_MM = 18
_NARROWEST_SHARE = 0.55
_LONG_TABLE = 20
"""Rows above which a table may go on on the next page."""


def pdf_of(document: Document) -> bytes:
    """The report as a PDF."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.units import mm
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate
    from reportlab.platypus import Paragraph as Words

    _use_fonts()
    styles = _styles()
    buffer = io.BytesIO()
    title = printable(f"{SIMULATED}: {document.title}" if document.simulated else document.title)

    class _Template(BaseDocTemplate):  # type: ignore[misc]
        def afterFlowable(self, flowable: Any) -> None:  # noqa: N802 - reportlab's name
            level = getattr(flowable, "toc_level", None)
            if level is not None:
                text = flowable.getPlainText()
                self.canv.bookmarkPage(flowable.toc_key)
                self.canv.addOutlineEntry(text, flowable.toc_key, level, closed=level == 0)
                entry = (level, escape(text), self.page, flowable.toc_key)
                self.notify("TOCEntry", entry)

    template = _Template(
        buffer,
        pagesize=A4,
        title=title,
        author="SERA",
        subject="Simulated data" if document.simulated else "Report of a study",
        leftMargin=_MARGIN_MM * mm,
        rightMargin=_MARGIN_MM * mm,
        topMargin=(_MARGIN_MM + 6) * mm,
        bottomMargin=_MARGIN_MM * mm,
        invariant=1,
        lang="en",
    )
    frame = Frame(
        template.leftMargin, template.bottomMargin, template.width, template.height, 0, 0, 0, 0
    )

    def on_page(canvas: Any, doc: Any) -> None:
        _head_and_foot(canvas, doc.page, document)

    template.addPageTemplates([PageTemplate("page", [frame], onPage=on_page)])
    story: list[Any] = [
        Words(escape(title), styles["title"]),
        Words(escape(printable(document.subtitle)), styles["quiet"]),
        *_contents(styles),
    ]
    story += _sections(document, styles, template.width)
    template.multiBuild(story)
    return buffer.getvalue()


def _use_fonts() -> None:
    """DejaVu Sans as matplotlib brings it: it has Greek letters, which PDF's own fonts lack."""
    import matplotlib as mpl
    from reportlab.lib.fonts import addMapping
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    if _FONT in pdfmetrics.getRegisteredFontNames():
        return
    folder = Path(mpl.get_data_path()) / "fonts" / "ttf"
    for name, file in ((_FONT, "DejaVuSans.ttf"), (_BOLD, "DejaVuSans-Bold.ttf")):
        pdfmetrics.registerFont(TTFont(name, folder / file))
    for bold in (0, 1):
        for italic in (0, 1):
            addMapping(_FONT, bold, italic, _BOLD if bold else _FONT)


def _styles() -> dict[str, Any]:
    from reportlab.lib.styles import ParagraphStyle

    base = ParagraphStyle(
        "base",
        fontName=_FONT,
        fontSize=8.6,
        leading=12.2,
        textColor=_INK,
        spaceAfter=4,
        splitLongWords=1,
    )

    def style(name: str, **more: Any) -> Any:
        return ParagraphStyle(name, parent=base, **more)

    return {
        "plain": base,
        "title": style("title", fontName=_BOLD, fontSize=20, leading=25, spaceAfter=2),
        "h1": style(
            "h1",
            fontName=_BOLD,
            fontSize=13.5,
            leading=17,
            spaceBefore=16,
            spaceAfter=6,
        ),
        "h2": style(
            "h2",
            fontName=_BOLD,
            fontSize=10.5,
            leading=14,
            spaceBefore=12,
            spaceAfter=4,
        ),
        "quiet": style("quiet", textColor=_QUIET, fontSize=7.6, leading=10.4),
        "small": style("small", textColor=_QUIET, fontSize=7.6, leading=10.4),
        "test": style("test", backColor="#f5f7f9", borderPadding=4, spaceBefore=6, spaceAfter=8),
        "warning": style(
            "warning",
            textColor=_ALARM,
            fontName=_BOLD,
            borderColor=_ALARM,
            borderWidth=1.2,
            borderPadding=6,
            spaceBefore=8,
            spaceAfter=12,
        ),
        "item": style("item", leftIndent=10, bulletIndent=1, spaceAfter=2),
        "caption": style(
            "caption", fontName=_BOLD, fontSize=8, leading=11, spaceBefore=6, spaceAfter=3
        ),
        "cell": style("cell", fontSize=7.3, leading=9.6, spaceAfter=0),
        "head": style("head", fontName=_BOLD, fontSize=7.3, leading=9.6, spaceAfter=0),
        "toc0": style("toc0", fontSize=9, leading=13, spaceAfter=0),
        "toc1": style(
            "toc1", fontSize=8, leading=11, leftIndent=12, spaceAfter=0, textColor=_QUIET
        ),
    }


def _head_and_foot(canvas: Any, page: int, document: Document) -> None:
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.units import mm

    width, height = A4
    margin = _MARGIN_MM * mm
    canvas.saveState()
    if document.simulated:
        canvas.setFillColor(_ALARM)
        canvas.rect(0, height - 13 * mm, width, 13 * mm, stroke=0, fill=1)
        canvas.setFillColor("#ffffff")
        canvas.setFont(_BOLD, 12)
        words = f"{SIMULATED} DATA: no person took part"
        canvas.drawCentredString(width / 2, height - 8.8 * mm, words)
    canvas.setFont(_FONT, 7.5)
    canvas.setFillColor(_QUIET)
    title = printable(document.title)
    title = title if len(title) <= 70 else f"{title[:69]}…"
    mark = f"{SIMULATED}. " if document.simulated else ""
    canvas.drawString(margin, 10 * mm, f"{mark}{title}")
    canvas.drawRightString(width - margin, 10 * mm, str(page))
    canvas.restoreState()


def _contents(styles: dict[str, Any]) -> list[Any]:
    from reportlab.platypus import Paragraph as Words
    from reportlab.platypus import Spacer
    from reportlab.platypus.tableofcontents import TableOfContents

    contents = TableOfContents(
        levelStyles=[styles["toc0"], styles["toc1"]], dotsMinLevel=-1, notifyKind="TOCEntry"
    )
    heading = Words("Contents", styles["caption"])
    return [Spacer(1, 6), heading, contents, Spacer(1, 6)]


def _sections(document: Document, styles: dict[str, Any], width: float) -> list[Any]:
    """All sections; a heading stays with what follows it, down to the first table or plot."""
    from reportlab.platypus import KeepTogether

    story: list[Any] = []
    waiting: list[Any] = []
    for section in document.sections:
        waiting.append(_heading(section, styles))
        for block in section.blocks:
            parts = _block(block, styles, width)
            if isinstance(block, Table) and len(block.rows) > _LONG_TABLE:
                story += [_room_for_some(), *waiting, *parts]
            elif isinstance(block, Table | Figure):
                story.append(KeepTogether([*waiting, *parts]))
            elif waiting:
                waiting += parts
                continue
            else:
                story += parts
            waiting = []
        # A heading without blocks waits for the next section.
        if section.blocks and waiting:
            story.append(KeepTogether(waiting) if len(waiting) < 4 else _room_for_some())
            story += waiting if len(waiting) >= 4 else []
            waiting = []
    return [*story, *waiting]


def _room_for_some() -> Any:
    from reportlab.lib.units import mm
    from reportlab.platypus import CondPageBreak

    return CondPageBreak(60 * mm)


def _heading(section: Section, styles: dict[str, Any]) -> Any:
    from reportlab.platypus import Paragraph as Words

    heading = Words(escape(printable(section.title)), styles["h2" if section.level == 2 else "h1"])
    heading.toc_level, heading.toc_key = section.level - 1, section.anchor
    return heading


def _block(block: Block, styles: dict[str, Any], width: float) -> list[Any]:
    from reportlab.lib.units import inch
    from reportlab.platypus import Image
    from reportlab.platypus import Paragraph as Words

    if isinstance(block, Table):
        return _table(block, styles, width)
    if isinstance(block, Figure):
        high = height_in(block) * inch * width / (WIDTH_IN * inch)
        picture = Image(io.BytesIO(png_of(block)), width=width, height=high)
        return [picture, Words(escape(printable(block.heading)), styles["small"])]
    if isinstance(block, Listing):
        return [
            Words(escape(printable(item)), styles["item"], bulletText="•") for item in block.items
        ]
    lead = f"<b>{escape(printable(block.lead))}</b> " if block.lead else ""
    return [Words(lead + escape(printable(block.text)), styles[block.kind])]


def _table(table: Table, styles: dict[str, Any], width: float) -> list[Any]:
    from reportlab.platypus import Paragraph as Words
    from reportlab.platypus import Table as Grid
    from reportlab.platypus import TableStyle

    cells = [[Words(escape(printable(one)), styles["head"]) for one in table.columns]]
    cells += [[Words(escape(printable(one)), styles["cell"]) for one in row] for row in table.rows]
    looks: list[tuple[Any, ...]] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
        ("LINEBELOW", (0, 0), (-1, 0), 1.1, _INK),
        ("LINEBELOW", (0, 1), (-1, -1), 0.4, _LINE),
        ("LEFTPADDING", (0, 0), (-1, -1), 3),
        ("RIGHTPADDING", (0, 0), (-1, -1), 5),
        ("TOPPADDING", (0, 0), (-1, -1), 2.4),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.6),
    ]
    for (row, column), mark in table.marks.items():
        place = (column, row + 1)
        looks.append(("BACKGROUND", place, place, _MARKS[mark]))
    shares = table.widths or _shares(table)
    widths = [width * share / sum(shares) for share in shares]
    grid = Grid(cells, colWidths=widths, repeatRows=1, hAlign="LEFT", spaceAfter=3)
    grid.setStyle(TableStyle(looks))
    caption = Words(escape(printable(table.heading)), styles["caption"])
    note = [Words(escape(printable(table.note)), styles["small"])] if table.note else []
    return [caption, grid, *note]


def _shares(table: Table) -> Sequence[float]:
    """Widths by what stands in a column, none of them starved."""
    longest = [
        max(len(row[column]) for row in (table.columns, *table.rows))
        for column in range(len(table.columns))
    ]
    capped = [min(max(length, 5), 34) for length in longest]
    least = _NARROWEST_SHARE * sum(capped) / len(capped)
    return [max(one, least) for one in capped]

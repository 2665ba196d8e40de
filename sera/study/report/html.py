"""A report as one HTML file: its style and plots are inside, it runs no script and asks nobody."""

from __future__ import annotations

from html import escape
from pathlib import Path

from sera.study.report.document import (
    SIMULATED,
    Block,
    Document,
    Figure,
    Listing,
    Section,
    Sentence,
    Table,
    printable,
)
from sera.study.report.plots import svg_of

_STYLE = Path(__file__).with_name("_style.css")
_PRINTED_BANNER = (
    "@page { @top-center { content: 'SIMULATED DATA'; font: 700 11pt sans-serif; color: #b00020; } "
    "@bottom-center { content: 'SIMULATED DATA'; font: 700 11pt sans-serif; color: #b00020; } }"
)


def html_of(document: Document) -> str:
    """The report as a page."""
    fake = document.simulated
    title = f"{SIMULATED}: {document.title}" if fake else document.title
    words = f"{SIMULATED} DATA: no person took part"
    banner = ""
    if fake:
        banner = (
            '<div class="simulated-banner" role="region" aria-label="Simulated data">'
            f"{words}</div>\n"
        )
    style = _STYLE.read_text(encoding="utf-8") + (_PRINTED_BANNER if fake else "")
    sections = "\n".join(_section(section, fake=fake) for section in document.sections)
    ending = f"<strong>{SIMULATED} DATA.</strong> " if fake else ""
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; img-src data:\">\n"
        f"<title>{_text(title)}</title>\n<style>\n{style}\n</style>\n</head>\n<body>\n{banner}"
        f'<header class="title"><h1>{_text(title)}</h1><p>{_text(document.subtitle)}</p></header>\n'
        f'<div class="page">\n{_contents(document)}\n<main>\n'
        f"{sections}\n<footer>{ending}Written by SERA.</footer>\n</main>\n</div>\n"
        "</body>\n</html>\n"
    )


def _text(text: str) -> str:
    return escape(printable(text))


def _contents(document: Document) -> str:
    lines = [
        f'<li class="{"sub" if section.level == 2 else "top"}">'
        f'<a href="#{section.anchor}">{_text(section.title)}</a></li>'
        for section in document.sections
    ]
    inner = "\n".join(lines)
    heading = '<h2 id="contents">Contents</h2>'
    return f'<nav aria-labelledby="contents">{heading}\n<ol>\n{inner}\n</ol></nav>'


def _section(section: Section, *, fake: bool) -> str:
    tag = "h3" if section.level == 2 else "h2"
    head = f'<{tag} id="{section.anchor}">{_text(section.title)}</{tag}>'
    blocks = "\n".join(_block(block) for block in section.blocks)
    kind = ' data-simulated="true"' if fake else ""
    return f'<section aria-labelledby="{section.anchor}"{kind}>\n{head}\n{blocks}\n</section>'


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure):
        caption = f"<figcaption>{_text(block.heading)}</figcaption>"
        return f"<figure>\n{svg_of(block)}\n{caption}\n</figure>"
    if isinstance(block, Listing):
        return "<ul>" + "".join(f"<li>{_text(item)}</li>" for item in block.items) + "</ul>"
    return _sentence(block)


def _sentence(sentence: Sentence) -> str:
    lead = f"<strong>{_text(sentence.lead)}</strong> " if sentence.lead else ""
    kind = "note" if sentence.kind == "small" else sentence.kind
    mark = "" if kind == "plain" else f' class="{kind}"'
    return f"<p{mark}>{lead}{_text(sentence.text)}</p>"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{_text(column)}</th>' for column in table.columns)
    lines = []
    for row, cells in enumerate(table.rows):
        inner = "".join(
            f"<td{_mark(table, row, column)}>{_text(cell)}</td>"
            for column, cell in enumerate(cells[1:], 1)
        )
        lines.append(f'<tr><th scope="row">{_text(cells[0])}</th>{inner}</tr>')
    body = "\n".join(lines)
    note = f'<p class="note">{_text(table.note)}</p>' if table.note else ""
    label = escape(printable(table.heading))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}"><table>'
        f"<caption>{label}</caption>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>{note}</div>"
    )


def _mark(table: Table, row: int, column: int) -> str:
    mark = table.marks.get((row, column))
    return f' class="{mark}"' if mark else ""

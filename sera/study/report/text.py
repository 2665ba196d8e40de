"""A report as text for a terminal: the same words and tables, without the plots."""

from __future__ import annotations

import textwrap

from sera.study.report.document import (
    SIMULATED_SENTENCE,
    Block,
    Document,
    Figure,
    Listing,
    Sentence,
    Table,
)

_WIDTH = 100
_WIDEST_CELL = 58


def text_of(document: Document) -> str:
    """The report as text."""
    banner = ["!" * _WIDTH, *_wrapped(SIMULATED_SENTENCE), "!" * _WIDTH, ""]
    lines = list(banner) if document.simulated else []
    lines += [_clean(document.title), "=" * min(len(document.title), _WIDTH), ""]
    for section in document.sections:
        title = _clean(section.title)
        lines += [title, ("-" if section.level == 1 else "·") * min(len(title), _WIDTH), ""]
        for block in section.blocks:
            lines += [*_block(block), ""]
    if document.simulated:
        lines += banner[:-1]
    return "\n".join(lines).rstrip() + "\n"


def _clean(text: str) -> str:
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(_clean(text), _WIDTH, initial_indent=first, subsequent_indent=rest) or [""]


def _block(block: Block) -> list[str]:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure):
        return _wrapped(f"[{block.heading}: in the report]")
    if isinstance(block, Listing):
        return [line for item in block.items for line in _wrapped(item, "- ", "  ")]
    return _sentence(block)


def _sentence(sentence: Sentence) -> list[str]:
    return _wrapped(f"{sentence.lead} {sentence.text}".strip())


def _table(table: Table) -> list[str]:
    """Columns as wide as their content; long cells go on in the next line."""
    rows = [[_clean(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [
        min(max(len(row[column]) for row in rows), _WIDEST_CELL)
        for column in range(len(table.columns))
    ]
    lines = _wrapped(table.heading)
    for place, row in enumerate(rows):
        cells = [
            textwrap.wrap(cell, width) or [""] for cell, width in zip(row, widths, strict=True)
        ]
        for line in range(max(len(cell) for cell in cells)):
            parts = [
                (cell[line] if line < len(cell) else "").ljust(width)
                for cell, width in zip(cells, widths, strict=True)
            ]
            lines.append("  ".join(parts).rstrip())
        if place == 0:
            lines.append("  ".join("-" * width for width in widths))
    return lines + (_wrapped(table.note) if table.note else [])

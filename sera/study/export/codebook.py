"""The codebook: what every column of every table means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sera.study.export.column import Column, Table
from sera.study.export.safe_csv import csv_text

CODEBOOK_COLUMNS = (
    "table",
    "name",
    "meaning",
    "unit",
    "type",
    "level",
    "lowest",
    "highest",
    "values",
    "questionnaire",
    "item",
    "wording",
    "source",
    "validation",
    "reversed",
    "scales",
    "spss_name",
    "spss_codes",
)
_TYPES = {
    "text": "text",
    "whole": "whole number",
    "decimal": "number",
    "truth": "true or false",
}


def codebook_rows(
    tables: Sequence[Table], spss: Mapping[str, tuple[str, Mapping[Any, int]]] | None = None
) -> Iterator[dict[str, Any]]:
    """A row for each column of each table.

    Args:
        tables: that were exported.
        spss: name and codes in the file for SPSS, by column of the wide table.
    """
    for table in tables:
        for column in table.columns:
            known = spss if spss is not None and table.name == "wide" else {}
            name, codes = known.get(column.name, ("", {}))
            yield {
                "table": table.name,
                "name": column.name,
                "meaning": column.meaning,
                "unit": column.unit,
                "type": _TYPES[column.kind],
                "level": column.level,
                "lowest": column.lowest,
                "highest": column.highest,
                "values": "; ".join(f"{_shown(v)} = {word}" for v, word in column.labels.items()),
                "questionnaire": column.questionnaire,
                "item": column.item,
                "wording": column.wording,
                "source": column.source,
                "validation": column.validation,
                "reversed": column.reversed if column.item else None,
                "scales": ", ".join(column.scales),
                "spss_name": name,
                "spss_codes": "; ".join(f"{code} = {_shown(v)}" for v, code in codes.items()),
            }


def codebook_csv(
    tables: Sequence[Table],
    spss: Mapping[str, tuple[str, Mapping[Any, int]]] | None = None,
    *,
    byte_order_mark: bool = False,
) -> str:
    """The codebook as CSV; arguments as for `codebook_rows`."""
    rows = codebook_rows(tables, spss)
    return csv_text(CODEBOOK_COLUMNS, rows, byte_order_mark=byte_order_mark)


def codebook_markdown(
    title: str,
    tables: Sequence[Table],
    spss: Mapping[str, tuple[str, Mapping[Any, int]]] | None = None,
    *,
    simulated: bool = False,
) -> str:
    """The codebook to read."""
    lines = [f"# Codebook: {_flat(title)}", ""]
    if simulated:
        lines += [
            "**SIMULATED: made by simulated participants; supports no claim about people.**",
            "",
        ]
    facts = list(codebook_rows(tables, spss))
    for table in tables:
        own = [row for row in facts if row["table"] == table.name]
        lines += [f"## Table {table.name}: {len(own)} columns, {len(table.rows)} rows", ""]
        lines += [f"- {_flat(note)}" for note in table.notes] + [""] * bool(table.notes)
        lines += ["| Column | Meaning | Type | Values |", "| --- | --- | --- | --- |"]
        for row in own:
            cells = (f"`{_flat(row['name'])}`", _flat(row["meaning"]), _type(row), _values(row))
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += _questionnaires(tables)
    return "\n".join(lines)


def _type(row: dict[str, Any]) -> str:
    unit = f", {row['unit']}" if row["unit"] else ""
    return _flat(f"{row['type']}{unit} ({row['level']})")


def _values(row: dict[str, Any]) -> str:
    told = [str(row["values"])] if row["values"] else []
    if row["lowest"] is not None or row["highest"] is not None:
        ends = ["…" if end is None else f"{end:g}" for end in (row["lowest"], row["highest"])]
        told.append(f"{ends[0]} to {ends[1]}")
    if row["reversed"]:
        told.append("reversed")
    if row["scales"] and row["item"]:
        told.append(f"scale {row['scales']}")
    if row["spss_name"] and row["spss_name"] != row["name"]:
        told.append(f"SPSS {row['spss_name']}")
    return _flat("; ".join(told))


def _questionnaires(tables: Sequence[Table]) -> list[str]:
    found: dict[str, Column] = {}
    for table in tables:
        for column in table.columns:
            if column.questionnaire and column.source:
                found.setdefault(column.questionnaire, column)
    if not found:
        return []
    lines = ["## Questionnaires", ""]
    for name, column in found.items():
        lines.append(f"- **{name}**: {_flat(column.source)}. Wording: {_flat(column.validation)}.")
    return [*lines, ""]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _flat(text: str) -> str:
    """Text in one line that does not end a cell."""
    return re.sub(r"\s+", " ", str(text)).replace("\\", "\\\\").replace("|", "\\|").strip()

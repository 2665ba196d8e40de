"""Tables as CSV that a spreadsheet shows as it is.

A cell of text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return would be taken for a
formula: an apostrophe is put before it, which spreadsheets use for text as well. Numbers are left
alone. Control characters other than tab and line break become U+FFFD.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

BYTE_ORDER_MARK = "\ufeff"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def csv_text(
    names: Sequence[str], rows: Iterable[dict[str, Any]], *, byte_order_mark: bool = False
) -> str:
    """A table as text, with a header line.

    Args:
        names: of the columns.
        rows: values by column.
        byte_order_mark: begin with one, by which some spreadsheets know UTF-8.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([safe(name) for name in names])
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in names])
    return (BYTE_ORDER_MARK if byte_order_mark else "") + buffer.getvalue()


def safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    clean = _CONTROL.sub("\ufffd", text)
    return f"'{clean}" if clean.startswith(_FORMULA) else clean


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return safe(value)
    return repr(value) if isinstance(value, float) else str(value)

"""Records as a table for statistics programs, or as a smaller log.

Tables have one row a record: the envelope's columns, then one column for each field that occurs
(`data.person`, nested fields with further dots); lists stand in a cell as JSON.
"""

from __future__ import annotations

import csv
import importlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from sera.recording._format import MALFORMED_TYPE, LogHeader, json_line
from sera.recording._reader import Record

_ENVELOPE = ("received_s", "time", "type", "source", "character", "id", "cause")
_XLSX_ROWS = 1_048_576
_XLSX_COLUMNS = 16_384
_XLSX_CELL = 32_767
_XLSX_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Exported(NamedTuple):
    """What was written."""

    path: Path
    rows: int
    columns: int
    shortened: int = 0
    """Cells that hold less than the record, because the format allows no more."""


class ExportError(ValueError):
    """The records cannot be written that way; the message says what to do instead."""


def export(
    records: Iterable[Record],
    path: Path | str,
    format: str | None = None,  # noqa: A002  # the word that users of tables know
    *,
    header: LogHeader | None = None,
    overwrite: bool = False,
) -> Exported:
    """Write records to a file, which appears only when it is whole.

    Args:
        records: what to write, such as the result of `filter_records`.
        path: the file.
        format: `csv` (UTF-8), `xlsx` or `jsonl` (a log again); None: by the name of the file.
        header: for `jsonl`, the first line of the new log.
        overwrite: whether a file of that name may be replaced.

    Raises:
        ExportError: unknown format, or more than the format holds.
        FileExistsError: a file of that name is there.
    """
    path = Path(path)
    name = (format or path.suffix.lstrip(".")).lower()
    if name not in _FORMATS:
        raise ExportError(
            f"{path}: unknown format {name!r}; use one of {', '.join(_FORMATS)}, "
            "as the end of the file's name or as the format"
        )
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists already: give another name, or allow to overwrite it")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        exported = _FORMATS[name](records, unfinished, header)
        os.replace(unfinished, path)  # noqa: PTH105  # replaces on Windows too, as is meant here
    finally:
        unfinished.unlink(missing_ok=True)
    return exported._replace(path=path)


def record_line(record: Record) -> bytes:
    """A record as the line of a log that it came from."""
    if record.type == MALFORMED_TYPE:
        return json_line(
            {"received": record.received_s, "topic": record.topic, "malformed": record.data}
        )
    fields = {
        "received": record.received_s,
        "topic": record.topic,
        "type": record.type,
        "id": record.id,
        "time": record.time,
        "source": record.source,
        "character": record.character,
        "cause": record.cause,
        "protocol": record.protocol,
        "data": record.data,
    }
    return json_line(fields)


def _to_jsonl(records: Iterable[Record], path: Path, header: LogHeader | None) -> Exported:
    rows = 0
    with path.open("wb") as file:
        if header is not None:
            file.write(header.line(exported=True))
        for record in records:
            file.write(record_line(record))
            rows += 1
    return Exported(path, rows, 0)


def _to_csv(records: Iterable[Record], path: Path, _: LogHeader | None) -> Exported:
    with tempfile.TemporaryFile() as spool, path.open("w", encoding="utf-8", newline="") as file:
        columns, rows = _spooled(records, spool)
        table = csv.writer(file)
        table.writerow(columns)
        for row in _rows(spool):
            table.writerow([_csv_cell(row.get(column)) for column in columns])
    return Exported(path, rows, len(columns))


def _to_xlsx(records: Iterable[Record], path: Path, _: LogHeader | None) -> Exported:
    try:
        openpyxl = importlib.import_module("openpyxl")
        cells = importlib.import_module("openpyxl.cell")
    except ImportError:
        raise ExportError("xlsx needs openpyxl: `pip install openpyxl`, or export as csv") from None
    shortened = 0
    with tempfile.TemporaryFile() as spool:
        columns, rows = _spooled(records, spool)
        if rows + 1 > _XLSX_ROWS or len(columns) > _XLSX_COLUMNS:
            raise ExportError(
                f"{rows:,} rows with {len(columns):,} columns do not fit into an xlsx sheet "
                f"({_XLSX_ROWS:,} and {_XLSX_COLUMNS:,}): filter the records, or export as csv"
            )
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet("log")
        sheet.append(columns)
        for row in _rows(spool):
            line = []
            for column in columns:
                value = row.get(column)
                if isinstance(value, str):
                    text = _XLSX_ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", value)[:_XLSX_CELL]
                    shortened += text != value
                    value = cells.WriteOnlyCell(sheet, text)
                    value.data_type = "s"  # a transcript that begins with = is no formula
                line.append(value)
            sheet.append(line)
        book.save(path)
    return Exported(path, rows, len(columns), shortened)


def _spooled(records: Iterable[Record], spool: IO[bytes]) -> tuple[list[str], int]:
    """Flat rows in a temporary file: the columns are known only after the last record."""
    columns = dict.fromkeys(_ENVELOPE)
    rows = 0
    for record in records:
        row = {name: getattr(record, name) for name in _ENVELOPE}
        row |= _flat("data", record.data)
        columns |= dict.fromkeys(row)
        spool.write(json_line(row))
        rows += 1
    spool.seek(0)
    return list(columns), rows


def _rows(spool: IO[bytes]) -> Iterator[dict[str, Any]]:
    for line in spool:
        yield json.loads(line)


def _flat(prefix: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        flat: dict[str, Any] = {}
        for key, item in value.items():
            flat |= _flat(f"{prefix}.{key}", item)
        return flat
    if isinstance(value, list):
        return {prefix: json.dumps(value, ensure_ascii=False)}
    return {prefix: value}


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value


_FORMATS: dict[str, Callable[[Iterable[Record], Path, LogHeader | None], Exported]] = {
    "csv": _to_csv,
    "xlsx": _to_xlsx,
    "jsonl": _to_jsonl,
}

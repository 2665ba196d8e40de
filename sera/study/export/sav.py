"""The wide table for SPSS (.sav), by pyreadstat.

Names are made legal (a letter first, then letters, digits, `.` and `_`, at most 64 bytes, no word
of the language, each once whatever its case). Columns whose values are known words become numbers
with value labels, so that every procedure takes them. A question that was asked and left out is
`NO_ANSWER`, a missing value with a label; what was never asked is empty.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from sera.study.export.column import Column, Table, Value

NO_ANSWER = -99
FAR_NO_ANSWER = -99_999_999
"""In place of it where an answer may be as low."""
LONGEST_NAME_BYTES = 64
LONGEST_LABEL = 250
LONGEST_VALUE_LABEL = 120
LONGEST_TEXT_BYTES = 32_000
_RESERVED = frozenset(
    ("ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH")
)
_STRANGE = re.compile(r"[^A-Za-z0-9_.]")


SavCodes = dict[str, tuple[str, Mapping[Any, int]]]
"""By column: its name in SPSS, and the number of each word."""


class SavNeeds(Exception):
    """What writes these files is not installed; the message says how to get it."""


@dataclass(slots=True)
class SavFrame:
    """A table as SPSS has it."""

    names: dict[str, str]
    """Name in SPSS by column."""
    codes: dict[str, dict[Value, int]]
    """Number by value, by column, where words became numbers."""
    data: dict[str, list[Any]] = field(default_factory=dict)
    """Values by name in SPSS."""
    labels: dict[str, str] = field(default_factory=dict)
    value_labels: dict[str, dict[float, str]] = field(default_factory=dict)
    missing: dict[str, list[float]] = field(default_factory=dict)
    measures: dict[str, str] = field(default_factory=dict)

    def for_codebook(self) -> SavCodes:
        """Name and codes by column."""
        return {name: (own, self.codes.get(name, {})) for name, own in self.names.items()}


def sav_frame(table: Table) -> SavFrame:
    """The table with legal names, codes and labels."""
    frame = SavFrame(legal_names(column.name for column in table.columns), {})
    for column in table.columns:
        name = frame.names[column.name]
        codes = _codes(column, table)
        is_number = bool(codes) or column.kind in ("whole", "decimal")
        if codes:
            frame.codes[column.name] = codes
        missing = _no_answer(column, table) if column.is_answer and is_number else None
        values: list[Any] = []
        for place, row in enumerate(table.rows):
            value: Any = row[column.name]
            if value is None and missing is not None and (place, column.name) in table.left_out:
                value = missing
            elif codes:
                value = codes.get(value)
            values.append(_number(value) if is_number else _text(value))
        frame.data[name] = values
        frame.labels[name] = _cut(column.meaning, LONGEST_LABEL)
        frame.measures[name] = column.level
        labels = {
            float(number): _cut(label, LONGEST_VALUE_LABEL)
            for value, label in column.labels.items()
            if isinstance(number := codes.get(value, value), int | float)
        }
        if missing is not None:
            frame.missing[name] = [float(missing)]
            labels[float(missing)] = "no answer"
        if labels and is_number:
            frame.value_labels[name] = labels
    return frame


def write_sav(table: Table, path: Path, title: str) -> SavFrame:
    """Write the file.

    Raises:
        SavNeeds: pyreadstat is not installed.
        OSError: it cannot be written.
    """
    try:
        pandas, pyreadstat = import_module("pandas"), import_module("pyreadstat")
    except ImportError:
        raise SavNeeds(
            "files for SPSS need pyreadstat: `pip install 'sera-hri[study]'`, or say --no-sav"
        ) from None
    frame = sav_frame(table)
    try:
        pyreadstat.write_sav(
            _data_frame(frame, pandas),
            str(path),
            file_label=_cut(title.encode("ascii", "replace").decode(), 60),
            column_labels=frame.labels,
            variable_value_labels=frame.value_labels,
            missing_ranges=frame.missing,
            variable_measure=frame.measures,
        )
    except pyreadstat.PyreadstatError as error:
        raise OSError(f"{path} cannot be written: {error}") from None
    return frame


def _data_frame(frame: SavFrame, pandas: Any) -> Any:
    columns = {}
    for name, values in frame.data.items():
        is_text = any(isinstance(value, str) for value in values)
        # Without a kind of its own an empty column would be taken for text.
        columns[name] = pandas.Series(values, dtype=object if is_text else "float64")
    return pandas.DataFrame(columns)


def legal_names(names: Iterable[str]) -> dict[str, str]:
    """A name that SPSS takes for each name, all different."""
    taken: set[str] = set()
    chosen: dict[str, str] = {}
    for name in names:
        legal = base = _legal(name)
        number = 2
        while legal.upper() in taken:
            tail = f"_{number}"
            legal = base[: LONGEST_NAME_BYTES - len(tail)] + tail
            number += 1
        taken.add(legal.upper())
        chosen[name] = legal
    return chosen


def _legal(name: str) -> str:
    spelt = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    legal = _STRANGE.sub("_", spelt)
    if not legal or not legal[0].isalpha():
        legal = f"v_{legal}"
    # A dot at the end would end a command, and an underscore is kept for the program's own names.
    legal = legal[:LONGEST_NAME_BYTES].rstrip("._") or "v"
    return f"{legal}_v" if legal.upper() in _RESERVED else legal


def _codes(column: Column, table: Table) -> dict[Value, int]:
    if column.kind == "truth":
        return {False: 0, True: 1}
    if column.kind != "text" or not column.labels:
        return {}
    found = dict.fromkeys(value for row in table.rows if (value := row[column.name]) is not None)
    known = [*column.labels, *(value for value in found if value not in column.labels)]
    return {value: number for number, value in enumerate(known, start=1)}


def _no_answer(column: Column, table: Table) -> int:
    given = [value for row in table.rows if (value := row[column.name]) is not None]
    low = [value for value in given if isinstance(value, int | float)]
    if column.lowest is None and column.kind in ("whole", "decimal") and not column.labels:
        return FAR_NO_ANSWER
    lowest = min([*low, 0.0 if column.lowest is None else column.lowest])
    return NO_ANSWER if lowest > NO_ANSWER else FAR_NO_ANSWER


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, bool | int | float) else None


def _text(value: Any) -> str:
    told = "" if value is None else str(value)
    return told.encode("utf-8", "replace")[:LONGEST_TEXT_BYTES].decode("utf-8", "ignore")


def _cut(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"

"""New numbers in a scenario file, everything else left as it stands: comments, order, line ends.

Design overview: the scanner that finds the lines of keys also tells where each value begins and
ends. A key that is there gets its new value in place; one that is missing is written beside its
neighbours. What comes out is read again and compared before a byte is written.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sera.runtime._toml_lines import LineIndex
from sera.runtime.located import dotted, shown_path

Keys = tuple[str, ...]
Value = float | tuple[float, float, float]
Tables = Mapping[Keys, Mapping[str, Value]]
"""New values by table and key."""
BACKUP = ".bak"


class CannotWrite(Exception):
    """The file was not changed; the message says why and what to do."""


def written_value(value: Value) -> str:
    """A number or a vector as TOML."""
    if isinstance(value, tuple):
        return f"[{', '.join(written_value(each) for each in value)}]"
    return repr(float(value) + 0.0)  # no minus nought


def tables_as_toml(tables: Tables) -> str:
    """The tables as somebody would write them."""
    blocks = [
        "\n".join([f"[{dotted(path)}]", *(f"{key} = {written_value(v)}" for key, v in own.items())])
        for path, own in tables.items()
    ]
    return "\n\n".join(blocks)


def replace_values(text: str, tables: Tables) -> str:
    """The text of a TOML file with new values.

    Raises:
        CannotWrite: the tables stand in it in a way that cannot be changed by machine.
    """
    wanted = tomllib.loads(text)
    for path, values in tables.items():
        for key, value in values.items():
            text = _replaced(text, path, key, written_value(value))
            table: Any = wanted
            for part in path:
                table = table.setdefault(part, {})
            table[key] = list(value) if isinstance(value, tuple) else value
    try:
        sound = tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        sound = False
    if not sound:
        raise CannotWrite("the file is written in a way that is not safe to change by machine")
    return text


def rewrite(path: Path, before: bytes, tables: Tables) -> Path:
    """Put new values into the file; returns where the old one is kept.

    Args:
        path: the file.
        before: what stood in it when it was read.
        tables: the new values.

    Raises:
        CannotWrite: it has changed since, or cannot be changed safely or at all.
    """
    path = path.resolve()
    backup = path.with_name(path.name + BACKUP)
    place = shown_path(path)
    try:
        if path.read_bytes() != before:
            raise CannotWrite(f"{place} was changed meanwhile and is left alone")
        mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
        text = before.decode("utf-8-sig")
        ends = "\r\n" if "\r\n" in text else "\n"
        try:
            changed = replace_values(text.replace("\r\n", "\n"), tables)
        except CannotWrite as error:
            raise CannotWrite(f"{place}: {error}") from None
        _write_whole(path, mark + changed.replace("\n", ends).encode(), backup)
    except OSError as error:
        why = error.strerror or str(error)
        raise CannotWrite(f"{place} cannot be written: {why}") from None
    return backup


def _write_whole(path: Path, content: bytes, backup: Path) -> None:
    """Never half a file: what is written appears under its name at once."""
    shutil.copy2(path, backup)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, name)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class _Places(LineIndex):
    """Also where each value begins and ends, and where each table's header ends."""

    def __init__(self, text: str) -> None:
        self.values: dict[tuple[str | int, ...], tuple[int, int]] = {}
        self.headers: dict[tuple[str | int, ...], int] = {}
        super().__init__(text)

    def _scan_header(self) -> tuple[str | int, ...]:
        path = super()._scan_header()
        self.headers[path] = self._at
        return path

    def _scan_value(self, path: tuple[str | int, ...]) -> None:
        begin = self._at
        super()._scan_value(path)
        # A plain number takes the blanks behind it along.
        end = begin + len(self._text[begin : self._at].rstrip())
        self.values[path] = (begin, end)


def _replaced(text: str, table: Keys, key: str, value: str) -> str:
    places = _Places(text)
    if (*table, key) in places.values:
        begin, end = places.values[*table, key]
        return text[:begin] + value + text[end:]
    if table in places.values:  # an inline table
        begin = places.values[table][0] + 1
        rest = text[begin:].lstrip(" \t")
        comma = "" if rest.startswith("}") else ", "
        return f"{text[:begin]} {key} = {value}{comma or ' '}{rest}"
    line = _with_neighbour(text, places, table, key, value)
    if line is not None:
        return line
    if table in places.headers:
        end = text.find("\n", places.headers[table])
        if end < 0:
            return f"{text}\n{key} = {value}\n"
        return f"{text[: end + 1]}{key} = {value}\n{text[end + 1 :]}"
    separator = "" if text.endswith("\n") or not text else "\n"
    return f"{text}{separator}\n[{dotted(table)}]\n{key} = {value}\n"


def _with_neighbour(text: str, places: _Places, table: Keys, key: str, value: str) -> str | None:
    """A line more behind the last key of the table, written as that one is (`ada.yaw_deg`)."""
    mates: Sequence[tuple[int, int]] = [
        span for path, span in places.values.items() if path[:-1] == table
    ]
    if not mates:
        return None
    begin, end = max(mates)
    start = text.rfind("\n", 0, begin) + 1
    written = text[start:begin].rpartition("=")[0].rstrip()
    indent = written[: len(written) - len(written.lstrip())]
    before, dot, _ = written.strip().rpartition(".")
    line_end = text.find("\n", end)
    new = f"{indent}{before}{dot}{key} = {value}"
    if line_end < 0:
        return f"{text}\n{new}\n"
    return f"{text[: line_end + 1]}{new}\n{text[line_end + 1 :]}"

"""Reads a log: record by record, without loading it, whatever state the file is in.

A line that was cut or damaged is left out and counted with its line number; everything else is
read. Opening takes the same time for a file of any size.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import from_json

from sera.messages import Message
from sera.recording._format import MALFORMED_TYPE, LogHeader
from sera.recording._lines import raw_lines
from sera.recording._recreate import recreate
from sera.recording._restore import Originals

_DAY_S = 86_400.0


class Record(NamedTuple):
    """One message of a log; what arrived and was no message has the type `(malformed)`."""

    received_s: float
    """When the recorder got it, on the clock of the run."""
    topic: str
    type: str
    id: str
    time: float
    """When the fact was observed or the order given."""
    source: str
    character: str
    cause: str | None
    data: dict[str, Any]
    protocol: int = 1
    line: int = 0
    """Number of its line in the file, from 1."""


class LogReader:
    """The records of a log file; iterate over it, as often as you like.

    Attributes that count (`damaged_lines`, `lost`, `end`) are true after a whole pass.
    """

    def __init__(self, path: Path | str, *, restore: bool = False) -> None:
        """Open a log.

        Args:
            path: the file, plain or compressed with gzip.
            restore: put originals back in place of pseudonyms, where they are still kept.

        Raises:
            FileNotFoundError: there is no such file.
        """
        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"there is no log {self.path}")
        self.damaged_lines: list[int] = []
        """Numbers of the lines that could not be read, from 1."""
        self.lost = 0
        """Lines that a full disk cost, as the writer noted."""
        self.end: dict[str, Any] | None = None
        """The last line of a run that ended in an orderly way."""
        self.header = self._first_header()
        """The first line; None where it is damaged."""
        self._originals = Originals(self.path) if restore else None

    @property
    def damaged(self) -> int:
        """How many lines could not be read."""
        return len(self.damaged_lines)

    def __iter__(self) -> Iterator[Record]:
        self.damaged_lines, self.lost, self.end = [], 0, None
        for number, line in enumerate(raw_lines(self.path), start=1):
            record = self.record(line, number)
            if record is not None:
                yield record

    def origin_s(self) -> float:
        """The time from which times within the run count.

        That is the header's `started`; the first record's where the header is missing or speaks
        of another clock.
        """
        first = next(iter(LogReader(self.path)), None)
        started = self.header.started if self.header is not None else None
        if first is None:
            return started or 0.0
        if started is not None and 0.0 <= first.received_s - started < _DAY_S:
            return started
        return first.received_s

    def message(self, record: Record) -> Message:
        """The typed message of a record.

        Fields that this version does not know are ignored. A field whose pseudonym breaks a rule
        that its original kept (a length, a choice, a number) is passed on unchecked.

        Raises:
            UnknownMessageType: this installation does not know the type.
            ValueError: the record does not fit its type.
        """
        return recreate(record.type, record.data, where=f"{self.path}, line {record.line}")

    def record(self, line: bytes, number: int) -> Record | None:
        """The record in a raw line of the file; what else stands there is noted in the counts."""
        fields = parse_line(line)
        if fields is None:
            self.damaged_lines.append(number)
            return None
        if "data" not in fields and self._is_about_the_log(fields):
            return None
        found = _message_record if "data" in fields else _malformed_record
        record = found(fields, number)
        if record is None:
            self.damaged_lines.append(number)
        elif self._originals is not None and b"~" in line:
            return record._replace(data=self._originals.restored(record.data))
        return record

    def _is_about_the_log(self, fields: dict[str, Any]) -> bool:
        """Take note of a line that is no record: header, end, or a gap."""
        if "end" in fields:
            self.end = fields
        elif isinstance(lost := fields.get("lost"), int):
            self.lost += lost
        else:
            return "sera_log" in fields
        return True

    def _first_header(self) -> LogHeader | None:
        lines = raw_lines(self.path)
        fields = parse_line(next(lines, b""))
        lines.close()  # type: ignore[attr-defined]  # it is a generator
        return LogHeader.from_line(fields) if fields and "sera_log" in fields else None


def parse_line(line: bytes) -> dict[str, Any] | None:
    """The object in a line, or None where the line was cut or is none."""
    if not line.endswith(b"\n"):
        return None
    try:
        fields = from_json(line)
    except ValueError:
        try:  # reads half a surrogate pair, which the fast parser refuses
            fields = json.loads(line)
        except (ValueError, RecursionError):
            return None
    return fields if isinstance(fields, dict) else None


def _message_record(fields: dict[str, Any], number: int) -> Record | None:
    try:
        record = Record(
            fields["received"],
            fields["topic"],
            fields["type"],
            fields["id"],
            fields["time"],
            fields["source"],
            fields["character"],
            fields["cause"],
            fields["data"],
            fields["protocol"],
            number,
        )
    except KeyError:
        return None
    return record if _is_sound(record) else None


def _is_sound(record: Record) -> bool:
    """Whether everything is of the type that whoever reads it relies on."""
    words = (record.topic, record.type, record.id, record.source, record.character)
    return (
        all(map(_is_text, words))
        and (record.cause is None or isinstance(record.cause, str))
        and _is_time(record.received_s)
        and _is_time(record.time)
        and isinstance(record.data, dict)
    )


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_time(value: object) -> bool:
    return isinstance(value, float | int) and math.isfinite(value)


def _malformed_record(fields: dict[str, Any], number: int) -> Record | None:
    received, topic, data = fields.get("received"), fields.get("topic"), fields.get("malformed")
    if not isinstance(received, float | int) or not isinstance(topic, str):
        return None
    if not isinstance(data, dict):
        return None
    parts = topic.split("/")
    character, source = (parts[2], parts[4]) if len(parts) == 5 else ("", "")
    return Record(
        received, topic, MALFORMED_TYPE, "", received, source, character, None, data, line=number
    )

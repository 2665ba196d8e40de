"""The messages of one run, from its log or from memory, by type and only as far as asked for.

Design overview: a log is read once, and the type of each line is told from its beginning without
parsing it. Lines of rare types are kept; those of a type with many (a stream such as JointFrame)
are let go and read again should somebody ask for them. So an hour's recording is looked through in
about the time it takes to read the file.

Units and frames: seconds from the beginning of the run.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sera.messages import Envelope
from sera.recording import LogReader, Record
from sera.recording._lines import raw_lines
from sera.study.measures._wholeness import Wholeness

KEPT_BYTES = 4 * 1024 * 1024
"""How much of one type is kept in memory."""
_HEAD = re.compile(
    rb'\{"received":(-?[0-9][0-9.eE+-]*),"topic":"[^"\\]*","type":"([A-Za-z_][A-Za-z0-9_]*)","id":'
)
"""How our own writer begins a line; anything else is parsed as a whole."""
_HEADER = b'{"sera_log":'


class LogEntry(NamedTuple):
    """A message of a session."""

    time_s: float
    """When it was observed or ordered, from the beginning of the session."""
    type: str
    character: str
    source: str
    data: dict[str, Any]
    """Its fields."""
    id: str = ""
    order: int = 0
    """Place in the log, for messages of the same time."""


class Run(Protocol):
    """The messages of one run."""

    name: str
    """What messages call it."""

    @property
    def length_s(self) -> float:
        """From the beginning to the last message, or to the orderly end."""

    @property
    def types(self) -> frozenset[str]:
        """Types of its messages."""

    def entries(self, type_name: str) -> list[LogEntry]:
        """All messages of a type, in the order of their times."""

    def lacks(self, type_name: str | None) -> str | None:
        """Why not all messages of a type (None: of all types) can be read; None: they can."""

    @property
    def has_end(self) -> bool:
        """Whether it ended in an orderly way."""

    def fresh(self) -> Run:
        """The same run for somebody who may change what it gives."""


class RunInFile:
    """A run whose log is in a file."""

    def __init__(self, path: Path | str, *, restore: bool = False) -> None:
        """Open a log; it is read when something is asked for.

        Args:
            path: the log, plain or compressed.
            restore: put originals back in place of pseudonyms, where they are still kept.

        Raises:
            FileNotFoundError: there is no such file.
        """
        self.name = str(path)
        self._reader = LogReader(path, restore=restore)
        self._lines: dict[str, list[tuple[int, bytes]] | None] | None = None
        self._parsed: dict[str, list[LogEntry]] = {}
        self._origin_s = 0.0
        self._last_s = 0.0
        self._wholeness = Wholeness(self.name)

    @property
    def length_s(self) -> float:
        self._looked_through()
        return max(0.0, self._last_s - self._origin_s)

    @property
    def types(self) -> frozenset[str]:
        return frozenset(self._looked_through())

    def entries(self, type_name: str) -> list[LogEntry]:
        if type_name not in self._parsed:
            lines = self._looked_through().get(type_name, [])
            if lines is None:
                lines = self._read_again(type_name)
            records = [(line, self._reader.record(line, number)) for number, line in lines]
            found = [
                _entry(one, self._origin_s, one.line)
                for _, one in records
                if one is not None and one.type == type_name
            ]
            broken = sum(one is None and _named_type(line) == type_name for line, one in records)
            if broken:
                self._wholeness.note_unreadable(type_name, broken)
            self._parsed[type_name] = sorted(found, key=when)
        return self._parsed[type_name]

    def lacks(self, type_name: str | None) -> str | None:
        if type_name is None:
            for one in self.types:
                self.entries(one)
            return self._wholeness.lacks_anything()
        self.entries(type_name)
        return self._wholeness.lacks(type_name)

    @property
    def has_end(self) -> bool:
        self._looked_through()
        return self._wholeness.has_end

    def fresh(self) -> RunInFile:
        self._looked_through()
        other = copy.copy(self)
        other._parsed = {}
        return other

    def _looked_through(self) -> dict[str, list[tuple[int, bytes]] | None]:
        if self._lines is not None:
            return self._lines
        kept: dict[str, list[tuple[int, bytes]] | None] = {}
        bytes_of: dict[str, int] = {}
        self._origin_s = self._last_s = _number(self._reader.origin_s()) or 0.0
        number = 0
        for number, line in enumerate(raw_lines(self._reader.path), start=1):
            type_name = self._type_of(line, number)
            if type_name is None:
                continue
            self._wholeness.message(type_name)
            bytes_of[type_name] = size = bytes_of.get(type_name, 0) + len(line)
            if size > KEPT_BYTES:
                kept[type_name] = None
            elif (lines := kept.setdefault(type_name, [])) is not None:
                lines.append((number, line))
        self._note_time((self._reader.end or {}).get("end"))
        self._wholeness.over(number, self._reader.end)
        self._lines = kept
        return kept

    def _type_of(self, line: bytes, number: int) -> str | None:
        head = _HEAD.match(line)
        if head is not None and line.endswith(b"}\n"):
            self._note_time(head[1])
            return head[2].decode()
        damaged_before, lost_before = self._reader.damaged, self._reader.lost
        record = self._reader.record(line, number)  # takes note of the end of the run as well
        if record is None:
            if self._reader.damaged > damaged_before:
                self._wholeness.damaged(number, _named_type(line))
            elif line.startswith(_HEADER):
                self._wholeness.header(number)
            self._wholeness.lost(self._reader.lost - lost_before)
            return None
        self._note_time(record.received_s)
        return str(record.type)

    def _note_time(self, told: object) -> None:
        if (received_s := _number(told)) is not None:
            self._last_s = max(self._last_s, received_s)

    def _read_again(self, type_name: str) -> list[tuple[int, bytes]]:
        wanted = type_name.encode()
        return [
            (number, line)
            for number, line in enumerate(raw_lines(self._reader.path), start=1)
            if (head := _HEAD.match(line)) is None or head[2] == wanted
        ]


class RunInMemory:
    """A run whose messages were never written, such as a simulated one."""

    def __init__(
        self,
        messages: Iterable[Envelope | Record],
        *,
        name: str,
        origin_s: float = 0.0,
        length_s: float | None = None,
    ) -> None:
        """Keep messages.

        Args:
            messages: in the order in which they were sent.
            name: what sentences call the run.
            origin_s: beginning of the run on their clock.
            length_s: how long the run was; None: to the last message.
        """
        self.name = name
        self._origin_s = origin_s
        self._by_type: dict[str, list[tuple[int, Envelope | Record]]] = {}
        self._parsed: dict[str, list[LogEntry]] = {}
        last_s = origin_s
        for order, one in enumerate(messages):
            self._by_type.setdefault(one.type, []).append((order, one))
            last_s = max(last_s, _sound_time(one))
        self._length_s = last_s - origin_s if length_s is None else length_s

    @property
    def length_s(self) -> float:
        return self._length_s

    @property
    def types(self) -> frozenset[str]:
        return frozenset(self._by_type)

    def entries(self, type_name: str) -> list[LogEntry]:
        if type_name not in self._parsed:
            found = [
                _entry(one, self._origin_s, order)
                for order, one in self._by_type.get(type_name, [])
            ]
            self._parsed[type_name] = sorted(found, key=when)
        return self._parsed[type_name]

    def lacks(self, _type_name: str | None) -> str | None:
        return None

    @property
    def has_end(self) -> bool:
        return True

    def fresh(self) -> RunInMemory:
        other = copy.copy(self)
        other._parsed = {}
        return other


def _named_type(line: bytes) -> str | None:
    """The type that a line's beginning names, whatever comes after it."""
    head = _HEAD.match(line)
    return None if head is None else head[2].decode()


def _entry(one: Envelope | Record, origin_s: float, order: int) -> LogEntry:
    if isinstance(one, Envelope):
        data = one.message.model_dump(mode="json")
    else:
        data = copy.deepcopy(one.data)  # whoever made the record keeps it as it is
    time_s = _sound_time(one) - origin_s
    character, source = str(one.character), str(one.source)
    return LogEntry(time_s, one.type, character, source, data, str(one.id), order)


def _sound_time(one: Envelope | Record) -> float:
    times = [one.time] if isinstance(one, Envelope) else [one.time, one.received_s]
    return next((sound for time in times if (sound := _number(time)) is not None), 0.0)


def when(entry: LogEntry) -> tuple[float, int]:
    """By this messages are put in order."""
    return entry.time_s, entry.order


def _number(told: object) -> float | None:
    """What a log tells as a number; None where it is none that one can reckon with."""
    try:
        number = float(told)  # type: ignore[arg-type]  # whatever it is
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None

"""Finds a stretch of a log by time, without reading what comes before it.

A log is written in the order of `received`, and every line of a message begins with that time:
a plain file is searched by halves. A compressed one has to be read from its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sera.recording._lines import LINE_LIMIT_BYTES, raw_lines
from sera.recording._reader import LogReader, Record

_RECEIVED = re.compile(rb'\{"received": ?(-?[0-9][0-9.eE+-]*)')
_NEAR_ENOUGH_BYTES = 64 * 1024
_LINES_TRIED = 50
_DISORDER_S = 2.0
"""How far lines may stand out of order: the clock of a machine is set now and then."""


def records_between(log: LogReader, from_s: float, to_s: float) -> Iterator[Record]:
    """The records received in a stretch, on the clock of the log; ends soon after it."""
    for line in _lines_from(log.path, from_s - _DISORDER_S):
        match = _RECEIVED.match(line)
        received_s = None if match is None else _number(match[1])
        if received_s is not None and received_s > to_s + _DISORDER_S:
            return
        if received_s is not None and not from_s <= received_s <= to_s:
            continue  # not worth parsing
        record = log.record(line, 0)
        if record is not None and from_s <= record.received_s <= to_s:
            yield record


def _lines_from(path: Path, wanted_s: float) -> Iterator[bytes]:
    """Lines from a little before a time on."""
    with path.open("rb") as file:
        if file.read(2) == b"\x1f\x8b":
            file.close()
            yield from raw_lines(path)
            return
        file.seek(_offset_before(file, wanted_s))
        while line := file.readline(LINE_LIMIT_BYTES):
            yield line


def _offset_before(file: BinaryIO, wanted_s: float) -> int:
    """Where a line begins that was received before the time, close to it."""
    low, high = 0, file.seek(0, 2)
    while high - low > _NEAR_ENOUGH_BYTES:
        middle = (low + high) // 2
        file.seek(middle)
        file.readline(LINE_LIMIT_BYTES)  # the rest of a line
        found_s = _next_time(file)
        if found_s is None or found_s >= wanted_s:
            high = middle
        else:
            low = middle
    file.seek(low)
    if low:
        file.readline(LINE_LIMIT_BYTES)
    return file.tell()


def _next_time(file: BinaryIO) -> float | None:
    for _ in range(_LINES_TRIED):
        line = file.readline(LINE_LIMIT_BYTES)
        if not line:
            return None
        match = _RECEIVED.match(line)
        if match is not None and (number := _number(match[1])) is not None:
            return number
    return None


def _number(text: bytes) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None

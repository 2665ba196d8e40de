"""How a log ends, from its last lines alone: for a list of many long recordings."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sera.recording._reader import LogReader, parse_line

_TAIL_BYTES = 256 * 1024


class LogEnd(NamedTuple):
    """What the beginning and the end of a log tell about the whole."""

    complete: bool
    """False where the last line is missing: the run was killed, or it goes on."""
    messages: int | None
    """None where nobody has counted them."""
    duration_s: float | None
    """None where the end cannot be read without reading everything."""
    size_bytes: int


def end_of_log(path: Path) -> LogEnd:
    """Look at both ends of a log; takes the same time for a file of any size.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    size_bytes = path.stat().st_size
    header = LogReader(path).header
    with path.open("rb") as file:
        if file.read(2) == b"\x1f\x8b":  # its end cannot be seen from here
            return LogEnd(complete=True, messages=None, duration_s=None, size_bytes=size_bytes)
        file.seek(max(0, size_bytes - _TAIL_BYTES))
        lines = file.read(_TAIL_BYTES).split(b"\n")
    started_s = 0.0 if header is None else header.started
    for line in reversed(lines[:-1]):
        fields = parse_line(line + b"\n") or {}
        if isinstance(end_s := fields.get("end"), int | float) and "data" not in fields:
            counts = fields.get("counts")
            numbers = counts.values() if isinstance(counts, dict) else ()
            total = sum(number for number in numbers if isinstance(number, int))
            return LogEnd(True, total, _sane(end_s - started_s), size_bytes)
        if isinstance(received_s := fields.get("received"), int | float):
            return LogEnd(False, None, _sane(received_s - started_s), size_bytes)
    return LogEnd(complete=False, messages=None, duration_s=None, size_bytes=size_bytes)


def _sane(duration_s: float) -> float | None:
    """A duration, unless header and lines speak of different clocks."""
    return round(duration_s, 3) if 0 <= duration_s < 30 * 86_400 else None

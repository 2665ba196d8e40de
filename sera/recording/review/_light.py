"""Reads a log for an overview: of what is only counted, the beginning of the line is enough.

Most of a recording are streams (poses, people who move) and book-keeping, of which an overview
tells no more than how many there are. Their lines are counted as they pass and not taken apart,
which makes an hour of recording a matter of a second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sera.recording._lines import raw_lines
from sera.recording._reader import LogReader, Record
from sera.recording.review._times import is_sound_time

_RECEIVED = b'{"received":'
_HEAD = re.compile(
    rb',"topic":"(?:sera/[^/"\\]*/([^/"\\]*)/([A-Za-z0-9_]+)/[^/"\\]*)","type":"\2",\Z'
)
_ID = b'"id":"'
_END = b"}}\n"


class Counted(NamedTuple):
    """What messages have in common that are only counted."""

    type: str
    character: str


@dataclass(slots=True)
class Tally:
    """How many messages were counted and not handed on."""

    counts: dict[Counted, int] = field(default_factory=dict)
    last_s: float = -math.inf
    """When the last of them was received, on the clock of the run."""


def light_records(
    log: LogReader, is_counted_only: Callable[[str], bool], tally: Tally
) -> Iterator[Record]:
    """The records of a log that are listed; the others are in the tally when all have passed.

    Args:
        log: its counts of damaged and lost lines are true afterwards, as after reading it; a
            damaged line of a counted type may be counted as whole.
        is_counted_only: whether messages of a type are counted and not listed.
        tally: takes what is counted.
    """
    log.damaged_lines, log.lost, log.end = [], 0, None
    known: dict[bytes, Counted | None] = {}  # None: lines that begin so are read in full
    counts, begins = tally.counts, len(_RECEIVED)
    for number, line in enumerate(raw_lines(log.path), start=1):
        if line.startswith(_RECEIVED) and line.endswith(_END):
            comma = line.find(b",", begins)
            head = line[comma : line.find(_ID, comma)]
            if head not in known:
                known[head] = _read_head(head, is_counted_only)
            kind = known[head]
            received_s = None if kind is None else _number(line[begins:comma])
            if kind is not None and received_s is not None:
                if is_sound_time(received_s):
                    counts[kind] = counts.get(kind, 0) + 1
                    tally.last_s = max(tally.last_s, received_s)
                continue
        record = log.record(line, number)
        if record is not None:
            yield record


def _read_head(head: bytes, is_counted_only: Callable[[str], bool]) -> Counted | None:
    found = _HEAD.match(head)
    if found is None:
        return None
    try:
        character, name = (one.decode() for one in found.groups())
        head.decode()
    except UnicodeDecodeError:
        return None
    return Counted(name, character) if is_counted_only(name) else None


def _number(text: bytes) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None

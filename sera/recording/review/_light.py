"""Reads a log for an overview: of what is only counted, the beginning of the line is enough.

Most of a recording are streams (poses, people who move) and book-keeping, of which an overview
tells no more than how many there are. Their lines are not taken apart, which makes an hour of
recording a matter of a second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sera.recording._lines import raw_lines
from sera.recording._reader import LogReader, Record

_RECEIVED = b'{"received":'
_HEAD = re.compile(
    rb',"topic":"(sera/[^/"\\]*/([^/"\\]*)/([A-Za-z0-9_]+)/([^/"\\]*))","type":"\3",\Z'
)
_ID = b'"id":"'
_END = b"}}\n"

_Known = tuple[str, str, str, str] | None
"""Topic, type, source and character; None: lines that begin so are read in full."""


def light_records(log: LogReader, is_counted_only: Callable[[str], bool]) -> Iterator[Record]:
    """The records of a log, without fields, id and cause where nobody asks for them.

    Args:
        log: its counts of damaged and lost lines are true afterwards, as after reading it; a
            damaged line of a counted type may be counted as whole.
        is_counted_only: whether messages of a type are counted and not listed.
    """
    log.damaged_lines, log.lost, log.end = [], 0, None
    known: dict[bytes, _Known] = {}
    begins = len(_RECEIVED)
    for number, line in enumerate(raw_lines(log.path), start=1):
        record = None
        if line.startswith(_RECEIVED) and line.endswith(_END):
            comma = line.find(b",", begins)
            head = line[comma : line.find(_ID, comma)]
            if head not in known:
                known[head] = _read_head(head, is_counted_only)
            who = known[head]
            if who is not None:
                record = _light(line[begins:comma], who, number)
        record = record or log.record(line, number)
        if record is not None:
            yield record


def _read_head(head: bytes, is_counted_only: Callable[[str], bool]) -> _Known:
    found = _HEAD.match(head)
    if found is None:
        return None
    try:
        topic, character, name, source = (one.decode() for one in found.groups())
    except UnicodeDecodeError:
        return None
    return (topic, name, source, character) if is_counted_only(name) else None


def _light(received: bytes, who: tuple[str, str, str, str], number: int) -> Record | None:
    try:
        received_s = float(received)
    except ValueError:
        return None
    topic, name, source, character = who
    return Record(received_s, topic, name, "", received_s, source, character, None, {}, line=number)

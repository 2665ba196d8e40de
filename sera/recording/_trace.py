"""From any message back to what led to it, and on to everything it led to.

Design overview: one pass over the raw lines notes who caused whom (some 200 bytes of memory for
each message that has a cause), a second one parses only the lines that belong to the chain.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from sera.recording._lines import raw_lines
from sera.recording._reader import LogReader, Record

# Quotes inside a value are escaped, so these keys cannot be found in the middle of one; the
# envelope comes before the data, so the first ones are those of the envelope.
_ID_AND_CAUSE = re.compile(rb'"id": ?("[^"]*").*?"cause": ?(null|"[^"]*")')


class TraceStep(NamedTuple):
    """One message of a chain."""

    depth: int
    """Steps from the first cause."""
    asked_for: bool
    """True for the message that was asked about."""
    record: Record


class UnknownMessageId(LookupError):
    """No message in the log has this id."""


def trace(log: LogReader, message_id: str) -> list[TraceStep]:
    """The chain of causes from the first one on, the message, and all its effects as a tree.

    Each effect follows the message that led to it, in the order in which they were received.

    Raises:
        UnknownMessageId: with the ids that its source has in the log.
    """
    cause_of, ids_of_source, found = _causes(log, message_id)
    if not found:
        raise UnknownMessageId(_not_there(log, message_id, ids_of_source))
    chain = [message_id]
    while (cause := cause_of.get(chain[-1])) is not None and cause not in chain:
        chain.append(cause)
    chain.reverse()
    effects = _effects(cause_of, message_id, set(chain))
    records = _records(log, {*chain, *effects})
    steps = [(depth, member) for depth, member in enumerate(m for m in chain if m in records)]
    steps += _tree(effects, message_id, steps[-1][0])
    return [
        TraceStep(depth, member == message_id, records[member])
        for depth, member in steps
        if member in records
    ]


def _causes(log: LogReader, message_id: str) -> tuple[dict[str, str], list[str], bool]:
    """Cause by id in the order of the log, first and last id of a source, whether the id exists."""
    cause_of: dict[str, str] = {}
    same_source: list[str] = []
    beginning = json.dumps(message_id.rsplit("-", 2)[0])[:-1].encode() + b"-"
    wanted = json.dumps(message_id).encode()
    found = False
    for line in raw_lines(log.path):
        match = _ID_AND_CAUSE.search(line)
        if match is None:
            continue
        found = found or match[1] == wanted
        if match[1].startswith(beginning):
            same_source[1:] = [_unquoted(match[1])]
        if match[2] != b"null":
            cause_of.setdefault(_unquoted(match[1]), _unquoted(match[2]))
    return cause_of, same_source, found


def _unquoted(text: bytes) -> str:
    # Ids are plain but for those of other programs; the long way takes three times as long.
    return str(json.loads(text)) if b"\\" in text else text[1:-1].decode(errors="replace")


def _effects(cause_of: dict[str, str], message_id: str, chain: set[str]) -> dict[str, str]:
    """Everything that comes of a message, each with its own cause."""
    effects: dict[str, str] = {}
    grown = True
    while grown:  # once more where an effect was received before its cause
        grown = False
        for effect, cause in cause_of.items():
            if effect in effects or effect in chain:
                continue
            if cause == message_id or cause in effects:
                effects[effect] = cause
                grown = True
    return effects


def _records(log: LogReader, members: set[str]) -> dict[str, Record]:
    records: dict[str, Record] = {}
    quoted = {json.dumps(member).encode() for member in members}
    for number, line in enumerate(raw_lines(log.path), start=1):
        match = _ID_AND_CAUSE.search(line)
        if match is not None and match[1] in quoted:
            record = log.record(line, number)
            if record is not None:
                records.setdefault(record.id, record)
    return records


def _tree(effects: dict[str, str], root: str, root_depth: int) -> list[tuple[int, str]]:
    """Depth first; a stack rather than recursion, because a chain may have thousands of steps."""
    by_cause: dict[str, list[str]] = {}
    for effect, cause in effects.items():
        by_cause.setdefault(cause, []).append(effect)
    steps: list[tuple[int, str]] = []
    stack = [(root_depth + 1, effect) for effect in reversed(by_cause.get(root, []))]
    while stack:
        depth, member = stack.pop()
        steps.append((depth, member))
        stack += [(depth + 1, effect) for effect in reversed(by_cause.get(member, []))]
    return steps


def _not_there(log: LogReader, message_id: str, ids_of_source: list[str]) -> str:
    if ids_of_source:
        return (
            f"no message {message_id!r} in {log.path}; the ids of its source run from "
            f"{ids_of_source[0]} to {ids_of_source[-1]}"
        )
    return (
        f"no message {message_id!r} in {log.path}, nor any other of that source; ids look like "
        "ada.speech-1-12 and are shown by `sera log show --json`"
    )

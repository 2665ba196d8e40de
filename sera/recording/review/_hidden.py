"""Leaves out of a recording what operators must not learn: the condition of a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sera.recording._format import MALFORMED_TYPE
from sera.recording._reader import Record

CONDITION_TYPE = "ConditionAssigned"
"""The message that tells it."""


def without_condition(records: Iterable[Record]) -> Iterator[Record]:
    """The records without those that tell the condition, garbled ones included."""
    for record in records:
        if not tells_condition(record):
            yield record


def tells_condition(record: Record) -> bool:
    """Whether a record holds the condition, or an order to set it."""
    if record.type == CONDITION_TYPE:
        return True
    if record.type == MALFORMED_TYPE:
        return CONDITION_TYPE in str(record.topic)
    return record.data.get("action_type") == CONDITION_TYPE and "action" in record.data

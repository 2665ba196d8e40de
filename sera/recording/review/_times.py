"""Which times of a record can be worked with: a damaged line may hold any number."""

from __future__ import annotations

from sera.recording._reader import Record

_FARTHEST_S = 1e11
"""Some three thousand years: no clock of a run shows more."""


def has_sound_time(record: Record) -> bool:
    """Whether it was received at a time that a clock may have shown."""
    return -_FARTHEST_S < record.received_s < _FARTHEST_S

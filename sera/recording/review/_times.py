"""Which times of a record can be worked with: a damaged line may hold any number."""

from __future__ import annotations

from sera.recording._reader import Record

_FARTHEST_S = 1e11
"""Some three thousand years: no clock of a run shows more."""


def has_sound_time(record: Record) -> bool:
    """Whether it was received at a time that a clock may have shown."""
    return is_sound_time(record.received_s)


def is_sound_time(time_s: float) -> bool:
    """Whether a clock may have shown this."""
    return -_FARTHEST_S < time_s < _FARTHEST_S

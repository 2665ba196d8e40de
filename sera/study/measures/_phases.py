"""When phases and steps of a session took place, from its SessionPhase records.

Pauses are taken out: one of the session (of a phase as a whole) stops everything, one of a step,
which an extra step interrupts, stops that step. A phase also takes place while one of its steps is
done out of turn. What was never ended lasts to the end of the log; what is done again counts again.

Units and frames: seconds from the beginning of the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Interval = tuple[float, float]
"""From and to."""
_BEGINS = frozenset({"started", "repeated", "resumed"})
_STOPS = frozenset({"finished", "skipped", "aborted", "paused"})


@dataclass(slots=True)
class Phases:
    """When everything took place."""

    intervals: dict[str, list[Interval]] = field(default_factory=dict)
    """By name of the phase or step."""
    pauses: list[Interval] = field(default_factory=list)
    """When the session stood still."""

    def during(self, names: Iterable[str]) -> list[Interval]:
        """When any of these took place."""
        return merged([one for name in names for one in self.intervals.get(name, [])])


def phases_of(records: Iterable[tuple[float, dict[str, Any]]], end_s: float) -> Phases:
    """When everything took place.

    Args:
        records: time and fields of SessionPhase records, in order.
        end_s: end of the log.
    """
    course = _Course()
    for time_s, data in records:
        step = data.get("step")
        course.note(time_s, str(data.get("phase")), step and str(step), str(data.get("status")))
    return course.until(end_s)


class _Course:
    """What is going on, while the records of a session are gone through."""

    def __init__(self) -> None:
        self._going: dict[tuple[str, str | None], float] = {}
        """Since when, by phase and step."""
        self._over: dict[tuple[str, str | None], list[Interval]] = {}
        self._pauses: list[Interval] = []
        self._paused_since_s: float | None = None

    def note(self, time_s: float, phase: str, step: str | None, status: str) -> None:
        key = (phase, step)
        if status == "paused" and step is None:
            if self._paused_since_s is None:
                self._paused_since_s = time_s
            return
        if status != "paused":
            # Whatever happens next ends a pause, for its end may have been lost in a crash.
            self._end_pause(time_s)
        self._over.setdefault(key, [])
        if status in _BEGINS:
            self._going.setdefault(key, time_s)
        elif status in _STOPS and (since_s := self._going.pop(key, None)) is not None:
            self._over[key].append((since_s, time_s))

    def until(self, end_s: float) -> Phases:
        self._end_pause(end_s)
        for key, since_s in self._going.items():
            self._over[key].append((since_s, max(end_s, since_s)))
        named: dict[str, list[Interval]] = {}
        for (phase, step), found in self._over.items():
            for name in {phase} if step is None else {phase, step}:
                named.setdefault(name, []).extend(found)
        pauses = self._pauses
        return Phases({name: without(merged(all_), pauses) for name, all_ in named.items()}, pauses)

    def _end_pause(self, time_s: float) -> None:
        if self._paused_since_s is not None:
            self._pauses.append((self._paused_since_s, max(time_s, self._paused_since_s)))
            self._paused_since_s = None


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """The same time without overlaps, in order."""
    joined: list[Interval] = []
    for start_s, stop_s in sorted(intervals):
        if joined and start_s <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop_s))
        else:
            joined.append((start_s, stop_s))
    return joined


def without(intervals: Sequence[Interval], holes: Sequence[Interval]) -> list[Interval]:
    """The intervals with the holes taken out."""
    left = list(intervals)
    for hole_start_s, hole_stop_s in holes:
        cut: list[Interval] = []
        for start_s, stop_s in left:
            if hole_stop_s <= start_s or stop_s <= hole_start_s:
                cut.append((start_s, stop_s))
                continue
            cut += [
                (one, other)
                for one, other in ((start_s, hole_start_s), (hole_stop_s, stop_s))
                if one < other
            ]
        left = cut
    return left


def common_s(interval: Interval, others: Sequence[Interval]) -> float:
    """How much of an interval lies in others, which do not overlap."""
    start_s, stop_s = interval
    return sum(max(0.0, min(stop_s, to_s) - max(start_s, from_s)) for from_s, to_s in others)

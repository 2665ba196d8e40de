"""Set-points that come at irregular times, held until the next: a steady output from them.

Threading: one owner, like the filter it drives. Safety: a set-point that the filter refuses is
refused when it is pushed, and the one before it stays.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from sera.kinematics._arrays import FloatArray

_TIE = 1e-9  # of a step: a set-point stamped with a tick's own time belongs to that tick


class SteadyFilter(Protocol):
    """What both kinds of motion filter have."""

    step_s: float

    def check(self, values: Sequence[float] | FloatArray) -> FloatArray: ...
    def set_point(self, values: Sequence[float] | FloatArray) -> None: ...
    def step(self) -> FloatArray: ...


class HeldInput:
    """Takes time-stamped set-points and gives out positions at the filter's steady rate.

    Ticks are counted from `start_s`, the moment the filter is at its first position; the first
    position given out is one step later. Times are of any clock, as long as it is always the same.
    """

    def __init__(self, motion_filter: SteadyFilter, *, start_s: float = 0.0) -> None:
        """Drive `motion_filter`, which stands at its position of `start_s`."""
        self._filter, self._start_s = motion_filter, float(start_s)
        self._ticks = 0
        self._waiting: deque[tuple[int, FloatArray]] = deque()
        self._newest_s = -math.inf
        self.overtaken = 0  # set-points dropped because a newer one was there already

    @property
    def time_s(self) -> float:
        """Of the last position given out."""
        return self._start_s + self._ticks * self._filter.step_s

    def push(self, time_s: float, values: Sequence[float] | FloatArray) -> None:
        """Hold `values` as the set-point from `time_s` on; late ones count from the next tick."""
        if not math.isfinite(time_s):
            raise ValueError(f"the time of a set-point is {time_s}: it must be a finite number")
        checked = self._filter.check(values)
        if time_s < self._newest_s:
            self.overtaken += 1
            return
        self._newest_s = time_s
        tick = math.ceil((time_s - self._start_s) / self._filter.step_s - _TIE)
        # Only the newest before each tick matters, so that a flood of them takes no memory.
        if self._waiting and self._waiting[-1][0] >= tick:
            self._waiting[-1] = (tick, checked)
        else:
            self._waiting.append((tick, checked))

    def take(self, until_s: float) -> Iterator[tuple[float, FloatArray]]:
        """Time and positions of every tick up to `until_s` that was not given out yet."""
        last = math.floor((until_s - self._start_s) / self._filter.step_s + _TIE)
        while self._ticks < last:
            # A step leads from this tick to the next: it goes for what is known now.
            while self._waiting and self._waiting[0][0] <= self._ticks:
                self._filter.set_point(self._waiting.popleft()[1])
            positions = self._filter.step()
            self._ticks += 1
            yield self.time_s, positions


def steady_output(
    motion_filter: SteadyFilter,
    samples: Iterable[tuple[float, Sequence[float] | FloatArray]],
    until_s: float,
    *,
    start_s: float = 0.0,
) -> Iterator[tuple[float, FloatArray]]:
    """The steady output for `samples` of (time, set-points) in order of time, up to `until_s`."""
    held = HeldInput(motion_filter, start_s=start_s)
    for time_s, values in samples:
        yield from held.take(min(time_s, until_s))
        held.push(time_s, values)
    yield from held.take(until_s)

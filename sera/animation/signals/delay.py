"""Delay: what came in some time ago, whatever the step lengths were.

Design overview: a ring of times and values, made once. Reading finds the two entries around the
wanted time and interpolates. Until the delay has passed the first value is given. Steps shorter
than a millisecond share an entry, so that the ring cannot run full.
Units and frames: the value has any unit; seconds.
Threading: one owner.
Safety: the result lies between two values that came in.
"""

from __future__ import annotations

from dataclasses import dataclass

from sera.animation.signals._checks import bounded, check

_LEAST_SPACING_S = 0.001 - 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class DelaySettings:
    """How late."""

    delay_s: float = 0.1

    def __post_init__(self) -> None:
        check("delay_s", self.delay_s, 0.0, 10.0)


class Delay:
    """A signal as it was some time ago."""

    __slots__ = ("_count", "_newest", "_now_s", "_oldest", "_times_s", "_values", "settings")

    def __init__(self, settings: DelaySettings) -> None:
        self.settings = settings
        self._count = int(settings.delay_s / _LEAST_SPACING_S) + 4
        self._times_s = [0.0] * self._count
        self._values = [0.0] * self._count
        self.reset()

    def reset(self) -> None:
        """Forget the past; the next input counts as having been there always."""
        self._newest = -1
        self._oldest = 0
        self._now_s = 0.0

    def step(self, dt_s: float, value: float) -> float:
        """Take in the value at the end of this step; give the one of `delay_s` before."""
        value = bounded(value)
        self._now_s += dt_s
        times, values, count = self._times_s, self._values, self._count
        if self._newest < 0:
            self._newest = 0
        else:
            newest = self._newest
            before = newest - 1 if newest > 0 else count - 1
            is_alone = newest == self._oldest
            if is_alone or times[newest] - times[before] >= _LEAST_SPACING_S:
                self._newest = newest + 1 if newest + 1 < count else 0
        times[self._newest] = self._now_s
        values[self._newest] = value
        return self._read(self._now_s - self.settings.delay_s)

    def _read(self, wanted_s: float) -> float:
        times, values, count = self._times_s, self._values, self._count
        oldest = self._oldest
        while oldest != self._newest:
            following = oldest + 1 if oldest + 1 < count else 0
            if times[following] > wanted_s:
                break
            oldest = following
        self._oldest = oldest
        if oldest == self._newest or wanted_s <= times[oldest]:
            return values[oldest]
        following = oldest + 1 if oldest + 1 < count else 0
        share = (wanted_s - times[oldest]) / (times[following] - times[oldest])
        return (1.0 - share) * values[oldest] + share * values[following]

"""A mouth that follows a curve which the voice gives with its speech.

Design overview: straight between the points, closed before the first. At the end of the curve,
and when the speech ends early, the mouth closes from where it is; a new curve takes over, and what
is left of the one before closes beside it.
Units and frames: opening from 0 (closed) to 1; seconds since `begin`.
Threading: one owner.
Safety: the opening stays from 0 to 1; a mouth is closed `CLOSING_S` after the end, whatever comes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from sera.animation.signals._checks import check, within
from sera.animation.signals.ease import EaseShape, ease

CLOSING_S = 0.1


class MouthCurve:
    """How far the mouth is open, moment by moment."""

    __slots__ = ("_left_open", "_left_s", "_openings", "_time_s", "_times_s", "opening")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """A closed mouth."""
        self._times_s: list[float] = []
        self._openings: list[float] = []
        self._time_s = self._left_s = self._left_open = self.opening = 0.0

    def begin(self, points: Iterable[tuple[float, float]]) -> None:
        """Follow a curve from now on: time in seconds and opening, in any order.

        Raises:
            ValueError: a time or an opening is out of range; nothing changes then.
        """
        in_order = sorted(points, key=lambda point: point[0])
        for time_s, opening in in_order:
            check("time_s", time_s, 0.0, 36000.0)
            check("opening", opening, 0.0, 1.0)
        self.stop()
        self._times_s = [time_s for time_s, _ in in_order]
        self._openings = [opening for _, opening in in_order]
        self._time_s = 0.0

    def stop(self) -> None:
        """The speech is over: the mouth closes."""
        self._times_s, self._openings = [], []
        self._left_open, self._left_s = self.opening, CLOSING_S

    @property
    def speaking(self) -> bool:
        """Whether there is still some of the curve ahead."""
        return bool(self._times_s) and self._time_s < self._times_s[-1]

    @property
    def at_rest(self) -> bool:
        """Whether the mouth is closed and nothing opens it."""
        return not self._times_s and self._left_s == 0.0 == self.opening

    def step(self, dt_s: float) -> float:
        """The opening `dt_s` later."""
        self._time_s += dt_s
        self._left_s = max(0.0, self._left_s - dt_s)
        if self._times_s and self._time_s > self._times_s[-1]:
            self._left_open, self._left_s = self._openings[-1], CLOSING_S
            self._times_s, self._openings = [], []
        left = self._left_open * ease(EaseShape.MINIMUM_JERK, self._left_s / CLOSING_S)
        self.opening = within(max(self._on_curve(), left), 0.0, 1.0)
        return self.opening

    def _on_curve(self) -> float:
        times_s, openings, now_s = self._times_s, self._openings, self._time_s
        after = bisect_right(times_s, now_s)
        if after == 0:
            return 0.0
        if after == len(times_s):
            return openings[-1]
        before_s, next_s = times_s[after - 1], times_s[after]
        share = (now_s - before_s) / (next_s - before_s)
        return (1.0 - share) * openings[after - 1] + share * openings[after]

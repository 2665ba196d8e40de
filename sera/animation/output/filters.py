"""What may be left out on the way to a body: too many frames, unchanged frames, unchanged values.

Design overview: the engine may compute faster than a body listens. The `Choker` lets frames
through at a fixed rate on a grid that does not drift; the `DirtyFilter` stops frames that the
engine has not touched; the `RepeatedValueFilter` leaves out values that have not changed. Bodies
take silence for a dead engine, and serial lines lose bytes, so both last ones let everything
through again from time to time. `OutputFilters` is the three in their order: what the choker holds
back is kept and goes out with the next frame.

Units and frames: seconds; values in the channels' own units.
Threading: none; whoever owns a filter calls it. Time is an argument.
Safety: keep-alive and refresh must stay below the guard's time-out for frames (0.5 s).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sera.animation.output.bridge import OutputFrame

SMOOTH_RATE_HZ = 30.0
"""Below this rate motion is seen to stutter."""


class Choker:
    """Lets through at most `rate_hz` frames a second, on a fixed grid.

    The grid begins with the first frame. A moment that was missed is skipped, never made up for.
    """

    def __init__(self, rate_hz: float = 50.0) -> None:
        if not (math.isfinite(rate_hz) and rate_hz > 0.0):
            raise ValueError(f"the output rate is {rate_hz} Hz; it must be a number above zero")
        self.rate_hz = rate_hz
        self.skipped = 0
        """Moments of the grid at which no frame came."""
        self._start_s: float | None = None
        self._next = 0

    def is_due(self, now_s: float) -> bool:
        """True if a frame may go out now; it is then counted as sent."""
        if self._start_s is None:
            self._start_s = now_s
        # A hair early counts as due: timers wake by microseconds before their time.
        slot = math.floor((now_s - self._start_s) * self.rate_hz + 1e-3)
        if slot < self._next:
            return False
        self.skipped += slot - self._next
        self._next = slot + 1
        return True

    def wait_s(self, now_s: float) -> float:
        """How long until the next frame may go out."""
        if self._start_s is None:
            return 0.0
        return max(0.0, self._start_s + self._next / self.rate_hz - now_s)

    def reset(self) -> None:
        """Begin a new grid with the next frame."""
        self._start_s = None
        self._next = 0


class DirtyFilter:
    """Lets through frames that were touched, and one in `keep_alive_s` in any case."""

    def __init__(self, keep_alive_s: float = 0.2) -> None:
        self.keep_alive_s = keep_alive_s
        self._last_s = -math.inf

    def passes(self, *, dirty: bool, now_s: float) -> bool:
        if not dirty and now_s - self._last_s < self.keep_alive_s:
            return False
        self._last_s = now_s
        return True

    def reset(self) -> None:
        """Let the next frame through."""
        self._last_s = -math.inf


class RepeatedValueFilter:
    """Leaves out values that differ from the last one sent by no more than `tolerance`.

    Every value goes out again after `refresh_s`, because a frame may have been lost on the way.
    Differences are taken from what was sent, so that slow motion is not swallowed.
    """

    def __init__(self, *, tolerance: float = 0.0, refresh_s: float = 0.4) -> None:
        self.tolerance = tolerance
        self.refresh_s = refresh_s
        self._sent: dict[str, tuple[float, float]] = {}

    def changed(self, values: Mapping[str, float], now_s: float) -> dict[str, float]:
        """The values that have to go out now."""
        fresh = {name: value for name, value in values.items() if self._must_go(name, value, now_s)}
        self._sent.update({name: (value, now_s) for name, value in fresh.items()})
        return fresh

    def reset(self) -> None:
        """Forget what was sent, as after a reconnect."""
        self._sent.clear()

    def _must_go(self, name: str, value: float, now_s: float) -> bool:
        if name not in self._sent:
            return True
        sent, sent_s = self._sent[name]
        # Written so that NaN goes through: the guard refuses and reports it.
        return not abs(value - sent) <= self.tolerance or now_s - sent_s >= self.refresh_s


class OutputFilters:
    """Choker, dirty filter and repeated-value filter in a row."""

    def __init__(
        self,
        *,
        choker: Choker | None = None,
        dirty: DirtyFilter | None = None,
        repeated: RepeatedValueFilter | None = None,
    ) -> None:
        self.choker = choker or Choker()
        self.dirty = dirty or DirtyFilter()
        self.repeated = repeated or RepeatedValueFilter()
        self._held_values: dict[str, float] = {}
        self._held_speeds: dict[str, float] = {}
        self._held_dirty = False

    def pass_on(self, frame: OutputFrame, *, dirty: bool, now_s: float) -> OutputFrame | None:
        """The frame as it shall go out now, or None.

        A frame without values still goes out where the keep-alive wants one: it says that the
        engine lives.
        """
        self._held_values.update(frame.values)
        self._held_speeds.update(frame.speeds)
        self._held_dirty = self._held_dirty or dirty
        if not self.choker.is_due(now_s):
            return None
        if not self.dirty.passes(dirty=self._held_dirty, now_s=now_s):
            return None
        values = self.repeated.changed(self._held_values, now_s)
        speeds = {name: self._held_speeds[name] for name in values if name in self._held_speeds}
        self._held_values.clear()
        self._held_speeds.clear()
        self._held_dirty = False
        return OutputFrame(
            values=values, speeds=speeds, time_s=frame.time_s, sequence=frame.sequence
        )

    def reset(self) -> None:
        """Send everything with the next frame, as after a reconnect."""
        self.choker.reset()
        self.dirty.reset()
        self.repeated.reset()
        self._held_values.clear()
        self._held_speeds.clear()
        self._held_dirty = False

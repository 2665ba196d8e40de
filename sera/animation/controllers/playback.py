"""One animation that is playing: where it is in time, how far it has faded in."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.assets import Animation
from sera.animation.controllers.meeting import Meeting

FOREVER = None
"""Repeats of an animation that goes on until it is stopped."""


@dataclass(slots=True, eq=False)
class Playback:
    """One animation that is playing."""

    animation: Animation
    token: str
    """Whose order it is; comes back with the end."""
    speed: float
    repeats: int | None
    fade_s: float
    columns: tuple[int | None, ...]
    time_s: float = 0.0
    """In the animation's own time."""
    played_s: float = 0.0
    """In real time, until its end or until it was stopped and has faded out."""
    weight: float = 0.0
    stopping: bool = False
    interrupted: bool = False
    meeting: Meeting | None = None
    """A moment that was asked to come at another time."""

    def advance(self, dt_s: float, speed: float, *, paused: bool = False) -> bool:
        """Move on; whether it is over. A pause holds the frame, but not its fading out."""
        if self.time_s >= self.end_s:
            self.stopping = True  # the last frame was shown
        elif not paused:
            self.played_s += dt_s
            self.time_s = min(max(self.time_s + self._passes(dt_s, speed), 0.0), self.end_s)
            if self.time_s >= self.end_s and self._ends_at_nothing:
                return True
        reach = dt_s / self.fade_s if self.fade_s > 0.0 else 1.0
        if self.stopping:
            self.weight = max(0.0, self.weight - reach)
        elif not paused:
            self.weight = min(1.0, self.weight + reach)
        return self.stopping and self.weight == 0.0

    def _passes(self, dt_s: float, speed: float) -> float:
        meeting = self.meeting
        if meeting is None or meeting.is_over(self.time_s):
            return dt_s * speed * self.speed
        return meeting.passes(dt_s, self.time_s, speed * self.speed)

    def stop(self, fade_s: float | None = None) -> None:
        """Fade out before the end."""
        if not self.stopping:
            self.stopping = self.interrupted = True
        if fade_s is not None:
            self.fade_s = fade_s

    def repeat(self, *, forever: bool) -> None:
        """Go on after the end, or stop at the next one."""
        self.repeats = FOREVER if forever else math.floor(self.time_s / self._length_s) + 1

    @property
    def end_s(self) -> float:
        return math.inf if self.repeats is FOREVER else self.repeats * self._length_s

    def values(self) -> list[float]:
        """The animation's values now, in the order of its channels."""
        if self.time_s >= self.end_s:
            return self.animation.at(self._length_s)
        return self.animation.at(math.fmod(self.time_s, self._length_s))

    @property
    def ended(self) -> Ended:
        """What came of it, if it is over now."""
        return Ended(
            self.animation.name,
            self.token,
            completed=self.time_s >= self.end_s and not self.interrupted,
            duration_s=self.played_s,
        )

    @property
    def _length_s(self) -> float:
        return max(self.animation.duration_s, 1e-3)

    @property
    def _ends_at_nothing(self) -> bool:
        """An additive animation that comes back to where it began needs no fading out."""
        last = self.animation.at(self.animation.duration_s)
        return self.animation.additive and all(abs(value) < 1e-6 for value in last)


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of an order to play."""

    animation: str
    token: str
    completed: bool
    duration_s: float

"""One animation that is playing: where it is in time, how far it has faded in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sera.animation.assets import Animation
from sera.animation.controllers.meeting import Meeting
from sera.animation.engine.limbs import Grip
from sera.animation.signals import Fade

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
    limbs: tuple[str, ...]
    """The limb of each column."""
    grip: Grip
    """The limbs that it owns."""
    time_s: float = 0.0
    """In the animation's own time."""
    played_s: float = 0.0
    """In real time, until its end or until it was stopped and has faded out."""
    stopping: bool = False
    interrupted: bool = False
    fade: Fade = field(default_factory=Fade)
    parting: dict[str, Fade] = field(default_factory=dict)
    """How much of the limbs counts that newer gestures have taken over."""
    joining: Fade = field(default_factory=Fade)
    beside: list[float] = field(default_factory=list)
    """How far from its own values it began, where it goes on from an older life of its own."""
    meeting: Meeting | None = None
    """A moment that was asked to come at another time."""

    @property
    def weight(self) -> float:
        return self.fade.value

    @property
    def at_end(self) -> bool:
        return self.time_s >= self.end_s

    def advance(self, dt_s: float, speed: float, *, paused: bool = False) -> bool:
        """Move on; whether it is over. A pause holds the frame, but not its fading out."""
        if not (paused or self.at_end):
            self.played_s += dt_s
            # What is broken off comes to a halt while it goes; it does not hurry on.
            speed *= self.fade.value if self.stopping else 1.0
            self.time_s = min(max(self.time_s + self._passes(dt_s, speed), 0.0), self.end_s)
            if self.at_end and self._ends_at_nothing and not self.joining.moving:
                return True
        if self.stopping or not paused:
            self.fade.step(dt_s)
            self.joining.step(dt_s)
        for fade in self.parting.values():
            fade.step(dt_s)
        return self.stopping and self.fade.value == 0.0

    def _passes(self, dt_s: float, speed: float) -> float:
        meeting = self.meeting
        if meeting is None or meeting.is_over(self.time_s):
            return dt_s * speed * self.speed
        return meeting.passes(dt_s, self.time_s, speed * self.speed)

    def stop(self, fade_s: float) -> None:
        """Fade out, before the end or at it."""
        if not self.stopping:
            self.stopping = True
            self.interrupted = not self.at_end
        self.fade.go(0.0, fade_s)

    def repeat(self, *, forever: bool) -> None:
        """Go on after the end, or stop at the next one."""
        self.repeats = FOREVER if forever else math.floor(self.time_s / self._length_s) + 1

    @property
    def end_s(self) -> float:
        return math.inf if self.repeats is FOREVER else self.repeats * self._length_s

    def values(self, later_s: float = 0.0) -> list[float]:
        """The animation's values, in the order of its channels, now or a little later."""
        time_s = min(self.time_s + later_s, self.end_s)
        if time_s >= self.end_s:
            values = self.animation.at(self._length_s)
        else:
            values = self.animation.at(math.fmod(time_s, self._length_s))
        joined = self.joining.value
        if joined > 0.0:
            values = [
                value + joined * beside for value, beside in zip(values, self.beside, strict=True)
            ]
        return values

    def weights(self) -> list[float]:
        """How much each channel counts."""
        weight, parting = self.fade.value, self.parting
        if not parting:
            return [weight] * len(self.columns)
        return [weight * parting[limb].value if limb in parting else weight for limb in self.limbs]

    @property
    def ended(self) -> Ended:
        """What came of it, if it is over now."""
        return Ended(
            self.animation.name,
            self.token,
            completed=self.at_end and not self.interrupted,
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

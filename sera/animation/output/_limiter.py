"""The last line of defence: values within range, steps within velocity, numbers that are numbers.

Design overview: remembers the last value that went to the body for every channel and turns what is
wanted into what is allowed. The step that is allowed grows with the time since the last frame, but
no further than two usual frames, so that silence never earns a jump.

Units and frames: the channels' own units; seconds.
Threading: none; the guard owns it.
Safety: whatever comes in, what comes out is finite, in range and within the velocity limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sera.animation.channels import ChannelSpec, Kind, Unit

_LONGEST_STEP_S = 0.04
"""Two frames at 50 Hz, and more than one at the slowest rate that looks smooth, 30 Hz."""
_REST_SHARE = 0.003
"""Part of a joint's range that counts as at rest: half a degree of a hobby servo."""
_REST_RAD = math.radians(0.5)
"""No more than that where the range is wide: who lets go further away drops the limb."""


@dataclass(slots=True)
class GuardCounts:
    """What the guard has met since it was made."""

    frames: int = 0
    ignored: int = 0
    """Frames that came while the body was stopped, resting or unreachable."""
    clamped: int = 0
    """Values outside their range."""
    slowed: int = 0
    """Values that would have moved faster than allowed."""
    refused: int = 0
    """Values that are no numbers."""
    unknown: int = 0
    """Values for channels that the body does not have."""
    reconnects: int = 0


class Limiter:
    """Keeps what goes to one body within its limits."""

    def __init__(self, specs: Iterable[ChannelSpec], rest: Mapping[str, float]) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._rest = {
            name: spec.clamp(rest.get(name, spec.neutral)) for name, spec in self._specs.items()
        }
        self._last = dict(self._rest)
        self._last_s = -math.inf
        self.counts = GuardCounts()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._specs)

    def start_from(self, measured: Mapping[str, float], now_s: float) -> None:
        """Take the measured pose as the last one sent.

        A body outside its range by hand is not snapped back: it comes back at its own velocity.
        """
        for name, value in measured.items():
            if name in self._specs and math.isfinite(value):
                self._last[name] = value
        self._last_s = now_s

    def limit(
        self, wanted: Mapping[str, float], speeds: Mapping[str, float], now_s: float, pace: float
    ) -> tuple[dict[str, float], list[str]]:
        """What may go to the body now, and which channels were refused or are unknown.

        Args:
            wanted: value by channel.
            speeds: slower velocities that the engine asks for.
            now_s: time of the frame.
            pace: factor on the velocity limits, 1 for a healthy body.
        """
        elapsed_s = min(max(now_s - self._last_s, 0.0), _LONGEST_STEP_S)
        self._last_s = max(self._last_s, now_s)
        allowed: dict[str, float] = {}
        bad: list[str] = []
        for name, value in wanted.items():
            spec = self._specs.get(name)
            if spec is None:
                self.counts.unknown += 1
                bad.append(name)
            elif not math.isfinite(value):
                self.counts.refused += 1
                bad.append(name)
            else:
                velocity = _velocity(spec, speeds.get(name), pace)
                allowed[name] = self._step(spec, value, velocity * elapsed_s)
        self._last.update(allowed)
        return allowed, bad

    def towards_rest(self, now_s: float, pace: float) -> tuple[dict[str, float], bool]:
        """One step towards the rest pose, and whether the body is there.

        Lights have no velocity; they go out with the first step.
        """
        allowed, _ = self.limit(self._rest, {}, now_s, pace)
        return allowed, self._last == self._rest

    def is_at_rest(self, measured: Mapping[str, float]) -> bool:
        """True if every joint that is measured lies close to its rest value."""
        return all(
            abs(measured[name] - self._rest[name]) <= _rest_tolerance(spec)
            for name, spec in self._specs.items()
            if name in measured and spec.kind in {Kind.STATIONARY, Kind.SPATIAL}
        )

    def _step(self, spec: ChannelSpec, value: float, reach: float) -> float:
        target = spec.clamp(value)
        if target != value:
            self.counts.clamped += 1
        last = self._last[spec.name]
        if math.isnan(reach) or abs(target - last) <= reach:  # inf * 0: no limit at all
            return target
        self.counts.slowed += 1
        return last + math.copysign(reach, target - last)


def _rest_tolerance(spec: ChannelSpec) -> float:
    share = _REST_SHARE * (spec.upper - spec.lower)
    return min(share, _REST_RAD) if spec.unit is Unit.RADIAN else share


def _velocity(spec: ChannelSpec, asked: float | None, pace: float) -> float:
    fastest = spec.max_velocity
    if spec.kind in {Kind.STATIONARY, Kind.SPATIAL}:
        fastest *= pace
    if asked is not None and math.isfinite(asked) and asked > 0.0:
        fastest = min(fastest, asked)
    return fastest

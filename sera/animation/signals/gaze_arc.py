"""Arcs: a gaze that travels sideways dips on its way.

Design overview: yaw and pitch travel with slow ends; while yaw travels, a bump in pitch is added
that is nought, with zero speed and acceleration, at both ends. Its height is a share of the yaw
that is travelled. A new target far from the last takes over the present motion, the bump included,
and begins another; a target that moves a little every frame (a person who is tracked) makes no
dips, as they would add up to a lasting error.
Units and frames: radians, yaw positive to the right and pitch upwards; seconds.
Threading: one owner.
Safety: end points are exact; the dip never exceeds `largest_dip_rad`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.signals._checks import bounded, check, within
from sera.animation.signals._minimum_jerk import MinimumJerkMove


@dataclass(frozen=True, slots=True, kw_only=True)
class GazeArcSettings:
    """How long a travel lasts and how deep it dips."""

    least_duration_s: float = 0.2
    seconds_per_rad: float = 0.4
    dip_share: float = 0.12
    """Depth of the dip as a share of the yaw travelled; negative rises instead."""
    largest_dip_rad: float = 0.2
    least_jump_rad: float = 0.1
    """A target whose yaw changes by less at once is tracked, without a dip."""

    def duration_s(self, way_rad: float) -> float:
        """How long a travel so far lasts."""
        return self.least_duration_s + self.seconds_per_rad * min(way_rad, 4.0 * math.pi)

    def __post_init__(self) -> None:
        check("least_duration_s", self.least_duration_s, 0.01, 10.0)
        check("seconds_per_rad", self.seconds_per_rad, 0.0, 10.0)
        check("dip_share", self.dip_share, -0.5, 0.5)
        check("least_jump_rad", self.least_jump_rad, 0.0, math.pi)
        check("largest_dip_rad", self.largest_dip_rad, 0.0, math.pi / 2.0)


class GazeArc:
    """Yaw and pitch on their way to where one looks."""

    __slots__ = ("_dip_duration_s", "_dip_rad", "_dip_time_s", "_pitch", "_yaw", "settings")

    def __init__(self, settings: GazeArcSettings) -> None:
        self.settings = settings
        self._yaw = MinimumJerkMove()
        self._pitch = MinimumJerkMove()
        self.reset()

    def reset(self, yaw_rad: float = 0.0, pitch_rad: float = 0.0) -> None:
        """Stand still at these angles."""
        self._yaw.reset(yaw_rad)
        self._pitch.reset(pitch_rad)
        self._dip_rad = 0.0
        self._dip_time_s = self._dip_duration_s = 1.0

    def step(self, dt_s: float, yaw_rad: float, pitch_rad: float) -> tuple[float, float]:
        """Yaw and pitch `dt_s` later on the way to a target, which may be a new one."""
        if bounded(yaw_rad) != self._yaw.target or bounded(pitch_rad) != self._pitch.target:
            self._set_out(bounded(yaw_rad), bounded(pitch_rad))
        yaw = self._yaw.step(dt_s)
        pitch = self._pitch.step(dt_s)
        if self._dip_time_s < self._dip_duration_s:
            self._dip_time_s += dt_s
            share = min(self._dip_time_s / self._dip_duration_s, 1.0)
            hump = share * (1.0 - share)
            pitch += self._dip_rad * 64.0 * hump * hump * hump
        return yaw, pitch

    @property
    def moving(self) -> bool:
        """Whether it is on its way."""
        return self._yaw.moving or self._pitch.moving

    def steer(self, yaw_rad: float, pitch_rad: float) -> None:
        """Let the travel end elsewhere, a little, at the same time; arrived, it follows at once."""
        self._yaw.shift(yaw_rad - self._yaw.target)
        self._pitch.shift(pitch_rad - self._pitch.target)

    @property
    def target(self) -> tuple[float, float]:
        """Where it travels to."""
        return self._yaw.target, self._pitch.target

    def _set_out(self, yaw_rad: float, pitch_rad: float) -> None:
        settings = self.settings
        yaw, pitch = self._yaw, self._pitch
        is_jump = abs(yaw_rad - yaw.target) >= settings.least_jump_rad
        if is_jump:
            self._take_over_dip()
        across = yaw_rad - yaw.value
        duration_s = settings.duration_s(math.hypot(across, pitch_rad - pitch.value))
        yaw.go(yaw_rad, duration_s)
        pitch.go(pitch_rad, duration_s)
        if is_jump:
            limit = settings.largest_dip_rad
            self._dip_rad = -within(settings.dip_share * abs(across), -limit, limit)
            self._dip_time_s = 0.0
            self._dip_duration_s = duration_s

    def _take_over_dip(self) -> None:
        """Make the dip under way part of the motion that the new travel begins with."""
        duration_s = self._dip_duration_s
        if self._dip_time_s >= duration_s:
            return
        share = self._dip_time_s / duration_s
        hump = share * (1.0 - share)
        pitch = self._pitch
        pitch.value += self._dip_rad * 64.0 * hump**3
        pitch.velocity += self._dip_rad * 192.0 * hump**2 * (1.0 - 2.0 * share) / duration_s
        pitch.acceleration += (
            self._dip_rad * 384.0 * hump * (1.0 - 5.0 * hump) / (duration_s * duration_s)
        )

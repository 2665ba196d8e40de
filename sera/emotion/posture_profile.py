"""How a body like a line expresses what it feels: by its postures and by how it moves.

Design overview: *anchors* are points of emotion with the posture that goes with each. Between them
postures are mixed by the inverse square of the distance (Shepard's method), so that an anchor has
its own posture alone and nothing jumps. Jerkiness and activity change the motion filter's
character and idle life along knees of three values: at 0, at one half, which is neutral and the
body's usual manner, and at 1.

Units and frames: radians, seconds; weights sum to one.
Threading: immutable.
Safety: every posture is one of the body's own, checked when the file is read; speed is a share of
what the joints may do, never more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sera.emotion.features import Features
from sera.emotion.pad import PAD

if TYPE_CHECKING:
    from sera.kinematics.filter import FilterCharacter, Shares

Knee = tuple[float, float, float]
_READY, _ROUGH, _SOFTENED = 0.6, 0.3, 0.75
"""Responsiveness from which on, and smoothness up to which, nothing is taken of the limits; and how
much of the jerk full smoothness takes."""
_AT_ANCHOR = 1e-9
"""Nearer than this a point is the anchor."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A point of emotion and the posture that goes with it."""

    pad: PAD
    posture: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How the body moves: character of its motion filter, and its idle life."""

    smoothness: float
    responsiveness: float
    overshoot_rad: float
    speed_share: float
    """Of the joints' speed."""
    breaths_per_minute: float
    breath_size: float
    """Times the program's own."""
    drift_frequency_hz: float
    drift_size: float
    """Times the program's own."""

    def character(self) -> FilterCharacter:
        """For the motion filter."""
        from sera.kinematics._filter_settings import FilterCharacter

        return FilterCharacter(
            smoothness=self.smoothness,
            responsiveness=self.responsiveness,
            overshoot=self.overshoot_rad,
            shares=self.shares,
        )

    @property
    def shares(self) -> Shares:
        """Of the joints' limits, within which it moves.

        Speed takes acceleration and jerk along; what is ready to answer starts and stops harder,
        and what is smooth does so gradually.
        """
        from sera.kinematics._filter_settings import Shares

        ready = 0.5 + 0.5 * min(1.0, self.responsiveness / _READY)
        smooth = max(0.0, self.smoothness - _ROUGH) / (1.0 - _ROUGH)
        acceleration = self.speed_share * ready
        jerk = acceleration * ready * (1.0 - _SOFTENED * smooth**2)
        return Shares(self.speed_share, acceleration, jerk)


@dataclass(frozen=True, slots=True)
class Knees:
    """The values of a manner at features 0, one half and 1."""

    smoothness: Knee = (1.0, 0.95, 0.3)
    responsiveness: Knee = (0.1, 0.2, 0.6)
    overshoot_rad: Knee = (0.0, 0.0174533, 0.1047198)
    speed_share: Knee = (0.45, 0.8, 1.0)
    breaths_per_minute: Knee = (8.0, 14.0, 26.0)
    breath_size: Knee = (0.6, 1.0, 1.5)
    drift_frequency_hz: Knee = (0.08, 0.15, 0.35)
    drift_size: Knee = (0.4, 1.0, 1.6)


@dataclass(frozen=True, slots=True)
class PostureProfile:
    """How a body like a line expresses what it feels."""

    robot: str
    anchors: tuple[Anchor, ...]
    knees: Knees = field(default_factory=Knees)
    averted_rad: tuple[float, float] = (0.4363323129985824, 0.2617993877991494)
    """How far aside and down it looks when its gaze is wholly averted."""
    kind: Literal["posture"] = "posture"

    def weights(self, pad: PAD) -> dict[str, float]:
        """How much of each posture, in the order of the anchors; they sum to one."""
        distances = [anchor.pad.distance(pad) for anchor in self.anchors]
        nearest = min(range(len(distances)), key=distances.__getitem__)
        found = dict.fromkeys((anchor.posture for anchor in self.anchors), 0.0)
        if distances[nearest] < _AT_ANCHOR:
            found[self.anchors[nearest].posture] = 1.0
            return found
        shares = [
            anchor.weight / distance**2
            for anchor, distance in zip(self.anchors, distances, strict=True)
        ]
        total = math.fsum(shares)
        for anchor, share in zip(self.anchors, shares, strict=True):
            found[anchor.posture] += share / total
        return found

    def posture(self, pad: PAD) -> str:
        """The posture that goes best with an emotion."""
        weights = self.weights(pad)
        return max(weights, key=weights.__getitem__)

    def manner(self, features: Features) -> Manner:
        """How the body moves with these features."""
        jerkiness, activity = features.jerkiness, features.activity
        knees = self.knees
        return Manner(
            smoothness=_along(knees.smoothness, jerkiness),
            responsiveness=_along(knees.responsiveness, activity),
            overshoot_rad=_along(knees.overshoot_rad, jerkiness) * _liveliness(activity),
            speed_share=_along(knees.speed_share, activity),
            breaths_per_minute=_along(knees.breaths_per_minute, activity),
            breath_size=_along(knees.breath_size, activity),
            drift_frequency_hz=_along(knees.drift_frequency_hz, activity),
            drift_size=_along(knees.drift_size, activity),
        )


def _liveliness(activity: float) -> float:
    """How much of an overshoot is made: what hardly moves does not swing."""
    return min(1.0, max(0.0, 6.0 * activity - 2.0))


def _along(knee: Knee, feature: float) -> float:
    """Straight from the first value to the middle one, and on to the last."""
    first, middle, last = knee
    if feature <= 0.5:
        return first + 2.0 * feature * (middle - first)
    return last + 2.0 * (1.0 - feature) * (middle - last)

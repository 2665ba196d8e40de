"""Channels: the expressive degrees of freedom that animation works on, by name.

Design overview: an animation knows no motors. It moves *channels* such as `Gazing.Horizontal`,
which belong to a *body set*; generic sets (Gazing, Eyes, Face, Arms, Torso, Lights, Voice, Base)
are shared by all robots, so that one animation plays on many bodies, and the set `Body` holds a
robot's own joints and lights. What a generic channel does on a robot is said by enslaving rules in
its body file.

A channel is of one of four kinds (the robot's expressive degrees of freedom are not only joints):
stationary (joints that move parts of the body), spatial (the body moves about), display (lights,
screens, faces on screens), audible (sounds and the voice).

Units and frames: values are kept in the channel's own unit: radians, metres, percent (0 to 1) or
valence (-1 to 1). Files that people write have degrees; they are turned into radians when they
are read. Y up, the body faces +Z. Gazing.Horizontal is positive to the right of who looks along
the robot's gaze and Gazing.Vertical upwards, as `Direction` in the messages; a joint about +Y is
positive to the left, so that a body file enslaves it with a negative share.
Threading: immutable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

OWN_SET = "Body"
"""The set of a robot's own joints, lights and other outputs."""


class Kind(StrEnum):
    """What a channel is for an onlooker."""

    STATIONARY = "stationary"
    SPATIAL = "spatial"
    DISPLAY = "display"
    AUDIBLE = "audible"


class Unit(StrEnum):
    """What a channel's numbers mean."""

    RADIAN = "rad"
    METRE = "m"
    PERCENT = "percent"
    VALENCE = "valence"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSpec:
    """One channel with its range and how fast it may change, in its own unit and seconds."""

    name: str
    """`Set.Channel`, such as `Gazing.Horizontal` or `Body.head_yaw`."""
    kind: Kind = Kind.STATIONARY
    unit: Unit = Unit.RADIAN
    lower: float = -math.pi
    upper: float = math.pi
    neutral: float = 0.0
    max_velocity: float = math.inf
    max_acceleration: float = math.inf
    max_jerk: float = math.inf

    @property
    def body_set(self) -> str:
        return self.name.partition(".")[0]

    @property
    def own_name(self) -> str:
        """The name without its set."""
        return self.name.partition(".")[2]

    def clamp(self, value: float) -> float:
        return min(max(value, self.lower), self.upper)

    def from_percent(self, share: float) -> float:
        """A share of the range (0 to 1) as a value."""
        return self.lower + share * (self.upper - self.lower)

    def to_percent(self, value: float) -> float:
        """Where in the range a value lies, 0 to 1."""
        return (value - self.lower) / (self.upper - self.lower)

    def from_valence(self, valence: float) -> float:
        """-1 is the lower end, 0 the neutral value, 1 the upper end."""
        end = self.upper if valence >= 0.0 else self.lower
        share = abs(valence)
        return (1.0 - share) * self.neutral + share * end  # exact at both ends

    def to_valence(self, value: float) -> float:
        """The way back of `from_valence`."""
        end = self.upper if value >= self.neutral else self.lower
        reach = end - self.neutral
        if reach == 0.0:
            return 0.0
        return math.copysign((value - self.neutral) / reach, value - self.neutral)

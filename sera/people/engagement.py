"""How far somebody is engaged with a robot: unknown, engaging, engaged, disengaging, disengaged.

Design overview
    What can be observed (distance, where the face points, eye contact, speech) says how much the
    person attends just now. Attention follows that with one time constant upwards and another
    downwards, and the levels are thresholds on it with a wide gap between up and down: a glance
    engages nobody, a look aside disengages nobody, and noise at a threshold cannot make the level
    flicker. The words are those of ROS4HRI.

Units and frames
    Metres, seconds of the clock that the caller uses.

Threading
    One thread. The result depends on the signs and their times alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from sera.messages import Engagement


class EngagementSettings(BaseModel):
    """What it takes to be engaged."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    near_m: float = Field(default=3.0, gt=0)
    """Who is farther away is not engaged."""
    leaves_m: float = Field(default=0.5, ge=0)
    """How much farther somebody may go who is engaged already."""
    facing_deg: float = Field(default=35.0, gt=0, le=180)
    """A face that points to the robot as roughly as this keeps up what there is."""
    rises_s: float = Field(default=0.8, gt=0)
    """Time constant of attention that begins: engaging after 0.36 of it, engaged after 1.4."""
    falls_s: float = Field(default=1.5, gt=0)
    """Time constant of attention that ends: disengaging after 0.9 of it, disengaged after 2.3."""
    holds_s: float = Field(default=5.0, ge=0)
    """How long a level stands while nobody can tell where the person looks."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What can be observed of somebody at a moment."""

    distance_m: float | None = None
    looks_at_robot: bool | None = None
    """None where that cannot be told."""
    off_deg: float | None = None
    """How far the face points beside the robot."""
    speaking: bool = False


@dataclass(frozen=True, slots=True)
class LevelChange:
    """A new level, the one before it, and what it was judged by."""

    level: Engagement
    previous: Engagement
    reason: str


_SPEAKS = 0.7
"""Who speaks and has just looked here attends this much while looking aside."""
_FACES = 0.45
_LOOKED_LATELY_S = 3.0
_BEGINS, _ENGAGED, _ENDS, _OVER = 0.3, 0.75, 0.4, 0.1
_JUDGED_AFTER_S = 2.0


class EngagementJudge:
    """Judges one person and one robot."""

    def __init__(self, settings: EngagementSettings | None = None) -> None:
        self.settings = settings or EngagementSettings()
        self.level = Engagement.UNKNOWN
        self.attention = 0.0
        self._now_s: float | None = None
        self._known_since_s: float | None = None
        self._known_s = -math.inf
        self._looked_s = -math.inf
        self._same_since_s = 0.0
        self._attends = False

    def step(self, signs: Signs, now_s: float) -> LevelChange | None:
        """Take what is observed from now on; the level's change, where there is one."""
        passed_s = 0.0 if self._now_s is None else max(0.0, now_s - self._now_s)
        self._now_s = now_s if self._now_s is None else max(now_s, self._now_s)
        wanted = self._wanted(signs, now_s)
        if wanted is None:
            return self._unobserved(now_s)
        if self._known_since_s is None:
            self._known_since_s = now_s
        self._known_s = now_s
        if (wanted >= _FACES) != self._attends:
            self._attends, self._same_since_s = wanted >= _FACES, now_s - passed_s
        constant_s = self.settings.rises_s if wanted > self.attention else self.settings.falls_s
        self.attention += (wanted - self.attention) * -math.expm1(-passed_s / constant_s)
        level = self._next(now_s)
        return None if level is self.level else self._change(level, self._reason(signs, now_s))

    def leave(self) -> LevelChange | None:
        """The person is gone."""
        self.attention = 0.0
        self._known_since_s = None
        if self.level in (Engagement.UNKNOWN, Engagement.DISENGAGED):
            return None
        return self._change(Engagement.DISENGAGED, "is no longer there")

    def _wanted(self, signs: Signs, now_s: float) -> float | None:
        """How much the person attends now, from 0 to 1; None where nothing tells."""
        settings = self.settings
        inside_m = settings.near_m
        if self.level in (Engagement.ENGAGED, Engagement.ENGAGING, Engagement.DISENGAGING):
            inside_m += settings.leaves_m
        if signs.distance_m is not None and signs.distance_m > inside_m:
            return 0.0
        if signs.looks_at_robot:
            self._looked_s = now_s
            return 1.0
        if signs.looks_at_robot is None:
            return 1.0 if signs.speaking else None
        if signs.speaking and now_s - self._looked_s <= _LOOKED_LATELY_S:
            return _SPEAKS
        if signs.off_deg is not None and signs.off_deg <= settings.facing_deg:
            return _FACES
        return 0.0

    def _next(self, now_s: float) -> Engagement:
        level, attention = self.level, self.attention
        if level is Engagement.ENGAGED:
            return Engagement.DISENGAGING if attention <= _ENDS else level
        if attention >= _ENGAGED:
            return Engagement.ENGAGED
        if level in (Engagement.ENGAGING, Engagement.DISENGAGING):
            return Engagement.DISENGAGED if attention <= _OVER else level
        if attention >= _BEGINS:
            # Attention that has not died away yet is no new attention.
            return Engagement.ENGAGING if self._attends else level
        since_s = now_s if self._known_since_s is None else self._known_since_s
        if level is Engagement.UNKNOWN and now_s - since_s >= _JUDGED_AFTER_S:
            return Engagement.DISENGAGED
        return level

    def _unobserved(self, now_s: float) -> LevelChange | None:
        self._known_since_s = None
        if self.level is Engagement.UNKNOWN or now_s - self._known_s < self.settings.holds_s:
            return None
        self.attention = 0.0
        return self._change(Engagement.UNKNOWN, "nobody can tell where the person looks")

    def _reason(self, signs: Signs, now_s: float) -> str:
        for_s = now_s - self._same_since_s
        if not self._attends:
            if signs.distance_m is not None and signs.distance_m > self.settings.near_m:
                return f"is {signs.distance_m:.1f} m away"
            return f"looks elsewhere for {for_s:.1f} s"
        if signs.looks_at_robot:
            return f"looks at the robot for {for_s:.1f} s"
        return "speaks to the robot" if signs.speaking else "faces the robot"

    def _change(self, level: Engagement, reason: str) -> LevelChange:
        change = LevelChange(level, self.level, reason)
        self.level = level
        return change

"""What the gaze machine gives: looks, the light of the eyes, and what it could not do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sera.behaviour.space import Angles
from sera.messages import Direction, Gaze, SetEyesLight


class Why(StrEnum):
    """Why the gaze goes somewhere."""

    ORDER = "order"
    GLANCE = "glance"
    BACK = "back"
    TRACKING = "tracking"
    BREAKING = "breaking"
    ESTABLISHING = "establishing"
    CLICK = "click"
    MUTUAL = "mutual"
    JOINT = "joint"
    SPEAKER = "speaker"
    FREE = "free"
    HOLD = "hold"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class GazeOrder:
    """Look there now."""

    time_s: float
    target: str
    """The name as it was asked for."""
    angles: Angles
    speed: float
    why: Why
    detail: str
    """One phrase for whoever reads the timeline."""

    @property
    def reason(self) -> str:
        """`breaking: 5.1 s on visitor`."""
        return f"{self.why.value}: {self.detail}"

    def message(self) -> Gaze:
        """The order to the animation engine."""
        return Gaze(
            direction=Direction(
                horizontal_deg=self.angles.horizontal_deg, vertical_deg=self.angles.vertical_deg
            ),
            speed=self.speed,
            target=self.target,
            reason=self.reason,
        )


@dataclass(frozen=True, slots=True)
class EyesLight:
    """How bright the eyes shall be."""

    time_s: float
    level: float
    """From 0 to 1."""
    reason: str

    def message(self) -> SetEyesLight:
        """The order to the animation engine."""
        return SetEyesLight(level=self.level, reason=self.reason)


@dataclass(frozen=True, slots=True)
class GazeIgnored:
    """Something that was asked for and cannot be done now, such as a glance at nobody."""

    time_s: float
    target: str
    reason: str


Order = GazeOrder | EyesLight | GazeIgnored

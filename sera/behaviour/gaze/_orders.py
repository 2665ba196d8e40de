"""What the gaze machine gives: looks, the light of the eyes, and what it could not do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sera.behaviour.space import Angles, Vector
from sera.messages import Direction, Gaze, GazeAt, Glance, Position, SetEyesLight

PROPOSAL_LAPSES_AFTER_S = 8.0


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
    place_m: Vector | None = None
    """Where the target is along the robot's own axes; None: the angles are all there is."""
    means: str = ""
    """Whom or what the name stands for, where that is another."""

    @property
    def reason(self) -> str:
        """`breaking: 5.1 s on visitor`."""
        return f"{self.why.value}: {self.detail}"

    @property
    def label(self) -> str:
        """`visitor`, or `person = visitor_1` where the name stands for somebody."""
        return f"{self.target} = {self.means}" if self.means else self.target

    def message(self) -> Gaze:
        """The order to the animation engine."""
        return Gaze(
            direction=Direction(
                horizontal_deg=self.angles.horizontal_deg, vertical_deg=self.angles.vertical_deg
            ),
            place=position_of(self.place_m),
            speed=self.speed,
            target=self.label,
            reason=self.reason,
        )


def position_of(place_m: Vector | None) -> Position | None:
    """A place as the message has it, to a tenth of a millimetre."""
    if place_m is None:
        return None
    x_m, y_m, z_m = (round(each, 4) for each in place_m)
    return Position(x_m=x_m, y_m=y_m, z_m=z_m)


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
class GazeProposal:
    """The gaze would go there if it were let."""

    time_s: float
    target: str
    why: Why
    detail: str
    glance_s: float | None = None
    """For how long; None: until the next look."""
    by_chance: bool = False
    """Whether it is a look anywhere rather than at something."""
    lapses_after_s: float = PROPOSAL_LAPSES_AFTER_S
    """How long an operator has."""

    @property
    def reason(self) -> str:
        """Why, in words for an operator."""
        if self.why is Why.FREE and self.detail.startswith("policy "):
            return f"by its gaze {self.detail}"
        return self.detail

    def message(self) -> GazeAt | Glance:
        """What an operator would order to have the same."""
        if self.glance_s is None:
            return GazeAt(target=self.target)
        return Glance(target=self.target, duration_s=self.glance_s)


@dataclass(frozen=True, slots=True)
class GazeProposalLapsed:
    """A proposal stands no more, and nobody accepted it."""

    time_s: float
    proposal: GazeProposal


@dataclass(frozen=True, slots=True)
class GazeIgnored:
    """Something that was asked for and cannot be done now, such as a glance at nobody."""

    time_s: float
    target: str
    reason: str


Order = GazeOrder | EyesLight | GazeIgnored | GazeProposal | GazeProposalLapsed

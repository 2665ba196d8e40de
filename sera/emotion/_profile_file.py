"""The tables of `emotion.toml` as pydantic models: shapes and numbers, not what they add up to.

Units and frames: degrees, metres and hertz, as people write them; Y up, the body faces +Z.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Face = Literal["x", "y", "z", "-x", "-y", "-z"]
Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Axis = Annotated[float, Field(ge=-1, le=1)]
Knee = tuple[float, float, float]
"""Values at feature 0, at one half, which is neutral, and at 1; straight between them."""


class Table(BaseModel):
    """Every table refuses keys that it does not know: a misspelt gain must not pass silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Frequency(Table):
    """Says how fast in one of two units."""

    frequency_hz: Positive | None = None
    omega_rad_s: Positive | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.frequency_hz is None) == (self.omega_rad_s is None):
            raise ValueError("give one of frequency_hz and omega_rad_s")
        return self


class OscillationTable(_Frequency):
    """[oscillation]: how fast the body swings about its fullest posture."""


class TermTable(_Frequency):
    """[[jerkiness]]: one term of the phase's modulation."""

    sine_deg: float = 0.0
    cosine_deg: float = 0.0


class JointTable(Table):
    """[joints.<name>]: what one joint takes part with."""

    lowest_deg: float
    """In the lowest posture, at no activity (the document's theta_0)."""
    fullest_deg: float
    """In the middle of the fullest posture's swing, at full activity (theta_V0)."""
    amplitude_deg: float = 0.0
    """How far it swings at full activity; a mirrored joint has the other sign."""
    published_rad: tuple[float, float, float] | None = None
    """The three as they are printed, where the file departs from them."""


class HeadTable(Table):
    """[head]: what gazes."""

    end_point: Text
    face: Face = "z"
    """What looks, as a direction in the frame of the end point."""


class HandTable(Table):
    """[hands.<name>]: an arm that main tasks may take."""

    end_point: Text
    joints: list[Text] = Field(min_length=1)


class AversionTable(Table):
    """[gaze]: what averted means, for a body like a line."""

    yaw_deg: float = Field(default=25.0, ge=0, le=90)
    pitch_deg: float = Field(default=15.0, ge=0, le=60)


class GazeTable(AversionTable):
    """[gaze]: the same for a body with hands."""

    mode: Literal["aversion", "document"] = "aversion"
    """aversion: away from the partner by these angles, whatever the activity. document: wherever
    the posture points the head."""


class GainsTable(Table):
    """[gains]: how fast errors are closed, per second."""

    hand_per_s: Positive = 10.0
    head_per_s: Positive = 5.0
    posture_per_s: Positive = 3.0
    head_damping: float = Field(default=0.1, ge=0, le=1)
    """Damping of the head's level where it is solved strictly after the hand's."""
    velocity_share: float = Field(default=0.8, gt=0, le=1)
    """What share of a joint's speed the lower levels may take."""


class SupportTable(Table):
    """[support]: where the centre of mass may be, seen from above."""

    points_m: list[tuple[float, float]] = Field(min_length=3)
    """Corners in order, each to the robot's left and forwards of its base."""
    margin_m: float = Field(default=0.02, ge=0)


class NullSpaceFile(Table):
    """An `emotion.toml` of a body with hands to work with."""

    kind: Literal["null_space"]
    about: str = ""
    oscillation: OscillationTable
    jerkiness: list[TermTable] = []
    joints: dict[str, JointTable] = Field(min_length=1)
    head: HeadTable | None = None
    hands: dict[str, HandTable] = {}
    gaze: GazeTable = GazeTable()
    gains: GainsTable = GainsTable()
    support: SupportTable | None = None


class AnchorTable(Table):
    """[[anchors]]: what the body holds where it feels so."""

    pad: tuple[Axis, Axis, Axis] | None = None
    emotion: Text | None = None
    """The name of an emotion, in place of `pad`."""
    posture: Text
    weight: Positive = 1.0
    """How far it reaches among its neighbours."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.pad is None) == (self.emotion is None):
            raise ValueError("give one of pad and emotion")
        return self


class CharacterTable(Table):
    """[character]: how jerkiness and activity change the motion filter's character."""

    smoothness: Knee = (1.0, 0.95, 0.3)
    """By jerkiness."""
    responsiveness: Knee = (0.1, 0.2, 0.6)
    """By activity."""
    overshoot_deg: Knee = (0.0, 1.0, 6.0)
    """By jerkiness."""
    speed: Knee = (0.45, 0.8, 1.0)
    """Share of the joints' speed, by activity."""

    @model_validator(mode="after")
    def _within(self) -> Self:
        for name, low, high in (
            ("smoothness", 0.0, 1.0),
            ("responsiveness", 0.0, 0.999),
            ("overshoot_deg", 0.0, 45.0),
            ("speed", 0.05, 1.0),
        ):
            if any(not low <= value <= high for value in getattr(self, name)):
                raise ValueError(f"{name} takes three numbers from {low:g} to {high:g}")
        return self


class IdleTable(Table):
    """[idle]: how activity changes what the body does while it waits."""

    breaths_per_minute: Knee = (8.0, 14.0, 26.0)
    breath_size: Knee = (0.6, 1.0, 1.5)
    """Times the program's own."""
    drift_frequency_hz: Knee = (0.08, 0.15, 0.35)
    drift_size: Knee = (0.4, 1.0, 1.6)

    @model_validator(mode="after")
    def _within(self) -> Self:
        for name, high in (
            ("breaths_per_minute", 60.0),
            ("breath_size", 4.0),
            ("drift_frequency_hz", 2.0),
            ("drift_size", 4.0),
        ):
            if any(not 0.0 <= value <= high for value in getattr(self, name)):
                raise ValueError(f"{name} takes three numbers from 0 to {high:g}")
        return self


class PostureFile(Table):
    """An `emotion.toml` of a body like a line."""

    kind: Literal["posture"]
    about: str = ""
    anchors: list[AnchorTable] = Field(min_length=1)
    gaze: AversionTable = AversionTable()
    character: CharacterTable = CharacterTable()
    idle: IdleTable = IdleTable()


FILES: dict[str, type[NullSpaceFile | PostureFile]] = {
    "null_space": NullSpaceFile,
    "posture": PostureFile,
}

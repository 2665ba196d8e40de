"""The tables of a body file, as pydantic models: shapes and numbers, not yet what they add up to.

Units and frames: degrees and metres, as people write them; Y up, the body faces +Z.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sera.animation.channels import Kind
from sera.runtime.robot import Joint, Light

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Vector = tuple[float, float, float]
Points = list[tuple[float, float]]
Face = Literal["x", "y", "z", "-x", "-y", "-z"]


class Table(BaseModel):
    """Every table refuses keys that it does not know: a misspelt limit must not pass silently."""

    # Docstrings of keys are for who reads this file: having pydantic find them delays every start.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class RobotTable(Table):
    """[robot]: what it is."""

    title: Text
    description: str = ""
    urdf: str | None = None
    symmetric_head: bool = False
    eyes_m: Vector | None = None
    """The point between the eyes in the neutral pose, from the middle of the robot's foot."""
    stop: Literal["hold", "compliant", "rest"] = "hold"
    """What an emergency stop means: hold the pose, let go of the joints, or go to rest."""
    ground_m: float | Literal["none"] | None = None
    """The height of what it stands on; unless given, its frame's foot or its lowest point in
    neutral. "none" if it hangs or floats."""
    rate_hz: float = Field(default=50.0, ge=10, le=200)
    """Frames a second that the body wants."""
    base_mass_kg: float = Field(default=0.0, ge=0)
    """The mass that no joint carries: wheels, a pelvis, legs that stand."""
    base_centre_m: Vector = (0.0, 0.0, 0.0)
    """Where the middle of that mass is."""


class JointTable(Joint):
    """[[joints]]: one joint that moves; the rest of the kinematics may stand in a URDF."""

    model_config = ConfigDict(extra="forbid")

    parent: str | None = None
    """The joint that carries it; the one before in the file unless said otherwise, "" for none."""
    origin_m: Vector | None = None
    """Place in the frame of its parent; at the end of the parent's segment unless given."""
    axis_vector: Vector | None = None
    """The axis where it is along none of x, y, z; it stands above `axis`."""
    turned_deg: Vector = (0.0, 0.0, 0.0)
    """How its frame is turned against its parent's at rest: a rotation vector."""
    max_acceleration_deg_s2: float | None = Field(default=None, gt=0)
    max_jerk_deg_s3: float | None = Field(default=None, gt=0)
    max_acceleration_m_s2: float | None = Field(default=None, gt=0)
    max_jerk_m_s3: float | None = Field(default=None, gt=0)
    mass_kg: float = Field(default=0.0, ge=0)
    """Of the part that it carries, as far as the next joints."""
    centre_m: Vector = (0.0, 0.0, 0.0)
    """Where the middle of that mass is, in the joint's own frame."""
    lag_s: float = Field(default=0.05, ge=0, le=2)
    """How far the servo lags behind, for the simulated body."""


class LightTable(Light):
    """[[lights]]: one light, or a group that is switched as one."""

    model_config = ConfigDict(extra="forbid")

    neutral: float = Field(default=0.0, ge=0, le=1)
    """How bright it is while nothing is asked of it; lids that are shown by a light dim it."""
    max_velocity: float = Field(default=10.0, gt=0)
    """Share of its range a second."""


class ChannelTable(Table):
    """[[channels]]: an output that is neither joint nor light: a mouth, a sound, a screen."""

    name: Text
    kind: Kind = Kind.DISPLAY
    unit: Literal["percent", "valence", "deg", "m"] = "percent"
    lower: float | None = None
    upper: float | None = None
    neutral: float = 0.0
    max_velocity: float | None = Field(default=None, gt=0)


class EndPointTable(Table):
    """[[end_points]]: a frame that a joint carries, such as the head."""

    name: Text
    joint: Text
    offset_m: Vector = (0.0, 0.0, 0.0)


class EnslavingTable(Table):
    """[[enslaving]]: what a generic channel does to the body's own ones."""

    channel: Text
    method: Literal["share", "weights", "curve"] = "share"
    """share: each takes its factor of the value. weights: the value is divided among them, and
    what one cannot take goes to the others. curve: a table of points for each."""
    to: dict[str, float | Points]


class ChainTable(Table):
    """[[ik]]: a chain that holds postures while its end point aims (ERIK)."""

    name: Text = "gaze"
    end_point: Text
    symmetric: bool | None = None
    """The end looks the same after half a turn; [robot] symmetric_head unless given."""
    aims: Text = "Gazing"
    """What says where: `Gazing`, `Arms.LeftPoint` and others whose channels are Horizontal and
    Vertical."""
    face: Face = "z"
    """What aims, as a direction in the frame of the end point: z is forwards on a face, y is
    upwards on a body like a line, and along the forearm for an arm that points."""
    begins: Text | None = None
    """The first joint that may move for it; those that carry it stay where the posture has them.
    All from the base unless given."""
    upright: bool | None = None
    """false: the end may roll about where it aims, as the joints like it. Gazes are upright and
    arms that point are not unless given."""


class SlideTable(Table):
    """`slides` of a shape: where an own channel moves it, at one of the channel's units."""

    channel: Text
    by_m: Vector


class ShapeTable(Table):
    """[[shapes]]: a ball, a capsule between two balls, or the hull around several, for drawings."""

    joint: str = ""
    """The joint that carries it; the base unless given."""
    points_m: list[Vector] = Field(min_length=1, max_length=32)
    radius_m: Annotated[float, Field(gt=0)] | list[Annotated[float, Field(gt=0)]]
    """One for all points, or one for each."""
    shade: Literal["light", "middle", "dark"] = "light"
    colour: Annotated[str, StringConstraints(pattern="^#[0-9a-fA-F]{6}$")] | None = None
    glows: str | None = None
    """The light that makes it shine."""
    slides: SlideTable | None = None
    on_top: bool = False
    """It stands on a surface, like an eye, and is not covered by what carries it."""


class HealthTable(Table):
    """[health]: when the body calms down and when it rests."""

    warn_temperature_c: float = 65.0
    rest_temperature_c: float = 75.0
    warn_battery: float = 0.2
    rest_battery: float = 0.08


class BodyFile(Table):
    """The whole of `body.toml`."""

    robot: RobotTable
    joints: list[JointTable] = []
    lights: list[LightTable] = []
    channels: list[ChannelTable] = []
    end_points: list[EndPointTable] = []
    enslaving: list[EnslavingTable] = []
    ik: list[ChainTable] = []
    shapes: list[ShapeTable] = []
    rest: dict[str, float] = {}
    """Where a joint goes to rest, in degrees; neutral unless named."""
    health: HealthTable = HealthTable()
    connection: dict[str, str | int | float | bool | list[str]] = {}
    """What the bridge needs to know; it reads this itself."""

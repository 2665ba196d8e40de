"""The body: low-level orders to the animation engine, frames to the robot, and its health.

Units and frames: joints are in radians (metres for a joint that slides), zero is the neutral
pose; angles that people choose are in degrees, see `Direction`.
Safety: EmergencyStop is subject to no dial and never expires; the bridge to the robot obeys it
by itself, with every other module gone.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sera.messages._base import Action, Channel, Event, State
from sera.messages._parts import (
    Direction,
    Fraction,
    Name,
    Part,
    Position,
    Seconds,
    require_any,
    require_exactly_one,
)


class Gaze(Action):
    """Turn the gaze there: the low-level result of GazeAt and Glance.

    An order rather than a stream, so that the last one of a movement always arrives; a tracker
    may send it as often as it likes.
    """

    valid_for_s = 1.0
    channel = Channel.GAZE

    direction: Direction
    """Angles as the character's body faces forward, seen from where its eyes rest."""
    place: Position | None = None
    """Where the target is, along the character's own axes (to its left, up, forward of its base):
    the engine aims from where the face is. None: the target is a direction alone."""
    speed: float = Field(default=1.0, gt=0, le=10)
    """Factor on the body's usual gaze speed."""
    target: Name | None = None
    """Whom or what it looks at: the name that was asked for, and what it stands for where that is
    another (`person = learner_1`)."""
    reason: str | None = None
    """Why it looks there, such as `glance`, `breaking: 5.1 s on person_1`."""


class SetEyesLight(Action):
    """Light the eyes, as when somebody's eyes meet the robot's."""

    valid_for_s = 2.0
    channel = Channel.GAZE

    level: Fraction
    """How bright, as a part of what the eyes can."""
    reason: str | None = None
    """Why, such as `mutual gaze with person_1`."""


class Point(Action):
    """Point an arm in this direction: the low-level result of PointAt."""

    valid_for_s = 2.0
    channel = Channel.GESTURE

    direction: Direction
    """Angles as the character's body faces forward, seen from where its eyes rest."""
    place: Position | None = None
    """Where the target is, along the character's own axes: the arm aims from where the hand is.
    None: the target is a direction alone."""
    arm: Literal["left", "right"] | None = None
    """Which arm; None: the one on that side."""
    hold_s: Seconds | None = None
    """How long to point; None: as the animation program says. 0 lets the arm down."""
    target: Name | None = None
    """Name of the target that the angles come from, for whoever reads the log."""


class PlayAnimation(Action):
    """Play an animation of the body's repertoire."""

    valid_for_s = 2.0
    channel = Channel.GESTURE

    animation: Name
    """Name of the animation, such as `nod`."""
    repeats: int | None = Field(default=1, ge=1)
    """How many times; None: until StopAnimation."""
    speed: float = Field(default=1.0, gt=0, le=10)
    """Factor on the authored speed."""
    amplitude: float = Field(default=1.0, ge=0, le=2)
    """Factor on the authored movement; limits of the body hold in any case."""
    layer: Name | None = None
    """Layer of the animation program to play on; None: the animation's own."""
    fade_s: Seconds | None = None
    """How long to fade in and out; None: as authored."""
    anchors: dict[Name, Seconds] = Field(default_factory=dict)
    """When named moments of the animation shall come, such as the stroke of a gesture with a
    word: seconds from its beginning."""


class RetimeAnimation(Action):
    """Have a moment of an animation that is playing come at another time than it would.

    What has ended meanwhile is left as it is; the gesture is stretched or quickened only as far
    as it stays the same gesture.
    """

    valid_for_s = 0.5
    channel = Channel.GESTURE

    action: Name
    """Id of its PlayAnimation."""
    anchors: dict[Name, Seconds] = Field(min_length=1, max_length=1)
    """The moment and when it shall come: seconds from now."""


class StopAnimation(Action):
    """Fade an animation out."""

    valid_for_s = 2.0
    channel = Channel.GESTURE

    animation: Name | None = None
    """Name of the animation; None: every one that is playing."""
    fade_s: Seconds | None = None
    """How long to fade out; None: as authored."""


class AnimationOutcome(StrEnum):
    """How an animation ended."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class AnimationFinished(Event):
    """An animation has ended."""

    animation: Name
    """Name of the animation."""
    action: Name
    """Id of its PlayAnimation."""
    outcome: AnimationOutcome = AnimationOutcome.COMPLETED
    """How it ended."""
    duration_s: Seconds
    """How long it played."""


class SetPosture(Action):
    """Take a posture and stay in it."""

    valid_for_s = 2.0
    channel = Channel.GESTURE

    posture: Name
    """Name of the posture, such as `neutral`."""
    weight: Fraction = 1.0
    """How much of it, blended with the posture before."""
    blend_s: Seconds = 0.5
    """How long the change takes."""


class HoldJoints(Action):
    """Move single joints by hand and hold them there, over whatever else moves them."""

    valid_for_s = 1.0
    channel = Channel.GESTURE

    joints_rad: dict[Name, float] = Field(default_factory=dict)
    """Angle by joint, radians (metres for a joint that slides), kept within the limits of the
    body. Joints that are not named are let go; none at all: all are let go."""
    blend_s: Seconds = 0.3
    """How long it takes to get there, and to let go."""


class SetFace(Action):
    """Show a facial expression, for a moment or to stay."""

    valid_for_s = 2.0
    channel = Channel.EMOTION

    face: Name
    """Name of the expression, such as `joy`; `neutral` lets go of the others."""
    hold_s: Seconds | None = None
    """How long, fades not counted; None: it stays until the next one."""
    weight: Fraction = 1.0
    """How much of it."""
    blend_s: Seconds = 0.3
    """How long it takes to come, and to go."""


class Pad(Part):
    """An emotion as pleasure, arousal and dominance.

    Each goes from -1 to 1. Values beyond are not refused here: who performs the emotion clips
    and reports them, so that a mind that overshoots does not leave the robot without emotion.
    """

    pleasure: float
    """From -1, unpleasant, to 1, pleasant."""
    arousal: float
    """From -1, calm, to 1, excited."""
    dominance: float
    """From -1, submissive, to 1, in control."""


class SetEmotion(Action):
    """Show an emotion from now on. Takes one of pad and name."""

    valid_for_s = 5.0
    channel = Channel.EMOTION

    pad: Pad | None = None
    """The emotion as pleasure, arousal and dominance."""
    name: Name | None = None
    """The emotion by name, such as `happiness`."""
    blend_s: Seconds = 1.0
    """How long the change takes."""

    @model_validator(mode="after")
    def _says_which(self) -> Self:
        require_exactly_one(self, "pad", "name")
        return self


class SetLayer(Action):
    """Switch or weigh a layer of the animation program. Takes one of active and weight, or both."""

    valid_for_s = 10.0
    channel = Channel.GESTURE

    layer: Name
    """Name of the layer."""
    active: bool | None = None
    """On or off; None: as it is."""
    weight: Fraction | None = None
    """How much it counts in the blend; None: as it is."""
    fade_s: Seconds | None = None
    """How long the change takes; None: as the program says."""

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        require_any(self, "active", "weight")
        return self


class JointFrame(Event):
    """Where the engine wants the body now, many times a second."""

    stream = True

    joints_rad: dict[Name, float] = Field(default_factory=dict)
    """Angle by joint, radians (metres for a joint that slides)."""
    channels: dict[Name, float] = Field(default_factory=dict)
    """Value by channel that is not a joint (lights, mouth, eyelids), in the channel's own unit."""
    frame: int = Field(default=0, ge=0)
    """Counts the frames of the engine since it started."""


class WatchBlend(Action):
    """Publish BlendReport for a while: who moves which channel."""

    valid_for_s = 5.0

    for_s: float = Field(default=5.0, gt=0, le=3600)
    """How long."""
    every_s: float = Field(default=0.2, ge=0.02, le=10)
    """How often."""


class ChannelBlend(Part):
    """A channel, and the layers that made it what it is."""

    value: float
    """What the layers add up to, in the channel's own unit."""
    layers: dict[Name, Fraction] = Field(default_factory=dict)
    """Share by layer; they sum to 1."""


class BlendReport(State):
    """Who owns what in this frame of the animation engine; published after WatchBlend."""

    frame: int = Field(default=0, ge=0)
    """Which frame."""
    layers: dict[Name, Fraction] = Field(default_factory=dict)
    """Weight by layer of the animation program, fades included."""
    channels: dict[Name, ChannelBlend] = Field(default_factory=dict)
    """Channels that are animated, by full name such as `Gazing.Horizontal`."""
    limbs: dict[Name, Name] = Field(default_factory=dict)
    """The gesture that owns a limb, such as `wave` by `right arm`: the newest one that moves it."""


class EngineState(State):
    """How the animation engine is: what it plays, and whether it keeps up."""

    program: Name
    """Title of the animation program."""
    problem: str | None = None
    """Why a changed program file is not in use, or which controllers are muted."""
    layers: dict[Name, Fraction] = Field(default_factory=dict)
    """Weight by layer."""
    posture: Name | None = None
    """The posture that was asked for last."""
    playing: list[Name] = Field(default_factory=list)
    """Animations that are playing."""
    rate_hz: float = Field(default=0.0, ge=0)
    """Frames a second that it makes."""
    counts: dict[Name, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    """Frames made and late (overruns), branch changes of aiming chains, orders refused."""
    branch_change: str | None = None
    """Why aiming chains changed their branch the last time: where they aimed, and what gave way."""
    slowest_frame_ms: float = Field(default=0.0, ge=0)
    """The longest that a frame took since the last report."""


class GazeState(State):
    """Where the face is and where it looks, as the animation engine has the body now.

    Places and directions are along the character's own axes (to its left, up, forward of its base).
    """

    target: Name | None = None
    """Whom or what it looks at, as the Gaze order had it; None: nobody has ordered a look."""
    position: Position
    """Where the face is."""
    direction: Direction
    """Where the face looks."""
    off_deg: float = Field(default=0.0, ge=0, le=180)
    """The angle between the face's axis and the target."""
    shortfall_deg: float = Field(default=0.0, ge=0, le=180)
    """How much of that the body cannot help, once the look has arrived."""
    shortfall_why: str = ""
    """Why, such as `15° short: neck_pitch at its end`; empty where nothing is short."""
    because: str = ""
    """Why the face is elsewhere on purpose, such as `averted by emotion` or `owned by animation
    'think'`; empty where it is not."""


class BodyHealth(StrEnum):
    """How a body is."""

    OK = "ok"
    WARNING = "warning"
    RESTING = "resting"
    STOPPED = "stopped"
    UNREACHABLE = "unreachable"


class BodyState(State):
    """Heartbeat of a body, with what it measures."""

    health: BodyHealth
    """How the body is."""
    problem: str | None = None
    """One plain sentence where health is not ok."""
    joints_rad: dict[Name, float] = Field(default_factory=dict)
    """Measured angle by joint, radians (metres for a joint that slides)."""
    temperature_c: dict[Name, float] = Field(default_factory=dict)
    """Temperature by joint or part, degrees Celsius."""
    load: dict[Name, Fraction] = Field(default_factory=dict)
    """Load by joint, as a part of what it can bear."""
    stiffness: dict[Name, Fraction] = Field(default_factory=dict)
    """Stiffness by joint: 0 is limp."""
    battery: Fraction | None = None
    """Charge of the battery; None for a body without one."""
    counts: dict[Name, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    """What the bridge has counted, such as frames received, late and refused."""


class EmergencyStop(Action):
    """Stop all motion and speech now, and stay stopped until EmergencyRelease."""

    valid_for_s = None
    urgent = True

    by: Name | None = None
    """Operator or module that stops, by role and not by name."""
    reason: str | None = None
    """Why."""


class EmergencyRelease(Action):
    """End an emergency stop: the body may move again.

    Unlike the stop it expires: a release that arrives late would surprise whoever stands there.
    """

    valid_for_s = 5.0

    by: Name | None = None
    """Operator who releases, by role and not by name."""

"""What the robot's senses report: people, their heads and voices, clicks and markers.

A `person` is the id that a tracker gave to a body in view (`person_1`, `visitor`); it says
nothing about who that is, so it is not personal data, while a name is. All of these belong to
the world: every character hears them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from sera.messages._base import Perception, State, personal
from sera.messages._parts import (
    Direction,
    Fraction,
    LoudnessDbfs,
    Name,
    Orientation,
    Part,
    Position,
    ScreenPoint,
    Seconds,
    require_any,
)


class Side(StrEnum):
    """Left or right, or both at once; as seen by the character."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"


class PersonDetected(Perception):
    """A person came into view, or came back under the same id."""

    belongs_to_world = True

    person: Name
    """Id of the tracker for this person, the same until the person is lost."""
    name: str | None = personal("name", default=None)
    """What the person is called, where somebody told the system."""
    position: Position | None = None
    """Where the head is, where the distance is known."""
    direction: Direction | None = None
    """In which direction the head is, seen from `seen_from`."""
    seen_from: Position | None = None
    """Where `direction` is measured from; None: the origin of the scenario's space."""
    confidence: Fraction = 1.0
    """How sure the tracker is that this is a person."""


class PersonMoved(Perception):
    """A person's head is now here. Takes at least one of position and direction."""

    belongs_to_world = True
    stream = True

    person: Name
    """Id of the tracker for this person."""
    position: Position | None = None
    """Where the head is, where the distance is known."""
    direction: Direction | None = None
    """In which direction the head is, seen from `seen_from`."""
    seen_from: Position | None = None
    """Where `direction` is measured from; None: the origin of the scenario's space."""
    confidence: Fraction = 1.0
    """How sure the tracker is of the place."""

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        require_any(self, "position", "direction")
        return self


class PersonLost(Perception):
    """A person went out of view and did not come back within the tracker's patience."""

    belongs_to_world = True

    person: Name
    """Id of the tracker for this person."""
    unseen_for_s: Seconds | None = None
    """How long the person had not been seen when the tracker gave up."""


class HeadDirection(Perception):
    """Where a person's face points."""

    belongs_to_world = True
    stream = True

    person: Name
    """Id of the tracker for this person."""
    direction: Direction
    """Where the face points, along the axes of the scenario's space (180° looks back at +Z)."""
    roll_deg: float = Field(default=0.0, ge=-180, le=180)
    """Tilt of the head, positive towards the person's own right shoulder."""
    looks_at: Name | None = None
    """Character, screen, person or target that lies in this direction; None: elsewhere."""
    eye_contact: bool | None = None
    """Whether the person looks into the robot's face; None where it cannot be told."""


class SpeechActivity(Perception):
    """Somebody started to speak, or stopped. The robot's own voice never counts."""

    belongs_to_world = True

    speaking: bool
    """True when speech begins, False when it ends."""
    person: Name | None = None
    """Who speaks, as the id of a tracker; None where that is unknown."""
    side: Side | None = None
    """From which microphone of a pair the voice comes."""
    direction: Direction | None = None
    """Where the voice comes from, seen from the origin of the scenario's space."""
    loudness_dbfs: LoudnessDbfs | None = None
    """Loudness of the speech, relative to full scale."""


class SoundLevel(Perception):
    """How loud it is at each microphone, many times a second."""

    belongs_to_world = True
    stream = True

    loudness_dbfs: list[LoudnessDbfs] = Field(min_length=1)
    """Loudness at each microphone, relative to full scale, in the order of the device."""
    voice: Fraction | None = None
    """How likely it is that somebody speaks; None where that is not measured."""


class HeardWord(Part):
    """One recognised word."""

    text: str
    """The word as it is written."""
    start_s: Seconds
    """When it begins, from the beginning of the phrase."""
    end_s: Seconds
    """When it ends, from the beginning of the phrase."""
    confidence: Fraction = 1.0
    """How sure the recogniser is of the word."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        if self.end_s < self.start_s:
            raise ValueError(f"the word ends at {self.end_s} s, before it begins ({self.start_s})")
        return self


class SpeechHeard(Perception):
    """What somebody said, as a recogniser understood it."""

    belongs_to_world = True

    text: str = personal("text")
    """The words, as one line."""
    words: list[HeardWord] = personal("text", default_factory=list)
    """The words one by one with their times, where the recogniser gives them."""
    person: Name | None = None
    """Who spoke, as the id of a tracker; None where that is unknown."""
    confidence: Fraction = 1.0
    """How sure the recogniser is of the whole."""
    language: Name | None = None
    """Language tag such as `en` or `pt-PT`."""
    final: bool = True
    """False for a first guess that a later SpeechHeard will replace."""


class Clicked(Perception):
    """Somebody touched a screen, a key or a thing. Takes at least one of point and element."""

    belongs_to_world = True

    point: ScreenPoint | None = None
    """Where on which screen."""
    element: Name | None = None
    """What was touched, by the activity's own name for it."""
    person: Name | None = None
    """Who touched it, as the id of a tracker or the activity's id for the player, never a name."""

    @model_validator(mode="after")
    def _says_what_was_touched(self) -> Self:
        require_any(self, "point", "element")
        return self


class KeyPressed(Perception):
    """Somebody pressed a key of a keyboard or a remote control."""

    belongs_to_world = True

    key: Name
    """The key by its name, such as `space`, `y` or `f5`."""
    person: Name | None = None
    """Who pressed it, by role or as the id of a tracker, never a name."""


class MarkerSeen(Perception):
    """A printed marker (a card, an object, a seat) came into view."""

    belongs_to_world = True

    marker: Name
    """Id of the marker, with its family where several are in use (`aruco_4x4:17`)."""
    position: Position | None = None
    """Where its centre is."""
    orientation: Orientation | None = None
    """How it is turned against the axes of the scenario's space."""
    confidence: Fraction = 1.0
    """How sure the tracker is of the id."""


class MarkerMoved(Perception):
    """A marker in view is now here."""

    belongs_to_world = True
    stream = True

    marker: Name
    """Id of the marker."""
    position: Position
    """Where its centre is."""
    orientation: Orientation | None = None
    """How it is turned against the axes of the scenario's space."""


class MarkerLost(Perception):
    """A marker went out of view."""

    belongs_to_world = True

    marker: Name
    """Id of the marker."""


class Engagement(StrEnum):
    """How far somebody is engaged with the robot, in the words of ROS4HRI."""

    UNKNOWN = "unknown"
    ENGAGING = "engaging"
    ENGAGED = "engaged"
    DISENGAGING = "disengaging"
    DISENGAGED = "disengaged"


class EngagementChanged(Perception):
    """Somebody began to engage with a robot, or to turn away from it."""

    belongs_to_world = True

    person: Name
    """Id of the tracker for this person."""
    level: Engagement
    """How far."""
    previous: Engagement | None = None
    """How far before."""
    character: Name | None = None
    """With which character; None: with the only robot there is."""
    reason: str | None = None
    """What it was judged by, such as `looks at the robot for 1.2 s`."""


class PersonSummary(Part):
    """Everything that is known of somebody, from all senses together."""

    person: Name
    """Id of the tracker, or of the scenario file for somebody who is expected."""
    position: Position | None = None
    """Where the head is."""
    seen: bool = True
    """False where no sense sees the person and the scenario or the activity stands in."""
    speaking: bool = False
    """Whether the person speaks."""
    looks_at: Name | None = None
    """Character, screen, person or target that the person looks at; None: elsewhere or unknown."""
    engagement: Engagement = Engagement.UNKNOWN
    """How far the person is engaged with the robot."""


class PeopleState(State):
    """Who is there, where, who speaks, and who looks at whom."""

    belongs_to_world = True

    people: list[PersonSummary] = Field(default_factory=list)
    """Everybody who is there, in the order in which they came."""
    speaker: Name | None = None
    """Who has the floor; None: nobody, or several."""

"""The generic body sets: channels that every robot may have, so that animations travel.

A body file says with enslaving rules which of them a robot has and what they do there; their
range on that robot follows from the joints they move. What stands here is what they mean.

Units and frames: see `sera.animation.channels`; Gazing.Horizontal right, Gazing.Vertical up,
Gazing.Roll towards the robot's right shoulder; Torso.Lean forwards, Torso.Sway to the right,
Torso.Twist to the right; arms raise forwards, open outwards and bend at the elbow, and point like
a gaze, to the right and upwards in the frame of the base.
"""

from __future__ import annotations

from dataclasses import dataclass

from sera.animation.channels import Kind, Unit


@dataclass(frozen=True, slots=True)
class GenericChannel:
    """What a channel of a generic set means."""

    name: str
    meaning: str
    unit: Unit = Unit.RADIAN
    kind: Kind = Kind.STATIONARY


def _sided(body_set: str, channel: str, meaning: str) -> tuple[GenericChannel, GenericChannel]:
    return (
        GenericChannel(f"{body_set}.Left{channel}", f"left {meaning}"),
        GenericChannel(f"{body_set}.Right{channel}", f"right {meaning}"),
    )


_CHANNELS = (
    GenericChannel("Gazing.Horizontal", "where the face points, to the right"),
    GenericChannel("Gazing.Vertical", "where the face points, upwards"),
    GenericChannel("Gazing.Roll", "head tilted towards the right shoulder"),
    GenericChannel("Eyes.LeftLid", "left eyelid: 0 open, 1 closed", Unit.PERCENT),
    GenericChannel("Eyes.RightLid", "right eyelid: 0 open, 1 closed", Unit.PERCENT),
    GenericChannel("Eyes.Horizontal", "eyes in the head, to the right"),
    GenericChannel("Eyes.Vertical", "eyes in the head, upwards"),
    GenericChannel("Face.Mouth", "mouth: 0 closed, 1 open", Unit.PERCENT),
    GenericChannel("Face.Smile", "corners of the mouth: -1 down, 1 up", Unit.VALENCE),
    GenericChannel("Face.Brows", "brows: -1 frown, 1 raised", Unit.VALENCE),
    *_sided("Arms", "Raise", "arm raised forwards"),
    *_sided("Arms", "Out", "arm opened outwards"),
    *_sided("Arms", "Turn", "upper arm turned inwards"),
    *_sided("Arms", "Bend", "elbow bent"),
    *_sided("Arms", "Wrist", "forearm turned inwards"),
    *_sided("Arms", "PointHorizontal", "arm pointing, to the robot's right"),
    *_sided("Arms", "PointVertical", "arm pointing, upwards"),
    GenericChannel("Arms.LeftHand", "left hand: 0 closed, 1 open", Unit.PERCENT),
    GenericChannel("Arms.RightHand", "right hand: 0 closed, 1 open", Unit.PERCENT),
    GenericChannel("Torso.Lean", "upper body leaning forwards"),
    GenericChannel("Torso.Sway", "upper body leaning to the right"),
    GenericChannel("Torso.Twist", "upper body turned to the right"),
    GenericChannel("Torso.Stretch", "body from squashed -1 to stretched 1", Unit.VALENCE),
    GenericChannel("Lights.Left", "left light", Unit.PERCENT, Kind.DISPLAY),
    GenericChannel("Lights.Right", "right light", Unit.PERCENT, Kind.DISPLAY),
    GenericChannel("Voice.Loudness", "loudness of the voice", Unit.PERCENT, Kind.AUDIBLE),
    GenericChannel("Base.Forward", "the body's way forwards", Unit.METRE, Kind.SPATIAL),
    GenericChannel("Base.Turn", "the body's turn to the right", Unit.RADIAN, Kind.SPATIAL),
)

GENERIC: dict[str, GenericChannel] = {channel.name: channel for channel in _CHANNELS}
GENERIC_SETS: tuple[str, ...] = tuple(
    dict.fromkeys(channel.name.partition(".")[0] for channel in _CHANNELS)
)

_ACROSS, _UP = "Horizontal", "Vertical"
AIMS: dict[str, tuple[str, str]] = {
    name.removesuffix(_ACROSS).rstrip("."): (name, name.removesuffix(_ACROSS) + _UP)
    for name in GENERIC
    if name.endswith(_ACROSS)
}
"""What a chain may aim by, such as `Gazing` and `Arms.LeftPoint`: channels across and up."""

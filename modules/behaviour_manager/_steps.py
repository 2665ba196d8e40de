"""From a step of a line to the message that has it done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from sera.behaviour.markup import Step, Value, VerbRegistry, message_sent
from sera.behaviour.space import Angles
from sera.behaviour.targets import PointTarget
from sera.messages import (
    ActivityCommand,
    Highlight,
    Message,
    PlayAnimation,
    PlayMedia,
    ScreenPoint,
    SetFace,
)

FACE_FOR_S = 2.0
"""How long a facial expression for a moment lasts."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the target of a step is, as far as that is known."""

    angles: Angles | None = None
    pixel: PointTarget | None = None


_ANIMATIONS = {
    ("HEADNOD", "head"): "nod",
    ("HEADNOD", "torso"): "bow",
    ("HEADNOD", "lights"): "blink",
    ("HEADNODNEGATIVE", "head"): "shake",
    ("HEADNODNEGATIVE", "torso"): "shake",
    ("HEADNODNEGATIVE", "lights"): "blink",
    ("EYEBLINK", "lids"): "blink",
    ("EYEBLINK", "lights"): "blink",
    ("SLOWEYEBLINK", "lids"): "blink",
    ("SLOWEYEBLINK", "lights"): "blink",
    ("WAVE", "arms"): "wave",  # with the hand on the target's side
}
"""The animation for a verb, by the means that the body has for it."""
_HANDS = {"POINT": 2.0, "WAVE": 1.5}
"""Verbs of hands that go to a target, and how long the eyes stay on it."""
_STROKES = {"nod": 2, "shake": 2}
"""How many strokes an authored animation has, so that HEADNOD(4) plays it twice."""
_LASTS_S = {"GAZE": 0.6, "GLANCE": 1.5, "POINT": 2.0, "FACE": FACE_FOR_S}


def message_of(step: Step, verbs: VerbRegistry, place: Place | None = None) -> Message | None:
    """The message for a step; None for those of the gaze machine.

    Args:
        step: with the means by which it is performed.
        verbs: those of the workspace say what they send.
        place: of its target, if that is known.

    Raises:
        ValueError: what the author wrote does not fit the message.
    """
    arguments = step.arguments
    spec = verbs.find(step.verb)
    if spec is not None and spec.sends is not None:
        return message_sent(spec.sends, step)
    animation = _ANIMATIONS.get((step.verb, step.means or ""))
    if animation is not None:
        if step.verb == "WAVE" and place is not None and place.angles is not None:
            animation += "_right" if place.angles.horizontal_deg >= 0 else "_left"
        count = arguments.get("n")
        wanted = count if isinstance(count, int) else 1
        return PlayAnimation(
            animation=animation,
            repeats=max(1, round(wanted / _STROKES.get(animation, 1))),
            speed=0.5 if step.verb.startswith("SLOW") else 1.0,
        )
    if step.verb == "HIGHLIGHT":
        point = None
        pixel = None if place is None else place.pixel
        if pixel is not None:
            point = ScreenPoint(screen=pixel.screen, x_px=pixel.x_px, y_px=pixel.y_px)
        return Highlight(element=str(arguments["target"]), point=point)
    make = _MAKERS.get(step.verb)
    return None if make is None else make(arguments)


def _command(arguments: Mapping[str, Value]) -> ActivityCommand:
    given = arguments.get("parameters")
    values: list[JsonValue] = [*given] if isinstance(given, tuple) else []
    return ActivityCommand(command=str(arguments["action"]), data={"parameters": values})


_MAKERS: Mapping[str, Callable[[Mapping[str, Value]], Message]] = {
    "ANIMATE": lambda given: PlayAnimation(animation=str(given["name"])),
    "FACE": lambda given: SetFace(face=str(given["lexeme"]), hold_s=FACE_FOR_S),
    "FACESHIFT": lambda given: SetFace(face=str(given["lexeme"])),
    "SOUND": lambda given: PlayMedia(media=str(given["name"])),
    "GAME": _command,
}


def with_eyes(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, with a look before each hand that goes to a target where none is written."""
    out: list[Step] = []
    for step in steps:
        if step.verb not in _HANDS or step.target is None:
            out.append(step)
            continue
        looks = [
            n
            for n, each in enumerate(out)
            if each.verb in {"GAZE", "GLANCE"}
            and (each.word, each.target) == (step.word, step.target)
        ]
        if looks:
            out[looks[0]] = replace(out[looks[0]], leads_hand=True)
        else:
            seconds = step.arguments.get("seconds") or _HANDS[step.verb]
            look = {"target": step.target, "seconds": seconds}
            out.append(replace(step, verb="GLANCE", arguments=look, means="gaze", leads_hand=True))
        out.append(step)
    return tuple(out)


def lasts_s(step: Step) -> float | None:
    """How long a line without words waits for the step; None: until it reports its end."""
    seconds = step.arguments.get("seconds")
    if isinstance(seconds, int | float):
        return float(seconds)
    if step.verb == "ANIMATE" or (step.verb, step.means or "") in _ANIMATIONS:
        return None
    return _LASTS_S.get(step.verb, 0.0)

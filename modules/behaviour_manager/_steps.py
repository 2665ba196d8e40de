"""From a step of a line to the message that has it done."""

from __future__ import annotations

from sera.behaviour.markup import Step
from sera.messages import ActivityCommand, Highlight, Message, PlayAnimation

_ANIMATIONS = {
    "HEADNOD": "nod",
    "HEADNODNEGATIVE": "shake",
    "EYEBLINK": "blink",
    "SLOWEYEBLINK": "blink",
    "WAVE": "wave",
}


def message_of(step: Step) -> Message | None:
    """The message for a step that is about no gaze; None for those of the gaze machine."""
    arguments = step.arguments
    if step.verb in _ANIMATIONS:
        count = arguments.get("n")
        speed = 0.5 if step.verb.startswith("SLOW") else 1.0
        repeats = count if isinstance(count, int) else 1
        # An authored nod has two strokes already.
        repeats = max(1, repeats // 2) if step.verb.startswith("HEADNOD") else repeats
        return PlayAnimation(animation=_ANIMATIONS[step.verb], repeats=repeats, speed=speed)
    if step.verb == "ANIMATE":
        return PlayAnimation(animation=str(arguments["name"]))
    if step.verb == "HIGHLIGHT":
        return Highlight(element=str(arguments["target"]))
    if step.verb == "GAME":
        given = arguments.get("parameters")
        values = given if isinstance(given, tuple) else ()
        return ActivityCommand(command=str(arguments["action"]), data={"parameters": list(values)})
    return None

"""The verbs that every scenario has, with what a body needs for them and what is done without.

Abilities are named after what a body moves or owns: gaze, arms, head, torso, face, lids, lights,
animation, sound, screen, application.
"""

from __future__ import annotations

from sera.behaviour.markup.verbs import Fallback, Kind, Parameter, VerbRegistry, VerbSpec

_TARGET = Parameter(name="target", kind=Kind.TARGET, required=True)
_SECONDS = Parameter(name="seconds", kind=Kind.NUMBER, lower=0.1, upper=60)


def _count(default: int) -> tuple[Parameter, ...]:
    return (Parameter(name="n", kind=Kind.COUNT, default=default),)


def _by(verb: str, *means: str) -> tuple[Fallback, ...]:
    return tuple(Fallback(verb, one) for one in means)


BUILT_IN_VERBS = VerbRegistry(
    [
        VerbSpec(
            name="GAZE",
            parameters=(_TARGET,),
            needs="gaze",
            joins=True,
            about="Look at the target and keep looking at it.",
        ),
        VerbSpec(
            name="GLANCE",
            parameters=(_TARGET, _SECONDS),
            needs="gaze",
            joins=True,
            about="Look at the target for a moment, then back.",
        ),
        VerbSpec(
            name="POINT",
            parameters=(_TARGET, _SECONDS),
            needs="arms",
            fallbacks=(Fallback("GAZE"),),
            joins=True,
            about="Point at the target with the hand on its side.",
        ),
        VerbSpec(
            name="WAVE",
            parameters=(_TARGET,),
            needs="arms",
            fallbacks=(Fallback("GAZE"),),
            joins=True,
            about="Wave a hand towards the target or over it.",
        ),
        VerbSpec(
            name="HIGHLIGHT",
            parameters=(_TARGET,),
            needs="screen",
            fallbacks=(Fallback("POINT"), Fallback("GLANCE")),
            joins=True,
            about="Have the screen highlight the target.",
        ),
        VerbSpec(
            name="ANIMATE",
            parameters=(Parameter(name="name", kind=Kind.ANIMATION, required=True),),
            needs="animation",
            about="Play an animation.",
        ),
        VerbSpec(
            name="HEADNOD",
            parameters=_count(2),
            needs="head",
            fallbacks=_by("HEADNOD", "torso", "lights"),
            about="Nod n times.",
        ),
        VerbSpec(
            name="HEADNODNEGATIVE",
            parameters=_count(2),
            needs="head",
            fallbacks=_by("HEADNODNEGATIVE", "torso", "lights"),
            about="Shake the head n times.",
        ),
        VerbSpec(
            name="FACE",
            parameters=(Parameter(name="lexeme", kind=Kind.FACE, required=True),),
            needs="face",
            fallbacks=_by("FACE", "lights"),
            about="Show a facial expression for a moment.",
        ),
        VerbSpec(
            name="FACESHIFT",
            parameters=(Parameter(name="lexeme", kind=Kind.FACE, required=True),),
            needs="face",
            fallbacks=_by("FACESHIFT", "lights"),
            about="Change to a facial expression that stays.",
        ),
        VerbSpec(
            name="EYEBLINK",
            parameters=_count(1),
            needs="lids",
            fallbacks=_by("EYEBLINK", "lights"),
            about="Blink n times.",
        ),
        VerbSpec(
            name="SLOWEYEBLINK",
            parameters=_count(1),
            needs="lids",
            fallbacks=_by("SLOWEYEBLINK", "lights"),
            about="Blink slowly n times.",
        ),
        VerbSpec(
            name="SOUND",
            parameters=(Parameter(name="name", kind=Kind.SOUND, required=True),),
            needs="sound",
            about="Play a sound.",
        ),
        VerbSpec(
            name="GAME",
            parameters=(
                Parameter(name="action", kind=Kind.ACTION, required=True),
                Parameter(name="parameters", many=True),
            ),
            needs="application",
            about="Have the activity (game, task) do something.",
        ),
    ]
)
"""GAZE, GLANCE, POINT, WAVE, HIGHLIGHT, ANIMATE, HEADNOD, HEADNODNEGATIVE, FACE, FACESHIFT,
EYEBLINK, SLOWEYEBLINK, SOUND and GAME."""

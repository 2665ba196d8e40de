"""An emotion on a body, played offline through the whole engine: what leaves the motion filter.

    plays = play(stage_set, PAD.named("fear"), gesture="wave", seconds=5.0)
    plays.frames                     # one row a frame, one column an own channel

Design overview: the body looks straight ahead at its partner and has no idle life, so that plays
can be compared. It feels the emotion, which stays, long enough to show it wholly; then the gesture
begins, and frames are kept from there on.

Units and frames: seconds from the gesture's beginning; values in the channels' own units.
Threading: pure; every play has an engine of its own.
"""

from __future__ import annotations

import numpy as np

from sera.animation.animator import Animator
from sera.animation.sheets.performance import Performance
from sera.animation.stage_set import StageSet
from sera.emotion import PAD
from sera.kinematics._arrays import FloatArray
from sera.messages import (
    Direction,
    Gaze,
    Message,
    Pad,
    PlayAnimation,
    SetEmotion,
    SetLayer,
    SetMood,
)

CONTROL_RATE_HZ = 100.0
SETTLE_S = 2.5
"""How long an emotion is there before anything is kept."""
_LIVELY = ("life", "speech")
"""Layers that are another one in every run."""


def play(
    stage_set: StageSet,
    pad: PAD | None,
    *,
    gesture: str | None = "wave",
    seconds: float = 5.0,
    rate_hz: float = CONTROL_RATE_HZ,
    settle_s: float = SETTLE_S,
    looks: bool = True,
) -> Performance:
    """Play an emotion, with a gesture or without.

    Args:
        stage_set: of the body.
        pad: what it feels; None: nothing.
        gesture: an animation of its repertoire; None: it only feels.
        seconds: how much is kept.
        rate_hz: frames a second.
        settle_s: how long it feels so before.
        looks: at its partner; else wherever its posture looks.

    Raises:
        LookupError: there is no such animation; with the nearest name.
        ProgramError, RepertoireError: with every problem of the body's files.
    """
    animator = Animator(stage_set.program(), rate_hz=rate_hz, on_fault=_refuse)
    for layer in _LIVELY:
        if layer in animator.engine.layers:
            animator.handle(SetLayer(layer=layer, active=False, fade_s=0.0))
    for order in _orders(pad, looks=looks):
        animator.handle(order)
    if gesture is not None:
        stage_set.repertoire().animation(gesture)  # a name that is unknown is said before the work
    for _ in range(round(settle_s * rate_hz)):
        animator.step()
    if gesture is not None:
        animator.handle(PlayAnimation(animation=gesture), "gesture")
    count = max(1, round(seconds * rate_hz) + 1)
    frames = np.array([list(animator.step().values()) for _ in range(count)])
    return Performance(stage_set.body, np.arange(count) / rate_hz, frames)


def _orders(pad: PAD | None, *, looks: bool) -> list[Message]:
    orders: list[Message] = []
    if looks:
        orders.append(Gaze(direction=Direction(horizontal_deg=0.0, vertical_deg=0.0)))
    if pad is not None:
        pleasure, arousal, dominance = pad.values
        felt = Pad(pleasure=pleasure, arousal=arousal, dominance=dominance)
        # The mood is the same, so that the emotion does not fade meanwhile.
        orders += [SetMood(pad=felt, blend_s=0.5), SetEmotion(pad=felt, blend_s=0.5)]
    return orders


def _refuse(layer: str, controller: str, sentence: str) -> None:
    """A picture that leaves out what failed would be believed."""
    raise RuntimeError(f"{layer}, {controller}: {sentence}")


def joint_angles(played: Performance) -> FloatArray:
    """(frames, joints) in the order of the body's tree."""
    names = list(played.body.own)
    return played.frames[:, [names.index(name) for name in played.body.tree.joint_names]]


def end_path(played: Performance, end_point: str) -> FloatArray:
    """(frames, 3) where an end point is."""
    tree = played.body.tree
    return np.array([tree.pose(row, end_point).position_m for row in joint_angles(played)])

"""Where motions meet: the speed of hands at seams, the swing of nods while the gaze goes elsewhere.

Every gesture is stopped, ordered again, exchanged and let end, a start, a release and a change of
layers fall into it, and arms come down that were held, pointed or had reached out. What counts is
the speed of the hands (of the head, on a body without any) against that of the gestures alone.
Nods and shakes are ordered in gaze shifts and at the ends of the gaze's reach.

Units and frames: metres and seconds, in the frame of the body's base. Threading: pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sera import messages
from sera.animation.sheets import perform, without_limits
from sera.animation.stage_set import StageSet
from sera.evaluation.motion.actor import (
    START_S,
    Actor,
    FloatArray,
    axes_of,
    gestures_of,
    hands_m_s,
    looking,
    own_of,
)
from sera.evaluation.motion.traces import nodding
from sera.messages import Message, PlayAnimation, Point, StopAnimation

FREE_M_S, OVER_OWN = 1.0, 1.2
"""A hand may be as fast at any seam, or as much faster than the gestures involved."""
LET_DOWN = ("layer off", "let go", "pointed", "reached")
"""Kinds in which no gesture ends by itself or by another order for one."""

KEPT_SHARE = 0.8
FAR = "far"
SHIFT_DEG = (-15.0, 6.0), (20.0, -8.0)
SITUATIONS: dict[str, float | tuple[float, float]] = {
    "a shift 0.2 s before": -0.2,
    "a shift at once": 0.0,
    "a shift 0.2 s after": 0.2,
    "a shift 0.5 s after": 0.5,
    f"{FAR} down": (0.0, -70.0),
    f"{FAR} up": (0.0, 70.0),
    f"{FAR} aside": (120.0, 0.0),
}
"""When the gaze shifts, or where it rests."""
_NODS = {"nod": 1, "affirm": 1, "shake": 0}
_TREMBLING_DEG, _SEEN_DEG = 0.5, 2.0


class Seam(NamedTuple):
    """Where one motion gives way to another."""

    kind: str
    gesture: str
    peak_m_s: float
    allowed_m_s: float

    @property
    def kept(self) -> bool:
        return self.peak_m_s <= self.allowed_m_s


def measure_seams(stage_set: StageSet, gestures: Iterable[str] | None = None) -> list[Seam]:
    """Peak speeds at every kind of seam that the body can come to."""
    known, found = gestures_of(stage_set), []
    chosen = list(gestures or known)
    own = {n: _gesture_m_s(stage_set, n) for n in known if n in (*chosen, "wave", "celebrate")}
    for name in chosen:
        other, lasts_s = "wave" if name != "wave" else "celebrate", known[name].duration_s
        at_s = min(known[name].anchors.get("stroke", 0.5) + 0.3, 0.8 * lasts_s)
        kinds: dict[str, tuple[Message, ...]] = {
            "stopped": (StopAnimation(),),
            "ordered again": (PlayAnimation(animation=name),),
            f"{other} instead": (PlayAnimation(animation=other),),
            "a release": (messages.EmergencyStop(),),
            "its end": (),
            "a start": (),
            "layer off": (messages.SetLayer(layer="gestures", active=False, fade_s=0.0),),
            "let go": (messages.HoldJoints(joints_rad={}, blend_s=0.3),),
        }
        for kind, orders in kinds.items():
            until_s = lasts_s - 0.2 if kind == "its end" else at_s
            play = PlayAnimation(animation=name)
            peak_m_s = _peak_m_s(stage_set, kind, play, until_s, orders)
            own_m_s = max(own[name], own.get(other, 0.0) if "instead" in kind else 0.0)
            found.append(Seam(kind, name, peak_m_s, max(FREE_M_S, OVER_OWN * own_m_s)))
    there, tree = messages.Direction(horizontal_deg=40.0, vertical_deg=20.0), stage_set.body.tree
    lifted: dict[str, tuple[Message, Message]] = {
        "pointed": (Point(direction=there, hold_s=20.0), Point(direction=there, hold_s=0.0))
    }
    if "right_hand" in tree.end_points:
        x, y, z = tree.pose(tree.neutral, "right_hand").position_m.tolist()
        up = messages.Position(x_m=x, y_m=y + 0.2, z_m=z + 0.2)
        lifted["reached"] = (
            messages.MoveHand(hand="right", place=up, hold_s=20.0),
            messages.MoveHand(hand="right"),
        )
    for kind, (first, then) in lifted.items():
        found.append(Seam(kind, "", _peak_m_s(stage_set, kind, first, 3.0, (then,)), FREE_M_S))
    return found


def _peak_m_s(
    stage_set: StageSet, kind: str, first: Message, until_s: float, orders: Iterable[Message]
) -> float:
    """The highest speed from the orders on that cut something short."""
    actor = Actor(stage_set)
    actor.run(START_S)
    before = actor.do_and_run(until_s, first)[-1:]
    pose = own_of(actor.body, before[0])
    if kind == "a start":
        actor = Actor(stage_set, start=pose)
    if kind == "let go":
        held = {joint: pose[joint] for joint in actor.body.joints}
        actor.do(messages.HoldJoints(joints_rad=held, blend_s=0.0), StopAnimation(fade_s=0.0))
        before = actor.run(1.8)[-1:]
    actor.do(*orders)
    if kind == "a release":
        actor.animator.engine.start_from(pose)
    return hands_m_s(actor.body, np.vstack([before, actor.run(2.5)]), actor.step_s)


def _gesture_m_s(stage_set: StageSet, name: str) -> float:
    actor = Actor(stage_set)
    actor.run(START_S)
    lasts_s = gestures_of(stage_set)[name].duration_s - 0.2
    frames = actor.do_and_run(lasts_s, PlayAnimation(animation=name))
    return hands_m_s(actor.body, frames, actor.step_s)


class Nod(NamedTuple):
    """A nod or a shake, and the share of its written swing that is left."""

    gesture: str
    situation: str
    share: float

    @property
    def kept(self) -> bool:
        return self.share >= KEPT_SHARE


def measure_nods(stage_set: StageSet) -> list[Nod]:
    """What is left of nods in every situation; nothing on a body that shows none."""
    found, repertoire = [], stage_set.repertoire()
    body, neutral = without_limits(stage_set.body), repertoire.postures.get("neutral")
    for name in (each for each in _NODS if each in repertoire.animations):
        written = perform(body, repertoire.animation(name), neutral).frames
        swing_deg = _swing_deg(name, axes_of(body, written))
        for situation, about in SITUATIONS.items() if swing_deg >= _SEEN_DEG else ():
            rests, late_s = (about, 0.0) if isinstance(about, tuple) else (SHIFT_DEG[0], about)
            actor, nod = Actor(stage_set), PlayAnimation(animation=name)
            actor.do_and_run(START_S, looking(*rests))
            orders: list[Message] = [nod] if rests is about else [nod, looking(*SHIFT_DEG[1])]
            first, *then = reversed(orders) if late_s < 0.0 else orders
            frames = [actor.do_and_run(abs(late_s), first), actor.do_and_run(3.0, *then)]
            share = _swing_deg(name, axes_of(actor.body, np.vstack(frames))) / swing_deg
            found.append(Nod(name, situation, share))
    return found


def _swing_deg(name: str, axes: FloatArray) -> float:
    x, y, z = axes.T
    across, up = np.unwrap(np.arctan2(x, z)), np.arcsin(np.clip(y, -1.0, 1.0))
    return nodding(np.degrees((across, up)[_NODS[name]]), _TREMBLING_DEG)

"""A body at the program that ships, without a bus: orders in, frames out, and where it is then.

Units and frames: frames are rows of the body's own channels (radians; shares of lights and lids);
metres, in the frame of the body's base. Threading: one owner.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sera.animation.animator import Animator
from sera.animation.assets.animation import Animation
from sera.animation.assets.sides import authored
from sera.animation.body import Body
from sera.animation.stage_set import StageSet
from sera.evaluation.motion._face import Face
from sera.evaluation.motion.traces import peak_speed
from sera.messages import Direction, Gaze, Message

FloatArray = NDArray[np.float64]
START_S = 3.5
"""After which every body stands in its posture."""
IDLE = ("blink", "breathe", "idle_look")


class Actor:
    """One body under orders."""

    def __init__(self, stage_set: StageSet, start: Mapping[str, float] | None = None) -> None:
        self.animator = Animator(stage_set.program(), start=start)
        self.body, self.step_s, self.time_s = stage_set.body, self.animator.engine.step_s, 0.0

    def do(self, *messages: Message) -> bool:
        """Order something; False if this body cannot."""
        try:
            for message in messages:
                self.animator.handle(message, f"{self.time_s:.3f} {type(message).__name__}")
        except (LookupError, ValueError):
            return False
        return True

    def run(self, seconds: float) -> FloatArray:
        """The frames (n, own channels) of so many seconds."""
        frames = [list(self.animator.step().values()) for _ in range(round(seconds / self.step_s))]
        self.time_s += seconds
        return np.array(frames).reshape(-1, len(self.body.own))

    def do_and_run(self, seconds: float, *messages: Message) -> FloatArray:
        self.do(*messages)
        return self.run(seconds)


def looking(horizontal_deg: float, vertical_deg: float) -> Gaze:
    """The order to look there, however often round."""
    wrapped = (horizontal_deg + 180.0) % 360.0 - 180.0
    return Gaze(direction=Direction(horizontal_deg=wrapped, vertical_deg=vertical_deg))


def gestures_of(stage_set: StageSet) -> dict[str, Animation]:
    """What was authored to be seen."""
    animations = stage_set.repertoire().animations
    return {name: animations[name] for name in sorted(authored(animations)) if name not in IDLE}


def own_of(body: Body, frame: FloatArray) -> dict[str, float]:
    """Values by channel."""
    return dict(zip(body.own, frame.tolist(), strict=True))


def joints_of(body: Body) -> FloatArray:
    """One for each own channel that is a joint, else zero."""
    return np.array([float(name in body.joints) for name in body.own])


def angles_of(body: Body, frame: FloatArray) -> FloatArray:
    """What the tree of a body takes."""
    own, moving = own_of(body, frame), body.tree.joint_names
    return body.tree.angles_of({name: own[name] for name in body.joints if name in moving})


def hands_of(body: Body) -> list[str]:
    """End points that gestures move: hands, on a body without any its face."""
    hands = [name for name in body.tree.end_points if "hand" in name]
    return hands or [Face(body).end_point]


def places_m(body: Body, frames: FloatArray, end_point: str) -> FloatArray:
    """Where an end point is (n, 3)."""
    poses = [body.tree.pose(angles_of(body, frame), end_point) for frame in frames]
    return np.array([pose.position_m for pose in poses]).reshape(-1, 3)


def axes_of(body: Body, frames: FloatArray) -> FloatArray:
    """Where the face looks (n, 3)."""
    face = Face(body)
    return np.array([face.look(own_of(body, frame))[1] for frame in frames]).reshape(-1, 3)


def hands_m_s(body: Body, frames: FloatArray, step_s: float) -> float:
    """The highest speed of any hand."""
    return max(peak_speed(places_m(body, frames, hand), step_s) for hand in hands_of(body))

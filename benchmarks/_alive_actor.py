"""A body at the program that ships, without a bus: orders in, frames out, and where it is then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bus import ROOT
from sera.animation.animator import Animator
from sera.animation.body import Body
from sera.animation.stage_set import StageSet
from sera.evaluation.motion import Face
from sera.evaluation.motion.traces import axis_of
from sera.messages import Message
from sera.runtime.scaffold import new_robot

FloatArray = NDArray[np.float64]
URDFS = Path(__file__).with_name("alive_bodies")
FACES = ("head", "face", "gaze", "tip")


def make_urdf_robots(workspace: Path) -> dict[str, Path]:
    """Bodies as the project itself makes them of URDF files that nobody has touched up."""
    (workspace / "sera.toml").touch()
    return {
        urdf.stem: new_robot(workspace, urdf.stem, urdf).path
        for urdf in sorted(URDFS.glob("*.urdf"))
    }


def shipped_robots() -> dict[str, Path]:
    return {file.parent.name: file.parent for file in sorted(Path(ROOT).glob("robots/*/body.toml"))}


class Actor:
    """One body; frames are kept until they are taken."""

    def __init__(
        self, folder: Path, *, seed: int = 1, start: Mapping[str, float] | None = None
    ) -> None:
        self.stage_set = StageSet.find(folder, (Path(ROOT),), seed=seed)
        self.animator = Animator(self.stage_set.program(), start=start)
        self.body = self.stage_set.body
        self.names = list(self.body.own)
        self.step_s = self.animator.engine.step_s
        self.time_s = 0.0

    def do(self, *messages: Message) -> bool:
        """Order something; False where this body cannot."""
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
        return np.array(frames).reshape(-1, len(self.names))

    def do_and_run(self, seconds: float, *messages: Message) -> FloatArray:
        self.do(*messages)
        return self.run(seconds)

    def pose(self, frame: FloatArray) -> dict[str, float]:
        return dict(zip(self.names, frame.tolist(), strict=True))

    @property
    def joint_columns(self) -> list[int]:
        return [self.names.index(name) for name in self.body.joints]


def angles_of(body: Body, own: Mapping[str, float]) -> FloatArray:
    """What the tree of a body takes, for values of own channels."""
    moving = body.tree.joint_names
    return body.tree.angles_of({name: own[name] for name in body.joints if name in moving})


def places_m(actor: Actor, frames: FloatArray, end_point: str) -> FloatArray:
    """Where an end point is (n, 3)."""
    return np.array(
        [
            actor.body.tree.pose(angles_of(actor.body, actor.pose(frame)), end_point).position_m
            for frame in frames
        ]
    ).reshape(-1, 3)


def hands_of(body: Body) -> list[str]:
    """End points that gestures move: hands, on a body without any its head."""
    hands = [name for name in body.tree.end_points if "hand" in name]
    return hands or [face_of(body)]


def face_of(body: Body) -> str:
    """The end point that looks."""
    chain = next((each for each in body.chains if each.aims == "Gazing"), None)
    if chain is not None:
        return chain.end_point
    return next(name for name in FACES if name in body.tree.end_points)


def axes_of(body: Body, frames: list[dict[str, float]]) -> FloatArray:
    """Where the face looks (n, 3), in the frame of the body's base."""
    face = Face(body)
    return np.array([axis_of(*face.looks_at_deg(own)) for own in frames]).reshape(-1, 3)

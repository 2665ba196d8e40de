"""Bodies that feel while they work, offline: orders go in, frames come out."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sera.animation.animator import Animator
from sera.animation.assets.repertoire import Repertoire
from sera.animation.expression import NullSpaceStage
from sera.animation.stage_set import StageSet
from sera.emotion import PAD
from sera.kinematics.rotations import rotate
from sera.messages import (
    Direction,
    Gaze,
    HandMoved,
    MoveHand,
    Pad,
    PlayAnimation,
    Position,
    SetEmotion,
    SetLayer,
)

ROOT = Path(__file__).parents[3]
FloatArray = NDArray[np.float64]


@cache
def stage_set(robot: str, second_stage: str | None = None) -> StageSet:
    return StageSet.find(ROOT / "robots" / robot, (ROOT,), second_stage=second_stage)


class Player:
    """One body at its program. Without idle life, so that runs can be compared."""

    def __init__(
        self,
        robot: str = "pepper",
        *,
        rate_hz: float = 50.0,
        life: bool = False,
        second_stage: str | None = None,
    ) -> None:
        self.robot, self.rate_hz = robot, rate_hz
        self.faults: list[str] = []
        self.animator = Animator(
            stage_set(robot, second_stage).program(),
            rate_hz=rate_hz,
            on_fault=lambda *said: self.faults.append(" ".join(said)),
        )
        self.body = self.animator.program.body
        self.tree = self.body.tree
        if not life:
            self.animator.handle(SetLayer(layer="life", active=False, fade_s=0.0))

    @property
    def stage(self) -> NullSpaceStage:
        stages = self.animator.engine.stages
        return next(stage for stage in stages if isinstance(stage, NullSpaceStage))

    @property
    def repertoire(self) -> Repertoire:
        return stage_set(self.robot).repertoire()

    def feel(self, emotion: PAD | str, blend_s: float = 1.0) -> None:
        if isinstance(emotion, str):
            self.animator.handle(SetEmotion(name=emotion, blend_s=blend_s), "feel")
            return
        pleasure, arousal, dominance = emotion.values
        pad = Pad(pleasure=pleasure, arousal=arousal, dominance=dominance)
        self.animator.handle(SetEmotion(pad=pad, blend_s=blend_s), "feel")

    def look(self, horizontal_deg: float, vertical_deg: float = 0.0) -> None:
        way = Direction(horizontal_deg=horizontal_deg, vertical_deg=vertical_deg)
        self.animator.handle(Gaze(direction=way), "look")

    def play(self, gesture: str = "wave") -> None:
        self.animator.handle(PlayAnimation(animation=gesture), "play")

    def bring(self, hand: str, place_m: FloatArray | None, token: str = "hand", **more) -> None:
        place = None
        if place_m is not None:
            x, y, z = (float(each) for each in place_m)
            place = Position(x_m=x, y_m=y, z_m=z)
        self.animator.handle(MoveHand(hand=hand, place=place, **more), token)

    def exchange(self) -> None:
        """Go on with the same program, read anew."""
        self.animator.exchange(stage_set(self.robot).program())

    def run(self, seconds: float) -> FloatArray:
        """(frames, own channels) what leaves the engine."""
        count = round(seconds * self.rate_hz)
        return np.array([list(self.animator.step().values()) for _ in range(count)])

    def moved(self, seconds: float) -> tuple[FloatArray, list[HandMoved]]:
        """The frames, and the orders to hands that ended in them."""
        frames, told = [], []
        for _ in range(round(seconds * self.rate_hz)):
            frames.append(list(self.animator.step().values()))
            told += self.animator.hands_moved()
        return np.array(frames), told

    # -- what the frames mean ---------------------------------------------------------------

    def columns(self, joints) -> list[int]:
        names = list(self.body.own)
        return [names.index(joint) for joint in joints]

    def angles(self, frames: FloatArray) -> FloatArray:
        """(frames, joints) in the order of the tree."""
        return np.atleast_2d(frames)[:, self.columns(self.tree.joint_names)]

    def arm(self, frames: FloatArray, side: str) -> FloatArray:
        return frames[:, self.columns(self.stage.profile.hand(side).joints)]

    def hand(self, frames: FloatArray, side: str = "right") -> FloatArray:
        """(frames, 3) where a hand is."""
        end = self.stage.profile.hand(side).end_point
        return np.array([self.tree.pose(row, end).position_m for row in self.angles(frames)])

    def turn(self, frames: FloatArray, side: str = "right") -> FloatArray:
        """(frames, 4) how a hand is turned."""
        end = self.stage.profile.hand(side).end_point
        return np.array([self.tree.pose(row, end).orientation_wxyz for row in self.angles(frames)])

    def gaze_deg(self, frames: FloatArray) -> FloatArray:
        """(frames, 2) where the head looks: to the robot's right and upwards, as orders say it."""
        head = self.stage.profile.head
        assert head is not None
        seen = []
        for row in self.angles(frames):
            turn = self.tree.pose(row, head.end_point).orientation_wxyz
            left, up, ahead = np.asarray(rotate(turn, head.axis)).tolist()
            seen.append((math.degrees(-math.atan2(left, ahead)), math.degrees(math.asin(up))))
        return np.array(seen)


@pytest.fixture
def player() -> Callable[..., Player]:
    return Player

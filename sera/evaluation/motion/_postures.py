"""Expressions can be told apart, wherever the body looks.

Design overview: an onlooker sees where the face points and where the joints are. Each expression
is held while the gaze goes over a grid of directions; for each pose, the shape that every
expression would have at that pitch is interpolated from a few examples (joint places in a frame
that turns with the gaze), and the nearest one is the answer. Examples and tests share no
direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sera.animation.engine import Aiming
from sera.animation.stage_set import StageSet

FloatArray = NDArray[np.float64]
EXPRESSIONS = ("hot", "neutral", "cold")
_EXAMPLE_YAWS_DEG = (-55.0, -5.0, 45.0)


@dataclass(frozen=True)
class PosturesResult:
    """How many poses were recognised."""

    robot: str
    right: int
    tried: int

    @property
    def share(self) -> float:
        return self.right / self.tried


def measure_postures(
    stage_set: StageSet,
    expressions: tuple[str, ...] = EXPRESSIONS,
    *,
    step_deg: float = 10.0,
) -> PosturesResult:
    """Tell expressions apart over yaw ±70° and pitch 0 to 80°; from examples between the tests."""
    pitches_deg = np.arange(0.0, 80.1, 20.0)
    examples = {
        name: np.mean(
            [_shapes(stage_set, name, _grid([yaw], pitches_deg)) for yaw in _EXAMPLE_YAWS_DEG],
            axis=0,
        )
        for name in expressions
    }
    tests_deg = _grid(np.arange(-70.0, 70.1, step_deg), np.arange(0.0, 80.1, step_deg))
    right = 0
    for name in expressions:
        for (_, pitch_deg), seen in zip(
            tests_deg, _shapes(stage_set, name, tests_deg), strict=True
        ):
            apart = {
                other: float(np.square(_at(pitch_deg, pitches_deg, shapes) - seen).sum())
                for other, shapes in examples.items()
            }
            right += min(apart, key=apart.__getitem__) == name
    return PosturesResult(stage_set.body.name, right, len(expressions) * len(tests_deg))


def _at(pitch_deg: float, pitches_deg: FloatArray, shapes: FloatArray) -> FloatArray:
    """The shape between two examples."""
    return np.array([np.interp(pitch_deg, pitches_deg, column) for column in shapes.T])


def _grid(yaws: Iterable[float], pitches: Iterable[float]) -> list[tuple[float, float]]:
    pitches = list(pitches)
    return [(float(yaw), float(pitch)) for yaw in yaws for pitch in pitches]


def _shapes(
    stage_set: StageSet, posture: str, directions_deg: list[tuple[float, float]]
) -> FloatArray:
    """What can be seen of a posture in each direction: joint places, seen from the side."""
    body = stage_set.body
    held = body.resolve(dict(stage_set.repertoire().posture(posture).values))
    chain = next(each for each in body.chains if each.aims == "Gazing")
    rows = []
    for yaw_deg, pitch_deg in directions_deg:
        aiming = Aiming(body, chain)
        pose = {name: held[name] for name in aiming.joints}
        pose |= aiming.aim(pose, math.radians(yaw_deg), math.radians(pitch_deg))
        kinematics = body.tree.chain(chain.end_point)
        places = kinematics.joint_positions_m(np.array([pose[n] for n in kinematics.joint_names]))
        across = math.radians(yaw_deg)
        forward = places @ np.array([-math.sin(across), 0.0, math.cos(across)])
        sideways = places @ np.array([math.cos(across), 0.0, math.sin(across)])
        rows.append(np.concatenate([forward[1:], places[1:, 1], sideways[1:]]))
    return np.array(rows)

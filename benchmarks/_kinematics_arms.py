"""Arms of the kinematics benchmark, each as three libraries know it, checked to be the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio
import roboticstoolbox

from sera.kinematics.chain import Chain
from sera.kinematics.joints import Joint
from sera.kinematics.rotations import from_matrix, to_matrix


class Arm:
    """One arm as each of the three libraries knows it."""

    def __init__(self, name: str, ets: Any) -> None:
        self.name = name
        self.ets = ets
        self.chain, points_m, axes, tip = _chain_of(ets, name)
        self.model = _pinocchio_model(self.chain, points_m, axes, tip)
        self.data = self.model.createData()
        self.lower, self.upper = self.chain.lower_rad, self.chain.upper_rad
        self._check()

    def random_angles(self, generator: np.random.Generator) -> np.ndarray:
        return generator.uniform(self.lower, self.upper)

    def _check(self) -> None:
        """All three agree about where the arm is."""
        generator = np.random.default_rng(1)
        for _ in range(20):
            angles = self.random_angles(generator)
            pose = self.chain.pose(angles)
            other = np.asarray(self.ets.fkine(angles).A)
            pinocchio.framesForwardKinematics(self.model, self.data, angles)
            third = self.data.oMf[self.model.getFrameId("tip")]
            assert np.allclose(other[:3, 3], pose.position_m, atol=1e-9)
            assert np.allclose(third.translation, pose.position_m, atol=1e-9)
            assert np.allclose(other[:3, :3], to_matrix(pose.orientation_wxyz), atol=1e-9)
            assert np.allclose(third.rotation, other[:3, :3], atol=1e-9)


def panda() -> Arm:
    """Seven joints."""
    return Arm("Panda (7)", roboticstoolbox.models.Panda().ets())


def puma() -> Arm:
    """Six joints with limits, some wider than a turn."""
    return Arm("Puma 560 (6)", roboticstoolbox.models.DH.Puma560().ets())


def ur5() -> Arm:
    """Six joints of one turn each."""
    return Arm("UR5 (6)", roboticstoolbox.models.DH.UR5().ets())


def _chain_of(ets: Any, name: str) -> tuple[Chain, np.ndarray, np.ndarray, np.ndarray]:
    """The arm in its zero pose: chain, places of joints and tip, axes, and the tip's rotation."""
    frame = np.eye(4)
    axes, points = [], []
    for step in ets:
        if step.isjoint:
            assert step.kind.startswith("R"), "only arms that turn"
            sign = -1.0 if step.isflip else 1.0
            axes.append(sign * frame[:3, "xyz".index(step.kind[1].lower())])
            points.append(frame[:3, 3].copy())
        else:
            frame = frame @ np.asarray(step.A())
    points.append(frame[:3, 3].copy())
    places = np.array(points)
    lower, upper = ets.qlim
    joints = [
        Joint(
            f"joint_{index + 1}",
            axis=tuple(axis),
            origin_m=tuple(places[index] - (places[index - 1] if index else 0.0)),
            lower=float(lower[index]),
            upper=float(upper[index]),
        )
        for index, axis in enumerate(axes)
    ]
    tip = frame[:3, :3]
    chain = Chain(joints, places[-1] - places[-2], from_matrix(tip).tolist(), name)
    return chain, places, np.array(axes), tip


def _pinocchio_model(chain: Chain, points_m: np.ndarray, axes: np.ndarray, tip: np.ndarray) -> Any:
    model = pinocchio.Model()
    parent = 0
    free = np.full(1, 1e3)
    for index, joint in enumerate(chain.joints):
        offset = points_m[index] - (points_m[index - 1] if index else 0.0)
        parent = model.addJoint(
            parent,
            pinocchio.JointModelRevoluteUnaligned(axes[index]),
            pinocchio.SE3(np.eye(3), offset),
            joint.name,
            free,
            free,
            np.full(1, joint.lower),
            np.full(1, joint.upper),
        )
    placement = pinocchio.SE3(tip, points_m[-1] - points_m[-2])
    model.addFrame(pinocchio.Frame("tip", parent, placement, pinocchio.FrameType.OP_FRAME))
    return model

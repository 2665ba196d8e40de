"""The same three tasks as a quadratic programme: pink on pinocchio, which weighs what we rank.

The document's Pepper is rebuilt as a pinocchio model from the same joints. Hand, head and posture
are tasks of one programme with limits of joints and speeds; their order is said by weights. One
step is timed as pink's own examples take it: update the configuration, solve, integrate.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pink
import pinocchio as pin
from pink.tasks import FrameTask, PostureTask

from sera.evaluation.emotion.document_pepper import PLATFORM, in_tree, wave_rad
from sera.kinematics.joints import JointKind
from sera.kinematics.tree import Tree

STEP_S = 0.01


def model_of(tree: Tree) -> Any:
    """The tree as a pinocchio model, with frames for its end points."""
    model = pin.Model()
    numbers: dict[str | None, int] = {None: 0}
    for joint in tree.joints:
        quaternion = pin.Quaternion(*_xyzw(joint.origin_wxyz))
        place = pin.SE3(quaternion.matrix(), np.array(joint.origin_m))
        axis = np.array(joint.axis)
        kind = (
            pin.JointModelPrismaticUnaligned(axis)
            if joint.kind is JointKind.PRISMATIC
            else pin.JointModelRevoluteUnaligned(axis)
        )
        fastest = min(joint.velocity_limit, 100.0)
        numbers[joint.name] = model.addJoint(
            numbers[joint.parent], kind, place, joint.name, np.array([1000.0]),
            np.array([fastest]), np.array([joint.lower]), np.array([joint.upper]),
        )  # fmt: skip
        model.appendBodyToJoint(numbers[joint.name], pin.Inertia.Zero(), pin.SE3.Identity())
    for name, end in tree.end_points.items():
        offset = pin.SE3(pin.Quaternion(*_xyzw(end.offset_wxyz)).matrix(), np.array(end.offset_m))
        parent = numbers[end.joint]
        model.addFrame(pin.Frame(name, parent, 0, offset, pin.FrameType.OP_FRAME))
    return model


def _xyzw(wxyz: Any) -> tuple[float, float, float, float]:
    w, x, y, z = wxyz
    return float(w), float(x), float(y), float(z)


def pink_step_us(tree: Tree, seconds: float) -> list[float]:
    """Microseconds of each step along the wave."""
    model = model_of(tree)
    data = model.createData()
    order = [tree.joint_names.index(name) for name in list(model.names)[1:]]

    def placed(angles: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(angles)[order]

    configuration = pink.Configuration(model, data, placed(in_tree(tree, wave_rad(0.0))))
    hand = FrameTask("right_wrist", position_cost=100.0, orientation_cost=100.0)
    head = FrameTask("head", position_cost=0.0, orientation_cost=1.0)
    posture = PostureTask(cost=0.01)
    tasks = [hand, head, posture]
    took = []
    locked = [list(model.names).index(name) - 1 for name in PLATFORM]
    targets = []
    for number in range(round(seconds / STEP_S)):
        wanted = in_tree(tree, wave_rad((number + 1) * STEP_S))
        pose = tree.pose(wanted, "right_wrist")
        w, x, y, z = pose.orientation_wxyz.tolist()
        targets.append((wanted, pin.SE3(pin.Quaternion(w, x, y, z).matrix(), pose.position_m)))
    for wanted, target in targets:
        hand.set_target(target)
        head.set_target(configuration.get_transform_frame_to_world("head"))
        posture.set_target(placed(wanted))
        began_s = time.perf_counter()
        velocity = pink.solve_ik(configuration, tasks, STEP_S, solver="daqp")
        velocity[locked] = 0.0
        configuration.integrate_inplace(velocity, STEP_S)
        took.append((time.perf_counter() - began_s) * 1e6)
    return took

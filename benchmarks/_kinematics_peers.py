"""Inverse kinematics beside its peers, in one run on the same targets and the same arms.

Peers are the Robotics Toolbox's Levenberg-Marquardt solver (C++) and closed-loop inverse
kinematics on pinocchio. The latter has no solver of its own: the loop is written in Python after
pinocchio's example, with the same restarts and limits, and its time is mostly Python's.

All three get the same targets (poses of random angles within the limits, hence reachable), the
same tolerance, up to 100 random starts each, and take turns target by target, so that a busy
machine slows all alike. A solution counts when it is within the limits and the chain's own forward
kinematics puts it within the tolerance, whatever the solver says.

Paths are poses of smooth joint motions, each step solved from the last solution: the largest
change of a joint between two steps shows whether a solver stays on its branch. The motion itself
changes no joint by more than the figure beside it. Small motions stay clear of the limits. Wide
ones pass singular poses and come near the limits, where a solver without foresight has to change
its branch now and then; these changes (more than 30° in one step) are counted.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
import pinocchio
import roboticstoolbox

from sera.kinematics.chain import Chain
from sera.kinematics.inverse import solve_pose
from sera.kinematics.joints import Joint
from sera.kinematics.pose import Pose
from sera.kinematics.rotations import angle_between, from_matrix, to_matrix

SEARCHES = 100
TOLERANCE = 1e-6
"""Metres and radians."""
SLACK = 2.0
"""The toolbox bounds the sum of both squares: it may be off by √2 in one of them."""
PATH_STEPS = 200
SMALL, WIDE = 0.06, 0.25
"""How far a path goes to either side of its middle, as a part of each joint's range."""
CHANGE_DEG = 30.0


class PeerRow(NamedTuple):
    """One solver on one arm."""

    arm: str
    solver: str
    targets: int
    success_percent: float
    p50_us: float
    p99_us: float
    path_steps: int
    path_p50_us: float
    path_misses: int
    largest_jump_deg: float
    true_jump_deg: float  # of the motion that the path was made from
    wide_misses: int
    wide_changes: int


class Path(NamedTuple):
    """How one solver followed the poses of one joint motion."""

    misses: int
    jumps_deg: np.ndarray  # one for each step but the first
    true_jump_deg: float
    seconds: list[float]


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


class Ours:
    """This project's solver, through its public function."""

    name = "SERA solve_pose"

    def __init__(self, arm: Arm) -> None:
        self._chain = arm.chain
        self._generator = np.random.default_rng(7)

    def prepare(self, target: Pose) -> None:
        """Bring a target into the form that the library takes, off the clock."""
        self._target = target

    def solve(self, start: np.ndarray | None) -> np.ndarray:
        return solve_pose(
            self._chain,
            self._target,
            start,
            position_tolerance_m=TOLERANCE,
            orientation_tolerance_rad=TOLERANCE,
            restarts=SEARCHES - 1,
            generator=self._generator,
        ).angles_rad


class Toolbox:
    """The Robotics Toolbox: Levenberg-Marquardt in C++ with its own defaults."""

    name = "roboticstoolbox ik_LM (C++)"

    def __init__(self, arm: Arm) -> None:
        self._ets = arm.ets

    def prepare(self, target: Pose) -> None:
        self._target = np.eye(4)
        self._target[:3, :3] = to_matrix(target.orientation_wxyz)
        self._target[:3, 3] = target.position_m

    def solve(self, start: np.ndarray | None) -> np.ndarray:
        found = self._ets.ik_LM(self._target, q0=start, slimit=SEARCHES, tol=TOLERANCE**2)
        return np.asarray(found.q)


class Clik:
    """Closed-loop inverse kinematics on pinocchio, after its example, driven from Python."""

    name = "pinocchio CLIK (Python loop)"
    damping = 1e-6
    gain = 0.7
    iterations = 60

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._frame = arm.model.getFrameId("tip")
        self._generator = np.random.default_rng(8)
        self._ridge = self.damping * np.eye(6)

    def prepare(self, target: Pose) -> None:
        self._target = pinocchio.SE3(to_matrix(target.orientation_wxyz), target.position_m)

    def solve(self, start: np.ndarray | None) -> np.ndarray:
        for search in range(SEARCHES):
            angles = start if search == 0 and start is not None else self._draw()
            angles, arrived = self._descend(angles)
            if arrived:
                break
        return angles

    def _draw(self) -> np.ndarray:
        return self._arm.random_angles(self._generator)

    def _descend(self, angles: np.ndarray) -> tuple[np.ndarray, bool]:
        model, data = self._arm.model, self._arm.data
        for _ in range(self.iterations):
            pinocchio.framesForwardKinematics(model, data, angles)
            off = data.oMf[self._frame].actInv(self._target)
            error = pinocchio.log6(off).vector
            if np.linalg.norm(error) < TOLERANCE:
                return angles, True
            jacobian = pinocchio.computeFrameJacobian(
                model, data, angles, self._frame, pinocchio.ReferenceFrame.LOCAL
            )
            jacobian = pinocchio.Jlog6(off.inverse()) @ jacobian
            step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + self._ridge, error)
            angles = pinocchio.integrate(model, angles, self.gain * step)
            angles = np.clip(angles, self._arm.lower, self._arm.upper)
        return angles, False


Peer = Ours | Toolbox | Clik
PEERS = (Ours, Toolbox, Clik)


def measure(arm: Arm, targets: int, paths: int, seed: int = 0) -> list[PeerRow]:
    """One row for each solver; the Python loop gets a fifth of the targets and of the paths."""
    peers = [peer(arm) for peer in PEERS]
    generator = np.random.default_rng(seed)
    poses = [arm.chain.pose(arm.random_angles(generator)) for _ in range(targets)]
    share = {peer.name: 5 if isinstance(peer, Clik) else 1 for peer in peers}
    for peer in peers:  # compiling and first calls are not counted
        peer.prepare(poses[0])
        peer.solve(None)
    seconds: dict[str, list[float]] = {peer.name: [] for peer in peers}
    hits = dict.fromkeys(seconds, 0)
    for number, pose in enumerate(poses):
        for peer in peers:
            if number % share[peer.name]:
                continue
            peer.prepare(pose)
            begun = time.perf_counter()
            angles = peer.solve(None)
            seconds[peer.name].append(time.perf_counter() - begun)
            hits[peer.name] += _serves(arm, angles, pose)
    return [
        _row(arm, peer, seconds[peer.name], hits[peer.name], max(1, paths // share[peer.name]))
        for peer in peers
    ]


def _row(arm: Arm, peer: Peer, seconds: list[float], hits: int, paths: int) -> PeerRow:
    taken_us = 1e6 * np.array(seconds)
    small = [follow(arm, peer, seed, SMALL) for seed in range(paths)]
    wide = [follow(arm, peer, seed, WIDE) for seed in range(paths)]
    return PeerRow(
        arm=arm.name,
        solver=peer.name,
        targets=len(seconds),
        success_percent=100.0 * hits / len(seconds),
        p50_us=float(np.percentile(taken_us, 50)),
        p99_us=float(np.percentile(taken_us, 99)),
        path_steps=paths * PATH_STEPS,
        path_p50_us=1e6 * float(np.median([taken for path in small for taken in path.seconds])),
        path_misses=sum(path.misses for path in small),
        largest_jump_deg=max(float(path.jumps_deg.max()) for path in small),
        true_jump_deg=max(path.true_jump_deg for path in small),
        wide_misses=sum(path.misses for path in wide),
        wide_changes=sum(int((path.jumps_deg > CHANGE_DEG).sum()) for path in wide),
    )


def follow(arm: Arm, peer: Peer, seed: int, span: float) -> Path:
    """Follow the poses of one motion, step by step from the last solution."""
    motion = joint_motion(arm, seed, span)
    true_jump = float(np.degrees(np.abs(np.diff(motion, axis=0)).max()))
    angles = motion[0]
    misses, jumps, seconds = 0, [], []
    for true in motion[1:]:
        pose = arm.chain.pose(true)
        peer.prepare(pose)
        begun = time.perf_counter()
        found = peer.solve(angles)
        seconds.append(time.perf_counter() - begun)
        if _serves(arm, found, pose):
            jumps.append(np.degrees(np.abs(found - angles).max()))
            angles = found
        else:
            misses += 1
    return Path(misses, np.array(jumps), true_jump, seconds)


def joint_motion(arm: Arm, seed: int, span: float) -> np.ndarray:
    """Angles (steps, joints): each joint swings about a middle of its own, one to three times."""
    generator = np.random.default_rng(1000 + seed)
    count = arm.chain.dof
    extent = arm.upper - arm.lower
    # Middles keep twice the swing of small motions off the limits; wide ones have one middle.
    middles = arm.lower + extent * generator.uniform(0.5 - SMALL, 0.5 + SMALL, count)
    phases, turns = generator.uniform(0.0, math.tau, count), generator.uniform(1.0, 3.0, count)
    times = np.linspace(0.0, math.tau, PATH_STEPS)[:, None]
    return middles + span * extent * np.sin(phases + turns * times)


def _serves(arm: Arm, angles: np.ndarray, target: Pose) -> bool:
    """Within the limits and within the tolerance, by the chain's own forward kinematics."""
    if np.any(angles < arm.lower) or np.any(angles > arm.upper):
        return False
    pose = arm.chain.pose(angles)
    off = float(np.linalg.norm(pose.position_m - target.position_m))
    turned = float(angle_between(pose.orientation_wxyz, target.orientation_wxyz))
    return off <= SLACK * TOLERANCE and turned <= SLACK * TOLERANCE

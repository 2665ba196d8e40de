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
from typing import NamedTuple

import numpy as np
import pinocchio

from benchmarks._kinematics_arms import Arm, panda, puma, ur5
from sera.kinematics.baselines import PriorityDls
from sera.kinematics.chain import Chain
from sera.kinematics.inverse import solve_pose
from sera.kinematics.pose import Pose
from sera.kinematics.rotations import (
    angle_between,
    from_axis_angle,
    multiply,
    to_matrix,
)

SEARCHES = 100
TOLERANCE = 1e-6
"""Metres and radians."""
SLACK = 2.0
"""The toolbox bounds the sum of both squares: it may be off by √2 in one of them."""
PATH_STEPS = 200
SMALL, WIDE = 0.06, 0.25
"""How far a path goes to either side of its middle, as a part of each joint's range."""
CHANGE_DEG = 30.0
CLEAR_OF_SINGULAR = 0.04


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
    gain = 1.0
    iterations = 40

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
        path_steps=paths * (PATH_STEPS - 1),
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
    """Angles (steps, joints): each joint swings about a middle of its own, one to three times.

    Small motions are drawn again until they keep clear of singular poses.
    """
    generator = np.random.default_rng(1000 + seed)
    count = arm.chain.dof
    extent = arm.upper - arm.lower
    times = np.linspace(0.0, math.tau, PATH_STEPS)[:, None]
    while True:
        middles = arm.lower + extent * generator.uniform(0.3, 0.7, count)
        phases, turns = generator.uniform(0.0, math.tau, count), generator.uniform(1.0, 3.0, count)
        motion = middles + span * extent * np.sin(phases + turns * times)
        jacobians = [arm.chain.jacobian(angles) for angles in motion[::10]]
        clearance = min(float(np.linalg.svd(each)[1].min()) for each in jacobians)
        if span == WIDE or clearance > CLEAR_OF_SINGULAR:
            return motion


def _serves(arm: Arm, angles: np.ndarray, target: Pose) -> bool:
    """Within the limits and within the tolerance, by the chain's own forward kinematics."""
    if np.any(angles < arm.lower) or np.any(angles > arm.upper):
        return False
    pose = arm.chain.pose(angles)
    off = float(np.linalg.norm(pose.position_m - target.position_m))
    turned = float(angle_between(pose.orientation_wxyz, target.orientation_wxyz))
    return off <= SLACK * TOLERANCE and turned <= SLACK * TOLERANCE


class DlsRow(NamedTuple):
    """Two-priority damped least squares on skeleton C; the posture error is weighted by 0.2."""

    samples: int
    kept_percent: float  # what the document's filter leaves
    p50_us: float
    p99_us: float
    error: float
    orientation_error: float
    weighted_posture_error: float
    kept_error: float
    kept_orientation_error: float
    kept_weighted_posture_error: float


def measure_dls(samples: int = 4000, timed: int = 400, seed: int = 0) -> DlsRow:
    """Errors of all samples and of those that the document kept, and the time of one solve.

    Postures are uniform within the limits on the inner joints, targets uniform in yaw, pitch and
    twist. The document left out targets whose orientation error without the posture task was above
    three thresholds after 100 iterations.
    """
    chain = Chain.from_axes("YXXZY", limit_rad=math.pi / 2)
    generator = np.random.default_rng(seed)
    postures = np.zeros((samples, chain.dof))
    postures[:, 1:-1] = generator.uniform(-math.pi / 2, math.pi / 2, (samples, chain.dof - 2))
    yaw, pitch, twist = generator.uniform(-math.pi, math.pi, (3, samples))
    upright = (0.0, 1.0, 0.0)
    targets = multiply(
        multiply(from_axis_angle(upright, yaw), from_axis_angle((1.0, 0.0, 0.0), pitch)),
        from_axis_angle(upright, twist),
    )
    solver = PriorityDls(chain, max_iterations=400, flip_correction=True)
    bare = PriorityDls(chain, max_iterations=100, flip_correction=True, posture_task=False)
    found = solver.solve_batch(postures, targets)
    threshold = solver.hyperparameters.threshold
    kept = bare.solve_batch(postures, targets).orientation_error <= 3.0 * threshold
    seconds = []
    for posture, target in zip(postures[:timed], targets[:timed], strict=True):
        begun = time.perf_counter()
        solver.solve(posture, target)
        seconds.append(time.perf_counter() - begun)
    p50, p99 = np.percentile(1e6 * np.array(seconds), [50.0, 99.0])
    weight = solver.hyperparameters.posture_weight
    return DlsRow(
        samples=samples,
        kept_percent=100.0 * float(kept.mean()),
        p50_us=float(p50),
        p99_us=float(p99),
        error=float(found.error.mean()),
        orientation_error=float(found.orientation_error.mean()),
        weighted_posture_error=weight * float(found.posture_error.mean()),
        kept_error=float(found.error[kept].mean()),
        kept_orientation_error=float(found.orientation_error[kept].mean()),
        kept_weighted_posture_error=weight * float(found.posture_error[kept].mean()),
    )


def measure_peers(targets: int = 2000, paths: int = 10) -> list[PeerRow]:
    """Rows of all solvers on a seven-joint and two six-joint arms."""
    return [row for arm in (panda(), puma(), ur5()) for row in measure(arm, targets, paths)]


def table_of(rows: list[PeerRow]) -> list[str]:
    """The rows as lines of a Markdown table."""
    heads = (
        "arm", "solver", "targets", "success", "p50", "p99", "path p50", "path misses",
        "largest jump (motion)", "wide: misses, changes",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [
        f"| {row.arm} | {row.solver} | {row.targets} | {row.success_percent:.2f} % "
        f"| {row.p50_us:.0f} µs | {row.p99_us:.0f} µs | {row.path_p50_us:.0f} µs "
        f"| {row.path_misses} of {row.path_steps} "
        f"| {row.largest_jump_deg:.1f}° ({row.true_jump_deg:.1f}°) "
        f"| {row.wide_misses}, {row.wide_changes} |"
        for row in rows
    ]
    return lines


if __name__ == "__main__":
    print("\n".join(table_of(measure_peers())))
    print(measure_dls())

"""A neutral pose for an arm of which nothing is known but its joints and limits.

Design overview: the zero pose of an industrial arm is often stretched or folded. Poses are
weighed: the tip should look straight ahead, be in front of and above the base, in the plane of
symmetry, with room on both sides of every joint, and be able to look sideways and up and down from
there. Many are tried by chance, the best are polished joint by joint. The source of chance is
fixed, so that one URDF always gives one body.

Units and frames: radians, metres; Y up, forward +Z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sera.animation.newcomer._neutral_kernels import weigh_poses
from sera.kinematics.chain import Chain
from sera.kinematics.joints import JointKind

FloatArray = NDArray[np.float64]
_TRIALS = 1000
_POLISHED = 8
_ROUNDS = 6
_USUAL_DOF = 8
"""Longer chains have fewer trials, so that a snake is looked at as long as an arm."""
_STEPS_RAD = (0.5, 0.25, 0.12, 0.06, 0.03, 0.015)
_BENDS = 0.9


@dataclass(frozen=True, slots=True)
class Scales:
    """What a chain is measured by."""

    lower: FloatArray
    upper: FloatArray
    turns: NDArray[np.bool_]
    reach_m: float

    @classmethod
    def of(cls, chain: Chain) -> Scales:
        points = chain.joint_positions_m(chain.neutral)
        reach_m = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        free = [joint for joint in chain.joints if joint.has_angle]
        turns = np.array([joint.kind is not JointKind.PRISMATIC for joint in free])
        return cls(chain.lower_rad, chain.upper_rad, turns, max(reach_m, 1e-3))


def neutral_poses(chain: Chain, face: FloatArray, count: int = 3) -> list[FloatArray]:
    """Good neutral poses of a chain whose tip looks along `face` in its own frame, best first."""
    scales = Scales.of(chain)
    source = np.random.default_rng(20)
    effort = min(1.0, _USUAL_DOF / max(1, chain.dof))
    spread = source.uniform(size=(round(_TRIALS * effort), chain.dof))
    trials = [chain.neutral, 0.5 * (scales.lower + scales.upper)]
    trials += list(scales.lower + spread * (scales.upper - scales.lower))
    # Poses in the plane of symmetry look calm: half of the trials move only what bends in it.
    bends = np.abs(chain.jacobian(chain.neutral)[3]) > _BENDS
    trials += [np.where(bends, pose, chain.neutral) for pose in trials[2:]]
    costs = costs_of(chain, scales, face, np.array(trials)).tolist()
    weighed = sorted((cost, number) for number, cost in enumerate(costs))
    polished = [
        _polished(chain, scales, face, trials[number], cost)
        for cost, number in weighed[: max(count, round(_POLISHED * effort))]
    ]
    polished.sort(key=lambda entry: entry[0])
    return [_rounded(scales, pose) for _, pose in polished[:count]]


def costs_of(chain: Chain, scales: Scales, face: FloatArray, poses: FloatArray) -> FloatArray:
    """How far poses (n, dof) are from what a neutral one should be."""
    costs = np.empty(len(poses))
    lower, upper, turns, reach_m = scales.lower, scales.upper, scales.turns, scales.reach_m
    weigh_poses(*chain.kernel_arrays, lower, upper, turns, reach_m, face, poses, costs)
    return costs


def _polished(
    chain: Chain, scales: Scales, face: FloatArray, pose: FloatArray, cost: float
) -> tuple[float, FloatArray]:
    best = pose.copy()
    most = max(1, round(_ROUNDS * min(1.0, _USUAL_DOF / chain.dof)))
    for step_rad in _STEPS_RAD:
        improved = True
        rounds = 0
        while improved and rounds < most:
            improved, rounds = False, rounds + 1
            for joint in range(chain.dof):
                half = 0.5 * (scales.upper[joint] - scales.lower[joint])
                step = step_rad if scales.turns[joint] else step_rad * half
                for way in (step, -step):
                    trial = best.copy()
                    trial[joint] = min(
                        max(trial[joint] + way, scales.lower[joint]), scales.upper[joint]
                    )
                    found = float(costs_of(chain, scales, face, trial[np.newaxis])[0])
                    if found < cost - 1e-9:
                        best, cost, improved = trial, found, True
    return cost, best


def _rounded(scales: Scales, pose: FloatArray) -> FloatArray:
    """Whole degrees and millimetres, as people write them, within the limits."""
    whole = np.where(scales.turns, np.radians(np.round(np.degrees(pose))), np.round(pose, 3))
    return np.clip(whole, scales.lower, scales.upper)

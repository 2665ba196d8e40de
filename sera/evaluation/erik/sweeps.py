"""Sweeps of ERIK on skeleton C: a gaze all the way round, and a posture that changes under it.

Three postures are held while the target turns through a full circle, a degree a frame, at several
pitches (the document's Figures 7.11 and 7.13); and two orientations are held while the posture
shifts (Figure 7.12). What matters: no joint moves by more than a few degrees a frame, except
where the branch is left, and every such place is reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sera.evaluation.erik.skeletons import SKELETONS
from sera.kinematics._arrays import BoolArray, FloatArray
from sera.kinematics.chain import Chain
from sera.kinematics.erik import Solution, Solver
from sera.kinematics.rotations import from_axis_angle, multiply

POSTURES_DEG: dict[str, tuple[float, ...]] = {
    "upright": (0.0, 17.0, 17.0, 0.0, 0.0),
    "leaning": (0.0, -35.0, 70.0, 17.0, 0.0),
    "curled": (0.0, 57.0, -80.0, -35.0, 0.0),
}
PITCHES_DEG = (30.0, 60.0, 90.0, 120.0)
SHIFT_FRAMES = 60


@dataclass(frozen=True, slots=True)
class Sweep:
    """What the chain did, frame by frame."""

    title: str
    along: FloatArray  # (m,) what is swept: yaw in degrees, or the share of the shift
    angles_rad: FloatArray  # (m, n)
    errors: FloatArray  # (m,)
    orientation_errors: FloatArray  # (m,)
    switched: BoolArray  # (m,)
    targets_wxyz: FloatArray  # (m, 4)

    @property
    def largest_step_deg(self) -> float:
        """The largest move of a joint between two frames of one branch."""
        steps = np.degrees(np.abs(np.diff(self.angles_rad, axis=0)).max(axis=1))
        return float(steps[~self.switched[1:]].max(initial=0.0))

    @property
    def switches(self) -> int:
        return int(np.count_nonzero(self.switched))


def skeleton_chain() -> Chain:
    """Skeleton C, which has the shape of the robot Adelino."""
    return SKELETONS["C"].chain()


def facing(yaw_deg: float, pitch_deg: float) -> FloatArray:
    """An end point tilted by `pitch_deg` from straight up, towards `yaw_deg`."""
    return multiply(
        from_axis_angle((0.0, 1.0, 0.0), math.radians(yaw_deg)),
        from_axis_angle((1.0, 0.0, 0.0), math.radians(pitch_deg)),
    )


def yaw_sweep(posture: str, pitch_deg: float) -> Sweep:
    """A full circle, a degree a frame, with one posture held."""
    yaws = np.arange(-180.0, 181.0)
    posture_rad = np.radians(POSTURES_DEG[posture])
    return _follow(
        f"{posture}, pitch {pitch_deg:.0f}°",
        yaws,
        np.tile(posture_rad, (len(yaws), 1)),
        np.array([facing(yaw, pitch_deg) for yaw in yaws]),
    )


def posture_shift(first: str, second: str, yaw_deg: float, pitch_deg: float) -> Sweep:
    """One orientation held while the posture goes from one to another."""
    shares = np.linspace(0.0, 1.0, SHIFT_FRAMES + 1)
    begin, end = np.radians(POSTURES_DEG[first]), np.radians(POSTURES_DEG[second])
    return _follow(
        f"{first} to {second}, yaw {yaw_deg:.0f}°, pitch {pitch_deg:.0f}°",
        shares,
        begin + shares[:, None] * (end - begin),
        np.tile(facing(yaw_deg, pitch_deg), (len(shares), 1)),
    )


def _follow(title: str, along: FloatArray, postures: FloatArray, targets: FloatArray) -> Sweep:
    solver = Solver(skeleton_chain(), symmetric_endpoint=True)
    solutions: list[Solution] = []
    for posture, target in zip(postures, targets, strict=True):
        solutions.append(solver.solve(posture, target, solutions[-1] if solutions else None))
    return Sweep(
        title=title,
        along=along,
        angles_rad=np.array([solution.angles_rad for solution in solutions]),
        errors=np.array([solution.error for solution in solutions]),
        orientation_errors=np.array([solution.orientation_error for solution in solutions]),
        switched=np.array([solution.switched for solution in solutions]),
        targets_wxyz=targets,
    )

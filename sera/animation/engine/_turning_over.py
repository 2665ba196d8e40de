"""Turning over: how a chain goes from one branch of its poses to another one.

Design overview: a target that passes behind the robot, or an end of a joint, sometimes leaves no
way to go on but to stand quite differently. Between the two poses every joint could simply go at
its speed; the face would swing away from the target, through the front at worst. Instead the
joints are drawn to the new pose only in what the face leaves them free: it stays on the target
while the body turns over underneath. Where the face is in the way (the draw comes to nothing) it
gives way little by little, so that the new pose is always reached: after a neck that has come to
its end, the other way round is the only way. So it is between two targets.

Units and frames: radians; directions in the frame of the chain's base.
Threading: one owner.
Safety: a joint moves by no more than its share of a step, and stays within its limits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sera.animation.engine._turns import Vector, quaternion_of, turned
from sera.kinematics.chain import Chain

FloatArray = NDArray[np.float64]

_FASTEST_RAD_S = 2.0
"""A quick neck that whips round looks startled."""
_SPEED_SHARE = 0.9
"""Of the joints' speed, so that the motion filter is not left behind."""
_LEAST_PROGRESS = 0.1
"""Of a step: with less the face is in the way …"""
_GIVES_WAY = 0.05
"""… and this much of its hold goes with every such frame."""
_DAMPING = 1e-4
_NOTHING_FREE = 2
"""Joints that a direction takes: no more than these leave nothing to turn over with."""
_ROUNDS = 3
"""How often joints that come to their ends are left out, so that the others do their share."""


class TurningOver:
    """One chain on its way."""

    def __init__(self, chain: Chain, face: Vector, angles_rad: FloatArray, *, keeps: bool) -> None:
        """Begin at a pose; `keeps` says whether there is a target for the face to stay on."""
        self._chain, self._face = chain, face
        self._angles = angles_rad.copy()
        self._lower, self._upper = chain.lower_rad, chain.upper_rad
        self._speeds = np.minimum(_SPEED_SHARE * chain.velocity_limits, _FASTEST_RAD_S)
        self._hold = 1.0 if keeps and chain.dof > _NOTHING_FREE else 0.0
        """How firmly the face is kept on its target."""

    def step(
        self, goal_rad: FloatArray, direction: Vector, frame_s: float
    ) -> tuple[FloatArray, bool]:
        """The next angles (n,) on the way to a pose that faces a direction; whether it is there."""
        most = self._speeds * frame_s
        gap = goal_rad - self._angles
        steps = float(np.max(np.abs(gap) / most))
        if steps <= 1.0:
            return goal_rad, True
        way = self._kept_on_target(gap / steps, direction)
        way /= max(1.0, float(np.max(np.abs(way) / most)))
        before = self._angles
        self._angles = np.clip(before + way, self._lower, self._upper)
        left = goal_rad - self._angles
        if np.abs(left / most).sum() > np.abs(gap / most).sum() - _LEAST_PROGRESS:
            self._hold = max(0.0, self._hold - _GIVES_WAY)
        return self._angles, False

    def _kept_on_target(self, draw: FloatArray, direction: Vector) -> FloatArray:
        """The step nearest to `draw` that brings the face to the direction, joints' ends kept."""
        pose, jacobian = self._chain.pose_and_jacobian(self._angles)
        faces = np.array(turned(quaternion_of(pose.orientation_wxyz), self._face))
        moves = np.cross(jacobian[3:].T, faces).T
        off = np.array(direction) - faces
        least, most = self._lower - self._angles, self._upper - self._angles
        free = np.ones(len(draw))
        way = draw
        for _ in range(_ROUNDS):
            rows = moves * free
            square = rows @ rows.T + _DAMPING * np.eye(3)
            way = draw + rows.T @ np.linalg.solve(square, self._hold * (off - moves @ draw))
            beyond = (way < least) | (way > most)
            if not beyond.any():
                break
            draw = np.where(beyond, np.clip(way, least, most), draw)
            free[beyond] = 0.0
        return way

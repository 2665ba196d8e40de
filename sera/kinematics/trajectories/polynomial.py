"""Trajectories of joints that are polynomials of degree five from knot to knot.

Design overview: `PolynomialTrajectory` is what minimum-jerk movements and splines are made of. As
its pieces are polynomials, its largest velocity, acceleration and jerk are known exactly and not
only where it was sampled, so that limits can be kept for sure (`time_scaling`).

Units and frames: seconds from the start; joints in radians or metres, whatever the knots are in.
Outside of its time a trajectory holds its ends, without velocity.
Threading: immutable.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics.trajectories._checks import checked_duration, finite, sample_times
from sera.kinematics.trajectories._polynomial_kernels import evaluate, extremes

# Coefficients of powers of u to those of powers of 1 - u.
_MIRROR = np.array([[(-1.0) ** k * math.comb(j, k) for j in range(6)] for k in range(6)])


class State(NamedTuple):
    """Position, velocity and acceleration, (dof,) at one time or (n, dof) at n times."""

    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray


class Samples(NamedTuple):
    """A trajectory at an even rate; the last row is its end."""

    times_s: FloatArray  # (n,)
    position: FloatArray  # (n, dof)
    velocity: FloatArray  # (n, dof)
    acceleration: FloatArray  # (n, dof)


class Peaks(NamedTuple):
    """Largest absolute values over a whole trajectory, one for each joint."""

    velocity: FloatArray
    acceleration: FloatArray
    jerk: FloatArray


class PolynomialTrajectory:
    """Joints over time, a polynomial of degree five between each two knots."""

    def __init__(self, times_s: FloatArray, coefficients: FloatArray, final: FloatArray) -> None:
        """Take what a maker has checked.

        Args:
            times_s: (pieces + 1,) times of the knots, from nought on.
            coefficients: (pieces, 6, dof) of the powers of u, which goes from 0 to 1 in a piece.
            final: (3, dof) position, velocity and acceleration at the last knot.
        """
        self._times = np.ascontiguousarray(times_s, dtype=np.float64)
        self._coefficients = np.ascontiguousarray(coefficients, dtype=np.float64)
        self._final = np.ascontiguousarray(final, dtype=np.float64)
        self._mirrored = np.einsum("kj,pjd->pkd", _MIRROR, self._coefficients)
        # Each piece ends on the knot where the next one begins, to the last bit.
        self._mirrored[:-1, 0] = self._coefficients[1:, 0]
        self._mirrored[-1, 0] = self._final[0]

    def __repr__(self) -> str:
        pieces = len(self._times) - 1
        return f"<{type(self).__name__}: {self.dof} joints, {pieces} pieces, {self.duration_s:g} s>"

    @property
    def duration_s(self) -> float:
        return float(self._times[-1])

    @property
    def dof(self) -> int:
        return self._coefficients.shape[2]

    @property
    def times_s(self) -> FloatArray:
        """Times of the knots. A copy."""
        return self._times.copy()

    def at(self, t_s: ArrayLike) -> State:
        """The state at one time, or at several: (dof,) or (n, dof) each."""
        times = finite(t_s, "time")
        if times.ndim > 1:
            raise ValueError(f"Give one time or a row of them; the shape is {times.shape}.")
        shape = (times.size, self.dof)
        state = State(np.empty(shape), np.empty(shape), np.empty(shape))
        pieces = (self._times, self._coefficients, self._mirrored, self._final)
        evaluate(*pieces, times.reshape(-1), *state)
        return state if times.ndim else State(state.position[0], state.velocity[0], state[2][0])

    def sample(self, rate_hz: float) -> Samples:
        """States at an even rate from nought on; the last one is at the end or just after it."""
        times = sample_times(self.duration_s, rate_hz)
        return Samples(times, *self.at(times))

    def peaks(self) -> Peaks:
        """The exact largest absolute velocity, acceleration and jerk of each joint."""
        found = []
        for order in (1, 2, 3):
            lowest, highest = self._range(order)
            found.append(np.maximum(np.abs(lowest), np.abs(highest)))
        return Peaks(*found)

    def position_range(self) -> tuple[FloatArray, FloatArray]:
        """The exact lowest and highest position of each joint; a spline may swing over."""
        return self._range(0)

    def stretched(self, factor: float) -> Self:
        """The same path, `factor` times as long: velocities shrink by it, accelerations twice."""
        factor = checked_duration(factor)
        same = object.__new__(type(self))
        scales = np.array([[1.0], [factor], [factor * factor]])
        PolynomialTrajectory.__init__(
            same, self._times * factor, self._coefficients, self._final / scales
        )
        return same

    @property
    def smoothness(self) -> int:
        """How many derivatives have no jump at inner knots: 2, or 1 where accelerations jump."""
        lengths = np.diff(self._times)[:, np.newaxis]
        second = np.array([0.0, 0.0, 2.0, 6.0, 12.0, 20.0])[:, np.newaxis] * self._coefficients
        second /= lengths[:, np.newaxis] ** 2
        jumps = np.abs(second[:-1].sum(axis=1) - second[1:, 2])
        rounding = 1e-9 * np.max(np.abs(second), axis=(0, 1))
        return 1 if np.any(jumps > rounding) else 2

    def _range(self, order: int) -> tuple[FloatArray, FloatArray]:
        lowest, highest = np.zeros(self.dof), np.zeros(self.dof)
        points, spare, one = np.empty(8), np.empty(8), np.empty(6)
        extremes(self._times, self._coefficients, order, points, spare, one, lowest, highest)
        return lowest, highest


def quintic_pieces(
    times_s: FloatArray, position: FloatArray, velocity: FloatArray, acceleration: FloatArray
) -> FloatArray:
    """Coefficients (n - 1, 6, dof) of the quintics that meet all states (n, dof) at the knots."""
    lengths = np.diff(times_s)[:, np.newaxis]
    start, change = position[:-1], np.diff(position, axis=0)
    v0, v1 = velocity[:-1] * lengths, velocity[1:] * lengths
    a0, a1 = acceleration[:-1] * lengths**2, acceleration[1:] * lengths**2
    return np.stack(
        [
            start,
            v0,
            0.5 * a0,
            10.0 * change - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1,
            -15.0 * change + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1,
            6.0 * change - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1,
        ],
        axis=1,
    )


def cubic_pieces(times_s: FloatArray, position: FloatArray, velocity: FloatArray) -> FloatArray:
    """Coefficients (n - 1, 6, dof) of the cubics that meet positions and velocities (n, dof)."""
    lengths = np.diff(times_s)[:, np.newaxis]
    start, change = position[:-1], np.diff(position, axis=0)
    v0, v1 = velocity[:-1] * lengths, velocity[1:] * lengths
    nought = np.zeros_like(start)
    return np.stack(
        [start, v0, 3.0 * change - 2.0 * v0 - v1, v0 + v1 - 2.0 * change, nought, nought], axis=1
    )

"""Trajectories of an orientation: slerp and squad.

Design overview: `Slerp` turns from knot to knot along the shorter arc, evenly (its angular velocity
then jumps at the knots) or with a rest at each of them, at minimum jerk. `Squad` passes the knots
without stopping, with a continuous angular velocity. Both take the shorter way between
neighbouring knots, whatever the signs of the quaternions.

Units and frames: seconds from the start; quaternions (w, x, y, z); angular velocity and
acceleration in radians a second (squared), in the base frame. Outside of its time a trajectory
holds its ends, without velocity.
Threading: immutable.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics.rotations import (
    checked_unit,
    conjugate,
    from_rotation_vector,
    multiply,
    rotate,
)
from sera.kinematics.trajectories._checks import (
    checked_duration,
    checked_row,
    checked_times,
    finite,
    sample_times,
)
from sera.kinematics.trajectories._squad import (
    check_turning,
    controls,
    log_vector,
    mean_turning,
    squad,
)
from sera.kinematics.trajectories.minimum_jerk import PEAK_ACCELERATION, PEAK_JERK, PEAK_VELOCITY
from sera.kinematics.trajectories.polynomial import Peaks, Samples

_STEP = 1e-4  # of a piece: the acceleration of squad is a difference of its exact velocity


class OrientationState(NamedTuple):
    """Orientation (4,), angular velocity (3,) and acceleration (3,); rows of them at n times."""

    orientation_wxyz: FloatArray
    velocity_rad_s: FloatArray
    acceleration_rad_s2: FloatArray


class _OrientationTrajectory:
    """Orientations at knots, and the arcs between them."""

    def __init__(self, times_s: ArrayLike, orientations_wxyz: ArrayLike) -> None:
        self._times = checked_times(times_s)
        knots = checked_unit(orientations_wxyz, "orientation")
        if knots.shape != (len(self._times), 4):
            raise ValueError(
                f"{len(self._times)} times need as many orientations (w, x, y, z); their shape is "
                f"{knots.shape}."
            )
        # The same rotation has two signs: each knot takes that of the shorter way from the last.
        flips = np.sum(knots[1:] * knots[:-1], axis=1) < 0.0
        signs = np.cumprod(np.concatenate([[1.0], np.where(flips, -1.0, 1.0)]))
        self._knots = knots * signs[:, np.newaxis]
        self._arcs = log_vector(multiply(conjugate(self._knots[:-1]), self._knots[1:]))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self._times)} knots, {self.duration_s:g} s>"

    @property
    def duration_s(self) -> float:
        return float(self._times[-1])

    @property
    def times_s(self) -> FloatArray:
        """Times of the knots. A copy."""
        return self._times.copy()

    def at(self, t_s: ArrayLike) -> OrientationState:
        """The state at one time, or rows of it at several."""
        times = finite(t_s, "time")
        if times.ndim > 1:
            raise ValueError(f"Give one time or a row of them; the shape is {times.shape}.")
        rows = times.reshape(-1)
        inside = np.clip(rows, 0.0, self._times[-1])
        last = len(self._times) - 2
        piece = np.minimum(np.searchsorted(self._times, inside, side="right") - 1, last)
        length = (self._times[piece + 1] - self._times[piece])[:, np.newaxis]
        u = (inside - self._times[piece]) / length[:, 0]
        orientation, rate, rate_change = self._within(piece, u)
        ended = inside == self._times[-1]
        orientation[ended] = self._knots[-1]  # to the last bit
        moving = (rows == inside)[:, np.newaxis]
        state = OrientationState(
            orientation, moving * rate / length, moving * rate_change / length**2
        )
        return state if times.ndim else OrientationState(state[0][0], state[1][0], state[2][0])

    def sample(self, rate_hz: float) -> Samples:
        """States at an even rate from nought on; the last one is at the end or just after it."""
        times = sample_times(self.duration_s, rate_hz)
        return Samples(times, *self.at(times))

    def stretched(self, factor: float) -> Self:
        """The same path, `factor` times as long."""
        same = object.__new__(type(self))
        same.__dict__.update(self.__dict__)
        same._times = self._times * checked_duration(factor)
        return same

    def _within(self, piece: IntArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Orientations, rotation per u and its change per u, in the base frame."""
        raise NotImplementedError


class Slerp(_OrientationTrajectory):
    """The shorter arc from knot to knot."""

    def __init__(
        self,
        times_s: ArrayLike,
        orientations_wxyz: ArrayLike,
        ease: Literal["even", "rest"] = "even",
    ) -> None:
        """Turn through orientations (n, 4) at their times: evenly, or with a rest at each."""
        super().__init__(times_s, orientations_wxyz)
        if ease not in {"even", "rest"}:
            raise ValueError(f'The ease is {ease!r}; choose "even" or "rest".')
        self._rests = ease == "rest"

    @property
    def smoothness(self) -> int:
        """How many derivatives have no jump at inner knots."""
        return 2 if self._rests or len(self._times) == 2 else 0

    def peaks(self) -> Peaks:
        """The exact largest angular speed, acceleration and jerk, (1,) each."""
        angles, lengths = np.linalg.norm(self._arcs, axis=1), np.diff(self._times)
        tops = (PEAK_VELOCITY, PEAK_ACCELERATION, PEAK_JERK) if self._rests else (1.0, 0.0, 0.0)
        return Peaks(
            *(
                np.max(top * angles / lengths**order, keepdims=True)
                for order, top in enumerate(tops, start=1)
            )
        )

    def _within(self, piece: IntArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        u = u[:, np.newaxis]
        done, rate, rate_change = u, np.ones_like(u), np.zeros_like(u)
        if self._rests:
            done = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
            rate = 30.0 * (u * (1.0 - u)) ** 2
            rate_change = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)
        start, arc = self._knots[piece], self._arcs[piece]
        turning = rotate(start, arc)  # a turn leaves its own axis where it is
        orientation = multiply(start, from_rotation_vector(done * arc))
        return orientation, rate * turning, rate_change * turning


class Squad(_OrientationTrajectory):
    """A smooth curve through all knots, with a continuous angular velocity."""

    smoothness = 1
    """The angular velocity has no jump at inner knots; the acceleration may have one."""

    def __init__(
        self,
        times_s: ArrayLike,
        orientations_wxyz: ArrayLike,
        velocities_rad_s: ArrayLike | None = None,
    ) -> None:
        """Pass orientations (n, 4) at their times.

        Angular velocities at the knots (n, 3), in the base frame, are given or found: at inner
        knots the mean of both neighbouring arcs, the shorter one in time counting more, but not
        more than three times the slower one, so that the curve does not swing far over; at the
        ends it rests.
        """
        super().__init__(times_s, orientations_wxyz)
        lengths = np.diff(self._times)[:, np.newaxis]
        if velocities_rad_s is None:
            turning = mean_turning(self._arcs, lengths)
        else:
            like = np.empty((len(self._times), 3))
            given = checked_row(velocities_rad_s, like, "angular velocities")
            turning = rotate(conjugate(self._knots), given)
            check_turning(turning, self._arcs, lengths)
        self._controls, self._control_arcs = controls(
            self._knots[:-1],
            self._knots[1:],
            self._arcs,
            turning[:-1] * lengths,
            turning[1:] * lengths,
        )

    def peaks(self) -> Peaks:
        """The largest angular speed and acceleration, (1,) each, searched for; the jerk is not."""
        return Peaks(self._largest(1), self._largest(2), np.array([np.inf]))

    def _largest(self, derivative: int) -> FloatArray:
        pieces = np.arange(len(self._arcs))
        lengths = np.diff(self._times)[:, np.newaxis] ** derivative
        low, width, points = np.zeros(len(pieces)), 1.0, 65
        for _ in range(4):  # each time closer round the best moment of every piece
            u = np.clip(low[:, np.newaxis] + np.linspace(0.0, width, points), 0.0, 1.0)
            found = self._within(np.repeat(pieces, points), u.reshape(-1))[derivative]
            sizes = np.linalg.norm(found, axis=1).reshape(-1, points) / lengths
            step = width / (points - 1)
            low = u[pieces, np.argmax(sizes, axis=1)] - step
            width, points = 2.0 * step, 33
        return np.max(sizes, keepdims=True).reshape(1)

    def _within(self, piece: IntArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        # Three velocities inside the piece give the acceleration to the second order of the step.
        first = np.clip(u - _STEP, 0.0, 1.0 - 2.0 * _STEP)
        moments = np.concatenate([u, first, first + _STEP, first + 2.0 * _STEP])
        which = np.tile(piece, 4)
        orientation, rate = squad(
            self._knots[which],
            self._arcs[which],
            self._controls[which],
            self._control_arcs[which],
            moments,
        )
        now, low, middle, high = rate.reshape(4, len(u), 3)
        aside = ((u - first) / _STEP - 1.0)[:, np.newaxis]  # from -1 to 1
        change = (high - low) / 2.0 + aside * (high - 2.0 * middle + low)
        return orientation[: len(u)], now, change / _STEP

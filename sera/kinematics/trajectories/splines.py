"""Splines through knots: cubic, and quintic with the least jerk.

Design overview: a spline passes each knot at its time without stopping there. Velocities at the
knots (tangents) are given or found:

- cubic, "smooth": the acceleration is continuous too (C²);
- cubic, "catmull-rom": the mean slope over both neighbours; a knot moves only the pieces around
  it, at the price of jumps in the acceleration;
- quintic: of all curves through the knots the one with the least squared jerk, which is smooth
  up to its fourth derivative; or velocities and accelerations as given.

Ends: "rest" begins and ends without velocity (a quintic also without acceleration); "free" lets
the curve run in and out (a smooth cubic: without acceleration, "natural").

Splines may swing over between knots: `position_range` says how far.

Units and frames: seconds; joints in radians or metres.
Threading: immutable.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics.trajectories._checks import checked_knots, checked_row, checked_times
from sera.kinematics.trajectories.polynomial import (
    PolynomialTrajectory,
    cubic_pieces,
    quintic_pieces,
)

Tangents = Literal["smooth", "catmull-rom"]
Ends = Literal["rest", "free"]


class CubicSpline(PolynomialTrajectory):
    """A cubic from knot to knot."""

    def __init__(
        self,
        times_s: ArrayLike,
        knots: ArrayLike,
        tangents: Tangents | ArrayLike = "smooth",
        ends: Ends = "rest",
    ) -> None:
        """Pass the knots (n, dof) at their times (n,), with tangents found or given (n, dof)."""
        times = checked_times(times_s)
        position = checked_knots(knots, len(times))
        velocity = _tangents(times, position, tangents, _checked_ends(ends))
        pieces = cubic_pieces(times, position, velocity)
        length_s = times[-1] - times[-2]
        last_acceleration = (2.0 * pieces[-1, 2] + 6.0 * pieces[-1, 3]) / length_s**2
        final = np.stack([position[-1], velocity[-1], last_acceleration])
        super().__init__(times, pieces, final)


class QuinticSpline(PolynomialTrajectory):
    """A quintic from knot to knot, with continuous velocity and acceleration."""

    def __init__(
        self,
        times_s: ArrayLike,
        knots: ArrayLike,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
    ) -> None:
        """Pass the knots (n, dof) at their times (n,).

        With `velocities` given (n, dof), `accelerations` are nought unless given too. Without
        both, the curve begins and ends at rest and has the least squared jerk.
        """
        times = checked_times(times_s)
        position = checked_knots(knots, len(times))
        if velocities is None and accelerations is None:
            velocity, acceleration = least_jerk(times, position)
        elif velocities is None:
            raise ValueError("Accelerations came in without velocities; give both, or none.")
        else:
            velocity = _rows(velocities, position, "velocities")
            acceleration = _rows(accelerations, position, "accelerations")
        super().__init__(
            times,
            quintic_pieces(times, position, velocity, acceleration),
            np.stack([position[-1], velocity[-1], acceleration[-1]]),
        )


def _checked_ends(ends: str) -> bool:
    if ends not in {"rest", "free"}:
        raise ValueError(f'The ends are {ends!r}; choose "rest" or "free".')
    return ends == "rest"


def _tangents(times: FloatArray, position: FloatArray, tangents: object, rest: bool) -> FloatArray:
    if isinstance(tangents, str):
        if tangents == "smooth":
            return _smooth(times, position, rest)
        if tangents == "catmull-rom":
            return _catmull_rom(times, position, rest)
        raise ValueError(
            f'There are no tangents {tangents!r}; choose "smooth" or "catmull-rom", or give one '
            "velocity for each knot and joint."
        )
    return _rows(tangents, position, "tangents")


def _rows(values: object, position: FloatArray, what: str) -> FloatArray:
    array = values
    if position.shape[1] == 1 and np.ndim(values) == 1:  # type: ignore[arg-type]
        array = np.asarray(values)[:, np.newaxis]
    return checked_row(array, position, what)  # type: ignore[arg-type]


def _catmull_rom(times: FloatArray, position: FloatArray, rest: bool) -> FloatArray:
    velocity = np.zeros_like(position)
    spans = (times[2:] - times[:-2])[:, np.newaxis]
    velocity[1:-1] = (position[2:] - position[:-2]) / spans
    if not rest:
        velocity[0] = (position[1] - position[0]) / (times[1] - times[0])
        velocity[-1] = (position[-1] - position[-2]) / (times[-1] - times[-2])
    return velocity


def _smooth(times: FloatArray, position: FloatArray, rest: bool) -> FloatArray:
    """Velocities that make the acceleration continuous: one equation for each knot."""
    from scipy.linalg import solve_banded

    count = len(times)
    inverse = 1.0 / np.diff(times)
    slopes = np.diff(position, axis=0) * (inverse**2)[:, np.newaxis]
    bands = np.zeros((3, count))
    right = np.zeros_like(position)
    bands[0, 2:] = inverse[1:]
    bands[1, 1:-1] = 2.0 * (inverse[:-1] + inverse[1:])
    bands[2, :-2] = inverse[:-1]
    right[1:-1] = 3.0 * (slopes[:-1] + slopes[1:])
    if rest:
        bands[1, 0] = bands[1, -1] = 1.0
    else:
        bands[1, 0], bands[0, 1], right[0] = 2.0 * inverse[0], inverse[0], 3.0 * slopes[0]
        bands[1, -1], bands[2, -2], right[-1] = 2.0 * inverse[-1], inverse[-1], 3.0 * slopes[-1]
    return np.asarray(solve_banded((1, 1), bands, right))


def least_jerk(times: FloatArray, position: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Velocities and accelerations of the curve from rest to rest with the least squared jerk.

    Such a curve has continuous third and fourth derivatives at its inner knots. With v and a of a
    knot as unknowns, both conditions are linear and reach no further than the neighbours.
    """
    from scipy.linalg import solve_banded

    velocity, acceleration = np.zeros_like(position), np.zeros_like(position)
    inner = len(times) - 2
    if inner == 0:
        return velocity, acceleration
    # Time in units of the mean step, so that the powers of short steps stay of one size.
    unit = times[-1] / (len(times) - 1)
    h = np.diff(times) / unit
    change = np.diff(position, axis=0)
    bands = np.zeros((7, 2 * inner))
    right = np.empty((2 * inner, position.shape[1]))

    def put(row: int, column: int, value: float) -> None:
        if 0 <= column < 2 * inner:
            bands[3 + row - column, column] += value

    for knot in range(inner):
        p, n = h[knot], h[knot + 1]  # the steps before and after this knot
        jerk, snap = 2 * knot, 2 * knot + 1  # rows: end of the piece before = start of the next
        before, here, after = jerk - 2, jerk, jerk + 2  # columns of v; those of a follow
        put(jerk, before, -24.0 / p**2)
        put(jerk, before + 1, -3.0 / p)
        put(jerk, here, -36.0 / p**2 + 36.0 / n**2)
        put(jerk, here + 1, 9.0 / p + 9.0 / n)
        put(jerk, after, 24.0 / n**2)
        put(jerk, after + 1, -3.0 / n)
        right[jerk] = 60.0 * (change[knot + 1] / n**3 - change[knot] / p**3)
        put(snap, before, -168.0 / p**3)
        put(snap, before + 1, -24.0 / p**2)
        put(snap, here, -192.0 / p**3 - 192.0 / n**3)
        put(snap, here + 1, 36.0 / p**2 - 36.0 / n**2)
        put(snap, after, -168.0 / n**3)
        put(snap, after + 1, 24.0 / n**2)
        right[snap] = -360.0 * (change[knot + 1] / n**4 + change[knot] / p**4)
    solved = solve_banded((3, 3), bands, right)
    velocity[1:-1] = solved[0::2] / unit
    acceleration[1:-1] = solved[1::2] / unit**2
    return velocity, acceleration

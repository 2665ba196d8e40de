"""The motion filter for a point in the plane or in space, where norms of vectors are limited.

Design overview
    The same filter as for joints, with the length of the velocity, acceleration and jerk vectors
    limited instead of each coordinate: a robot that drives diagonally has no higher limits than one
    that drives straight. The stopping guard holds the point inside a box or a ball.

Units and frames
    Metres (or any unit of length) and seconds, in the frame that the region is given in.

Threading
    One owner, no allocation in a step but the array it returns.

Safety
    For every input the output stays inside the region, and the norms of its finite differences
    within the limits of the order in use: a step is taken only if the point can still come to rest
    inside the region within its limits. The guard slows down the whole vector, so that a point that
    is pressed against a wall also loses speed along it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sera.kinematics import _filter_vector_kernels as rows
from sera.kinematics._arrays import FloatArray
from sera.kinematics._filter_region import EVERYWHERE, Ball, Box, inside, pull_inside
from sera.kinematics._filter_settings import (
    FilterCharacter,
    FilterLimits,
    Limiter,
    check_output,
    check_timing,
)

_FAR = 1e30  # set-points beyond count as this far: the squares in a norm stay finite


class VectorFilter:
    """Set-points in at any time, points out at a steady rate, within limits always."""

    def __init__(
        self,
        position: Sequence[float] | FloatArray,
        limits: FilterLimits,
        character: FilterCharacter | None = None,
        *,
        region: Box | Ball | None = None,
        rate_hz: float = 60.0,
        order: int = 3,
    ) -> None:
        """Start at rest at `position`, which also is the first set-point."""
        check_timing(rate_hz, order)
        self.rate_hz, self.order = float(rate_hz), int(order)
        self.step_s = 1.0 / self.rate_hz
        start = np.array(position, dtype=np.float64)
        if start.ndim != 1 or start.shape[0] == 0:
            raise ValueError(
                f"the position has shape {start.shape}: give one number for each coordinate"
            )
        self.axes = int(start.shape[0])
        self.region = region
        self._kind, self._region = EVERYWHERE, np.zeros((2, self.axes))
        if region is not None:
            self._kind, self._region = region.table(self.axes)
        self._state = np.zeros((rows.STATE_ROWS, self.axes))
        self._work = np.zeros((rows.WORK_ROWS, self.axes))
        self.limits, self.character = limits, character or FilterCharacter()
        self._numbers = self._wanted = self._table(self.limits, self.character)
        self._stopping, self._adopting = False, False
        self.held_back = False  # whether the guard held the point back in the last step
        self.reset(start)

    def check(self, values: Sequence[float] | FloatArray) -> FloatArray:
        """A copy of `values` if they can be a set-point; a ValueError that says why not."""
        wanted = np.array(values, dtype=np.float64)
        if wanted.shape != (self.axes,) or not bool(np.isfinite(wanted).all()):
            raise ValueError(
                f"the set-point is {values!r}: give {self.axes} finite numbers; the last good "
                "set-point stays"
            )
        return wanted

    def set_point(self, values: Sequence[float] | FloatArray) -> None:
        """Where to go from now on, at most to the edge of the region; ends a `stop`."""
        wanted = np.clip(self.check(values), -_FAR, _FAR)
        pull_inside(wanted, self._kind, self._region)
        self._state[rows.SET_POINT] = wanted
        self._stopping = False

    def step(self, out: FloatArray | None = None) -> FloatArray:
        """Move on by one step of time; the new position, in `out` where that is given."""
        if out is None:
            out = np.empty(self.axes)
        else:
            check_output(out, self.axes)
        if self._adopting:
            self._adopt()
        self.held_back = rows.step_point(
            self._state,
            self._numbers,
            self._kind,
            self._region,
            self.step_s,
            self.order,
            self.character.limiter is Limiter.HARD,
            self._stopping or self._adopting,
            self._work,
            out,
        )
        return out

    def stop(self) -> None:
        """Brake as fast as the limits allow, from the next step on, until a new set-point comes."""
        self._stopping = True

    def reset(self, position: Sequence[float] | FloatArray) -> None:
        """Be at rest at `position`, without any motion in between."""
        start = self.check(position)
        if not inside(start, self._kind, self._region):
            nearest = start.copy()
            pull_inside(nearest, self._kind, self._region)
            raise ValueError(
                f"the start {start.tolist()} is outside the region: begin inside it, at "
                f"{nearest.tolist()} for instance"
            )
        self._state[:] = 0.0
        self._state[rows.POSITION] = start
        self._state[rows.SET_POINT] = start
        self._numbers = self._wanted
        self._stopping, self._adopting, self.held_back = False, False, False

    def set_limits(self, limits: FilterLimits) -> None:
        """Go over to other limits while moving.

        The point keeps its old limits, and brakes within them, until it can stop within the new
        ones; from that step on the new ones hold. The region stays.
        """
        self._wanted = self._table(limits, self.character)
        self.limits = limits
        self._adopting = True

    def set_character(self, character: FilterCharacter) -> None:
        """Go over to another character while moving; limits are not touched."""
        self._wanted = self._table(self.limits, character)
        self._numbers = self._numbers.copy()
        self._numbers[rows.EDGE :] = self._wanted[rows.EDGE :]
        self.character = character

    @property
    def position(self) -> FloatArray:
        return np.array(self._state[rows.POSITION])

    @property
    def velocity(self) -> FloatArray:
        """Of the last step: (position - position before) / step."""
        return self._state[rows.WAY] / self.step_s

    @property
    def acceleration(self) -> FloatArray:
        """Of the last step: (velocity - velocity before) / step."""
        return self._state[rows.ACCELERATION] / self.step_s**2

    @property
    def at_rest(self) -> bool:
        """Whether the point neither moves nor accelerates."""
        last = rows.ACCELERATION if self.order == 3 else rows.WAY
        return not bool(np.any(self._state[rows.WAY : last + 1]))

    @property
    def adopting(self) -> bool:
        """Whether the new limits still have to wait."""
        return self._adopting

    def _adopt(self) -> None:
        work, state = self._work, self._state
        work[rows.STOP_POSITION] = state[rows.POSITION]
        work[rows.STOP_WAY] = state[rows.WAY]
        work[rows.STOP_ACCELERATION] = state[rows.ACCELERATION]
        fits = self.order == 1 or rows.stops_safely(
            self._wanted, self._kind, self._region, self.order, work
        )
        if self.order == 3:
            acceleration = float(np.linalg.norm(state[rows.ACCELERATION]))
            fits = fits and acceleration <= self._wanted[rows.STEP_A]
        if fits:
            self._numbers, self._adopting = self._wanted, False

    def _table(self, limits: FilterLimits, character: FilterCharacter) -> FloatArray:
        """Everything the kernels look up."""
        lower, upper = limits.ends(1)
        if np.isfinite(lower[0]) or np.isfinite(upper[0]):
            raise ValueError(
                "a point has no lower and upper limit: give region=Box(lower, upper) or a Ball"
            )
        numbers = np.empty(rows.NUMBERS)
        for power, (rate,) in enumerate(limits.rates(1, self.order)):
            numbers[rows.V + power] = rate
            numbers[rows.STEP_V + power] = rate * self.step_s ** (power + 1)
        (smooth,), (responsive,), (edge,), (overshoot,) = character.arrays(1)
        if np.isfinite(overshoot):
            raise ValueError("a point has no limit of its overshoot: leave it out")
        if min(character.shares) < 1.0:
            raise ValueError("a point takes no shares of its limits: give lower limits")
        numbers[rows.EDGE] = 2.0 * edge
        numbers[rows.BEND] = 1.0 - smooth
        numbers[rows.GAIN] = 1.0 / (1.0 - responsive) if character.eased else 0.0
        return numbers

"""The Nutty Motion Filter: any stream of set-points becomes a motion that a body can make.

Design overview
    A step first asks the filter's character where to go (`_filter_kernels`: position saturation,
    easing, limiters) and then the stopping guard whether that is safe (`_filter_guard`: a joint
    must be able to stop inside its range within its limits, otherwise it goes as far as it can).
    Position, velocity, acceleration and jerk limits of the order in use therefore hold for the
    finite differences of the output, for any input whatsoever. `docs/filter.md` has the
    equations and the proof.

Units and frames
    Positions in the joint's own unit (rad, m), time in seconds. One column a joint, in the order
    of the positions given at the beginning.

Threading
    One owner: no method may run while another one does. A step allocates nothing but the array
    it returns, and not even that when `out` is given.

Safety
    A set-point that is not a finite number is refused with a ValueError and changes nothing: the
    last good one stays. Set-points outside the range count as the nearest end of it. The filter
    starts at rest inside the range. New limits may come at any time, see `set_limits`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from sera.kinematics import _filter_kernels as rows
from sera.kinematics._arrays import BoolArray, FloatArray
from sera.kinematics._filter_input import HeldInput, steady_output
from sera.kinematics._filter_region import Ball, Box
from sera.kinematics._filter_settings import (
    PRESETS,
    FilterCharacter,
    FilterLimits,
    Limiter,
    PerJoint,
    Preset,
    Shares,
    check_output,
    check_timing,
    guarded_range,
    preset,
    widest_swing,
)
from sera.kinematics._filter_vector import VectorFilter

__all__ = [
    "PRESETS",
    "Ball",
    "Box",
    "FilterCharacter",
    "FilterLimits",
    "HeldInput",
    "Limiter",
    "MotionFilter",
    "PerJoint",
    "Preset",
    "Shares",
    "VectorFilter",
    "preset",
    "steady_output",
]


class MotionFilter:
    """Set-points in at any time, positions out at a steady rate, within limits always."""

    def __init__(
        self,
        positions: Sequence[float] | FloatArray,
        limits: FilterLimits,
        character: FilterCharacter | None = None,
        *,
        rate_hz: float = 60.0,
        order: int = 3,
        names: Sequence[str] | None = None,
    ) -> None:
        """Start at rest at `positions`, which also are the first set-points."""
        check_timing(rate_hz, order)
        self.rate_hz, self.order = float(rate_hz), int(order)
        self.step_s = 1.0 / self.rate_hz
        start = np.array(positions, dtype=np.float64)
        if start.ndim != 1 or start.shape[0] == 0:
            raise ValueError(
                f"the positions have shape {start.shape}: give a list with one for each joint"
            )
        self.joints = int(start.shape[0])
        if names is not None and len(names) != self.joints:
            raise ValueError(f"there are {len(names)} names for {self.joints} joints")
        self._names = None if names is None else tuple(names)
        self._state = np.zeros((rows.STATE_ROWS, self.joints))
        self._settings = np.empty((rows.SETTINGS_ROWS, self.joints))
        self._asked_for, self._incoming = start.copy(), start.copy()
        self._stopping, self._adopting = False, False
        self.held_back = 0  # joints that the guard held back in the last step
        self.limits, self.character = limits, character or FilterCharacter()
        self._wanted = self._table(self.limits, self.character)
        self.reset(start)

    # Driving

    def set_point(self, values: Sequence[float] | FloatArray) -> None:
        """Where to go from now on; ends a `stop`."""
        wanted = self._numbers(values, "set-points")
        bad = rows.take_set_points(self._state, self._wanted, wanted)
        if bad >= 0:
            self._refuse(bad, wanted)
        self._asked_for[:] = wanted
        self._stopping = False

    def step(self, out: FloatArray | None = None) -> FloatArray:
        """Move on by one step of time; the new positions, in `out` where that is given."""
        if out is None:
            out = np.empty(self.joints)
        else:
            check_output(out, self.joints)
        if self._adopting:  # which says anew who brakes
            self._adopting = rows.adopt_limits(
                self._state, self._settings, self._wanted, self.order
            )
        self.held_back = rows.step_joints(
            self._state,
            self._settings,
            self.step_s,
            self.order,
            self._hard,
            self._stopping,
            out,
        )
        if not self._adopting:
            self._state[rows.BRAKES] = 0.0
        return out

    def snapshot(self) -> FloatArray:
        """What `go_back` takes: where all joints are, how they move and where they go."""
        return self._state.copy()

    def go_back(self, snapshot: FloatArray) -> None:
        """Be where a snapshot was taken, as if no step had been made since."""
        self._state[:] = snapshot

    def stops(self, out: FloatArray) -> FloatArray:
        """Where each joint would come to rest if it braked from now on, in `out`."""
        rows.stop_positions(self._state, self._settings, self.order, out)
        return out

    def brake(self, joints: BoolArray) -> None:
        """Have some joints brake in the next step, as fast as the limits allow."""
        self._state[rows.BRAKES] = joints

    def stop(self) -> None:
        """Brake as fast as the limits allow, from the next step on, until new set-points come."""
        self._stopping = True

    def reset(self, positions: Sequence[float] | FloatArray) -> None:
        """Be at rest at `positions`, without any motion in between: for a robot placed by hand."""
        start = self._numbers(positions, "positions")
        lower, upper = self._wanted[rows.FIRST_END], self._wanted[rows.LAST_END]
        for joint, position in enumerate(start):
            if not (lower[joint] <= position <= upper[joint] and math.isfinite(position)):
                nearest = "" if math.isnan(position) else f"{self._nearest(joint, position):g}"
                raise ValueError(
                    f"the start of {self._name(joint)} is {position:g}, outside its range "
                    f"{lower[joint]:g} to {upper[joint]:g}: begin inside it"
                    + (f", at {nearest} for instance" if nearest else "")
                )
        self._state[:] = 0.0
        self._state[rows.POSITION] = start
        self._state[rows.SET_POINT] = start
        self._asked_for[:] = start
        self._settings[:] = self._wanted
        self._stopping, self._adopting, self.held_back = False, False, 0

    def check(self, values: Sequence[float] | FloatArray) -> FloatArray:
        """A copy of `values` if they can be set-points; a ValueError that says why not."""
        wanted = self._numbers(values, "set-points")
        good = np.isfinite(wanted)
        if not bool(good.all()):
            self._refuse(int(np.argmin(good)), wanted)
        return wanted.copy()

    # Settings that change on the way

    def set_limits(self, limits: FilterLimits) -> None:
        """Go over to other limits while moving.

        Each joint keeps its old limits, and brakes within them, until its motion fits into the new
        velocity, acceleration and jerk; from that step on the new ones hold. A joint that is
        outside its new range, or cannot help leaving it, goes no farther than its stop takes it
        and comes back; until then the end of its range is where it is.
        """
        self._wanted = self._table(limits, self.character)
        self.limits = limits
        self._adopting = True
        rows.take_set_points(self._state, self._wanted, self._asked_for)

    def set_character(self, character: FilterCharacter) -> None:
        """Go over to another character while moving; limits are not touched."""
        self._wanted = self._table(self.limits, character)
        self.character = character
        first = rows.CENTRE
        self._settings[first:] = self._wanted[first:]

    # What it does now

    @property
    def positions(self) -> FloatArray:
        return np.array(self._state[rows.POSITION])

    @property
    def velocities(self) -> FloatArray:
        """Of the last step: (position - position before) / step."""
        return self._state[rows.WAY] / self.step_s

    @property
    def accelerations(self) -> FloatArray:
        """Of the last step: (velocity - velocity before) / step."""
        return self._state[rows.ACCELERATION] / self.step_s**2

    @property
    def set_points(self) -> FloatArray:
        """Where it goes, inside the range."""
        return np.array(self._state[rows.SET_POINT])

    @property
    def at_rest(self) -> bool:
        """Whether no joint moves or accelerates."""
        # Below order 3 an acceleration may end from one step to the next: it is no motion.
        last = rows.ACCELERATION if self.order == 3 else rows.WAY
        return not bool(np.any(self._state[rows.WAY : last + 1]))

    @property
    def adopting(self) -> bool:
        """Whether a joint still waits for its new limits."""
        return self._adopting

    # Inside

    @property
    def _hard(self) -> bool:
        return self.character.limiter is Limiter.HARD

    def _name(self, joint: int) -> str:
        return f"joint {joint}" if self._names is None else f'joint "{self._names[joint]}"'

    def _refuse(self, joint: int, wanted: FloatArray) -> NoReturn:
        raise ValueError(
            f"the set-point of {self._name(joint)} is {wanted[joint]}: it must be a finite number; "
            "the last good set-points stay"
        )

    def _nearest(self, joint: int, position: float) -> float:
        lower, upper = self._wanted[rows.FIRST_END, joint], self._wanted[rows.LAST_END, joint]
        return float(min(max(position, lower, -1e6), upper, 1e6))

    def _numbers(self, values: Sequence[float] | FloatArray, what: str) -> FloatArray:
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (self.joints,):
            raise ValueError(
                f"{what} of shape {array.shape} for {self.joints} joints: give one for each joint"
            )
        # Always the same kind of array: another one would have the kernels compiled again.
        self._incoming[:] = array
        return self._incoming

    def _table(self, limits: FilterLimits, character: FilterCharacter) -> FloatArray:
        """Everything the kernels look up, one column a joint."""
        lower, upper = limits.ends(self.joints)
        rates, shares = limits.rates(self.joints, self.order), character.shares
        smooth, responsive, edge, overshoot = character.arrays(self.joints)
        table = np.empty((rows.SETTINGS_ROWS, self.joints))
        table[rows.FIRST_END], table[rows.LAST_END] = lower, upper
        table[rows.LOWER], table[rows.UPPER] = guarded_range(lower, upper)
        for power, rate in enumerate(rates):
            table[rows.V + power] = rate
            table[rows.STEP_V + power] = rate * self.step_s ** (power + 1)
        closed = np.isfinite(lower) & np.isfinite(upper)
        # A range that is open at an end has no centre, so that nothing is slowed down towards it.
        table[rows.CENTRE], table[rows.HALF_WIDTH] = 0.0, math.inf
        table[rows.CENTRE, closed] = 0.5 * lower[closed] + 0.5 * upper[closed]
        table[rows.HALF_WIDTH, closed] = 0.5 * upper[closed] - 0.5 * lower[closed]
        table[rows.EDGE] = 2.0 * edge
        table[rows.OVERSHOOT] = overshoot
        bounded = overshoot < math.inf
        swing = widest_swing([share * rate for share, rate in zip(shares, rates, strict=True)])
        table[rows.OVERSHOOT, bounded] = np.minimum(overshoot, swing)[bounded]
        for row, share in zip((rows.SHARE_V, rows.SHARE_A, rows.SHARE_J), shares, strict=True):
            table[row] = share
        table[rows.BEND] = 1.0 - smooth
        table[rows.GAIN] = 1.0 / (1.0 - responsive) if character.eased else 0.0
        return table

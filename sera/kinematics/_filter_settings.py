"""What a motion filter is set to: physical limits, character, and the document's example presets.

Units are the joint's own: radians for a hinge, metres for a slide, and their rates per second. Each
value is one number for all joints or one for each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple, TypeAlias

import numpy as np

from sera.kinematics._arrays import FloatArray

PerJoint: TypeAlias = float | Sequence[float] | FloatArray

SMALLEST_LIMIT = 1e-9
LARGEST_LIMIT = 1e12
_ROUNDING = 1e-13  # of a position, at the end of a stop of many steps
_RATES_HZ = (10.0, 1000.0)
_SWING_S = 0.3  # a wider swing of a slow joint is no follow-through any more, and takes long to end
_NAMES_OF_ORDER = {1: ("velocity",), 2: ("velocity", "acceleration")}
_ALL_RATES = ("velocity", "acceleration", "jerk")


class Shares(NamedTuple):
    """Of the limits, within which a motion is planned."""

    velocity: float
    acceleration: float
    jerk: float


WHOLE = Shares(1.0, 1.0, 1.0)


class Limiter(StrEnum):
    """How derivatives are kept within their limits before the guard sees them."""

    TANH = "tanh"  # bends towards half the limit: smooth, with headroom
    HARD = "hard"  # cuts off at the limit: faster, and tends to oscillate


def per_joint(value: PerJoint, joints: int, what: str) -> FloatArray:
    """`value` as one number for each joint."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim > 1 or (array.ndim == 1 and array.shape[0] != joints):
        raise ValueError(
            f"{what} has shape {array.shape} for {joints} joints: give one number for all joints "
            f"or a list of {joints}"
        )
    return np.array(np.broadcast_to(array, (joints,)), dtype=np.float64)


def _check(values: FloatArray, good: np.ndarray, what: str, rule: str) -> None:
    if not bool(np.all(good)):
        joint = int(np.argmin(good))
        raise ValueError(f"{what} of joint {joint} is {values[joint]:g}: {rule}")


@dataclass(frozen=True, eq=False)
class FilterLimits:
    """What the body allows. A range may be open (infinite) at either end, or closed to a point."""

    velocity: PerJoint
    acceleration: PerJoint = math.inf  # order 2 and 3
    jerk: PerJoint = math.inf  # order 3
    lower: PerJoint = -math.inf
    upper: PerJoint = math.inf

    def rates(self, joints: int, order: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Velocity, acceleration and jerk limits of each joint, checked for this order."""
        arrays = [per_joint(getattr(self, name), joints, name) for name in _ALL_RATES]
        used = _NAMES_OF_ORDER.get(order, _ALL_RATES)
        for name, values in zip(_ALL_RATES, arrays, strict=True):
            what = f"the {name} limit"
            if name in used:
                good = (values >= SMALLEST_LIMIT) & (values <= LARGEST_LIMIT)
                rule = f"a filter of order {order} needs one from {SMALLEST_LIMIT:g} to "
                _check(values, good, what, rule + f"{LARGEST_LIMIT:g}")
            else:
                _check(values, values > 0.0, what, "it must be above zero, or left out")
        return arrays[0], arrays[1], arrays[2]

    def ends(self, joints: int) -> tuple[FloatArray, FloatArray]:
        """Lower and upper end of each joint's range, checked."""
        lower = per_joint(self.lower, joints, "the lower limit")
        upper = per_joint(self.upper, joints, "the upper limit")
        _check(lower, lower < math.inf, "the lower limit", "it must be a number, or -inf for none")
        _check(upper, upper > -math.inf, "the upper limit", "it must be a number, or inf for none")
        crossed = lower > upper
        if bool(np.any(crossed)):
            joint = int(np.argmax(crossed))
            raise ValueError(
                f"the lower limit of joint {joint} ({lower[joint]:g}) is above its upper limit "
                f"({upper[joint]:g}): swap them"
            )
        return lower, upper


@dataclass(frozen=True, eq=False)
class FilterCharacter:
    """How a motion feels within the same limits.

    `smoothness` (sigma) eases the approach to the set-point, `responsiveness` (rho) brings the
    easing forward, `edge` (beta) says how late the ends of the range are felt (large: hardly).
    `overshoot` is how far a motion may go beyond its set-point at its first swing; each further one
    is smaller, so that the motion comes to rest. Zero is for none, and the document's own
    follow-through, which may swing for ever, where it is left out. `eased=False` bypasses the
    easing altogether. The easing works on the velocity as a number: what a preset does depends on
    the unit that positions are given in. `shares` are those of the limits of velocity, acceleration
    and jerk within which a motion is planned: softer than the joint could, at either end of its
    way; all of the limits still serve where they are needed to stop in time.
    """

    smoothness: PerJoint = 0.95
    responsiveness: PerJoint = 0.2
    edge: PerJoint = 1.0
    overshoot: PerJoint = math.inf
    limiter: Limiter = Limiter.TANH
    eased: bool = True
    shares: Shares = WHOLE

    def __post_init__(self) -> None:
        """Accept the limiter's name as text, too."""
        try:
            object.__setattr__(self, "limiter", Limiter(self.limiter))
        except ValueError:
            raise ValueError(
                f'there is no limiter "{self.limiter}": take "tanh" or "hard"'
            ) from None
        for name, share in self.shares._asdict().items():
            if not 0.0 < share <= 1.0:
                raise ValueError(f"the share of {name} is {share:g}: it lies above 0 and up to 1")

    def arrays(self, joints: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Smoothness, responsiveness, edge and overshoot of each joint, checked."""
        smooth = per_joint(self.smoothness, joints, "smoothness")
        responsive = per_joint(self.responsiveness, joints, "responsiveness")
        edge = per_joint(self.edge, joints, "edge")
        _check(smooth, (smooth >= 0.0) & (smooth <= 1.0), "smoothness", "it lies from 0 to 1")
        good = (responsive >= 0.0) & (responsive < 1.0)
        rule = "it lies from 0 to just below 1; take 0.999 for the fastest"
        _check(responsive, good, "responsiveness", rule)
        _check(edge, (edge > 0.0) & (edge < math.inf), "edge", "it must be above zero and finite")
        overshoot = per_joint(self.overshoot, joints, "overshoot")
        _check(overshoot, overshoot >= 0.0, "overshoot", "it must not be below zero")
        return smooth, responsive, edge, overshoot


@dataclass(frozen=True)
class Preset:
    """One of the document's example filters."""

    name: str
    summary: str
    limits: FilterLimits
    character: FilterCharacter

    def with_limiter(self, limiter: Limiter) -> Preset:
        return replace(self, character=replace(self.character, limiter=limiter))


_SLOW = FilterLimits(velocity=20.0, acceleration=100.0, jerk=10_000.0)
_FAST = FilterLimits(velocity=90.0, acceleration=700.0, jerk=50_000.0)
_UNEASED = FilterCharacter(0.0, 0.0, eased=False)
# The table prints responsiveness 1.0 where the formula needs less than 1: 0.999 stands for it.
PRESETS: dict[str, Preset] = {
    "A": Preset("A", "slow and smooth", _SLOW, FilterCharacter(1.0, 0.999)),
    "B": Preset("B", "slow and vivid", _SLOW, FilterCharacter(0.1, 0.0)),
    "C": Preset("C", "fast and vivid", _FAST, FilterCharacter(0.1, 0.0)),
    "D": Preset("D", "fast and smooth", _FAST, FilterCharacter(0.95, 0.999)),
    "E": Preset("E", "fast and smoother", _FAST, FilterCharacter(0.95, 0.2)),
    "W": Preset("W", "without easing", _SLOW, _UNEASED),
}


def preset(name: str) -> Preset:
    """The preset of this letter: A to E, or W for the one without easing."""
    found = PRESETS.get(name.upper())
    if found is None:
        raise ValueError(f'there is no preset "{name}": take one of {", ".join(PRESETS)}')
    return found


def check_timing(rate_hz: float, order: int) -> None:
    """Refuse rates and orders that the filter is not made for."""
    lowest, highest = _RATES_HZ
    if not lowest <= rate_hz <= highest:
        raise ValueError(
            f"a rate of {rate_hz:g} Hz is outside {lowest:g} to {highest:g} Hz: the filter needs "
            "steps from 1 ms to 100 ms"
        )
    if order not in (1, 2, 3):
        raise ValueError(
            f"there is no filter of order {order}: take 1 (velocity), 2 (acceleration) or 3 (jerk)"
        )


def check_output(out: FloatArray, length: int) -> None:
    """Refuse arrays that a kernel cannot write to directly."""
    flags = out.flags
    if not (
        out.shape == (length,)
        and out.dtype == np.float64
        and flags.c_contiguous
        and flags.writeable
    ):
        raise ValueError(
            f"out has shape {out.shape} and type {out.dtype}: give a writeable, contiguous array "
            f"of {length} doubles, as np.empty({length}) makes it"
        )


def widest_swing(rates: Sequence[FloatArray]) -> FloatArray:
    """How far joints with these limits go and stop in the time that a swing may take."""
    velocity, acceleration, jerk = rates
    return np.minimum.reduce(
        [velocity * _SWING_S, acceleration * _SWING_S**2 / 4.0, jerk * _SWING_S**3 / 32.0]
    )


def guarded_range(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The range less what the positions of a long stop may be off by rounding."""
    closed = np.isfinite(lower) & np.isfinite(upper)
    middle = np.full_like(lower, math.nan)
    middle[closed] = 0.5 * lower[closed] + 0.5 * upper[closed]
    inner_lower = np.fmin(lower + _ROUNDING * np.where(np.isfinite(lower), abs(lower), 0.0), middle)
    inner_upper = np.fmax(upper - _ROUNDING * np.where(np.isfinite(upper), abs(upper), 0.0), middle)
    return inner_lower, inner_upper

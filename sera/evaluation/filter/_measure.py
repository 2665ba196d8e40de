"""How a filter answers a signal, and what can be said about the answer in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sera.evaluation.filter._signals import (
    FIRST_STEP_S,
    RATE_HZ,
    SECOND_STEP_S,
    simple_signal,
    times_s,
)
from sera.kinematics._arrays import FloatArray
from sera.kinematics.filter import PRESETS, FilterLimits, Limiter, MotionFilter, Preset, preset

SETTLED_WITHIN = 0.2
_VISIBLE_SPEED = 0.1  # a slower to and fro is not counted as a reversal


@dataclass(frozen=True, eq=False)
class Response:
    """One run: what went in, what came out, with the finite differences of the output."""

    set_points: FloatArray
    positions: FloatArray
    start: float
    rate_hz: float

    def differences(self, order: int) -> FloatArray:
        """Velocity (1), acceleration (2) or jerk (3); the joint was at rest before the start."""
        before = np.full(order, self.start)
        return np.diff(np.concatenate([before, self.positions]), order) * self.rate_hz**order


@dataclass(frozen=True)
class Measures:
    """The answer to the first step of the simple signal."""

    overshoot: float
    top_velocity: float
    settling_s: float  # until it stays within SETTLED_WITHIN; the whole wait if it never does
    reversals: int


def respond(
    set_points: FloatArray,
    example: Preset,
    *,
    order: int = 3,
    rate_hz: float = RATE_HZ,
    limits: FilterLimits | None = None,
) -> Response:
    """Run the guarded filter over `set_points`, at rest at the first of them before."""
    start = float(set_points[0])
    motion = MotionFilter(
        [start], limits or example.limits, example.character, rate_hz=rate_hz, order=order
    )
    positions = np.empty(len(set_points))
    for index, wanted in enumerate(set_points):
        motion.set_point([wanted])
        positions[index] = motion.step()[0]
    return Response(set_points, positions, start, rate_hz)


def measure_step(response: Response) -> Measures:
    """Overshoot, top velocity, settling time and reversals after the simple signal's first step."""
    time_s = times_s()
    window = (time_s >= FIRST_STEP_S) & (time_s < SECOND_STEP_S)
    positions, velocities = response.positions[window], response.differences(1)[window]
    target = response.set_points[window][0]
    direction = np.sign(target - response.start)
    off = np.flatnonzero(np.abs(positions - target) > SETTLED_WITHIN)
    moving = np.sign(velocities[np.abs(velocities) > _VISIBLE_SPEED])
    return Measures(
        overshoot=float(max(0.0, np.max(direction * (positions - target)))),
        top_velocity=float(np.max(np.abs(velocities))),
        settling_s=float(off[-1] + 1) / response.rate_hz if off.size else 0.0,
        reversals=int(np.count_nonzero(np.diff(moving))),
    )


def measure_presets() -> dict[tuple[str, int, Limiter], Measures]:
    """Every preset, order and limiter on the simple signal."""
    found = {}
    for name in PRESETS:
        for order in (3, 2, 1):
            for limiter in Limiter:
                example = preset(name).with_limiter(limiter)
                response = respond(simple_signal(), example, order=order)
                found[name, order, limiter] = measure_step(response)
    return found

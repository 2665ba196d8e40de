"""The motion filter's part of `make bench-kinematics`: one guarded step of 25 joints.

Calm: set-points somewhere in the range, twice a second. Walls: every joint is thrown from one end
of its range to the other before it has arrived, with the hard limiter, so that the guard works at
many joints in the same step. Through the public interface, the returned array included.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter, MotionFilter

JOINTS = 25
RATE_HZ = 100.0
P50_BAR_US, P99_BAR_US = 15.0, 60.0


@dataclass(frozen=True)
class FilterTiming:
    """Of one way of driving the filter; times in microseconds."""

    name: str
    p50_us: float
    p99_us: float
    held_back: float  # joints that the guard held back in a step, on average

    @property
    def within_bars(self) -> bool:
        return self.p50_us <= P50_BAR_US and self.p99_us <= P99_BAR_US


def _measure(
    name: str, motion: MotionFilter, drive: Callable[[MotionFilter, int], None], steps: int
) -> FilterTiming:
    times_ns = np.empty(steps)
    held_back = 0
    warm = 200  # the first steps compile or load the kernels
    for index in range(-warm, steps):
        drive(motion, index)
        before = time.perf_counter_ns()
        motion.step()
        after = time.perf_counter_ns()
        if index >= 0:
            times_ns[index] = after - before
            held_back += motion.held_back
    p50, p99 = np.percentile(times_ns / 1e3, [50.0, 99.0])
    return FilterTiming(name, float(p50), float(p99), held_back / steps)


def measure_filter(steps: int = 20_000, seed: int = 1) -> list[FilterTiming]:
    """One guarded step of 25 joints at order 3: set-points at ease, and driven into the walls."""
    source = np.random.default_rng(seed)
    limits = FilterLimits(3.0, 15.0, 200.0, -1.5, 1.5)

    def calm(motion: MotionFilter, index: int) -> None:
        if index % 50 == 0:
            motion.set_point(source.uniform(-1.5, 1.5, JOINTS))

    def walls(motion: MotionFilter, index: int) -> None:
        if index % 20 == 0:
            motion.set_point(np.where(source.random(JOINTS) < 0.5, -1.5, 1.5))

    start = np.zeros(JOINTS)
    vivid = FilterCharacter(0.3, 0.5)
    fierce = FilterCharacter(0.1, 0.0, 50.0, limiter=Limiter.HARD)
    settling = FilterCharacter(0.1, 0.0, 50.0, 0.0, limiter=Limiter.HARD)
    return [
        _measure(name, MotionFilter(start, limits, character, rate_hz=RATE_HZ), drive, steps)
        for name, character, drive in (
            ("calm", vivid, calm),
            ("into the ends of the range", fierce, walls),
            ("into the ends, without overshoot", settling, walls),
        )
    ]

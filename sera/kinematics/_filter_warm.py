"""Have every kernel of the motion filters compiled, so that no first step waits for it."""

from __future__ import annotations

import numpy as np

from sera.kinematics.filter import Ball, FilterLimits, MotionFilter, VectorFilter


def warm_filters() -> None:
    """Run everything once that calls a kernel."""
    limits = FilterLimits(velocity=1.0, acceleration=1.0, jerk=1.0)
    motion = MotionFilter(np.zeros(2), limits)
    motion.set_point([0.1, 0.1])
    motion.set_limits(limits)
    motion.step()
    motion.stops(np.zeros(2))
    point = VectorFilter(np.zeros(2), limits, region=Ball([0.0, 0.0], 1.0))
    point.set_point([0.1, 0.1])
    point.set_limits(limits)
    point.step()

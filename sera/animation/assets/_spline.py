"""A cubic B-spline over evenly spaced control points, as a curve with knots."""

from __future__ import annotations

import numpy as np

from sera.animation.assets.curve import Curve
from sera.animation.assets.tangents import Knots
from sera.kinematics._arrays import FloatArray


def clamped_b_spline(points: FloatArray, step_s: float) -> Curve:
    """The spline that begins at rest at the first point and ends at rest at the last one.

    Between knots every derivative is a mean of the points' differences of that order: the spline
    is nowhere faster, nor more jerky, than the points.
    """
    # With an end three times over, all that moves the first and the last piece is that end.
    first, last = points[:1], points[-1:]
    padded = np.concatenate([first, first, points, last, last])
    values = (padded[:-2] + 4.0 * padded[1:-1] + padded[2:]) / 6.0
    slopes = (padded[2:] - padded[:-2]) / (2.0 * step_s)
    values[0], values[-1] = points[0], points[-1]  # without the rounding of the mean
    times_s: FloatArray = np.arange(len(values), dtype=np.float64) * step_s
    return Curve(Knots(times_s, values, slopes, slopes, np.zeros(len(values), dtype=np.bool_)))

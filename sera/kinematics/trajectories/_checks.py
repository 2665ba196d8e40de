"""Checks of what users hand to trajectories, with sentences that name the number that is wrong."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray


def checked_duration(duration_s: float) -> float:
    if not (math.isfinite(duration_s) and duration_s > 0.0):
        raise ValueError(f"The duration is {duration_s} s; a trajectory lasts longer than 0 s.")
    return float(duration_s)


def checked_times(times_s: ArrayLike) -> FloatArray:
    """Times of knots from nought on: at least two, each later than the one before."""
    times = finite(times_s, "times")
    if times.ndim != 1 or len(times) < 2:
        raise ValueError(f"A trajectory needs at least two times; their shape is {times.shape}.")
    if times[0] != 0.0:
        raise ValueError(f"The first time is {times[0]:g} s; a trajectory begins at 0 s.")
    for index, step in enumerate(np.diff(times)):
        if step == 0.0:
            raise ValueError(
                f"Knots {index + 1} and {index + 2} are both at {times[index]:g} s; remove one, or "
                "give it another time."
            )
        if step < 0.0:
            raise ValueError(
                f"Knot {index + 2} at {times[index + 1]:g} s comes before knot {index + 1} at "
                f"{times[index]:g} s; sort the knots by time."
            )
    return times


def checked_knots(knots: ArrayLike, count: int) -> FloatArray:
    """One row of joints for each time; a row of plain numbers is one joint."""
    array = finite(knots, "knots")
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"Knots are rows of joints; their shape is {array.shape}.")
    if len(array) != count:
        raise ValueError(f"{len(array)} knots came in for {count} times; give one knot each.")
    return np.ascontiguousarray(array)


def checked_row(values: ArrayLike | None, like: FloatArray, what: str) -> FloatArray:
    """One number for each joint of `like`; None is nought, one number is for all of them."""
    if values is None:
        return np.zeros(like.shape)
    array = finite(values, what)
    if array.ndim and array.shape != like.shape:
        raise ValueError(
            f"The {what} has the shape {array.shape}, but {like.shape} is needed, as of the knots."
        )
    return np.array(np.broadcast_to(array, like.shape))


def finite(values: ArrayLike, what: str) -> FloatArray:
    """A fresh array of finite numbers."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"The {what} must be numbers; given was {values!r}.") from None
    if not np.all(np.isfinite(array)):
        raise ValueError(f"The {what} holds a number that is not finite: {values!r}.")
    return array


def sample_times(duration_s: float, rate_hz: float) -> FloatArray:
    """Evenly spaced times from nought up to the first one that is not before the end."""
    if not (math.isfinite(rate_hz) and rate_hz > 0.0):
        raise ValueError(f"The rate is {rate_hz} Hz; give a rate above nought.")
    steps = duration_s * rate_hz
    whole = round(steps)
    # Rounding must not add a sample where the rate meets the end exactly.
    meets_the_end = whole > 0 and abs(steps - whole) <= 1e-9 + 1e-12 * steps
    times = np.arange((whole if meets_the_end else math.ceil(steps)) + 1) / rate_hz
    if meets_the_end:
        times[-1] = duration_s
    return times

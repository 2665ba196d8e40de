"""How something is switched on and off without a jump: shapes from 0 to 1, and what uses them.

Design overview: all shapes of the null-space document are one function of the way u through a
band, smooth of all orders, flat at both ends:

    S(u, a) = ½ · (1 + tanh(a / (1 - u) - a / u))     0 for u ≤ 0, 1 for u ≥ 1

    rise    a = 1     f_beta, by which a joint near its end is taken over (7.6)
    ramp    a = ½     between two values, for visibility
    fall    1 - S     f_L, by which lower levels give way to an error (7.11)

`limit_activation` is 1 at and beyond the end of a joint. The document prints 0 there (7.5), which
would let a joint go as soon as it has passed its end.

Units and frames: joints are normalised, -1 and 1 at their ends; everything else has the unit of
its band. Each function takes a number, or an array of any shape, and gives the same back.
Threading: no state.
Safety: NaN and empty bands raise ValueError; infinite values are beyond the band.
"""

from __future__ import annotations

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel


@kernel
def smooth(way: float, steepness: float) -> float:
    """The shape S itself; `way` is 0 at the beginning of the band and 1 at its end."""
    if way <= 0.0:
        return 0.0
    if way >= 1.0:
        return 1.0
    return 0.5 * (1.0 + math.tanh(steepness / (1.0 - way) - steepness / way))


@kernel
def _smooth_all(ways: FloatArray, steepness: float) -> None:
    """The same for each number (n,), in place."""
    for index in range(len(ways)):
        ways[index] = smooth(ways[index], steepness)


@overload
def rise(depth: float, band: float) -> float: ...
@overload
def rise(depth: ArrayLike, band: float) -> float | FloatArray: ...
def rise(depth: ArrayLike, band: float) -> float | FloatArray:
    """From 0 where a band begins to 1 at its end: f_beta, with ½ in the middle."""
    _check_band(0.0, band, "band")
    return _shape(depth, 0.0, band, 1.0, falls=False)


@overload
def ramp(value: float, start: float, end: float) -> float: ...
@overload
def ramp(value: ArrayLike, start: float, end: float) -> float | FloatArray: ...
def ramp(value: ArrayLike, start: float, end: float) -> float | FloatArray:
    """From 0 at `start` to 1 at `end`, less steep in the middle than `rise`."""
    _check_band(start, end, "ramp")
    return _shape(value, start, end, 0.5, falls=False)


@overload
def fall(value: float, start: float, end: float, slope: float | None = None) -> float: ...
@overload
def fall(
    value: ArrayLike, start: float, end: float, slope: float | None = None
) -> float | FloatArray: ...
def fall(
    value: ArrayLike, start: float, end: float, slope: float | None = None
) -> float | FloatArray:
    """From 1 at `start` to 0 at `end`: f_L.

    `slope` is the document's A, half of the band unless given; the slope in the middle is
    -4·A / (end - start)².
    """
    _check_band(start, end, "fall")
    steepness = 0.5 if slope is None else slope / (end - start)
    if not (math.isfinite(steepness) and steepness > 0.0):
        raise ValueError(f"The slope of a fall is {slope}; give a number above 0, or None.")
    return _shape(value, start, end, steepness, falls=True)


@overload
def error_gate(error: float, start: float = 0.001, end: float = 0.002) -> float: ...
@overload
def error_gate(
    error: ArrayLike, start: float = 0.001, end: float = 0.002
) -> float | FloatArray: ...
def error_gate(error: ArrayLike, start: float = 0.001, end: float = 0.002) -> float | FloatArray:
    """How much of the levels below may pass while a level has an error: k_L (7.10)."""
    return fall(error, start, end)


@overload
def limit_activation(normalised: float, band: float = 0.1) -> float: ...
@overload
def limit_activation(normalised: ArrayLike, band: float = 0.1) -> float | FloatArray: ...
def limit_activation(normalised: ArrayLike, band: float = 0.1) -> float | FloatArray:
    """How much a joint is taken over near its ends, -1 and 1: h(q) (7.5), 1 beyond them."""
    _check_band(0.0, band, "band")
    if band > 1.0:
        raise ValueError(f"The band is {band} of a half range; give a share above 0 and up to 1.")
    values = _numbers(normalised)
    return _shape(np.abs(values), 1.0 - band, 1.0, 1.0, falls=False)


def _numbers(values: ArrayLike) -> FloatArray:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(math.nan)
    if np.isnan(numbers).any():
        raise ValueError(f"What is to be switched smoothly is {values!r}; give numbers.")
    return numbers


def _check_band(start: float, end: float, what: str) -> None:
    if not (math.isfinite(start) and math.isfinite(end) and start < end):
        raise ValueError(
            f"The {what} goes from {start} to {end}; it has to end above where it begins."
        )


def _shape(
    values: ArrayLike, start: float, end: float, steepness: float, *, falls: bool
) -> float | FloatArray:
    numbers = _numbers(values)
    ways = np.ascontiguousarray((numbers - start) / (end - start)).reshape(-1)
    _smooth_all(ways, steepness)
    shares = 1.0 - ways if falls else ways
    return float(shares[0]) if numbers.ndim == 0 else shares.reshape(numbers.shape)

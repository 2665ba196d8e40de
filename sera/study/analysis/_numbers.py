"""Numbers in and out: what counts as a value, and how journals print figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = Iterable[Any]
"""Numbers; None, NaN, anything beyond 1e60 and anything that is no number count as missing."""
Array = NDArray[np.float64]

NOTHING = "\N{EN DASH}"
"""Stands where there is no figure."""
_LARGEST, _SMALLEST = 1e60, 1e-60
"""No measure lies outside, and fourth powers inside still fit into floats."""
_NOISE = 1e-12
"""Relative spread below which numbers are equal but for rounding."""


def number(value: Any) -> float | None:
    """The value as a float; None where it is missing, no number or beyond all measure."""
    if value is None or isinstance(value, str | bytes):
        return None
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not abs(found) <= _LARGEST:
        return None
    return found if abs(found) >= _SMALLEST else 0.0


def present(values: Values) -> Array:
    """The values that are there."""
    found = [one for value in values if (one := number(value)) is not None]
    return np.asarray(found, dtype=np.float64)


def paired(first: Values, second: Values) -> tuple[Array, Array]:
    """The pairs of which both values are there."""
    both = [
        (left, right)
        for one, other in zip(first, second, strict=True)
        if (left := number(one)) is not None and (right := number(other)) is not None
    ]
    table = np.asarray(both, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def is_constant(values: Array) -> bool:
    """Whether all values are the same, but for what rounding does."""
    if values.size < 2:
        return True
    largest = float(np.max(np.abs(values)))
    return float(np.ptp(values)) <= _NOISE * largest


def levelled(values: Array, among: Array | None = None) -> Array:
    """Values whose differences by rounding are gone, so that 0.1 + 0.2 and 0.3 share a rank.

    Args:
        values: what is ranked next; its order and its unit do not matter any more.
        among: whose magnitude rounding goes by, such as the values that these are differences of.
    """
    measured = values if among is None else among
    largest = float(np.max(np.abs(measured))) if measured.size else 0.0
    return np.round(values / (largest * _NOISE)) if largest > 0 else values


def too_few(least: int, **sizes: int) -> str | None:
    """A sentence where one of the sizes is below the least."""
    small = [f"{name.replace('_', ' ')} has {size}" for name, size in sizes.items() if size < least]
    if not small:
        return None
    return f"at least {least} values are needed, but {' and '.join(small)}"


def fixed(value: float | None, digits: int = 2) -> str:
    """A figure with a fixed number of decimals; a dash where there is none."""
    if value is None:
        return NOTHING
    if abs(value) >= 1e7:
        return f"{value:.3g}"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def bounded(value: float | None, digits: int = 2) -> str:
    """A figure that cannot exceed 1, without its leading zero: `.50`, `-.48`."""
    text = fixed(value, digits)
    sign = "-" if text.startswith("-") else ""
    rest = text.removeprefix("-")
    return sign + (rest[1:] if rest.startswith("0.") else rest)


def p_text(p: float | None, symbol: str = "p") -> str:
    """`p = .008`, `p < .001`, `p > .999`."""
    if p is None:
        return f"{symbol} {NOTHING}"
    if p < 0.001:
        return f"{symbol} < .001"
    if p > 0.9995:
        return f"{symbol} > .999"
    return f"{symbol} = {bounded(p, 3)}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"

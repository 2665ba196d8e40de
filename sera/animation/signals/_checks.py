"""Checks of settings, the bound that keeps every signal finite, and seeds.

Design overview: settings are checked once, when they are made, with a sentence that names the
setting, the value and the range. Inputs of `step` are not checked, as they come every frame; they
are bounded where a formula could overflow. NaN goes through; the engine mutes what gave it.
"""

from __future__ import annotations

import math

import numpy as np

LARGEST = 1e9
"""No signal has a larger value; far above any angle or length, far below where floats overflow."""

RandomSource = int | np.random.Generator
"""A seed, or a generator from which a seed is drawn."""


def bounded(value: float) -> float:
    """The value within ±LARGEST."""
    # Plain comparisons are faster than calls of min and max, and this runs many times a frame.
    if value > LARGEST:
        return LARGEST
    return -LARGEST if value < -LARGEST else value  # noqa: FURB136


def within(value: float, lower: float, upper: float) -> float:
    """The value from `lower` to `upper`."""
    if value > upper:
        return upper
    return lower if value < lower else value  # noqa: FURB136


def check(setting: str, value: float, lower: float, upper: float) -> None:
    """Raise ValueError where a setting is not a number from `lower` to `upper`."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise ValueError(  # noqa: TRY004 - one kind of exception for all bad settings
            f"{setting} is {value!r}; give a number from {lower:g} to {upper:g} instead."
        )
    if not (math.isfinite(value) and lower <= value <= upper):
        raise ValueError(f"{setting} is {value:g}; give a number from {lower:g} to {upper:g}.")


def check_order(lower_name: str, lower: float, upper_name: str, upper: float) -> None:
    """Raise ValueError where two settings do not leave room between them."""
    if not lower < upper:
        raise ValueError(
            f"{lower_name} is {lower:g} and {upper_name} is {upper:g}; "
            f"{upper_name} must be the larger one."
        )


def seed_of(source: RandomSource) -> int:
    """A seed of 63 bits, kept so that `reset` can start the same sequence again."""
    if isinstance(source, np.random.Generator):
        return int(source.integers(0, 2**63))
    if isinstance(source, bool) or not isinstance(source, int | np.integer):
        raise ValueError(  # noqa: TRY004 - one kind of exception for all bad settings
            f"The seed is {source!r}; give a whole number or a numpy Generator."
        )
    if source < 0:
        raise ValueError(f"The seed is {source}; give 0 or a positive whole number.")
    return int(source)

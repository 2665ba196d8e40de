"""Joint angles as they come in: checked, and in the one layout that the kernels know.

A kernel is compiled anew for every type and layout of its arguments, so that angles always reach
it as a writable contiguous array of float64.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray

_FLOAT = np.dtype(np.float64)


def checked_angles(angles: ArrayLike, names: Sequence[str], owner: str) -> FloatArray:
    """Angles of all joints in `names`, or a ValueError that says which is wrong."""
    try:
        array = np.ascontiguousarray(angles, dtype=_FLOAT)
    except (TypeError, ValueError):
        raise ValueError(
            f"The angles of {owner!r} must be numbers; given was {angles!r}."
        ) from None
    if array.shape != (len(names),):
        raise ValueError(_wrong_shape(array, names, owner))
    # A sum is finite only if all its parts are; far cheaper than isfinite on a short array.
    if not math.isfinite(sum(array.tolist())):
        _name_the_bad_one(array, names, owner)
    return array if array.flags.writeable else array.copy()


def wrapped(angles: FloatArray) -> FloatArray:
    """Angles within ± π that mean the same turn; those already there stay to the last bit."""
    turned = np.remainder(angles + math.pi, math.tau) - math.pi
    return np.where(np.abs(angles) <= math.pi, angles, turned)


def nearest_of(name: object, known: Iterable[str]) -> str:
    """The end of an error sentence: the nearest known name, or all names where none is near."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known are {', '.join(map(repr, names))}." if names else "there are none."


def _wrong_shape(array: np.ndarray[Any, Any], names: Sequence[str], owner: str) -> str:
    count = len(names)
    given = f"{array.shape[0]} angles" if array.ndim == 1 else f"an array of shape {array.shape}"
    return (
        f"{owner!r} has {count} joints that move ({', '.join(names)}), but {given} came in; "
        f"give {count} angles in this order."
    )


def _name_the_bad_one(array: FloatArray, names: Sequence[str], owner: str) -> None:
    for name, angle in zip(names, array, strict=True):
        if not math.isfinite(angle):
            raise ValueError(f"The angle of joint {name!r} of {owner!r} is {angle}; give a number.")

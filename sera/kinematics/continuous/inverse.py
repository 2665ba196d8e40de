"""The continuous inverse: rows of a task are switched on and off without a jump.

Design overview: the pseudoinverse jumps when a row is added or taken away. The continuous inverse
(Mansard, Remazeilles and Chaumette) is the mean of the pseudoinverses of all subsets of the rows,
weighed by their activations: with activations of 0 and 1 it is the pseudoinverse of the rows that
are on, and in between it goes smoothly from one to the other.

    continuous_inverse(J, h)            J^{⊕H}    rows are switched             (3.4)
    right_continuous_inverse(Q, W)      Q^{W⊕}    directions of joints are      (3.7, 3.8)

The second is for a level below others: W is what these leave, its left singular vectors are the
directions and its singular values their activations. W need not be symmetric; the vectors come
from a general singular value decomposition. Where two singular values between 0 and 1 are the same
the directions are not unique, and neither is the inverse: the ones nearest to the axes are taken.

Only activations between 0 and 1 cost anything: 2^k partial inverses for k of them (`_kernels`).

Units and frames: those of the matrices. Threading: calls release the interpreter lock; each thread
has arrays of its own.
Safety: at most 2^`most_in_transition` partial inverses: beyond it the activations nearest to 0 or
1 are taken as such, which is counted (`snapped`) and may jump. Directions with small singular
values are left out, or damped where `damping` says so. NaN and activations outside of 0 to 1 raise
ValueError.
"""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics.continuous._apart import Inversion
from sera.kinematics.continuous._kernels import SETTLED, Workspace, make_workspace, sum_inverses
from sera.kinematics.continuous._right import right_inverse
from sera.kinematics.priority._singular import decompose
from sera.kinematics.priority.manner import Damping

TRUNCATED = Damping.truncated(1e-3)
"""As the null-space document does it: small singular values are left out."""
MOST_IN_TRANSITION = 10
_MOST_EVER = 16
_MOST_KEPT = 64
_kept = threading.local()


class ContinuousInverse(NamedTuple):
    """An inverse and how it came about."""

    matrix: FloatArray
    """As large as the transposed matrix that was inverted."""
    partial_inverses: int
    """How many pseudoinverses it is the mean of."""
    snapped: int
    """Activations that were taken as 0 or 1 because too many were in transition."""


def continuous_inverse(
    matrix: ArrayLike,
    activations: ArrayLike,
    *,
    damping: Damping = TRUNCATED,
    most_in_transition: int = MOST_IN_TRANSITION,
) -> ContinuousInverse:
    """The inverse (n, m) of a matrix (m, n) whose rows are on as far as `activations` (m,) say.

    Raises:
        ValueError: NaN, wrong sizes, activations outside of 0 to 1.
    """
    rows = checked_matrix(matrix, "matrix")
    shares = checked_activations(activations, len(rows))
    check_bound(most_in_transition)
    out = np.empty_like(rows)
    partial, snapped = sum_inverses(
        rows, shares, inversion_of(damping), most_in_transition, workspace(*rows.shape), out
    )
    return ContinuousInverse(out.T, partial, snapped)


def right_continuous_inverse(
    matrix: ArrayLike,
    weight: ArrayLike,
    *,
    damping: Damping = TRUNCATED,
    most_in_transition: int = MOST_IN_TRANSITION,
) -> ContinuousInverse:
    """The inverse (n, m) of a matrix (m, n) within what `weight` (n, n) leaves free.

    Raises:
        ValueError: NaN, wrong sizes, a weight with singular values above 1.
    """
    rows = checked_matrix(matrix, "matrix")
    vectors = checked_matrix(weight, "weight").copy()
    height, joints = rows.shape
    if vectors.shape != (joints, joints):
        raise ValueError(
            f"The weight has the shape {vectors.shape}; a matrix of {joints} columns takes one of "
            f"({joints}, {joints})."
        )
    check_bound(most_in_transition)
    turns, sizes = np.empty_like(vectors), np.empty(joints)
    decompose(vectors, turns, sizes)
    greatest = float(sizes.max())
    if greatest > 1.0 + SETTLED:
        raise ValueError(
            f"The weight has a singular value of {greatest:.6g}; they are activations and end at "
            "1: divide the weight by the greatest."
        )
    carried, out = np.empty((joints, height)), np.empty((joints, height))
    inverse = np.empty((joints, height))
    partial, snapped = right_inverse(
        rows, turns, np.minimum(sizes, 1.0), inversion_of(damping), most_in_transition, carried,
        workspace(joints, height), out, inverse,
    )  # fmt: skip
    return ContinuousInverse(inverse, partial, snapped)


def inversion_of(damping: Damping) -> Inversion:
    """As the kernels take it; how far a target is, is not known here."""
    return damping.truncate, damping.damping, damping.near


def workspace(rows: int, columns: int) -> Workspace:
    """Room for one shape, kept for the thread that asks: making it takes longer than the sum."""
    shapes: dict[tuple[int, int], Workspace] = _kept.__dict__.setdefault("shapes", {})
    found = shapes.get((rows, columns))
    if found is None:
        if len(shapes) >= _MOST_KEPT:
            shapes.clear()
        found = shapes[rows, columns] = make_workspace(rows, columns)
    return found


def checked_matrix(matrix: ArrayLike, what: str) -> FloatArray:
    """Contiguous finite numbers in rows and columns."""
    try:
        rows = np.ascontiguousarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"The {what} is {matrix!r}; give numbers in rows and columns.")
    if not math.isfinite(float(rows.sum())) and not np.isfinite(rows).all():
        raise ValueError(f"The {what} holds a number that is not finite; look where it comes from.")
    return rows


def checked_activations(activations: ArrayLike, count: int) -> FloatArray:
    """One number of 0 to 1 a row."""
    try:
        shares = np.ascontiguousarray(activations, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.empty(0)
    if shares.shape != (count,):
        raise ValueError(
            f"The activations have the shape {shares.shape}; give one for each of {count} rows."
        )
    if not (shares.min() >= 0.0 and shares.max() <= 1.0):
        raise ValueError(f"The activations are {activations!r}; each is a number from 0 to 1.")
    return shares


def check_bound(most_in_transition: int) -> None:
    """Refuse what would never come to an end."""
    if not 0 <= most_in_transition <= _MOST_EVER:
        raise ValueError(
            f"most_in_transition is {most_in_transition}; give 0 to {_MOST_EVER}: each one doubles "
            "the work."
        )

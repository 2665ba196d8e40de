"""Singular values of a few rows, compiled: one-sided Jacobi rotations, no library call.

Design overview: the rows of a wide matrix A (m, n) are turned against each other until they are
orthogonal (Hestenes). Their lengths are then the singular values, the rows themselves the right
singular vectors times these, and the product of all turns the left singular vectors:

    A = Uᵀ · diag(s) · V        U (m, m), V (m, n), rows orthonormal

Small singular values come out as exactly as large ones, which a product A·Aᵀ would not give: who
builds a projector needs to know what is nought. For six rows it takes a few microseconds, where a
call of LAPACK takes tens.

Units and frames: none. Threading: no state; arrays come from the caller.
Safety: at most `SWEEPS` rounds, whatever the matrix; NaN must not come in.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel

SWEEPS = 30
ORTHOGONAL = 1e-15
"""Rows whose cosine is smaller are orthogonal."""
NOTHING = 1e-9
"""A singular value below this, in terms of rows of length one, is no direction at all."""


@kernel
def decompose(rows: FloatArray, turns: FloatArray, sizes: FloatArray) -> None:
    """Singular values of `rows` (m, n), which become V; `turns` (m, m) becomes U.

    Rows of V that belong to a singular value of nought are nought.
    """
    count, width = rows.shape
    for i in range(count):
        for j in range(count):
            turns[i, j] = 1.0 if i == j else 0.0
    for i in range(count):
        total = 0.0
        for k in range(width):
            total += rows[i, k] * rows[i, k]
        sizes[i] = total
    for _sweep in range(SWEEPS):
        if not _sweep_rows(rows, turns, sizes):
            break
    for i in range(count):
        total = 0.0
        for k in range(width):
            total += rows[i, k] * rows[i, k]
        sizes[i] = math.sqrt(total)
        inverse = 1.0 / sizes[i] if sizes[i] > 0.0 else 0.0
        for k in range(width):
            rows[i, k] *= inverse


@kernel
def _sweep_rows(rows: FloatArray, turns: FloatArray, squares: FloatArray) -> bool:
    """Turn each pair of rows once; whether any needed it."""
    count, width = rows.shape
    turned = False
    for p in range(count - 1):
        for q in range(p + 1, count):
            product = 0.0
            for k in range(width):
                product += rows[p, k] * rows[q, k]
            if abs(product) <= ORTHOGONAL * math.sqrt(squares[p] * squares[q]):
                continue
            turned = True
            half = 0.5 * (squares[q] - squares[p]) / product
            tangent = 1.0 / (abs(half) + math.sqrt(1.0 + half * half))
            if half < 0.0:
                tangent = -tangent
            cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
            sine = cosine * tangent
            first, second = 0.0, 0.0
            for k in range(width):
                a, b = rows[p, k], rows[q, k]
                rows[p, k] = cosine * a - sine * b
                rows[q, k] = sine * a + cosine * b
                first += rows[p, k] * rows[p, k]
                second += rows[q, k] * rows[q, k]
            squares[p], squares[q] = first, second
            for k in range(count):
                a, b = turns[p, k], turns[q, k]
                turns[p, k] = cosine * a - sine * b
                turns[q, k] = sine * a + cosine * b
    return turned


@kernel
def inverted(size: float, smallest: float, damping: float, near: float) -> float:
    """What stands for 1 / size: nought below `smallest`, damped below `near`, without a jump."""
    if size <= NOTHING or size < smallest:
        return 0.0
    if damping <= 0.0 or size >= near:
        return 1.0 / size
    share = 1.0 - (size / near) ** 2  # 1 where `near` is infinite: damped everywhere alike
    return size / (size * size + share * damping * damping)

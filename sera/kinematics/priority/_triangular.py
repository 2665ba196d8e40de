"""A few rows as a triangle times orthonormal rows, compiled: the quick way past singular values.

Design overview: A = L · Q with Q (m, n) orthonormal rows and L (m, m) lower triangular, by
Gram and Schmidt, each row twice. Where the smallest singular value is surely above what an inverse
would damp, A⁺ = Qᵀ · L⁻¹ is exact and singular values need not be known: 1 / |L⁻¹| (Frobenius) is
never above the smallest one. This is the usual case and takes a third of the time.

Units and frames: none. Threading: no state; arrays come from the caller.
Safety: a row that depends on the others is found, and the answer says so; nothing is divided by it.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics.priority._singular import NOTHING


@kernel
def orthonormalise(rows: FloatArray, count: int, lower: FloatArray) -> bool:
    """Turn the first rows into Q and write L; False where a row depends on the others."""
    width = rows.shape[1]
    for i in range(count):
        for j in range(count):
            lower[i, j] = 0.0
        for _time in range(2):
            for j in range(i):
                share = 0.0
                for k in range(width):
                    share += rows[j, k] * rows[i, k]
                lower[i, j] += share
                for k in range(width):
                    rows[i, k] -= share * rows[j, k]
        total = 0.0
        for k in range(width):
            total += rows[i, k] * rows[i, k]
        size = math.sqrt(total)
        if size <= NOTHING:
            return False
        lower[i, i] = size
        inverse = 1.0 / size
        for k in range(width):
            rows[i, k] *= inverse
    return True


@kernel
def least_size(lower: FloatArray, count: int, inverse: FloatArray) -> float:
    """Write L⁻¹; returns a bound below the smallest singular value of L."""
    total = 0.0
    for column in range(count):
        for row in range(column):
            inverse[row, column] = 0.0
        inverse[column, column] = 1.0 / lower[column, column]
        for row in range(column + 1, count):
            value = 0.0
            for k in range(column, row):
                value -= lower[row, k] * inverse[k, column]
            inverse[row, column] = value / lower[row, row]
        for row in range(column, count):
            total += inverse[row, column] ** 2
    return 1.0 / math.sqrt(total)

"""Eigenvectors of a small symmetric matrix by Jacobi's rotations, compiled.

Made for matrices of a few rows, where it beats a call of a linear algebra library by far and needs
no memory of its own.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel

MOST_SWEEPS = 16
NEGLIGIBLE = 1e-30
"""Squares of the elements beside the diagonal, as a part of the squares on it."""


@kernel
def eigen_symmetric(matrix: FloatArray, vectors: FloatArray, size: int) -> None:
    """Turn the first rows and columns of `matrix` into a diagonal one of eigenvalues.

    `vectors` hold the eigenvectors as columns.
    """
    for row in range(size):
        for column in range(size):
            vectors[row, column] = 1.0 if row == column else 0.0
    for _ in range(MOST_SWEEPS):
        beside, along = 0.0, 0.0
        for row in range(size):
            along += matrix[row, row] * matrix[row, row]
            for column in range(row):
                beside += matrix[row, column] * matrix[row, column]
        if beside <= NEGLIGIBLE * along:
            break
        for row in range(size):
            for column in range(row):
                _rotate_away(matrix, vectors, size, column, row)


@kernel
def _rotate_away(
    matrix: FloatArray, vectors: FloatArray, size: int, first: int, second: int
) -> None:
    """Rotate two axes so that the element between them becomes nought."""
    element = matrix[second, first]
    if element == 0.0:
        return
    ratio = (matrix[second, second] - matrix[first, first]) / (2.0 * element)
    tangent = 1.0 / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
    if ratio < 0.0:
        tangent = -tangent
    cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    for index in range(size):
        one, other = matrix[index, first], matrix[index, second]
        matrix[index, first] = cosine * one - sine * other
        matrix[index, second] = sine * one + cosine * other
        one, other = vectors[index, first], vectors[index, second]
        vectors[index, first] = cosine * one - sine * other
        vectors[index, second] = sine * one + cosine * other
    for index in range(size):
        one, other = matrix[first, index], matrix[second, index]
        matrix[first, index] = cosine * one - sine * other
        matrix[second, index] = sine * one + cosine * other

"""One level of the continuous hierarchy, compiled: what it adds and what it leaves.

Units and frames: those of the level. Threading: no state; arrays come from the caller.
"""

from __future__ import annotations

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics.priority._singular import decompose


@kernel
def take_level(
    rows: FloatArray,
    missing: FloatArray,
    left: FloatArray,
    inverse: FloatArray,
    share: float,
    bounded: bool,
    velocity: FloatArray,
    null: FloatArray,
    vectors: FloatArray,
    turns: FloatArray,
    sizes: FloatArray,
) -> float:
    """Add a level of `rows` (m, n) to `velocity` (n,) and take what it uses from `null` (n, n).

    `missing` (m,) is the wanted velocity of the rows; what the levels above do already is taken
    from it here. `left` (m, n) is what the level uses up of them, see `Recursion`. Writes U (rows
    of `turns`) and the singular values of `null`; where `bounded` it is divided by the greatest of
    these if that is above 1. Returns the greatest before that.
    """
    height, joints = rows.shape
    for i in range(height):
        for k in range(joints):
            missing[i] -= rows[i, k] * velocity[k]
    for j in range(joints):
        for i in range(height):
            velocity[j] += share * inverse[j, i] * missing[i]
        for k in range(joints):
            used = 0.0
            for i in range(height):
                used += inverse[j, i] * left[i, k]
            null[j, k] -= used
            vectors[j, k] = null[j, k]
    decompose(vectors, turns, sizes)
    greatest = 0.0
    for j in range(joints):
        greatest = max(greatest, sizes[j])
    if bounded and greatest > 1.0:
        for j in range(joints):
            sizes[j] /= greatest
            for k in range(joints):
                null[j, k] /= greatest
    return greatest

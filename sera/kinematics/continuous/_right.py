"""The inverse of a level below others, compiled.

Design overview: with N = U·S·Vᵀ and a_j = J·u_j the right continuous inverse is

    J^{N⊕} = Σ_j u_j · c_jᵀ      c: the continuous inverse of the rows a_jᵀ with activations s

so that the sum is over n rows of only m numbers each, the small side.

Units and frames: none. Threading: no state; arrays come from the caller.
"""

from __future__ import annotations

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics.continuous._apart import Inversion
from sera.kinematics.continuous._kernels import Workspace, sum_inverses


@kernel
def right_inverse(
    rows: FloatArray,
    turns: FloatArray,
    sizes: FloatArray,
    how: Inversion,
    most: int,
    carried: FloatArray,
    work: Workspace,
    out: FloatArray,
    inverse: FloatArray,
) -> tuple[int, int]:
    """Write the inverse (n, m) of `rows` (m, n) within N, given as U (rows of `turns`) and S.

    `carried` and `out` are (n, m). Returns what `sum_inverses` does.
    """
    height, joints = rows.shape
    for j in range(joints):
        for i in range(height):
            total = 0.0
            for k in range(joints):
                total += turns[j, k] * rows[i, k]
            carried[j, i] = total
    counts = sum_inverses(carried, sizes, how, most, work, out)
    for k in range(joints):
        for i in range(height):
            total = 0.0
            for j in range(joints):
                total += turns[j, k] * out[j, i]
            inverse[k, i] = total
    return counts

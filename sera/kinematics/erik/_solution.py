"""What ERIK answers: one pose with its errors, or arrays of them."""

from __future__ import annotations

from dataclasses import dataclass

from sera.kinematics._arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Solution:
    """One pose for one posture and one target orientation."""

    angles_rad: FloatArray
    """Within the joints' limits, root first."""
    orientation_error: float
    """0 to 1; about 0.35 for each radian that the end point is off, while that is small."""
    posture_error: float
    """0 to 1, not weighted."""
    error: float
    """orientation weight · orientation error + posture weight · posture error."""
    converged: bool
    """The error is at most the threshold."""
    iterations: int
    """Passes of refinement, plus one for the closed forms."""
    switched: bool
    """A previous pose was given and some joint had to leave its branch for this one."""
    posture_rad: FloatArray
    target_wxyz: FloatArray

    def fits(self, dof: int) -> bool:
        """Whether it may be one of a chain with so many joints."""
        return len(self.angles_rad) == dof


@dataclass(frozen=True, slots=True)
class BatchSolution:
    """Arrays over the rows that came in; the fields mean what they mean in `Solution`."""

    angles_rad: FloatArray  # (m, n)
    orientation_error: FloatArray  # (m,)
    posture_error: FloatArray  # (m,)
    error: FloatArray  # (m,)
    converged: BoolArray  # (m,)
    iterations: IntArray  # (m,)

    def __len__(self) -> int:
        return len(self.error)

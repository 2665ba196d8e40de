"""The settings of ERIK that stay the same from one solution to the next.

The first group belongs to the error function and to the decision when a pose is good enough, and
counts for every method; the second steers the iterations of the method `published`; the third
switches its four extensions. The document prints the figures of the first group alone: the others
are chosen so that the evaluation comes close to its tables (docs/erik.md tells how close).

Units and frames: radians; errors lie between nought and one.
Threading: immutable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

_NOT_NEGATIVE = ("orientation_weight", "posture_weight", "threshold", "disturbance_rad")
_POSITIVE = (
    "error_aggravation",
    "ccd_precision",
    "lalut_step_rad",
    "non_convergence_tolerance",
)
_COUNTS = {"max_iterations": 1, "max_ccd_iterations": 1, "non_convergence_window": 2}
_FLAGS = ("symmetric_endpoint", "avoid_edges", "offset_trick", "ccd_trick")
_FINEST_STEP_RAD = 1e-4
_COARSEST_STEP_RAD = math.pi / 8.0
_LARGEST_DISTURBANCE_RAD = math.pi / 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyperparameters:
    """Weights, thresholds, iteration counts and extensions; invalid values raise `ValueError`."""

    orientation_weight: float = 1.0
    posture_weight: float = 0.2
    threshold: float = 0.04
    """A pose with at most this combined error is accepted at once."""
    error_aggravation: float = 2.0
    """How much dearer a wrong bend is than the same one at the bending joint before it."""

    max_iterations: int = 20
    max_ccd_iterations: int = 10
    """Sweeps over the chain in each coordinate descent (BWCD and CCD)."""
    ccd_precision: float = 1e-3
    """Coordinate descents stop at (1 - cosine of the angle to the target direction) / 2."""
    disturbance_rad: float = 0.02
    """Offset trick: how far the target is turned. Avoiding edges: how far a joint backs off."""
    lalut_step_rad: float = math.pi / 180.0
    """Step of the latitude look-up table."""
    non_convergence_window: int = 3
    """This many equal errors in a row, or a cycle up to this length, count as standing still."""
    non_convergence_tolerance: float = 1e-3
    """Errors count as equal within this difference."""

    symmetric_endpoint: bool = False
    """The end point may also be used turned by half a turn about its own segment."""
    avoid_edges: bool = True
    offset_trick: bool = True
    ccd_trick: bool = True

    def __post_init__(self) -> None:
        for field in fields(self):
            name = field.name
            value = getattr(self, name)
            if name in _FLAGS:
                if not isinstance(value, bool):
                    raise ValueError(f"Hyperparameters.{name} is {value!r}: give True or False.")
            elif name in _COUNTS:
                self._check_count(name, value)
            else:
                self._check_number(name, value)
        if not _FINEST_STEP_RAD <= self.lalut_step_rad <= _COARSEST_STEP_RAD:
            raise ValueError(
                f"Hyperparameters.lalut_step_rad is {self.lalut_step_rad!r}: give an angle between "
                f"{_FINEST_STEP_RAD} and {_COARSEST_STEP_RAD:.4f} rad (one degree is customary)."
            )
        if self.disturbance_rad > _LARGEST_DISTURBANCE_RAD:
            raise ValueError(
                f"Hyperparameters.disturbance_rad is {self.disturbance_rad!r}: at most "
                f"{_LARGEST_DISTURBANCE_RAD:.4f} rad makes sense for a small disturbance."
            )
        if self.orientation_weight == 0.0 and self.posture_weight == 0.0:
            raise ValueError(
                "Hyperparameters.orientation_weight and posture_weight are both 0, so that every "
                "pose would be perfect: give at least one of them a positive value."
            )

    @staticmethod
    def _check_count(name: str, value: object) -> None:
        least = _COUNTS[name]
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(
                f"Hyperparameters.{name} is {value!r}: give a whole number of at least {least}."
            )

    @staticmethod
    def _check_number(name: str, value: object) -> None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):  # type: ignore[arg-type]
            raise ValueError(f"Hyperparameters.{name} is {value!r}: give a finite number.")
        assert isinstance(value, (int, float))
        if name in _POSITIVE and value <= 0.0:
            raise ValueError(f"Hyperparameters.{name} is {value!r}: give a number above 0.")
        if name in _NOT_NEGATIVE and value < 0.0:
            raise ValueError(f"Hyperparameters.{name} is {value!r}: give 0 or a number above 0.")

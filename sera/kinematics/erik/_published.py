"""The method `published` for Python callers: one pose, or rows of poses.

Design overview: a `PublishedMethod` holds what never changes (local frames, look-up tables,
settings) and hands arrays to the kernels. The caller makes sure that numbers are finite and
quaternions of unit length; shapes are checked here. A solve allocates its workspace and nothing
else.

Units and frames: radians; targets are turns of the end counted from the zero pose, w, x, y, z.
Threading: immutable; each call makes its own workspace, so that threads may share one object.
Safety: angles within limits, always.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sera.kinematics._arrays import BoolArray, FloatArray, IntArray
from sera.kinematics.erik._joint_model import JointModel, make_error_model, make_joint_model
from sera.kinematics.erik._model import ErikModel
from sera.kinematics.erik._published_pose import Settings, make_workspace
from sera.kinematics.erik._published_solve import solve_pose, solve_rows
from sera.kinematics.erik.hyperparameters import Hyperparameters


@dataclass(frozen=True, slots=True)
class PublishedRows:
    """Arrays over the rows of a batch."""

    angles_rad: FloatArray  # (rows, n)
    errors: FloatArray  # (rows,)
    iterations: IntArray  # (rows,)
    converged: BoolArray  # (rows,)


class PublishedMethod:
    """The document's algorithm, made ready for one chain."""

    def __init__(self, model: ErikModel, hyperparameters: Hyperparameters) -> None:
        self._hyperparameters = hyperparameters
        self._joints = make_joint_model(model, hyperparameters.lalut_step_rad)
        self._errors = make_error_model(model)
        self._settings = _settings_of(hyperparameters)

    @property
    def joints(self) -> JointModel:
        return self._joints

    def solve(
        self, posture_rad: FloatArray, target_wxyz: FloatArray
    ) -> tuple[FloatArray, int, bool]:
        """Angles, iterations, and whether the combined error is within the threshold."""
        posture = np.ascontiguousarray(posture_rad, dtype=np.float64)
        self._check_shapes(posture[np.newaxis], np.asarray(target_wxyz)[np.newaxis])
        work = make_workspace(len(posture), self._hyperparameters.max_iterations)
        w, x, y, z = (float(value) for value in target_wxyz)
        _, iterations, converged = solve_pose(
            self._joints, self._errors, self._settings, posture, (w, x, y, z), work
        )
        return work.best_rad, iterations, converged

    def solve_rows(self, postures_rad: FloatArray, targets_wxyz: FloatArray) -> PublishedRows:
        """The same for each row, without the interpreter lock."""
        postures = np.ascontiguousarray(postures_rad, dtype=np.float64)
        targets = np.ascontiguousarray(targets_wxyz, dtype=np.float64)
        self._check_shapes(postures, targets)
        rows, count = postures.shape
        angles_rad = np.empty((rows, count))
        errors = np.empty(rows)
        iterations = np.empty(rows, dtype=np.int64)
        work = make_workspace(count, self._hyperparameters.max_iterations)
        solve_rows(
            self._joints,
            self._errors,
            self._settings,
            postures,
            targets,
            work,
            angles_rad,
            errors,
            iterations,
        )
        converged = errors <= self._hyperparameters.threshold
        return PublishedRows(angles_rad, errors, iterations, converged)

    def _check_shapes(self, postures_rad: FloatArray, targets_wxyz: FloatArray) -> None:
        # Kernels read what they are promised: a wrong shape must not reach them.
        count = len(self._joints.numbers)
        if postures_rad.ndim != 2 or postures_rad.shape[1] != count:
            raise ValueError(
                f"A posture of this chain has {count} angles; the array given has the shape "
                f"{postures_rad.shape}."
            )
        if targets_wxyz.shape != (len(postures_rad), 4):
            raise ValueError(
                f"{len(postures_rad)} postures need as many targets of four numbers (w, x, y, z); "
                f"the array given has the shape {targets_wxyz.shape}."
            )


def solve_published(
    model: ErikModel,
    posture_rad: FloatArray,
    target_wxyz_from_zero: FloatArray,
    hyperparameters: Hyperparameters,
    symmetric_endpoint: bool | None = None,
) -> tuple[FloatArray, int, bool]:
    """One pose of a chain that is solved once; `PublishedMethod` keeps its tables for the next.

    `symmetric_endpoint` stands above the extension of that name in the hyperparameters.
    """
    if symmetric_endpoint is not None:
        hyperparameters = replace(hyperparameters, symmetric_endpoint=symmetric_endpoint)
    return PublishedMethod(model, hyperparameters).solve(posture_rad, target_wxyz_from_zero)


def _settings_of(hyperparameters: Hyperparameters) -> Settings:
    # Plain floats: a whole number would make numba compile everything a second time.
    return Settings(
        orientation_weight=float(hyperparameters.orientation_weight),
        posture_weight=float(hyperparameters.posture_weight),
        threshold=float(hyperparameters.threshold),
        max_iterations=hyperparameters.max_iterations,
        max_ccd_iterations=hyperparameters.max_ccd_iterations,
        ccd_precision=float(hyperparameters.ccd_precision),
        disturbance_rad=float(hyperparameters.disturbance_rad),
        non_convergence_window=hyperparameters.non_convergence_window,
        non_convergence_tolerance=float(hyperparameters.non_convergence_tolerance),
        symmetric_endpoint=hyperparameters.symmetric_endpoint,
        avoid_edges=hyperparameters.avoid_edges,
        offset_trick=hyperparameters.offset_trick,
        ccd_trick=hyperparameters.ccd_trick,
    )

"""The solver of one chain: `Solver(chain).solve(posture, target)`.

Design overview: everything that depends on the chain alone is prepared once (model, weights, which
joints are solved for); a solve is one kernel call. Method `optimal` finds the optimum of the error
function (`_optimal`, and `_following` where a previous pose is given); method `published` runs the
document's phases with their stop rule.

Units and frames: radians; orientations of the end point in the base frame as (w, x, y, z).
Threading: immutable; one solver may serve several threads. `solve_batch` uses all cores.
Safety: angles are always within the limits; bad input raises ValueError and solves nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles
from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics.chain import Chain
from sera.kinematics.erik._batch import (
    measure_rows,
    share_rows,
    solve_after,
    solve_next,
    solve_rows,
    step_allowed,
    turn_between,
    turned_rows,
)
from sera.kinematics.erik._following import STEP_PER_TURN
from sera.kinematics.erik._input import checked_posture, checked_rows, checked_target
from sera.kinematics.erik._model import model_of_chain, turning_joints
from sera.kinematics.erik._plan import LEAST_ORIENTATION_WEIGHT, make_body
from sera.kinematics.erik._solution import BatchSolution, Solution
from sera.kinematics.erik.hyperparameters import Hyperparameters
from sera.kinematics.rotations import conjugate

if TYPE_CHECKING:
    from sera.kinematics.erik._published import PublishedMethod

Method = Literal["optimal", "published"]
METHODS: tuple[Method, ...] = ("optimal", "published")


class Solver:
    """Poses of a chain that hold a posture while the end point faces an orientation."""

    def __init__(
        self,
        chain: Chain,
        *,
        symmetric_endpoint: bool | None = None,
        method: Method = "optimal",
        hyperparameters: Hyperparameters | None = None,
    ) -> None:
        """Prepare a solver.

        `symmetric_endpoint` says that the end point looks the same after half a turn about its
        own segment, which doubles the poses that serve; it outdoes that of the hyperparameters.
        """
        if method not in METHODS:
            raise ValueError(f"There is no method {method!r}; choose {' or '.join(METHODS)}.")
        parameters = hyperparameters or Hyperparameters()
        if symmetric_endpoint is not None:
            parameters = replace(parameters, symmetric_endpoint=symmetric_endpoint)
        self.chain = chain
        self.method: Method = method
        self.hyperparameters = parameters
        self.symmetric_endpoint = parameters.symmetric_endpoint
        self._model = model_of_chain(chain, parameters.error_aggravation)
        self._body = make_body(self._model, parameters)
        self._published: PublishedMethod | None = None
        if method == "published":  # its kernels take a while to load, and few need them
            from sera.kinematics.erik._published import PublishedMethod

            self._published = PublishedMethod(self._model, parameters)
        self._turning = turning_joints(chain)
        self._all_turn = len(self._turning) == chain.dof
        self._tip_is_straight = bool(np.allclose(self._model.tip_wxyz, (1, 0, 0, 0), atol=1e-15))
        self._untip_wxyz = np.array(conjugate(self._model.tip_wxyz))
        self._bare_threshold = parameters.threshold / max(
            parameters.orientation_weight, LEAST_ORIENTATION_WEIGHT
        )

    def __repr__(self) -> str:
        symmetric = ", symmetric end point" if self.symmetric_endpoint else ""
        return f"<erik.Solver of {self.chain!r}, {self.method}{symmetric}>"

    def solve(
        self,
        posture_rad: ArrayLike,
        target_wxyz: ArrayLike,
        previous: Solution | ArrayLike | None = None,
    ) -> Solution:
        """Find the pose for a posture and an orientation of the end point.

        With `previous` (the last solution, or the angles the robot has now) the pose stays on its
        branch while that is acceptable. A `Solution` is better than bare angles: it knows
        the posture it was made for, so that a new posture is not taken for a jump.
        """
        posture = checked_posture(posture_rad, self.chain)
        return self._solved(posture, checked_target(target_wxyz), previous)

    def follow(self, posture_rad: FloatArray, target_wxyz: FloatArray, last: Solution) -> Solution:
        """As `solve`, for a loop that has good arrays and the last solution: nothing is checked."""
        return self._solved(posture_rad, target_wxyz, last)

    def _solved(
        self, posture: FloatArray, target: FloatArray, previous: Solution | ArrayLike | None
    ) -> Solution:
        bends = posture if self._all_turn else posture[self._turning]
        targets = self._turns_from_zero(target.reshape(1, 4))
        angles = np.empty((1, len(bends)))
        errors = np.empty((1, 2))
        switched = False
        if self.method == "published" or previous is None:
            iterations = int(self._solve_all(bends.reshape(1, -1), targets, angles, errors)[0])
            if previous is not None:
                switched = self._has_jumped(bends, targets, previous, angles[0])
        elif isinstance(previous, Solution) and self._all_turn and previous.fits(self.chain.dof):
            iterations, switched = solve_after(
                self._body, self._model.weights, bends.reshape(1, -1), targets,
                previous.angles_rad, previous.posture_rad,
                self._turns_from_zero(previous.target_wxyz.reshape(1, 4)),
                self._bare_threshold, angles, errors,
            )  # fmt: skip
        else:
            iterations, switched = solve_next(
                self._body, self._model.weights, bends.reshape(1, -1), targets,
                *self._start(bends, targets, previous), self._bare_threshold, angles, errors,
            )  # fmt: skip
        parameters = self.hyperparameters
        orientation, bend = errors[0].tolist()
        error = parameters.orientation_weight * orientation + parameters.posture_weight * bend
        return Solution(
            angles_rad=self._with_sliding(posture, angles[0]),
            orientation_error=orientation,
            posture_error=bend,
            error=error,
            converged=error <= parameters.threshold,
            iterations=iterations,
            switched=switched,
            posture_rad=posture,
            target_wxyz=target,
        )

    def solve_batch(self, postures_rad: ArrayLike, targets_wxyz: ArrayLike) -> BatchSolution:
        """Solve many rows on all cores; one posture or one target may stand for all rows."""
        postures, targets = checked_rows(postures_rad, targets_wxyz, self.chain)
        bends = postures if self._all_turn else np.ascontiguousarray(postures[:, self._turning])
        angles = np.empty_like(bends)
        errors = np.empty((len(bends), 2))
        iterations = self._solve_all(bends, self._turns_from_zero(targets), angles, errors)
        parameters = self.hyperparameters
        error = (
            parameters.orientation_weight * errors[:, 0] + parameters.posture_weight * errors[:, 1]
        )
        return BatchSolution(
            angles_rad=self._with_sliding(postures, angles),
            orientation_error=errors[:, 0].copy(),
            posture_error=errors[:, 1].copy(),
            error=error,
            converged=error <= parameters.threshold,
            iterations=iterations,
        )

    def _solve_all(
        self, bends: FloatArray, targets: FloatArray, angles: FloatArray, errors: FloatArray
    ) -> IntArray:
        iterations = np.empty(len(bends), dtype=np.int64)
        if self.method == "published":
            rows = partial(self._published_rows, bends, targets, angles, errors, iterations)
        else:
            rows = partial(self._optimal_rows, bends, targets, angles, errors, iterations)
        share_rows(rows, len(bends))
        return iterations

    def _optimal_rows(
        self,
        bends: FloatArray,
        targets: FloatArray,
        angles: FloatArray,
        errors: FloatArray,
        iterations: IntArray,
        first: int,
        beyond: int,
    ) -> None:
        solve_rows(
            self._body, self._model.weights, bends, targets, first, beyond, angles, errors,
            iterations,
        )  # fmt: skip

    def _published_rows(
        self,
        bends: FloatArray,
        targets: FloatArray,
        angles: FloatArray,
        errors: FloatArray,
        iterations: IntArray,
        first: int,
        beyond: int,
    ) -> None:
        assert self._published is not None
        answer = self._published.solve_rows(bends[first:beyond], targets[first:beyond])
        angles[first:beyond] = answer.angles_rad
        iterations[first:beyond] = answer.iterations
        measure_rows(
            self._body, self._model.weights, bends, targets, first, beyond, angles, errors
        )  # fmt: skip

    def _has_jumped(
        self,
        bends: FloatArray,
        targets: FloatArray,
        previous: Solution | ArrayLike,
        angles: FloatArray,
    ) -> bool:
        """Whether a joint moved further than target and posture explain (method `published`)."""
        before, asked_rad = self._start(bends, targets, previous)
        allowed_rad = step_allowed(
            self._body, bends, targets[0], before, asked_rad
        )  # fmt: skip
        return bool(np.abs(angles - before).max() > allowed_rad)

    def _start(
        self, bends: FloatArray, targets: FloatArray, previous: Solution | ArrayLike
    ) -> tuple[FloatArray, float]:
        """Previous angles of the turning joints, and how far a joint may move for what is asked
        for anew: twice the turn of the target and the shift of the posture; -1 where the former
        request is not known.
        """
        if not isinstance(previous, Solution):
            angles = checked_angles(previous, self.chain.joint_names, self.chain.name)
            return (angles if self._all_turn else angles[self._turning]), -1.0
        angles, posture = previous.angles_rad, previous.posture_rad
        if len(angles) != self.chain.dof:
            raise ValueError(
                f"The previous solution has {len(angles)} angles; {self.chain.name!r} has "
                f"{self.chain.dof} joints: give a solution of this chain."
            )
        if not self._all_turn:
            angles, posture = angles[self._turning], posture[self._turning]
        before = self._turns_from_zero(previous.target_wxyz.reshape(1, 4))
        turned_rad = turn_between(self._body, before, targets)
        return angles, STEP_PER_TURN * turned_rad + float(np.abs(posture - bends).max())

    def _turns_from_zero(self, targets: FloatArray) -> FloatArray:
        """The turns of the end point that orientations ask for, counted from the zero pose."""
        if self._tip_is_straight:
            return targets
        turns = np.empty_like(targets)
        turned_rows(targets, self._untip_wxyz, turns)
        return turns

    def _with_sliding(self, postures: FloatArray, angles: FloatArray) -> FloatArray:
        """All joints of the chain: prismatic ones as the posture has them, within their limits."""
        if self._all_turn:
            return angles
        whole = np.clip(postures, self.chain.lower_rad, self.chain.upper_rad)
        whole[..., self._turning] = angles
        return whole

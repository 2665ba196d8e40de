"""The floor: the least error that a long search finds, against which a solver is judged.

The search (`sera.kinematics.erik._floor_kernels`) knows nothing of the solver. Where a solver is
better on a sample all the same, its error is taken: a floor is a lower bound that somebody has
reached.
"""

from __future__ import annotations

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics.chain import Chain
from sera.kinematics.erik import Hyperparameters
from sera.kinematics.erik._batch import share_rows
from sera.kinematics.erik._floor_kernels import search_rows
from sera.kinematics.erik._model import model_of_chain

STARTS = 64
BAR_RATIO = 1.03
BAR_OFFSET = 0.0002


class FloorSearch:
    """Searches for the best poses of a chain, weights 1.0 and 0.2, end point symmetric."""

    def __init__(self, chain: Chain, starts: int = STARTS, seed: int = 0) -> None:
        parameters = Hyperparameters(symmetric_endpoint=True)
        model = model_of_chain(chain, parameters.error_aggravation)
        self._arrays = (
            model.axes,
            model.lower_rad,
            model.upper_rad,
            model.bends,
            model.weights * parameters.posture_weight / parameters.orientation_weight,
            model.segments[-1].copy(),
        )
        self._starts = np.random.default_rng(seed).uniform(size=(starts, chain.dof))

    def search(
        self, postures_rad: FloatArray, targets_wxyz: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Least combined errors (m,) and the poses (m, n) that have them, on all cores."""
        postures = np.ascontiguousarray(postures_rad, dtype=np.float64)
        targets = np.ascontiguousarray(targets_wxyz, dtype=np.float64)
        errors, poses = np.empty(len(postures)), np.empty_like(postures)

        def work(first: int, beyond: int) -> None:
            search_rows(
                *self._arrays, True, postures, targets, self._starts, first, beyond, poses, errors
            )

        share_rows(work, len(postures))
        return errors, poses


def bar_of(floor: float) -> float:
    """The mean error that a solver may have at most."""
    return BAR_RATIO * floor + BAR_OFFSET

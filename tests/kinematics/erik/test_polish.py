"""One joint at a time: the best angle, wherever it stands now."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sera.kinematics.chain import Chain
from sera.kinematics.erik import Solver
from sera.kinematics.erik._polish import best_for_joint, error_of_joint
from sera.kinematics.erik._problem import make_problem
from sera.kinematics.erik._table import POSE


@pytest.mark.parametrize("seed", range(4))
def test_the_best_angle_of_a_joint_is_found_behind_a_hill_too(seed):
    chance = np.random.default_rng(seed)
    solver = Solver(Chain.from_axes("YXXZY", limit_rad=math.pi / 2))
    turn = chance.normal(size=4)
    problem = make_problem(solver._body, chance.uniform(-1.5, 1.5, 5), turn / np.linalg.norm(turn))
    for index in range(5):
        problem.table[index, POSE] = chance.uniform(-1.5, 1.5)
        asked = chance.uniform(-math.pi, math.pi)
        goal = math.cos(0.5 * asked), math.sin(0.5 * asked)
        angle, error = best_for_joint(problem.table, index, *goal)
        every = [
            error_of_joint(problem.table, index, each, *goal)
            for each in np.linspace(-math.pi / 2, math.pi / 2, 2001)
        ]
        assert error == error_of_joint(problem.table, index, angle, *goal)
        assert error <= min(every) + 1e-3

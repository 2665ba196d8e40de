"""What docs/erik.md says the published method cannot do, and the optimal one can."""

from __future__ import annotations

import math

import numpy as np

from sera.kinematics.chain import Chain
from sera.kinematics.erik import BatchSolution, Solver
from sera.kinematics.rotations import from_axis_angle, multiply


def solved(word: str, limit_deg: float, method: str) -> BatchSolution:
    generator = np.random.default_rng(17)
    chain = Chain.from_axes(word, limit_rad=math.radians(limit_deg))
    yaw, pitch, roll = generator.uniform(-math.pi, math.pi, (3, 1500))
    facing = multiply(from_axis_angle((0, 1, 0), yaw), from_axis_angle((1, 0, 0), pitch))
    return Solver(chain, symmetric_endpoint=True, method=method).solve_batch(
        generator.uniform(chain.lower_rad, chain.upper_rad, (1500, chain.dof)),
        multiply(facing, from_axis_angle((0, 1, 0), roll)),
    )


def test_without_a_twister_at_the_end_the_published_method_misses_the_roll():
    assert 0.1 < solved("YXZXZ", 90, "published").orientation_error.mean() < 0.3
    assert solved("YXZXZ", 90, "optimal").orientation_error.mean() < 0.002


def test_between_a_right_angle_and_a_half_turn_the_published_method_gets_stuck_more_often():
    right, between, half = (
        float(solved("YXXZY", limit, "published").error.mean()) for limit in (90, 120, 180)
    )
    assert between > 1.3 * right
    assert between > 1.3 * half
    assert solved("YXXZY", 120, "optimal").error.mean() < 0.7 * between

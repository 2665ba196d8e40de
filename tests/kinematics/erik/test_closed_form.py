"""Three joints solved at once: both roots meet the orientation exactly."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics._quaternions import about, dot4, multiply, row3
from sera.kinematics.erik._closed_form import (
    COLUMNS,
    clamped,
    fit,
    outer_angles,
    prepare_triple,
    set_turn,
)

angles = st.floats(-20.0, 20.0)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 9))
def test_both_roots_of_any_triple_reach_an_orientation_that_some_pose_has(seed, count):
    generator = np.random.default_rng(seed)
    joints = np.zeros((count, COLUMNS))
    axes = generator.normal(size=(count, 3))
    joints[:, :3] = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    triple = np.sort(generator.choice(count, 3, replace=False)).astype(np.int64)
    pose = generator.uniform(-math.pi, math.pi, count)
    turns = np.zeros((count, 4))
    target = (1.0, 0.0, 0.0, 0.0)
    for index in range(count):
        set_turn(joints, turns, index, pose[index])
        target = multiply(target, about(row3(joints, index), pose[index]))
    lower, upper, wanted, middle, opening, gap = prepare_triple(joints, turns, triple, target)
    assert gap < 1e-9
    i, j, k = triple
    for angle_j in (middle - opening, middle + opening):
        inner = multiply(multiply(lower, about(row3(joints, j), angle_j)), upper)
        angle_i, angle_k = outer_angles(row3(joints, i), row3(joints, k), inner, wanted)
        solved = pose.copy()
        solved[triple] = angle_i, angle_j, angle_k
        turn = (1.0, 0.0, 0.0, 0.0)
        for index in range(count):
            turn = multiply(turn, about(row3(joints, index), solved[index]))
        assert abs(dot4(turn, target)) > 1.0 - 1e-10


def test_parallel_axes_are_told_from_a_missed_root():
    joints = np.zeros((3, COLUMNS))
    joints[:, 0] = 1.0  # three axes along X
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    *_, gap = prepare_triple(joints, turns, np.array([0, 1, 2]), (1.0, 0.0, 0.0, 0.0))
    assert gap == 9.0


@given(angles, st.floats(-5.0, 0.0), st.floats(0.1, 6.0), st.sampled_from([math.pi, math.tau]))
def test_a_fitted_angle_is_the_same_turn_and_nearest_to_the_middle(angle, lower, width, period):
    upper = lower + width
    fitted = fit(angle, lower, upper, period)
    turns = (angle - fitted) / period
    assert abs(turns - round(turns)) < 1e-9
    assert abs(fitted - (lower + upper) / 2) <= period / 2 + 1e-9
    assert lower <= clamped(fitted, lower, upper) <= upper

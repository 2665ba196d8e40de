"""Three joints solved at once: both roots meet the orientation exactly."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics._quaternions import about, dot4, multiply
from sera.kinematics.erik._closed_form import outer_turns, prepare_triple, root_of, turn_of
from sera.kinematics.erik._table import COLUMNS, axis_of, clamped, fit, set_turn

angles = st.floats(-20.0, 20.0)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 9))
def test_both_roots_of_any_triple_reach_an_orientation_that_some_pose_has(seed, count):
    generator = np.random.default_rng(seed)
    table = np.zeros((count, COLUMNS))
    axes = generator.normal(size=(count, 3))
    table[:, :3] = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    i, j, k = np.sort(generator.choice(count, 3, replace=False)).tolist()
    pose = generator.uniform(-math.pi, math.pi, count)
    target = (1.0, 0.0, 0.0, 0.0)
    for index in range(count):
        set_turn(table, index, pose[index])
        target = multiply(target, about(axis_of(table, index), pose[index]))
    lower, upper, wanted, *root, gap = prepare_triple(table, i, j, k, target)
    assert gap < 1e-9
    for side in (0, 1):
        cosine_j, sine_j = root_of(*root, side)
        inner = multiply(multiply(lower, turn_of(axis_of(table, j), cosine_j, sine_j)), upper)
        cosine_i, sine_i, cosine_k, sine_k = outer_turns(
            axis_of(table, i), axis_of(table, k), inner, wanted
        )
        solved = pose.copy()
        solved[i] = math.atan2(sine_i, cosine_i)
        solved[j] = math.atan2(sine_j, cosine_j)
        solved[k] = math.atan2(sine_k, cosine_k)
        turn = (1.0, 0.0, 0.0, 0.0)
        for index in range(count):
            turn = multiply(turn, about(axis_of(table, index), solved[index]))
        assert abs(dot4(turn, target)) > 1.0 - 1e-10


@given(st.floats(-math.pi, math.pi))
def test_a_turn_from_cosine_and_sine_is_the_turn_by_the_angle(angle):
    axis = (0.6, 0.0, 0.8)
    exact = about(axis, angle)
    assert abs(dot4(turn_of(axis, math.cos(angle), math.sin(angle)), exact)) > 1.0 - 1e-12


def test_parallel_axes_are_told_from_a_missed_root():
    table = np.zeros((3, COLUMNS))
    table[:, 0] = 1.0  # three axes along X
    for index in range(3):
        set_turn(table, index, 0.3)
    assert prepare_triple(table, 0, 1, 2, (1.0, 0.0, 0.0, 0.0))[-1] == 9.0


@given(angles, st.floats(-5.0, 0.0), st.floats(0.1, 6.0), st.sampled_from([math.pi, math.tau]))
def test_a_fitted_angle_is_the_same_turn_and_nearest_to_the_middle(angle, lower, width, period):
    upper = lower + width
    fitted = fit(angle, lower, upper, period)
    turns = (angle - fitted) / period
    assert abs(turns - round(turns)) < 1e-9
    assert abs(fitted - (lower + upper) / 2) <= period / 2 + 1e-9
    assert lower <= clamped(fitted, lower, upper) <= upper

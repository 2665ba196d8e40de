"""Local frames, the latitude look-up table, and angles of single joints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sera.kinematics._quaternions import conjugate, dot4, multiply, rotate
from sera.kinematics.erik._errors import orientation_of
from sera.kinematics.erik._joint_model import (
    entries_of,
    is_flat,
    limits_of,
    make_error_model,
    make_joint_model,
    twist_sign_of,
)
from sera.kinematics.erik._model import make_model
from sera.kinematics.erik._published_joint import (
    away_from_edge,
    look_up,
    needed_twist,
    needs_half_turn,
    opposite_swing,
    safe_angle,
    safe_end_twist,
    side_of,
    swing,
    turned,
    turned_back,
    twist_between,
)
from sera.kinematics.erik._published_pose import apply_from_root

UP = (0.0, 1.0, 0.0)
STEP_RAD = math.radians(1.0)


def model_of(axes, segments, lower_rad, upper_rad):
    return make_model(
        np.asarray(axes, dtype=float),
        np.asarray(segments, dtype=float),
        np.asarray(lower_rad, dtype=float),
        np.asarray(upper_rad, dtype=float),
        tip_wxyz=np.array([1.0, 0.0, 0.0, 0.0]),
        error_aggravation=2.0,
    )


def one_bender(lower_rad, upper_rad, axis=(1.0, 0.0, 0.0), segment=UP, step_rad=STEP_RAD):
    """A twister that carries one bending joint; the latter has index 1."""
    model = model_of([UP, axis], [UP, segment], [-1.0, lower_rad], [1.0, upper_rad])
    return make_joint_model(model, step_rad)


def latitude_after(joints, index, angle_rad):
    after = turned(joints, index, (1.0, 0.0, 0.0, 0.0), angle_rad)
    return 0.5 * (1.0 + rotate(after, UP)[1])


def unit(vector):
    array = np.asarray(vector, dtype=float)
    return array / np.linalg.norm(array)


vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3)


@settings(deadline=None, max_examples=80)
@given(
    axis=vectors,
    segment=vectors,
    lower_rad=st.floats(-4.0, 2.0),
    width_rad=st.floats(0.05, 6.2),
    where=st.floats(0.0, 1.0),
)
def test_the_table_gives_back_the_latitude_that_was_asked_for(
    axis, segment, lower_rad, width_rad, where
):
    assume(np.linalg.norm(axis) > 0.1 and np.linalg.norm(segment) > 0.1)
    assume(np.linalg.norm(np.cross(unit(axis), UP)) > 0.05)
    assume(np.linalg.norm(np.cross(unit(axis), unit(segment))) > 0.05)
    joints = one_bender(lower_rad, lower_rad + width_rad, tuple(axis), tuple(segment))
    angle_rad = lower_rad + where * width_rad
    asked = latitude_after(joints, 1, angle_rad)
    after = turned(joints, 1, (1.0, 0.0, 0.0, 0.0), angle_rad)
    direction = rotate(after, UP)
    found_rad = look_up(joints, 1, side_of(joints, 1, direction), asked)
    # Between two entries one step apart the latitude bends by at most step² / 8 · amplitude / 2.
    assert latitude_after(joints, 1, found_rad) == pytest.approx(asked, abs=STEP_RAD**2 / 8.0)
    lower, upper = limits_of(joints, 1)
    assert lower <= found_rad <= upper


@pytest.mark.parametrize("step_deg", [0.2, 1.0, 5.0])
def test_angles_of_the_table_are_exact_at_its_entries_and_near_between_them(step_deg):
    step_rad = math.radians(step_deg)
    joints = one_bender(-math.pi / 2, math.pi / 2, step_rad=step_rad)
    for angle_rad in np.linspace(-1.5, 1.5, 301):
        direction = rotate(turned(joints, 1, (1.0, 0.0, 0.0, 0.0), float(angle_rad)), UP)
        assert swing(joints, 1, direction) == pytest.approx(angle_rad, abs=0.26 * step_rad)
    for angle_rad in (-math.pi / 2, 0.0, math.pi / 2):
        direction = rotate(turned(joints, 1, (1.0, 0.0, 0.0, 0.0), angle_rad), UP)
        assert swing(joints, 1, direction) == pytest.approx(angle_rad, abs=1e-6)


def test_a_swing_to_the_other_side_has_the_same_latitude():
    joints = one_bender(-1.5, 1.5)
    direction = rotate(turned(joints, 1, (1.0, 0.0, 0.0, 0.0), 0.8), UP)
    assert swing(joints, 1, direction) == pytest.approx(0.8, abs=1e-3)
    assert opposite_swing(joints, 1, direction) == pytest.approx(-0.8, abs=1e-3)


def test_a_direction_beyond_one_limit_is_met_on_the_other_side_when_a_twister_carries_the_joint():
    joints = one_bender(-1.5, 0.5)
    direction = (0.0, math.cos(1.2), math.sin(1.2))
    assert swing(joints, 1, direction) == pytest.approx(-1.2, abs=0.01)


def test_a_direction_beyond_one_limit_ends_at_that_limit_without_a_twister():
    x_axis = (1.0, 0.0, 0.0)
    model = model_of([x_axis, x_axis], [UP, UP], [-1.5, -1.5], [1.5, 0.5])
    joints = make_joint_model(model, STEP_RAD)
    direction = (0.0, math.cos(1.2), math.sin(1.2))
    assert swing(joints, 1, direction) == pytest.approx(0.5)


def test_a_gap_between_limits_is_not_interpolated_over():
    # Straight lies at 90 degrees, so that one side runs on through 180, where a piece is missing.
    joints = one_bender(-2.8, 2.8, segment=(0.0, 0.0, -1.0))
    edges = [latitude_after(joints, 1, angle_rad) for angle_rad in (2.8, -2.8)]
    middle = 0.5 * (edges[0] + edges[1])
    towards = rotate(turned(joints, 1, (1.0, 0.0, 0.0, 0.0), math.pi), UP)
    side = side_of(joints, 1, towards)
    assert look_up(joints, 1, side, middle + 0.02) == pytest.approx(2.8)
    assert look_up(joints, 1, side, middle - 0.02) == pytest.approx(-2.8)


def test_a_latitude_beyond_the_table_ends_on_its_last_entry():
    joints = one_bender(0.3, 1.2)
    for beyond in (0.5, 3.0, 30.0):  # the more it is bent, the lower the latitude
        assert look_up(joints, 1, 0, -beyond) == pytest.approx(1.2)
        assert look_up(joints, 1, 0, 1.0 + beyond) == pytest.approx(0.3)


def test_a_side_that_the_limits_leave_empty_gives_way_to_the_other():
    joints = one_bender(0.3, 1.2)
    assert entries_of(joints, 1, 0) * entries_of(joints, 1, 1) == 0
    for side in (0, 1):
        latitude = latitude_after(joints, 1, 0.7)
        assert look_up(joints, 1, side, latitude) == pytest.approx(0.7, abs=1e-3)


def test_a_joint_about_its_parents_segment_turns_towards_the_direction():
    joints = one_bender(-3.0, 3.0, axis=UP, segment=(1.0, 0.0, 0.0))
    assert is_flat(joints, 1)
    assert twist_sign_of(joints, 1) == 0.0
    for angle_rad in (-2.5, -0.4, 0.0, 1.9):
        direction = rotate(turned(joints, 1, (1.0, 0.0, 0.0, 0.0), angle_rad), UP)
        assert swing(joints, 1, direction) == pytest.approx(angle_rad, abs=1e-9)
    assert swing(joints, 1, UP) == 0.0


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 12))
def test_local_frames_lead_to_the_same_end_as_the_axes_of_the_zero_pose(seed, count):
    source = np.random.default_rng(seed)
    axes, segments = source.normal(size=(count, 3)), source.normal(size=(count, 3))
    angles_rad = source.uniform(-3.0, 3.0, count)
    model = model_of(axes, segments, np.full(count, -3.0), np.full(count, 3.0))
    joints, errors = make_joint_model(model, STEP_RAD), make_error_model(model)
    bases = np.zeros((count + 1, 4))
    apply_from_root(joints, angles_rad, bases)
    turn = orientation_of(model.axes, angles_rad)
    wanted = multiply(turn, tuple(float(value) for value in errors.end_wxyz))
    assert abs(dot4(wanted, tuple(bases[-1]))) == pytest.approx(1.0, abs=1e-12)
    assert rotate(tuple(bases[-1]), UP) == pytest.approx(
        rotate(turn, tuple(model.segments[-1])), abs=1e-12
    )
    for index in range(count):
        back = turned_back(joints, index, tuple(bases[index + 1]), float(angles_rad[index]))
        assert abs(dot4(back, tuple(bases[index]))) == pytest.approx(1.0, abs=1e-12)


def test_segments_that_turn_right_round_have_frames_too():
    model = model_of([(1.0, 0.0, 0.0)] * 3, [UP, (0.0, -1.0, 0.0), UP], [-1.0] * 3, [1.0] * 3)
    joints = make_joint_model(model, STEP_RAD)
    bases = np.zeros((4, 4))
    apply_from_root(joints, np.zeros(3), bases)
    ys = [rotate(tuple(row), UP)[1] for row in bases]
    assert ys == pytest.approx([1.0, 1.0, -1.0, 1.0])


def test_endless_joints_get_one_turn():
    model = model_of(
        [UP, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)],
        [UP] * 3,
        [-math.inf, -1.0, -math.inf],
        [math.inf, math.inf, 2.0],
    )
    joints = make_joint_model(model, STEP_RAD)
    assert limits_of(joints, 0) == pytest.approx((-math.pi, math.pi))
    assert limits_of(joints, 1) == pytest.approx((-1.0, 2 * math.pi - 1.0))
    assert limits_of(joints, 2) == pytest.approx((2.0 - 2 * math.pi, 2.0))


@settings(deadline=None)
@given(
    angle_rad=st.floats(-20.0, 20.0),
    lower_rad=st.floats(-3.0, 1.0),
    width_rad=st.floats(0.0, 6.2),
)
def test_a_safe_angle_is_the_nearest_on_the_circle(angle_rad, lower_rad, width_rad):
    upper_rad = lower_rad + width_rad
    joints = one_bender(lower_rad, upper_rad)
    safe = safe_angle(joints, 1, angle_rad)
    lower, upper = limits_of(joints, 1)
    assert lower <= safe <= upper

    def apart(a, b):
        return abs(math.remainder(a - b, 2 * math.pi))

    ends = min(apart(angle_rad, lower), apart(angle_rad, upper))
    assert apart(angle_rad, safe) <= ends + 1e-9


def test_a_twister_out_of_reach_takes_the_opposite_angle():
    limit = math.radians(90.0)
    model = model_of([UP, (1.0, 0.0, 0.0)], [UP, UP], [-limit, -limit], [limit, limit])
    joints = make_joint_model(model, STEP_RAD)
    assert needs_half_turn(joints, 0, math.radians(120.0))
    assert needs_half_turn(joints, 0, math.radians(-170.0))
    assert not needs_half_turn(joints, 0, math.radians(80.0))
    assert not needs_half_turn(joints, 0, limit)


@pytest.mark.parametrize(
    ("asked_deg", "symmetric", "wanted_deg"),
    [(120.0, False, 90.0), (120.0, True, -60.0), (40.0, True, 40.0), (370.0, False, 10.0)],
)
def test_a_symmetric_end_takes_the_smaller_of_two_twists(asked_deg, symmetric, wanted_deg):
    limit = math.radians(90.0)
    joints = make_joint_model(model_of([UP], [UP], [-limit], [limit]), STEP_RAD)
    found = safe_end_twist(joints, 0, math.radians(asked_deg), symmetric)
    assert math.degrees(found) == pytest.approx(wanted_deg)


def test_only_an_angle_on_a_limit_moves_inwards():
    joints = one_bender(-1.0, 1.5)
    assert away_from_edge(joints, 1, 1.5, 0.02) == pytest.approx(1.48)
    assert away_from_edge(joints, 1, -1.0, 0.02) == pytest.approx(-0.98)
    assert away_from_edge(joints, 1, 1.499, 0.02) == 1.499
    narrow = one_bender(0.2, 0.21)
    assert away_from_edge(narrow, 1, 0.21, 0.02) == pytest.approx(0.205)


@settings(deadline=None)
@given(angle_rad=st.floats(-3.1, 3.1), against=st.booleans())
def test_a_twist_is_found_again_from_the_frames(angle_rad, against):
    axis = (0.0, -1.0, 0.0) if against else UP
    joints = make_joint_model(model_of([axis], [UP], [-3.2], [3.2]), STEP_RAD)
    assert twist_sign_of(joints, 0) == (-1.0 if against else 1.0)
    basis = (0.5, 0.5, -0.5, 0.5)
    after = turned(joints, 0, basis, angle_rad)
    assert needed_twist(joints, 0, basis, after) == pytest.approx(angle_rad, abs=1e-9)
    start = turned(joints, 0, basis, 0.0)
    found = twist_sign_of(joints, 0) * twist_between(start, after)
    assert found == pytest.approx(angle_rad, abs=1e-9)
    assert multiply(start, conjugate(start))[0] == pytest.approx(1.0)

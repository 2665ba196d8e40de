"""Quaternions and rotations: identities that hold for any input, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sera.kinematics import rotations

quick = settings(deadline=None, max_examples=60)

angle = st.floats(-10.0, 10.0)
vector = arrays(np.float64, 3, elements=st.floats(-5.0, 5.0))
direction = vector.filter(lambda found: np.linalg.norm(found) > 1e-3)


@st.composite
def quaternions(draw):
    return rotations.from_axis_angle(draw(direction), draw(angle))


quaternion = quaternions()


def same_rotation(a, b, tolerance=1e-9):
    return np.all(np.abs(np.sum(np.asarray(a) * b, axis=-1)) > 1.0 - tolerance)


@quick
@given(quaternion, quaternion, vector)
def test_a_product_turns_by_the_right_factor_first(a, b, v):
    at_once = rotations.rotate(rotations.multiply(a, b), v)
    one_by_one = rotations.rotate(a, rotations.rotate(b, v))
    np.testing.assert_allclose(at_once, one_by_one, atol=1e-12)


@quick
@given(quaternion, vector)
def test_the_conjugate_undoes_a_rotation_and_lengths_stay(a, v):
    turned = rotations.rotate(a, v)
    np.testing.assert_allclose(np.linalg.norm(turned), np.linalg.norm(v), atol=1e-12)
    np.testing.assert_allclose(rotations.rotate(rotations.conjugate(a), turned), v, atol=1e-12)


@quick
@given(quaternion, vector)
def test_a_matrix_turns_as_its_quaternion_does_and_leads_back_to_it(a, v):
    matrix = rotations.to_matrix(a)
    np.testing.assert_allclose(matrix @ v, rotations.rotate(a, v), atol=1e-12)
    back = rotations.from_matrix(matrix)
    assert back[0] >= 0.0
    assert same_rotation(back, a)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 1)])
def test_half_turns_survive_the_way_over_a_matrix(axis):
    half_turn = rotations.from_axis_angle(axis, math.pi)
    assert same_rotation(rotations.from_matrix(rotations.to_matrix(half_turn)), half_turn, 1e-14)


@quick
@given(arrays(np.float64, 3, elements=st.floats(-1.8, 1.8)))
def test_a_rotation_vector_of_less_than_half_a_turn_comes_back(v):
    back = rotations.to_rotation_vector(rotations.from_rotation_vector(v))
    np.testing.assert_allclose(back, v, atol=1e-12)


@quick
@given(quaternion)
def test_a_rotation_vector_takes_the_shorter_way_round(a):
    back = rotations.to_rotation_vector(a)
    assert np.linalg.norm(back) <= math.pi + 1e-12
    assert same_rotation(rotations.from_rotation_vector(back), a)


def test_tiny_rotations_keep_all_their_digits():
    v = np.array([3e-12, -1e-12, 2e-12])
    small = rotations.from_rotation_vector(v)
    np.testing.assert_allclose(rotations.to_rotation_vector(small), v, rtol=1e-12)
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(
        rotations.angle_between(identity, small), np.linalg.norm(v), rtol=1e-12
    )
    np.testing.assert_array_equal(rotations.to_rotation_vector(identity), np.zeros(3))


@quick
@given(quaternion, quaternion, st.floats(0.0, 1.0))
def test_slerp_moves_evenly_along_the_shorter_way(a, b, fraction):
    whole = float(rotations.angle_between(a, b))
    between = rotations.slerp(a, b, fraction)
    np.testing.assert_allclose(np.linalg.norm(between), 1.0, atol=1e-14)
    np.testing.assert_allclose(rotations.angle_between(a, between), fraction * whole, atol=1e-7)
    np.testing.assert_allclose(
        rotations.angle_between(between, b), (1.0 - fraction) * whole, atol=1e-7
    )


@quick
@given(quaternion, quaternion)
def test_slerp_meets_its_ends_and_does_not_care_about_the_sign(a, b):
    assert same_rotation(rotations.slerp(a, b, 0.0), a, 1e-14)
    assert same_rotation(rotations.slerp(a, b, 1.0), b, 1e-14)
    if abs(np.dot(a, b)) > 1e-6:  # exactly half a turn apart both ways are equally short
        assert same_rotation(rotations.slerp(a, b, 0.3), rotations.slerp(a, -b, 0.3), 1e-12)


@quick
@given(st.floats(-3.1, 3.1), st.floats(-1.55, 1.55), st.floats(-3.1, 3.1))
def test_yaw_pitch_and_roll_come_back(yaw, pitch, roll):
    turned = rotations.from_yaw_pitch_roll(yaw, pitch, roll)
    np.testing.assert_allclose(rotations.to_yaw_pitch_roll(turned), [yaw, pitch, roll], atol=1e-9)


@quick
@given(st.floats(-3.0, 3.0), st.sampled_from([-1.0, 1.0]), st.floats(-3.0, 3.0))
def test_in_gimbal_lock_yaw_takes_all_and_the_rotation_stays(yaw, side, roll):
    turned = rotations.from_yaw_pitch_roll(yaw, side * math.pi / 2, roll)
    angles = rotations.to_yaw_pitch_roll(turned)
    assert angles[2] == 0.0
    np.testing.assert_allclose(angles[1], side * math.pi / 2, atol=1e-6)
    assert same_rotation(rotations.from_yaw_pitch_roll(*angles), turned, 1e-12)


def test_positive_yaw_looks_left_positive_pitch_down_positive_roll_tilts_right():
    forward, up = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
    left_eye = rotations.rotate(rotations.from_yaw_pitch_roll(0.3, 0.0, 0.0), forward)
    down = rotations.rotate(rotations.from_yaw_pitch_roll(0.0, 0.3, 0.0), forward)
    tilted = rotations.rotate(rotations.from_yaw_pitch_roll(0.0, 0.0, 0.3), up)
    np.testing.assert_allclose(left_eye, [math.sin(0.3), 0.0, math.cos(0.3)], atol=1e-15)
    np.testing.assert_allclose(down, [0.0, -math.sin(0.3), math.cos(0.3)], atol=1e-15)
    np.testing.assert_allclose(tilted, [-math.sin(0.3), math.cos(0.3), 0.0], atol=1e-15)


def test_all_functions_take_whole_arrays_as_well_as_single_values():
    rng = np.random.default_rng(5)
    a = rotations.from_rotation_vector(rng.normal(size=(4, 6, 3)))
    b = rotations.from_rotation_vector(rng.normal(size=(6, 3)))
    v = rng.normal(size=3)
    fractions = rng.uniform(size=(4, 1))
    for one in (
        (rotations.multiply(a, b)[2, 3], rotations.multiply(a[2, 3], b[3])),
        (rotations.rotate(a, v)[1, 5], rotations.rotate(a[1, 5], v)),
        (rotations.slerp(a, b, fractions)[3, 1], rotations.slerp(a[3, 1], b[1], fractions[3, 0])),
        (rotations.angle_between(a, b)[0, 4], rotations.angle_between(a[0, 4], b[4])),
        (
            rotations.from_matrix(rotations.to_matrix(a))[3, 0],
            rotations.from_matrix(rotations.to_matrix(a[3, 0])),
        ),
        (rotations.to_yaw_pitch_roll(a)[2, 2], rotations.to_yaw_pitch_roll(a[2, 2])),
    ):
        np.testing.assert_allclose(one[0], one[1], atol=1e-14)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ((2.0, 0.0, 0.0, 0.0), "target has the length 2; .* divide it by its length"),
        ((0.0, 0.0, 0.0, 0.0), "length 0"),
        ((1.0, 0.0, 0.0), r"needs 4 numbers; its shape is \(3,\)"),
        ((math.nan, 0.0, 0.0, 1.0), "not finite"),
        (("w", "x", "y", "z"), "must be numbers"),
    ],
)
def test_what_is_no_unit_quaternion_is_refused_with_a_sentence(bad, reason):
    with pytest.raises(ValueError, match=reason):
        rotations.checked_unit(bad, "target")


def test_a_quaternion_a_little_off_is_taken_to_length_one():
    checked = rotations.checked_unit([0.7071, 0.7071, 0.0, 0.0])
    assert math.isclose(np.linalg.norm(checked), 1.0, abs_tol=1e-15)


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.diag([1.0, 1.0, -1.0]), "mirrors"),
        (2.0 * np.eye(3), "no rotation"),
        (np.eye(2), "3 x 3"),
        (np.full((3, 3), math.nan), "finite"),
    ],
)
def test_what_is_no_rotation_matrix_is_refused(matrix, reason):
    with pytest.raises(ValueError, match=reason):
        rotations.from_matrix(matrix)


def test_an_axis_without_direction_is_refused():
    with pytest.raises(ValueError, match="axis has a direction"):
        rotations.from_axis_angle((0.0, 0.0, 0.0), 1.0)

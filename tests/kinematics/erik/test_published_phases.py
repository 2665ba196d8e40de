"""The phases one by one: coordinate descents, forward and backward phase."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics._quaternions import about, dot3, dot4, multiply, rotate
from sera.kinematics.erik._joint_model import limits_of, make_joint_model
from sera.kinematics.erik._model import make_model
from sera.kinematics.erik._published import _settings_of
from sera.kinematics.erik._published_backward import (
    align_child,
    backward_phase,
    choose_side,
    turn_parent,
)
from sera.kinematics.erik._published_bwcd import descend_from_root, warp_posture
from sera.kinematics.erik._published_ccd import descend_from_end
from sera.kinematics.erik._published_forward import forward_phase, roll_left_over, roll_up
from sera.kinematics.erik._published_pose import (
    apply_from,
    apply_from_root,
    avoid_edges,
    off_direction,
    put,
)
from sera.kinematics.erik._published_solve import disturbed, stands_still
from sera.kinematics.erik.hyperparameters import Hyperparameters

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
UP = (0.0, 1.0, 0.0)
SETTINGS = _settings_of(
    Hyperparameters(symmetric_endpoint=True, lalut_step_rad=1e-3, avoid_edges=False)
)


def joints_of(word, limit_rad):
    limits = np.full(len(word), limit_rad)
    model = make_model(
        np.array([AXES[letter] for letter in word]),
        np.tile(UP, (len(word), 1)),
        -limits,
        limits,
        tip_wxyz=np.array([1.0, 0.0, 0.0, 0.0]),
        error_aggravation=2.0,
    )
    return make_joint_model(model, 1e-3)


def posed(joints, angles_rad):
    bases = np.zeros((len(angles_rad) + 1, 4))
    apply_from_root(joints, angles_rad, bases)
    return bases


def segments_of(bases):
    return np.array([rotate(tuple(row), UP) for row in bases])


def within_limits(joints, angles_rad):
    return all(
        limits_of(joints, index)[0] <= angle <= limits_of(joints, index)[1]
        for index, angle in enumerate(angles_rad)
    )


def any_target(source):
    target = source.normal(size=4)
    return tuple(float(value) for value in target / np.linalg.norm(target))


words = st.sampled_from(["YXXZY", "YXZXY", "XZXY", "YXZXYXZY", "XYZX", "YYXZ"])
seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=50)
@given(seed=seeds)
def test_a_warped_posture_faces_the_target(seed):
    source = np.random.default_rng(seed)
    joints = joints_of("YXXZXY", math.pi / 2)
    posture = source.uniform(-1.0, 1.0, 6)
    angles_rad, target = posture.copy(), any_target(source)
    bases = posed(joints, angles_rad)
    warp_posture(joints, SETTINGS, angles_rad, bases, target)
    assert off_direction(bases, target) <= SETTINGS.ccd_precision
    assert bases == pytest.approx(posed(joints, angles_rad), abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(word=words, seed=seeds, root_first=st.booleans())
def test_a_descent_never_points_farther_away_nor_leaves_the_limits(word, seed, root_first):
    source = np.random.default_rng(seed)
    joints = joints_of(word, 1.2)
    angles_rad = source.uniform(-1.2, 1.2, len(word))
    target = any_target(source)
    bases = posed(joints, angles_rad)
    before = off_direction(bases, target)
    descend = descend_from_root if root_first else descend_from_end
    descend(joints, SETTINGS, angles_rad, bases, target)
    assert off_direction(bases, target) <= before + 1e-9
    assert within_limits(joints, angles_rad)
    assert bases == pytest.approx(posed(joints, angles_rad), abs=1e-9)


def test_the_two_descents_warp_opposite_ends_of_the_chain():
    joints = joints_of("XXXX", math.pi)
    target = (math.cos(0.3), math.sin(0.3), 0.0, 0.0)
    from_root, from_end = np.zeros(4), np.zeros(4)
    descend_from_root(joints, SETTINGS, from_root, posed(joints, from_root), target)
    descend_from_end(joints, SETTINGS, from_end, posed(joints, from_end), target)
    assert from_root == pytest.approx([0.6, 0.0, 0.0, 0.0])
    assert from_end == pytest.approx([0.0, 0.0, 0.0, 0.6])


@settings(deadline=None, max_examples=50)
@given(word=words, seed=seeds)
def test_phases_keep_a_posture_that_needs_no_change(word, seed):
    source = np.random.default_rng(seed)
    joints = joints_of(word, 1.5)
    posture = source.uniform(-1.4, 1.4, len(word))
    posture_bases = posed(joints, posture)
    target = tuple(float(value) for value in posture_bases[-1])
    angles_rad = np.zeros(len(word))
    bases = posed(joints, angles_rad)
    forward_phase(joints, SETTINGS, target, posture_bases, angles_rad, bases)
    assert segments_of(bases) == pytest.approx(segments_of(posture_bases), abs=0.02)
    backward_phase(joints, SETTINGS, target, angles_rad, bases)
    assert segments_of(bases) == pytest.approx(segments_of(posture_bases), abs=0.02)
    assert within_limits(joints, angles_rad)


@settings(deadline=None, max_examples=50)
@given(
    yaw_rad=st.floats(-math.pi, math.pi),
    pitch_rad=st.floats(-1.4, 1.4),
    more_rad=st.floats(-1.4, 1.4),
)
def test_a_root_of_half_a_turn_reaches_all_round_with_mirrored_bends(yaw_rad, pitch_rad, more_rad):
    joints = joints_of("YXXY", math.pi / 2)
    posture_bases = posed(joints, np.array([yaw_rad, pitch_rad, more_rad, 0.0]))
    target = tuple(float(value) for value in posture_bases[-1])
    angles_rad = np.zeros(4)
    bases = posed(joints, angles_rad)
    forward_phase(joints, SETTINGS, target, posture_bases, angles_rad, bases)
    backward_phase(joints, SETTINGS, target, angles_rad, bases)
    assert segments_of(bases) == pytest.approx(segments_of(posture_bases), abs=5e-3)
    assert within_limits(joints, angles_rad)
    assert np.abs(angles_rad[1:3]) == pytest.approx(np.abs([pitch_rad, more_rad]), abs=1e-3)


@settings(deadline=None, max_examples=50)
@given(word=words, seed=seeds)
def test_the_forward_phase_obeys_limits_and_leaves_a_connected_chain(word, seed):
    source = np.random.default_rng(seed)
    joints = joints_of(word, 0.8)
    posture = source.uniform(-3.0, 3.0, len(word))
    posture_bases = posed(joints, posture)
    angles_rad = np.zeros(len(word))
    bases = posed(joints, angles_rad)
    forward_phase(joints, SETTINGS, any_target(source), posture_bases, angles_rad, bases)
    assert within_limits(joints, angles_rad)
    assert np.all(np.isfinite(bases))
    # The frames hang together; only that of the root need not be the real one.
    together = bases.copy()
    apply_from(joints, 0, angles_rad, together)
    assert segments_of(bases) == pytest.approx(segments_of(together), abs=1e-9)


def test_the_forward_phase_turns_a_root_of_half_a_turn_the_other_way_and_mirrors_the_bends():
    joints = joints_of("YXXY", math.pi / 2)
    posture_bases = posed(joints, np.array([2.6, 0.7, -0.4, 0.0]))
    angles_rad = np.zeros(4)
    bases = posed(joints, angles_rad)
    target = tuple(float(value) for value in posture_bases[-1])
    forward_phase(joints, SETTINGS, target, posture_bases, angles_rad, bases)
    assert angles_rad[:3] == pytest.approx([2.6 - math.pi, -0.7, 0.4], abs=1e-3)


@settings(deadline=None)
@given(angle_rad=st.floats(-1.4, 1.4), roll_rad=st.floats(-3.0, 3.0))
def test_the_roll_that_a_bend_cannot_explain_is_measured(angle_rad, roll_rad):
    joints = joints_of("YXXY", math.pi)
    bases = posed(joints, np.array([0.4, angle_rad, 0.2, 0.1]))
    assert roll_left_over(joints, 1, bases) == pytest.approx(0.0, abs=1e-9)
    put(bases, 2, multiply(tuple(bases[2]), about(UP, roll_rad)))
    assert roll_left_over(joints, 1, bases) == pytest.approx(-roll_rad, abs=1e-9)


def test_a_demand_straight_across_is_decided_by_the_segment_after_it():
    joints = joints_of("YXXY", math.pi / 2)
    sideways = about(AXES["Z"], -0.9)  # as near to +0.9 about X as to -0.9
    for ahead in (1.0, -1.0):
        angles_rad = np.zeros(4)
        bases = posed(joints, angles_rad)
        put(bases, 3, about(AXES["X"], ahead))
        choose_side(joints, 1, sideways, angles_rad, bases)
        assert angles_rad[1] == pytest.approx(0.9 * ahead, abs=1e-3)


@settings(deadline=None)
@given(yaw_rad=st.floats(-1.5, 1.5), swing_rad=st.floats(0.1, 1.4))
def test_a_twister_turns_the_bend_after_it_into_the_demanded_direction(yaw_rad, swing_rad):
    joints = joints_of("YXY", math.pi / 2)
    wanted = posed(joints, np.array([yaw_rad, swing_rad, 0.0]))
    angles_rad = np.array([0.0, swing_rad, 0.0])
    bases = posed(joints, angles_rad)
    turn_parent(joints, 1, tuple(wanted[2]), angles_rad, bases)
    assert angles_rad[0] == pytest.approx(yaw_rad, abs=1e-9)
    assert abs(dot4(tuple(bases[1]), tuple(wanted[1]))) == pytest.approx(1.0, abs=1e-12)


def test_the_backward_phase_follows_the_direction_of_a_demand_rather_than_its_roll():
    joints = joints_of("YXY", math.pi / 2)
    wanted = posed(joints, np.array([0.8, 0.6, 0.0]))
    angles_rad = np.zeros(3)
    bases = posed(joints, angles_rad)
    put(bases, 2, tuple(wanted[2]))  # the frame before it still asks for no twist at all
    backward_phase(joints, SETTINGS, tuple(wanted[3]), angles_rad, bases)
    assert angles_rad == pytest.approx([0.8, 0.6, 0.0], abs=1e-3)


@settings(deadline=None)
@given(tilt_rad=st.floats(-1.0, 1.0), bend_rad=st.floats(0.2, 1.2), roll_rad=st.floats(-1.0, 1.0))
def test_a_demand_on_a_twister_is_rolled_until_the_next_axis_lies_across_it(
    tilt_rad, bend_rad, roll_rad
):
    joints = joints_of("YXXY", math.pi)
    bases = posed(joints, np.array([0.3, bend_rad, 0.2, 0.0]))
    # The demand left by the forward phase need not stand upright.
    tilted = multiply(about(AXES["Z"], tilt_rad), tuple(bases[1]))
    put(bases, 1, multiply(tilted, about(UP, roll_rad)))
    bend = multiply(tuple(bases[1]), about(AXES["X"], bend_rad))
    put(bases, 2, bend)
    align_child(joints, 0, (1.0, 0.0, 0.0, 0.0), bases)
    axis = rotate(tuple(bases[1]), AXES["X"])
    assert dot3(axis, UP) == pytest.approx(0.0, abs=1e-6)
    assert dot3(axis, rotate(bend, UP)) == pytest.approx(0.0, abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(seed=seeds, root_first=st.booleans())
def test_descents_roll_the_end_into_the_targets_roll(seed, root_first):
    source = np.random.default_rng(seed)
    joints = joints_of("YXZXY", math.pi)
    precise = SETTINGS._replace(ccd_precision=1e-12, max_ccd_iterations=500)
    angles_rad = source.uniform(-1.0, 1.0, 5)
    target = any_target(source)
    bases = posed(joints, angles_rad)
    descend = descend_from_root if root_first else descend_from_end
    descend(joints, precise, angles_rad, bases, target)
    end = tuple(bases[-1])
    likeness = max(abs(dot4(end, target)), abs(dot4(multiply(end, (0.0, 0.0, 1.0, 0.0)), target)))
    assert off_direction(bases, target) < 1e-6
    assert likeness == pytest.approx(1.0, abs=1e-5)


@settings(deadline=None, max_examples=40)
@given(word=words, seed=seeds)
def test_half_a_turn_of_roll_leaves_all_segments_in_place(word, seed):
    source = np.random.default_rng(seed)
    joints = joints_of(word, 1.5)
    angles_rad = source.uniform(-1.4, 1.4, len(word))
    bases = posed(joints, angles_rad)
    before = segments_of(bases)
    roll_up(joints, 1, math.pi, angles_rad, bases)
    assert segments_of(bases) == pytest.approx(before, abs=5e-3)


def test_edges_are_left_by_every_joint_that_stands_on_one():
    joints = joints_of("YXXZY", 1.0)
    angles_rad = np.array([0.0, 1.0, 0.3, -1.0, 0.0])
    assert avoid_edges(joints, angles_rad, 0.1) == 1
    assert angles_rad == pytest.approx([0.0, 0.9, 0.3, -0.9, 0.0])
    assert avoid_edges(joints, angles_rad, 0.1) == 5


@pytest.mark.parametrize(
    ("errors", "stands"),
    [
        ([0.3, 0.3], False),
        ([0.3, 0.3, 0.3], True),
        ([0.5, 0.3, 0.2], False),
        ([0.3, 0.2, 0.3, 0.2], True),
        ([0.3, 0.2, 0.1, 0.3, 0.2, 0.1], True),
        ([0.3, 0.2, 0.1, 0.3, 0.2], False),
    ],
)
def test_one_value_or_a_cycle_counts_as_standing_still(errors, stands):
    history = np.array(errors)
    assert stands_still(SETTINGS, history, 0, len(errors)) is stands
    # Errors from before the disturbance do not count.
    assert not stands_still(SETTINGS, history, len(errors) - 1, len(errors))


def test_the_disturbance_turns_the_target_about_root_and_child_by_their_nearer_limits():
    joints = joints_of("YXXZY", 1.0)
    rest = (1.0, 0.0, 0.0, 0.0)
    angles_rad = np.array([0.5, -0.5, 0.0, 0.0, 0.0])
    aim = disturbed(joints, SETTINGS, angles_rad, posed(joints, angles_rad), rest)
    small = SETTINGS.disturbance_rad
    # Near its upper limit the root turns the target on, near its lower one the child turns it back.
    child_axis = rotate((math.cos(0.25), 0.0, math.sin(0.25), 0.0), AXES["X"])
    wanted = np.array([0.0, small, 0.0]) - small * np.array(child_axis)
    assert 2.0 * np.array(aim[1:]) == pytest.approx(wanted, abs=small**2)

"""The samples of ERIK's evaluation: the document's counts, its corners, and draws of a part."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.evaluation.erik import ORIENTATIONS, SKELETONS, TOTAL_SAMPLES, orientations_wxyz
from sera.evaluation.erik.samples import draw, pairs, postures_rad, yaw_pitch_roll_rad
from sera.kinematics.chain import Chain


@pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=SKELETONS)
def test_postures_are_as_many_as_the_document_counts_and_hold_both_limits_and_nought(skeleton):
    postures = postures_rad(skeleton)
    assert postures.shape == (skeleton.postures, skeleton.dof)
    assert len(np.unique(postures, axis=0)) == skeleton.postures
    assert not postures[:, [0, -1]].any()
    inner = postures[:, 1:-1]
    assert np.abs(inner).max() <= skeleton.limit_rad
    for corner in (-skeleton.limit_rad, 0.0, skeleton.limit_rad):
        assert np.any(np.all(np.isclose(inner, corner), axis=1))


def test_all_samples_together_are_the_sum_of_the_table():
    assert sum(skeleton.samples for skeleton in SKELETONS.values()) == TOTAL_SAMPLES
    assert TOTAL_SAMPLES % ORIENTATIONS == 0


def test_there_are_7609_different_triples_of_angles_over_the_whole_circle():
    angles = yaw_pitch_roll_rad()
    assert angles.shape == (7609, 3)
    assert len(np.unique(angles, axis=0)) == 7609
    assert angles.min() == -math.pi
    assert angles.max() < math.pi


def test_the_orientations_along_the_axes_are_all_there():
    quarter = math.pi / 2
    found = orientations_wxyz()
    for turns in itertools.product(range(4), repeat=3):
        wanted = Chain.from_axes("YXY", limit_rad=7.0).pose([quarter * turn for turn in turns])
        assert np.abs(found @ wanted.orientation_wxyz).max() == pytest.approx(1.0, abs=1e-12)


def test_yaw_pitch_and_roll_compose_as_the_joints_y_x_y_do():
    chain = Chain.from_axes("YXY", limit_rad=math.pi)
    for row in (17, 1234, 7000):
        turned = chain.pose(yaw_pitch_roll_rad()[row]).orientation_wxyz
        assert abs(float(turned @ orientations_wxyz()[row])) == pytest.approx(1.0)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 300_000),
    st.floats(0.0001, 1.0),
    st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)),
    st.integers(0, 5),
)
def test_a_stretch_of_a_draw_is_the_same_as_in_the_whole_draw(total, share, cuts, seed):
    count = max(1, int(share * total))
    whole = draw(total, count, 0, count, (seed,))
    assert len(whole) == count
    assert whole[0] >= 0
    assert whole[-1] < total
    assert np.all(np.diff(whole) > 0)
    start, stop = sorted(int(cut * count) for cut in cuts)
    if start < stop:
        assert np.array_equal(draw(total, count, start, stop, (seed,)), whole[start:stop])


def test_a_draw_of_everything_is_everything():
    assert np.array_equal(draw(9000, 9000, 0, 9000, (1,)), np.arange(9000))


def test_more_than_there_is_cannot_be_drawn():
    with pytest.raises(ValueError, match="11 samples cannot be drawn out of 10"):
        draw(10, 11, 0, 1, (0,))


def test_a_sample_is_a_posture_with_an_orientation():
    skeleton = SKELETONS["C"]
    postures, targets = pairs(skeleton, np.array([0, ORIENTATIONS + 2, skeleton.samples - 1]))
    assert np.array_equal(postures, postures_rad(skeleton)[[0, 1, -1]])
    assert np.array_equal(targets, orientations_wxyz()[[0, 2, -1]])

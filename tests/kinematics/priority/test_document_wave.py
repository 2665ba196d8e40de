"""The published set-up: a wave of the right hand, gaze and posture below it, eight emotions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sera.evaluation.emotion.document_pepper import document_pepper, in_tree
from sera.evaluation.emotion.document_wave import Variant, play_wave
from tests.helpers import some_of

PEPPER = document_pepper()
CORNERS = list(itertools.product((0.125, 0.875), repeat=3))
SHORT_S = 3.5


@pytest.fixture(scope="module")
def neutral():
    return play_wave(None, Variant(), SHORT_S)


@pytest.mark.parametrize(
    ("pose", "head", "right", "left"),
    [
        (np.zeros(15), (0, 0, 0.995), (0.274, -0.151, 0.912), (0.274, 0.149, 0.912)),
        (
            [0.5, 0.5, 0, 0, 0.64, 0.9, -0.3, 0, 1.1, 1, 0.9, 0.3, 0, -1.1, -1],
            (0.4550, 0, 0.7838), (0.2647, -0.0968, 0.5247), (0.2646, 0.0949, 0.5241),
        ),
        (
            [0, -0.05, 0, 0, -0.3, 1.57, -0.85, 1.5, 0.1, 1.15, 1.57, 0.85, -1.5, -0.1, -1.15],
            (-0.0194, 0, 0.9945), (-0.0471, -0.3975, 0.6911), (-0.0451, 0.3974, 0.6911),
        ),
    ],
)  # fmt: skip
def test_the_documents_pepper_has_its_golden_places(pose, head, right, left):
    angles = in_tree(PEPPER, np.array(pose))
    for end, place in (("head", head), ("right_wrist", right), ("left_wrist", left)):
        assert np.allclose(PEPPER.pose(angles, end).position_m, place, atol=1e-4)


def test_its_jacobian_is_the_difference_of_poses():
    rng = np.random.default_rng(3)
    angles = in_tree(PEPPER, rng.uniform(-0.4, 0.4, 15))
    for end in PEPPER.end_points:
        jacobian = PEPPER.jacobian(angles, end)
        for joint in range(PEPPER.dof):
            step = np.zeros(PEPPER.dof)
            step[joint] = 1e-6
            ahead = PEPPER.pose(angles + step, end).position_m
            behind = PEPPER.pose(angles - step, end).position_m
            assert np.allclose((ahead - behind) / 2e-6, jacobian[:3, joint], atol=1e-6)


@pytest.mark.parametrize(
    ("features", "form"), some_of(itertools.product(CORNERS, ("strict", "chiaverini")), 4)
)
def test_the_hand_waves_as_it_does_without_emotion(neutral, features, form):
    run = play_wave(features, Variant(form=form), SHORT_S)
    assert run.hand_m <= 1.05 * neutral.hand_m
    assert run.hand_m < 1e-3
    assert run.hand_rad <= max(1.05 * neutral.hand_rad, 0.004)
    assert run.leak < 1e-9
    assert run.beyond_limits_rad == 0.0
    assert run.left_arm_rad < 0.06


@pytest.mark.parametrize("features", some_of(CORNERS, 2))
def test_without_limits_the_head_comes_as_near_to_its_target_as_published(features):
    run = play_wave(features, Variant(form="strict", limits="none", aversion=False), SHORT_S)
    assert run.head_rad < 0.002
    loose = play_wave(features, Variant(form="chiaverini", limits="none", aversion=False), SHORT_S)
    assert loose.head_rad < 0.06


def test_direct_gaze_is_nearer_to_the_person_at_any_activity_where_aversion_is_an_offset():
    for jerkiness, activity in some_of(itertools.product((0.125, 0.875), repeat=2), 2):
        averted = play_wave((jerkiness, activity, 0.125), Variant(), SHORT_S)
        direct = play_wave((jerkiness, activity, 0.875), Variant(), SHORT_S)
        assert averted.to_person_deg - direct.to_person_deg >= 20.0


def test_activity_is_energy_and_jerkiness_is_jerk():
    calm = play_wave((0.125, 0.125, 0.5), Variant(), SHORT_S)
    active = play_wave((0.125, 0.875, 0.5), Variant(), SHORT_S)
    jerky = play_wave((0.875, 0.875, 0.5), Variant(), SHORT_S)
    assert active.energy > 10 * calm.energy
    assert jerky.jerk > 6 * active.jerk

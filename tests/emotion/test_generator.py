from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.emotion.features import FeatureRates, Features
from sera.emotion.generator import ExpressiveMotion
from sera.emotion.profile import FourierTerm, NullSpaceProfile
from tests.emotion.conftest import null_space_profile

ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw")
DOCUMENT_ORDER = (
    *("KneePitch", "HipPitch", "HipRoll", "HeadYaw", "HeadPitch"),
    *(side + joint for side in "RL" for joint in ARM),
)
LOWEST = [0.5, 0.5, 0, 0, 0.64, 0.9, -0.3, 0, 1.1, 1.0, 0.9, 0.3, 0, -1.1, -1.0]
FULLEST = [0, -0.05, 0, 0, -0.3, 1.57, -0.85, 1.5, 0.1, 1.15, 1.57, 0.85, -1.5, -0.1, -1.15]
AMPLITUDE = [0, 0, 0, 0, 0, 0, 0.45, 0.7, 0.3, -0.2, 0, 0.45, -0.7, -0.3, 0.2]
SHARE = st.floats(min_value=0.0, max_value=1.0)
TIME = st.floats(min_value=0.0, max_value=100.0)


def in_document_order(profile: NullSpaceProfile, values: np.ndarray) -> np.ndarray:
    return values[[profile.column(name) for name in DOCUMENT_ORDER]]


@pytest.fixture
def printed(pepper: NullSpaceProfile) -> ExpressiveMotion:
    return ExpressiveMotion(pepper, printed=True)


GOLDEN = [
    (0.0, 0.0, 3.3, LOWEST),
    (0.0, 1.0, 0.0, FULLEST),
    (0.0, 1.0, math.pi / (2 * 2.79), list(np.add(FULLEST, AMPLITUDE))),
    (
        1.0,
        1.0,
        0.0,
        [
            0,
            -0.05,
            0,
            0,
            -0.3,
            1.57,
            -0.7387,
            1.6732,
            0.1742,
            1.1005,
            1.57,
            0.9613,
            -1.6732,
            -0.1742,
            -1.1005,
        ],
    ),
    (
        0.875,
        0.875,
        1.0,
        [
            0.0625,
            0.0187,
            0,
            0,
            -0.1825,
            1.4862,
            -0.7294,
            1.3931,
            0.2596,
            1.1082,
            1.4862,
            0.8331,
            -1.3931,
            -0.2596,
            -1.1082,
        ],
    ),
    (
        0.5,
        0.5,
        0.5,
        [
            0.25,
            0.225,
            0,
            0,
            0.17,
            1.235,
            -0.3503,
            1.0996,
            0.7498,
            0.9751,
            1.235,
            0.7997,
            -1.0996,
            -0.7498,
            -0.9751,
        ],
    ),
]


@pytest.mark.parametrize(("jerkiness", "activity", "t_s", "wanted"), GOLDEN)
def test_the_printed_table_gives_the_golden_angles(
    printed: ExpressiveMotion, jerkiness: float, activity: float, t_s: float, wanted: list[float]
) -> None:
    found = printed.pose(t_s, Features(jerkiness, activity, 0.5))
    assert in_document_order(printed.profile, found) == pytest.approx(wanted, abs=1e-4)


@given(SHARE, TIME)
def test_without_activity_nothing_moves_however_jerky(jerkiness: float, t_s: float) -> None:
    motion = ExpressiveMotion(null_space_profile("pepper"))
    theta, theta_dot = motion.pose_and_velocity(t_s, Features(jerkiness, 0.0, 0.5))
    assert np.array_equal(theta, motion.profile.lowest_rad)
    assert not theta_dot.any()


@given(SHARE)
def test_peak_energy_goes_with_the_square_of_activity(activity: float) -> None:
    motion = ExpressiveMotion(null_space_profile("pepper"))
    assert motion.peak_energies(activity) == pytest.approx(
        activity**2 * motion.peak_energies(1.0), abs=1e-12
    )
    # The peak is that of the motion itself: it passes its middle at phase nought.
    velocity = motion.pose_and_velocity(0.0, Features(0.0, activity, 0.5))[1]
    assert motion.peak_energies(activity) == pytest.approx(0.5 * velocity**2, abs=1e-12)


def test_jerkiness_adds_energy_as_the_document_has_it(printed: ExpressiveMotion) -> None:
    even = printed.mean_energy(Features(0.0, 1.0, 0.5), 60.0)
    jerky = printed.mean_energy(Features(1.0, 1.0, 0.5), 60.0)
    assert even == pytest.approx(3.2, rel=0.02)
    assert jerky / even == pytest.approx(2.26, rel=0.02)


@settings(deadline=None)
@given(SHARE, SHARE, TIME)
def test_every_joint_stays_within_its_limits(jerkiness: float, activity: float, t: float) -> None:
    for robot in ("pepper", "nao", "romeo", "mybot_ksr"):
        profile = null_space_profile(robot)
        theta = ExpressiveMotion(profile).pose(t, Features(jerkiness, activity, 0.5))
        part = profile.takes_part
        assert np.all(theta[part] >= profile.lower_rad[part] + 0.01 - 1e-9)
        assert np.all(theta[part] <= profile.upper_rad[part] - 0.01 + 1e-9)


RATES = st.floats(min_value=-2.0, max_value=2.0)


@settings(deadline=None)
@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9), TIME, RATES, RATES)
def test_the_velocity_is_the_derivative_of_the_pose(
    jerkiness: float, activity: float, t_s: float, j_dot: float, v_dot: float
) -> None:
    base = null_space_profile("pepper")
    terms = (FourierTerm(0.25, 0.2, 12.57), FourierTerm(-0.1, 0.05, 31.0))
    motion = ExpressiveMotion(replace(base, terms=terms))
    step = 1e-5

    def at(offset: float) -> np.ndarray:
        moved = Features(jerkiness + offset * j_dot, activity + offset * v_dot, 0.5)
        return motion.pose(t_s + offset, moved).copy()

    measured = (at(step) - at(-step)) / (2 * step)
    rates = FeatureRates(j_dot, v_dot)
    _, velocity = motion.pose_and_velocity(t_s, Features(jerkiness, activity, 0.5), rates)
    assert velocity == pytest.approx(measured, abs=1e-5)


def test_the_start_offset_is_the_phase_at_the_beginning(printed: ExpressiveMotion) -> None:
    features = Features(1.0, 1.0, 0.5)
    offset = printed.start_offset(features)
    assert offset.phase_rad == pytest.approx(0.25, abs=1e-6)
    begun = printed.pose(0.0, features) - offset.joints_rad
    assert in_document_order(printed.profile, begun) == pytest.approx(FULLEST, abs=1e-9)


@settings(deadline=None)
@given(SHARE, st.floats(0.05, 1.0))
def test_a_motion_can_begin_at_rest(jerkiness: float, activity: float) -> None:
    motion = ExpressiveMotion(null_space_profile("pepper"))
    features = Features(jerkiness, activity, 0.5)
    begin_s = motion.start_offset(features).still_at_s
    theta, velocity = motion.pose_and_velocity(begin_s, features)
    profile = motion.profile
    low = profile.fullest_rad - profile.amplitude_rad
    wanted = (1 - activity) * profile.lowest_rad + activity * low
    assert np.abs(velocity).max() < 1e-9
    assert theta == pytest.approx(wanted, abs=1e-9)


def test_given_arrays_are_written_and_own_ones_are_reused(pepper: NullSpaceProfile) -> None:
    motion = ExpressiveMotion(pepper)
    features = Features(0.5, 0.5, 0.5)
    theta, velocity = np.zeros(len(pepper.joints)), np.zeros(len(pepper.joints))
    assert motion.pose_and_velocity(0.3, features, out=(theta, velocity))[0] is theta
    assert np.array_equal(theta, motion.pose(0.3, features))
    assert motion.pose(0.3, features) is motion.pose(0.4, features)


def test_the_highest_frequency_is_that_of_the_phase(pepper: NullSpaceProfile) -> None:
    motion = ExpressiveMotion(pepper)
    assert motion.highest_frequency_hz() == pytest.approx(2.0, abs=1e-3)
    even = ExpressiveMotion(replace(pepper, terms=()))
    assert even.highest_frequency_hz() == pytest.approx(0.444, abs=1e-3)

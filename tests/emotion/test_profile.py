from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.emotion import Features, NullSpaceProfile, ProfileError, has_profile, load_profile
from sera.emotion.generator import ExpressiveMotion
from tests.emotion.conftest import ROBOTS, body_of, null_space_profile

HUMANOIDS = ("pepper", "nao", "nao_t14", "romeo", "mybot_ksr")
SMALL = """
kind = "null_space"

[oscillation]
omega_rad_s = 2.79

[[jerkiness]]
sine_deg = 10.0
frequency_hz = 2.0

[joints.HeadPitch]
lowest_deg = 20.0
fullest_deg = -10.0

[joints.LShoulderRoll]
lowest_deg = 10.0
fullest_deg = 40.0
amplitude_deg = 15.0

[head]
end_point = "head"

[hands.left]
end_point = "left_hand"
joints = ["LShoulderPitch", "LShoulderRoll"]
"""


def profile_of(folder: Path, text: str, robot: str = "pepper") -> NullSpaceProfile:
    (folder / "emotion.toml").write_text(text, encoding="utf-8")
    profile = load_profile(folder, body_of(robot))
    assert isinstance(profile, NullSpaceProfile)
    return profile


def refused(folder: Path, text: str, robot: str = "pepper") -> str:
    with pytest.raises(ProfileError) as caught:
        profile_of(folder, text, robot)
    return str(caught.value)


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_every_humanoid_has_a_profile_that_needs_no_mending(robot: str) -> None:
    profile = null_space_profile(robot)
    assert profile.notes == ()
    assert profile.joints == body_of(robot).joints
    assert profile.head is not None
    assert [hand.name for hand in profile.hands] == ["left", "right"]
    assert profile.amplitude_rad.any()
    for hand in profile.hands:
        assert all(profile.takes_part[profile.column(joint)] for joint in hand.joints)


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_no_swing_leaves_the_limits_or_the_share_of_speed(robot: str) -> None:
    profile = null_space_profile(robot)
    motion = ExpressiveMotion(profile)
    times = np.arange(0.0, 30.0, 0.01).tolist()
    part = profile.takes_part
    lower, upper = profile.lower_rad[part] + 0.01, profile.upper_rad[part] - 0.01
    allowed = profile.gains.velocity_share * profile.max_velocity_rad_s[part]
    for t_s in times:
        theta, velocity = motion.pose_and_velocity(t_s, Features(1.0, 1.0, 0.5))
        assert np.all((theta[part] >= lower - 1e-9) & (theta[part] <= upper + 1e-9))
        assert np.all(np.abs(velocity[part]) <= allowed + 1e-9)


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_left_and_right_mirror_each_other_at_every_moment(robot: str) -> None:
    profile, tree = null_space_profile(robot), body_of(robot).tree
    motion = ExpressiveMotion(profile)
    for activity in (0.0, 0.3, 1.0):
        for t_s in (0.0, 0.4, 1.1):
            theta = motion.pose(t_s, Features(0.8, activity, 0.5))
            left = tree.pose(theta, "left_hand").position_m
            right = tree.pose(theta, "right_hand").position_m
            assert left * (-1.0, 1.0, 1.0) == pytest.approx(right, abs=1e-3)


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_lively_arms_swing_from_low_to_high_and_slumped_heads_hang(robot: str) -> None:
    profile, tree = null_space_profile(robot), body_of(robot).tree
    low, high = (profile.fullest_rad + sign * profile.amplitude_rad for sign in (-1.0, 1.0))
    lowest_hand = tree.pose(profile.lowest_rad, "left_hand").position_m
    hands = [tree.pose(pose, "left_hand").position_m for pose in (low, high)]
    assert hands[1][1] - hands[0][1] > 0.1
    assert hands[1][0] > hands[0][0]
    assert all(hand[0] > lowest_hand[0] + 0.03 for hand in hands)
    assert 0.02 < lowest_hand[0] < 0.12
    assert lowest_hand[2] > 0.04
    eyes = [tree.pose(pose, "head").position_m[1] for pose in (profile.lowest_rad, high)]
    assert eyes[0] < eyes[1]


@pytest.mark.parametrize(
    "robot", [name for name in HUMANOIDS if name not in {"nao_t14", "mybot_ksr"}]
)
def test_no_posture_takes_the_centre_of_mass_out_of_its_support(robot: str) -> None:
    profile, tree = null_space_profile(robot), body_of(robot).tree
    assert profile.support is not None
    motion = ExpressiveMotion(profile)
    for activity in np.linspace(0.0, 1.0, 11).tolist():
        for t_s in np.linspace(0.0, 2.3, 12).tolist():
            theta = motion.pose(t_s, Features(1.0, activity, 0.5))
            left, _, forwards = tree.centre_of_mass(theta).tolist()
            assert profile.support.inside_m(left, forwards) > profile.support.margin_m


def test_peppers_support_is_a_triangle_of_wheels(pepper: NullSpaceProfile) -> None:
    support = pepper.support
    assert support is not None
    assert support.inside_m(0.0, 0.09) == pytest.approx(0.0, abs=1e-12)
    assert support.inside_m(0.0, 0.0) == pytest.approx(0.087, abs=1e-3)
    assert support.inside_m(0.0, 0.122) < 0.0
    assert support.inside_m(0.2, 0.0) < 0.0


def test_peppers_corrections_are_those_that_its_file_tells(pepper: NullSpaceProfile) -> None:
    column = pepper.column
    assert pepper.amplitude_rad[column("RShoulderRoll")] == pytest.approx(-0.45, abs=1e-3)
    assert pepper.published[2][column("RShoulderRoll")] == 0.45
    assert abs(pepper.amplitude_rad[column("LElbowYaw")]) == pytest.approx(0.576, abs=1e-3)
    assert abs(pepper.amplitude_rad[column("RElbowRoll")]) == pytest.approx(0.081, abs=1e-3)
    assert pepper.lowest_rad[column("HeadPitch")] == pytest.approx(0.627, abs=1e-3)
    assert pepper.lowest_rad[column("KneePitch")] == -pepper.lowest_rad[column("HipPitch")]
    for name in ("LShoulderRoll", "RElbowYaw", "LWristYaw", "RShoulderPitch"):
        ours = pepper.lowest_rad[column(name)], pepper.fullest_rad[column(name)]
        printed = pepper.published[0][column(name)], pepper.published[1][column(name)]
        assert ours == pytest.approx(printed, abs=1e-3)


def test_defaults_are_those_of_the_document_and_of_the_aversion(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, SMALL)
    gains = profile.gains
    assert (gains.hand_per_s, gains.head_per_s, gains.posture_per_s) == (10.0, 5.0, 3.0)
    assert (gains.head_damping, gains.velocity_share) == (0.1, 0.8)
    assert profile.gaze.mode == "aversion"
    assert profile.gaze.yaw_rad == pytest.approx(math.radians(25.0))
    assert profile.gaze.pitch_rad == pytest.approx(math.radians(15.0))
    assert profile.support is None
    assert profile.terms[0].omega_rad_s == pytest.approx(4 * math.pi)
    assert profile.hand("left") is profile.hand("left_hand")
    with pytest.raises(LookupError, match="no hand 'lefft'; did you mean 'left'"):
        profile.hand("lefft")


def test_joints_that_take_no_part_stay_at_neutral(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, SMALL)
    body = body_of("pepper")
    still = ~profile.takes_part
    assert still.sum() == len(body.joints) - 2
    neutral = np.array([body.own[name].neutral for name in body.joints])
    pose = ExpressiveMotion(profile).pose(0.7, Features(0.5, 0.9, 0.5))
    assert np.array_equal(pose[still], neutral[still])


def test_an_amplitude_beyond_the_limits_is_shrunk_and_noted(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, SMALL.replace("amplitude_deg = 15.0", "amplitude_deg = -70.0"))
    amplitude = profile.amplitude_rad[profile.column("LShoulderRoll")]
    assert math.degrees(amplitude) == pytest.approx(-(39.5 - math.degrees(0.01)))
    assert profile.notes == (
        "LShoulderRoll: amplitude_deg -70.0 would leave its limits and was shrunk to -38.9",
    )
    assert profile.published[2][profile.column("LShoulderRoll")] == pytest.approx(
        math.radians(-70.0)
    )


def test_an_amplitude_that_is_too_fast_is_shrunk_and_noted(tmp_path: Path) -> None:
    fast = SMALL.replace("omega_rad_s = 2.79", "frequency_hz = 5.0")
    profile = profile_of(tmp_path, fast)
    assert "would be faster than it may be" in profile.notes[0]
    motion = ExpressiveMotion(profile)
    peak = max(
        float(np.abs(motion.pose_and_velocity(t, Features(1.0, 1.0, 0.5))[1]).max())
        for t in np.arange(0.0, 10.0, 0.003).tolist()
    )
    column = profile.column("LShoulderRoll")
    assert peak <= 0.8 * profile.max_velocity_rad_s[column]
    assert peak > 0.7 * profile.max_velocity_rad_s[column]


def test_a_posture_just_beyond_a_limit_is_drawn_in_and_one_far_beyond_is_refused(
    tmp_path: Path,
) -> None:
    profile = profile_of(tmp_path, SMALL.replace("lowest_deg = 20.0", "lowest_deg = 36.7"))
    assert profile.lowest_rad[profile.column("HeadPitch")] == pytest.approx(
        math.radians(36.5) - 0.01
    )
    assert "HeadPitch: lowest_deg 36.7 lies beyond its limits" in profile.notes[0]
    said = refused(tmp_path, SMALL.replace("lowest_deg = 20.0", "lowest_deg = 80.0"))
    assert ":12: joints.HeadPitch.lowest_deg: 80 lies beyond the limits" in said


def test_profiles_cannot_be_written_to(pepper: NullSpaceProfile) -> None:
    with pytest.raises(ValueError, match="read-only"):
        pepper.lowest_rad[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        pepper.takes_part[0] = False


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "[joints.HeadPitch]",
            "[joints.HeadPich]",
            r":11: joints.HeadPich: 'pepper' has no joint 'HeadPich'; did you mean 'HeadPitch'?",
        ),
        (
            'end_point = "head"',
            'end_point = "haed"',
            "'pepper' has no end point 'haed'; did you mean 'head'?",
        ),
        (
            '"LShoulderPitch", ',
            '"LShoulderPich", ',
            "'pepper' has no joint 'LShoulderPich'; did you mean 'LShoulderPitch'?",
        ),
        ("omega_rad_s = 2.79", "", "give one of frequency_hz and omega_rad_s"),
        ("amplitude_deg", "amplitude", "amplitude_deg"),
        ('kind = "null_space"', 'kind = "nullspace"', "did you mean 'null_space'?"),
        ('kind = "null_space"', "", 'write kind = "null_space" or "posture"'),
    ],
)
def test_every_mistake_is_told_by_line_with_what_was_meant(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in SMALL
    assert said in refused(tmp_path, SMALL.replace(old, new, 1))


def test_a_support_that_is_no_polygon_is_refused(tmp_path: Path) -> None:
    crossed = "\n[support]\npoints_m = [[0, 0], [1, 1], [1, 0], [0, 1]]\n"
    assert "do not go round a convex polygon" in refused(tmp_path, SMALL + crossed)
    narrow = "\n[support]\npoints_m = [[0, 0], [0.02, 0], [0.01, 0.02]]\nmargin_m = 0.05\n"
    assert "leaves nothing of the polygon" in refused(tmp_path, SMALL + narrow)
    clockwise = "\n[support]\npoints_m = [[0, 0], [0, 1], [1, 0]]\n"
    support = profile_of(tmp_path, SMALL + clockwise).support
    assert support is not None
    assert support.inside_m(0.2, 0.2) == pytest.approx(0.2)


def test_a_folder_without_a_profile_says_so(tmp_path: Path) -> None:
    assert has_profile(ROBOTS / "pepper")
    assert not has_profile(tmp_path)
    with pytest.raises(ProfileError, match="there is no such file"):
        load_profile(tmp_path, body_of("pepper"))

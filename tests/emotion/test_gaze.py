from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sera.emotion.gaze import averted, away_from_partner_rad, directed, head_target, look_at
from sera.emotion.profile import GazeManner
from sera.kinematics import rotations

PLACE = st.tuples(*(st.floats(-5.0, 5.0) for _ in range(3)))
SHARE = st.floats(0.0, 1.0)
TURN = st.tuples(*(st.floats(-3.0, 3.0) for _ in range(3))).map(rotations.from_rotation_vector)
FORWARDS, UPWARDS, LEFT = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)


def same(a: np.ndarray, b: np.ndarray) -> float:
    return float(rotations.angle_between(a, b))


@given(PLACE, PLACE)
def test_a_direct_gaze_points_at_the_partner_and_is_upright(
    eyes: tuple[float, ...], partner: tuple[float, ...]
) -> None:
    way = np.subtract(partner, eyes)
    assume(np.linalg.norm(way) > 0.01)
    head = look_at(eyes, partner)
    assert np.linalg.norm(head) == pytest.approx(1.0, abs=1e-12)
    faces = rotations.rotate(head, FORWARDS)
    assert faces == pytest.approx(way / np.linalg.norm(way), abs=2e-6)
    assert rotations.rotate(head, LEFT)[1] == pytest.approx(0.0, abs=1e-9)
    assert rotations.rotate(head, UPWARDS)[1] >= -1e-9


@pytest.mark.parametrize("height", [3.0, -3.0])
def test_straight_above_and_below_the_left_stays_the_left(height: float) -> None:
    head = look_at((0.2, 1.0, 0.1), (0.2, 1.0 + height, 0.1))
    assert rotations.rotate(head, FORWARDS) == pytest.approx((0, math.copysign(1, height), 0))
    assert rotations.rotate(head, LEFT) == pytest.approx(LEFT)


def test_a_partner_at_the_eyes_is_looked_at_straight_ahead() -> None:
    assert look_at((1, 1, 1), (1, 1, 1)).tolist() == [1.0, 0.0, 0.0, 0.0]


def test_a_partner_at_the_left_is_a_turn_about_the_vertical() -> None:
    assert look_at((0, 1, 0), (2, 1, 2)) == pytest.approx(
        rotations.from_axis_angle(UPWARDS, math.pi / 4)
    )


@given(TURN, TURN, SHARE)
def test_the_documents_gaze_is_a_slerp_with_exact_ends(
    posed: np.ndarray, direct: np.ndarray, share: float
) -> None:
    assert same(directed(posed, direct, 0.0), posed) < 1e-9
    assert same(directed(posed, direct, 1.0), direct) < 1e-9
    between = directed(posed, direct, share)
    matrix = rotations.to_matrix(between)
    assert matrix @ matrix.T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(matrix) == pytest.approx(1.0, abs=1e-9)
    whole = same(posed, direct)
    if whole < math.pi - 1e-3:  # half a turn has no shorter way
        assert same(between, rotations.slerp(posed, direct, share)) < 1e-9
        assert same(posed, between) == pytest.approx(share * whole, abs=1e-8)


@given(PLACE, SHARE, st.sampled_from(["left", "right"]))
def test_an_averted_gaze_stays_upright_and_ends_at_the_partner(
    partner: tuple[float, float, float], share: float, side: str
) -> None:
    assume(math.hypot(partner[0], partner[2]) > 0.2)
    direct = look_at((0, 0, 0), partner)
    assert averted(direct, 1.0, side) == pytest.approx(direct, abs=1e-12)  # type: ignore[arg-type]
    head = averted(direct, share, side)  # type: ignore[arg-type]
    assert np.linalg.norm(head) == pytest.approx(1.0, abs=1e-12)
    assert rotations.rotate(head, LEFT)[1] == pytest.approx(0.0, abs=1e-9)


def test_an_averted_gaze_goes_aside_and_down_by_its_angles() -> None:
    direct = look_at((0, 1.15, 0), (0, 1.15, 3))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        head = averted(direct, 0.0, side)  # type: ignore[arg-type]
        yaw, pitch, roll = rotations.to_yaw_pitch_roll(head)
        assert math.degrees(yaw) == pytest.approx(sign * 25.0)
        assert math.degrees(pitch) == pytest.approx(15.0)
        assert roll == pytest.approx(0.0, abs=1e-12)
    half = averted(direct, 0.5, "left", yaw_deg=40.0, pitch_deg=0.0)
    assert math.degrees(away_from_partner_rad(half, direct)) == pytest.approx(20.0)


def test_aversion_of_the_study_differs_by_twenty_degrees_at_any_activity() -> None:
    direct = look_at((0, 1.15, 0), (0, 1.2, 3))
    low, high = (averted(direct, gaze, "right") for gaze in (0.125, 0.875))
    apart = away_from_partner_rad(low, direct) - away_from_partner_rad(high, direct)
    assert math.degrees(apart) > 20.0


@given(SHARE, SHARE)
def test_less_gaze_looks_further_away(one: float, other: float) -> None:
    direct = look_at((0, 1, 0), (0.3, 1.4, 2))
    less, more = sorted((one, other))
    away = [away_from_partner_rad(averted(direct, gaze, "left"), direct) for gaze in (less, more)]
    assert away[0] >= away[1] - 1e-12


def test_the_profile_says_which_form_is_taken() -> None:
    posed = rotations.from_axis_angle(LEFT, 0.4)
    direct = look_at((0, 1, 0), (1, 1, 2))
    document = head_target(GazeManner("document"), posed, direct, 0.3)
    assert document == pytest.approx(directed(posed, direct, 0.3))
    ours = head_target(GazeManner("aversion", 0.5, 0.1), posed, direct, 0.3, "right")
    assert ours == pytest.approx(
        averted(direct, 0.3, "right", math.degrees(0.5), math.degrees(0.1))
    )


def test_nonsense_is_refused() -> None:
    ahead = (1.0, 0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="finite numbers are needed"):
        look_at((0, math.nan, 0), (0, 0, 1))
    with pytest.raises(ValueError, match="finite numbers are needed"):
        look_at((0, 0), (0, 0, 1))
    with pytest.raises(ValueError, match="has the length 2, not 1"):
        directed((2, 0, 0, 0), ahead, 0.5)
    with pytest.raises(ValueError, match="gaze is nan"):
        averted(ahead, math.nan, "left")
    with pytest.raises(ValueError, match="not to 'up'"):
        averted(ahead, 0.5, "up")  # type: ignore[arg-type]

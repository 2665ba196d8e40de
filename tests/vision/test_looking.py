"""Smoothing with a known delay, and the cone of eye contact."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.vision.eye_contact import EyeContact
from sera.vision.one_euro import OneEuroFilter

HEAD = (0.0, 1.2, 1.5)
ROBOTS = {"ada": (0.0, 1.2, 0.0), "bob": (1.5, 1.2, 0.0)}


def facing(angle_deg: float) -> tuple[float, float, float]:
    """Towards ada, turned by so much towards bob."""
    angle = math.radians(angle_deg)
    return math.sin(angle), 0.0, -math.cos(angle)


def test_the_first_value_passes_as_it_is_and_a_still_one_stays_exactly():
    smooth = OneEuroFilter()
    assert all(smooth.step([0.3, -2.0], n / 30) == [0.3, -2.0] for n in range(20))


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40))
def test_the_output_stays_within_what_came_in(values):
    smooth = OneEuroFilter(per_speed=3.0)
    for number, value in enumerate(values):
        (out,) = smooth.step([value], number / 25)
        assert min(values) - 1e-9 <= out <= max(values) + 1e-9


def test_a_steady_motion_is_followed_with_the_delay_that_is_told():
    smooth = OneEuroFilter(rest_hz=2.0, per_speed=1.0)
    for number in range(400):
        (out,) = smooth.step([0.5 * number / 100], number / 100)
    behind_s = (0.5 * 3.99 - out) / 0.5
    # Sampled at 100 Hz, the filter is ahead of its formula by at most one sample.
    assert behind_s == pytest.approx(smooth.delay_s, abs=0.011)
    assert smooth.delay_s < 1 / (2 * math.pi * 2.0)


def test_time_that_does_not_pass_changes_nothing():
    smooth = OneEuroFilter()
    smooth.step([1.0], 5.0)
    assert smooth.step([9.0], 5.0) == [1.0]
    assert smooth.step([9.0], 4.0) == [1.0]


def test_the_cone_is_entered_and_left_at_its_own_angles():
    contact = EyeContact(enter_deg=14.0, leave_deg=20.0)
    script = [(14.1, None), (13.9, "ada"), (19.9, "ada"), (20.1, None), (15.0, None), (10.0, "ada")]
    for angle_deg, expected in script:
        assert contact.step("p", HEAD, facing(-angle_deg), ROBOTS) == expected


def test_a_look_goes_from_one_robot_to_the_other():
    contact = EyeContact()
    seen = [contact.step("p", HEAD, facing(angle), ROBOTS) for angle in (0, 30, 40, 45)]
    assert seen == ["ada", None, "bob", "bob"]


def test_everybody_has_a_state_of_their_own_and_it_can_be_forgotten():
    contact = EyeContact()
    assert contact.step("p", HEAD, facing(0), ROBOTS) == "ada"
    assert contact.step("q", HEAD, facing(-17), ROBOTS) is None
    assert contact.step("p", HEAD, facing(-17), ROBOTS) == "ada"
    contact.forget("p")
    assert contact.step("p", HEAD, facing(-17), ROBOTS) is None


def test_where_there_is_nobody_nobody_is_looked_at():
    assert EyeContact().step("p", HEAD, facing(0), {}) is None


def test_a_cone_that_is_left_before_it_is_entered_is_refused():
    with pytest.raises(ValueError, match="must not be smaller"):
        EyeContact(enter_deg=20.0, leave_deg=10.0)

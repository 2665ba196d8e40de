"""The stopping guard's closed forms against the stop itself, step by step."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics._filter_guard import (
    can_stop,
    first_of_run_out,
    guard_second,
    guard_third,
    run_out,
    stop_span,
    stopping_step,
)
from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter, MotionFilter

EXAMPLES = settings(deadline=None, max_examples=300)
ratios = st.floats(0.03, 60.0)
jerks = st.floats(1e-9, 1e3)


def roll_out(way, acceleration, acceleration_max, jerk_max):
    """Lowest and highest point and top speed of a stop, by doing it."""
    position = lowest = highest = 0.0
    fastest = abs(way)
    for _ in range(20_000):
        acceleration = stopping_step(way, acceleration, acceleration_max, jerk_max)
        way += acceleration
        position += way
        lowest, highest = min(lowest, position), max(highest, position)
        fastest = max(fastest, abs(way))
        if abs(way) <= 1e-13 * fastest and abs(acceleration) <= 1e-9 * jerk_max:
            return lowest, highest, fastest
    raise AssertionError("the stop never ended")


@EXAMPLES
@given(ratio=st.floats(0.0, 1e3), decrement=st.floats(1e-3, 1e3))
def test_a_run_out_is_the_sum_of_its_terms_and_has_an_inverse(ratio, decrement):
    first = ratio * decrement
    terms = np.arange(first, 0.0, -decrement)
    assert run_out(first, decrement) == pytest.approx(terms.sum(), rel=1e-9, abs=1e-12)
    total = run_out(first, decrement)
    assert first_of_run_out(total, decrement) == pytest.approx(first, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("total", [1e20, 1e200, 1e308, math.inf])
def test_room_without_end_has_a_first_term_that_is_a_number_or_infinite(total):
    first = first_of_run_out(total, 1e-6)
    assert first == pytest.approx(math.sqrt(total) * math.sqrt(2e-6))


@EXAMPLES
@given(
    jerk_max=jerks,
    acceleration_ratio=ratios,
    share=st.floats(-1.0, 1.0),
    speed=st.floats(-30.0, 30.0),
    whole=st.booleans(),
)
def test_the_closed_form_of_a_stop_is_where_the_stop_goes(
    jerk_max, acceleration_ratio, share, speed, whole
):
    acceleration_max = acceleration_ratio * jerk_max
    acceleration = share * acceleration_max
    way = speed * max(jerk_max, acceleration_max)
    if whole:  # multiples of the jerk are where the pieces of the curve meet
        way = round(way / jerk_max) * jerk_max
    lowest, highest, fastest = roll_out(way, acceleration, acceleration_max, jerk_max)
    low, high = stop_span(way, acceleration, acceleration_max, jerk_max)
    tolerance = 1e-11 * (highest - lowest + fastest)
    assert low == pytest.approx(lowest, abs=tolerance)
    assert high == pytest.approx(highest, abs=tolerance)
    assert can_stop(way, acceleration, fastest * (1 + 1e-9), acceleration_max, jerk_max)
    if fastest > abs(way) * (1 + 1e-6):
        assert not can_stop(way, acceleration, fastest * (1 - 1e-9), acceleration_max, jerk_max)


def test_no_stop_is_shorter_than_the_one_from_full_speed_with_the_brakes_already_on():
    braked = stop_span(10.0, -2.0, 2.0, 0.5)
    coasting = stop_span(10.0, 0.0, 2.0, 0.5)
    speeding = stop_span(10.0, 2.0, 2.0, 0.5)
    assert braked[1] < coasting[1] < speeding[1]
    assert braked[0] == coasting[0] == speeding[0] == 0.0


def test_a_joint_that_brakes_too_hard_is_seen_to_swing_back():
    lowest, highest = stop_span(0.5, -4.0, 4.0, 1.0)
    assert highest == 0.0  # its very next step already goes back
    assert lowest < -10.0


def test_far_from_every_limit_the_guard_changes_nothing():
    assert guard_third(0.0, 0.1, 0.01, 0.013, -100.0, 100.0, 1.0, 0.1, 0.01) == 0.013
    assert guard_second(0.0, 0.1, 0.013, -100.0, 100.0, 1.0, 0.1) == pytest.approx(0.013, abs=1e-16)


def test_the_guard_takes_the_nearest_safe_step_and_not_a_full_brake():
    arguments = (-100.0, 10.0, 1.0, 0.1, 0.01)
    position, way, acceleration = 0.0, 0.9, 0.0
    room = 10.0 - stop_span(way, acceleration, 0.1, 0.01)[1]
    position += room - way - 0.005  # room for a little more than going on as before
    chosen = guard_third(position, way, acceleration, 0.01, *arguments)
    assert stopping_step(way, acceleration, 0.1, 0.01) < chosen < 0.01
    next_way = way + chosen
    end = position + next_way + stop_span(next_way, chosen, 0.1, 0.01)[1]
    assert end <= 10.0
    assert end == pytest.approx(10.0, abs=1e-3)


def arrived(start, target, limits, rate_hz, seconds):
    character = FilterCharacter(
        smoothness=0.0,
        responsiveness=0.0,
        edge=1000.0,
        overshoot=0.0,
        limiter=Limiter.HARD,
        eased=False,
    )
    motion = MotionFilter([start], limits, character, rate_hz=rate_hz)
    motion.set_point([target])
    for _ in range(round(seconds * rate_hz)):
        position = motion.step()[0]
    return position


def test_a_short_way_that_one_full_step_would_overshoot_is_made_all_the_same():
    limits = FilterLimits(
        velocity=2.9205, acceleration=24.9529, jerk=2751.457, lower=-1.0, upper=1.5
    )
    assert arrived(0.5308543475, 0.5269960973, limits, 100, 1.0) == pytest.approx(
        0.5269960973, abs=1e-6
    )


def test_a_joint_at_the_end_of_its_range_leaves_it_by_a_hair_when_asked_to():
    limits = FilterLimits(velocity=3.0, acceleration=25.0, jerk=2700.0, lower=-1.0, upper=1.5)
    assert arrived(1.5, 1.4965, limits, 100, 1.0) == pytest.approx(1.4965, abs=1e-6)


@settings(max_examples=80, deadline=None)
@given(
    st.tuples(st.floats(0.3, 8.0), st.floats(0.05, 0.5), st.floats(0.01, 0.2)),
    st.sampled_from([50, 60, 100]),
    st.floats(-1.0, 1.5),
    st.floats(-1.0, 1.5),
)
def test_a_quick_joint_always_arrives(quickness, rate_hz, start, target):
    velocity, rise_s, jerk_s = quickness
    acceleration = velocity / rise_s
    limits = FilterLimits(
        velocity=velocity,
        acceleration=acceleration,
        jerk=acceleration / jerk_s,
        lower=-1.0,
        upper=1.5,
    )
    needed_s = 2.0 * abs(target - start) / velocity + 4.0 * (rise_s + jerk_s) + 1.0
    assert arrived(start, target, limits, rate_hz, needed_s) == pytest.approx(target, abs=1e-3)

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.emotion import PAD
from sera.emotion.feeling import FADE_EASE, Feeling

AXIS = st.floats(min_value=-1.0, max_value=1.0)
POINTS = st.builds(PAD, AXIS, AXIS, AXIS)
ORDERS = st.lists(
    st.tuples(
        st.sampled_from(["set", "mood", "forget"]),
        POINTS,
        st.floats(0.0, 2.0),  # seconds after the one before
        st.floats(0.2, 2.0),  # duration of the blend
    ),
    min_size=1,
    max_size=6,
)
HALF_LIVES = st.one_of(st.none(), st.floats(0.5, 20.0))
HAPPY = PAD.corner("HHH")


def told(
    orders: list[tuple[str, PAD, float, float]], half_life_s: float | None, until_s: float
) -> Feeling:
    """A feeling that heard the orders up to a time."""
    feeling, now = Feeling(half_life_s=half_life_s), 0.0
    for what, pad, wait_s, blend_s in orders:
        now += wait_s
        if now > until_s:
            break
        if what == "set":
            feeling.set(pad, now, blend_s)
        elif what == "mood":
            feeling.set_mood(pad, now, blend_s)
        else:
            feeling.forget(now, blend_s)
    return feeling


def values(feeling: Feeling, now: float) -> tuple[float, ...]:
    felt = feeling.at(now)
    return (*felt.pad.values, felt.intensity)


def rates(feeling: Feeling, now: float) -> tuple[float, ...]:
    felt = feeling.at(now)
    return (*felt.per_s, felt.intensity_per_s)


@settings(deadline=None, max_examples=30)
@given(ORDERS, HALF_LIVES)
def test_what_is_felt_stays_in_the_space_and_never_jumps(
    orders: list[tuple[str, PAD, float, float]], half_life_s: float | None
) -> None:
    step = 0.01
    last: tuple[float, ...] | None = None
    last_rates: tuple[float, ...] = (0.0,) * 4
    for number in range(400):
        now = number * step
        feeling = told(orders, half_life_s, now)
        felt = feeling.at(now)
        found, found_rates = values(feeling, now), rates(feeling, now)
        assert felt.pad.clipped == ()
        assert all(-1.0 <= value <= 1.0 for value in found)
        assert 0.0 <= felt.intensity <= 1.0
        if last is not None:
            # A whole way of 2 in the shortest blend of 0.2 s moves by less than 25 a second,
            # with what an interrupted blend adds.
            assert max(abs(a - b) for a, b in zip(found, last, strict=True)) < 40.0 * step
            # The mean of the rates at both ends tells the way between them, to third order.
            for a, b, c, d in zip(found, last, found_rates, last_rates, strict=True):
                assert a - b == pytest.approx(0.5 * (c + d) * step, abs=0.05)
        last, last_rates = found, found_rates


@settings(deadline=None)
@given(ORDERS, HALF_LIVES)
def test_value_and_rate_are_the_same_on_both_sides_of_an_order(
    orders: list[tuple[str, PAD, float, float]], half_life_s: float | None
) -> None:
    now = sum(wait_s for *_, wait_s, _ in orders)
    before = told(orders[:-1], half_life_s, math.inf)
    expected, expected_rates = values(before, now), rates(before, now)
    after = told(orders, half_life_s, math.inf)
    assert values(after, now) == pytest.approx(expected, abs=1e-12)
    moving = [after._course.durations_s(axis)[1] > 0.0 for axis in range(4)]
    for axis, (a, b) in enumerate(zip(rates(after, now), expected_rates, strict=True)):
        # At an end of the space there is no room left to die away in.
        assert a == pytest.approx(b, abs=1e-9) or not moving[axis]


@settings(deadline=None)
@given(ORDERS, HALF_LIVES, st.floats(0.0, 6.0), st.randoms(use_true_random=False))
def test_it_does_not_matter_how_often_it_was_asked(
    orders: list[tuple[str, PAD, float, float]],
    half_life_s: float | None,
    now: float,
    chance: random.Random,
) -> None:
    quiet = told(orders, half_life_s, now)
    asked = told(orders, half_life_s, now)
    for _ in range(10):
        asked.at(chance.uniform(0.0, 10.0))
    assert quiet.at(now) == asked.at(now)


@given(POINTS, st.floats(0.0, 5.0))
def test_a_blend_ends_exactly_where_it_leads(pad: PAD, blend_s: float) -> None:
    for half_life_s in (None, 4.0):
        feeling = Feeling(half_life_s=half_life_s)
        feeling.set(pad, 1.0, blend_s)
        felt = feeling.at(1.0 + blend_s)
        assert felt.pad == pad
        assert felt.per_s == (0.0, 0.0, 0.0)
        assert not felt.blending


def test_half_of_an_emotion_is_left_after_each_half_life() -> None:
    feeling = Feeling(mood=PAD(0.1, -0.1, 0.0), half_life_s=10.0)
    feeling.set(PAD(0.9, 0.7, -0.8), 0.0, 1.0)
    late = 1.0 + FADE_EASE * 10.0
    first, second = feeling.at(late).pad, feeling.at(late + 10.0).pad
    for before, after, mood in zip(first.values, second.values, feeling.mood.values, strict=True):
        assert after - mood == pytest.approx(0.5 * (before - mood))
    assert feeling.at(1000.0).pad.distance(feeling.mood) < 1e-12
    assert feeling.at(1.0 + 10.0 * (1 + FADE_EASE / 2)).pad.pleasure == pytest.approx(0.5)


def test_an_emotion_without_a_half_life_stays() -> None:
    feeling = Feeling(half_life_s=None)
    feeling.set(HAPPY, 0.0, 1.0)
    assert feeling.at(1e6).pad == HAPPY
    assert feeling.at(1e6).intensity == 1.0


def test_a_robot_that_was_told_nothing_shows_nothing() -> None:
    felt = Feeling().at(5.0)
    assert felt.pad == PAD.neutral()
    assert felt.intensity == 0.0
    assert not felt.blending


def test_intensity_rises_with_the_blend_and_fades_with_the_emotion() -> None:
    feeling = Feeling(half_life_s=5.0)
    feeling.set(HAPPY, 0.0, 1.0)
    rising = [feeling.at(0.1 * number).intensity for number in range(11)]
    assert rising == sorted(rising)
    assert rising[0] == 0.0
    assert rising[5] == pytest.approx(0.5)
    assert rising[10] == 1.0
    assert feeling.at(100.0).intensity < 1e-5


def test_neutral_shows_nothing_and_a_mood_shows_by_itself() -> None:
    feeling = Feeling(mood=HAPPY)
    assert feeling.at(0.0).intensity == 1.0
    feeling.set_mood(PAD.neutral(), 0.0, 1.0)
    assert feeling.at(1.0).intensity == 0.0
    feeling.set(PAD.neutral(), 2.0, 1.0)
    assert feeling.at(3.0).intensity == 0.0
    assert Feeling(mood=PAD(0.05, 0.0, 0.0)).at(0.0).intensity == pytest.approx(0.15625)


def test_on_the_way_past_neutral_nothing_falters() -> None:
    feeling = Feeling(half_life_s=None)
    feeling.set(HAPPY, 0.0, 1.0)
    feeling.set(HAPPY.opposite, 2.0, 1.0)
    felt = feeling.at(2.5)
    assert felt.pad.distance(PAD.neutral()) < 1e-9
    assert felt.intensity == 1.0


def test_a_mood_that_changes_leaves_what_is_felt_at_the_moment() -> None:
    feeling = Feeling(half_life_s=None)
    feeling.set(HAPPY, 0.0, 1.0)
    feeling.set_mood(PAD(-0.5, -0.5, -0.5), 5.0, 1.0)
    assert feeling.at(7.0).pad == HAPPY
    feeling.forget(10.0, 2.0)
    assert feeling.at(12.0).pad == PAD(-0.5, -0.5, -0.5)


def test_a_faded_emotion_does_not_come_back_with_a_new_mood() -> None:
    feeling = Feeling(half_life_s=1.0)
    feeling.set(HAPPY, 0.0, 0.5)
    feeling.set_mood(PAD.neutral(), 60.0, 0.5)
    assert feeling.at(61.0).intensity < 1e-9


def test_the_same_order_again_in_the_middle_of_a_blend_goes_straight_on() -> None:
    feeling = Feeling(half_life_s=None)
    feeling.set(PAD(-1, -1, -1), 0.0, 0.0)
    for begin_s in (1.0, 1.2, 1.4, 1.5, 1.7, 1.9):
        feeling.set(PAD(1, 1, 1), begin_s, 1.0)
    course = [feeling.at(1.9 + 0.01 * number).pad.pleasure for number in range(101)]
    assert all(after >= before for before, after in pairwise(course))
    assert course[-1] == 1.0


def test_a_target_close_by_is_swung_over_as_far_as_there_is_room() -> None:
    feeling = Feeling(half_life_s=None)
    feeling.set(PAD(-1, -1, -1), 0.0, 0.0)
    feeling.set(PAD(1, 1, 1), 1.0, 1.0)
    feeling.set(PAD(0.05, 0.05, 0.05), 1.5, 1.0)
    course = [feeling.at(1.5 + 0.001 * number).pad.pleasure for number in range(1001)]
    assert 0.4 < max(course) < 1.0
    assert course[-1] == 0.05
    assert max(abs(b - a) for a, b in pairwise(course)) < 0.004


def test_the_smallest_of_numbers_is_no_trouble() -> None:
    feeling = Feeling(half_life_s=None)
    feeling.set(PAD(0.0, 0.0, 5e-324), 0.0, 1.0)
    feeling.set(HAPPY, 0.5, 1.0)
    assert feeling.at(1.0).pad.pleasure == pytest.approx(0.375)
    assert feeling.at(1.5).pad == HAPPY


def test_time_that_goes_back_counts_as_the_last_order() -> None:
    feeling = Feeling()
    feeling.set(HAPPY, 10.0, 1.0)
    assert feeling.at(3.0) == feeling.at(10.0)
    feeling.set(HAPPY, 4.0, 1.0)
    assert feeling.at(11.0).pad == HAPPY


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_times_that_are_no_numbers_are_refused(bad: float) -> None:
    feeling = Feeling()
    with pytest.raises(ValueError, match="give seconds"):
        feeling.at(bad)
    with pytest.raises(ValueError, match="give seconds"):
        feeling.set(HAPPY, bad)
    with pytest.raises(ValueError, match="a blend takes"):
        feeling.set(HAPPY, 0.0, -1.0)
    with pytest.raises(ValueError, match="half-life"):
        Feeling(half_life_s=0.0)
    assert feeling.at(1.0).pad == PAD.neutral()

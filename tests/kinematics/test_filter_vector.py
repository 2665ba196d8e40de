"""The filter of a point: lengths of vectors are limited, and the point stays in its region."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.filter import (
    Ball,
    Box,
    FilterCharacter,
    FilterLimits,
    Limiter,
    MotionFilter,
    VectorFilter,
)

ULP = 2.3e-16
LIMITS = FilterLimits(1.0, 4.0, 60.0)


def lengths(positions, order, step_s):
    before = np.vstack([positions[:1]] * order + [positions])
    return np.linalg.norm(np.diff(before, order, axis=0), axis=1) / step_s**order


def logarithmic(lowest, highest):
    return st.floats(lowest, highest).map(lambda exponent: 10.0**exponent)


@st.composite
def points(draw):
    axes, order = draw(st.sampled_from([2, 3])), draw(st.sampled_from([3, 3, 2, 1]))
    size, duration = draw(logarithmic(-2, 2)), draw(logarithmic(-1.5, 1))
    velocity = size / duration * draw(logarithmic(-1, 1))
    acceleration = velocity / duration * draw(logarithmic(-1, 1))
    jerk = acceleration / duration * draw(logarithmic(-1, 1.5))
    centre = np.full(axes, draw(st.sampled_from([0.0, 3.0])) * size)
    flat = size * np.linspace(0.2, 1.0, axes)
    region = draw(st.sampled_from([None, Box(centre - flat, centre + flat), Ball(centre, size)]))
    character = FilterCharacter(
        draw(st.floats(0.0, 1.0)),
        draw(st.sampled_from([0.0, 0.9])),
        draw(st.sampled_from([1.0, 20.0])),
        limiter=draw(st.sampled_from(list(Limiter))),
        eased=draw(st.booleans()),
    )
    limits = FilterLimits(velocity, acceleration, jerk)
    rate_hz = draw(st.sampled_from([10.0, 60.0, 100.0, 1000.0]))
    motion = VectorFilter(centre, limits, character, region=region, rate_hz=rate_hz, order=order)
    return motion, centre, size


@settings(deadline=None, max_examples=80)
@given(
    made=points(),
    values=st.lists(
        st.one_of(st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3), st.just("stop")),
        min_size=1,
        max_size=20,
    ),
    hold=st.sampled_from([1, 5, 30]),
    far=st.sampled_from([1.0, 1.0, 1e200]),
)
def test_the_point_stays_in_its_region_and_its_vectors_within_their_limits(made, values, hold, far):
    motion, centre, size = made
    positions = [motion.position]
    for index in range(150):
        value = values[index // hold % len(values)]
        if value == "stop":
            motion.stop()
        else:
            motion.set_point(centre + size * far * np.array(value[: motion.axes]))
        positions.append(motion.step())
    positions = np.array(positions)
    scale = np.linalg.norm(positions, axis=1).max() * ULP
    if isinstance(motion.region, Box):
        assert np.all(positions >= motion.region.lower)
        assert np.all(positions <= motion.region.upper)
    if isinstance(motion.region, Ball):
        distances = np.linalg.norm(positions - motion.region.centre, axis=1)
        assert distances.max() <= motion.region.radius + 4 * scale
    for power, (bound,) in enumerate(motion.limits.rates(1, motion.order), 1):
        if power <= motion.order:
            allowed = bound * (1 + 1e-10) + 2 ** (power + 2) * scale / motion.step_s**power
            assert lengths(positions, power, motion.step_s).max() <= allowed


def test_a_diagonal_is_no_faster_than_a_straight_line():
    tops = []
    for target in ([50.0, 0.0], [50.0, 50.0]):
        motion = VectorFilter(
            [0.0, 0.0], LIMITS, FilterCharacter(0.1, 0.0, limiter=Limiter.HARD), rate_hz=100.0
        )
        motion.set_point(target)
        positions = np.array([motion.step() for _ in range(300)])
        tops.append(lengths(positions, 1, 0.01)[1:].max())
    assert tops == pytest.approx([1.0, 1.0], rel=1e-3)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("limiter", list(Limiter))
def test_along_one_axis_it_is_the_filter_of_a_joint(order, limiter):
    character = FilterCharacter(0.3, 0.2, limiter=limiter)
    joint = MotionFilter([0.0], LIMITS, character, order=order)
    point = VectorFilter([0.0, 0.0, 0.0], LIMITS, character, order=order)
    for index in range(400):
        target = [1.5, -0.5, 0.2][index // 150]
        joint.set_point([target])
        point.set_point([0.0, target, 0.0])
        expected, found = joint.step()[0], point.step()
        assert found[1] == pytest.approx(expected, abs=0.005)
        assert found[0] == found[2] == 0.0


@pytest.mark.parametrize("region", [Box([-1.0, -0.5], [1.0, 0.5]), Ball([0.0, 0.0], 1.0)])
def test_a_point_sent_out_of_its_region_comes_to_rest_at_the_edge(region):
    character = FilterCharacter(0.1, 0.0, 20.0, limiter=Limiter.HARD)
    motion = VectorFilter([0.0, 0.0], FilterLimits(3.0, 6.0, 60.0), character, region=region)
    motion.set_point([30.0, 0.0])
    for _ in range(600):
        last = motion.step()
    assert last == pytest.approx([1.0, 0.0], abs=0.03)


def test_a_stop_from_a_turn_comes_to_rest():
    motion = VectorFilter([0.0, 0.0], LIMITS, FilterCharacter(0.1, 0.0), rate_hz=100.0)
    for target in ([5.0, 0.0], [5.0, 5.0]):
        motion.set_point(target)
        for _ in range(60):
            motion.step()
    motion.stop()
    for _ in range(200):
        motion.step()
    assert motion.at_rest
    rest = motion.position
    motion.step()
    assert np.array_equal(motion.position, rest)


def test_new_limits_wait_until_the_point_can_stop_within_them():
    character = FilterCharacter(0.1, 0.0, limiter=Limiter.HARD)
    motion = VectorFilter([0.0, 0.0], LIMITS, character, rate_hz=100.0)
    motion.set_point([9.0, 9.0])
    positions = [motion.step() for _ in range(100)]
    motion.set_limits(FilterLimits(0.2, 1.0, 60.0))
    waited = 0
    for _ in range(300):
        positions.append(motion.step())
        waited += motion.adopting
        bounds = (1.0, 4.0, 60.0) if motion.adopting else (0.2, 1.0, 60.0)
        for power, bound in enumerate(bounds, 1):
            value = np.diff(np.array(positions[-power - 1 :]), power, axis=0)[0]
            assert np.linalg.norm(value) * 100.0**power <= bound * (1 + 1e-6)
    assert waited > 10
    assert not motion.adopting
    assert np.linalg.norm(motion.velocity) == pytest.approx(0.2, rel=1e-2)


def test_a_character_can_change_on_the_way():
    motion = VectorFilter([0.0, 0.0], LIMITS, FilterCharacter(1.0))
    motion.set_character(FilterCharacter(0.3, 0.5))
    motion.set_point([1.0, 0.0])
    for _ in range(400):
        motion.step()
    assert motion.position == pytest.approx([1.0, 0.0], abs=0.05)
    assert np.linalg.norm(motion.acceleration) < 0.1


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: VectorFilter(1.0, LIMITS), "shape"),
        (lambda: VectorFilter([0.0, np.nan], LIMITS), "2 finite numbers"),
        (lambda: VectorFilter([0.0, 0.0], FilterLimits(1.0, 1.0, 1.0, -1.0, 1.0)), "region=Box"),
        (lambda: VectorFilter([0.0, 0.0], FilterLimits([1.0, 2.0], 1.0, 1.0)), "velocity"),
        (lambda: VectorFilter([3.0, 0.0], LIMITS, region=Ball([0.0, 0.0], 1.0)), "outside"),
        (lambda: VectorFilter([0.0], LIMITS, region=Ball([0.0, 0.0], 1.0)), "1 numbers"),
        (lambda: VectorFilter([0.0], LIMITS, region=Ball([0.0], -1.0)), "radius"),
        (lambda: VectorFilter([0.0], LIMITS, region=Box([1.0], [-1.0])), "empty"),
        (lambda: VectorFilter([0.0], LIMITS, rate_hz=5.0), "10 to 1000 Hz"),
        (lambda: VectorFilter([0.0], LIMITS, FilterCharacter(overshoot=0.0)), "overshoot"),
    ],
)
def test_what_makes_no_sense_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_a_set_point_that_is_no_number_is_refused_and_the_last_good_one_stays():
    motion = VectorFilter([0.0, 0.0], LIMITS)
    motion.set_point([1.0, 1.0])
    with pytest.raises(ValueError, match="2 finite numbers"):
        motion.set_point([np.inf, 0.0])
    for _ in range(200):
        motion.step()
    assert motion.position[0] == pytest.approx(motion.position[1])
    assert motion.position[0] > 0.1

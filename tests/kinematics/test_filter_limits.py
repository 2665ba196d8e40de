"""What the motion filter promises: no limit is exceeded, whatever comes in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter, MotionFilter

ULP = 2.3e-16


def excess(positions, limits, step_s, order):
    """By how much each limit is exceeded, beyond what the rounding of positions explains."""
    size = np.abs(positions).max(axis=0) * ULP
    rates = limits.rates(positions.shape[1], order)
    values = np.vstack([positions[:1]] * order + [positions])
    found = []
    for power in range(1, order + 1):
        values = np.diff(values, axis=0) / step_s
        bound = rates[power - 1]
        allowed = bound * (1 + 1e-11) + 2 ** (power + 1) * size / step_s**power
        found.append(float((np.abs(values).max(axis=0) - allowed).max()))
    return found


def run(motion, drive, steps):
    positions = [motion.positions]
    for index in range(steps):
        drive(motion, index)
        positions.append(motion.step())
    return np.array(positions)


def logarithmic(lowest, highest):
    return st.floats(lowest, highest).map(lambda exponent: 10.0**exponent)


@st.composite
def motions(draw):
    """A filter of any kind, with limits that bind at one time or another."""
    order = draw(st.sampled_from([3, 3, 2, 1]))
    centre = draw(st.sampled_from([0.0, 1.0, -250.0]))
    width = draw(logarithmic(-3, 4))
    duration = draw(logarithmic(-1.5, 1))
    velocity = width / duration * draw(logarithmic(-1, 1))
    acceleration = velocity / duration * draw(logarithmic(-1, 1))
    jerk = acceleration / duration * draw(logarithmic(-1, 2))
    if draw(st.booleans()):  # no relation between them at all
        velocity, acceleration, jerk = (draw(logarithmic(-6, 9)) for _ in range(3))
    bottom, top = draw(st.tuples(st.booleans(), st.booleans()))
    limits = FilterLimits(
        velocity,
        acceleration,
        jerk,
        centre - width / 2 if bottom else -np.inf,
        centre + width / 2 if top else np.inf,
    )
    character = FilterCharacter(
        draw(st.floats(0.0, 1.0)),
        draw(st.sampled_from([0.0, 0.5, 0.999])),
        draw(st.sampled_from([0.5, 1.0, 20.0])),
        draw(st.sampled_from([np.inf, 0.0, 0.01 * width])),
        limiter=draw(st.sampled_from(list(Limiter))),
        eased=draw(st.booleans()),
    )
    start = centre + width * draw(st.floats(-0.5, 0.5))
    lower, upper = limits.ends(1)
    start = float(np.clip(start, lower[0], upper[0]))
    rate_hz = draw(logarithmic(1, 3).map(lambda rate: min(max(rate, 10.0), 1000.0)))
    motion = MotionFilter([start], limits, character, rate_hz=rate_hz, order=order)
    return motion, centre, width


def inside(positions, limits):
    lower, upper = limits.ends(positions.shape[1])
    return bool(np.all(positions >= lower) and np.all(positions <= upper))


@settings(deadline=None, max_examples=250)
@given(
    made=motions(),
    values=st.lists(
        st.one_of(
            st.floats(-2.0, 2.0),
            st.sampled_from([0.5, -0.5, 1e300, -1e300]),
            st.just("stop"),
            st.just("hold"),
        ),
        min_size=1,
        max_size=40,
    ),
    hold=st.sampled_from([1, 2, 7, 40]),
)
def test_no_limit_is_ever_exceeded(made, values, hold):
    motion, centre, width = made

    def drive(motion, index):
        value = values[index // hold % len(values)]
        if value == "stop":
            motion.stop()
        elif value != "hold":
            motion.set_point([centre + value * width])

    positions = run(motion, drive, 400)
    assert np.isfinite(positions).all()
    assert inside(positions, motion.limits)
    assert max(excess(positions, motion.limits, motion.step_s, motion.order)) <= 0.0


@settings(deadline=None, max_examples=100)
@given(made=motions(), value=st.floats(-2.0, 2.0), after=st.integers(0, 60))
def test_a_stop_comes_to_rest_and_stays_there(made, value, after):
    motion, centre, width = made
    motion.set_point([centre + value * width])
    for _ in range(after):
        motion.step()
    velocity, acceleration = motion.velocities[0], motion.accelerations[0]
    motion.stop()
    rates = [rate[0] for rate in motion.limits.rates(1, motion.order)]
    # Each of four ramps of acceleration and one stretch of full braking, with a step for each.
    longest_s = 0.0
    if motion.order > 1:
        longest_s += abs(velocity) / rates[1]
    if motion.order > 2:
        longest_s += 4 * (abs(acceleration) / rates[2] + (abs(velocity) / rates[2]) ** 0.5)
    for _ in range(min(int(longest_s / motion.step_s) + 10, 300_000)):
        motion.step()
        if motion.at_rest:
            break
    else:
        assert longest_s / motion.step_s > 300_000
        return
    rest = motion.positions
    for _ in range(5):
        motion.step()
    assert np.array_equal(motion.positions, rest)


@settings(deadline=None, max_examples=80)
@given(
    order=st.sampled_from([1, 2, 3]),
    scale=st.lists(logarithmic(-1, 1), min_size=3, max_size=3),
    moments=st.integers(1, 120),
    limiter=st.sampled_from(list(Limiter)),
)
def test_new_limits_hold_from_the_step_on_that_they_are_adopted(order, scale, moments, limiter):
    old = FilterLimits(4.0, 30.0, 500.0, -2.0, 2.0)
    new = FilterLimits(4.0 * scale[0], 30.0 * scale[1], 500.0 * scale[2], -2.0, 2.0)
    character = FilterCharacter(0.1, 0.5, 20.0, limiter=limiter)
    motion = MotionFilter([0.0], old, character, rate_hz=100.0, order=order)
    positions = [0.0] * 3
    for index in range(moments):
        motion.set_point([2.0 if index // 40 % 2 == 0 else -2.0])
        positions.append(motion.step()[0])
    motion.set_limits(new)
    bounds = [np.asarray(limits.rates(1, order))[:, 0] for limits in (old, new)]
    waited = 0
    for index in range(150):
        motion.set_point([2.0 if index // 60 % 2 == 0 else -2.0])
        positions.append(motion.step()[0])
        bound = bounds[0] if motion.adopting else bounds[1]
        waited += motion.adopting
        for power in range(1, order + 1):
            value = np.diff(positions[-power - 1 :], power)[0] / motion.step_s**power
            assert abs(value) <= bound[power - 1] * (1 + 1e-9) + 1e-6
        assert -2.0 <= positions[-1] <= 2.0
    assert not motion.adopting
    if min(scale) >= 1.0:
        assert waited == 0


def test_a_joint_outside_its_new_range_comes_back_and_never_goes_farther_out():
    motion = MotionFilter([1.5], FilterLimits(2.0, 10.0, 100.0, -2.0, 2.0), order=3)
    motion.set_point([1.8])
    for _ in range(5):
        motion.step()
    moving_at = motion.positions[0]
    motion.set_limits(FilterLimits(2.0, 10.0, 100.0, -1.0, 1.0))
    positions = np.array([motion.step()[0] for _ in range(1500)])
    assert motion.adopting or positions[-1] <= 1.0
    turn = int(np.argmax(positions))
    assert positions[turn] < moving_at + 0.05  # the braking distance
    assert np.all(np.diff(positions[turn:]) <= 1e-15)
    assert positions[-1] == pytest.approx(1.0, abs=1e-3)
    motion.set_point([0.0])
    for _ in range(600):
        last = motion.step()[0]
    assert not motion.adopting
    motion.set_point([5.0])
    for _ in range(1000):
        last = motion.step()[0]
        assert last <= 1.0
    assert last > 0.9


@pytest.mark.parametrize("limiter", list(Limiter))
@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_joint_driven_into_its_range_stops_at_the_end_of_it(order, limiter):
    limits = FilterLimits(8.0, 40.0, 1200.0, -1.5, 1.5)
    character = FilterCharacter(0.1, 0.0, 50.0, limiter=limiter)
    motion = MotionFilter([0.0], limits, character, order=order)
    positions = run(motion, lambda motion, _: motion.set_point([99.0]), 300)
    assert inside(positions, limits)
    assert positions[-1, 0] == pytest.approx(1.5, abs=0.02)
    highest = np.maximum.accumulate(positions[:, 0])
    assert np.all(positions[:, 0] >= highest - 0.02)  # no bouncing back
    assert max(excess(positions, limits, motion.step_s, order)) <= 0.0


def test_a_joint_whose_range_is_one_point_stays_there():
    motion = MotionFilter([0.3], FilterLimits(1.0, 1.0, 1.0, 0.3, 0.3))
    positions = run(motion, lambda motion, _: motion.set_point([5.0]), 50)
    assert np.all(positions == 0.3)

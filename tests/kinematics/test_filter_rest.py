"""A constant set-point comes to rest: over the whole range of a character and of limits."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.filter import (
    FilterCharacter,
    FilterLimits,
    Limiter,
    MotionFilter,
    Shares,
)

REST_RAD_S = math.radians(0.5)
LIMITS = FilterLimits(3.0, 15.0, 200.0)
SWINGING = FilterCharacter(0.1, 0.0, overshoot=0.1, limiter=Limiter.HARD, eased=False)


def time_needed_s(motion, away, speed):
    """What the shares of the limits take to go so far, and to lose a speed first."""
    rates = motion.limits.rates(1, 3)
    shares = np.array(motion.character.shares)
    if motion.character.limiter is Limiter.TANH:
        shares = np.minimum(shares, 0.5)
    v, a, j = (float(share * rate[0]) for share, rate in zip(shares, rates, strict=True))
    lost_s = abs(speed) / a + 2.0 * a / j
    return (away + abs(speed) * lost_s) / v + v / a + a / j + lost_s


def runs(motion, seconds):
    return np.array([motion.step()[0] for _ in range(round(seconds * motion.rate_hz))])


def logarithmic(lowest, highest):
    return st.floats(math.log10(lowest), math.log10(highest)).map(lambda power: 10.0**power)


share = st.floats(0.4, 1.0)
characters = st.builds(
    FilterCharacter,
    smoothness=st.floats(0.0, 1.0),
    responsiveness=st.floats(0.0, 0.999),
    edge=logarithmic(0.01, 1000.0),
    overshoot=st.one_of(st.just(0.0), st.floats(0.0, 1.0)),
    limiter=st.sampled_from(list(Limiter)),
    eased=st.booleans(),
    shares=st.one_of(st.just(Shares(1.0, 1.0, 1.0)), st.builds(Shares, share, share, share)),
)


@st.composite
def joints(draw):
    """Limits as joints have them: from sluggish to very quick."""
    velocity = draw(logarithmic(0.5, 10.0))
    acceleration = velocity / draw(logarithmic(0.1, 0.5))
    jerk = acceleration / draw(logarithmic(0.02, 0.2))
    lower, upper = draw(st.floats(-2.0, -0.2)), draw(st.floats(0.2, 2.0))
    return FilterLimits(velocity, acceleration, jerk, lower, upper)


@settings(deadline=None)
@given(
    character=characters,
    limits=joints(),
    rate_hz=st.sampled_from([25.0, 50.0, 60.0, 100.0]),
    moves=st.lists(st.tuples(st.floats(-2.0, 2.0), st.integers(1, 60)), max_size=4),
    last=st.floats(-2.0, 2.0),
)
def test_a_constant_set_point_comes_to_rest_within_two_seconds(
    character, limits, rate_hz, moves, last
):
    motion = MotionFilter([0.0], limits, character, rate_hz=rate_hz)
    for value, steps in moves:
        motion.set_point([value])
        runs(motion, steps / rate_hz)
    motion.set_point([last])
    away = abs(motion.set_points[0] - motion.positions[0])
    runs(motion, time_needed_s(motion, away, motion.velocities[0]) + 2.0)
    late = np.concatenate([motion.positions, runs(motion, 2.0)])
    assert np.abs(np.diff(late)).max() * rate_hz <= REST_RAD_S
    assert late[-1] == pytest.approx(motion.set_points[0], abs=math.radians(0.2))


def swings(positions, set_point):
    """How far each swing goes beyond the set-point, first to last."""
    away = positions - set_point
    sides = np.split(away, np.flatnonzero(np.diff(np.sign(away)) != 0) + 1)
    return [float(np.abs(side).max()) for side in sides[1:] if np.abs(side).max() > 1e-6]


def test_each_swing_is_smaller_than_the_one_before_and_the_first_is_as_far_as_was_said():
    motion = MotionFilter([0.0], LIMITS, SWINGING, rate_hz=50.0)
    motion.set_point([1.0])
    seen = swings(runs(motion, 3.0), 1.0)
    assert seen[0] == pytest.approx(0.1, rel=0.05)
    assert 2 <= len(seen) <= 5
    assert all(after <= 0.45 * before for before, after in itertools.pairwise(seen))
    assert motion.at_rest
    motion.set_point([1.1])
    assert swings(runs(motion, 3.0), 1.1)[0] <= 0.04 + 1e-9  # a small way: a share of itself


def test_a_set_point_that_creeps_is_followed_without_swinging():
    """Idle life moves it in every frame: no new permission to swing comes of that."""
    motion = MotionFilter([0.0], LIMITS, SWINGING, rate_hz=50.0)
    worst = 0.0
    for frame in range(500):
        set_point = 0.05 * math.sin(frame / 60.0)
        motion.set_point([set_point])
        worst = max(worst, abs(float(motion.step()[0]) - set_point))
    assert worst < math.radians(0.2)


def test_shares_make_both_ends_of_a_way_softer_and_the_range_is_still_kept():
    limits = replace(LIMITS, lower=-1.2, upper=1.2)
    soft = replace(SWINGING, overshoot=0.0, shares=Shares(0.6, 0.4, 0.2))
    motion = MotionFilter([0.0], limits, soft, rate_hz=50.0)
    motion.set_point([1.0])
    positions = np.concatenate([np.zeros(3), runs(motion, 3.0)])
    for power, (share, rate) in enumerate(
        zip(soft.shares, (3.0, 15.0, 200.0), strict=True), start=1
    ):
        most = np.abs(np.diff(positions, power)).max() * 50.0**power
        assert 0.9 * share * rate < most <= share * rate * (1.0 + 1e-9)
    quick = MotionFilter([0.0], limits, replace(SWINGING, overshoot=0.0), rate_hz=50.0)
    quick.set_point([9.0])
    runs(quick, 0.4)
    quick.set_character(soft)  # too late to stop softly before the end
    assert max(runs(quick, 2.0)) <= 1.2


@pytest.mark.parametrize("bad", [0.0, 1.5, math.nan])
def test_shares_out_of_bounds_are_refused(bad):
    with pytest.raises(ValueError, match="share of acceleration is"):
        FilterCharacter(shares=Shares(1.0, bad, 1.0))

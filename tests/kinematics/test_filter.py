"""The motion filter's public side: what it takes, what it refuses, and what it says."""

from dataclasses import replace

import numpy as np
import pytest

from sera.kinematics.filter import (
    PRESETS,
    FilterCharacter,
    FilterLimits,
    Limiter,
    MotionFilter,
    preset,
)

LIMITS = FilterLimits(2.0, 20.0, 400.0, [-1.0, -2.0], [1.0, 2.0])


def made(**options):
    return MotionFilter([0.0, 0.5], LIMITS, **options)


def settled(motion, steps=2000):
    for _ in range(steps):
        motion.step()
    return motion.positions


def test_it_starts_at_rest_and_stays_while_nothing_is_asked():
    motion = made()
    assert motion.at_rest
    for _ in range(10):
        assert motion.step().tolist() == [0.0, 0.5]
    assert motion.at_rest
    assert motion.held_back == 0


def test_it_arrives_at_its_set_points():
    motion = made(character=FilterCharacter(0.5, 0.9))
    motion.set_point([0.7, -1.0])
    assert settled(motion) == pytest.approx([0.7, -1.0], abs=0.05)


def test_set_points_outside_the_range_count_as_its_end():
    motion = made()
    motion.set_point([50.0, -1e300])
    assert motion.set_points.tolist() == [1.0, -2.0]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_set_point_that_is_no_number_is_refused_and_the_last_good_one_stays(bad):
    motion = MotionFilter([0.0, 0.5], LIMITS, names=["neck", "waist"])
    motion.set_point([0.2, 0.3])
    with pytest.raises(ValueError, match=r'joint "waist" is .*finite'):
        motion.set_point([0.9, bad])
    assert motion.set_points.tolist() == [0.2, 0.3]
    motion.step()
    assert np.isfinite(motion.positions).all()


def test_the_wrong_number_of_set_points_is_refused():
    with pytest.raises(ValueError, match="for 2 joints"):
        made().set_point([0.1])


def test_a_start_outside_the_range_is_refused_with_the_nearest_place():
    with pytest.raises(ValueError, match=r"joint 1 is 3, outside .* at 2"):
        MotionFilter([0.0, 3.0], LIMITS)
    motion = made()
    with pytest.raises(ValueError, match="joint 0 is nan"):
        motion.reset([float("nan"), 0.0])
    assert motion.positions.tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (FilterLimits(0.0, 1.0, 1.0), "velocity limit of joint 0 is 0"),
        (FilterLimits(1.0, [1.0, -1.0], 1.0), "acceleration limit of joint 1 is -1"),
        (FilterLimits(1.0, 1.0), "jerk limit of joint 0 is inf"),
        (FilterLimits(float("nan"), 1.0, 1.0), "velocity limit of joint 0 is nan"),
        (FilterLimits(1.0, 1.0, 1.0, 2.0, 1.0), r"lower limit of joint 0 \(2\) is above"),
        (FilterLimits(1.0, 1.0, 1.0, float("nan"), 1.0), "lower limit of joint 0 is nan"),
        (FilterLimits([1.0, 2.0, 3.0], 1.0, 1.0), "for 2 joints"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits, sentence):
    with pytest.raises(ValueError, match=sentence):
        MotionFilter([0.0, 0.0], limits)


def test_limits_that_the_order_does_not_use_may_be_left_out():
    for order, limits in ((1, FilterLimits(1.0)), (2, FilterLimits(1.0, 5.0))):
        motion = MotionFilter([0.0], limits, order=order)
        motion.set_point([3.0])
        assert settled(motion)[0] > 1.0


@pytest.mark.parametrize(
    ("character", "sentence"),
    [
        (FilterCharacter(1.5, 0.0), "smoothness of joint 0 is 1.5"),
        (FilterCharacter(0.5, [0.0, 1.0]), "responsiveness of joint 1 is 1: .*0.999"),
        (FilterCharacter(0.5, 0.0, 0.0), "edge of joint 0 is 0"),
        (FilterCharacter(overshoot=-0.1), "overshoot of joint 0 is -0.1"),
    ],
)
def test_a_character_out_of_bounds_is_refused(character, sentence):
    with pytest.raises(ValueError, match=sentence):
        made(character=character)


def test_names_are_looked_up_kindly():
    assert FilterCharacter(limiter="hard").limiter is Limiter.HARD
    with pytest.raises(ValueError, match='take "tanh" or "hard"'):
        FilterCharacter(limiter="soft")
    assert preset("d") is PRESETS["D"]
    with pytest.raises(ValueError, match="take one of A, B, C, D, E, W"):
        preset("Z")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rate_hz": 0.0}, "10 to 1000 Hz"),
        ({"rate_hz": float("nan")}, "10 to 1000 Hz"),
        ({"order": 4}, "order 4"),
        ({"names": ["one"]}, "1 names for 2 joints"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        made(**options)


def test_positions_may_be_written_into_an_array_of_ones_own():
    motion, out = made(), np.empty(2)
    assert motion.step(out) is out
    for wrong in (np.empty(3), np.empty(2, dtype=np.float32), np.empty(4)[::2]):
        with pytest.raises(ValueError, match="writeable, contiguous"):
            motion.step(wrong)


def test_what_it_gives_out_is_a_copy():
    motion = made()
    first = motion.step()
    first[:] = 99.0
    motion.positions[:] = 99.0
    assert motion.positions.tolist() == [0.0, 0.5]


def test_velocity_and_acceleration_are_the_differences_of_the_output():
    motion = made(rate_hz=100.0)
    motion.set_point([1.0, -2.0])
    before = [motion.step() for _ in range(12)]
    velocity = (before[-1] - before[-2]) * 100.0
    acceleration = (before[-1] - 2 * before[-2] + before[-3]) * 100.0**2
    assert motion.velocities == pytest.approx(velocity, abs=1e-9)
    assert motion.accelerations == pytest.approx(acceleration, abs=1e-6)


def test_a_stop_brakes_and_the_next_set_point_ends_it():
    motion = made(character=FilterCharacter(0.1, 0.0, limiter=Limiter.HARD))
    motion.set_point([1.0, 2.0])
    for _ in range(12):
        motion.step()
    motion.stop()
    stopped = settled(motion, 100)
    assert motion.at_rest
    assert np.all(stopped < [0.9, 1.9])
    motion.set_point([1.0, 2.0])
    assert np.all(settled(motion) > stopped)


def test_a_reset_is_at_rest_at_once():
    motion = made()
    motion.set_point([1.0, 2.0])
    motion.step()
    motion.reset([0.25, -0.25])
    assert motion.at_rest
    assert motion.step().tolist() == [0.25, -0.25]


def test_every_joint_has_a_character_of_its_own():
    motion = MotionFilter([0.0, 0.0], FilterLimits(20.0, 100.0, 1e4), FilterCharacter([1.0, 0.1]))
    motion.set_point([1.0, 1.0])
    for _ in range(30):
        motion.step()
    assert motion.positions[0] < 0.5 < motion.positions[1]


def test_a_character_can_change_on_the_way():
    slow, fast = made(character=FilterCharacter(1.0)), made(character=FilterCharacter(1.0))
    fast.set_character(FilterCharacter(0.0, 0.9, limiter=Limiter.HARD))
    for motion in (slow, fast):
        motion.set_point([1.0, 2.0])
        for _ in range(30):
            motion.step()
    assert np.all(fast.positions > slow.positions)


def test_a_joint_goes_slower_towards_the_end_of_its_range_and_not_away_from_it():
    """Position saturation: half-way out, half of a velocity of exponent 1 is a quarter less."""
    limits = FilterLimits(100.0, lower=9.0, upper=11.0)  # the centre is not zero
    character = FilterCharacter(eased=False, limiter=Limiter.HARD)
    ways = []
    for start, target in ((10.5, 10.6), (10.5, 10.4), (9.5, 9.4), (9.5, 9.6)):
        motion = MotionFilter([start], limits, character, order=1)
        motion.set_point([target])
        ways.append(motion.step()[0] - start)
    assert ways == pytest.approx([0.075, -0.1, -0.075, 0.1])


def test_joints_do_not_touch_each_other():
    both = MotionFilter([0.0, 0.5], LIMITS)
    alone = MotionFilter([0.5], FilterLimits(2.0, 20.0, 400.0, -2.0, 2.0))
    for index in range(200):
        both.set_point([np.sin(index), -2.0])
        alone.set_point([-2.0])
        assert both.step()[1] == alone.step()[0]


@pytest.mark.parametrize("limiter", list(Limiter))
@pytest.mark.parametrize("order", [1, 2, 3])
def test_without_overshoot_it_goes_up_to_its_set_point_and_not_beyond(order, limiter):
    limits = FilterLimits(3.0, 15.0, 200.0)
    character = FilterCharacter(0.0, 0.9, overshoot=0.0, limiter=limiter)
    motion = MotionFilter([0.0], limits, character, order=order)
    motion.set_point([1.0])
    positions = np.array([motion.step()[0] for _ in range(240)])
    assert np.all(positions >= np.maximum.accumulate(positions) - 0.005)
    assert positions.max() <= 1.0 + 1e-12
    assert positions[-1] == pytest.approx(1.0, abs=1e-3)


def test_the_documents_form_may_swing_for_ever_where_overshoot_is_left_open():
    """The reason for `overshoot`: with limits of an ordinary joint this never comes to rest."""
    limits, character = FilterLimits(3.0, 15.0, 200.0), FilterCharacter(0.1, 0.0, limiter="hard")
    motion = MotionFilter([0.0], limits, character)
    motion.set_point([1.0])
    positions = np.array([motion.step()[0] for _ in range(1200)])
    assert np.ptp(positions[-120:]) > 0.5


def test_an_overshoot_is_kept_within_its_bound():
    limits, character = FilterLimits(3.0, 15.0, 200.0), FilterCharacter(0.1, 0.0, limiter="hard")
    free = MotionFilter([0.0], limits, character)
    bound = MotionFilter([0.0], limits, replace(character, overshoot=0.1))
    highest = []
    for motion in (free, bound):
        motion.set_point([1.0])
        highest.append(max(motion.step()[0] for _ in range(240)))
    assert highest[0] > 1.4
    assert 1.05 < highest[1] <= 1.1 + 1e-12


def test_a_set_point_that_jumps_behind_a_moving_joint_is_passed_by_no_more_than_its_stop():
    limits = FilterLimits(3.0, 15.0, 200.0)
    character = FilterCharacter(0.0, 0.9, overshoot=0.0, limiter="hard")
    motion = MotionFilter([0.0], limits, character)
    motion.set_point([5.0])
    for _ in range(40):
        motion.step()
    braking = MotionFilter([0.0], limits, character)
    braking.set_point([5.0])
    for _ in range(40):
        braking.step()
    braking.stop()
    rest = settled(braking, 100)[0]
    motion.set_point([0.5])
    positions = np.array([motion.step()[0] for _ in range(300)])
    assert positions.max() <= rest + 1e-9
    assert positions[-1] == pytest.approx(0.5, abs=1e-3)

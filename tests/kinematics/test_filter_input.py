"""Set-points at irregular times become a steady output."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.filter import FilterLimits, HeldInput, MotionFilter, steady_output

LIMITS = FilterLimits(20.0, 100.0, 1e4)


def made():
    return MotionFilter([0.0], LIMITS, rate_hz=50.0)


def by_hand(samples, ticks):
    """The newest set-point at each tick, held over the step that begins there."""
    motion, output = made(), []
    for tick in range(ticks):
        known = [value for time_s, value in samples if time_s <= tick * motion.step_s + 1e-9]
        if known:
            motion.set_point(known[-1])
        output.append(motion.step()[0])
    return output


# On a grid that meets ticks and falls between them, beyond doubt in either case.
times = st.lists(st.integers(-20, 200).map(lambda n: n * 0.005), max_size=30).map(sorted)


@settings(deadline=None, max_examples=60)
@given(times=times, values=st.lists(st.floats(-5.0, 5.0), min_size=30, max_size=30))
def test_the_output_is_steady_whenever_set_points_come(times, values):
    samples = [(time_s, [value]) for time_s, value in zip(times, values, strict=False)]
    output = list(steady_output(made(), samples, 1.0))
    assert [time_s for time_s, _ in output] == pytest.approx(np.arange(1, 51) / 50.0)
    assert [positions[0] for _, positions in output] == by_hand(samples, 50)


def test_taking_it_bit_by_bit_gives_the_same_as_at_once():
    samples = [(0.013, [1.0]), (0.3, [-2.0]), (0.3001, [2.0]), (0.62, [0.0])]
    held, pieces = HeldInput(made()), []
    for until_s in np.arange(0.0, 1.001, 0.007):
        while samples and samples[0][0] <= until_s:
            held.push(*samples.pop(0))
        pieces += list(held.take(until_s))
    again = [(0.013, [1.0]), (0.3, [-2.0]), (0.3001, [2.0]), (0.62, [0.0])]
    whole = list(steady_output(made(), again, 1.0))
    assert [p.tolist() for _, p in pieces] == [p.tolist() for _, p in whole][: len(pieces)]
    assert len(pieces) >= 49


def test_ticks_do_not_drift():
    held = HeldInput(MotionFilter([0.0], LIMITS, rate_hz=30.0), start_s=1000.0)
    last = [time_s for time_s, _ in held.take(1100.0)]
    assert len(last) == 3000
    assert last[-1] == pytest.approx(1100.0, abs=1e-9)
    assert held.time_s == last[-1]


def test_a_late_set_point_counts_from_the_next_tick_on():
    motion = made()
    held = HeldInput(motion)
    list(held.take(0.5))
    held.push(0.2, [1.0])
    list(held.take(0.52))
    assert motion.set_points[0] == 1.0


def test_one_that_was_overtaken_on_its_way_is_dropped():
    motion = made()
    held = HeldInput(motion)
    held.push(0.2, [1.0])
    held.push(0.1, [9.0])
    list(held.take(0.3))
    assert motion.set_points[0] == 1.0
    assert held.overtaken == 1


def test_a_flood_of_set_points_takes_no_memory():
    held = HeldInput(made())
    for index in range(10_000):
        held.push(index * 1e-5, [float(index)])
    assert len(held._waiting) <= 7


@pytest.mark.parametrize(
    ("time_s", "values"), [(float("nan"), [0.0]), (0.1, [float("nan")]), (0.1, [0.0, 1.0])]
)
def test_what_the_filter_cannot_use_is_refused_when_it_comes(time_s, values):
    motion = made()
    held = HeldInput(motion)
    held.push(0.0, [0.5])
    with pytest.raises(ValueError):
        held.push(time_s, values)
    list(held.take(0.2))
    assert motion.set_points[0] == 0.5

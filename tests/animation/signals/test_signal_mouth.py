"""The mouth follows the voice's curve exactly, and closes whatever happens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.signals import MouthCurve
from sera.animation.signals.mouth import CLOSING_S

DT_S = 0.005
CURVE = [(0.1, 0.0), (0.2, 0.8), (0.35, 0.3), (0.5, 1.0), (0.8, 0.0)]
POINTS = st.lists(
    st.tuples(st.floats(0.0, 3.0, allow_nan=False), st.floats(0.0, 1.0, allow_nan=False)),
    max_size=12,
)


def stepped(mouth: MouthCurve, count: int) -> np.ndarray:
    return np.array([mouth.step(DT_S) for _ in range(count)])


def test_between_points_the_mouth_is_on_straight_lines_and_closed_before_and_after():
    mouth = MouthCurve()
    mouth.begin(CURVE)
    times_s = DT_S * np.arange(1, 301)
    wanted = np.interp(times_s, *zip(*CURVE, strict=True), left=0.0, right=0.0)
    assert stepped(mouth, 300) == pytest.approx(wanted, abs=1e-9)
    assert not mouth.speaking


def test_a_speech_that_is_stopped_closes_smoothly_within_a_tenth_of_a_second():
    mouth = MouthCurve()
    mouth.begin(CURVE)
    stepped(mouth, 100)
    assert mouth.opening == pytest.approx(1.0)
    mouth.stop()
    closing = stepped(mouth, round(CLOSING_S / DT_S))
    assert closing[-1] == 0.0
    assert np.all(np.diff(closing) <= 0.0)
    assert np.abs(np.diff([1.0, *closing])).max() < 0.12
    assert stepped(mouth, 100).max() == 0.0


def test_a_curve_that_ends_open_is_closed_after_its_end():
    mouth = MouthCurve()
    mouth.begin([(0.0, 0.5), (0.2, 0.9)])
    assert stepped(mouth, 40)[-1] == pytest.approx(0.9)
    after = stepped(mouth, 30)
    assert np.abs(np.diff([0.9, *after])).max() < 0.12
    assert after[21:].max() == 0.0


def test_a_second_curve_is_followed_while_what_is_left_of_the_first_closes():
    mouth = MouthCurve()
    mouth.begin([(0.0, 1.0), (5.0, 1.0)])
    stepped(mouth, 20)
    mouth.begin([(0.0, 0.0), (1.0, 1.0)])
    values = stepped(mouth, 200)
    times_s = DT_S * np.arange(1, 201)
    late = times_s > CLOSING_S
    assert values[late] == pytest.approx(times_s[late], abs=1e-9)
    assert np.all(values[~late] >= times_s[~late] - 1e-9)


@pytest.mark.parametrize("point", [(-1.0, 0.5), (0.0, 1.5), (0.0, float("nan"))])
def test_a_point_out_of_range_is_refused_and_the_curve_before_goes_on(point: tuple[float, float]):
    mouth = MouthCurve()
    mouth.begin(CURVE)
    with pytest.raises(ValueError, match="give a number from"):
        mouth.begin([point])
    assert mouth.speaking


@given(POINTS, st.integers(0, 200))
def test_any_points_in_any_order_stay_in_range_and_end_closed(points, stop_after):
    mouth = MouthCurve()
    mouth.begin(points)
    values = list(stepped(mouth, stop_after))
    mouth.stop()
    values += list(stepped(mouth, 21))
    assert min(values) >= 0.0
    assert max(values) <= 1.0
    assert values[-1] == 0.0
    assert not mouth.speaking

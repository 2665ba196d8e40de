"""The mouth's curve with few points is the same movement."""

from __future__ import annotations

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sera.speech import MouthCurve, thinned_mouth
from sera.speech.mouth import MOST_POINTS, NOT_SEEN, PER_S


def curve(*points: tuple[float, float]) -> MouthCurve:
    return MouthCurve(tuple(points))


def test_points_on_a_straight_line_go_and_corners_stay():
    whole = curve((0.0, 0.0), (0.1, 0.25), (0.2, 0.5), (0.3, 0.75), (0.4, 1.0), (1.0, 0.0))
    assert thinned_mouth(whole).points == ((0.0, 0.0), (0.4, 1.0), (1.0, 0.0))


def test_ends_stay_and_nothing_is_made_of_nothing():
    assert thinned_mouth(curve()).points == ()
    assert thinned_mouth(curve((0.0, 0.0))).points == ((0.0, 0.0),)
    assert thinned_mouth(curve((0.0, 0.0), (0.0, 0.0))).points == ((0.0, 0.0), (0.0, 0.0))


def test_ten_minutes_of_speech_fit_and_keep_what_is_seen_most():
    points = [(i * 0.05, 0.5 + 0.5 * math.sin(i)) for i in range(12_000)]
    points[6_000] = (6_000 * 0.05, 1.0)
    thin = thinned_mouth(MouthCurve(tuple(points)))
    assert len(thin.points) == MOST_POINTS
    assert (thin.points[0], thin.points[-1]) == (points[0], points[-1])


openings = st.lists(
    st.tuples(st.floats(0, 5), st.floats(0, 1)), min_size=2, max_size=200, unique_by=lambda p: p[0]
)


@given(openings)
def test_the_curve_is_bounded_in_order_and_made_of_its_own_points(points):
    whole = MouthCurve(tuple(sorted(points)))
    thin = thinned_mouth(whole)
    assert set(thin.points) <= set(whole.points)
    assert (thin.points[0], thin.points[-1]) == (whole.points[0], whole.points[-1])
    assert all(a[0] < b[0] for a, b in pairwise(thin.points))
    length_s = whole.points[-1][0] - whole.points[0][0]
    assert len(thin.points) <= min(MOST_POINTS, PER_S * length_s + 3)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=300))
def test_where_points_are_rare_nobody_sees_a_difference(levels):
    whole = MouthCurve(tuple((i * 0.06, level) for i, level in enumerate(levels)))
    thin = thinned_mouth(whole)
    for time_s, opening in whole.points[1:-1]:
        assert abs(thin.opening_at(time_s) - opening) <= NOT_SEEN + 1e-9

"""A place that moves: even between sightings, exact at rest."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.controllers._places import MovingPlace

STEP_S = 0.02


def walked(path, every_s, seconds):
    """Sightings of a path every so often; where it is taken to be, frame by frame."""
    place = MovingPlace(path(0.0))
    seen_s, found = 0.0, []
    for frame in range(1, round(seconds / STEP_S) + 1):
        now_s = frame * STEP_S
        if now_s - seen_s >= every_s - 1e-9:
            seen_s = now_s
            place.go(path(now_s))
        found.append((now_s, place.step(STEP_S)))
    return place, found


@pytest.mark.parametrize("every_s", [0.04, 0.1, 0.2])
def test_somebody_who_walks_evenly_is_where_they_are_between_two_sightings(every_s):
    _, found = walked(lambda t: (-1.0 + 0.8 * t, 1.6, 1.5), every_s, 3.0)
    for now_s, place in found:
        if now_s > 1.2:
            assert place[0] == pytest.approx(-1.0 + 0.8 * now_s, abs=0.06)


def test_the_way_has_no_stops_between_two_sightings():
    _, found = walked(lambda t: (0.7 * t, 1.6, 1.5), 0.2, 3.0)
    steps = [b[1][0] - a[1][0] for a, b in itertools.pairwise(found[60:])]
    assert min(steps) > 0.5 * max(steps)


@given(st.floats(-2.0, 2.0), st.floats(0.05, 0.5))
def test_who_stops_is_where_the_last_sighting_was(way_m, every_s):
    place, _ = walked(lambda t: (way_m * min(t, 1.0), 1.6, 1.5), every_s, 1.6)
    place.go((way_m, 1.6, 1.5))
    for _ in range(120):
        place.step(STEP_S)
    assert place.here_m == (way_m, 1.6, 1.5)


def test_one_sighting_says_nothing_about_a_way():
    place = MovingPlace((0.0, 1.6, 1.5))
    place.go((0.3, 1.6, 1.5))
    ahead = [place.step(STEP_S)[0] for _ in range(100)]
    assert max(ahead) <= 0.3 + 1e-9
    assert place.leap_rad((0.3, 1.6, 1.5), (0.0, 1.6, 0.0)) == pytest.approx(0.0, abs=1e-6)
    assert place.leap_rad((1.8, 1.6, 0.0), (0.0, 1.6, 0.0)) > math.radians(70.0)

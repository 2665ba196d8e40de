"""The search for a direction that faces a place, on arms whose length is known."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from sera.animation.engine._turns import between, unit, way
from sera.animation.engine.seeking import MOST_TRIES, Seeking

COORDINATES = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0)).filter(
    lambda place: math.hypot(*place) > 0.01
)


def sought(place, reach_m):
    """A face that is carried by `reach_m` the way it looks, as a bent neck carries it."""
    seeking = Seeking(place, unit(place))
    tries = 0
    while not seeking.done:
        direction = seeking.asks
        x, y, z = direction
        # Beside and before: looking up takes the face back, looking aside takes it aside.
        face = (reach_m * x, reach_m * (1.0 - y), reach_m * z)
        seeking.tell(face, direction)
        tries += 1
    return seeking, tries


@given(COORDINATES, st.floats(0.0, 1.2))
def test_it_ends_with_the_best_direction_that_it_tried(place, reach_m):
    seeking, tries = sought(place, reach_m)
    assert tries <= MOST_TRIES
    assert math.isclose(math.hypot(*seeking.direction), 1.0, rel_tol=1e-9)
    x, y, z = seeking.direction
    face = (reach_m * x, reach_m * (1.0 - y), reach_m * z)
    off_rad = between(seeking.direction, way(face, place))
    assert abs(off_rad - seeking.off_rad) < 1e-6


@given(COORDINATES.filter(lambda place: math.hypot(*place) > 1.5), st.floats(0.0, 0.4))
def test_a_place_that_is_far_enough_is_faced_within_a_degree(place, reach_m):
    seeking, tries = sought(place, reach_m)
    assert seeking.off_rad < math.radians(1.0)
    assert tries <= 20


def test_a_neck_at_its_end_settles_on_the_direction_to_the_place():
    place = (0.0, 2.0, 1.0)
    seeking = Seeking(place, unit(place))
    steepest = math.radians(30.0)
    axis = (0.0, math.sin(steepest), math.cos(steepest))
    while not seeking.done:
        seeking.tell((0.0, 0.2, 0.0), axis, simple=True)
    assert seeking.settled
    assert between(seeking.direction, unit((0.0, 1.8, 1.0))) < math.radians(0.3)

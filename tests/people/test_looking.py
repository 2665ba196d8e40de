"""Whom or what a face points at."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.space import Angles, Frame, ScreenPlane, vector_of
from sera.people import LookSettings, Scene, looked_at, off_deg

ROBOT_M = (0.0, 1.2, 0.0)
TABLE = ScreenPlane(Frame.from_degrees((0.0, 0.74, 0.5), pitch_deg=-90.0), 1.0, 0.6)
WALL = ScreenPlane(Frame.from_degrees((0.0, 1.2, -1.0)), 2.0, 1.5)
SCENE = Scene(
    robots={"ada": ROBOT_M}, screens={"table": TABLE}, objects={"compass": (0.6, 0.8, 0.2)}
)
EYE_M = (0.2, 1.2, 1.2)
SETTINGS = LookSettings()


def towards(place_m, eye_m=EYE_M):
    way = [b - a for a, b in zip(eye_m, place_m, strict=True)]
    length = math.hypot(*way)
    return tuple(part / length for part in way)


def turned(direction, degrees):
    angle, (x, y, z) = math.radians(degrees), direction
    c, s = math.cos(angle), math.sin(angle)
    return (c * x + s * z, y, c * z - s * x)


def test_a_face_towards_the_robot_looks_at_it_and_one_turned_away_elsewhere():
    assert looked_at(EYE_M, towards(ROBOT_M), SCENE, {}) == "ada"
    assert looked_at(EYE_M, turned(towards(ROBOT_M), 90), SCENE, {}) is None
    assert looked_at(EYE_M, turned(towards(ROBOT_M), 180), SCENE, {}) is None


def test_the_limit_of_a_look_at_the_robot_is_the_setting():
    within = SETTINGS.robot_within_deg
    assert looked_at(EYE_M, turned(towards(ROBOT_M), within - 0.1), SCENE, {}) == "ada"
    assert looked_at(EYE_M, turned(towards(ROBOT_M), within + 0.1), SCENE, {}) is None


def test_screens_objects_and_people_are_found_too():
    other_m = (1.2, 1.2, 0.8)
    assert looked_at(EYE_M, towards((0.1, 0.74, 0.6)), SCENE, {}) == "table"
    assert looked_at(EYE_M, towards((0.6, 0.8, 0.2)), SCENE, {}) == "compass"
    assert looked_at(EYE_M, towards(other_m), SCENE, {"person_2": other_m}) == "person_2"


def test_a_robot_before_a_screen_hides_it_and_beside_the_robot_the_screen_counts():
    scene = Scene(robots={"ada": ROBOT_M}, screens={"wall": WALL})
    assert looked_at(EYE_M, towards(ROBOT_M), scene, {}) == "ada"
    assert looked_at(EYE_M, turned(towards(ROBOT_M), 12), scene, {}) == "wall"


def test_the_back_of_a_screen_is_nothing_to_look_at():
    behind_m = (0.0, 1.2, -2.0)
    scene = Scene(screens={"wall": WALL})
    assert looked_at(behind_m, towards((0.0, 1.2, -1.0), behind_m), scene, {}) is None


def test_what_was_looked_at_before_has_an_advantage():
    other_m = (0.5, 1.2, 0.0)
    between = towards((0.28, 1.2, 0.0))
    people = {"person_2": other_m}
    assert looked_at(EYE_M, between, SCENE, people) == "person_2"
    assert looked_at(EYE_M, between, SCENE, people, before="ada") == "ada"


def test_who_is_where_the_eye_is_breaks_nothing():
    assert off_deg(EYE_M, (0.0, 0.0, 1.0), EYE_M) == 0.0
    assert looked_at(EYE_M, towards(ROBOT_M), SCENE, {"twin": EYE_M}) in ("ada", "twin")


@given(
    horizontal=st.floats(-180, 180),
    vertical=st.floats(-90, 90),
    before=st.sampled_from([None, "ada", "table", "gone"]),
)
def test_any_look_finds_something_that_is_there_or_nothing(horizontal, vertical, before):
    found = looked_at(
        EYE_M,
        vector_of(Angles(horizontal, vertical)),
        SCENE,
        {"person_2": (1, 1, 1)},
        before=before,
    )
    assert found in (None, "ada", "table", "compass", "person_2")

"""Pixels, places and angles: exact both ways, for any pose of robot and screen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sera.behaviour.space import (
    Angles,
    Frame,
    Observer,
    Room,
    ScreenPlane,
    Side,
    UnknownPlace,
    angles_of,
    vector_of,
)
from sera.kinematics import rotations
from sera.runtime.scenario import Character, Space

_metres = st.floats(-4, 4)
_degrees = st.floats(-180, 180)
_frames = st.builds(
    Frame.from_degrees, st.tuples(_metres, _metres, _metres), _degrees, st.floats(-90, 90), _degrees
)
_screens = st.builds(
    ScreenPlane,
    _frames,
    st.floats(0.1, 3),
    st.floats(0.1, 3),
    st.integers(100, 4000),
    st.integers(100, 4000),
)
_observers = st.builds(Observer, _frames, st.tuples(*[st.floats(-0.5, 1.5)] * 3))


def test_right_is_minus_x_and_up_is_plus_y():
    assert angles_of((0, 0, 1)) == (0.0, 0.0)
    assert angles_of((-1, 0, 1)) == pytest.approx((45.0, 0.0))
    assert angles_of((0, 1, 1)) == pytest.approx((0.0, 45.0))
    assert angles_of((1, 0, 0)) == pytest.approx((-90.0, 0.0))
    assert angles_of((0, 2, 0)) == (0.0, 90.0)


@given(horizontal=_degrees, vertical=st.floats(-89.9, 89.9))
def test_angles_become_a_unit_vector_and_come_back(horizontal, vertical):
    vector = vector_of(Angles(horizontal, vertical))
    assert math.hypot(*vector) == pytest.approx(1.0)
    back = angles_of(vector)
    assert back.vertical_deg == pytest.approx(vertical, abs=1e-9)
    turned = (back.horizontal_deg - horizontal + 180.0) % 360.0 - 180.0
    assert turned == pytest.approx(0.0, abs=1e-9)


@given(yaw=_degrees, pitch=st.floats(-90, 90), roll=_degrees)
def test_a_frame_turns_as_the_rotations_of_kinematics_do(yaw, pitch, roll):
    frame = Frame.from_degrees((0, 0, 0), yaw, pitch, roll)
    wxyz = rotations.from_yaw_pitch_roll(*np.radians([yaw, pitch, roll]))
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        assert frame.to_room(axis) == pytest.approx(rotations.rotate(wxyz, axis), abs=1e-12)


@given(frame=_frames)
def test_the_angles_of_a_frame_make_the_same_frame(frame):
    again = Frame.from_degrees(frame.position_m, *frame.yaw_pitch_roll_deg())
    for row, expected in zip(again.axes, frame.axes, strict=True):
        assert row == pytest.approx(expected, abs=1e-7)


@given(frame=_frames, place=st.tuples(_metres, _metres, _metres))
def test_a_place_goes_into_a_frame_and_out_again(frame, place):
    assert frame.to_room(frame.to_local(place)) == pytest.approx(place, abs=1e-9)


@given(observer=_observers, angles=st.tuples(_degrees, st.floats(-89, 89)), far=st.floats(0.2, 9))
def test_a_direction_and_a_distance_are_a_place_in_that_direction(observer, angles, far):
    place = observer.place_at(Angles(*angles), far)
    assert math.dist(place, observer.eye_in_room_m) == pytest.approx(far)
    assert observer.angles_to(place).apart_deg(Angles(*angles)) < 1e-7


@given(observer=_observers, screen=_screens, x=st.floats(0, 1), y=st.floats(0, 1))
def test_a_pixel_becomes_angles_and_the_same_pixel_for_any_pose(observer, screen, x, y):
    depth = screen.frame.to_local(observer.eye_in_room_m)[2]
    assume(abs(depth) > 0.05)
    room = Room(observer, {"main": screen})
    x_px, y_px = x * screen.width_px, y * screen.height_px
    hit = room.pixel_of_angles("main", room.angles_of_pixel("main", x_px, y_px))
    assert hit.side is (Side.FRONT if depth > 0 else Side.BEHIND)
    assert room.can_see("main") is (depth > 0)
    assert hit.x_px == pytest.approx(x_px, abs=1e-5)
    assert hit.y_px == pytest.approx(y_px, abs=1e-5)


@given(screen=_screens, x=st.floats(0, 4000), y=st.floats(0, 4000))
def test_a_pixel_has_one_place_in_the_room(screen, x, y):
    assert screen.pixel(screen.place_m(x, y)) == pytest.approx((x, y), abs=1e-6)


def facing_screen() -> Room:
    """A screen a metre ahead, 2 m wide, that faces the robot."""
    screen = ScreenPlane(Frame.from_degrees((0, 0, 1), yaw_deg=180), 2.0, 2.0, 200, 100)
    return Room(Observer(), {"main": screen})


def test_the_corners_of_a_screen_ahead_lie_at_45_degrees():
    room = facing_screen()
    assert room.angles_of_pixel("main", 0, 50) == pytest.approx((-45.0, 0.0))
    assert room.angles_of_pixel("main", 200, 50) == pytest.approx((45.0, 0.0))
    assert room.angles_of_pixel("main", 100, 0) == pytest.approx((0.0, 45.0))
    assert room.angles_of_pixel("main", 100, 100) == pytest.approx((0.0, -45.0))
    assert set(room.screen("main").corners_px()) >= {"top left", "bottom right", "centre"}


def test_a_look_away_from_a_screen_misses_it():
    hit = facing_screen().pixel_of_angles("main", Angles(180.0, 0.0))
    assert hit.side is Side.MISSES
    assert str(hit) == "never meets the screen"


def test_a_look_along_a_screen_misses_it():
    assert facing_screen().pixel_of_angles("main", Angles(90.0, 0.0)).side is Side.MISSES


def test_a_look_beside_a_screen_is_said_to_pass_it():
    hit = facing_screen().pixel_of_angles("main", Angles(60.0, 0.0))
    assert hit.side is Side.FRONT
    assert not hit.on_screen
    assert "passes the screen" in str(hit)


def test_a_robot_behind_the_screen_is_told_so():
    room = facing_screen().seen_by(Observer(Frame.from_degrees((0, 0, 2), yaw_deg=180)))
    hit = room.pixel_of_angles("main", Angles(0.0, 0.0))
    assert hit.side is Side.BEHIND
    assert not hit.on_screen
    assert (hit.x_px, hit.y_px) == pytest.approx((100.0, 50.0))
    assert "back of the screen" in str(hit)
    assert not room.can_see("main")


def test_the_place_of_the_eye_has_no_direction():
    with pytest.raises(ValueError, match="the eye itself"):
        Observer(Frame(), (0, 1, 0)).angles_to((0, 1, 0))


@pytest.mark.parametrize("size", [0.0, -1.0, math.nan, math.inf])
def test_a_screen_without_size_is_refused(size):
    with pytest.raises(ValueError, match="width_m of a screen must be above 0"):
        ScreenPlane(Frame(), size, 1.0)


def test_a_pose_of_no_number_is_refused():
    with pytest.raises(ValueError, match="ordinary numbers, not nan"):
        Frame.from_degrees((0, math.nan, 0))


def test_a_scenarios_space_becomes_a_room():
    space = Space.model_validate(
        {
            "screens": {
                "table": {
                    "position_m": [0, 0, 1],
                    "yaw_deg": 180,
                    "width_m": 2,
                    "height_m": 1,
                    "pixels": [200, 100],
                }
            },
            "seats": {"guest": {"position_m": [0, 1, 3]}},
            "objects": {"cup": {"position_m": [1, 0, 0]}},
        }
    )
    character = Character.model_validate({"position_m": [0, 0, 2], "yaw_deg": 0})
    room = Room.from_scenario(space, character, (0.0, 1.0, 0.0))
    assert room.angles_to(room.seat("guest").position_m) == pytest.approx((0.0, 0.0))
    assert room.object("cup").position_m == (1, 0, 0)
    assert not room.can_see("table")


@pytest.mark.parametrize("kind", ["screen", "seat", "object"])
def test_an_unknown_place_is_named_with_the_nearest(kind):
    room = Room(
        Observer(), {"main": ScreenPlane(Frame(), 1, 1)}, {"main": Frame()}, {"main": Frame()}
    )
    with pytest.raises(UnknownPlace, match=f"there is no {kind} 'mian' .* did you mean 'main'"):
        getattr(room, kind)("mian")


def test_a_room_without_screens_says_what_to_add():
    with pytest.raises(UnknownPlace, match=r"add \[space.screens.main\]"):
        Room().screen("main")


def test_what_a_camera_beside_the_robot_sees_is_seen_from_the_robot():
    room = Room(Observer(Frame(), (0.0, 1.0, 0.0)))
    angles = room.angles_to(room.place_of_sighting(Angles(0.0, 0.0), (1.0, 1.0, 0.0), 1.0))
    assert angles == pytest.approx((-45.0, 0.0))

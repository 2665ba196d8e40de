"""The pose of a screen or a robot is found again from where the robot looked."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.behaviour.space import (
    Angles,
    CalibrationError,
    Frame,
    Freedom,
    Observer,
    ScreenPlane,
    Sighting,
    solve_robot_pose,
    solve_screen_pose,
)

GUESS = ScreenPlane(Frame.from_degrees((0.0, 1.0, 1.2), 180.0), 1.0, 0.6)
ROBOT = Observer(Frame.from_degrees((0.1, 0.0, -0.2), 5.0), (0.0, 1.1, 0.05))
SEATS = {
    "one": (0.9, 1.2, 1.4),
    "two": (-0.8, 1.1, 1.5),
    "three": (0.1, 1.3, 2.4),
    "four": (-1.4, 1.0, 0.6),
    "door": (1.8, 1.9, 2.9),
}


def sightings_of(screen: ScreenPlane, noise_deg: float = 0.0) -> list[Sighting]:
    source = random.Random(5)
    pixels = {**screen.corners_px(), "top": (960.0, 0.0), "right": (1920.0, 540.0)}
    found = []
    for name, pixel in pixels.items():
        angles = ROBOT.angles_to(screen.place_m(*pixel))
        moved = Angles(
            angles.horizontal_deg + source.gauss(0.0, noise_deg),
            angles.vertical_deg + source.gauss(0.0, noise_deg),
        )
        found.append(Sighting(name, screen.local_m(*pixel), moved))
    return found


def seen_seats(robot: Observer) -> list[Sighting]:
    return [Sighting(name, at, robot.angles_to(at)) for name, at in SEATS.items()]


@settings(max_examples=8, deadline=None)
@given(
    at=st.tuples(st.floats(-0.3, 0.3), st.floats(0.7, 1.2), st.floats(0.9, 1.5)),
    yaw=st.floats(150, 210),
    pitch=st.floats(-30, 30),
    roll=st.floats(-10, 10),
)
def test_the_pose_of_a_screen_is_found_from_its_corners(at, yaw, pitch, roll):
    truth = ScreenPlane(Frame.from_degrees(at, yaw, pitch, roll), 1.0, 0.6)
    solved = solve_screen_pose(ROBOT, GUESS, sightings_of(truth))
    assert solved.outliers == ()
    assert solved.worst_deg < 1e-3
    assert solved.frame.position_m == pytest.approx(at, abs=1e-3)


def test_small_errors_of_the_operator_stay_small_in_the_residual():
    truth = ScreenPlane(Frame.from_degrees((0.1, 0.9, 1.1), 170.0, -15.0, 3.0), 1.0, 0.6)
    solved = solve_screen_pose(ROBOT, GUESS, sightings_of(truth, noise_deg=0.3))
    assert solved.outliers == ()
    assert 0.0 < solved.rms_deg < 0.6
    assert set(solved.residuals_deg) == {s.name for s in sightings_of(truth)}
    assert solved.frame.position_m == pytest.approx((0.1, 0.9, 1.1), abs=0.1)


def test_a_point_that_was_measured_wrongly_is_named_and_left_out():
    truth = ScreenPlane(Frame.from_degrees((0.1, 0.9, 1.1), 170.0), 1.0, 0.6)
    measured = sightings_of(truth)
    wrong = measured[2]
    off = Angles(wrong.angles.horizontal_deg + 12.0, wrong.angles.vertical_deg - 6.0)
    measured[2] = Sighting(wrong.name, wrong.point_m, off)
    solved = solve_screen_pose(ROBOT, GUESS, measured)
    assert solved.outliers == (wrong.name,)
    assert solved.residuals_deg[wrong.name] > 8.0
    assert solved.worst_deg < 0.01
    assert solved.frame.position_m == pytest.approx((0.1, 0.9, 1.1), abs=1e-3)


@settings(max_examples=8, deadline=None)
@given(x=st.floats(-0.5, 0.5), z=st.floats(-0.5, 0.3), yaw=st.floats(-170, 170))
def test_the_pose_of_an_upright_robot_is_found_from_seats(x, z, yaw):
    truth = Observer(Frame.from_degrees((x, 0.1, z), yaw), ROBOT.eye_m)
    solved = solve_robot_pose(Observer(Frame(), ROBOT.eye_m), seen_seats(truth))
    assert solved.worst_deg < 1e-3
    assert solved.frame.position_m == pytest.approx((x, 0.1, z), abs=1e-3)
    assert solved.frame.yaw_pitch_roll_deg() == pytest.approx((yaw, 0.0, 0.0), abs=0.05)


def test_a_leaning_robot_is_found_when_all_of_its_pose_is_free():
    truth = Observer(Frame.from_degrees((0.2, 0.1, -0.1), 8.0, 6.0, -4.0), ROBOT.eye_m)
    solved = solve_robot_pose(
        Observer(Frame(), ROBOT.eye_m), seen_seats(truth), freedom=Freedom.FULL
    )
    assert solved.frame.yaw_pitch_roll_deg() == pytest.approx((8.0, 6.0, -4.0), abs=0.01)


def test_too_few_points_are_refused():
    with pytest.raises(CalibrationError, match="3 points are too few: a pose needs at least 4"):
        solve_screen_pose(ROBOT, GUESS, sightings_of(GUESS)[:3])


def test_points_on_one_line_are_refused():
    points = [(x_px, 540.0) for x_px in (0.0, 500.0, 1000.0, 1500.0, 1920.0)]
    measured = [
        Sighting(f"{x:g}", GUESS.local_m(x, y), ROBOT.angles_to(GUESS.place_m(x, y)))
        for x, y in points
    ]
    with pytest.raises(CalibrationError, match="leave the pose open"):
        solve_screen_pose(ROBOT, GUESS, measured)


def test_a_point_given_twice_is_refused():
    measured = sightings_of(GUESS)
    with pytest.raises(CalibrationError, match="the point 'top left' is given twice"):
        solve_screen_pose(ROBOT, GUESS, [*measured, measured[0]])

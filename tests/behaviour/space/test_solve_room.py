"""Which poses explain the looks: the robot's alone, the screens', or both."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from sera.behaviour.space import (
    Angles,
    CalibrationError,
    Frame,
    Mark,
    Observer,
    Room,
    RoomSolution,
    ScreenPlane,
    Unknown,
    marks_of,
    solve_room,
)

ROBOT = Observer(Frame.from_degrees((0.0, 0.0, 0.0)), (0.0, 1.1, 0.05))
TABLE = ScreenPlane(Frame.from_degrees((0.0, 0.9, 0.7), 180.0, -60.0), 1.0, 0.6)
SEATS = {
    "left": Frame((0.5, 1.2, 1.4)),
    "right": Frame((-0.5, 1.25, 1.5)),
    "door": Frame((1.6, 1.6, 2.8)),
}
ROOM = Room(ROBOT, {"table": TABLE}, SEATS)
MOVED = replace(ROBOT, frame=Frame.from_degrees((0.2, 0.0, -0.1), 7.0))
TURNED = replace(TABLE, frame=Frame.from_degrees((0.1, 0.85, 0.8), 165.0, -45.0, 4.0))


def looks(true_room: Room, told: Room = ROOM, noise_deg: float = 0.0) -> dict[Mark, Angles]:
    """Where a robot that stands in the true room looks to meet the marks of the told one."""
    source = random.Random(3)
    places = {mark.name: mark.place_m for mark in marks_of(true_room)}
    found = {}
    for mark in marks_of(told):
        right, up = true_room.angles_to(places[mark.name])
        found[mark] = Angles(
            right + source.gauss(0.0, noise_deg), up + source.gauss(0.0, noise_deg)
        )
    return found


def pose_of_robot(solution: RoomSolution) -> tuple[float, ...]:
    assert solution.robot is not None
    return (*solution.robot.frame.position_m, *solution.robot.frame.yaw_pitch_roll_deg())


def test_a_robot_that_was_put_elsewhere_is_found_and_the_screens_stay():
    solution = solve_room(ROOM, looks(ROOM.seen_by(MOVED)))
    assert solution.solved is Unknown.ROBOT
    assert solution.screens == {}
    assert solution.rms_deg < 0.01
    assert pose_of_robot(solution) == pytest.approx((0.2, 0.0, -0.1, 7.0, 0.0, 0.0), abs=1e-3)


def test_half_a_degree_of_noise_leaves_a_residual_of_that_order():
    solution = solve_room(ROOM, looks(ROOM.seen_by(MOVED), noise_deg=0.5))
    assert solution.solved is Unknown.ROBOT
    assert 0.2 < solution.rms_deg < 1.0
    assert pose_of_robot(solution)[3] == pytest.approx(7.0, abs=2.0)


def test_robot_and_screen_are_both_found_where_both_have_moved():
    true_room = replace(ROOM, observer=MOVED, screens={"table": TURNED})
    solution = solve_room(ROOM, looks(true_room))
    assert solution.solved is Unknown.BOTH
    assert solution.rms_deg < 0.01
    assert pose_of_robot(solution) == pytest.approx((0.2, 0.0, -0.1, 7.0, 0.0, 0.0), abs=1e-3)
    table = solution.screens["table"].frame
    assert table.position_m == pytest.approx((0.1, 0.85, 0.8), abs=1e-3)
    assert table.yaw_pitch_roll_deg() == pytest.approx((165.0, -45.0, 4.0), abs=0.05)


def test_with_few_seats_the_robot_stands_as_written_and_the_screen_is_found():
    told = replace(ROOM, seats={"left": SEATS["left"]})
    solution = solve_room(told, looks(replace(told, screens={"table": TURNED}), told))
    assert solution.solved is Unknown.SCREENS
    assert solution.robot is None
    assert solution.remarks == ()
    found = solution.screens["table"].frame
    assert found.position_m == pytest.approx(TURNED.frame.position_m, abs=1e-3)


def test_a_seat_that_is_not_where_the_scenario_has_it_is_said():
    told = replace(ROOM, seats={"left": SEATS["left"]})
    true_room = replace(told, seats={"left": Frame((0.9, 1.2, 1.4))})
    solution = solve_room(told, looks(true_room, told), Unknown.SCREENS)
    (remark,) = solution.remarks
    assert remark.startswith("seat left is 1")
    assert "measure its position anew" in remark


def test_a_screen_alone_is_found_from_the_robot():
    told = replace(ROOM, seats={})
    solution = solve_room(told, looks(replace(told, screens={"table": TURNED}), told))
    assert solution.solved is Unknown.SCREENS
    assert set(solution.residuals_deg) == {mark.name for mark in marks_of(told)}


@pytest.mark.parametrize(
    ("keep", "unknown", "sentence"),
    [
        (0, Unknown.AUTO, "no mark was accepted"),
        (2, Unknown.AUTO, "the robot needs at least 3 marks .* 2 of them were accepted"),
        (1, Unknown.ROBOT, "1 of them was accepted"),
        (6, Unknown.SCREENS, "'table' keeps its pose: 3 of its corners were accepted, 4 are"),
        (3, Unknown.SCREENS, "no corner of a screen was accepted"),
    ],
)
def test_too_few_marks_are_said(keep, unknown, sentence):
    seen = dict(list(looks(ROOM).items())[:keep])
    with pytest.raises(CalibrationError, match=sentence):
        solve_room(ROOM, seen, unknown)


def test_marks_on_one_line_are_said():
    # One above the other: whoever walks round them sees no difference.
    line = {f"seat{n}": Frame((0.3, 0.8 + 0.3 * n, 1.2)) for n in range(4)}
    told = replace(ROOM, screens={}, seats=line)
    with pytest.raises(CalibrationError, match=r"the pose of the robot: .* on one line"):
        solve_room(told, looks(told, told))


def test_a_wrong_look_is_named_and_left_out():
    seen = looks(ROOM.seen_by(MOVED))
    wrong = next(mark for mark in seen if mark.name == "seat door")
    seen[wrong] = Angles(seen[wrong].horizontal_deg + 10.0, seen[wrong].vertical_deg)
    solution = solve_room(ROOM, seen, Unknown.ROBOT)
    assert solution.outliers == ("seat door",)
    assert solution.rms_deg < 0.01
    assert solution.residuals_deg["seat door"] > 5.0


def test_marks_that_are_far_away_and_close_together_are_said_to_say_little():
    far = {f"seat{n}": Frame((0.1 * n, 1.1 + 0.1 * (n % 2), 6.0)) for n in range(4)}
    told = replace(ROOM, screens={}, seats=far)
    solution = solve_room(told, looks(told.seen_by(MOVED), told))
    assert any(
        "is known badly: an error of 1° in the looks moves it" in r for r in solution.remarks
    )


def test_a_screen_that_lies_flat_on_the_table_is_found():
    flat = replace(TABLE, frame=Frame.from_degrees((0.0, 0.7, 0.7), 180.0, -90.0))
    moved = replace(TABLE, frame=Frame.from_degrees((0.1, 0.75, 0.8), 160.0, -90.0))
    told = replace(ROOM, seats={}, screens={"table": flat})
    solution = solve_room(told, looks(replace(told, screens={"table": moved}), told))
    found = solution.screens["table"].frame
    assert solution.rms_deg < 0.01
    assert found.position_m == pytest.approx((0.1, 0.75, 0.8), abs=1e-3)
    for x_px, y_px in TABLE.corners_px().values():
        local_m = TABLE.local_m(x_px, y_px)
        assert found.to_room(local_m) == pytest.approx(moved.frame.to_room(local_m), abs=1e-3)

"""From accepted looks to poses, of the robot where that is enough, else of the screens too.

Design overview: looks only tell how things stand to each other. If one new pose of the robot
explains all of them, that is the answer, because a robot is put down anew far more often than a
room is. Otherwise seats and objects (three are enough) give the robot's pose and corners give the
screens'; with fewer of them the robot stands as written and the screens are found from there.

Units and frames: metres in the room, degrees.
Threading: no state; numpy and scipy are loaded at the first call.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sera.behaviour.space._angles import Angles
from sera.behaviour.space._calibrate import (
    OUTLIER_DEG,
    CalibrationError,
    Sighting,
    SolvedPose,
    solve_robot_pose,
    solve_screen_pose,
)
from sera.behaviour.space._frame import Vector
from sera.behaviour.space._marks import Mark
from sera.behaviour.space._room import Observer, Room

EXPLAINED_DEG = 1.5
"""A new pose of the robot that leaves less than this explains the looks."""
LOOSE_M = 0.3
"""A position that a degree of error moves by more than this is known badly."""
_FEWEST_PLACES = 3
_FEWEST_CORNERS = 4


class Unknown(StrEnum):
    """What is to be found."""

    AUTO = "auto"
    ROBOT = "robot"
    """All marks stand where the scenario says."""
    SCREENS = "screens"
    """The robot stands where the scenario says."""
    BOTH = "both"
    """Seats and objects stand where the scenario says."""


@dataclass(frozen=True, slots=True)
class RoomSolution:
    """The poses that explain the looks."""

    solved: Unknown
    """What was found; never `AUTO`."""
    residuals_deg: Mapping[str, float]
    """How far each accepted look is from its mark with the new poses, by name of the mark."""
    robot: SolvedPose | None = None
    screens: Mapping[str, SolvedPose] = field(default_factory=dict)
    outliers: tuple[str, ...] = ()
    """Marks that do not fit the others and were left out."""
    remarks: tuple[str, ...] = ()
    """What else the operator should know."""

    @property
    def rms_deg(self) -> float:
        """Root mean square over all marks but the outliers."""
        used = [value for name, value in self.residuals_deg.items() if name not in self.outliers]
        return math.sqrt(sum(value * value for value in used) / len(used))


def solve_room(
    room: Room, seen: Mapping[Mark, Angles], unknown: Unknown = Unknown.AUTO
) -> RoomSolution:
    """Find poses from where the robot looked.

    Args:
        room: as the scenario has it, seen by the robot where the scenario places it.
        seen: marks that were accepted, and where the robot looked then.
        unknown: what to find.

    Raises:
        CalibrationError: the marks do not say; with what to add.
    """
    if not seen:
        raise CalibrationError("no mark was accepted, so there is nothing to solve")
    if unknown is Unknown.AUTO:
        return _simplest(room, seen)
    if unknown is Unknown.ROBOT:
        return _robot_alone(room, seen)
    if unknown is Unknown.SCREENS:
        return _screens(room, seen, room.observer, Unknown.SCREENS)
    places = {mark: angles for mark, angles in seen.items() if mark.screen is None}
    found = _solve_robot(room.observer, places)
    solution = _screens(room, seen, replace(room.observer, frame=found.frame), Unknown.BOTH)
    return replace(
        solution,
        robot=found,
        outliers=(*found.outliers, *solution.outliers),
        remarks=(*_loose("the robot", found), *solution.remarks),
    )


def _simplest(room: Room, seen: Mapping[Mark, Angles]) -> RoomSolution:
    places = [mark for mark in seen if mark.screen is None]
    screens = {mark.screen for mark in seen if mark.screen is not None}
    if not screens:
        return _robot_alone(room, seen)
    if places or len(screens) > 1:
        try:
            robot = _robot_alone(room, seen)
        except CalibrationError:
            pass
        else:
            if not robot.outliers and robot.rms_deg <= EXPLAINED_DEG:
                return robot
    unknown = Unknown.BOTH if len(places) >= _FEWEST_PLACES else Unknown.SCREENS
    return solve_room(room, seen, unknown)


def _robot_alone(room: Room, seen: Mapping[Mark, Angles]) -> RoomSolution:
    found = _solve_robot(room.observer, seen)
    return RoomSolution(
        Unknown.ROBOT,
        dict(found.residuals_deg),
        robot=found,
        outliers=found.outliers,
        remarks=_loose("the robot", found),
    )


def _loose(what: str, found: SolvedPose) -> tuple[str, ...]:
    if found.loose_m <= LOOSE_M:
        return ()
    sentence = (
        f"the position of {what} is known badly: an error of 1° in the looks moves it by "
        f"{found.loose_m:.1f} m; add marks that are nearer or farther apart"
    )
    return (sentence,)


def _solve_robot(observer: Observer, seen: Mapping[Mark, Angles]) -> SolvedPose:
    if len(seen) < _FEWEST_PLACES:
        raise CalibrationError(
            f"the pose of the robot needs at least {_FEWEST_PLACES} marks that stand in the room "
            f"by themselves and not on one line; {len(seen)} of them "
            f"{'was' if len(seen) == 1 else 'were'} accepted"
        )
    sightings = [Sighting(mark.name, mark.place_m, angles) for mark, angles in seen.items()]
    try:
        return solve_robot_pose(observer, sightings)
    except CalibrationError as error:
        raise CalibrationError(f"the pose of the robot: {error}") from None


def _screens(
    room: Room, seen: Mapping[Mark, Angles], observer: Observer, solved: Unknown
) -> RoomSolution:
    found: dict[str, SolvedPose] = {}
    remarks: list[str] = []
    for name in dict.fromkeys(mark.screen for mark in seen if mark.screen is not None):
        corners = [
            Sighting(mark.name, mark.local_m or (0.0, 0.0, 0.0), angles)
            for mark, angles in seen.items()
            if mark.screen == name
        ]
        if len(corners) < _FEWEST_CORNERS:
            remarks.append(
                f"screen '{name}' keeps its pose: {len(corners)} of its corners were accepted, "
                f"{_FEWEST_CORNERS} are needed"
            )
            continue
        try:
            found[name] = solve_screen_pose(observer, room.screen(name), corners)
            remarks += _loose(f"screen '{name}'", found[name])
        except CalibrationError as error:
            remarks.append(f"screen '{name}' keeps its pose: {error}")
    if not found and solved is Unknown.SCREENS:
        raise CalibrationError("; ".join(remarks) or "no corner of a screen was accepted")
    residuals: dict[str, float] = {}
    for mark, angles in seen.items():
        place_m = mark.place_m
        if mark.screen in found and mark.local_m is not None:
            place_m = found[mark.screen].frame.to_room(mark.local_m)
        residuals[mark.name] = off_deg = _off_deg(observer, place_m, angles)
        if mark.screen not in found and off_deg > OUTLIER_DEG:
            remarks.append(
                f"{mark.name} is {off_deg:.1f}° from where the scenario has it: measure its "
                "position anew, one look does not say how far away it is"
            )
    outliers = tuple(name for pose in found.values() for name in pose.outliers)
    return RoomSolution(solved, residuals, screens=found, outliers=outliers, remarks=tuple(remarks))


def _off_deg(observer: Observer, place_m: Vector, angles: Angles) -> float:
    return observer.angles_to(place_m).apart_deg(angles)

"""The physical space: robot, screens, seats and things, and the angles between them."""

from sera.behaviour.space._angles import Angles, angles_of, between_deg, vector_of
from sera.behaviour.space._calibrate import (
    CalibrationError,
    Freedom,
    Sighting,
    SolvedPose,
    solve_robot_pose,
    solve_screen_pose,
)
from sera.behaviour.space._floor_plan import FloorPlan
from sera.behaviour.space._frame import Frame, Vector
from sera.behaviour.space._marking import Marking, shown_angles
from sera.behaviour.space._marks import GazeReach, Mark, marks_of
from sera.behaviour.space._room import Observer, Room, UnknownPlace
from sera.behaviour.space._screen import ScreenHit, ScreenPlane, Side
from sera.behaviour.space._solve_room import RoomSolution, Unknown, solve_room

__all__ = [
    "Angles",
    "CalibrationError",
    "FloorPlan",
    "Frame",
    "Freedom",
    "GazeReach",
    "Mark",
    "Marking",
    "Observer",
    "Room",
    "RoomSolution",
    "ScreenHit",
    "ScreenPlane",
    "Side",
    "Sighting",
    "SolvedPose",
    "Unknown",
    "UnknownPlace",
    "Vector",
    "angles_of",
    "between_deg",
    "marks_of",
    "shown_angles",
    "solve_robot_pose",
    "solve_room",
    "solve_screen_pose",
    "vector_of",
]

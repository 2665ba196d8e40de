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
from sera.behaviour.space._frame import Frame, Vector
from sera.behaviour.space._room import Observer, Room, UnknownPlace
from sera.behaviour.space._screen import ScreenHit, ScreenPlane, Side

__all__ = [
    "Angles",
    "CalibrationError",
    "Frame",
    "Freedom",
    "Observer",
    "Room",
    "ScreenHit",
    "ScreenPlane",
    "Side",
    "Sighting",
    "SolvedPose",
    "UnknownPlace",
    "Vector",
    "angles_of",
    "between_deg",
    "solve_robot_pose",
    "solve_screen_pose",
    "vector_of",
]

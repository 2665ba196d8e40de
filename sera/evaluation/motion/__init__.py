"""Whether a body's motion lives: gaze that arrives and stays, gestures that can be seen, limits.

from sera.evaluation.motion import measure_gaze, measure_gestures, measure_limits
"""

from sera.evaluation.motion._contacts import (
    DEEPEST_M,
    ContactsResult,
    measure_contacts,
    measure_repertoire,
)
from sera.evaluation.motion._face import Face
from sera.evaluation.motion._fuzz import LimitsResult, measure_limits
from sera.evaluation.motion._gaze import GazeResult, measure_gaze
from sera.evaluation.motion._gestures import REQUIRED, measure_gestures
from sera.evaluation.motion._postures import EXPRESSIONS, PosturesResult, measure_postures

__all__ = [
    "DEEPEST_M",
    "EXPRESSIONS",
    "REQUIRED",
    "ContactsResult",
    "Face",
    "GazeResult",
    "LimitsResult",
    "PosturesResult",
    "measure_contacts",
    "measure_gaze",
    "measure_gestures",
    "measure_limits",
    "measure_postures",
    "measure_repertoire",
]

"""Whether a body's motion lives: gaze that arrives and stays, gestures that can be seen, limits.

from sera.evaluation.motion import measure_gaze, measure_gestures, measure_limits
"""

from sera.evaluation.motion._face import Face
from sera.evaluation.motion._fuzz import LimitsResult, measure_limits
from sera.evaluation.motion._gaze import GazeResult, measure_gaze
from sera.evaluation.motion._gestures import REQUIRED, measure_gestures
from sera.evaluation.motion._postures import EXPRESSIONS, PosturesResult, measure_postures
from sera.evaluation.motion._seams import measure_nods, measure_seams

__all__ = [
    "EXPRESSIONS",
    "REQUIRED",
    "Face",
    "GazeResult",
    "LimitsResult",
    "PosturesResult",
    "measure_gaze",
    "measure_gestures",
    "measure_limits",
    "measure_nods",
    "measure_postures",
    "measure_seams",
]

"""Seeing: pictures become people, head directions and markers.

The names here load neither OpenCV nor a network. What needs them lies in files of its own:
`sera.vision.faces.best_face_engine`, `sera.vision.overlay.draw_overlay`, `sera.vision.markers`.
"""

from sera.vision.camera import CameraModel, CameraPose
from sera.vision.detection import Detection
from sera.vision.eye_contact import EyeContact
from sera.vision.models import ModelsMissing
from sera.vision.one_euro import OneEuroFilter
from sera.vision.picture_watch import PictureWatch
from sera.vision.source import Frame, FrameSource, Picture, SourceProblem, as_bgr, choose_source
from sera.vision.steady import Sight, SteadySource

__all__ = [
    "CameraModel",
    "CameraPose",
    "Detection",
    "EyeContact",
    "Frame",
    "FrameSource",
    "ModelsMissing",
    "OneEuroFilter",
    "Picture",
    "PictureWatch",
    "Sight",
    "SourceProblem",
    "SteadySource",
    "as_bgr",
    "choose_source",
]

"""Controllers: what fills the layers of an animation program."""

from sera.animation.controllers.gestures import NodController
from sera.animation.controllers.idle import (
    BlinkingController,
    BreathingController,
    DriftController,
    SaccadeController,
)
from sera.animation.controllers.postures import Gaze, Posture

__all__ = [
    "BlinkingController",
    "BreathingController",
    "DriftController",
    "Gaze",
    "NodController",
    "Posture",
    "SaccadeController",
]

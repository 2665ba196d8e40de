"""The face engine put together from what is installed."""

from __future__ import annotations

from sera.vision.camera import CameraModel
from sera.vision.face_engine import FaceEngine
from sera.vision.models import ModelsMissing
from sera.vision.people_tracker import PeopleTracker


def best_face_engine(
    camera: CameraModel, tracker: PeopleTracker | None = None
) -> tuple[FaceEngine, str | None]:
    """An engine with the networks, else with Haar; and what is missing, in one sentence."""
    import cv2

    from sera.vision.haar_detector import HaarDetector

    # One core: the others belong to the robot's frames and to the voice.
    cv2.setNumThreads(1)
    try:
        from sera.vision.blaze_detector import BlazeDetector
        from sera.vision.landmarks import LandmarkFinder

        return FaceEngine(camera, BlazeDetector(), LandmarkFinder(), tracker), None
    except (ModelsMissing, cv2.error, AttributeError) as error:
        why = str(error) if isinstance(error, ModelsMissing) else f"The face models fail: {error}."
        engine = FaceEngine(camera, HaarDetector(), None, tracker)
        return engine, f"{why}. Until then faces are found less well, without head directions."

"""Finds faces with OpenCV's own Haar cascade: slower and blinder, but always there.

Used where the package with the networks is missing. It knows no eyes and no head direction.
Threading: one thread at a time.
"""

from __future__ import annotations

from pathlib import Path

import cv2

from sera.vision.detection import Detection, without_doubles
from sera.vision.source import Picture

_WORKING_WIDTH_PX = 320
_SCORE = 0.6


class HaarDetector:
    """Upright frontal faces of at least a twelfth of the picture's width."""

    name = "Haar"

    def __init__(self) -> None:
        folder = Path(cv2.__file__).parent / "data"
        self._cascade = cv2.CascadeClassifier(str(folder / "haarcascade_frontalface_default.xml"))

    def find(self, picture: Picture, *, search_far: bool = True) -> list[Detection]:  # noqa: ARG002
        height, width = picture.shape[:2]
        scale = min(1.0, _WORKING_WIDTH_PX / width)
        if min(height, width) * scale < 24:
            return []
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        boxes = self._cascade.detectMultiScale(small, 1.15, 5, minSize=(24, 24))
        found = []
        for left, top, box_width, box_height in boxes:
            # Haar's box reaches from the forehead below the chin; BlazeFace's begins lower.
            middle_y = top + 0.55 * box_height
            found.append(
                Detection(
                    _SCORE,
                    float((left + 0.5 * box_width) / scale),
                    float(middle_y / scale),
                    float(0.9 * box_width / scale),
                    float(0.9 * box_height / scale),
                )
            )
        return without_doubles(found)

    def near(self, picture: Picture, place: Detection) -> Detection | None:  # noqa: ARG002
        """It looks at the whole picture only."""
        return None

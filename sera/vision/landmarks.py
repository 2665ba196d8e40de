"""468 points of a face, found by a network on the piece of the picture around it.

Design overview
    The piece is cut upright (turned by the line of the eyes) and half as large again as the
    face's box, as the network was taught. The same piece, shrunk, is what tells one person from
    another for the seconds in which they cross (`appearance`); it never leaves the memory.

Units and frames
    Points are pixels of the picture, x to the right, y downwards.

Threading
    One thread at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sera.vision.detection import Detection
from sera.vision.models import model_file
from sera.vision.source import Picture

_SIDE_PX = 192
_MARGIN = 1.5
_LOOK_PX = 16


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The points of one face."""

    points_px: NDArray[np.float32]
    """468 rows of x, y."""
    presence: float
    """How sure the network is that this is a face, 0 to 1."""

    @property
    def eyes_px(self) -> tuple[float, float]:
        """The point between the eyes."""
        middle = self.points_px[[33, 133, 362, 263]].mean(axis=0)
        return float(middle[0]), float(middle[1])


class LandmarkFinder:
    """Runs the network; made once."""

    def __init__(self) -> None:
        """May raise `ModelsMissing`."""
        self._net: Any = cv2.dnn.readNetFromTFLite(str(model_file("face_landmark")))
        self._outputs = self._net.getUnconnectedOutLayersNames()

    def find(self, piece: Piece) -> Landmarks | None:
        """The points of the face on a piece; None: they are not numbers."""
        blob = cv2.dnn.blobFromImage(piece.picture, 1 / 255, (_SIDE_PX, _SIDE_PX), swapRB=True)
        self._net.setInput(blob)
        outputs = sorted(self._net.forward(self._outputs), key=np.size)
        flag, raw = float(outputs[0].reshape(-1)[0]), outputs[-1].reshape(-1, 3)[:, :2]
        if not np.isfinite(raw).all() or not math.isfinite(flag):
            return None
        presence = 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, flag))))
        back = cv2.invertAffineTransform(piece.transform)
        points = raw @ back[:, :2].T + back[:, 2]
        return Landmarks(points.astype(np.float32), presence)


@dataclass(frozen=True, slots=True)
class Piece:
    """The picture around one face, upright, of the size that the network takes."""

    picture: Picture
    transform: NDArray[np.float64]
    """From the picture to the piece."""


def cut_piece(picture: Picture, face: Detection) -> Piece:
    """The piece around a face; what lies outside of the picture repeats its edge."""
    side = max(4.0, _MARGIN * max(face.width_px, face.height_px))
    transform = cv2.getRotationMatrix2D(
        (face.x_px, face.y_px), math.degrees(face.roll_rad), _SIDE_PX / side
    )
    transform[0, 2] += 0.5 * _SIDE_PX - face.x_px
    transform[1, 2] += 0.5 * _SIDE_PX - face.y_px
    piece = cv2.warpAffine(
        picture,
        transform,
        (_SIDE_PX, _SIDE_PX),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return Piece(np.asarray(piece, np.uint8), np.asarray(transform, np.float64))


def appearance(piece: Piece) -> NDArray[np.float32]:
    """What somebody looks like at the moment, as a vector of length one.

    Light and dark count relative to the piece, so that a lamp does not make a stranger.
    """
    inner = piece.picture[16:-16, 16:-16]
    small = cv2.resize(inner, (_LOOK_PX, _LOOK_PX), interpolation=cv2.INTER_AREA)
    colours = cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb).astype(np.float32)
    light = colours[:, :, 0] - colours[:, :, 0].mean()
    light /= max(float(np.linalg.norm(light)), 1e-3)
    chroma = cv2.resize(colours[:, :, 1:], (4, 4), interpolation=cv2.INTER_AREA) - 128.0
    # A grey picture has no chroma: a floor keeps its noise from counting.
    chroma /= max(float(np.linalg.norm(chroma)), 40.0)
    look = np.concatenate([light.reshape(-1), 0.7 * chroma.reshape(-1)])
    length = max(float(np.linalg.norm(look)), 1e-6)
    return np.asarray(look / length, np.float32)

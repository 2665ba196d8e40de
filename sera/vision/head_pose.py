"""How a head is turned and how far away it is, from the points of its face.

Design overview: the average face is turned and moved until its points fall onto those in the
picture (perspective-n-point). The rotation comes out with the place, so that a face at the edge of
a wide picture, which shows its side although it looks straight ahead, is not taken to look away.

Units and frames: metres and radians along the camera's own axes (X to its left, Y up, Z forward).
OpenCV's axes are turned here and nowhere else.
Threading: no state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sera.behaviour.space import Vector
from sera.vision.camera import CameraModel
from sera.vision.face_shape import POINT_NUMBERS, POINTS_MM

_TO_OURS = np.diag([-1.0, -1.0, 1.0])
NEAREST_M, FARTHEST_M = 0.1, 12.0
_LARGEST_ERROR = 0.12


@dataclass(frozen=True, slots=True)
class HeadPose:
    """A head along the axes of the camera."""

    position_m: Vector
    """The middle between the eyes."""
    left: Vector
    """The head's own axes: towards the person's left,"""
    up: Vector
    """the top of the head,"""
    forward: Vector
    """and where the face points."""
    misfit: float
    """How far the points are from those of the average face, as a part of the face's size."""

    @property
    def yaw_deg(self) -> float:
        """How far the face is turned from the camera's axis; positive to the person's left."""
        x, _, z = self.forward
        return math.degrees(math.atan2(-x, -z))

    @property
    def pitch_deg(self) -> float:
        """How far the face points upwards."""
        x, y, z = self.forward
        return math.degrees(math.atan2(y, math.hypot(x, z)))


def solve_head_pose(points_px: NDArray[np.float32], camera: CameraModel) -> HeadPose | None:
    """The pose of a head from the 468 points of its face; None: they are no face."""
    seen = np.ascontiguousarray(points_px[POINT_NUMBERS], dtype=np.float64)
    matrix = np.array(camera.opencv_matrix())
    lens = np.array(camera.distortion) if camera.distortion else None
    try:
        found, turned, moved = cv2.solvePnP(POINTS_MM, seen, matrix, lens, flags=cv2.SOLVEPNP_SQPNP)
        if not found:
            return None
        turned, moved = cv2.solvePnPRefineLM(POINTS_MM, seen, matrix, lens, turned, moved)
    except cv2.error:  # points that lie on one line or on each other
        return None
    laid, _ = cv2.projectPoints(POINTS_MM, turned, moved, matrix, lens)
    extent_px = float(np.linalg.norm(seen.max(axis=0) - seen.min(axis=0)))
    error_px = float(np.sqrt(((laid.reshape(-1, 2) - seen) ** 2).sum(axis=1).mean()))
    misfit = error_px / max(extent_px, 1e-6)
    axes = np.asarray(_TO_OURS @ cv2.Rodrigues(turned)[0], np.float64)
    place = np.asarray(_TO_OURS @ moved.reshape(3) / 1000.0, np.float64)
    usable = np.isfinite(axes).all() and np.isfinite(place).all() and misfit < _LARGEST_ERROR
    if not usable or not NEAREST_M < place[2] < FARTHEST_M or axes[2, 2] > 0.2:
        return None  # behind the camera, or the back of a head
    return HeadPose(
        _vector(place), _vector(axes[:, 0]), _vector(axes[:, 1]), _vector(axes[:, 2]), misfit
    )


def _vector(values: NDArray[np.float64]) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])

"""Where a marker is and how it is turned, from its four corners in one picture.

Design overview: corners become rays of the camera (so that its distortion is out of the way), and a
square of known size is fitted to them (IPPE). A square that is seen nearly from the front looks
almost the same in two poses, tilted towards and away from the camera: both are kept, and
`choose_pose` takes the one that fits better unless they fit alike, where it takes the one that goes
on from the pose before.

Units and frames: metres. The marker's own frame is that of a screen: it faces +Z, and who looks at
it has its +X to the right and +Y up. A pose is given in the camera's own frame (+X to ITS left, +Y
up, +Z forward) or, by `in_room`, in the scenario's space.
Threading: no state; OpenCV and numpy are loaded at the first call.
Safety: corners that make no square give no pose rather than a wild one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sera.behaviour.space import Frame, Vector
from sera.vision.markers import Corners

CLEAR_RATIO = 2.0
"""One pose is clearly the right one where the other fits this many times worse."""
_NEAREST_M = 0.01
_FARTHEST_M = 100.0


class Eye(Protocol):
    """What is needed of a camera: pixels to rays and back, in its own frame."""

    def ray(self, x_px: float, y_px: float, /) -> Sequence[float]: ...
    def project(self, point: Vector, /) -> tuple[float, float]: ...


@dataclass(frozen=True, slots=True)
class MarkerPose:
    """One pose that explains the corners."""

    frame: Frame
    """In the camera's own frame, until `in_room` has moved it."""
    error_px: float
    """How far the corners are from where this pose has them, root mean square."""

    @property
    def position_m(self) -> Vector:
        return self.frame.position_m

    def in_room(self, camera: Frame) -> MarkerPose:
        """The same pose in the scenario's space, given the camera's."""
        return MarkerPose(compose(camera, self.frame), self.error_px)


def poses_of(corners_px: Corners, size_m: float, eye: Eye) -> list[MarkerPose]:
    """The poses that explain the corners, the best first: two, one, or none.

    Args:
        corners_px: clockwise from the marker's own upper left corner.
        size_m: length of the sides of its black square.
        eye: the camera.
    """
    import cv2
    import numpy as np

    if not (math.isfinite(size_m) and size_m > 0):
        raise ValueError(f"a marker has a size above 0, not {size_m} m")
    flat = []
    for x_px, y_px in corners_px:
        x, y, z = eye.ray(x_px, y_px)
        if not z > 1e-6:
            return []
        # OpenCV has x to the right and y down.
        flat.append((-x / z, -y / z))
    half = size_m / 2.0
    square = ((-half, half, 0.0), (half, half, 0.0), (half, -half, 0.0), (-half, -half, 0.0))
    try:
        count, turns, places, _ = cv2.solvePnPGeneric(
            np.array(square),
            np.array(flat),
            np.eye(3),
            None,
            flags=cv2.SOLVEPNP_IPPE_SQUARE,
        )
    except cv2.error:  # corners on one line
        return []
    found = []
    for turn, place in list(zip(turns, places, strict=True))[:count]:
        matrix, _ = cv2.Rodrigues(turn)
        x, y, z = (float(value) for value in place.reshape(3))
        if not (_NEAREST_M < z < _FARTHEST_M and math.isfinite(x) and math.isfinite(y)):
            continue
        frame = Frame(
            (-x, -y, z),
            (_row(-matrix[0]), _row(-matrix[1]), _row(matrix[2])),
        )
        error_px = _error_px(frame, square, corners_px, eye)
        if math.isfinite(error_px):
            found.append(MarkerPose(frame, error_px))
    return sorted(found, key=lambda pose: pose.error_px)


def choose_pose(
    poses: Sequence[MarkerPose], before: Frame | None = None, *, clear_ratio: float = CLEAR_RATIO
) -> MarkerPose | None:
    """The pose to believe.

    Args:
        poses: as `poses_of` gives them, or those in the room.
        before: where the marker was a moment ago, in the same frame; None: not known.
        clear_ratio: how many times worse the other pose must fit for it to be left out of account.
    """
    if not poses:
        return None
    best = poses[0]
    if len(poses) == 1 or before is None:
        return best
    # A tenth of a pixel is what corners tremble by: below it both fit.
    if poses[1].error_px >= clear_ratio * max(best.error_px, 0.1):
        return best
    return min(poses, key=lambda pose: turn_between_deg(pose.frame, before))


def compose(outer: Frame, inner: Frame) -> Frame:
    """A frame that is given along the axes of another, as one in the room."""
    columns = [outer.turn_to_room(_column(inner, index)) for index in range(3)]
    rows = tuple((columns[0][index], columns[1][index], columns[2][index]) for index in range(3))
    return Frame(outer.to_room(inner.position_m), (rows[0], rows[1], rows[2]))


def inverse(frame: Frame) -> Frame:
    """Where the room is, as seen from a frame."""
    rows = tuple(_column(frame, index) for index in range(3))
    return Frame(frame.to_local((0.0, 0.0, 0.0)), (rows[0], rows[1], rows[2]))


def turn_between_deg(first: Frame, second: Frame) -> float:
    """By how much one frame is turned against the other, from 0 to 180."""
    trace = sum(
        a * b
        for one, other in zip(first.axes, second.axes, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    # The chord rather than the arc cosine, which is coarse for small angles.
    chord = math.sqrt(max(0.0, 2.0 * (3.0 - trace)))
    return 2.0 * math.degrees(math.asin(min(1.0, chord / (2.0 * math.sqrt(2.0)))))


def _column(frame: Frame, index: int) -> Vector:
    first, second, third = frame.axes
    return (first[index], second[index], third[index])


def _row(values: Sequence[float]) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2]))


def _error_px(frame: Frame, square: Sequence[Vector], corners_px: Corners, eye: Eye) -> float:
    total = 0.0
    for corner, (x_px, y_px) in zip(square, corners_px, strict=True):
        try:
            shown = eye.project(frame.to_room(corner))
        except ValueError:  # behind the camera
            return math.inf
        total += (shown[0] - x_px) ** 2 + (shown[1] - y_px) ** 2
    return math.sqrt(total / len(square))


__all__ = [
    "CLEAR_RATIO",
    "Eye",
    "MarkerPose",
    "choose_pose",
    "compose",
    "inverse",
    "poses_of",
    "turn_between_deg",
]

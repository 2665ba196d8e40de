"""What a camera does to the world: from a pixel to a direction, and back.

Design overview
    A pinhole with the lens errors that OpenCV's calibration knows (radial, tangential, rational).
    `CameraModel` is about the camera alone; how the camera stands in the room is a
    `sera.behaviour.space.Frame`, called `CameraPose` here, which turns its rays.

Units and frames
    Pixels count from the centre of the upper left one, x to the right, y downwards. Rays lie along
    the camera's own axes: X to ITS left, Y up, Z forward, as with every body in the room. OpenCV's
    camera has x to the right and y down: the same axes turned by half a turn about Z.

Threading
    No state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from sera.behaviour.space import Frame, Vector

__all__ = ["CameraModel", "CameraPose", "Matrix3"]

CameraPose = Frame
"""Where a camera is and how it is turned: `to_room`, `to_local`, `turn_to_room` …"""

Matrix3 = tuple[Vector, Vector, Vector]

_UNDISTORT_STEPS = 25


@dataclass(frozen=True, slots=True)
class CameraModel:
    """The inside of a camera.

    Args:
        width_px: width of its pictures.
        height_px: height of its pictures.
        fov_deg: horizontal field of view; counts where there is no matrix.
        matrix: what calibration found, as OpenCV writes it.
        distortion: OpenCV's coefficients k1 k2 p1 p2 [k3 [k4 k5 k6]]; none: a perfect lens.
    """

    width_px: int
    height_px: int
    fov_deg: float = 60.0
    matrix: Matrix3 | None = None
    distortion: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.width_px < 1 or self.height_px < 1:
            raise ValueError(
                f"a picture of {self.width_px} x {self.height_px} pixels has no directions: "
                "give its width and height"
            )
        if self.matrix is None and not 1.0 <= self.fov_deg < 179.0:
            raise ValueError(
                f"fov_deg = {self.fov_deg:g}: the horizontal field of view of a camera is between "
                "1 and 179 degrees, of most webcams between 50 and 80"
            )
        if self.matrix is not None and not (self.focal_x_px > 0 and self.focal_y_px > 0):
            raise ValueError("the camera matrix has no positive focal lengths: calibrate again")
        if len(self.distortion) not in (0, 4, 5, 8):
            raise ValueError(
                f"{len(self.distortion)} distortion coefficients: OpenCV writes 4, 5 or 8"
            )

    @property
    def focal_x_px(self) -> float:
        if self.matrix is not None:
            return self.matrix[0][0]
        return 0.5 * self.width_px / math.tan(math.radians(0.5 * self.fov_deg))

    @property
    def focal_y_px(self) -> float:
        return self.focal_x_px if self.matrix is None else self.matrix[1][1]

    @property
    def centre_px(self) -> tuple[float, float]:
        """Where the camera's axis meets the picture."""
        if self.matrix is not None:
            return self.matrix[0][2], self.matrix[1][2]
        return 0.5 * (self.width_px - 1), 0.5 * (self.height_px - 1)

    def opencv_matrix(self) -> Matrix3:
        """The matrix as OpenCV takes it, also where only the field of view is known."""
        if self.matrix is not None:
            return self.matrix
        x_px, y_px = self.centre_px
        return ((self.focal_x_px, 0.0, x_px), (0.0, self.focal_y_px, y_px), (0.0, 0.0, 1.0))

    def ray(self, x_px: float, y_px: float) -> Vector:
        """The direction of what is seen at a pixel, of length one, along the camera's own axes."""
        centre_x, centre_y = self.centre_px
        right, down = self._without_distortion(
            (x_px - centre_x) / self.focal_x_px, (y_px - centre_y) / self.focal_y_px
        )
        length = math.sqrt(right * right + down * down + 1.0)
        return (-right / length, -down / length, 1.0 / length)

    def project(self, point: Vector) -> tuple[float, float]:
        """Where in the picture a point along the camera's own axes is seen.

        Raises:
            ValueError: the point is not in front of the camera.
        """
        x, y, z = point
        if z <= 0.0:
            raise ValueError("the point is not in front of the camera, so it is in no picture")
        right, down = self._distorted(-x / z, -y / z)
        centre_x, centre_y = self.centre_px
        return centre_x + self.focal_x_px * right, centre_y + self.focal_y_px * down

    def for_picture(self, width_px: int, height_px: int) -> CameraModel:
        """The same camera where it gives pictures of another size.

        Another shape (4:3 from a 16:9 sensor) is taken to be cut above and below, as drivers do.
        """
        if (width_px, height_px) == (self.width_px, self.height_px):
            return self
        if self.matrix is None:
            return replace(self, width_px=width_px, height_px=height_px)
        scale = width_px / self.width_px
        (focal_x, skew, x_px), (_, focal_y, y_px), _ = self.matrix
        cut_px = 0.5 * (self.height_px * scale - height_px)
        matrix = (
            (focal_x * scale, skew * scale, (x_px + 0.5) * scale - 0.5),
            (0.0, focal_y * scale, (y_px + 0.5) * scale - 0.5 - cut_px),
            (0.0, 0.0, 1.0),
        )
        return replace(self, width_px=width_px, height_px=height_px, matrix=matrix)

    def _distorted(self, right: float, down: float) -> tuple[float, float]:
        if not self.distortion:
            return right, down
        k1, k2, p1, p2, k3, k4, k5, k6 = (*self.distortion, *(0.0,) * 8)[:8]
        r2 = right * right + down * down
        radial = (1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1.0 + r2 * (k4 + r2 * (k5 + r2 * k6)))
        return (
            right * radial + 2.0 * p1 * right * down + p2 * (r2 + 2.0 * right * right),
            down * radial + p1 * (r2 + 2.0 * down * down) + 2.0 * p2 * right * down,
        )

    def _without_distortion(self, right: float, down: float) -> tuple[float, float]:
        if not self.distortion:
            return right, down
        x, y = right, down
        for _ in range(_UNDISTORT_STEPS):
            seen_x, seen_y = self._distorted(x, y)
            # Halved steps converge for strong lenses too, where whole ones overshoot.
            x, y = x + 0.7 * (right - seen_x), y + 0.7 * (down - seen_y)
        return x, y

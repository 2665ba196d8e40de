"""Pictures of printed things (markers, boards) at poses that are known exactly.

Design overview: every pixel's ray is followed to the paper, several rays a pixel, through the lens
errors of the camera as OpenCV computes them; blur and noise come on top. So the pictures do not
share their maths with the trackers that are judged by them.

Units and frames: metres along the camera's own axes (+X to ITS left, +Y up, +Z forward). Paper
faces +Z of its own with +Y up, and its +X is at the right of who looks at it.
Threading: no state but the rays; the random source is handed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sera.behaviour.space import Frame
from sera.vision.camera import CameraModel

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Printed:
    """A sheet of paper in front of the camera."""

    picture: Grey
    """What is printed on it, white edge included."""
    width_m: float
    frame: Frame
    """Pose of its centre, in the camera's own frame."""

    @property
    def height_m(self) -> float:
        return float(self.width_m * self.picture.shape[0] / self.picture.shape[1])


class PrintedScene:
    """Draws what a camera sees of printed paper.

    Args:
        model: the camera.
        rays: how many rays a pixel has in each direction.
    """

    def __init__(self, model: CameraModel, rays: int = 3) -> None:
        import cv2

        self.model = model
        self._rays = rays
        width, height = model.width_px * rays, model.height_px * rays
        columns, rows = np.meshgrid(np.arange(width), np.arange(height))
        pixels = np.stack([columns, rows], axis=-1).reshape(-1, 1, 2).astype(np.float64)
        pixels = (pixels + 0.5) / rays - 0.5
        flat = cv2.undistortPointsIter(
            pixels,
            np.array(model.opencv_matrix()),
            np.array(model.distortion or (0.0, 0.0, 0.0, 0.0)),
            np.eye(3),
            np.eye(3),
            (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-10),
        ).reshape(height, width, 2)
        self._x, self._y = -flat[:, :, 0], -flat[:, :, 1]

    def draw(
        self,
        things: Sequence[Printed],
        *,
        background: int | Grey = 120,
        blur_px: float = 0.0,
        noise: float = 0.0,
        light: float = 1.0,
        random: np.random.Generator | None = None,
    ) -> NDArray[np.uint8]:
        """A picture, blue-green-red.

        Args:
            things: from back to front.
            background: a grey level, or a picture of the camera's size.
            blur_px: standard deviation of the blur.
            noise: standard deviation of the noise in grey levels.
            light: what part of the light is there.
            random: where noise comes from.
        """
        import cv2

        size = (self.model.width_px, self.model.height_px)
        fine = np.empty(self._x.shape, np.float32)
        if isinstance(background, int):
            fine[:] = background
        else:
            fine[:] = cv2.resize(background, fine.shape[::-1], interpolation=cv2.INTER_LINEAR)
        for thing in things:
            self._lay(thing, fine)
        seen = cv2.resize(fine, size, interpolation=cv2.INTER_AREA)
        if blur_px > 0.0:
            seen = cv2.GaussianBlur(seen, (0, 0), blur_px)
        seen = seen * light
        if noise > 0.0:
            source = random or np.random.default_rng(0)
            seen = seen + source.normal(0.0, noise, seen.shape)
        grey = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
        return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), dtype=np.uint8)

    def _lay(self, thing: Printed, fine: NDArray[np.float32]) -> None:
        import cv2

        part = self._part(thing)
        if part is None:
            return
        axes = np.array(thing.frame.axes)
        eye = -axes.T @ np.array(thing.frame.position_m)
        x, y = self._x[part], self._y[part]
        look = [axes[0, k] * x + axes[1, k] * y + axes[2, k] for k in range(3)]
        with np.errstate(divide="ignore", invalid="ignore"):
            far = -eye[2] / look[2]
        high, wide = thing.picture.shape
        across = (eye[0] + far * look[0]) / thing.width_m + 0.5
        down = 0.5 - (eye[1] + far * look[1]) / thing.height_m
        on_paper = (far > 0) & (look[2] < 0) & (abs(across - 0.5) <= 0.5) & (abs(down - 0.5) <= 0.5)
        ink = cv2.remap(
            thing.picture,
            np.nan_to_num(across * wide - 0.5).astype(np.float32),
            np.nan_to_num(down * high - 0.5).astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        fine[part] = np.where(on_paper, ink, fine[part])

    def _part(self, thing: Printed) -> tuple[slice, slice] | None:
        """The part of the picture in which the paper can be."""
        half = (thing.width_m / 2.0, thing.height_m / 2.0)
        columns, rows = [], []
        for across, up in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            corner = thing.frame.to_room((across * half[0], up * half[1], 0.0))
            if corner[2] <= 0.01:
                return (slice(None), slice(None))
            x_px, y_px = self.model.project(corner)
            columns.append(x_px * self._rays)
            rows.append(y_px * self._rays)
        height, width = self._x.shape
        edge = 0.1 * (max(columns) - min(columns)) + 4 * self._rays
        left, right = int(max(0, min(columns) - edge)), int(min(width, max(columns) + edge))
        top, bottom = int(max(0, min(rows) - edge)), int(min(height, max(rows) + edge))
        return None if left >= right or top >= bottom else (slice(top, bottom), slice(left, right))


def marker_on_paper(cells: NDArray[np.bool_], cell_px: int = 24) -> tuple[Grey, float]:
    """A marker with a white edge of one cell, and how many times its size the paper is."""
    edged = np.pad(~cells, 1, constant_values=True)
    picture = np.kron(edged, np.ones((cell_px, cell_px))).astype(np.uint8) * 255
    return picture, edged.shape[0] / cells.shape[0]


__all__ = ["Printed", "PrintedScene", "marker_on_paper"]

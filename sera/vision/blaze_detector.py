"""Finds faces with the BlazeFace networks, run by OpenCV.

Design overview
    The full-range network looks at the whole picture. It sees 192 pixels across, so far faces are
    too small for it: one tile of the picture at a time is searched as well, at twice the scale, a
    different one each frame. `near` looks closely at one place, where a face was just before, with
    the short-range network. Boxes are decoded from the networks' grid of anchors here.

Units and frames
    Pixels of the picture.

Threading
    One thread at a time: a network holds the state of its last picture.

Safety
    Any picture of three channels is taken, however small.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sera.vision.detection import Detection, without_doubles
from sera.vision.models import model_file
from sera.vision.source import Picture

SURE_ENOUGH = 0.5
_TILE_LARGEST = 0.45
"""Faces larger than this part of a tile are found in the whole picture."""


class _Network:
    """One BlazeFace network with its anchors."""

    def __init__(self, name: str, size_px: int, grid: Sequence[tuple[int, int]]) -> None:
        self._net: Any = cv2.dnn.readNetFromTFLite(str(model_file(name)))
        self._outputs = self._net.getUnconnectedOutLayersNames()
        self._size_px = size_px
        self._anchors = _anchors_px(size_px, grid)

    def find(self, picture: Picture, least_score: float) -> list[Detection]:
        size = self._size_px
        height, width = picture.shape[:2]
        scale = size / max(height, width)
        inner_width, inner_height = max(1, round(width * scale)), max(1, round(height * scale))
        left, top = (size - inner_width) // 2, (size - inner_height) // 2
        canvas = np.zeros((size, size, 3), np.uint8)
        how = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
        canvas[top : top + inner_height, left : left + inner_width] = cv2.resize(
            picture, (inner_width, inner_height), interpolation=how
        )
        blob = cv2.dnn.blobFromImage(
            canvas, 1 / 127.5, (size, size), (127.5, 127.5, 127.5), swapRB=True
        )
        self._net.setInput(blob)
        scores, boxes = self._net.forward(self._outputs)
        logits = np.clip(scores.reshape(-1), -60.0, 60.0)
        chances = 1.0 / (1.0 + np.exp(-logits))
        chosen = np.flatnonzero(chances >= least_score)
        shift = np.array([left, top], np.float32)
        found = []
        for index in chosen[np.argsort(-chances[chosen])][:60]:
            values = boxes[0, index]
            if not np.isfinite(values).all():
                continue
            anchor = self._anchors[index]
            middle = (values[:2] + anchor - shift) / scale
            extent = np.abs(values[2:4]) / scale
            points = (values[4:16].reshape(6, 2) + anchor - shift) / scale
            found.append(
                Detection(
                    float(chances[index]),
                    float(middle[0]),
                    float(middle[1]),
                    float(extent[0]),
                    float(extent[1]),
                    eyes=(_point(points[0]), _point(points[1])),
                    mouth=_point(points[3]),
                )
            )
        return [one for one in found if one.size_px >= 2.0]


class BlazeDetector:
    """Faces of a picture, of any size from about 17 pixels at 640 x 480."""

    name = "BlazeFace"

    def __init__(self, *, least_score: float = SURE_ENOUGH) -> None:
        """May raise `ModelsMissing`."""
        self._least_score = least_score
        self._far = _Network("face_detection_full_range", 192, [(48, 1)])
        self._near = _Network("face_detection_short_range", 128, [(16, 2), (8, 6)])
        self._turn = 0

    def find(self, picture: Picture, *, search_far: bool = True) -> list[Detection]:
        """Every face that is seen; `search_far` looks at one tile more closely as well."""
        found = self._far.find(picture, self._least_score)
        if search_far:
            found += self._in_next_tile(picture)
        return without_doubles(found)

    def near(self, picture: Picture, place: Detection) -> Detection | None:
        """The face that is at this place, where it is smaller or weaker than the search finds."""
        reach_px = max(24.0, 1.6 * place.size_px)
        tile, left, top = _cut(picture, place.x_px, place.y_px, reach_px)
        if tile is None:
            return None
        found = [_moved(one, left, top) for one in self._near.find(tile, self._least_score)]
        close = [
            one
            for one in found
            if abs(one.x_px - place.x_px) < place.size_px
            and abs(one.y_px - place.y_px) < place.size_px
        ]
        return max(close, key=lambda one: one.score, default=None)

    def _in_next_tile(self, picture: Picture) -> list[Detection]:
        height, width = picture.shape[:2]
        side = max(height, width) // 2
        if side < 64:
            return []
        corners = list(itertools.product(_starts(height, side), _starts(width, side)))
        top, left = corners[self._turn % len(corners)]
        self._turn += 1
        tile = np.ascontiguousarray(picture[top : top + side, left : left + side])
        found = self._far.find(tile, self._least_score)
        return [_moved(one, left, top) for one in found if one.size_px < _TILE_LARGEST * side]


def _anchors_px(size_px: int, grid: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
    """Centres of the cells, as often as the network looks at each."""
    rows = []
    for cells, times in grid:
        step = size_px / cells
        rows += [
            ((x + 0.5) * step, (y + 0.5) * step)
            for y in range(cells)
            for x in range(cells)
            for _ in range(times)
        ]
    return np.array(rows, np.float32)


def _starts(length: int, side: int) -> list[int]:
    """Where overlapping tiles begin along one side of the picture."""
    if length <= side:
        return [0]
    return sorted({*range(0, length - side, side // 2), length - side})


def _cut(
    picture: Picture, x_px: float, y_px: float, reach_px: float
) -> tuple[Picture | None, int, int]:
    height, width = picture.shape[:2]
    left, right = max(0, int(x_px - reach_px)), min(width, int(x_px + reach_px))
    top, bottom = max(0, int(y_px - reach_px)), min(height, int(y_px + reach_px))
    if right - left < 8 or bottom - top < 8:
        return None, left, top
    return np.ascontiguousarray(picture[top:bottom, left:right]), left, top


def _moved(one: Detection, left: float, top: float) -> Detection:
    eyes = one.eyes
    if eyes is not None:
        eyes = (
            (eyes[0][0] + left, eyes[0][1] + top),
            (eyes[1][0] + left, eyes[1][1] + top),
        )
    mouth = None if one.mouth is None else (one.mouth[0] + left, one.mouth[1] + top)
    return Detection(
        one.score, one.x_px + left, one.y_px + top, one.width_px, one.height_px, eyes, mouth
    )


def _point(pair: NDArray[np.float32]) -> tuple[float, float]:
    return float(pair[0]), float(pair[1])

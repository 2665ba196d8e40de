"""Exact corners of a marker: straight lines through its four edges, and where they meet.

Design overview: blur rounds the corner of a black square and draws every corner finder inwards by
some tenths of a pixel, which makes a marker seem farther away than it is. The edges between two
corners are not moved by blur. So brightness is read across each edge at many places, the middle of
its rise is taken, and a line is fitted to those.

Units and frames: pixels, centres of pixels at whole numbers.
Threading: no state.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_PLACES = 24
_MARGIN = 0.14
"""What part of an edge is left out at either end, where blur of the corner reaches."""
_STEPS = 13
_ROUNDS = 2
_CROOKED_PX = 0.35
_FARTHEST_PX = 2.0
_FAINT = 0.25

Array = NDArray[np.float64]


def refine_corners(grey: NDArray[np.uint8], corners: Array, cells: int) -> Array:
    """The corners again, more exactly; as they were where the edges cannot be read.

    Args:
        grey: the picture.
        corners: clockwise, four rows.
        cells: how many cells a side of the marker has, its black border included.
    """
    best = corners
    for _ in range(_ROUNDS):
        lines = [
            _line(grey, best[k], best[(k + 1) % 4], best.mean(axis=0), cells) for k in range(4)
        ]
        found = [_meeting(lines[k - 1], lines[k]) for k in range(4)]
        if any(corner is None for corner in found):
            return corners
        best = np.array(found)
    moved = np.hypot(*(best - corners).T)
    return best if float(moved.max()) <= _FARTHEST_PX else corners


def _line(
    grey: NDArray[np.uint8], start: Array, end: Array, middle: Array, cells: int
) -> tuple[Array, Array] | None:
    """A point and a direction of the edge; None: it is too short, too faint or crooked."""
    along = end - start
    length = float(np.hypot(*along))
    if length < cells:
        return None
    along = along / length
    outward = np.array([along[1], -along[0]])
    if float(outward @ (start - middle)) < 0.0:
        outward = -outward
    half = min(4.0, max(1.6, 0.6 * length / cells))
    offsets = np.linspace(-half, half, _STEPS)
    places = start + np.outer(np.linspace(_MARGIN, 1.0 - _MARGIN, _PLACES) * length, along)
    points = places[:, None, :] + offsets[None, :, None] * outward
    values = cv2.remap(
        grey,
        points[:, :, 0].astype(np.float32),
        points[:, :, 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float64)
    rises = np.maximum(0.0, np.diff(values, axis=1))  # outside of the black border it is white
    steepest = rises.max(axis=1)
    strong = steepest > max(2.0, _FAINT * float(steepest.max()))
    if int(strong.sum()) < _PLACES // 2:
        return None
    rises = np.where(rises >= _FAINT * steepest[:, None], rises, 0.0)[strong]
    between = 0.5 * (offsets[1:] + offsets[:-1])
    crossing = (rises * between).sum(axis=1) / rises.sum(axis=1)
    edge = places[strong] + crossing[:, None] * outward
    off = crossing - np.median(crossing)
    near = np.abs(off) <= max(0.5, 3.0 * float(np.median(np.abs(off))))
    centre = edge[near].mean(axis=0)
    _, strengths, axes = np.linalg.svd(edge[near] - centre, full_matrices=False)
    if strengths[1] / np.sqrt(near.sum()) > _CROOKED_PX:
        return None
    return centre, axes[0]


def _meeting(first: tuple[Array, Array] | None, second: tuple[Array, Array] | None) -> Array | None:
    if first is None or second is None:
        return None
    (a, u), (b, v) = first, second
    cross = float(u[0] * v[1] - u[1] * v[0])
    if abs(cross) < 0.05:
        return None
    step = b - a
    found: Array = a + u * float(step[0] * v[1] - step[1] * v[0]) / cross
    return found

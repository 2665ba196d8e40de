"""A face that was found in a picture, and which of several are the same one.

Units and frames: pixels of the picture, x to the right, y downwards.
Threading: no state.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Detection:
    """A box around a face, and where its parts are."""

    score: float
    """How sure the detector is, 0 to 1."""
    x_px: float
    """Middle of the box."""
    y_px: float
    width_px: float
    height_px: float
    eyes: tuple[Point, Point] | None = None
    """The one further left in an upright picture first (the person's right eye)."""
    mouth: Point | None = None

    @property
    def size_px(self) -> float:
        return math.sqrt(self.width_px * self.height_px)

    @property
    def roll_rad(self) -> float:
        """How far the face is turned in the picture, clockwise positive."""
        if self.eyes is None:
            return 0.0
        (ax, ay), (bx, by) = self.eyes
        return math.atan2(by - ay, bx - ax)

    @property
    def middle_px(self) -> Point:
        """Between the eyes where they are known, which is where people look at."""
        if self.eyes is None:
            return self.x_px, self.y_px - 0.1 * self.height_px
        (ax, ay), (bx, by) = self.eyes
        return 0.5 * (ax + bx), 0.5 * (ay + by)


def overlap(first: Detection, second: Detection) -> float:
    """The part of the smaller box that both share, 0 to 1."""
    width = _shared(first.x_px, first.width_px, second.x_px, second.width_px)
    height = _shared(first.y_px, first.height_px, second.y_px, second.height_px)
    smaller = min(first.width_px * first.height_px, second.width_px * second.height_px)
    return width * height / smaller if smaller > 0.0 else 0.0


def without_doubles(found: Iterable[Detection], *, limit: float = 0.5) -> list[Detection]:
    """One for each face, the surest first."""
    kept: list[Detection] = []
    for candidate in sorted(found, key=lambda one: -one.score):
        if all(overlap(candidate, other) < limit for other in kept):
            kept.append(candidate)
    return kept


def _shared(a: float, a_width: float, b: float, b_width: float) -> float:
    low = max(a - 0.5 * a_width, b - 0.5 * b_width)
    high = min(a + 0.5 * a_width, b + 0.5 * b_width)
    return max(0.0, high - low)

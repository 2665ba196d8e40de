"""A screen in the room: pixels to places and back, and where a look meets it.

Units and frames: the pose of a screen is that of its centre; it faces +Z of its own, so that who
looks at it has its +X to the right. Pixels count from the upper left corner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from sera.behaviour.space._frame import Frame, Vector

_GRAZING = 1e-9


class Side(StrEnum):
    """From which side a look comes upon a screen's plane."""

    FRONT = "front"
    BEHIND = "behind"
    """The look meets the back: who looks stands behind the screen."""
    MISSES = "misses"
    """The look goes along the plane or away from it and never meets it."""


@dataclass(frozen=True, slots=True)
class ScreenHit:
    """Where a look meets the plane of a screen."""

    side: Side
    x_px: float = math.nan
    """Pixels from the left edge, as seen from the front; beyond the edges where it passes by."""
    y_px: float = math.nan
    """Pixels from the upper edge."""
    on_screen: bool = False
    """Whether the picture itself is met, from the front, its edges included."""

    def __str__(self) -> str:
        if self.side is Side.MISSES:
            return "never meets the screen"
        place = f"({self.x_px:.0f}, {self.y_px:.0f}) px"
        if self.side is Side.BEHIND:
            return f"meets the back of the screen at {place}"
        return f"meets the screen at {place}" if self.on_screen else f"passes the screen at {place}"


@dataclass(frozen=True, slots=True)
class ScreenPlane:
    """A screen: its pose, its size, and how many pixels it has."""

    frame: Frame
    width_m: float
    height_m: float
    width_px: int = 1920
    height_px: int = 1080

    def __post_init__(self) -> None:
        for what, size in (
            ("width_m", self.width_m),
            ("height_m", self.height_m),
            ("width_px", self.width_px),
            ("height_px", self.height_px),
        ):
            if not (math.isfinite(size) and size > 0):
                raise ValueError(f"{what} of a screen must be above 0, not {size}")

    def local_m(self, x_px: float, y_px: float) -> Vector:
        """The place of a pixel along the screen's own axes."""
        return (
            (x_px / self.width_px - 0.5) * self.width_m,
            (0.5 - y_px / self.height_px) * self.height_m,
            0.0,
        )

    def place_m(self, x_px: float, y_px: float) -> Vector:
        """The place of a pixel in the room."""
        return self.frame.to_room(self.local_m(x_px, y_px))

    def pixel(self, room_m: Vector) -> tuple[float, float]:
        """The pixel that lies nearest to a place in the room, beyond the edges if need be."""
        x, y, _ = self.frame.to_local(room_m)
        return self._pixel(x, y)

    def faces(self, eye_m: Vector) -> bool:
        """Whether somebody there is in front of the screen and so can see its picture."""
        return self.frame.to_local(eye_m)[2] > 0.0

    def met_by(self, eye_m: Vector, direction: Vector) -> ScreenHit:
        """Where the look of an eye in the room meets the screen."""
        eye = self.frame.to_local(eye_m)
        look = self.frame.turn_to_local(direction)
        if abs(look[2]) < _GRAZING * math.hypot(*look):
            return ScreenHit(Side.MISSES)
        how_far = -eye[2] / look[2]
        if how_far <= 0.0:
            return ScreenHit(Side.MISSES)
        x_px, y_px = self._pixel(eye[0] + how_far * look[0], eye[1] + how_far * look[1])
        side = Side.FRONT if eye[2] > 0.0 else Side.BEHIND
        inside = 0.0 <= x_px <= self.width_px and 0.0 <= y_px <= self.height_px
        return ScreenHit(side, x_px, y_px, inside and side is Side.FRONT)

    def corners_px(self) -> dict[str, tuple[float, float]]:
        """Its corners and centre by name, such as an operator has the robot look at."""
        right, below = float(self.width_px), float(self.height_px)
        return {
            "top left": (0.0, 0.0),
            "top right": (right, 0.0),
            "bottom right": (right, below),
            "bottom left": (0.0, below),
            "centre": (0.5 * right, 0.5 * below),
        }

    def _pixel(self, x_m: float, y_m: float) -> tuple[float, float]:
        return (
            (x_m / self.width_m + 0.5) * self.width_px,
            (0.5 - y_m / self.height_m) * self.height_px,
        )

"""Look-up table: a curve drawn by points, straight between them.

Design overview: the points are sorted by their input; reading is a binary search. Outside the
table the value is held (clamp), or the first or last line goes on (extrapolate).
Units and frames: any, for both sides.
Threading: no state.
Safety: a clamped table never leaves the range of its outputs.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum

from sera.animation.signals._checks import LARGEST, bounded, check


class TableEnds(StrEnum):
    """What happens outside the table."""

    CLAMP = "clamp"
    EXTRAPOLATE = "extrapolate"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupSettings:
    """The points (input, output), by rising input."""

    points: tuple[tuple[float, float], ...] = ((0.0, 0.0), (1.0, 1.0))
    ends: TableEnds = TableEnds.CLAMP

    def __post_init__(self) -> None:
        if self.ends not in list(TableEnds):
            raise ValueError(f"ends is {self.ends!r}; give one of {', '.join(TableEnds)}.")
        if len(self.points) < 2:
            raise ValueError(
                f"A table of {len(self.points)} points draws no line; give at least 2."
            )
        for number, point in enumerate(self.points, start=1):
            if len(point) != 2:
                raise ValueError(f"Point {number} is {point!r}; give an input and an output.")
            check(f"input of point {number}", point[0], -LARGEST, LARGEST)
            check(f"output of point {number}", point[1], -LARGEST, LARGEST)
            if number > 1 and point[0] - self.points[number - 2][0] < 1e-9:
                raise ValueError(
                    f"The input of point {number} is {point[0]:g}, not above "
                    f"{self.points[number - 2][0]:g} before it; sort the points by input."
                )


class Lookup:
    """Reads the table."""

    __slots__ = ("_inputs", "_outputs", "settings")

    def __init__(self, settings: LookupSettings) -> None:
        self.settings = settings
        self._inputs = [float(point[0]) for point in settings.points]
        self._outputs = [float(point[1]) for point in settings.points]

    def reset(self) -> None:
        """Nothing is remembered."""

    def step(self, dt_s: float, value: float) -> float:  # noqa: ARG002
        """The output for an input."""
        inputs, outputs = self._inputs, self._outputs
        value = bounded(value)
        if self.settings.ends == TableEnds.CLAMP:
            if value <= inputs[0]:
                return outputs[0]
            if value >= inputs[-1]:
                return outputs[-1]
        after = min(max(bisect_right(inputs, value), 1), len(inputs) - 1)
        left = inputs[after - 1]
        share = (value - left) / (inputs[after] - left)
        return bounded((1.0 - share) * outputs[after - 1] + share * outputs[after])

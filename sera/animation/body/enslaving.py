"""Enslaving: how a generic channel moves a body's own channels.

Design overview: three ways. *Share*: each own channel takes its factor of the value (a gaze to the
right is a turn of -1 about +Y). *Weights*: the value is divided in these proportions, and what a
joint cannot take, being at its limit, goes to the others, so that the sum is right as long as
anybody can still move. *Curve*: a table of points for each, straight lines between them, its ends
held beyond.

Units and frames: values in the units of the channels (radians, shares); curves as in the file,
converted when the body is read.
Threading: immutable.
Safety: what is handed on is within the own channels' ranges.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from sera.animation.channels import ChannelSpec


@dataclass(frozen=True, slots=True)
class Share:
    """Each own channel takes its factor of the value."""

    channel: str
    factors: Mapping[str, float]

    def distribute(self, value: float, own: Mapping[str, ChannelSpec]) -> dict[str, float]:
        """Offsets of the own channels from their neutral values."""
        return {
            name: own[name].clamp(own[name].neutral + factor * value) - own[name].neutral
            for name, factor in self.factors.items()
        }

    def reach(self, own: Mapping[str, ChannelSpec]) -> tuple[float, float]:
        """The values that all own channels can follow."""
        lowest, highest = float("-inf"), float("inf")
        for name, factor in self.factors.items():
            spec = own[name]
            ends = ((spec.lower - spec.neutral) / factor, (spec.upper - spec.neutral) / factor)
            lowest, highest = max(lowest, min(ends)), min(highest, max(ends))
        return lowest, highest


@dataclass(frozen=True, slots=True)
class Weights:
    """The value is divided among the own channels; signs of the weights are directions."""

    channel: str
    weights: Mapping[str, float]

    def distribute(self, value: float, own: Mapping[str, ChannelSpec]) -> dict[str, float]:
        """Offsets of the own channels; each in its direction, the sum of their sizes the value."""
        offsets = dict.fromkeys(self.weights, 0.0)
        free = dict(self.weights)
        left = value
        while free and abs(left) > 1e-12:
            total = sum(abs(weight) for weight in free.values())
            handed_out = 0.0
            for name, weight in list(free.items()):
                direction = 1.0 if weight >= 0.0 else -1.0
                wanted = offsets[name] + direction * left * abs(weight) / total
                spec = own[name]
                taken = spec.clamp(spec.neutral + wanted) - spec.neutral
                handed_out += direction * (taken - offsets[name])
                offsets[name] = taken
                if abs(taken - wanted) > 1e-12:
                    del free[name]
            if abs(handed_out) < 1e-12:
                break
            left -= handed_out
        return offsets

    def reach(self, own: Mapping[str, ChannelSpec]) -> tuple[float, float]:
        """All that the own channels can do together."""
        lowest = highest = 0.0
        for name, weight in self.weights.items():
            spec = own[name]
            down, up = spec.lower - spec.neutral, spec.upper - spec.neutral
            lowest += down if weight >= 0.0 else -up
            highest += up if weight >= 0.0 else -down
        return lowest, highest


@dataclass(frozen=True, slots=True)
class Curve:
    """A table of points for each own channel: value of the generic one, value of the own one."""

    channel: str
    points: Mapping[str, tuple[tuple[float, float], ...]]

    def distribute(self, value: float, own: Mapping[str, ChannelSpec]) -> dict[str, float]:
        """Offsets of the own channels from their neutral values."""
        return {
            name: own[name].clamp(_on_curve(points, value)) - own[name].neutral
            for name, points in self.points.items()
        }

    def reach(self, own: Mapping[str, ChannelSpec]) -> tuple[float, float]:  # noqa: ARG002
        """From the first to the last point that any curve has."""
        firsts = [points[0][0] for points in self.points.values()]
        lasts = [points[-1][0] for points in self.points.values()]
        return min(firsts), max(lasts)

    def value_at_rest(self, own: Mapping[str, ChannelSpec]) -> float:
        """The first value at which an own channel is neutral; 0 where none ever is."""
        for name, points in self.points.items():
            wanted = own[name].neutral
            for (x0, y0), (x1, y1) in pairwise(points):
                if min(y0, y1) <= wanted <= max(y0, y1):
                    return x0 if y0 == y1 else x0 + (x1 - x0) * (wanted - y0) / (y1 - y0)
        return 0.0


Rule = Share | Weights | Curve


def _on_curve(points: tuple[tuple[float, float], ...], value: float) -> float:
    place = bisect_right(points, value, key=lambda point: point[0])
    if place == 0:
        return points[0][1]
    if place == len(points):
        return points[-1][1]
    (x0, y0), (x1, y1) = points[place - 1], points[place]
    return y0 + (y1 - y0) * (value - x0) / (x1 - x0)

"""A mouth's curve with as few points as it needs, so that it fits into a message."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from sera.speech.visemes import MouthCurve

Point = tuple[float, float]
"""Time in seconds and opening, 0 to 1."""

PER_S = 40.0
MOST_POINTS = 500
NOT_SEEN = 0.01
"""A part of the opening that no eye tells."""


def thinned_mouth(
    curve: MouthCurve, *, per_s: float = PER_S, limit: int = MOST_POINTS, within: float = NOT_SEEN
) -> MouthCurve:
    """The same movement with fewer points: at most so many a second, none on a straight line.

    Args:
        curve: the mouth of a line.
        per_s: how many points a second are kept at most, beside both ends.
        limit: how many points are kept at most; those that matter most are.
        within: how far the opening may be off, as long as the limit allows.
    """
    points = _spaced(curve.points, per_s)
    return MouthCurve(tuple(_most_telling(points, limit, within)))


def _spaced(points: Sequence[Point], per_s: float) -> list[Point]:
    """Of the points within one step of time, the one that is farthest from what came before."""
    if len(points) <= 2:
        return list(points)
    kept = [points[0]]
    step = 0
    for time_s, opening in points[1:-1]:
        number = math.floor((time_s - points[0][0]) * per_s)
        if number == step and len(kept) > 1:
            before = kept[-2][1]
            if abs(opening - before) > abs(kept[-1][1] - before):
                kept[-1] = (time_s, opening)
        else:
            kept.append((time_s, opening))
            step = number
    return [*kept, points[-1]]


def _most_telling(points: list[Point], limit: int, within: float) -> list[Point]:
    """Ends first, then always the point where the curve so far is most wrong."""
    if len(points) <= 2:
        return points
    chosen = {0, len(points) - 1}
    spans = [_worst(points, 0, len(points) - 1)]
    while spans and len(chosen) < limit:
        negative_error, index, first, last = heapq.heappop(spans)
        if -negative_error <= within:
            break
        chosen.add(index)
        for low, high in ((first, index), (index, last)):
            if high - low > 1:
                heapq.heappush(spans, _worst(points, low, high))
    return [points[index] for index in sorted(chosen)]


def _worst(points: list[Point], first: int, last: int) -> tuple[float, int, int, int]:
    (from_s, before), (to_s, after) = points[first], points[last]
    slope = (after - before) / (to_s - from_s) if to_s > from_s else 0.0
    error, index = max(
        (abs(points[i][1] - before - slope * (points[i][0] - from_s)), i)
        for i in range(first + 1, last)
    )
    return -error, index, first, last

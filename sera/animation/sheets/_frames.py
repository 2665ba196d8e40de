"""Which frames of an animation are shown, and from where they are seen best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sera.animation.assets.animation import Animation
from sera.animation.body import Body
from sera.animation.body.drawing import View
from sera.animation.sheets.performance import Performance
from sera.kinematics._arrays import FloatArray

_CLEARLY = 3.0
"""A body is shown from a corner unless its front or its side shows so many times as much."""
_TIP_M = 0.12
"""A point ahead of each moving frame, so that turns about an axis are seen, too."""


def moments(animation: Animation, count: int) -> list[float]:
    """Times spread over the animation, the nearest of them moved onto each anchor."""
    times = np.linspace(0.0, animation.duration_s, count)
    free = list(range(1, count - 1))
    for anchor_s in sorted(animation.anchors.values()):
        if not free:
            break
        nearest = min(free, key=lambda place: abs(times[place] - anchor_s))
        times[nearest] = anchor_s
        free.remove(nearest)
    return sorted(times.tolist())


def best_view(body: Body, performance: Performance, times_s: Sequence[float]) -> View:
    """From where most of the motion is seen; from a corner where it goes both ways."""
    clouds = np.array([_points(body, performance.pose(time_s)) for time_s in times_s])
    x, _, z = np.abs(np.diff(clouds, axis=0)).sum(axis=(0, 1))
    if z > _CLEARLY * x:
        return "side"
    return "front" if x > _CLEARLY * z else "corner"


def _points(body: Body, own: dict[str, float]) -> FloatArray:
    tree = body.tree
    angles = tree.angles_of({name: own[name] for name in body.joints if name in tree.joint_names})
    places = tree.forward(angles).positions_m
    ends = []
    for name in tree.end_points:
        pose = tree.pose(angles, name)
        ends += [pose.position_m, pose.position_m + _TIP_M * _ahead(pose.orientation_wxyz)]
    return np.vstack([places, *ends])


def _ahead(orientation_wxyz: FloatArray) -> FloatArray:
    from sera.kinematics.rotations import rotate

    return np.asarray(rotate(orientation_wxyz, (0.0, 0.0, 1.0)))

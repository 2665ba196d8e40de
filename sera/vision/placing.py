"""One marker on the robot tells camera and robot where the other is.

Design overview: the marker's place on the robot is measured with a ruler. Seen by the camera in
several pictures of a scene at rest, its corners are averaged, its pose in the camera's frame
follows, and the chain room · robot · marker · camera is closed: either the camera's pose in the
room is found (the robot stands as the scenario says) or the robot's (the camera does).

Units and frames: metres; poses in the scenario's space, the marker's in the robot's own frame.
Threading: no state.
Safety: a marker that moved between pictures, or whose tilt is open, is reported, not hidden.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sera.behaviour.space import Frame
from sera.vision.markers import Corners
from sera.vision.pose_from_marker import (
    CLEAR_RATIO,
    Eye,
    MarkerPose,
    compose,
    inverse,
    poses_of,
    turn_between_deg,
)

UNSTEADY_PX = 2.0
"""Corners that tremble by more than this do not belong to a scene at rest."""
SMALL_PX = 30.0
"""A marker with shorter sides than this tells its tilt badly."""


class PlacingProblem(ValueError):
    """The pictures do not tell the pose; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The pose that was found, and how well."""

    frame: Frame
    """In the scenario's space."""
    marker_in_camera: Frame
    error_px: float
    """How well the four corners fit a square of that size, root mean square."""
    tremble_px: float
    """How far the corners moved between pictures, root mean square."""
    side_px: float
    remarks: tuple[str, ...] = ()


def place_camera(
    seen: Sequence[Corners], size_m: float, eye: Eye, marker: Frame, written: Frame | None = None
) -> Placement:
    """The camera's pose from a marker whose pose in the room is known.

    Args:
        seen: the marker's corners in each picture.
        size_m: length of its sides.
        eye: the camera.
        marker: its pose in the room.
        written: where the camera was thought to be: decides where two poses fit alike.

    Raises:
        PlacingProblem: the marker was not seen, or moved.
    """
    return _placed(seen, size_m, eye, lambda found: compose(marker, inverse(found)), written)


def place_robot(
    seen: Sequence[Corners],
    size_m: float,
    eye: Eye,
    *,
    camera: Frame,
    marker_on_robot: Frame,
    written: Frame | None = None,
) -> Placement:
    """The robot's pose from a marker on it, seen by a camera whose pose is known.

    Raises:
        PlacingProblem: the marker was not seen, or moved.
    """
    on_marker = inverse(marker_on_robot)
    return _placed(
        seen, size_m, eye, lambda found: compose(compose(camera, found), on_marker), written
    )


def _placed(
    seen: Sequence[Corners],
    size_m: float,
    eye: Eye,
    room_of: Callable[[Frame], Frame],
    written: Frame | None,
) -> Placement:
    if not seen:
        raise PlacingProblem("the marker was not seen: is it in view, flat, lit and of that id?")
    count = len(seen)
    corners = [
        (sum(each[k][0] for each in seen) / count, sum(each[k][1] for each in seen) / count)
        for k in range(4)
    ]
    mean: Corners = (corners[0], corners[1], corners[2], corners[3])
    tremble_px = math.sqrt(
        sum(math.dist(each[k], mean[k]) ** 2 for each in seen for k in range(4)) / (4 * count)
    )
    if tremble_px > UNSTEADY_PX:
        raise PlacingProblem(
            f"the marker moved by {tremble_px:.1f} pixels between pictures: robot and camera have "
            "to stand still"
        )
    poses = poses_of(mean, size_m, eye)
    if not poses:
        raise PlacingProblem("the corners of the marker make no square: turn it to the camera")
    frames = [room_of(pose.frame) for pose in poses]
    chosen, remarks = _chosen(poses, frames, written)
    side_px = sum(math.dist(mean[k], mean[k - 1]) for k in range(4)) / 4.0
    if side_px < SMALL_PX:
        remarks.append(
            f"the marker is only {side_px:.0f} pixels wide: a larger or nearer one tells more"
        )
    return Placement(
        frames[chosen],
        poses[chosen].frame,
        poses[chosen].error_px,
        tremble_px,
        side_px,
        tuple(remarks),
    )


def _chosen(
    poses: Sequence[MarkerPose], frames: Sequence[Frame], written: Frame | None
) -> tuple[int, list[str]]:
    if len(poses) == 1 or poses[1].error_px >= CLEAR_RATIO * max(poses[0].error_px, 0.05):
        return 0, []
    apart_deg = turn_between_deg(frames[0], frames[1])
    remark = (
        f"the marker is seen so nearly from the front that it may be tilted either way (two poses "
        f"{apart_deg:.0f}° apart fit): "
    )
    if written is None:
        return 0, [remark + "check the result, or turn the marker away from the camera by 30°"]
    nearest = min((0, 1), key=lambda index: turn_between_deg(frames[index], written))
    return nearest, [remark + "the one nearer to what the scenario says was taken"]


__all__ = ["Placement", "PlacingProblem", "place_camera", "place_robot"]

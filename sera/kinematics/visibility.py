"""Visibility: the arm keeps out of the way between a camera and what the hand does.

Design overview: seen by a camera, a link of the arm may hide the hand. Each link pushes the elbow
away from the hand, the harder the nearer their images are, and only while the arm is nearer to the
camera than the hand (the object best view function of the null-space document, with its signs put
right). The push is asked of the elbow alone and in the image plane alone, two rows, below whatever
the hand has to do. It has the direction from image to image; the document takes the direction in
space and leaves out the depth, so that a link right before the hand is pushed along the line of
sight rather than out of it.

    sight = Visibility(tree, ("foot", "shoulder", "elbow"), "hand")
    controller = PriorityController(tree, [[hand_task], [RowsTask(name="sight", count=2)]])
    view = sight.view(controller.angles_rad, camera)
    controller["sight"].set_rows(view.jacobian, view.velocities)
    controller["sight"].activation = view.share

`share` lets the elbow go where nothing is near; with the rows at full activation it would be held
at rest as soon as a link comes near. Where no link does, the rows are nought.

Where on a link the image is nearest to the hand's is found in the image, where a link is a straight
line too, and taken back to the link. The document's quotient (its appendix F) is the same inside
the link, but clipped to it gives the wrong end where the line meets the camera's own plane.

Units and frames: metres; base frame, Y up; the camera looks along its own +Z. Distances between
images are those at a distance of `focal` from the camera, without unit for 1.
Threading: one owner; `view` works on arrays of its own.
Safety: what is not before the camera pushes nothing; a hand exactly behind a link is pushed across
it. Velocities never exceed the sum of the links' `push_m_s`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles
from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Vector, conjugate, rotate, row3
from sera.kinematics._tree_kernels import tree_end_pose, tree_frames, tree_point_jacobian
from sera.kinematics.continuous.activation import smooth
from sera.kinematics.pose import Pose
from sera.kinematics.rotations import checked_unit
from sera.kinematics.tree import Tree

BEFORE_M = 0.01
"""What is nearer to the camera's own plane than this, or behind it, is not looked at."""


@dataclass(frozen=True, slots=True)
class Link:
    """How one link keeps away from the hand, in the image."""

    near: float
    """At this distance and below it pushes in full."""
    far: float
    """From this distance on it does not push."""
    push_m_s: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.near < self.far < math.inf and 0.0 <= self.push_m_s < math.inf):
            raise ValueError(
                f"A link pushes from {self.far} on down to {self.near} with {self.push_m_s} m/s; "
                "the first has to be the larger and none may be negative."
            )


DOCUMENT_LINKS = (Link(0.10, 0.15, 1.5), Link(0.05, 0.10, 1.0))
"""As the null-space document has it, from the foot to the shoulder and on to the elbow."""


class View(NamedTuple):
    """What a camera sees of an arm, and what the elbow should do about it."""

    jacobian: FloatArray  # (2, dof) of the elbow, across and along the image; nought at share 0
    velocities: FloatArray  # (2,) m/s
    share: float
    """How much the links are in the way, 0-1: the activation for the rows."""
    distances: FloatArray  # (links,) between the images of each link and of the hand
    """Infinite where one of them is not before the camera."""


class Visibility:
    """Keeps links of one arm from hiding its hand."""

    def __init__(
        self,
        tree: Tree,
        points: Sequence[str],
        hand: str,
        *,
        links: Sequence[Link] = DOCUMENT_LINKS,
        depth_m: float = 0.1,
        focal: float = 1.0,
    ) -> None:
        """Look up the frames.

        Args:
            tree: the body.
            points: frames between which the links lie, from the foot on; the last is the elbow,
                which is moved.
            hand: the frame that should be seen.
            links: one for each link.
            depth_m: how far before the hand a point has to be, on the floor, to push in full.
            focal: distance of the image plane.

        Raises:
            ValueError: unknown frames, numbers of links and points that do not fit.
        """
        if len(points) < 2 or len(links) != len(points) - 1:
            raise ValueError(
                f"{len(points)} points have {max(len(points) - 1, 0)} links between them; given "
                f"were {len(links)} links."
            )
        if not (0.0 < depth_m < math.inf and 0.0 < focal < math.inf):
            raise ValueError(f"depth_m is {depth_m} and focal {focal}; give numbers above 0.")
        self.tree = tree
        self._ends = [tree.end_in_zero_pose(name) for name in (*points, hand)]
        self._links = np.array([(each.near, each.far, each.push_m_s) for each in links])
        self._depth_m, self._focal = depth_m, focal
        count = len(tree.joints)
        self._frames = np.empty((count, 3)), np.empty((count, 4)), np.empty((count, 3))
        self._places = np.empty((len(points) + 1, 3))
        self._turn, self._whole = np.empty(4), np.empty((6, tree.dof))

    def view(self, angles: ArrayLike, camera: Pose) -> View:
        """What the camera sees with these angles (dof,).

        Raises:
            ValueError: NaN, wrong sizes, an orientation that is none.
        """
        tree = self.tree
        checked = checked_angles(angles, tree.joint_names, tree.name)
        place = np.asarray(camera[0], dtype=np.float64)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise ValueError(f"The camera is at {camera[0]!r}; give three finite numbers.")
        turned = checked_unit(camera[1], "camera's orientation")
        positions, turns, directions = self._frames
        tree_frames(*tree.kernel_arrays, checked, positions, turns, directions)
        for row, end in enumerate(self._ends):
            tree_end_pose(*end, positions, turns, self._places[row], self._turn)
        elbow = len(self._places) - 2
        tree_point_jacobian(
            self._ends[elbow][0], *tree.kernel_arrays[:4], positions, directions,
            self._places[elbow], self._whole,
        )  # fmt: skip
        jacobian, velocities = np.empty((2, tree.dof)), np.empty(2)
        distances = np.empty(len(self._links))
        share = _see(
            self._places, place, turned, self._links, self._depth_m, self._focal, self._whole,
            jacobian, velocities, distances,
        )  # fmt: skip
        return View(jacobian, velocities, share, distances)

    def rows(self, angles: ArrayLike, camera: Pose) -> tuple[FloatArray, FloatArray]:
        """Jacobian (2, dof) and wanted velocities (2,), for `TaskHandle.set_rows`."""
        view = self.view(angles, camera)
        return view.jacobian, view.velocities


@kernel
def nearest_on_link(start: Vector, end: Vector, point: Vector) -> float:
    """Which share of a link, 0-1, has the image that is nearest to that of a point.

    All in the camera's frame and before it.
    """
    begin_x, begin_y = start[0] / start[2], start[1] / start[2]
    along_x, along_y = end[0] / end[2] - begin_x, end[1] / end[2] - begin_y
    square = along_x * along_x + along_y * along_y
    if square < 1e-24:  # the link points at the camera
        return 0.0
    away_x, away_y = point[0] / point[2] - begin_x, point[1] / point[2] - begin_y
    share = min(max((along_x * away_x + along_y * away_y) / square, 0.0), 1.0)
    # Even steps in the image are no even steps on a link that goes away from the camera.
    return share * start[2] / ((1.0 - share) * end[2] + share * start[2])


@kernel
def _between(start: Vector, end: Vector, share: float) -> Vector:
    return (
        start[0] + share * (end[0] - start[0]),
        start[1] + share * (end[1] - start[1]),
        start[2] + share * (end[2] - start[2]),
    )


@kernel
def _push(start: Vector, end: Vector, hand: Vector, focal: float) -> tuple[float, float, float]:
    """Direction of a link's push across and along the image, and the distance of the images."""
    if hand[2] < BEFORE_M or max(start[2], end[2]) < BEFORE_M:
        return 0.0, 0.0, math.inf
    # What of the link is not before the camera has no image.
    if start[2] < BEFORE_M:
        start = _between(start, end, (BEFORE_M - start[2]) / (end[2] - start[2]))
    elif end[2] < BEFORE_M:
        end = _between(start, end, (BEFORE_M - start[2]) / (end[2] - start[2]))
    found = _between(start, end, nearest_on_link(start, end, hand))
    across = found[0] / found[2] - hand[0] / hand[2]
    along = found[1] / found[2] - hand[1] / hand[2]
    size = math.hypot(across, along)
    distance = focal * size
    if size > 1e-6:
        return across / size, along / size, distance
    # The hand is right behind: across the link's image either side is as good.
    side_x = -(end[1] / end[2] - start[1] / start[2])
    side_y = end[0] / end[2] - start[0] / start[2]
    size = math.hypot(side_x, side_y)
    if size < 1e-12:
        return 1.0, 0.0, distance
    return side_x / size, side_y / size, distance


@kernel
def _see(
    places: FloatArray,
    camera_m: FloatArray,
    camera_wxyz: FloatArray,
    links: FloatArray,
    depth_m: float,
    focal: float,
    whole: FloatArray,
    jacobian: FloatArray,
    velocities: FloatArray,
    distances: FloatArray,
) -> float:
    """Write rows, velocities and distances; returns how much the links are in the way."""
    turned = (camera_wxyz[0], camera_wxyz[1], camera_wxyz[2], camera_wxyz[3])
    seen = conjugate(turned)
    eye = (camera_m[0], camera_m[1], camera_m[2])
    points = len(places) - 1
    hand = row3(places, points)
    looks = rotate(turned, (0.0, 0.0, 1.0))
    ahead = 0.0
    for point in range(1, points):
        nearer = -(
            (places[point, 0] - hand[0]) * looks[0] + (places[point, 2] - hand[2]) * looks[2]
        )
        ahead = max(ahead, smooth(nearer / depth_m, 0.5))
    hand = rotate(seen, (hand[0] - eye[0], hand[1] - eye[1], hand[2] - eye[2]))
    share = 0.0
    velocities[0] = velocities[1] = 0.0
    start = row3(places, 0)
    start = rotate(seen, (start[0] - eye[0], start[1] - eye[1], start[2] - eye[2]))
    for link in range(len(links)):
        end = row3(places, link + 1)
        end = rotate(seen, (end[0] - eye[0], end[1] - eye[1], end[2] - eye[2]))
        across, along, distance = _push(start, end, hand, focal)
        distances[link] = distance
        near, far = links[link, 0], links[link, 1]
        part = ahead * (1.0 - smooth((distance - near) / (far - near), 0.5))
        share = max(share, part)
        velocities[0] += part * links[link, 2] * across
        velocities[1] += part * links[link, 2] * along
        start = end
    for row in range(2):
        side = rotate(turned, (1.0, 0.0, 0.0) if row == 0 else (0.0, 1.0, 0.0))
        for column in range(whole.shape[1]):
            total = 0.0
            for k in range(3):
                total += side[k] * whole[k, column]
            jacobian[row, column] = total if share > 0.0 else 0.0
    return share

"""Shapes for a body from a URDF: what it says of its links in boxes, cylinders and balls.

Design overview: collision geometry counts, then visual geometry; a link without either gets a
capsule along its bones. Meshes are not opened. Everything becomes hulls of balls, which drawings
and what keeps a body clear of itself both take.

Units and frames: metres. The URDF has x forward and z up; shapes are in our axes, in the frame of
the joint that carries the link.
Safety: numbers that make no sense leave a part out; the robot has its bones all the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sera.animation.newcomer._skeleton import Skeleton
from sera.kinematics._urdf_read import MOVING
from sera.kinematics._urdf_xml import Element
from sera.kinematics.contacts import box_points
from sera.kinematics.rotations import rotate
from sera.kinematics.tree import Tree
from sera.kinematics.urdf import turn_of_rpy

FloatArray = NDArray[np.float64]
_THIN_SHARE = 0.02
"""Radius of a bone, as a share of the robot's size."""
_RIM = 6
_SMALLEST_M = 1e-3


class Shape(NamedTuple):
    """A hull of balls of one radius."""

    joint: str
    """What carries it, "" for the base."""
    points_m: FloatArray
    radius_m: float


def shapes_of_urdf(robot: Element, skeleton: Skeleton, tree: Tree) -> list[Shape]:
    """The shapes of all links, in the order of the file."""
    carriers = {link: joint.name for link, joint in skeleton.robot.carriers.items()}
    bones = _bones(skeleton)
    places = tree.forward(tree.neutral).positions_m
    thin_m = max(_SMALLEST_M, _THIN_SHARE * float(np.ptp(places, axis=0).max(initial=0.0)))
    found = []
    for link in robot.all("link"):
        name = link.name()
        if name not in skeleton.robot.links:
            continue
        parts = _parts(link, "collision") or _parts(link, "visual")
        if not parts:
            parts = _capsules(bones[name], thin_m, stands=name == skeleton.robot.root)
        found += [Shape(carriers.get(name, ""), points, radius) for points, radius in parts]
    return found


def lowest_of(shapes: Sequence[Shape], tree: Tree, angles: FloatArray) -> tuple[float, str]:
    """Where the shapes end below in a pose, and which joint carries what is there."""
    frames = tree.forward(angles)
    place = {name: number for number, name in enumerate(tree.frame_names)}
    heights = [(0.0, "")]
    for shape in shapes:
        points = shape.points_m
        if shape.joint:
            number = place[shape.joint]
            turn = frames.orientations_wxyz[number]
            points = frames.positions_m[number] + np.array([rotate(turn, p) for p in points])
        heights.append((float(points[:, 1].min()) - shape.radius_m, shape.joint))
    return min(heights)


def _capsules(
    ends: Sequence[FloatArray], thin_m: float, *, stands: bool
) -> list[tuple[FloatArray, float]]:
    """Along the bones of a link, or a ball where they end; the base stands on its frame."""
    found = []
    for end in ends:
        length_m = float(np.linalg.norm(end))
        if length_m > thin_m:
            first = (thin_m / length_m) * end if stands else np.zeros(3)
            found.append((np.array([first, end]), thin_m))
    return found or ([] if ends else [(np.zeros((1, 3)), 2.0 * thin_m)])


def _bones(skeleton: Skeleton) -> dict[str, list[FloatArray]]:
    """From each link to the joints that it carries."""
    found: dict[str, list[FloatArray]] = {name: [] for name in skeleton.robot.links}
    for joint in skeleton.robot.joints.values():
        if joint.kind in MOVING or joint.kind == "fixed":
            found[joint.parent].append(_turned(np.array(joint.origin_m)))
    return found


def _parts(link: Element, kind: str) -> list[tuple[FloatArray, float]]:
    found = []
    for element in link.all(kind):
        geometry = element.first("geometry")
        try:
            balls = None if geometry is None else _balls(geometry)
            if balls is None:
                continue
            points, radius = _turned(balls[0]), balls[1]
            origin = element.first("origin")
            if origin is not None:
                shift = np.array(origin.vector("xyz", (0.0, 0.0, 0.0), owner="a shape"))
                turn = turn_of_rpy(origin.vector("rpy", (0.0, 0.0, 0.0), owner="a shape"))
                points = np.array([rotate(turn, point) for point in points]) + _turned(shift)
        except ValueError:
            continue
        found.append((points, radius))
    return found


def _balls(geometry: Element) -> tuple[FloatArray, float] | None:
    """Points and radius of a box, a cylinder, a capsule or a ball, about its own middle."""
    ball = geometry.first("sphere")
    if ball is not None:
        radius = ball.number("radius", owner="a sphere")
        return (np.zeros((1, 3)), radius) if radius >= _SMALLEST_M else None
    for tag in ("cylinder", "capsule"):
        round_one = geometry.first(tag)
        if round_one is not None:
            radius = round_one.number("radius", owner=f"a {tag}")
            length = round_one.number("length", owner=f"a {tag}")
            return _round(radius, length + (2.0 * radius if tag == "capsule" else 0.0))
    box = geometry.first("box")
    if box is None:
        return None
    size = np.array(box.vector("size", None, owner="a box"))
    return box_points(size) if float(size.min()) >= _SMALLEST_M else None


def _round(radius: float, length: float) -> tuple[FloatArray, float] | None:
    if min(radius, length) < _SMALLEST_M:
        return None
    if length > 2.0 * radius:
        half = 0.5 * length - radius
        return np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]), radius
    thick, rim = 0.5 * length, radius - 0.5 * length
    turns = [math.tau * number / _RIM for number in range(_RIM)]
    return np.array([[rim * math.cos(t), rim * math.sin(t), 0.0] for t in turns]), thick


def _turned(points: FloatArray) -> FloatArray:
    """From the URDF's axes to ours."""
    return points[..., [1, 2, 0]]

"""What a body looks like: balls, capsules and hulls that its joints carry.

Design overview: a body file may say its shapes (`[[shapes]]`); a body without any is drawn from
its links, a trunk where several joints hang on one, a ball for the head, smaller ones for hands.

Units and frames: metres, in the frame of the joint that carries the shape, or of the base.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sera.animation.body._file import ShapeTable
from sera.animation.body.body import Body
from sera.animation.body.face import face_of

if TYPE_CHECKING:
    from sera.kinematics.tree import Tree

_SHADES = {"light": 0.93, "middle": 0.78, "dark": 0.35}
_DIMMED, _GLOWING = (0.25, 0.3, 0.35), (0.2, 0.75, 1.0)
_FACES = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}


class Placed(NamedTuple):
    """A hull of balls in the frame of the base."""

    points_m: Any  # (n, 3)
    radii_m: Any  # (n,)
    colour: tuple[float, float, float]
    edge: tuple[float, float, float]
    on_top: bool
    """Stands on a surface, like an eye: what it stands on must not cover it."""


class Drawn(NamedTuple):
    """All that there is to draw of a pose."""

    shapes: list[Placed]
    face: tuple[Any, Any] | None
    """Where the face is and where it looks."""
    ground_m: float
    height_m: float


class PlacedShapes(NamedTuple):
    """The shapes of a pose."""

    shapes: list[Placed]
    face: tuple[Any, Any] | None
    lowest_m: float
    """Where they end below."""


class _Frames(NamedTuple):
    """Places and orientations by joint; None is the base."""

    places: dict[str | None, Any]
    turns: dict[str | None, Any]


def shapes_of(body: Body, own_values: Mapping[str, float]) -> Drawn:
    """The shapes of a body in a pose; own channels that are not given are neutral."""
    import numpy as np

    from sera.animation.body.ground import ground_of

    placed = placed_shapes(body, own_values)
    every = np.concatenate([shape.points_m for shape in placed.shapes])
    ground_m = ground_of(body)
    if ground_m is None:  # it hangs: the line is where it ends below
        ground_m = min(0.0, placed.lowest_m)
    height_m = max(float(every[:, 1].max()) - ground_m, float(np.ptp(every[:, 0])), 1e-3)
    return Drawn(placed.shapes, placed.face, ground_m, height_m)


def placed_shapes(body: Body, own_values: Mapping[str, float]) -> PlacedShapes:
    """The same, without what it stands on."""
    import numpy as np

    from sera.animation.body.load import read_file

    own = {name: spec.neutral for name, spec in body.own.items()} | dict(own_values)
    tree = body.tree
    moving = {name: own[name] for name in body.joints if name in tree.joint_names}
    angles = tree.angles_of(moving)
    forward = tree.forward(angles)
    places: dict[str | None, Any] = {None: np.zeros(3)}
    turns: dict[str | None, Any] = {None: np.array([1.0, 0.0, 0.0, 0.0])}
    places |= dict(zip(tree.frame_names, forward.positions_m, strict=True))
    turns |= dict(zip(tree.frame_names, forward.orientations_wxyz, strict=True))
    frames = _Frames(places, turns)
    _, file = read_file(body.folder)
    shapes = [_told(table, frames, own, body) for table in file.shapes]
    if not shapes:
        ends = {name: tree.pose(angles, name).position_m for name in tree.end_points}
        every = np.array([*places.values(), *ends.values()])
        height_m = max(float(np.ptp(every[:, 1])), float(np.ptp(every[:, 0])), 1e-3)
        shapes = _guessed(body, frames, ends, height_m)
    lowest_m = min(float((shape.points_m[:, 1] - shape.radii_m).min()) for shape in shapes)
    return PlacedShapes(shapes, _face(body, tree, angles), lowest_m)


def _told(table: ShapeTable, frames: _Frames, own: Mapping[str, float], body: Body) -> Placed:
    """A shape of the file, where its joint has taken it."""
    import numpy as np

    from sera.kinematics.rotations import rotate

    points = np.array(table.points_m, dtype=np.float64)
    if table.slides is not None:
        channel, by_m = table.slides.channel, np.array(table.slides.by_m)
        points = points + own[channel] * by_m
    joint = table.joint or None
    placed = np.array([frames.places[joint] + rotate(frames.turns[joint], p) for p in points])
    radii = table.radius_m if isinstance(table.radius_m, list) else [table.radius_m] * len(points)
    grey = _SHADES[table.shade]
    colour = (grey, grey, grey)
    if table.glows is not None:
        spec = body.own[table.glows]
        span = spec.upper - spec.lower
        share = (own[table.glows] - spec.lower) / span if span > 0.0 else 0.0
        colour = _mixed(_DIMMED, _GLOWING, share)
    elif table.colour is not None:
        colour = _rgb(table.colour)
    return _placed(placed, np.array(radii), colour, on_top=table.on_top)


def _guessed(
    body: Body,
    frames: _Frames,
    ends: dict[str, Any],
    height_m: float,
) -> list[Placed]:
    """Shapes along the links of a body whose file says none."""
    import numpy as np

    tree = body.tree
    thin = 0.028 * height_m
    light = (_SHADES["light"],) * 3
    children: dict[str | None, list[Any]] = {}
    for joint in tree.joints:
        children.setdefault(joint.parent, []).append(frames.places[joint.name])
    for name, end in tree.end_points.items():
        children.setdefault(end.joint, []).append(ends[name])
    shapes = []
    for parent, tips in children.items():
        begin = frames.places[parent]
        far = [tip for tip in tips if float(np.linalg.norm(tip - begin)) > 1e-6]
        if not far or (
            parent is None and len(tips) == 1 and float(np.abs(begin - tips[0]).max()) < 1e-6
        ):
            continue
        points = np.array([begin, *far])
        radius = 1.6 * thin if len(far) > 1 else thin
        shapes.append(_placed(points, np.full(len(points), radius), light, on_top=False))
    for name, place in ends.items():
        is_head = any(chain.end_point == name and chain.aims == "Gazing" for chain in body.chains)
        radius = 2.2 * thin if is_head or name in {"head", "face"} else 1.3 * thin
        shapes.append(_placed(place[None, :], np.array([radius]), light, on_top=False))
    if not shapes:
        dot = np.array([thin])
        shapes = [
            _placed(point[None, :], dot, light, on_top=False) for point in frames.places.values()
        ]
    return shapes


def _placed(points: Any, radii: Any, colour: tuple[float, ...], *, on_top: bool) -> Placed:
    red, green, blue = colour
    edge = (0.55 * red, 0.55 * green, 0.55 * blue)
    return Placed(points, radii, (red, green, blue), edge, on_top)


def _mixed(
    low: tuple[float, float, float], high: tuple[float, float, float], share: float
) -> tuple[float, float, float]:
    part = min(max(share, 0.0), 1.0)
    red, green, blue = (a + part * (b - a) for a, b in zip(low, high, strict=True))
    return (red, green, blue)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[place : place + 2], 16) / 255.0 for place in (1, 3, 5))
    return (red, green, blue)


def _face(body: Body, tree: Tree, angles: Any) -> tuple[Any, Any] | None:
    from sera.kinematics.rotations import rotate

    face = face_of(body)
    if face is None:
        return None
    pose = tree.pose(angles, face.end_point)
    return pose.position_m, rotate(pose.orientation_wxyz, _FACES[face.axis])

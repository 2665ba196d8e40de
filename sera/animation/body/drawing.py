"""A body drawn from primitives: balls, capsules and hulls along its links, from three sides.

Design overview: every shape is a hull of balls that a joint carries (`shapes.py`); one ball is a
sphere, two make a capsule, more make a trunk. `draw_pose` places them by forward kinematics,
projects them without perspective and paints them from far to near. An arrow shows where the face
looks.

Units and frames: metres; Y up, facing +Z. From the front the robot's left is on the right of the
page; from the side it faces to the right of the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sera.animation.body.body import Body
from sera.animation.body.shapes import Drawn, Placed, shapes_of
from sera.animation.channels import OWN_SET

View = Literal["front", "side", "corner"]
_TURN_DEG: dict[View, float] = {"front": 0.0, "corner": 35.0, "side": 90.0}
"""How far around the robot, towards its right, the eye has gone from its front."""
_TITLES: dict[View, str] = {
    "front": "from the front",
    "side": "from its right",
    "corner": "from a corner",
}
_ROUND = 24
"""Points of a circle."""
_ARROW = 0.2
_PLACE = "tab:green"
"""Length of the arrow, as a share of the height."""
_MARGIN = 0.08
"""Empty share of the height around a body."""


class _Outline(NamedTuple):
    """A shape on the page."""

    depth_m: float
    corners: Any
    shape: Placed


def draw_pose(
    axes: Any,
    body: Body,
    own_values: Mapping[str, float],
    *,
    view: View = "front",
    arrow: bool = True,
    place_m: tuple[float, float, float] | None = None,
) -> None:
    """Draw a body into matplotlib axes; own channels that are not given are neutral.

    A place is drawn as a cross.

    The axes are scaled to the body and lose their frame; set limits afterwards to draw several
    poses to one scale.
    """
    from matplotlib.patches import Polygon

    drawn = shapes_of(body, own_values)
    across, towards = _page_of(view)
    outlines = [_outline(shape, across, towards) for shape in drawn.shapes]
    for outline in sorted(outlines, key=lambda outline: outline.depth_m):
        shape = outline.shape
        patch = Polygon(
            outline.corners,
            closed=True,
            facecolor=shape.colour,
            edgecolor=shape.edge,
            linewidth=0.7,
            joinstyle="round",
            zorder=2,
        )
        axes.add_patch(patch)
    tip = None
    if arrow and drawn.face is not None:
        tip = _arrow(axes, drawn.face, _ARROW * drawn.height_m, across)
    if place_m is not None:
        axes.plot(across @ place_m, place_m[1], "x", color=_PLACE, markersize=8, zorder=5)
    _ground(axes, outlines, tip, drawn)


def draw_body(body: Body, path: Path, poses: dict[str, dict[str, float]] | None = None) -> Path:
    """Write a PNG with one column a pose (the neutral one unless given); needs matplotlib."""
    from matplotlib.figure import Figure

    shown = poses or {"neutral": {}}
    views: tuple[View, ...] = ("front", "side", "corner") if len(shown) == 1 else ("front", "side")
    rows, columns = (1, len(views)) if len(shown) == 1 else (len(views), len(shown))
    figure = Figure(figsize=(2.8 * columns, 3.4 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel(order="F" if rows > 1 else "C")
    for place, axes in enumerate(grid):
        title, values = list(shown.items())[place // len(views)]
        view = views[place % len(views)]
        draw_pose(axes, body, body.resolve(values), view=view)
        axes.set_title(f"{title}, {_TITLES[view]}", fontsize=8)
    lows, highs = zip(*(axes.get_ylim() for axes in grid), strict=True)
    half = max(axes.get_xlim()[1] for axes in grid)
    for axes in grid:  # all to one scale
        axes.set_xlim(-half, half)
        axes.set_ylim(min(lows), max(highs))
    figure.suptitle(body.title, fontsize=10)
    figure.savefig(path, dpi=110)
    return path


def _page_of(view: View) -> tuple[Any, Any]:
    """The directions in space that run across the page and towards the eye."""
    import numpy as np

    turn_rad = math.radians(_TURN_DEG[view])
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return np.array([cos, 0.0, sin]), np.array([-sin, 0.0, cos])


def _outline(shape: Placed, across: Any, towards: Any) -> _Outline:
    import numpy as np

    circle = np.linspace(0.0, 2.0 * math.pi, _ROUND, endpoint=False)
    rim = np.stack([np.cos(circle), np.sin(circle)], axis=1)
    centres = np.stack([shape.points_m @ across, shape.points_m[:, 1]], axis=1)
    cloud = (centres[:, None, :] + shape.radii_m[:, None, None] * rim[None, :, :]).reshape(-1, 2)
    # What is in front covers what is behind: the nearest surface decides, so that eyes stay on.
    near = shape.points_m @ towards + shape.radii_m
    depth_m = float(near.max())
    if not shape.on_top:
        depth_m = 0.5 * (float(near.mean()) + depth_m) - 0.5 * float(shape.radii_m.max())
    return _Outline(depth_m, _hull(cloud.tolist()), shape)


def _hull(points: list[list[float]]) -> list[tuple[float, float]]:
    """The convex hull of points, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted({(round(x, 9), round(y, 9)) for x, y in points})

    def half(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        edge: list[tuple[float, float]] = []
        for point in sequence:
            while len(edge) >= 2 and _turns_right(edge[-2], edge[-1], point):
                edge.pop()
            edge.append(point)
        return edge[:-1]

    return half(ordered) + half(ordered[::-1])


def _turns_right(
    first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]
) -> bool:
    (ax, ay), (bx, by), (cx, cy) = first, second, third
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) <= 0.0


def _arrow(axes: Any, face: tuple[Any, Any], length_m: float, across: Any) -> tuple[float, float]:
    """Draw where the face looks; where the arrow ends on the page."""
    place, direction = face
    end = place + length_m * direction
    tip = (float(end @ across), float(end[1]))
    axes.annotate(
        "",
        xy=tip,
        xytext=(float(place @ across), float(place[1])),
        arrowprops={"arrowstyle": "-|>", "color": "tab:red", "lw": 1.2, "shrinkA": 0, "shrinkB": 0},
        zorder=4,
    )
    return tip


def _ground(
    axes: Any, outlines: list[_Outline], tip: tuple[float, float] | None, drawn: Drawn
) -> None:
    corners = [corner for outline in outlines for corner in outline.corners]
    corners += [tip] if tip is not None else []
    edge = _MARGIN * drawn.height_m
    half = max(0.35 * drawn.height_m, *(abs(x) for x, _ in corners)) + edge
    axes.axhline(drawn.ground_m, color="0.6", linewidth=1.0, zorder=1)
    axes.set_xlim(-half, half)
    axes.set_ylim(
        min(drawn.ground_m, *(y for _, y in corners)) - edge, max(y for _, y in corners) + edge
    )
    axes.set_aspect("equal")
    axes.set_axis_off()


def tree_lines(body: Body) -> list[str]:
    """The joints as an indented tree with their axes and limits, for a terminal."""
    from sera.animation.body.load import read_file

    _, file = read_file(body.folder)
    names = [joint.name for joint in file.joints]
    parents = {}
    for number, joint in enumerate(file.joints):
        before = names[number - 1] if number else ""
        parents[joint.name] = before if joint.parent is None else joint.parent
    lines: list[str] = []

    def grow(parent: str, indent: str) -> None:
        children = [name for name in names if parents[name] == parent]
        for place, name in enumerate(children):
            last = place == len(children) - 1
            spec = body.channel(f"{OWN_SET}.{name}")
            ends = f"{math.degrees(spec.lower):.0f}° … {math.degrees(spec.upper):.0f}°"
            axis = next(joint.axis for joint in file.joints if joint.name == name) or "skew"
            lines.append(f"{indent}{'└ ' if last else '├ '}{name}  {axis}  {ends}")
            # A row of joints stays in one column; where several hang on one, the branch is seen.
            in_row = len(children) == 1 and list(parents.values()).count(name) <= 1
            grow(name, indent if in_row else indent + ("  " if last else "│ "))

    grow("", "")
    return lines

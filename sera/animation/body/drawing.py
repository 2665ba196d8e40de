"""A body drawn as lines and dots, from the front and from the side."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from sera.animation.body.body import Body
from sera.animation.channels import OWN_SET

_VIEWS = {"from the front": 0, "from its right": 2}
"""Which coordinate runs across the page: the robot's left, and its forward, to the right."""


def segments_of(body: Body, values: dict[str, float]) -> list[tuple[Any, Any]]:
    """Lines from every joint to the one that carries it, and on to the end points, in metres."""
    own = body.resolve(values)
    tree = body.tree
    angles = tree.angles_of({name: own[name] for name in body.joints if name in tree.joint_names})
    frames = tree.forward(angles)
    places = dict(zip(tree.frame_names, frames.positions_m, strict=True))
    lines = [
        (places[joint.parent], places[joint.name])
        for joint in tree.joints
        if joint.parent is not None
    ]
    lines += [
        (places[end.joint], tree.pose(angles, name).position_m)
        for name, end in tree.end_points.items()
        if end.joint is not None
    ]
    root = places[tree.frame_names[0]]
    return [(root * (1.0, 0.0, 1.0), root), *lines]


def draw_body(body: Body, path: Path, poses: dict[str, dict[str, float]] | None = None) -> Path:
    """Write a PNG with one column a pose (the neutral one unless given); needs matplotlib."""
    from matplotlib.figure import Figure

    shown = poses or {"neutral": {}}
    figure = Figure(figsize=(2.6 * len(shown) + 1.2, 6.0), layout="constrained")
    grid = figure.subplots(2, len(shown), squeeze=False, sharey=True, sharex=True)
    for column, (title, values) in enumerate(shown.items()):
        lines = segments_of(body, values)
        for row, (view, across) in enumerate(_VIEWS.items()):
            axes = grid[row][column]
            for begin, end in lines:
                axes.plot(
                    [begin[across], end[across]],
                    [begin[1], end[1]],
                    color="0.25",
                    linewidth=3,
                    solid_capstyle="round",
                )
                axes.plot(end[across], end[1], ".", color="tab:red")
            axes.set_aspect("equal")
            axes.set_title(f"{title}, {view}", fontsize=8)
            axes.tick_params(labelsize=7)
            axes.grid(alpha=0.3)
    figure.suptitle(f"{body.title}: metres", fontsize=10)
    figure.savefig(path, dpi=90)
    return path


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
            only = len(children) == 1
            grow(name, indent if only else indent + ("  " if last else "│ "))

    grow("", "")
    return lines

"""Drawings of bodies: every body can be drawn, and what moves is seen to move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from sera.animation.body import load_body
from sera.animation.body.drawing import draw_body, draw_pose, tree_lines
from sera.animation.body.shapes import shapes_of

ROBOTS = Path(__file__).parents[3] / "robots"
FOLDERS = sorted(file.parent for file in ROBOTS.glob("*/body.toml"))


def drawn_on(body, own, view="front"):
    axes = Figure().subplots()
    draw_pose(axes, body, own, view=view)
    return axes


def inner_balls(shape):
    """Balls within a hull: its own, those half-way between two of them, and one in the middle."""
    points, radii = shape.points_m, shape.radii_m
    halves = 0.5 * (points[:, None] + points[None]).reshape(-1, 3)
    widths = 0.5 * (radii[:, None] + radii[None]).reshape(-1)
    return np.vstack([halves, points.mean(axis=0)]), np.append(widths, radii.mean())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
@pytest.mark.parametrize("view", ["front", "side", "corner"])
def test_a_body_is_drawn_within_the_page_from_every_side(folder, view):
    body = load_body(folder)
    axes = drawn_on(body, {}, view)
    assert len(axes.patches) == len(shapes_of(body, {}).shapes)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    for patch in axes.patches:
        corners = patch.get_xy()
        assert np.isfinite(corners).all()
        assert left <= corners[:, 0].min() <= corners[:, 0].max() <= right
        assert low <= corners[:, 1].min() <= corners[:, 1].max() <= high


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_shape_hangs_together_with_another(folder):
    shapes = [shape for shape in shapes_of(load_body(folder), {}).shapes if not shape.on_top]
    balls = [inner_balls(shape) for shape in shapes]
    for number, (points, radii) in enumerate(balls):
        gaps = [
            np.linalg.norm(points[:, None] - others[None], axis=2) - radii[:, None] - widths[None]
            for other, (others, widths) in enumerate(balls)
            if other != number
        ]
        assert min(float(gap.min()) for gap in gaps) < 0.0, number


def test_a_gaze_to_the_right_turns_the_face_to_the_left_of_the_page_seen_from_the_front():
    body = load_body(ROBOTS / "nao")
    _, ahead = shapes_of(body, {}).face
    _, right = shapes_of(body, body.resolve({"Gazing.Horizontal": 0.8})).face
    assert ahead == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert right[0] < -0.5


def test_a_light_that_shines_is_brighter_and_a_bob_goes_down():
    adelino, keepon = load_body(ROBOTS / "adelino"), load_body(ROBOTS / "keepon")
    dim = [sum(shape.colour) for shape in shapes_of(adelino, {"left_eye": 0.0}).shapes]
    bright = [sum(shape.colour) for shape in shapes_of(adelino, {"left_eye": 1.0}).shapes]
    assert sum(b > d for b, d in zip(bright, dim, strict=True)) == 1
    up, down = shapes_of(keepon, {"bop": 0.0}), shapes_of(keepon, {"bop": 1.0})
    tops = [max(float(s.points_m[:, 1].max()) for s in drawn.shapes) for drawn in (up, down)]
    assert tops[1] < tops[0] - 0.01


def test_a_body_without_shapes_is_drawn_from_its_links(tmp_path):
    text = (ROBOTS / "nao" / "body.toml").read_text(encoding="utf-8")
    (tmp_path / "body.toml").write_text(text[: text.index("[[shapes]]")], encoding="utf-8")
    assert len(drawn_on(load_body(tmp_path), {}).patches) > 10


def test_a_picture_is_written(tmp_path):
    body = load_body(ROBOTS / "keepon")
    path = draw_body(body, tmp_path / "keepon.png", {"still": {}, "bob": {"Torso.Stretch": -1.0}})
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_tree_shows_what_hangs_on_what():
    lines = tree_lines(load_body(ROBOTS / "romeo"))
    assert lines[0].startswith("└ trunk_yaw")
    assert lines[1].startswith("  ├ head_yaw")
    assert sum(line.startswith("  └ right_shoulder_1") for line in lines) == 1
    assert len(lines) == 18

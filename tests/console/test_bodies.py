"""Bodies as URDF with shapes: they move, and look, as the body's own kinematics has them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.body.shapes import shapes_of
from sera.console.bodies._description import description_of
from sera.console.bodies._hulls import urdf_axes
from sera.console.bodies._names import link_names
from sera.console.bodies._urdf import rpy_of
from sera.kinematics.rotations import rotate
from sera.kinematics.tree import Tree
from sera.kinematics.urdf import to_urdf_frame

ROBOTS = Path(__file__).parents[2] / "robots"
BODIES = sorted(folder.parent for folder in ROBOTS.glob("*/body.toml"))

ODD = """
[robot]
title = "A lab's <odd> body"
[[joints]]
name = "lift & turn"
axis = "y"
length_m = 0.2
lower_deg = -90
upper_deg = 90
[[joints]]
name = "slide"
kind = "prismatic"
axis_vector = [0.3, -0.2, 0.9]
turned_deg = [12, 90, -25]
lower_m = 0.0
upper_m = 0.08
[[joints]]
name = "tilt"
axis = "-x"
origin_m = [0.05, 0.1, 0.02]
turned_deg = [0, 0, 90]
lower_deg = -45
upper_deg = 45
[[end_points]]
name = "head"
joint = "tilt"
offset_m = [0.0, 0.1, 0.05]
"""


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "body.toml").write_text(ODD, encoding="utf-8")
    return folder


def check_motion(folder: Path) -> None:
    body = load_body(folder)
    described = description_of(body)
    names = link_names(body.tree)
    again = Tree.from_urdf(described["urdf"])
    generator = np.random.default_rng(7)
    for _ in range(20):
        own = {
            joint["name"]: generator.uniform(joint["lower"], joint["upper"])
            for joint in described["joints"]
        }
        theirs, ours = again.angles_of(own), body.tree.angles_of(own)
        pairs = {**names.of_joint, **names.of_end_point}
        for name, link in pairs.items():
            here, there = body.tree.pose(ours, name), again.pose(theirs, link)
            assert np.abs(here.position_m - there.position_m).max() < 1e-9
            turned = abs(float(here.orientation_wxyz @ there.orientation_wxyz))
            assert turned == pytest.approx(1.0, abs=1e-9)
        if described["face"] is not None:
            drawn = shapes_of(body, own)
            assert drawn.face is not None
            looks = to_urdf_frame(again.pose(theirs, described["face"]["link"]))
            direction = rotate(looks.orientation_wxyz, described["face"]["direction"])
            assert np.abs(direction - urdf_axes(drawn.face[1])).max() < 1e-9
            assert np.abs(looks.position_m - urdf_axes(drawn.face[0])).max() < 1e-9


@pytest.mark.parametrize("folder", BODIES, ids=lambda folder: folder.name)
def test_the_urdf_moves_as_the_body_does(folder: Path) -> None:
    check_motion(folder)


def test_a_laboratorys_body_with_a_slide_and_odd_names_moves_as_well(odd: Path) -> None:
    check_motion(odd)


def test_another_programs_reader_agrees(odd: Path) -> None:
    import pinocchio

    for folder in [*BODIES, odd]:
        body = load_body(folder)
        described, names = description_of(body), link_names(body.tree)
        model = pinocchio.buildModelFromXML(described["urdf"])
        data = model.createData()
        angles = {joint["name"]: 0.6 * joint["upper"] for joint in described["joints"]}
        values = np.zeros(model.nq)
        for name, value in angles.items():
            values[model.joints[model.getJointId(name)].idx_q] = value
        pinocchio.framesForwardKinematics(model, data, values)
        for end, link in names.of_end_point.items():
            ours = to_urdf_frame(body.tree.pose(body.tree.angles_of(angles), end))
            theirs = data.oMf[model.getFrameId(link)].translation
            assert np.abs(ours.position_m - theirs).max() < 1e-6


@pytest.mark.parametrize("folder", BODIES, ids=lambda folder: folder.name)
def test_shapes_ride_on_their_links_as_drawings_have_them(folder: Path) -> None:
    body = load_body(folder)
    described = description_of(body)
    again = Tree.from_urdf(described["urdf"])
    own = {joint["name"]: 0.4 * joint["upper"] for joint in described["joints"]}
    drawn = shapes_of(body, own)
    for hull, shape in zip(described["hulls"].values(), drawn.shapes, strict=True):
        carrier = to_urdf_frame(again.pose(again.angles_of(own), hull["link"]))
        points = np.array(hull["points_m"])
        if hull["slides"]:
            spec = body.own[hull["slides"]["channel"]]
            points = points + spec.neutral * np.array(hull["slides"]["by_m"])
        placed = carrier.position_m + rotate(carrier.orientation_wxyz, points)
        wanted = np.array([urdf_axes(point) for point in shape.points_m])
        assert np.abs(placed - wanted).max() < 1e-9
        assert hull["radii_m"] == pytest.approx(shape.radii_m.tolist())


def test_a_body_without_shapes_gets_some_along_its_links(odd: Path) -> None:
    described = description_of(load_body(odd))
    assert {hull["link"] for hull in described["hulls"].values()} >= {"tilt_link", "slide_link"}
    assert all(radius > 0 for hull in described["hulls"].values() for radius in hull["radii_m"])


def test_every_shape_is_in_the_urdf_once_and_only_hulls_need_the_console(odd: Path) -> None:
    for folder in [*BODIES, odd]:
        described = description_of(load_body(folder))
        root = ET.fromstring(described["urdf"])
        visuals = [each.get("name", "") for each in root.iter("visual")]
        assert sorted(name for name in visuals if "." not in name) == sorted(described["hulls"])
        for mesh in root.iter("mesh"):
            key = mesh.get("filename", "").removeprefix("hull:")
            hull = described["hulls"][key]
            assert len(hull["points_m"]) > 2 or len(set(hull["radii_m"])) == 2


def test_turns_that_look_straight_up_keep_their_roll() -> None:
    from sera.kinematics.rotations import from_rotation_vector
    from sera.kinematics.urdf import turn_of_rpy

    for vector in ([0, np.pi / 2, 0], [np.pi / 2, 0, 0], [0, 0, np.pi / 2], [1.0, 2.0, -0.5]):
        for twist in ([0, 0, 0], [0, 0, 0.7], [0.3, 0, 0], [0, 1.1, 0]):
            from sera.kinematics.rotations import multiply

            wxyz = multiply(from_rotation_vector(vector), from_rotation_vector(twist))
            assert abs(float(np.dot(turn_of_rpy(rpy_of(wxyz)), wxyz))) == pytest.approx(
                1.0, abs=1e-12
            )


def test_the_child_says_what_is_wrong_with_a_body(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "body.toml").write_text('[robot]\ntitle = "Broken"\nspeed = 3\n')
    done = subprocess.run(
        [sys.executable, "-m", "sera.console.bodies", str(broken)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    why: Any = json.loads(done.stdout)["why"]
    assert "broken" in why
    assert "line 3" in why or ":3" in why

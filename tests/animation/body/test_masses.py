"""Where the bodies' centres of mass are, for whoever must not tip over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sera.animation.body import BodyError, load_body

ROBOTS = Path(__file__).parents[3] / "robots"
SLUMPED = {
    "HeadPitch": 0.637,
    "RShoulderPitch": 0.9,
    "RShoulderRoll": -0.3,
    "RElbowYaw": 0.0,
    "RElbowRoll": 1.1,
    "RWristYaw": 1.0,
    "LShoulderPitch": 0.9,
    "LShoulderRoll": 0.3,
    "LElbowYaw": 0.0,
    "LElbowRoll": -1.1,
    "LWristYaw": -1.0,
}
TWO_PARTS = """
[robot]
title = "Two parts"
base_mass_kg = 3.0
base_centre_m = [0.0, 0.1, 0.0]

[[joints]]
name = "hinge"
axis = "x"
origin_m = [0.0, 1.0, 0.0]
lower_deg = -90.0
upper_deg = 90.0
mass_kg = 1.0
centre_m = [0.0, 0.5, 0.0]

[[joints]]
name = "light"
axis = "y"
origin_m = [0.0, 0.2, 0.0]
lower_deg = -90.0
upper_deg = 90.0
"""


@pytest.mark.parametrize(
    ("knee_rad", "hip_rad", "ahead_m"),
    [(-0.5, -0.5, 0.122), (0.5, 0.5, -0.115), (0.5, -0.5, -0.046), (-0.5, 0.5, 0.057)],
)
def test_pepper_leans_as_far_as_was_computed_for_it(
    knee_rad: float, hip_rad: float, ahead_m: float
) -> None:
    body = load_body(ROBOTS / "pepper")
    pose = dict.fromkeys(body.joints, 0.0) | SLUMPED
    pose |= {"KneePitch": knee_rad, "HipPitch": hip_rad}
    left, _, forwards = body.tree.centre_of_mass(body.tree.angles_of(pose))
    assert forwards == pytest.approx(ahead_m, abs=5e-4)
    assert left == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("robot", "mass_kg"), [("pepper", 28.68), ("nao", 5.31), ("nao_t14", 2.89), ("romeo", 40.84)]
)
def test_bodies_weigh_what_their_makers_say_and_mirror_themselves(
    robot: str, mass_kg: float
) -> None:
    body = load_body(ROBOTS / robot)
    tree = body.tree
    assert tree.mass_kg == pytest.approx(mass_kg, abs=0.01)
    assert tree.joint_names == body.joints
    neutral = tree.angles_of({name: body.own[name].neutral for name in body.joints})
    assert tree.centre_of_mass(neutral)[0] == pytest.approx(0.0, abs=1e-5)


def test_the_base_has_a_mass_and_each_joint_a_centre(tmp_path: Path) -> None:
    (tmp_path / "body.toml").write_text(TWO_PARTS, encoding="utf-8")
    tree = load_body(tmp_path).tree
    assert tree.joint_names == ("hinge", "light")
    assert tree.mass_kg == 4.0
    upright = (3.0 * 0.1 + 1.0 * 1.5) / 4.0
    assert tree.centre_of_mass([0.0, 0.0]) == pytest.approx([0.0, upright, 0.0])
    bent = tree.centre_of_mass([np.pi / 2, 0.0])
    assert bent == pytest.approx([0.0, (3.0 * 0.1 + 1.0) / 4.0, 0.5 / 4.0])


def test_a_mass_below_nought_is_told_by_line(tmp_path: Path) -> None:
    text = TWO_PARTS.replace("base_mass_kg = 3.0", "base_mass_kg = -3.0")
    (tmp_path / "body.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BodyError, match=r"body\.toml:4: robot\.base_mass_kg"):
        load_body(tmp_path)

"""Robots made from URDF text, and gazes led by the engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sera.animation.body import Body, load_body
from sera.animation.controllers import Gaze
from sera.animation.engine import Engine, Layer
from sera.kinematics.rotations import rotate
from sera.runtime.scaffold import new_robot

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Look:
    """What came of a gaze order."""

    missed_deg: float
    frames: FloatArray
    """(frames, own channels)."""


def row_of(*joints: tuple[str, str, str], tip_xyz: str = "0 0 0.1", limit: float = 2.8) -> str:
    """A URDF of joints in a row: axis, xyz and rpy of each."""
    parts = ['<robot name="row"><link name="base"/>']
    for number, (axis, xyz, rpy) in enumerate(joints, start=1):
        parent = "base" if number == 1 else f"link_{number - 1}"
        parts.append(
            f'<link name="link_{number}"/><joint name="joint_{number}" type="revolute">'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><parent link="{parent}"/>'
            f'<child link="link_{number}"/><axis xyz="{axis}"/>'
            f'<limit lower="{-limit}" upper="{limit}" velocity="2.5" effort="1"/></joint>'
        )
    parts.append(
        f'<link name="tool"/><joint name="flange" type="fixed"><origin xyz="{tip_xyz}"/>'
        f'<parent link="link_{len(joints)}"/><child link="tool"/></joint></robot>'
    )
    return "".join(parts)


@pytest.fixture
def make_robot(tmp_path: Path) -> Callable[[str], Body]:
    """The body that `sera new robot --urdf` makes of a text."""
    made: list[Path] = []

    def make(text: str) -> Body:
        name = f"robot_{len(made)}"
        urdf = tmp_path / f"{name}_original.urdf"
        urdf.write_text(text, encoding="utf-8")
        made.append(new_robot(tmp_path, name, urdf).path)
        return load_body(made[-1])

    return make


def face_direction(body: Body, frame: FloatArray) -> FloatArray:
    """Where the link `face` of the URDF looks in a frame."""
    own = dict(zip(body.own, frame.tolist(), strict=True))
    angles = body.tree.angles_of({name: own[name] for name in body.joints})
    return rotate(body.tree.pose(angles, "face").orientation_wxyz, (0.0, 0.0, 1.0))


@pytest.fixture
def lead_gaze() -> Callable[[Body, float, float], Look]:
    """Lead the gaze of a body from straight ahead to a direction in degrees, for three seconds."""

    def lead(body: Body, horizontal_deg: float, vertical_deg: float) -> Look:
        gaze = Gaze()
        engine = Engine(body, [Layer("gaze", [gaze])])
        gaze.look(0.0, 0.0)
        frames = [engine.step().copy() for _ in range(10)]
        across, up = math.radians(horizontal_deg), math.radians(vertical_deg)
        gaze.look(across, up)
        frames += [engine.step().copy() for _ in range(150)]
        level = math.cos(up)
        asked = (-math.sin(across) * level, math.sin(up), math.cos(across) * level)
        cosine = float(face_direction(body, frames[-1]) @ asked)
        return Look(math.degrees(math.acos(min(1.0, cosine))), np.array(frames))

    return lead


@pytest.fixture
def six_axis_arm() -> str:
    """An industrial arm that stands upright at zero: a yaw, three bends, two rolls."""
    return row_of(
        ("0 0 1", "0 0 0.3", "0 0 0"),
        ("0 1 0", "0.05 0 0.1", "0 0 0"),
        ("0 1 0", "0 0 0.4", "0 0 0"),
        ("0 0 1", "0 0 0.1", "0 0 0"),
        ("0 1 0", "0 0 0.35", "0 0 0"),
        ("0 0 1", "0 0 0.08", "0 0 0"),
    )


@pytest.fixture
def seven_axis_arm() -> str:
    """Rolls and bends by turns, with frames that are turned from joint to joint."""
    quarter = "1.5707963267948966"
    return row_of(
        ("0 0 1", "0 0 0.33", "0 0 0"),
        ("0 0 1", "0 0 0", f"-{quarter} 0 0"),
        ("0 0 1", "0 -0.32 0", f"{quarter} 0 0"),
        ("0 0 1", "0.08 0 0", f"{quarter} 0 0"),
        ("0 0 1", "-0.08 0.38 0", f"-{quarter} 0 0"),
        ("0 0 1", "0 0 0", f"{quarter} 0 0"),
        ("0 0 1", "0.09 0 0", f"{quarter} 0 0"),
    )


def _limb(side: str, sign: int) -> str:
    joints = [
        ("shoulder_pitch", "0 1 0", f"0 {sign * 0.1} 0.3", -2.0, 2.0),
        ("shoulder_roll", "0 0 1", "0 0 0", *((-0.3, 1.4) if sign > 0 else (-1.4, 0.3))),
        ("elbow_yaw", "1 0 0", "0.1 0 0", -2.0, 2.0),
        ("elbow_roll", "0 0 1", "0.02 0 0", *((-1.5, -0.05) if sign > 0 else (0.05, 1.5))),
        ("wrist_yaw", "1 0 0", "0.1 0 0", -1.8, 1.8),
    ]
    text, parent = "", "chest"
    for name, axis, xyz, lower, upper in joints:
        link = f"{side}_{name}_link"
        text += (
            f'<link name="{link}"/><joint name="{side}_{name}" type="revolute">'
            f'<origin xyz="{xyz}"/><parent link="{parent}"/><child link="{link}"/>'
            f'<axis xyz="{axis}"/>'
            f'<limit lower="{lower}" upper="{upper}" velocity="4" effort="1"/></joint>'
        )
        parent = link
    for number, way in enumerate((1, -1)):
        text += (
            f'<link name="{side}_finger_{number}_link"/>'
            f'<joint name="{side}_finger_{number}" type="prismatic"><origin xyz="0.05 0 0"/>'
            f'<parent link="{parent}"/><child link="{side}_finger_{number}_link"/>'
            f'<axis xyz="0 {way} 0"/><limit lower="0" upper="0.04" velocity="0.1" effort="1"/>'
            "</joint>"
        )
    return text


@pytest.fixture
def humanoid() -> str:
    """A head on a trunk that leans and turns, and two arms that point forwards at zero."""
    row = [
        ("waist_yaw", "torso", "base", "0 0 1", "0 0 0.5", -1.0, 1.0),
        ("waist_pitch", "chest", "torso", "0 1 0", "0 0 0.1", -0.5, 0.8),
        ("neck_yaw", "neck", "chest", "0 0 1", "0 0 0.4", -1.5, 1.5),
        ("neck_pitch", "head", "neck", "0 1 0", "0 0 0.05", -0.6, 0.5),
        ("left_eyelid", "left_lid", "head", "0 1 0", "0.05 0.03 0.1", 0.0, 0.7),
        ("right_eyelid", "right_lid", "head", "0 1 0", "0.05 -0.03 0.1", 0.0, 0.7),
        ("jaw", "chin", "head", "0 1 0", "0.05 0 0.02", 0.0, 0.4),
    ]
    text = '<robot name="Two arms"><link name="base"/>'
    for name, link, parent, axis, xyz, lower, upper in row:
        text += (
            f'<link name="{link}"/><joint name="{name}" type="revolute"><origin xyz="{xyz}"/>'
            f'<parent link="{parent}"/><child link="{link}"/><axis xyz="{axis}"/>'
            f'<limit lower="{lower}" upper="{upper}" velocity="3" effort="1"/></joint>'
        )
    return f"{text}{_limb('left', 1)}{_limb('right', -1)}</robot>"

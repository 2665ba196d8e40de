"""Chains of bodies with a URDF: as fast as the joints that turn for them, and no slower."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sera.animation.body import Body, load_body
from sera.animation.body._urdf_rows import joints_in_urdf, names_in_urdf

JOINT = (
    '<joint name="{0}" type="{3}"><parent link="{1}"/><child link="{2}"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" velocity="1"/></joint>'
)
URDF = (
    '<robot name="r"><!-- <joint name="ghost"><parent link="x"/><child link="head"/></joint> -->'
    + "".join(f'<link name="{n}"/>' for n in ("base", "chest", "neck", "head", "hand", "tip"))
    + JOINT.format("lift", "base", "chest", "prismatic")
    + JOINT.format("waist", "chest", "neck", "revolute")
    + JOINT.format("nod", "neck", "head", "revolute")
    + JOINT.format("slow &amp; long", "chest", "hand", "revolute")
    + JOINT.format("finger", "hand", "tip", "prismatic")
    + "</robot>"
)
BODY = """
[robot]
title = "R"
urdf = "r.urdf"
"""
SPEEDS = {"waist": "40", "nod": "120", "slow & long": "5"}


def _body(folder: Path, chain: str) -> Body:
    text = BODY
    for name, speed in SPEEDS.items():
        text += f'[[joints]]\nname = "{name}"\nlower_deg = -50\nupper_deg = 50\n'
        text += f"max_velocity_deg_s = {speed}\n"
    for name in ("lift", "finger"):
        text += f'[[joints]]\nname = "{name}"\nkind = "prismatic"\nlower_m = -1\nupper_m = 1\n'
        text += "max_velocity_m_s = 0.01\n"
    (folder / "body.toml").write_text(text + f"[[ik]]\n{chain}\n", encoding="utf-8")
    (folder / "r.urdf").write_text(URDF, encoding="utf-8")
    return load_body(folder)


@pytest.mark.parametrize(
    ("chain", "fastest_deg_s"),
    [
        ('end_point = "head"', 40.0),
        ('end_point = "head"\nbegins = "nod"', 120.0),
        ('end_point = "hand"', 5.0),
        ('end_point = "nod"', 40.0),
    ],
)
def test_a_gaze_is_as_fast_as_the_slowest_joint_that_turns_for_it(
    tmp_path: Path, chain: str, fastest_deg_s: float
) -> None:
    body = _body(tmp_path, chain)
    for name in ("Gazing.Horizontal", "Gazing.Vertical"):
        assert math.degrees(body.generic[name].max_velocity) == pytest.approx(fastest_deg_s)


def test_rows_go_from_the_base_to_a_link_or_a_joint(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(URDF, encoding="utf-8")
    assert joints_in_urdf(file, "head") == ["lift", "waist", "nod"]
    assert joints_in_urdf(file, "nod") == ["lift", "waist", "nod"]
    assert joints_in_urdf(file, "tip") == ["lift", "slow & long", "finger"]
    assert joints_in_urdf(file, "base") == []
    assert joints_in_urdf(tmp_path / "gone.urdf", "head") == []
    assert "ghost" not in names_in_urdf(file)
    assert {"base", "tip", "slow & long"} <= set(names_in_urdf(file))


def test_a_urdf_that_goes_round_ends_somewhere(tmp_path: Path) -> None:
    file = tmp_path / "loop.urdf"
    loop = JOINT.format("one", "a", "b", "revolute") + JOINT.format("two", "b", "a", "revolute")
    file.write_text(f'<robot name="loop">{loop}</robot>', encoding="utf-8")
    assert set(joints_in_urdf(file, "a")) == {"one", "two"}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=60), place=st.integers(0, len(URDF)))
def test_a_stained_urdf_gives_names_or_none(tmp_path: Path, text: str, place: int) -> None:
    file = tmp_path / "stained.urdf"
    stained = URDF[:place] + text + URDF[place + 5 :]
    file.write_bytes(stained.encode("utf-8", "surrogatepass"))
    assert all(name for name in joints_in_urdf(file, "head"))

"""A gaze that may roll reaches what an upright one does not, and is proposed only then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.animation.body import Body, BodyError, load_body
from sera.runtime.scaffold import new_robot
from tests.helpers import some_of

MakeRobot = Callable[[str], Body]
LeadGaze = Callable[[Body, float, float], Any]

JOINT = (
    '<link name="{child}"/><joint name="{name}" type="revolute"><origin xyz="0.1 0 0.1"/>'
    '<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
    '<limit lower="-2.8" upper="2.8" velocity="2.5" effort="1"/></joint>'
)
# What rolls and then pitches looks to the side by rolling first, which no upright head can do.
ROLLS = (
    '<robot name="rolls"><link name="a"/>'
    + JOINT.format(name="roll", parent="a", child="b", axis="1 0 0")
    + JOINT.format(name="pitch", parent="b", child="c", axis="0 1 0")
    + '<link name="tip"/><joint name="end" type="fixed"><origin xyz="0.1 0 0"/>'
    '<parent link="c"/><child link="tip"/></joint></robot>'
)


def _upright(body: Body, folder: Path) -> Body:
    """The same body with its head kept upright."""
    text = (body.folder / "body.toml").read_text(encoding="utf-8")
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("upright"))
    folder.mkdir()
    (folder / "body.toml").write_text(kept + "\n", encoding="utf-8")
    urdf = next(body.folder.glob("*.urdf"))
    (folder / urdf.name).write_bytes(urdf.read_bytes())
    return load_body(folder)


def test_a_chain_that_rolls_and_pitches_is_proposed_with_a_free_roll_and_says_so(
    tmp_path: Path, make_robot: MakeRobot
) -> None:
    body = make_robot(ROLLS)
    (chain,) = body.chains
    assert not chain.upright
    readme = (body.folder / "README.md").read_text(encoding="utf-8")
    assert "- the face rolls while it looks about" in readme
    assert "no joint turns the gaze" not in readme
    assert _upright(body, tmp_path / "upright").chains[0].upright


@pytest.mark.parametrize(
    ("horizontal_deg", "vertical_deg"), some_of([(30.0, 15.0), (-30.0, -15.0)])
)
def test_a_free_roll_meets_what_an_upright_head_misses(
    horizontal_deg: float,
    vertical_deg: float,
    tmp_path: Path,
    make_robot: MakeRobot,
    lead_gaze: LeadGaze,
) -> None:
    body = make_robot(ROLLS)
    assert lead_gaze(body, horizontal_deg, vertical_deg).missed_deg < 2.0
    upright = _upright(body, tmp_path / "upright")
    assert lead_gaze(upright, horizontal_deg, vertical_deg).missed_deg > 8.0


def test_heads_and_arms_that_reach_everything_stay_upright(
    six_axis_arm: str, humanoid: str, make_robot: MakeRobot
) -> None:
    assert make_robot(six_axis_arm).chains[0].upright
    assert make_robot(humanoid).chains[0].upright


def test_the_key_takes_true_and_false_only(tmp_path: Path) -> None:
    folder = new_robot(tmp_path, "head").path
    file = folder / "body.toml"
    text = file.read_text(encoding="utf-8")
    assert load_body(folder).chains[0].upright
    file.write_text(text.replace('face = "z"', 'face = "z"\nupright = false'), encoding="utf-8")
    assert not load_body(folder).chains[0].upright
    file.write_text(text.replace('face = "z"', 'face = "z"\nupright = "no way"'), encoding="utf-8")
    with pytest.raises(BodyError, match="upright"):
        load_body(folder)

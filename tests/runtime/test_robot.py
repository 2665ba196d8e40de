"""Robot cards: what a body file says, and what is said about a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.runtime.robot import RobotError, load_robot

REPOSITORY = Path(__file__).parents[2]


def body(tmp_path: Path, text: str, name: str = "mine") -> Path:
    folder = tmp_path / "robots" / name
    folder.mkdir(parents=True)
    (folder / "body.toml").write_text(text, encoding="utf-8")
    return folder


def test_adelino_is_five_servos_of_90_degrees_to_each_side_with_a_symmetric_head() -> None:
    card = load_robot(REPOSITORY / "robots" / "adelino")
    assert (card.name, card.title, card.symmetric_head) == ("adelino", "Adelino", True)
    assert [joint.axis for joint in card.joints] == ["y", "x", "x", "z", "y"]
    assert [joint.length_m for joint in card.joints] == [0.10, 0.30, 0.30, 0.0, 0.40]
    assert [joint.limits for joint in card.joints] == [(-90.0, 90.0)] * 5
    assert [light.name for light in card.lights] == ["left_eye", "right_eye"]
    assert len(set(card.joint_names)) == 5


def test_further_tables_and_keys_pass(tmp_path: Path) -> None:
    text = """
        [robot]
        title = "Mine"
        [[joints]]
        name = "pan"
        lower_deg = -30
        upper_deg = 60
        max_jerk_deg_s3 = 50000
        [capsules.head]
        radius_m = 0.1
    """
    card = load_robot(body(tmp_path, text))
    assert card.joint("pan").limits == (-30.0, 60.0)
    with pytest.raises(LookupError, match="no joint 'pam'; did you mean 'pan'"):
        card.joint("pam")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [":1: robot: this table is missing (add [robot])"]),
        ("[robot]\n", [":1: robot.title: this key is missing"]),
        (
            '[robot]\ntitle = "x"\n[[joints]]\nname = "a"\nlower_deg = -90\n',
            [":3: joints[0]: a revolute joint needs lower_deg and upper_deg"],
        ),
        (
            '[robot]\ntitle = "x"\n[[joints]]\nname = "a"\nlower_deg = 9\nupper_deg = 1\n',
            [":3: joints[0]: lower_deg = 9 must be below upper_deg = 1"],
        ),
        (
            (
                '[robot]\ntitle = "x"\n[[joints]]\nname = "a"\nlower_m = 1\nupper_m = 2\n'
                'kind = "prismatic"\n'
            ),
            [":3: joints[0]: neutral_m = 0 lies outside the limits 1 to 2"],
        ),
        (
            (
                '[robot]\ntitle = "x"\nurdf = "gone.urdf"\n'
                '[[lights]]\nname = "a"\n[[lights]]\nname = "a"\n'
            ),
            [
                ":7: lights[1].name: the name 'a' is taken by the one on line 5",
                ":3: robot.urdf: there is no file gone.urdf",
            ],
        ),
        (
            '[robot]\ntitle = "x"\n[[joints]]\nname = "a"\nkind = "continuous"\naxis = "w"\n',
            [":6: joints[0].axis: must be 'x', 'y', 'z', '-x', '-y' or '-z', not 'w'"],
        ),
        ("[robot\n", [":1:7: not valid TOML"]),
    ],
)
def test_a_wrong_body_file_is_refused_by_line(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    with pytest.raises(RobotError) as caught:
        load_robot(body(tmp_path, text))
    assert len(caught.value.problems) == len(expected)
    for problem, words in zip(caught.value.problems, expected, strict=True):
        assert f"body.toml{words}" in str(problem)


def test_a_joint_that_turns_without_end_needs_no_limits(tmp_path: Path) -> None:
    text = '[robot]\ntitle = "x"\n[[joints]]\nname = "wheel"\nkind = "continuous"\n'
    assert load_robot(body(tmp_path, text)).joint("wheel").limits is None

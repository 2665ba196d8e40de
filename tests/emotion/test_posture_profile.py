from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.emotion import PAD, Features, PostureProfile, ProfileError, load_profile
from sera.emotion.posture_profile import Anchor
from tests.emotion.conftest import ROBOTS, body_of

LINES = ("adelino", "emys", "keepon")
AXIS = st.floats(min_value=-1.0, max_value=1.0)
POINTS = st.builds(PAD, AXIS, AXIS, AXIS)
THREE = PostureProfile(
    "line",
    (
        Anchor(PAD(0, 0, 0), "neutral"),
        Anchor(PAD(0.8, 0.5, 0.4), "hot"),
        Anchor(PAD(-0.6, -0.3, -0.3), "sad"),
        Anchor(PAD(0.4, 0.7, -0.1), "hot"),
    ),
)
SMALL = """
kind = "posture"

[[anchors]]
emotion = "happiness"
posture = "hot"

[[anchors]]
pad = [-0.6, -0.3, -0.3]
posture = "sad"
"""


def posture_profile(robot: str) -> PostureProfile:
    profile = load_profile(ROBOTS / robot, body_of(robot))
    assert isinstance(profile, PostureProfile)
    return profile


@pytest.mark.parametrize("robot", LINES)
def test_bodies_like_a_line_choose_postures_that_differ(robot: str) -> None:
    profile = posture_profile(robot)
    chosen = {name: profile.posture(PAD.named(name)) for name in ("happiness", "sadness", "fear")}
    assert chosen == {"happiness": "hot", "sadness": "sad", "fear": "afraid"}
    assert profile.posture(PAD.neutral()) == "neutral"


@pytest.mark.parametrize("robot", LINES)
def test_jerky_emotions_move_roughly_and_lively_ones_fast(robot: str) -> None:
    profile = posture_profile(robot)
    usual = profile.manner(Features())
    fear, sadness = (profile.manner(PAD.named(name).features()) for name in ("fear", "sadness"))
    calm = profile.manner(PAD.named("calm").features())
    assert fear.smoothness < usual.smoothness < calm.smoothness
    assert fear.overshoot_rad > usual.overshoot_rad > calm.overshoot_rad
    assert fear.speed_share > usual.speed_share > sadness.speed_share
    assert fear.breaths_per_minute > usual.breaths_per_minute > sadness.breaths_per_minute
    assert fear.drift_size > usual.drift_size > sadness.drift_size
    assert fear.responsiveness > sadness.responsiveness


def test_a_manner_is_the_motion_filters_character() -> None:
    manner = THREE.manner(Features(1.0, 0.0, 0.5))
    character = manner.character()
    assert character.smoothness == manner.smoothness == 0.3
    assert character.responsiveness == manner.responsiveness == 0.1
    assert character.overshoot == manner.overshoot_rad
    character.arrays(5)  # the filter's own check of its values


@given(POINTS)
def test_weights_sum_to_one_and_none_is_negative(pad: PAD) -> None:
    weights = THREE.weights(pad)
    assert list(weights) == ["neutral", "hot", "sad"]
    assert math.fsum(weights.values()) == pytest.approx(1.0)
    assert all(weight >= 0.0 for weight in weights.values())


@given(POINTS, AXIS, AXIS, AXIS)
def test_near_points_have_near_weights(pad: PAD, a: float, b: float, c: float) -> None:
    step = 1e-5
    near = PAD(pad.pleasure + step * a, pad.arousal + step * b, pad.dominance + step * c)
    before, after = THREE.weights(pad), THREE.weights(near)
    assert all(after[name] == pytest.approx(before[name], abs=1e-3) for name in before)


def test_at_an_anchor_its_posture_stands_alone() -> None:
    for anchor in THREE.anchors:
        assert THREE.weights(anchor.pad)[anchor.posture] == 1.0
        nearly = anchor.pad.blend(PAD(1, 1, 1), 1e-7)
        assert THREE.weights(nearly)[anchor.posture] == pytest.approx(1.0, abs=1e-6)


def test_a_weight_makes_an_anchor_reach_further() -> None:
    point = PAD(0.1, 0.05, 0.05)
    heavy = PostureProfile("line", (THREE.anchors[0], Anchor(THREE.anchors[1].pad, "hot", 5.0)))
    light = PostureProfile("line", THREE.anchors[:2])
    assert heavy.weights(point)["hot"] > 2.0 * light.weights(point)["hot"]


@given(st.floats(0.0, 1.0))
def test_knees_pass_through_their_three_values(share: float) -> None:
    manner = THREE.manner(Features(share, share, 0.5))
    assert 0.3 <= manner.smoothness <= 1.0
    assert THREE.manner(Features(0.0, 0.0, 0.5)).speed_share == 0.45
    assert THREE.manner(Features(0.5, 0.5, 0.5)).speed_share == 0.8
    assert THREE.manner(Features(1.0, 1.0, 0.5)).speed_share == 1.0


def loaded(folder: Path, text: str) -> PostureProfile:
    (folder / "emotion.toml").write_text(text, encoding="utf-8")
    profile = load_profile(folder, body_of("adelino"))
    assert isinstance(profile, PostureProfile)
    return profile


def test_a_file_without_tables_of_manners_has_the_usual_ones(tmp_path: Path) -> None:
    profile = loaded(tmp_path, SMALL)
    assert profile.knees.smoothness == (1.0, 0.95, 0.3)
    assert profile.knees.overshoot_rad[2] == pytest.approx(math.radians(6.0))
    assert profile.anchors[1].pad == PAD(-0.6, -0.3, -0.3)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('posture = "hot"', 'posture = "hott"', "no posture 'hott'; did you mean 'hot'?"),
        ('"happiness"', '"hapiness"', "no emotion 'hapiness'; did you mean 'happiness'?"),
        ('emotion = "happiness"', "", "give one of pad and emotion"),
        ("[-0.6, -0.3, -0.3]", "[-1.6, -0.3, -0.3]", "anchors[1].pad"),
        ("pad = [-0.6, -0.3, -0.3]", 'emotion = "joy"', "another anchor has this place already"),
    ],
)
def test_mistakes_are_told_with_what_was_meant(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        loaded(tmp_path, SMALL.replace(old, new, 1))
    assert said in str(caught.value)


def test_a_knee_beyond_its_range_is_refused(tmp_path: Path) -> None:
    for wrong in ("[character]\nspeed = [0.5, 1.0, 1.5]", "[idle]\ndrift_size = [0, 1, 9]"):
        with pytest.raises(ProfileError, match="takes three numbers"):
            loaded(tmp_path, f"{SMALL}\n{wrong}\n")

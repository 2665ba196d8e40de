"""The bodies of the project: rest, symmetry, and the figures that their documents give."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.runtime.robot import load_robot

ROBOTS = Path(__file__).parents[3] / "robots"
NAMES = ("adelino", "emys", "keepon", "nao", "nao_t14", "pepper", "romeo", "mybot_ksr")
WITH_ARMS = ("nao", "nao_t14", "pepper", "romeo", "mybot_ksr")
ARM_CHANNELS = ("Raise", "Out", "Turn", "Bend", "Wrist")


def hand(body, own, side):
    angles = body.tree.angles_of({name: own[name] for name in body.joints})
    return body.tree.pose(angles, f"{side}_hand").position_m


def test_all_bodies_are_there():
    assert {file.parent.name for file in ROBOTS.glob("*/body.toml")} >= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_body_rests_within_its_limits(name):
    body = load_body(ROBOTS / name)
    for own_name, value in body.rest.items():
        assert body.own[own_name].lower <= value <= body.own[own_name].upper


@pytest.mark.parametrize("name", WITH_ARMS)
def test_limits_and_speeds_of_left_and_right_are_the_same(name):
    body = load_body(ROBOTS / name)
    for channel in ARM_CHANNELS:
        left = body.generic[f"Arms.Left{channel}"]
        right = body.generic[f"Arms.Right{channel}"]
        assert (left.lower, left.upper) == pytest.approx((right.lower, right.upper))
        assert left.max_velocity == pytest.approx(right.max_velocity)


@pytest.mark.parametrize("name", WITH_ARMS)
@pytest.mark.parametrize("share", [-1.0, -0.4, 0.0, 0.3, 1.0])
def test_what_the_left_arm_does_the_right_arm_mirrors(name, share):
    body = load_body(ROBOTS / name)
    values = {}
    for side in ("Left", "Right"):
        for place, channel in enumerate(ARM_CHANNELS):
            spec = body.generic[f"Arms.{side}{channel}"]
            end = spec.upper if share * (-1) ** place > 0 else spec.lower
            values[spec.name] = abs(share) * end
    own = body.resolve(values)
    left, right = hand(body, own, "left"), hand(body, own, "right")
    assert left == pytest.approx(right * (-1.0, 1.0, 1.0), abs=1e-4)


@pytest.mark.parametrize("name", WITH_ARMS)
def test_an_arm_that_is_raised_goes_forwards_and_one_that_opens_goes_outwards(name):
    body = load_body(ROBOTS / name)
    still = hand(body, body.resolve({}), "left")
    raised = hand(body, body.resolve({"Arms.LeftRaise": 1.2}), "left")
    opened = hand(body, body.resolve({"Arms.LeftOut": 0.8}), "left")
    reach_m = np.linalg.norm(still - hand(body, body.resolve({}), "right"))
    assert raised[2] > still[2] + 0.2 * reach_m
    assert raised[1] > still[1] + 0.2 * reach_m
    assert opened[0] > still[0] + 0.2 * reach_m
    assert still[0] > 0.0


@pytest.mark.parametrize("name", WITH_ARMS)
def test_a_humanoid_gazes_and_points_with_both_arms(name):
    body = load_body(ROBOTS / name)
    assert {chain.name: chain.aims for chain in body.chains} == {
        "gaze": "Gazing",
        "left_point": "Arms.LeftPoint",
        "right_point": "Arms.RightPoint",
    }


def test_romeo_has_the_published_lengths_and_places():
    body = load_body(ROBOTS / "romeo")
    zero = body.tree.angles_of(dict.fromkeys(body.joints, 0.0))
    assert body.tree.pose(zero, "head").position_m == pytest.approx([0.0, 0.698, 0.0])
    right = body.tree.pose(zero, "right_hand").position_m
    assert right == pytest.approx([-0.6476, 0.3182, 0.2128], abs=2e-4)
    shoulder = body.tree.forward(zero).positions_m[body.tree.frame_names.index("right_shoulder_1")]
    assert math.dist(shoulder, right) == pytest.approx(0.515)
    assert math.degrees(body.own["right_shoulder_1"].lower) == pytest.approx(-127.0)
    assert math.degrees(body.own["left_shoulder_1"].upper) == pytest.approx(127.0)
    assert body.own["left_wrist_1"].max_velocity == pytest.approx(1.1, abs=1e-3)


def test_an_arm_of_mybot_hangs_at_the_published_length():
    body = load_body(ROBOTS / "mybot_ksr")
    zero = body.tree.angles_of(dict.fromkeys(body.joints, 0.0))
    for side in ("left", "right"):
        place = body.tree.frame_names.index(f"{side}_1")
        shoulder = body.tree.forward(zero).positions_m[place]
        way = body.tree.pose(zero, f"{side}_hand").position_m - shoulder
        assert way == pytest.approx([0.0, -0.4485, 0.0])
        assert body.tree.chain(f"{side}_hand").dof == 7


@pytest.mark.parametrize("name", NAMES)
def test_the_eyes_are_where_the_gaze_comes_from(name: str) -> None:
    body, card = load_body(ROBOTS / name), load_robot(ROBOTS / name)
    gazes = [chain.end_point for chain in body.chains if chain.aims == "Gazing"]
    end_point = gazes[0] if gazes else next(iter(body.tree.end_points))
    angles = [body.own[joint].neutral for joint in body.tree.joint_names]
    place_m = body.tree.pose(angles, end_point).position_m
    assert card.eyes_m == pytest.approx(place_m.tolist(), abs=1e-3)

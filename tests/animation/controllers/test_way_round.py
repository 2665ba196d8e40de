"""Which way round a gaze goes to what is behind the body."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.controllers._way_round import LOYAL_RAD, counted_on, goes_round
from sera.animation.stage_set import StageSet
from sera.messages import Direction, Gaze, SetLayer

ROOT = Path(__file__).parents[3]


class Looker:
    """A robot at its program, without idle life, that is told where to look."""

    def __init__(self, robot):
        self.animator = Animator(StageSet.find(ROOT / "robots" / robot, (ROOT,)).program())
        self.animator.handle(SetLayer(layer="life", active=False, fade_s=0.0))

    def look(self, horizontal_deg, seconds, speed=1.0):
        """Own channels, frame by frame."""
        way = math.degrees(math.remainder(math.radians(horizontal_deg), math.tau))
        self.animator.handle(
            Gaze(direction=Direction(horizontal_deg=way, vertical_deg=0.0), speed=speed)
        )
        return [self.animator.step() for _ in range(round(50 * seconds))]


def test_only_a_body_that_looks_the_same_upside_down_goes_all_around():
    bodies = {
        robot: goes_round(StageSet.find(ROOT / "robots" / robot, (ROOT,)).body)
        for robot in ("adelino", "nao", "pepper", "romeo", "keepon")
    }
    assert bodies == {
        "adelino": True, "nao": False, "pepper": False, "romeo": False, "keepon": False,
    }  # fmt: skip


def test_angles_are_counted_on_and_a_neck_goes_over_beyond_its_loyalty():
    near = math.pi + 0.5 * LOYAL_RAD
    assert counted_on(-3.0, 3.0, round_it=True) == pytest.approx(math.tau - 3.0)
    assert counted_on(near, 3.0, round_it=False) == pytest.approx(near)
    beyond = math.pi + 1.1 * LOYAL_RAD
    assert counted_on(beyond, 3.0, round_it=False) == pytest.approx(beyond - math.tau)


def test_a_target_right_behind_a_neck_does_not_swing_it_to_and_fro():
    one = Looker("nao")
    one.look(150.0, 3.0)
    frames = [
        row["HeadYaw"]
        for step in range(40)
        for row in one.look(180.0 + 12.0 * math.sin(step / 2.0), 0.1)
    ]
    assert np.ptp(frames) < math.radians(5.0)


@pytest.mark.parametrize("robot", ["nao", "pepper"])
def test_a_neck_goes_over_to_its_other_end_through_the_front_at_the_pace_of_a_gaze(robot):
    one = Looker(robot)
    one.look(170.0, 4.0)
    frames = np.array([row["HeadYaw"] for row in one.look(-150.0, 6.0)])
    assert frames[0] * frames[-1] < 0.0
    assert abs(frames[-1]) > math.radians(110.0)
    assert np.abs(np.diff(frames)).max() * 50.0 < 5.0


def test_adelino_turns_over_and_says_why_when_a_target_passes_behind_it():
    one = Looker("adelino")
    one.look(120.0, 4.0)
    for horizontal in np.linspace(120.0, 240.0, 30):
        frames = one.look(horizontal, 0.1, speed=8.0)
    assert one.animator.branch_changes == 1
    assert "at the end" in one.animator.branch_change
    frames += one.look(240.0, 4.0)
    chain = one.animator.engine.stages[0]._chains[0]
    looks = chain.aiming.looks_at(frames[-1])
    assert np.degrees(looks) == pytest.approx([-120.0, 0.0], abs=1.0)

"""Targets that pass behind a robot: one change of branch, said why, the face kept if it can be."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.engine import Aiming
from sera.animation.engine._turns import between, towards
from tests.helpers import some_of

ROBOTS = Path(__file__).parents[3] / "robots"
DT_S = 0.02
CASES = [(height, speed) for height in (-20.0, 0.0, 20.0, 50.0) for speed in (15.0, 40.0, 90.0)]


class Head:
    """A face that follows directions, frame by frame."""

    def __init__(self, robot):
        body = load_body(ROBOTS / robot)
        chain = next(each for each in body.chains if each.aims == "Gazing")
        self.aiming = Aiming(body, chain)
        self.posture = [body.own[name].neutral for name in self.aiming.joints]
        self.poses, self.faces, self.off_deg = [], [], []

    def follow(self, horizontals_deg, vertical_deg):
        aiming, vertical = self.aiming, math.radians(vertical_deg)
        for horizontal in np.radians(np.asarray(horizontals_deg, dtype=float)).tolist():
            self.solved = aiming.solve(self.posture, math.remainder(horizontal, math.tau), vertical)
            self.poses.append(aiming.go(self.solved, DT_S))
            looks = aiming.looks_at(dict(zip(aiming.joints, self.poses[-1], strict=True)))
            self.faces.append(towards(*looks))
            off = between(self.faces[-1], towards(horizontal, vertical))
            self.off_deg.append(math.degrees(off))


def across(first_deg, last_deg, speed_deg_s):
    return np.linspace(first_deg, last_deg, round(abs(last_deg - first_deg) / speed_deg_s / DT_S))


@pytest.mark.parametrize(("height", "speed"), some_of(CASES, 5))
def test_adelino_turns_over_while_a_target_passes_behind_it_and_comes_back(height, speed):
    head = Head("adelino")
    head.follow(across(0.0, 120.0, 40.0), height)
    for ends in ((120.0, 240.0), (240.0, 120.0)):
        head.follow(across(*ends, speed), height)
        head.follow([ends[1]] * 350, height)
        assert head.poses[-1] == head.solved, "it arrives exactly"
        assert head.off_deg[-1] < 0.5
        # Looking down behind itself it lifts its face once; straight through were 120 degrees.
        most = 65.0 if height < 0.0 else 40.0
        assert speed > 15.0 or max(head.off_deg) < most
    moved = np.abs(np.diff(head.poses, axis=0)).max()
    assert moved <= math.radians(90.0 + 2.0 * speed) * DT_S
    assert head.aiming.switches <= 2
    assert head.aiming.last_switch is None or "at the end" in head.aiming.last_switch


@pytest.mark.parametrize("robot", ["nao", "mybot_ksr"])
def test_a_neck_at_its_end_goes_the_other_way_round_once_and_not_too_fast(robot):
    head = Head(robot)
    head.follow(across(0.0, 180.0, 60.0), 10.0)
    assert head.aiming.switches == 0
    head.follow([*across(180.0, 210.0, 30.0), *[210.0] * 300], 10.0)
    assert head.aiming.switches == 1
    assert head.poses[-1] == head.solved
    assert head.solved[0] * head.poses[100][0] < 0.0
    fastest = max(between(before, after) for before, after in pairwise(head.faces)) / DT_S
    assert 1.0 < fastest <= 2.0 * math.sqrt(2.0)


@pytest.mark.parametrize("robot", ["adelino", "nao", "romeo", "pepper"])
def test_a_target_that_sways_behind_a_robot_does_not_swing_it_to_and_fro(robot):
    head = Head(robot)
    head.follow(across(0.0, 180.0, 60.0), 10.0)
    before = head.aiming.switches
    head.follow(180.0 + 10.0 * np.sin(np.arange(600) / 11.0), 10.0)
    assert head.aiming.switches - before <= 1


def test_a_direction_that_has_jumped_is_left_to_the_motion_filter():
    head = Head("adelino")
    head.follow([0.0, 0.0, 175.0], 0.0)
    assert head.poses[-1] == head.solved
    assert not head.aiming.turns_over

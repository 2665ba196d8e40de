"""Which way round a gaze goes to what is behind the body."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.controllers._way_round import goes_round
from sera.animation.stage_set import StageSet
from sera.messages import Direction, Gaze

ROOT = Path(__file__).parents[3]


class Looker:
    """A robot at its program that is told where to look."""

    def __init__(self, robot):
        self.animator = Animator(StageSet.find(ROOT / "robots" / robot, (ROOT,)).program())

    def look(self, horizontal_deg, seconds, joint, speed=1.0):
        """One joint, frame by frame."""
        way = Direction(horizontal_deg=(horizontal_deg + 180.0) % 360.0 - 180.0, vertical_deg=0.0)
        self.animator.handle(Gaze(direction=way, speed=speed))
        return [self.animator.step()[joint] for _ in range(round(50 * seconds))]


@pytest.mark.parametrize("robot", ["nao", "pepper"])
def test_a_neck_stays_at_its_end_and_goes_over_once_at_the_pace_of_a_gaze(robot):
    one = Looker(robot)
    one.look(150.0, 3.0, "HeadYaw")
    swaying = [one.look(180.0 + 12.0 * math.sin(step / 2.0), 0.1, "HeadYaw") for step in range(40)]
    assert np.ptp(swaying) < math.radians(5.0)
    over = np.array(one.look(-150.0, 6.0, "HeadYaw"))
    assert over[0] * over[-1] < 0.0
    assert abs(over[-1]) > math.radians(110.0)
    assert np.abs(np.diff(over)).max() * 50.0 < 5.0


def test_adelino_turns_over_and_says_why_when_a_target_passes_behind_it():
    one = Looker("adelino")
    assert goes_round(one.animator.program.body)
    one.look(120.0, 4.0, "base")
    for horizontal in np.linspace(120.0, 240.0, 30):
        one.look(horizontal, 0.1, "base", speed=8.0)
    assert one.animator.branch_changes == 1
    assert "at the end" in one.animator.branch_change
    one.look(240.0, 4.0, "base")
    aiming = one.animator.engine.stages[0]._chains[0].aiming
    assert np.degrees(aiming.looks_at(one.animator.engine.wanted)) == pytest.approx(
        [-120, 0], abs=3
    )

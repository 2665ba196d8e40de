"""Which way round a gaze goes to what is behind the body."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.controllers.gazing import goes_round
from sera.animation.engine import Sights
from sera.animation.engine._turns import between, way
from sera.animation.stage_set import StageSet
from sera.messages import Direction, Gaze, Position

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


def test_adelino_follows_behind_itself_who_walks_round_it_and_says_why_it_turned_over():
    one = Looker("adelino")
    animator, sight = one.animator, Sights(one.animator.program.body).find("Gazing")
    assert goes_round(animator.program.body)
    one.look(0.0, 3.0, "base")
    off_deg, travelled_deg, before = [], 0.0, None
    for horizontal_deg in np.arange(0.0, 240.1, 4.0):  # every tenth of a second: 40 degrees/s
        across = math.radians(horizontal_deg)
        place = (-1.5 * math.sin(across), 1.2, 1.5 * math.cos(across))
        where = Position(x_m=place[0], y_m=place[1], z_m=place[2])
        animator.handle(Gaze(direction=Direction(horizontal_deg=0.0), place=where, target="walker"))
        for _ in range(5):
            face_m, axis = sight.seen_at(np.array(list(animator.step().values())))
            off_deg.append(math.degrees(between(axis, way(face_m, place))))
            travelled_deg += 0.0 if before is None else math.degrees(between(axis, before))
            before = axis
    assert travelled_deg < 260.0  # through the front it were 400
    assert max(off_deg[35:]) < 12.0
    assert animator.branch_changes == 1
    assert "at the end" in animator.branch_change

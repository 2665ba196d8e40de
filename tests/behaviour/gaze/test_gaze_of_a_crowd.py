"""A hundred people at thirty pictures a second are looked at in turn."""

from __future__ import annotations

import math
import random

from sera.behaviour.gaze import BUILT_IN_POLICIES, GazeMachine, GazeOrder
from sera.behaviour.targets import TargetTable

PEOPLE = [f"person_{number}" for number in range(100)]
RATE_HZ = 30
SECONDS = 4


def test_a_hundred_people_are_all_gaze_targets_and_some_are_looked_at():
    table, source = TargetTable(), random.Random(1)
    machine = GazeMachine(table, source, BUILT_IN_POLICIES["mutual_joint"])
    looks = 0
    for frame in range(RATE_HZ * SECONDS):
        now_s = frame / RATE_HZ
        for number, person in enumerate(PEOPLE):
            at = (math.sin(number + now_s), 0.5, 1.0 + 0.02 * number)
            orders = machine.person_seen(person, now_s, position_m=at)
            looks += sum(isinstance(order, GazeOrder) for order in orders)
            assert table.angles(person, now_s, source) is not None
        machine.step(now_s)
    assert looks > SECONDS  # somebody was tracked

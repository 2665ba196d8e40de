"""Looks say where their target is and whom its name means."""

from __future__ import annotations

import math
import random

import pytest

from sera.behaviour.gaze import GazeMachine, GazePolicy, Why
from sera.behaviour.space import Angles, Frame, Observer, Room
from sera.behaviour.targets import AliasTarget, PositionTarget, TargetSettings, TargetTable

QUIET = GazePolicy(name="quiet", weights={"front": 1.0}, breaking=False, establishing=False)


@pytest.fixture
def machine():
    frame = Frame.from_degrees((1.0, 0.5, 0.0), yaw_deg=90.0)  # faces the room's left
    room = Room(Observer(frame, (0.0, 0.3, 0.0)), objects={"cup": Frame((2, 0, 0))})
    targets = TargetTable(room, TargetSettings(person_raised_deg=0.0))
    return GazeMachine(targets, random.Random(1), QUIET)


def looks(orders):
    return [order for order in orders if hasattr(order, "angles")]


def test_a_look_at_a_person_says_where_along_the_robots_own_axes(machine):
    machine.person_seen("ann", 0.0, position_m=(3.0, 1.5, 0.5))
    (look,) = looks(machine.gaze_at("ann", 0.1))
    assert look.place_m == pytest.approx((-0.5, 1.0, 2.0), abs=1e-9)
    message = look.message()
    assert message.target == "ann"
    assert (message.place.x_m, message.place.y_m, message.place.z_m) == (-0.5, 1.0, 2.0)
    # Who knows no places aims by the angles from the resting eyes, as ever.
    assert message.direction.horizontal_deg == pytest.approx(math.degrees(math.atan2(0.5, 2.0)))


def test_things_and_clicks_have_a_place_and_directions_have_none(machine):
    (cup,) = looks(machine.gaze_at("cup", 0.1))
    assert cup.place_m == pytest.approx((0.0, -0.5, 1.0), abs=1e-9)
    (front,) = looks(machine.gaze_at("top", 0.2))
    assert front.place_m is None
    assert front.message().place is None


def test_the_label_says_whom_a_name_means(machine):
    machine.targets.place("guide", AliasTarget("person"))
    machine.person_seen("ann", 0.0, position_m=(3.0, 1.5, 0.0))
    (look,) = looks(machine.gaze_at("guide", 0.1))
    assert look.message().target == "guide = ann"
    (named,) = looks(machine.gaze_at("Ann", 0.2))
    assert named.message().target == "Ann"


def test_somebody_who_comes_nearer_in_the_same_direction_is_followed(machine):
    machine.person_seen("ann", 0.0, position_m=(4.0, 0.8, 0.0))
    machine.gaze_at("ann", 0.1)
    nearer = looks(machine.person_seen("ann", 0.3, position_m=(3.0, 0.8, 0.0)))
    assert [look.why for look in nearer] == [Why.TRACKING]
    assert nearer[0].place_m == pytest.approx((0.0, 0.3, 2.0), abs=1e-9)


def test_who_is_known_by_a_direction_alone_is_thought_to_stand_at_talking_distance(machine):
    machine.person_seen("ann", 0.0, direction=Angles(-90.0, 0.0), seen_from_m=(1.0, 0.8, 0.0))
    (look,) = looks(machine.gaze_at("ann", 0.1))
    assert look.place_m == pytest.approx((0.0, 0.3, 1.5), abs=1e-9)


def test_a_person_who_is_looked_at_above_their_head_is_so_from_wherever(machine):
    raised = machine.targets.settings.model_copy(update={"person_raised_deg": 10.0})
    machine.targets.settings = raised
    machine.person_seen("ann", 0.0, position_m=(3.0, 0.8, 0.0))
    (look,) = looks(machine.gaze_at("ann", 0.1))
    assert look.place_m[1] - 0.3 == pytest.approx(2.0 * math.sin(math.radians(10.0)), abs=1e-6)


def test_a_target_of_its_own_has_its_place(machine):
    machine.targets.place("lamp", PositionTarget((1.0, 0.8, 1.0)))
    assert machine.targets.place_m("lamp", 0.0) == pytest.approx((-1.0, 0.3, 0.0), abs=1e-9)
    assert machine.targets.meaning("LAMP", 0.0) == "lamp"

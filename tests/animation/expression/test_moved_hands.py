"""MoveHand on a body that feels: reach, carry, out of reach, interrupted, let go, stopped."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from sera.emotion import PAD
from sera.kinematics.rotations import angle_between, from_axis_angle, multiply
from sera.messages import EmergencyStop, HandOutcome, Orientation

TABLE = np.array([-0.25, 0.85, 0.3])
FAR = np.array([-0.25, 0.9, 0.9])
EMOTIONS = [None, "LHL", "LLL"]


def ready(player, corner=None, robot="pepper"):
    one = player(robot)
    one.look(0.0)
    if corner is not None:
        one.feel(PAD.corner(corner), blend_s=0.5)
    one.run(2.0)
    return one


def speed_m_s(one, frames, side="right"):
    return np.linalg.norm(np.diff(one.hand(frames, side), axis=0), axis=1) * one.rate_hz


@pytest.mark.parametrize("corner", EMOTIONS)
def test_a_hand_is_brought_to_a_place_and_stays_whatever_is_felt(player, corner):
    pepper = ready(player, corner)
    pepper.bring("right", TABLE, "order-7")
    frames, told = pepper.moved(3.0)
    assert [(each.action, each.hand, each.outcome) for each in told] == [
        ("order-7", "right", HandOutcome.REACHED)
    ]
    pepper.run(1.0)  # the eyes, which went along, are back
    away = np.linalg.norm(pepper.hand(pepper.run(2.0)) - TABLE, axis=1)
    assert away.max() < 0.002
    assert speed_m_s(pepper, frames).max() < 1.6, "comfortable means so"


def test_the_other_arm_goes_on_expressing_while_a_hand_is_held(player):
    pepper = ready(player, "LHH")
    pepper.bring("right", TABLE)
    pepper.run(3.5)
    frames = pepper.run(2.3)
    assert np.ptp(pepper.arm(frames, "left")[:, 1]) > 0.5
    assert np.ptp(pepper.hand(frames, "right"), axis=0).max() < 0.002


def test_the_way_takes_as_long_as_was_ordered_and_is_straight(player):
    pepper = ready(player)
    pepper.look(45.0, -40.0)  # it sees the place already: no trunk turns on the way
    pepper.run(1.5)
    start = pepper.hand(pepper.run(0.02))[0]
    pepper.bring("right", TABLE, duration_s=2.0)
    frames, told = pepper.moved(2.4)
    path = pepper.hand(frames)
    along = (TABLE - start) / np.linalg.norm(TABLE - start)
    off_line = (path - start) - np.outer((path - start) @ along, along)
    assert np.linalg.norm(off_line, axis=1).max() < 0.01
    assert np.linalg.norm(path[50] - 0.5 * (start + TABLE)) < 0.04, "half of it at half the time"
    assert len(told) == 1


@pytest.mark.parametrize("corner", EMOTIONS)
def test_a_place_out_of_reach_gets_the_nearest_pose_and_an_event_but_no_leap(player, corner):
    pepper = ready(player, corner)
    pepper.bring("right", FAR)
    frames, told = pepper.moved(5.0)
    assert [each.outcome for each in told] == [HandOutcome.CLOSEST]
    away = np.linalg.norm(pepper.hand(frames)[-1] - FAR)
    assert told[0].distance_m == pytest.approx(away, abs=0.02)
    assert 0.2 < away < 0.35, "an arm and a lean further than it stands"
    assert speed_m_s(pepper, frames).max() < 1.6
    assert pepper.faults == []


@pytest.mark.parametrize("place", [FAR, [0.0, 2.5, 0.0], [0.3, 0.9, 0.2], [-0.2, -0.5, 0.0]])
def test_a_hand_at_the_end_of_its_reach_does_not_tremble(player, place):
    pepper = ready(player)
    pepper.bring("right", np.array(place))
    _, told = pepper.moved(6.0)
    assert [each.outcome for each in told] == [HandOutcome.CLOSEST]
    still = pepper.angles(pepper.run(1.0))
    assert np.ptp(still, axis=0).max() < 1e-3


def test_the_nearest_place_is_sought_until_the_hand_comes_no_nearer(player):
    """Half a second after the way it is 10 cm away, and two seconds later not half of that."""
    pepper = ready(player)
    pepper.bring("right", np.array([0.3, 0.9, 0.2]))
    _, told = pepper.moved(6.0)
    assert told[0].distance_m < 0.05


def test_a_new_order_interrupts_the_one_under_way_without_a_leap(player):
    pepper = ready(player)
    pepper.bring("right", TABLE, "first")
    before, told = pepper.moved(0.7)
    assert told == []
    pepper.bring("right", TABLE + np.array([0.1, 0.1, 0.0]), "second")
    after, told = pepper.moved(3.0)
    assert [(each.action, each.outcome) for each in told] == [
        ("first", HandOutcome.INTERRUPTED),
        ("second", HandOutcome.REACHED),
    ]
    assert told[0].distance_m > 0.05
    assert speed_m_s(pepper, np.vstack([before, after])).max() < 1.6


def test_a_carried_thing_keeps_upright_on_the_way_and_there(player):
    pepper = ready(player, "LHH")
    pepper.bring("right", TABLE)
    pepper.moved(3.0)
    held = pepper.turn(pepper.run(0.02))[0]
    pepper.bring("right", TABLE + np.array([0.0, 0.15, 0.0]), carries=True)
    frames, told = pepper.moved(3.0)
    assert [each.outcome for each in told] == [HandOutcome.REACHED]
    tilted = [float(angle_between(each, held)) for each in pepper.turn(frames)]
    assert max(tilted) < np.radians(4.0)
    assert tilted[-1] < np.radians(0.5)
    pepper.bring("right", TABLE)  # the same without care, for comparison
    careless = [float(angle_between(each, held)) for each in pepper.turn(pepper.run(3.0))]
    assert max(careless) > max(tilted)


def test_a_hand_takes_the_orientation_that_was_ordered(player):
    pepper = ready(player)
    pepper.bring("right", TABLE)
    pepper.run(3.0)
    turned = multiply(from_axis_angle((0.0, 0.0, 1.0), 0.4), pepper.turn(pepper.run(0.02))[0])
    w, x, y, z = turned.tolist()
    pepper.bring("right", TABLE, orientation=Orientation(w=w, x=x, y=y, z=z))
    pepper.run(3.0)
    frames = pepper.run(0.5)
    assert np.linalg.norm(pepper.hand(frames) - TABLE, axis=1).max() < 0.002
    assert float(angle_between(pepper.turn(frames)[-1], turned)) < 0.1


def test_after_its_time_a_hand_is_let_go_and_returns_exactly(player):
    pepper = ready(player)
    rest = pepper.run(0.02)[0]
    pepper.bring("right", TABLE, hold_s=0.3)
    frames, told = pepper.moved(8.0)
    assert len(told) == 1
    assert np.array_equal(frames[-1], rest)
    assert pepper.stage.report is None
    assert speed_m_s(pepper, frames).max() < 1.6


@pytest.mark.parametrize("corner", [None, "HHH"])
def test_an_order_without_a_place_lets_go(player, corner):
    pepper = ready(player, corner)
    pepper.bring("right", TABLE)
    pepper.moved(2.5)
    pepper.bring("right", None, "let go")
    frames, told = pepper.moved(3.0)
    assert told == [], "what had arrived cannot be interrupted any more"
    assert np.linalg.norm(pepper.hand(frames)[-1] - TABLE) > 0.2
    assert speed_m_s(pepper, frames).max() < 1.6


def test_an_emergency_stop_drops_every_hand_and_tells_so(player):
    pepper = ready(player, "HHH")
    pepper.bring("right", TABLE, "one")
    pepper.bring("left", TABLE * [-1.0, 1.0, 1.0], "two")
    pepper.run(0.5)
    pepper.animator.handle(EmergencyStop(reason="test"))
    _, told = pepper.moved(3.0)
    assert {(each.action, each.outcome) for each in told} == {
        ("one", HandOutcome.INTERRUPTED),
        ("two", HandOutcome.INTERRUPTED),
    }
    assert np.linalg.norm(pepper.hand(pepper.run(0.02))[0] - TABLE) > 0.2


def test_both_hands_work_at_once(player):
    pepper = ready(player, "LLL")
    mirrored = TABLE * [-1.0, 1.0, 1.0]
    pepper.bring("right", TABLE, "r")
    pepper.bring("left", mirrored, "l")
    _, told = pepper.moved(3.0)
    assert {each.outcome for each in told} == {HandOutcome.REACHED}
    frames = pepper.run(0.5)
    assert np.linalg.norm(pepper.hand(frames, "left") - mirrored, axis=1).max() < 0.003
    assert np.linalg.norm(pepper.hand(frames, "right") - TABLE, axis=1).max() < 0.003


def test_a_held_hand_stays_in_its_place_while_the_other_arm_waves(player):
    pepper = ready(player, "HHH")
    mirrored = TABLE * [-1.0, 1.0, 1.0]
    pepper.bring("left", mirrored)
    pepper.run(3.0)
    pepper.play("wave")
    away = np.linalg.norm(pepper.hand(pepper.run(3.0), "left") - mirrored, axis=1)
    assert away.max() < 0.04, "while the other arm rises the trunk turns quickly"
    assert away[50:].max() < 0.01


def test_an_order_in_no_time_is_as_quick_as_the_body_and_no_quicker(player):
    pepper = ready(player)
    pepper.bring("right", TABLE, duration_s=0.0)
    frames, told = pepper.moved(3.0)
    assert [each.outcome for each in told] == [HandOutcome.REACHED]
    angles = pepper.angles(frames)
    limits = np.array([pepper.body.own[name].max_velocity for name in pepper.tree.joint_names])
    assert np.all(np.abs(np.diff(angles, axis=0)) * pepper.rate_hz <= limits * (1.0 + 1e-6))
    assert pepper.faults == []


def test_an_unknown_hand_is_one_sentence_with_the_nearest_and_changes_nothing(player):
    pepper = ready(player)
    with pytest.raises(LookupError, match="did you mean 'right'"):
        pepper.bring("rigth", TABLE)
    assert pepper.stage.report is None
    adelino = player("adelino")
    with pytest.raises(LookupError, match="has no hands to move"):
        adelino.bring("right", TABLE)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_place_that_is_no_number_is_refused_at_the_door(player, bad):
    pepper = ready(player)
    with pytest.raises(ValidationError):
        pepper.bring("right", np.array([bad, 0.9, 0.3]))


@pytest.mark.parametrize("robot", ["nao", "romeo", "mybot_ksr"])
def test_other_bodies_bring_their_hands_to_a_place_as_well(player, robot):
    one = ready(player, "LHL", robot)
    still = ready(player, None, robot)
    # Where the hand is when it waves can be reached.
    still.play("wave")
    place = still.hand(still.run(1.5))[-1]
    one.bring("right", place)
    _, told = one.moved(4.0)
    assert [each.outcome for each in told] == [HandOutcome.REACHED]
    assert np.linalg.norm(one.hand(one.run(0.5)) - place, axis=1).max() < 0.005

"""The autonomy dial and the gaze: acting by itself, proposing, or only obeying."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sera.behaviour.gaze import (
    EyesLight,
    GazeOrder,
    GazePolicy,
    GazeProposal,
    GazeProposalLapsed,
    Why,
)
from sera.behaviour.space import Angles
from sera.behaviour.targets import AngleTarget
from sera.messages import AutonomyMode, GazeAt, Glance

AUTONOMOUS, SUGGEST, WIZARD = AutonomyMode
LEFT, RIGHT = Angles(-20.0, 0.0), Angles(20.0, 0.0)


def turn(stage, mode):
    stage.take(stage.machine.set_initiative(mode, stage.now_s))


def of(stage, kind):
    return [order for order in stage.given if isinstance(order, kind)]


@pytest.fixture
def stage(new_stage):
    return new_stage("mutual")


def test_in_the_wizards_hands_the_gaze_takes_no_look_of_its_own(stage):
    turn(stage, WIZARD)
    stage.see("visitor", LEFT)
    stage.eyes("visitor", contact=True)
    stage.machine.robot_speaks(True, stage.now_s)
    assert stage.run(60.0) == []
    assert of(stage, EyesLight) == []
    assert of(stage, GazeProposal) == []


def test_in_the_wizards_hands_orders_count_and_what_is_looked_at_is_followed(stage):
    turn(stage, WIZARD)
    stage.see("visitor", LEFT)
    (look,) = stage.gaze_at("visitor")
    assert look.why is Why.ORDER
    assert stage.run(30.0) == [], "no glance elsewhere"
    (moved,) = stage.see("visitor", RIGHT)
    assert (moved.why, moved.angles.horizontal_deg) == (Why.TRACKING, pytest.approx(20.0))
    (glance,) = stage.glance("topLeft", 1.0)
    assert glance.why is Why.GLANCE
    (back,) = stage.run(5.0)
    assert (back.why, back.target) == (Why.BACK, "visitor")


def test_back_in_its_own_hands_the_gaze_goes_on(stage):
    turn(stage, WIZARD)
    stage.see("visitor", LEFT)
    stage.run(10.0)
    turn(stage, AUTONOMOUS)
    assert [look.target for look in stage.run(1.0) + of(stage, GazeOrder)][:1] == ["person"]


def test_a_look_is_proposed_in_words_and_taken_when_it_is_accepted(stage):
    turn(stage, SUGGEST)
    stage.see("visitor", LEFT)
    assert stage.run(1.0) == []
    anywhere, proposal = of(stage, GazeProposal)
    assert anywhere.target == "random"
    assert [each.proposal for each in of(stage, GazeProposalLapsed)] == [anywhere]
    stage.given.clear()
    assert proposal.message() == GazeAt(target="person")
    assert proposal.reason == "by its gaze policy mutual"
    (look,) = stage.take(stage.machine.resolve(True, stage.now_s))
    assert look.target == "person"
    assert look.reason == "free: accepted: policy mutual"
    assert look.angles.horizontal_deg == pytest.approx(-20.0)
    assert of(stage, GazeProposalLapsed) == []


def test_one_proposal_stands_at_a_time_and_lapses_by_itself(stage):
    stage.see("visitor", LEFT)
    stage.gaze_at("front")
    stage.run(0.5)
    stage.take(stage.machine.set_policy(stage.machine.policy, stage.now_s))
    turn(stage, SUGGEST)
    stage.run(8.8)
    assert len(of(stage, GazeProposal)) == 1
    stage.run(0.4)
    (lapsed,) = of(stage, GazeProposalLapsed)
    assert lapsed.proposal == of(stage, GazeProposal)[0]
    stage.run(10.0)
    assert len(of(stage, GazeProposal)) == 1, "what was let pass is not proposed again at once"
    stage.run(20.0)
    assert len(of(stage, GazeProposal)) == 2


def test_what_was_turned_down_is_not_proposed_again_but_other_things_are(new_stage):
    stage = new_stage("speaker")
    turn(stage, SUGGEST)
    stage.see("visitor", LEFT)
    stage.see("friend", RIGHT)
    stage.run(0.5)
    assert of(stage, GazeProposal)[0].target == "random"
    stage.take(stage.machine.resolve(False, stage.now_s))
    stage.take(stage.machine.speech("friend", True, stage.now_s))
    stage.run(4.0)
    assert [each.target for each in of(stage, GazeProposal)] == ["random", "friend"]
    assert of(stage, GazeProposal)[1].reason == "friend speaks"
    assert of(stage, GazeOrder) == []


def test_a_shared_look_is_proposed_as_a_glance(new_stage):
    stage = new_stage("mutual_joint")
    stage.see("visitor", LEFT)
    stage.run(3.0)
    turn(stage, SUGGEST)
    stage.eyes("visitor", contact=True, looks_at="main")
    stage.run(1.0)
    (proposal,) = of(stage, GazeProposal)
    assert proposal.message() == Glance(target="main", duration_s=proposal.glance_s)
    assert proposal.reason == "visitor looks at main"
    (look,) = stage.take(stage.machine.resolve(True, stage.now_s))
    assert (look.target, look.why) == ("main", Why.JOINT)
    assert stage.run(8.0)[0].why is Why.BACK


def test_an_operators_own_order_ends_what_stands(stage):
    turn(stage, SUGGEST)
    stage.see("visitor", LEFT)
    stage.run(0.5)
    stage.given.clear()
    stage.gaze_at("topRight")
    stage.run(0.2)
    assert len(of(stage, GazeProposalLapsed)) == 1
    assert stage.run(30.0) == [], "an ordered gaze stays"


def test_what_stands_ends_when_the_dial_is_turned(stage):
    turn(stage, SUGGEST)
    stage.see("visitor", LEFT)
    stage.run(0.5)
    stage.given.clear()
    turn(stage, WIZARD)
    assert len(of(stage, GazeProposalLapsed)) == 1
    assert stage.take(stage.machine.resolve(True, stage.now_s)) == [], "too late"


def test_a_proposal_of_what_is_gone_is_not_taken(stage):
    policy = GazePolicy(name="ball", weights={"ball": 1.0})
    stage.targets.place("ball", AngleTarget(LEFT))
    stage.take(stage.machine.set_policy(policy, stage.now_s))
    stage.run(1.5)
    turn(stage, SUGGEST)
    before = len(of(stage, GazeOrder))
    stage.take(stage.machine.gaze_at("front", stage.now_s))
    stage.take(stage.machine.set_policy(policy, stage.now_s))
    stage.run(2.0)
    assert of(stage, GazeProposal)[-1].target == "ball"
    stage.targets.remove("ball")
    stage.run(0.1)
    assert of(stage, GazeProposalLapsed)
    stage.take(stage.machine.resolve(True, stage.now_s))
    assert [look.target for look in of(stage, GazeOrder)[before:]] == ["front"]


_happenings = st.lists(
    st.tuples(
        st.sampled_from(
            ["see", "lose", "eyes", "talk", "click", "gaze", "glance", "accept", "reject", "dial"]
        ),
        st.integers(0, 2),
        st.sampled_from([0.1, 0.7, 3.0, 9.0]),
    ),
    max_size=25,
)


def happen(stage, what, number, person, mode):
    machine, now_s = stage.machine, stage.now_s
    {
        "see": lambda: stage.see(person, Angles(10.0 * number, 0.0)),
        "lose": lambda: stage.take(machine.person_lost(person, now_s)),
        "eyes": lambda: stage.eyes(person, bool(number), "main" if number else None),
        "talk": lambda: stage.take(machine.speech(person, bool(number), now_s)),
        "click": lambda: stage.click(10.0 * number, 5.0),
        "gaze": lambda: stage.gaze_at("topLeft"),
        "glance": lambda: stage.glance("top", 1.0),
        "accept": lambda: stage.take(machine.resolve(True, now_s)),
        "reject": lambda: stage.take(machine.resolve(False, now_s)),
        "dial": lambda: turn(stage, mode),
    }[what]()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_happenings, st.sampled_from(["random", "mutual", "mutual_joint", "speaker"]))
def test_whatever_happens_only_what_was_accepted_or_ordered_is_looked_at(
    new_stage_class, happenings, policy
):
    stage = new_stage_class(policy)
    turn(stage, SUGGEST)
    mode = SUGGEST
    for what, number, for_s in happenings:
        person, before = f"p{number}", len(stage.given)
        if what == "dial":
            mode = (SUGGEST, WIZARD)[number % 2]
        happen(stage, what, number, person, mode)
        stage.run(for_s)
        own = (Why.FREE, Why.MUTUAL, Why.SPEAKER, Why.CLICK, Why.JOINT, Why.HOLD, Why.LOST)
        for order in stage.given[before:]:
            if isinstance(order, GazeOrder) and order.why in own:
                assert "accepted: " in order.detail
            assert not isinstance(order, EyesLight)
            assert mode is SUGGEST or not isinstance(order, GazeProposal)
    proposed, lapsed = of(stage, GazeProposal), of(stage, GazeProposalLapsed)
    for sooner, later in itertools.pairwise(proposed):
        assert sooner.target in ("random", "elsewhere") or later.time_s - sooner.time_s >= 3.0
    assert len(lapsed) <= len(proposed)

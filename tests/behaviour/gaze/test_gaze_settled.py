"""An ordered gaze that stands is not thought about; nobody can tell from what it does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.behaviour.gaze import BUILT_IN_POLICIES
from sera.behaviour.space import Angles
from sera.behaviour.targets import AngleTarget, UnknownTarget
from sera.messages import AutonomyMode

PEOPLE = st.sampled_from(["ann", "ben"])
TARGETS = st.sampled_from(["person", "person1", "ann", "front", "clicks", "random", "lamp", "main"])
DEGREES = st.integers(-80, 80)
EVENTS = st.one_of(
    st.tuples(st.just("wait"), st.floats(0.1, 4.0)),
    st.tuples(st.just("gaze_at"), TARGETS),
    st.tuples(st.just("gaze_at"), TARGETS),
    st.tuples(st.just("glance"), TARGETS),
    st.tuples(st.just("see"), PEOPLE, DEGREES),
    st.tuples(st.just("lose"), PEOPLE),
    st.tuples(st.just("place"), DEGREES),
    st.tuples(st.just("click"), st.integers(0, 200)),
    st.tuples(st.just("eyes"), PEOPLE, st.booleans(), st.sampled_from([None, "lamp", "main"])),
    st.tuples(st.just("speech"), PEOPLE, st.booleans()),
    st.tuples(st.just("robot_speaks"), st.booleans()),
    st.tuples(st.just("robot_thinks"), st.booleans()),
    st.tuples(st.just("policy"), st.sampled_from(sorted(BUILT_IN_POLICIES))),
    st.tuples(st.just("initiative"), st.sampled_from(list(AutonomyMode))),
)


def _order(stage: Any, what: str, target: str) -> None:
    with contextlib.suppress(UnknownTarget):
        stage.take(getattr(stage.machine, what)(target, stage.now_s))


def _place(stage: Any, horizontal_deg: float) -> None:
    stage.targets.place("lamp", AngleTarget(Angles(horizontal_deg, 0.0)))  # told to nobody


DOINGS: dict[str, Callable[..., object]] = {
    "gaze_at": lambda stage, target: _order(stage, "gaze_at", target),
    "glance": lambda stage, target: _order(stage, "glance", target),
    "see": lambda stage, who, at_deg: stage.see(who, Angles(at_deg, 5.0)),
    "lose": lambda stage, who: stage.take(stage.machine.person_lost(who, stage.now_s)),
    "place": _place,
    "click": lambda stage, x_px: stage.click(x_px, 50),
    "eyes": lambda stage, who, contact, at: stage.eyes(who, contact, at),
    "policy": lambda stage, name: stage.take(
        stage.machine.set_policy(BUILT_IN_POLICIES[name], stage.now_s)
    ),
    "initiative": lambda stage, mode: stage.take(stage.machine.set_initiative(mode, stage.now_s)),
}


def play(stage: Any, event: tuple[Any, ...], *, restless: bool) -> None:
    what, *rest = event
    if what == "wait":
        for _ in range(round(rest[0] / 0.1)):
            if restless:
                stage.machine._settled = None
            stage.run(0.1)
    elif what in DOINGS:
        DOINGS[what](stage, *rest)
    else:
        stage.take(getattr(stage.machine, what)(*rest, stage.now_s))


@settings(max_examples=150, deadline=None)
@given(events=st.lists(EVENTS, max_size=25), policy=st.sampled_from(sorted(BUILT_IN_POLICIES)))
def test_leaving_out_steps_changes_nothing_that_is_done(
    new_stage_class: Any, events: list[tuple[Any, ...]], policy: str
) -> None:
    thrifty, restless = new_stage_class(policy), new_stage_class(policy)
    for event in events:
        play(thrifty, event, restless=False)
        play(restless, event, restless=True)
    assert thrifty.given == restless.given


def test_an_ordered_gaze_at_one_person_comes_to_rest_and_wakes(
    new_stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = new_stage()
    stage.see("ann", Angles(10.0, 0.0))
    stage.gaze_at("person")
    stage.run(1.0)
    asked: list[float] = []
    decide = stage.machine._decide

    def noted(now_s: float) -> Any:
        asked.append(now_s)
        return decide(now_s)

    monkeypatch.setattr(stage.machine, "_decide", noted)
    stage.run(10.0)
    assert asked == []
    assert [look.target for look in stage.see("ann", Angles(40.0, 0.0))] == ["person"]
    stage.run(0.1)
    assert len(asked) == 1

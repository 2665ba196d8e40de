"""Training of wizards: the trainee's decisions are judged against the recorded ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera import Module
from sera.bus import MemoryBroker, MemoryBus
from sera.messages import (
    WORLD,
    GazeAt,
    OperatorDecided,
    PerformUtterance,
    SetPosture,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
)
from sera.recording import LogReader
from sera.recording.replay import (
    Changes,
    Choice,
    ReplayError,
    Training,
    cast_of,
    choices_of,
    read_recording,
    score,
)
from sera.runtime import Clock, Role
from sera.runtime.clock import run as run_in_loop
from sera.runtime.launcher import Run, RunOptions, Surroundings
from sera.runtime.scenario import ModulePlan, load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]


def say(at_s: float, what: str = "category hint", **more) -> Choice:
    return Choice(at_s, more.pop("type", "PerformUtterance"), more.pop("to", "ada"), what, **more)


def test_the_same_another_missed_and_extra_are_told_apart():
    wizard = [say(1.0, "a"), say(10.0, "b"), say(20.0, "c")]
    trainee = [say(1.4, "a"), say(10.2, "x"), say(40.0, "y")]
    found = score(wizard, trainee, window_s=2.0)
    assert [one.verdict for one in found.judged] == ["same", "other", "missed", "extra"]
    assert (found.tasks, found.same, found.other, found.missed, found.extra) == (3, 1, 1, 1, 1)
    assert found.later.median_s == pytest.approx(0.4)
    assert found.agreement == pytest.approx(1 / 3, abs=1e-4)


def test_a_decision_for_another_character_or_channel_is_no_answer():
    wizard = [say(1.0)]
    assert score(wizard, [say(1.0, to="eva")]).missed == 1
    assert score(wizard, [say(1.0, "target door", type="GazeAt")]).missed == 1


def test_two_of_the_same_in_a_row_find_each_their_own():
    found = score([say(1.0), say(2.0)], [say(1.9), say(1.1)])
    assert found.same == 2
    assert [one.later_s for one in found.judged] == pytest.approx([0.1, -0.1])


def test_a_right_decision_is_not_taken_for_another_one_nearer_in_time():
    found = score([say(1.0, "a"), say(2.0, "b")], [say(1.9, "a"), say(2.1, "b")], window_s=1.0)
    assert found.same == 2


def test_reaction_times_stand_beside_the_recorded_ones():
    found = score([say(1.0, reaction_s=0.5)], [say(1.3, reaction_s=0.9)])
    assert found.recorded_reaction.median_s == 0.5
    assert found.reaction.median_s == 0.9


def test_a_window_of_nothing_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        score([], [], window_s=0.0)


choices = st.lists(
    st.builds(
        say,
        st.floats(0, 60),
        st.sampled_from("abc"),
        to=st.sampled_from(["ada", "eva"]),
        type=st.sampled_from(["PerformUtterance", "GazeAt"]),
    ),
    max_size=12,
)


@given(choices, choices)
def test_every_decision_is_judged_once(wizard, trainee):
    found = score(wizard, trainee)
    assert found.same + found.other + found.missed == len(wizard) == found.tasks
    assert found.same + found.other + found.extra == len(trainee)
    assert sorted(one.recorded for one in found.judged if one.recorded) == sorted(wizard)


@given(choices)
def test_whoever_decides_as_the_wizard_did_is_perfect(wizard):
    found = score(wizard, wizard)
    assert found.same == len(wizard)
    assert found.later.slowest_s in (None, 0.0)


# -- on the bus -----------------------------------------------------------------------------


class Scripted(Module):
    """An operator who sends orders at given times, as the gateway would for a console."""

    role = Role.WIZARD
    hears_everyone = True
    orders: tuple = ()

    async def run(self) -> None:
        begun_s = self.clock.now()
        for at_s, order, reaction_s in self.orders:
            await self.clock.sleep_until(begun_s + at_s)
            action = await self.publish(order, character="ada")
            await self.publish(
                OperatorDecided(
                    action=action,
                    action_type=type(order).__name__,
                    by="wizard",
                    reaction_s=reaction_s,
                )
            )


def scripted(name: str, *orders) -> ModulePlan:
    kind = type("OneScripted", (Scripted,), {"orders": orders})
    return ModulePlan(WORLD, name, name, "shared", kind, kind.Settings())


def perform(scenario, log: Path, broker: MemoryBroker | None = None) -> None:
    async def go() -> None:
        surroundings = Surroundings(memory=broker or MemoryBroker())
        await Run(scenario, WORKSPACE, RunOptions(log=log), surroundings).execute()

    run_in_loop(go(), clock="virtual")


WORKSPACE = Workspace.discover(ROOT)


@pytest.fixture
def wizard_recording(tmp_path) -> Path:
    """A visit during which a wizard gives three orders."""
    WORKSPACE.activate()
    scenario = load_scenario("hello", WORKSPACE).overridden(seed=5, duration_s=16.0)
    wizard = scripted(
        "gateway",
        (3.0, PerformUtterance(category="answer"), 0.6),
        (7.0, GazeAt(target="visitor_1"), 0.8),
        (11.0, SetPosture(posture="bored"), 0.5),
    )
    plans = tuple(plan for plan in scenario.plans if plan.source != "world.gateway")
    log = tmp_path / "wizard.jsonl"
    perform(replace(scenario, plans=(*plans, wizard)), log)
    return log


def train(log: Path, trained: Path, *orders, character: str | None = None) -> Training:
    broker = MemoryBroker()
    run = read_recording(log)
    cast = cast_of(run, WORKSPACE, Changes())
    training = Training(
        run,
        cast,
        character=character,
        connect=lambda identity: MemoryBus(identity, broker, now=Clock.for_running_loop().now),
    )
    trainee = scripted("trainee", *orders)
    plans = (*training.scenario.plans, trainee)
    perform(replace(training.scenario, plans=plans), trained, broker)
    return training


def test_a_trainee_decides_in_the_wizards_place_and_is_judged(wizard_recording, tmp_path):
    trained = tmp_path / "trained.jsonl"
    training = train(
        wizard_recording,
        trained,
        (3.5, PerformUtterance(category="answer"), 1.1),
        (7.2, GazeAt(target="person"), 0.9),
        (14.0, PerformUtterance(category="farewell"), None),
    )
    found = training.score(LogReader(trained), window_s=2.0)
    assert [one.verdict for one in found.judged] == ["same", "other", "missed", "extra"]
    assert found.judged[0].later_s == pytest.approx(0.5, abs=0.05)
    assert found.reaction.median_s == pytest.approx(1.0)
    assert found.recorded_reaction.median_s == pytest.approx(0.6)
    records = list(LogReader(trained))
    assert not any(one.source == "world.gateway" and one.type == "SetPosture" for one in records)
    assert any(one.type == "PersonDetected" for one in records)
    said = [one for one in records if one.type == "UtteranceStarted"]
    assert any(one.data["category"] == "answer" for one in said), "the robot obeys the trainee"
    assert not any(one.type == "ActionExpired" for one in records)


def test_training_without_a_wizard_in_the_recording_is_refused(hello_recording):
    run = read_recording(hello_recording)
    with pytest.raises(ReplayError, match="nothing to train against"):
        Training(run, cast_of(run, WORKSPACE, Changes()))


def test_training_for_a_character_that_is_not_there_is_refused(wizard_recording):
    run = read_recording(wizard_recording)
    with pytest.raises(ReplayError, match="the scenario has ada"):
        Training(run, cast_of(run, WORKSPACE, Changes()), character="eva")


def test_choices_are_read_from_a_log(wizard_recording):
    run = read_recording(wizard_recording)
    found = choices_of(run.records, run.origin_s)
    assert [(one.type, one.what) for one in found] == [
        ("PerformUtterance", "category answer"),
        ("GazeAt", "target visitor_1"),
        ("SetPosture", "posture bored"),
    ]
    assert choices_of(run.records, run.origin_s, "eva") == []


def test_an_accepted_suggestion_is_carried_out_for_whoever_proposed_it(tmp_path):
    WORKSPACE.activate()
    scenario = load_scenario("hello", WORKSPACE).overridden(seed=5, duration_s=10.0)

    class Proposer(Module):
        async def run(self) -> None:
            await self.clock.sleep(4.0)
            order = PerformUtterance(category="answer")
            await self.publish(
                Suggestion(
                    action_type="PerformUtterance",
                    action=order.model_dump(mode="json"),
                    channel=order.channel,
                    lapses_after_s=8.0,
                ),
                character="ada",
            )

    proposer = ModulePlan("ada", "proposer", "proposer", "shared", Proposer, Proposer.Settings())
    wizard = scripted("gateway", (6.0, GazeAt(target="person"), 0.5))
    plans = tuple(plan for plan in scenario.plans if plan.source != "world.gateway")
    log = tmp_path / "log.jsonl"
    perform(replace(scenario, plans=(*plans, proposer, wizard)), log)
    suggestion = next(one.id for one in LogReader(log) if one.type == "Suggestion")
    accepted = SuggestionResolved(
        suggestion=suggestion, outcome=SuggestionOutcome.ACCEPTED, by="trainee"
    )
    trained = tmp_path / "trained.jsonl"
    train(log, trained, (5.0, accepted, 1.0))
    given = [
        one
        for one in LogReader(trained)
        if one.type == "PerformUtterance" and one.source == "ada.proposer"
    ]
    assert len(given) == 1
    assert given[0].data["category"] == "answer"

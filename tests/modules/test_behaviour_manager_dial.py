"""The behaviour manager under an operator's hands: the queue arranged, the gaze on the dial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sera.messages import (
    BehaviourState,
    Envelope,
    Gaze,
    ModuleFault,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
    UtteranceStarted,
)

LINES = """\
ID;CATEGORY;TEXT
long;talk;One two three four five six seven eight nine ten.
a;talk:short;Apple.
b;talk:short;Banana.
look;talk;<GAZE(topLeft)> There.
"""
SCENARIO = """
[scenario]
title = "Play"
seed = 3
duration_s = 40

[characters.ada]
robot = "nao"
{autonomy}
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
[characters.ada.modules.speaker]
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
ARRIVE = """
await self.publish(PersonDetected(person="guest", position=Position(x_m=-0.5, y_m=0.0, z_m=1.0)))
"""

Play = Callable[..., list[Envelope]]


@pytest.fixture
def play(acted: Callable[..., list[Envelope]]) -> Play:
    def run(body: str, autonomy: str = "") -> list[Envelope]:
        return acted(SCENARIO.format(autonomy=autonomy), body, {"lines.csv": LINES})

    return run


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [each.message for each in seen if isinstance(each.message, kind)]


def looks(seen: list[Envelope]) -> list[str]:
    """Where the gaze went, without its keeping up with what moves."""
    return [m.target for m in of(seen, Gaze) if not (m.reason or "").startswith("tracking")]


ORDERS = """
ids = {}
for line in ("long", "a", "b"):
    ids[line] = await self.publish(PerformUtterance(line=line))
await self.clock.sleep(0.3)
"""


def test_what_waits_is_told_with_line_and_category_and_can_be_moved(play):
    seen = play(
        ORDERS + 'await self.publish(ArrangeUtterance(utterance=ids["b"], how="first"))\n'
        "await self.clock.sleep(12)\n"
    )
    waiting = [[each.line for each in state.waiting] for state in of(seen, BehaviourState)]
    assert ["a", "b"] in waiting
    assert waiting[waiting.index(["a", "b"]) + 1] == ["b", "a"]
    told = next(s.waiting for s in of(seen, BehaviourState) if len(s.waiting) == 2)
    assert told[0].category == "talk:short"
    assert told[0].held is False
    assert [each.line for each in of(seen, UtteranceStarted)] == ["long", "b", "a"]


def test_a_held_line_is_told_and_said_when_it_is_released(play):
    seen = play(
        ORDERS + 'await self.publish(ArrangeUtterance(utterance=ids["a"], how="hold"))\n'
        "await self.clock.sleep(12)\n"
        'await self.publish(ArrangeUtterance(utterance=ids["a"], how="release"))\n'
        "await self.clock.sleep(4)\n"
    )
    assert [each.line for each in of(seen, UtteranceStarted)] == ["long", "b", "a"]
    held = [s for s in of(seen, BehaviourState) if any(each.held for each in s.waiting)]
    assert [each.line for each in held[-1].waiting] == ["a"]
    assert held[-1].doing == "stand_by"


def test_what_does_not_wait_is_reported_in_one_sentence(play):
    seen = play(
        ORDERS + 'await self.publish(ArrangeUtterance(utterance="nothing", how="first"))\n'
        'await self.publish(ArrangeUtterance(utterance=ids["long"], how="hold"))\n'
        "await self.clock.sleep(1)\n"
    )
    faults = [fault for fault in of(seen, ModuleFault) if "arranged" in fault.summary]
    assert [fault.severity for fault in faults] == ["warning", "warning"]
    assert "'nothing'" in faults[0].summary
    assert "it is being said" in faults[1].summary


def test_in_the_wizards_hands_only_orders_and_lines_move_the_gaze(play):
    seen = play(
        'await self.publish(AutonomyChanged(channel="gaze", mode="wizard", by="wizard"))\n'
        "await self.clock.sleep(0.2)\n"
        + ARRIVE
        + "await self.clock.sleep(8)\n"
        + 'await self.publish(GazeAt(target="top"))\n'
        "await self.clock.sleep(8)\n"
        'await self.publish(PerformUtterance(line="look"))\n'
        "await self.clock.sleep(8)\n"
    )
    at = next(each.time for each in seen if each.type == "PersonDetected")
    after = [each for each in seen if each.time > at]
    assert looks(after) == ["top", "topLeft"]
    assert of(seen, Suggestion) == []


def test_another_characters_dial_is_not_ones_own(play):
    seen = play(
        'await self.publish(AutonomyChanged(channel="gaze", mode="wizard", by="w"), '
        'character="world")\nawait self.clock.sleep(0.2)\n' + ARRIVE + "await self.clock.sleep(3)\n"
    )
    assert "person = guest" in looks(seen)


RESOLVE = """
import asyncio
heard = []
await self.bus.subscribe([Suggestion], heard.append)
"""


def test_a_scenario_may_begin_with_a_gaze_that_proposes(play):
    seen = play(
        RESOLVE
        + ARRIVE
        + "await self.clock.sleep(2)\n"
        + "await self.publish(SuggestionResolved(suggestion=heard[0].id, outcome='accepted', "
        "by='wizard'))\nawait self.clock.sleep(2)\n",
        autonomy='autonomy = { gaze = "suggest" }',
    )
    first = next(
        each for each in seen
        if isinstance(each.message, Suggestion) and each.message.action["target"] == "person"
    )  # fmt: skip
    assert first.source == "ada.behaviour"
    assert first.character == "ada"
    assert first.message.action_type == "GazeAt"
    assert first.message.channel == "gaze"
    assert first.message.reason
    assert first.message.lapses_after_s == 8.0
    accepted = next(
        each for each in seen
        if isinstance(each.message, SuggestionResolved) and each.message.outcome == "accepted"
    )  # fmt: skip
    taken = [each for each in seen if isinstance(each.message, Gaze) and each.time >= accepted.time]
    assert taken[0].cause == accepted.id
    assert taken[0].message.target == f"{first.message.action['target']} = guest"
    assert not [each for each in seen if isinstance(each.message, Gaze) and each.time < first.time]


def test_a_proposal_that_nobody_answers_lapses_and_a_rejected_one_is_not_taken(play):
    seen = play(
        RESOLVE
        + ARRIVE
        + "await self.clock.sleep(2)\n"
        + "await self.publish(SuggestionResolved(suggestion=heard[0].id, outcome='rejected', "
        "by='wizard'))\nawait self.clock.sleep(30)\n",
        autonomy='autonomy = { gaze = "suggest" }',
    )
    suggestions = [each for each in seen if isinstance(each.message, Suggestion)]
    assert 1 < len(suggestions) < 6, "calmly"
    outcomes = [each.outcome for each in of(seen, SuggestionResolved)]
    assert outcomes.count(SuggestionOutcome.REJECTED) == 1
    assert outcomes.count(SuggestionOutcome.LAPSED) >= len(suggestions) - 2
    assert looks(seen) == []

"""Operators: names, channels, what they saw when they decided, what a desk may not do."""

from __future__ import annotations

from typing import Any

import pytest

from sera.messages import (
    Autonomy,
    Channel,
    Clicked,
    ConditionAssigned,
    PeopleState,
    PersonMoved,
    Position,
    Suggestion,
)
from tests.helpers import until


def order(type_name: str, data: dict[str, Any], ref: int = 1) -> dict[str, Any]:
    return {"send": {"type": type_name, "data": data, "character": "ada", "ref": ref}}


def names(stage: Any) -> list[str]:
    present = [one for one in stage.operators if one.type == "OperatorsPresent"]
    return [seat.operator for seat in present[-1].message.operators] if present else []


async def test_operators_are_called_after_their_desks_and_everybody_is_told(stage):
    first = await stage.page("wizard")
    second = await stage.page("wizard")
    third = await stage.page("wizard", desk="Puppet eer<script>")
    await stage.page("activity")
    hellos = [(await link.next("hello")) for link in (first, second, third)]
    expected = ["wizard", "wizard_2", "puppet_eer_script"]
    assert [hello["operator"] for hello in hellos] == expected
    await until(lambda: names(stage) == expected)
    second.leave()
    await until(lambda: names(stage) == ["wizard", "puppet_eer_script"])


async def test_an_operator_keeps_the_name_over_a_lost_connection(stage):
    await stage.page("wizard")
    second = await stage.page("wizard", session="tab-2")
    assert (await second.next("hello"))["operator"] == "wizard_2"
    second.leave()
    await until(lambda: len(stage.gateway.pages) == 1)
    await stage.page("wizard", session="tab-3", desk="other")
    again = await stage.page("wizard", session="tab-2")
    assert (await again.next("hello"))["operator"] == "wizard_2"


async def test_a_channel_in_another_operators_hands_is_refused_until_that_one_has_gone(stage):
    stage.other.publish(Autonomy(owners={Channel.GAZE: "wizard_2"}), character="ada")
    first = await stage.page("wizard")
    second = await stage.page("wizard")
    first.say(order("GazeAt", {"target": "door"}))
    why = (await first.next("refused"))["why"]
    assert why.startswith("gaze of ada is in the hands of wizard_2: ask for it")
    first.say(order("PlayAnimation", {"animation": "nod"}, ref=2))
    await first.next("accepted")
    first.say(order("EmergencyStop", {}, ref=3))
    await first.next("accepted", count=2)
    second.say(order("GazeAt", {"target": "door"}))
    await second.next("accepted")
    second.leave()
    await until(lambda: len(stage.gateway.pages) == 1)
    first.say(order("GazeAt", {"target": "door"}, ref=4))
    await first.next("accepted", count=3)
    assert len(first.all("refused")) == 1


async def test_everybody_may_make_the_robot_be_silent_whoever_has_its_speech(stage):
    stage.other.publish(Autonomy(owners={Channel.SPEECH: "wizard_2"}), character="ada")
    first, _ = await stage.page("wizard"), await stage.page("wizard")
    first.say(order("PerformUtterance", {"text": "Hello."}))
    await first.next("refused")
    first.say(order("CancelUtterance", {"utterance": "ada.mind-0-1"}, ref=2))
    await first.next("refused", count=2)
    first.say(order("CancelUtterance", {"politely": False}, ref=3))
    first.say(order("StopSpeaking", {}, ref=4))
    await first.next("accepted", count=2)


async def test_joints_that_a_page_holds_are_let_go_when_it_is_gone(stage):
    link = await stage.page("wizard")
    link.say(order("HoldJoints", {"joints_rad": {"base": 0.4}}))
    await link.next("accepted")
    other = await stage.page("wizard")
    other.say(order("HoldJoints", {"joints_rad": {"base": 0.4}}))
    other.say(order("HoldJoints", {"joints_rad": {}}, ref=2))
    await other.next("accepted", count=2)
    for page in (other, link):
        page.leave()
    await until(lambda: len(stage.heard) == 4)
    last = stage.heard[-1]
    assert (last.character, last.message.joints_rad) == ("ada", {})
    assert [one for one in stage.operators if one.type == "OperatorDecided"] == []


async def test_who_sends_is_written_by_the_server_whatever_the_page_says(stage):
    link = await stage.page("wizard", desk="left")
    link.say(order("EmergencyStop", {"by": "somebody else"}))
    change = {"channel": "gaze", "mode": "wizard", "by": "experimenter"}
    link.say(order("AutonomyChanged", change, ref=2))
    link.say(order("SessionMark", {"label": "note"}, ref=3))
    link.say(order("GazeAt", {"target": "door"}, ref=4))
    await until(lambda: len(stage.heard) == 4)
    assert [getattr(one.message, "by", None) for one in stage.heard] == [*["left"] * 3, None]


async def test_what_a_desk_may_not_send_is_refused_by_the_server(make_stage):
    def lock(desk: str, type_name: str, data: dict[str, Any], character: str) -> str | None:
        locked = (desk, type_name, character) == ("second", "PlayAnimation", "ada")
        return "Bow is not for this wizard" if locked and data["animation"] == "bow" else None

    stage = await make_stage(lock=lock)
    link = await stage.page("wizard", desk="second")
    link.say(order("PlayAnimation", {"animation": "bow"}))
    assert (await link.next("refused"))["why"] == "Bow is not for this wizard"
    link.say(order("PlayAnimation", {"animation": "nod"}, ref=2))
    await link.next("accepted")
    link.say(order("EmergencyStop", {}, ref=3))
    await link.next("accepted", count=2)


async def test_beside_a_decision_stands_what_was_before_the_operators_eyes(stage):
    began_s = stage.clock()
    link = await stage.listening(
        "wizard", "Clicked", "PersonMoved", "PeopleState", "Suggestion", "SpeechHeard"
    )
    here = Position(x_m=0, y_m=1, z_m=2)
    people = stage.other.publish(PeopleState())
    stage.other.publish(PersonMoved(person="person_1", position=here))
    newest = stage.other.publish(PersonMoved(person="person_1", position=here))
    another = stage.other.publish(PersonMoved(person="person_2", position=here))
    click = stage.other.publish(Clicked(element="a"))
    asked = stage.other.publish(
        Suggestion(action_type="GazeAt", action={"target": "door"}, lapses_after_s=300),
        character="ada",
    )
    await link.next("message", count=6)
    link.say(order("GazeAt", {"target": "door"}))
    resolved = {"suggestion": asked.id, "outcome": "accepted"}
    link.say(order("SuggestionResolved", resolved, ref=2))
    link.say(order("SessionMark", {"label": "note"}, ref=3))

    def decisions() -> list[Any]:
        return [one.message for one in stage.operators if one.type == "OperatorDecided"]

    await until(lambda: len(decisions()) == 2)
    own, answer = decisions()
    ids = [one["id"] for one in link.all("accepted")]
    assert (own.action, own.action_type, own.by, own.suggestion) == (
        ids[0],
        "GazeAt",
        "wizard",
        None,
    )
    assert own.seen == [people.id, newest.id, another.id, click.id]
    assert own.feeds == []
    assert 0.0 <= own.reaction_s <= stage.clock() - began_s
    assert (answer.action, answer.suggestion) == (ids[1], asked.id)
    assert 0.0 <= answer.reaction_s <= stage.clock() - began_s


async def test_beside_a_decision_stand_the_pictures_of_the_room_that_were_open(stage):
    link = await stage.page("wizard")
    looked_away = [stage.gateway.operators.look("wizard", "camera") for _ in range(2)]
    for number, still_open in enumerate((["camera"], ["camera"], []), start=1):
        link.say(order("GazeAt", {"target": "door"}, ref=number))
        await link.next("accepted", count=number)
        decided = [one.message for one in stage.operators if one.type == "OperatorDecided"]
        assert decided[-1].feeds == still_open
        if looked_away:
            looked_away.pop()()


async def test_a_restricted_wizards_decisions_say_so_and_an_observer_is_not_restricted(make_stage):
    stage = await make_stage(restricted=True)
    wizard, observer = await stage.page("wizard"), await stage.page("observer")
    assert (await wizard.next("hello"))["restricted"] is True
    assert (await observer.next("hello"))["restricted"] is False
    wizard.say(order("GazeAt", {"target": "door"}))
    await until(lambda: any(one.type == "OperatorDecided" for one in stage.operators))
    decided = next(one for one in stage.operators if one.type == "OperatorDecided")
    assert decided.message.restricted is True


@pytest.mark.parametrize("reveal", [False, True])
async def test_the_condition_is_shown_only_where_the_study_reveals_it(make_stage, reveal):
    stage = await make_stage(reveal_condition=reveal)
    link = await stage.listening("observer", "*")
    stage.other.publish(ConditionAssigned(session="s1", participant="p1", condition="warm"))
    stage.other.publish(Clicked(element="a"))
    await link.next("message", count=2 if reveal else 1)
    types = [one["type"] for one in link.all("message") if one["type"] != "OperatorsPresent"]
    assert types == (["ConditionAssigned", "Clicked"] if reveal else ["Clicked"])

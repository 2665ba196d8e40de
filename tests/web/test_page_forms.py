"""Forms: the gateway makes the record of what a participant handed in."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sera.messages import FormOffered
from tests.helpers import until

SHEET = {"questionnaire": "trust", "answers": {"q1": 4}, "free_answers": {"q2": "fine"}}


def hand_in(ref: int = 1, **more: Any) -> dict[str, Any]:
    return {"answers": {**SHEET, "ref": ref, **more}}


async def test_a_sheet_is_recorded_under_the_participant_to_whom_the_form_was_offered(stage):
    offer = FormOffered(questionnaire="trust", participant="p07", session="s3", language="pt")
    stage.other.publish(offer)
    link = await stage.listening("participant", "FormOffered")
    assert (await link.next("message"))["data"]["participant"] == "p07"
    link.say(hand_in(duration_s=12.5, item_order=["q1", "q2"]))
    accepted = await link.next("accepted")
    await until(lambda: any(one.type == "QuestionnaireAnswered" for one in stage.heard))
    record = stage.heard[-1]
    assert record.id == accepted["id"]
    assert (record.message.participant, record.message.session) == ("p07", "s3")
    assert record.message.answers == {"q1": 4}
    assert record.message.free_answers == {"q2": "fine"}
    assert record.source == "world.gateway"


async def test_a_sheet_that_comes_late_goes_to_the_participant_that_it_names(stage):
    for participant, session in (("p07", "s3"), ("p08", "s4")):
        stage.other.publish(
            FormOffered(questionnaire="trust", participant=participant, session=session)
        )
    link = await stage.page("participant")
    link.say(hand_in(participant="p07", session="s3", age_s=600.0))
    await link.next("accepted")
    await until(lambda: stage.heard[-1].type == "QuestionnaireAnswered")
    assert stage.heard[-1].message.participant == "p07"
    link.say(hand_in(ref=2, participant="p70", session="s3"))
    assert "no form was offered to 'p70'" in (await link.next("refused"))["why"]


async def test_without_a_participant_a_sheet_belongs_to_nobody(stage):
    link = await stage.page("participant")
    link.say(hand_in())
    assert "names no participant" in (await link.next("refused"))["why"]


@pytest.mark.parametrize("role", ["wizard", "observer", "activity"])
async def test_only_a_participants_page_hands_in_forms(stage, role):
    link = await stage.page(role)
    link.say(hand_in(participant="p01"))
    assert "fills in no forms" in (await link.next("refused"))["why"]


@pytest.mark.parametrize(
    "type_name",
    ["Speak", "QuestionnaireAnswered", "EmergencyStop", "GuideSession", "Clicked", "SessionMark"],
)
async def test_a_participants_page_can_never_send_a_message_of_any_kind(stage, type_name):
    link = await stage.page("participant")
    link.say({"send": {"type": type_name, "data": {}, "ref": 5}})
    assert "may not send" in (await link.next("refused"))["why"]
    assert stage.heard == []


async def test_answers_that_the_form_does_not_take_are_refused_with_its_own_reason(make_stage):
    stage = await make_stage(check_sheet=lambda record: [f"q1: {record.answers['q1']} is too much"])
    link = await stage.page("participant")
    link.say(hand_in(participant="p01"))
    why = (await link.next("refused"))["why"]
    assert why == "the form does not take these answers: q1: 4 is too much"
    assert stage.heard == []


class Disk:
    """Says when a record is kept, as the test wishes."""

    def __init__(self) -> None:
        self.space = asyncio.Event()
        self.asked: list[str] = []

    async def kept(self, message_id: str) -> None:
        self.asked.append(message_id)
        await self.space.wait()


async def test_a_sheet_is_accepted_only_when_it_is_kept(make_stage):
    disk = Disk()
    stage = await make_stage(kept=disk.kept)
    heard: list[Any] = []
    stage.gateway.hearers.append(heard.append)
    link = await stage.page("participant")
    link.say(hand_in(participant="p01"))
    await until(lambda: disk.asked, "the publishing")
    await asyncio.sleep(0.1)
    assert link.all("accepted") == []
    assert heard == []  # whoever asks whether it was received is told no
    disk.space.set()
    assert (await link.next("accepted"))["id"] == disk.asked[0] == stage.heard[-1].id
    assert [one.id for one in heard] == disk.asked


async def test_a_tablet_that_comes_back_while_its_sheet_waits_is_answered_and_records_it_once(
    make_stage,
):
    disk = Disk()
    stage = await make_stage(kept=disk.kept)
    link = await stage.page("participant", session="tablet")
    link.say(hand_in(participant="p01"))
    await until(lambda: disk.asked, "the publishing")
    link.leave()
    again = await stage.page("participant", session="tablet")
    again.say(hand_in(participant="p01"))
    await asyncio.sleep(0.1)
    disk.space.set()
    assert (await again.next("accepted"))["id"] == disk.asked[0]
    assert len(disk.asked) == 1
    assert [one.type for one in stage.heard] == ["QuestionnaireAnswered"]


async def test_a_mark_that_waits_for_the_disk_holds_up_no_order_of_the_wizard(make_stage):
    disk = Disk()
    stage = await make_stage(kept=disk.kept)
    link = await stage.page("wizard")
    link.say({"send": {"type": "SessionMark", "data": {"label": "note"}, "ref": 1}})
    order = {"type": "Speak", "data": {"text": "Hello."}, "character": "ada", "ref": 2}
    link.say({"send": order})
    assert (await link.next("accepted"))["ref"] == 2
    assert [one.type for one in stage.heard][:2] == ["SessionMark", "Speak"]
    disk.space.set()
    await until(lambda: {one["ref"] for one in link.all("accepted")} == {1, 2})

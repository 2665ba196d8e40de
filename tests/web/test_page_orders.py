"""Actions that pages perform: sent, confirmed, offered again, or reported as expired."""

from __future__ import annotations

import asyncio

from sera.messages import ActivityCommand, Envelope, ExpiryReason, Highlight
from sera.web._orders import Orders
from tests.helpers import until

_sequence = iter(range(1, 1_000_000))


def highlight(stage, *, age_s: float = 0.0, character: str = "ada") -> Envelope:
    return Envelope(
        Highlight(element="card_3"),
        f"ada.mind-0-{next(_sequence)}",
        stage.clock() - age_s,
        "ada.mind",
        character,
    )


async def test_a_highlight_reaches_the_activity_page_and_its_confirmation_ends_it(stage):
    link = await stage.listening("activity", "Highlight")
    envelope = highlight(stage)
    stage.gateway.perform(envelope)
    message = await link.next("message")
    assert (message["id"], message["data"]["element"]) == (envelope.id, "card_3")
    link.say({"received": {"id": envelope.id}})
    await until(lambda: not len(stage.gateway._orders))
    await stage.gateway.close()
    assert stage.expired == []


async def test_only_the_pages_of_its_character_that_want_it_get_it(stage):
    bob = await stage.listening("activity", "Highlight", character="bob")
    commands_only = await stage.listening("activity", "ActivityCommand")
    everybody = await stage.listening("activity", "*")
    participant = await stage.page("participant")
    stage.gateway.perform(highlight(stage, character="ada"))
    await everybody.next("message")
    stage.gateway.perform(highlight(stage, character="world"))
    await bob.next("message")
    assert len(bob.all("message")) == 1
    assert commands_only.all("message") == participant.all("message") == []


async def test_a_page_that_comes_back_in_time_gets_what_nobody_confirmed(stage):
    lost = await stage.listening("activity", "Highlight")
    envelope = highlight(stage)
    stage.gateway.perform(envelope)
    await lost.next("message")
    lost.leave()
    await until(lambda: not stage.gateway.pages)
    back = await stage.listening("activity", "Highlight")
    assert (await back.next("message"))["id"] == envelope.id
    back.say({"subscribe": {"types": ["Highlight", "ActivityCommand"]}})
    await back.next("subscribed", count=2)
    assert len(back.all("message")) == 1  # one connection is sent it once


async def test_an_action_without_a_page_is_reported_when_it_expires(stage):
    envelope = highlight(stage, age_s=1.95)
    stage.gateway.perform(envelope)
    await until(lambda: stage.expired)
    assert stage.expired == [(envelope, ExpiryReason.NO_RECEIVER)]
    late = await stage.listening("activity", "Highlight")
    await asyncio.sleep(0.01)
    assert late.all("message") == []


async def test_an_action_that_no_page_confirms_is_reported_as_unanswered(stage):
    link = await stage.listening("activity", "Highlight")
    envelope = highlight(stage, age_s=1.0)
    stage.gateway.perform(envelope)
    await link.next("message")
    await until(lambda: stage.expired)
    assert stage.expired == [(envelope, ExpiryReason.NO_ANSWER)]


async def test_an_action_that_waited_too_long_for_a_stalled_page_is_not_sent(stage):
    link = await stage.listening("activity", "*")
    link.takes.clear()
    stage.gateway.perform(highlight(stage))
    await asyncio.sleep(0.01)  # the writer holds the first one and waits for the page
    stage.gateway.perform(highlight(stage, age_s=1.95))
    await until(lambda: stage.expired)
    link.takes.set()
    link.say({"ping": {}})
    await link.next("pong")
    assert len(link.all("message")) == 1


async def test_a_page_cannot_confirm_what_it_does_not_perform(stage):
    activity = await stage.listening("activity", "Highlight")
    wizard = await stage.listening("wizard", "*")
    envelope = highlight(stage)
    stage.gateway.perform(envelope)
    await activity.next("message")
    for message_id in (envelope.id, "nobody-0-1", ""):
        wizard.say({"received": {"id": message_id}})
    wizard.say({"ping": {}})
    await wizard.next("pong")
    assert len(stage.gateway._orders) == 1


async def test_a_wizards_highlight_reaches_the_activity_pages_of_the_same_gateway(stage):
    activity = await stage.listening("activity", "Highlight")
    wizard = await stage.page("wizard", character="ada")
    wizard.say({"send": {"type": "Highlight", "data": {"element": "card_3"}, "ref": 1}})
    accepted = await wizard.next("accepted")
    assert (await activity.next("message"))["id"] == accepted["id"]


async def test_orders_are_bounded_and_the_oldest_is_reported():
    given_up = []
    orders = Orders(
        now=lambda: 0.0, expired=lambda one, why: given_up.append((one.id, why)), limit=2
    )
    for number in range(3):
        command = ActivityCommand(command="deal")
        orders.add(Envelope(command, f"ada.mind-0-{number}", 0.0, "ada.mind", "ada"), [])
    assert given_up == [("ada.mind-0-0", ExpiryReason.OUTBOX_FULL)]
    orders.close()
    assert len(given_up) == 3


async def test_the_same_action_is_taken_in_once(stage):
    link = await stage.listening("activity", "Highlight")
    envelope = highlight(stage)
    stage.gateway.perform(envelope)
    stage.gateway.perform(envelope)
    await link.next("message")
    assert len(stage.gateway._orders) == 1

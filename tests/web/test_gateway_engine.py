"""The gateway's engine: admission, speaking and listening, over an in-memory bus."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sera.messages import (
    PROTOCOL_VERSION,
    Clicked,
    EmergencyStop,
    ModulePresence,
    PersonDetected,
    PersonMoved,
    Position,
    Speak,
)
from sera.web import Limits, PageRole, Tokens
from tests.helpers import until

SPEAK = {"type": "Speak", "data": {"text": "Hello"}, "character": "ada"}
CLICK = {"type": "Clicked", "data": {"element": "card_3"}}
FORM = {"questionnaire": "trust", "participant": "p01", "answers": {"q1": 4}}


def send(frame: dict[str, Any], ref: int = 7, **more: Any) -> dict[str, Any]:
    return {"send": {**frame, "ref": ref, **more}}


def hand_in(ref: int, **more: Any) -> dict[str, Any]:
    return {"answers": {**FORM, "ref": ref, **more}}


# -- coming in ----------------------------------------------------------------------------


async def test_hello_tells_role_run_characters_and_rights(make_stage):
    stage = await make_stage(pages=lambda: ["/pages/game.html"], boot=3)
    link = await stage.page("activity", character="ada", page="game.html")
    hello = await link.next("hello")
    assert hello.pop("may_send")["Clicked"] == {"kind": "perception", "valid_for_s": None}
    assert hello.pop("now_s") == pytest.approx(stage.clock(), abs=1.0)
    assert hello == {
        "operator": None,
        "desk": None,
        "restricted": False,
        "protocol": PROTOCOL_VERSION,
        "run": "hello-1",
        "boot": 3,
        "source": "world.gateway",
        "role": "activity",
        "page": "game.html",
        "character": "ada",
        "characters": ["ada", "bob"],
        "may_receive": {
            "ActivityCommand": {"kind": "action", "stream": False},
            "Highlight": {"kind": "action", "stream": False},
        },
        "pages": [],
    }
    watching = await (await stage.page("observer")).next("hello")
    assert watching["pages"] == ["/pages/game.html"]
    assert watching["may_send"] == {}


@pytest.mark.parametrize(
    ("query", "code", "part"),
    [
        ({"role": None}, 4400, "names no role; valid: wizard, observer, participant, activity"),
        ({"role": "wizzard"}, 4400, "did you mean wizard?"),
        ({"role": "module"}, 4400, "'module'"),
        (
            {"role": "wizard", "character": "adda"},
            4404,
            "no character 'adda' in this run; did you mean ada?",
        ),
        ({"role": "wizard", "character": "a/#"}, 4404, "use lower-case letters"),
        ({"role": "wizard", "session": "x" * 101}, 4400, "session"),
    ],
)
async def test_a_page_that_asks_for_nonsense_is_told_why_and_not_let_in(stage, query, code, part):
    link = await stage.page(**query)
    assert part in (await link.next("refused"))["why"]
    await until(lambda: link.closed)
    assert link.closed[0] == code
    assert stage.gateway.pages == []
    assert part in stage.reports[0]


async def test_a_token_opens_its_own_role_and_no_other(make_stage):
    tokens = Tokens("a secret of some length")
    stage = await make_stage(tokens=tokens)
    for role in PageRole:
        await (await stage.page(role, token=tokens.for_role(role))).next("hello")
    participant = tokens.for_role(PageRole.PARTICIPANT)
    for token in (participant, None, "", "ü", participant.upper(), participant[:-1]):
        link = await stage.page("wizard", token=token)
        assert "the token for role wizard" in (await link.next("refused"))["why"]
        await until(lambda link=link: link.closed and link.closed[0] == 4401)


def test_tokens_are_long_differ_by_role_and_come_from_the_secret_alone():
    tokens = {Tokens("a secret of some length").for_role(role) for role in PageRole}
    assert len(tokens) == 4
    assert all(len(token) == 40 for token in tokens)
    assert tokens == {Tokens("a secret of some length").for_role(role) for role in PageRole}
    assert Tokens().for_role(PageRole.WIZARD) != Tokens().for_role(PageRole.WIZARD)


def test_a_short_secret_is_refused_because_all_tokens_are_made_from_it():
    with pytest.raises(ValueError, match="has 5 characters: use at least 16"):
        Tokens("short")


async def test_no_more_pages_are_let_in_than_the_limit(make_stage):
    stage = await make_stage(limits=Limits(pages=2))
    await stage.page("observer")
    leaving = await stage.page("observer")
    assert (
        "2 pages are connected already"
        in (await (await stage.page("observer")).next("refused"))["why"]
    )
    leaving.leave()
    await until(lambda: len(stage.gateway.pages) == 1)
    await (await stage.page("observer")).next("hello")


# -- speaking -----------------------------------------------------------------------------


async def test_a_click_of_an_activity_page_is_published_for_the_world(stage):
    link = await stage.page("activity")
    link.say(send(CLICK))
    accepted = await link.next("accepted")
    assert accepted["ref"] == 7
    envelope = (await until(lambda: stage.heard))[0]
    assert envelope.message == Clicked(element="card_3")
    assert (envelope.character, envelope.source, envelope.cause) == ("world", "world.gateway", None)
    assert envelope.id == accepted["id"]


async def test_the_time_is_when_the_fact_was_observed(stage):
    link = await stage.page("activity")
    before = stage.clock()
    link.say(send(CLICK, age_s=3.0))
    await link.next("accepted")
    envelope = (await until(lambda: stage.heard))[0]
    assert before - 3.0 <= envelope.time <= stage.clock() - 3.0


async def test_a_wizard_speaks_for_any_character_and_names_it_where_there_are_two(stage):
    link = await stage.page("wizard")
    link.say(send({"type": "Speak", "data": {"text": "Hello"}}, ref=1))
    assert "Speak needs a character, one of ada, bob, world" in (await link.next("refused"))["why"]
    link.say(send({**SPEAK, "character": "bob"}, ref=2))
    await link.next("accepted")
    envelope = (await until(lambda: stage.heard))[0]
    assert (envelope.message, envelope.character) == (Speak(text="Hello"), "bob")


async def test_a_page_of_a_character_speaks_for_it(stage):
    link = await stage.page("wizard", character="bob")
    link.say(send({"type": "Speak", "data": {"text": "Hello"}}))
    await link.next("accepted")
    assert (await until(lambda: stage.heard))[0].character == "bob"


async def test_the_only_character_need_not_be_named(make_stage):
    stage = await make_stage(characters=lambda: ["ada"])
    link = await stage.page("wizard")
    link.say(send({"type": "Speak", "data": {"text": "Hello"}}))
    await link.next("accepted")
    assert (await until(lambda: stage.heard))[0].character == "ada"


async def test_an_emergency_stop_without_a_character_stops_everybody(stage):
    link = await stage.page("wizard")
    link.say(send({"type": "EmergencyStop"}))
    await link.next("accepted")
    assert (await until(lambda: stage.heard))[0].character == "world"


async def test_messages_of_one_page_are_published_in_the_order_in_which_it_sent_them(stage):
    link = await stage.page("activity")
    for number in range(100):
        link.say(send({"type": "Clicked", "data": {"element": f"card_{number}"}}, ref=number))
    await until(lambda: len(stage.heard) == 100)
    assert [one.message.element for one in stage.heard] == [f"card_{n}" for n in range(100)]
    assert [one["ref"] for one in link.all("accepted")] == list(range(100))


async def test_a_frame_that_is_sent_again_after_a_lost_connection_is_published_once(stage):
    first = await stage.page("participant", session="tablet")
    first.say(hand_in(1))
    accepted = await first.next("accepted")
    first.leave()
    again = await stage.page("participant", session="tablet")
    again.say(hand_in(1))
    assert await again.next("accepted") == accepted
    stranger = await stage.page("participant", session="other tablet")
    stranger.say(hand_in(1))
    assert (await stranger.next("accepted"))["id"] != accepted["id"]
    await until(lambda: len(stage.heard) == 2)


async def test_a_frame_that_is_sent_again_while_the_first_is_under_way_waits_for_its_answer(
    make_stage,
):
    bus_is_free = asyncio.Event()
    published = []

    async def slow_publish(message: Any, *, character: str, time_s: float) -> str:
        await bus_is_free.wait()
        published.append(message)
        return f"world.gateway-0-{len(published)}"

    stage = await make_stage(publish=slow_publish)
    first = await stage.page("participant", session="tablet")
    first.say(hand_in(1))
    await asyncio.sleep(0.01)
    again = await stage.page("participant", session="tablet")
    again.say(hand_in(1))
    await asyncio.sleep(0.01)
    bus_is_free.set()
    assert (await again.next("accepted"))["id"] == "world.gateway-0-1"
    assert len(published) == 1


async def test_what_a_page_sent_before_it_went_is_still_published(stage):
    link = await stage.page("participant")
    link.breaks = True
    for number in range(30):
        link.say(hand_in(number))
    link.leave()
    await until(lambda: not stage.gateway.pages)
    await until(lambda: len(stage.heard) == 30)


async def test_an_emergency_stop_overtakes_what_is_still_to_be_published(make_stage):
    bus_is_free = asyncio.Event()
    published = []

    async def publish(message: Any, *, character: str, time_s: float) -> str:
        if not isinstance(message, EmergencyStop):
            await bus_is_free.wait()
        published.append(type(message).__name__)
        return f"world.gateway-0-{len(published)}"

    stage = await make_stage(publish=publish)
    link = await stage.page("wizard", character="ada")
    for ref in range(10):
        link.say(send(SPEAK, ref=ref))
    link.say(send({"type": "EmergencyStop"}, ref=99))
    assert (await link.next("accepted"))["ref"] == 99
    bus_is_free.set()
    await link.next("accepted", count=11)
    orders = [name for name in published if not name.startswith("Operator")]
    assert orders == ["EmergencyStop"] + ["Speak"] * 10


async def test_when_the_bus_fails_the_page_is_told_and_not_blamed(make_stage):
    async def broken_publish(message: Any, *, character: str, time_s: float) -> str:
        raise RuntimeError("512 Actions wait for receipts")

    stage = await make_stage(publish=broken_publish, limits=Limits(offences=1))
    link = await stage.page("activity")
    for ref in range(5):
        link.say(send(CLICK, ref=ref))
    refused = await link.next("refused", count=5)
    assert refused == {"ref": 4, "why": "it could not be published: 512 Actions wait for receipts"}
    assert len(stage.gateway.pages) == 1
    assert "Clicked of a page was not published" in stage.reports[0]


# -- listening ----------------------------------------------------------------------------


async def test_a_page_hears_what_it_subscribed_to_and_nothing_else(stage):
    link = await stage.listening("observer", "PersonDetected")
    stage.other.publish(Clicked(element="a"))
    stage.other.publish(PersonDetected(person="visitor"))
    message = await link.next("message")
    assert message["type"] == "PersonDetected"
    assert message["data"]["person"] == "visitor"
    assert len(link.all("message")) == 1


async def test_a_page_hears_nothing_before_it_subscribes(stage):
    link = await stage.page("observer")
    stage.other.publish(Clicked(element="a"))
    link.say({"subscribe": {"types": ["PersonDetected"]}})
    await link.next("subscribed")
    stage.other.publish(PersonDetected(person="visitor"))
    assert (await link.next("message"))["type"] == "PersonDetected"


async def test_the_state_that_stands_is_brought_at_once(stage):
    stage.other.publish(ModulePresence(status="present", boot=0))
    link = await stage.listening("observer", "ModulePresence")
    assert (await link.next("message"))["source"] == "ada.mind"
    later = await stage.listening("observer", "*")
    assert (await later.next("message"))["data"]["status"] == "present"


async def test_a_page_of_a_character_hears_that_character_and_the_world(stage):
    bob = await stage.listening("observer", "*", character="bob")
    stage.other.publish(Speak(text="from ada"), character="ada")
    stage.other.publish(Speak(text="from bob"), character="bob")
    stage.other.publish(PersonDetected(person="visitor"))
    await bob.next("message", count=2)
    assert [one["character"] for one in bob.all("message")] == ["bob", "world"]


async def test_a_later_subscription_replaces_the_earlier_one(stage):
    link = await stage.listening("observer", "Clicked", "PersonDetected")
    link.say({"subscribe": {"types": ["PersonDetected"], "ref": 2}})
    assert await link.next("subscribed", count=2) == {"ref": 2, "types": ["PersonDetected"]}
    stage.other.publish(Clicked(element="a"))
    stage.other.publish(PersonDetected(person="visitor"))
    assert (await link.next("message"))["type"] == "PersonDetected"


async def test_a_wrong_name_in_a_subscription_is_refused_and_the_rest_holds(stage):
    link = await stage.page("observer")
    link.say({"subscribe": {"types": ["PersonDetectd", "Clicked"], "ref": 3}})
    refused = await link.next("refused")
    assert refused == {
        "ref": 3,
        "why": "unknown message type 'PersonDetectd'; did you mean PersonDetected?",
    }
    assert (await link.next("subscribed"))["types"] == ["Clicked"]
    stage.other.publish(Clicked(element="a"))
    assert (await link.next("message"))["type"] == "Clicked"


async def test_a_role_that_may_not_listen_hears_nothing(stage):
    participant = await stage.page("participant")
    participant.say({"subscribe": {"types": ["*", "Clicked"]}})
    why = (await participant.next("refused"))["why"]
    assert "may not receive Clicked; it may receive only FormOffered" in why
    activity = await stage.page("activity")
    activity.say({"subscribe": {"types": ["SpeechHeard", "*"]}})
    assert (
        "it may receive only ActivityCommand, Highlight" in (await activity.next("refused"))["why"]
    )
    watching = await stage.listening("observer", "*")
    stage.other.publish(Clicked(element="a"))
    await watching.next("message")
    assert participant.all("message") == activity.all("message") == []


async def test_what_one_page_says_is_shown_to_the_others_but_not_to_itself(stage):
    watching = await stage.listening("observer", "Speak")
    wizard = await stage.listening("wizard", "Speak", character="ada")
    wizard.say(send(SPEAK))
    accepted = await wizard.next("accepted")
    message = await watching.next("message")
    assert (message["id"], message["source"]) == (accepted["id"], "world.gateway")
    assert wizard.all("message") == []


async def test_an_action_that_its_sender_repeats_is_shown_once(stage):
    watching = await stage.listening("observer", "*", "Speak")
    envelope = stage.other.publish(Speak(text="Hello"), character="ada")
    stage.other.send(envelope)
    stage.other.publish(Clicked(element="a"))
    await watching.next("message", count=2)
    assert [one["type"] for one in watching.all("message")] == ["Speak", "Clicked"]


async def test_a_ping_is_answered(stage):
    link = await stage.page("participant")
    asked_s = stage.clock()
    link.say({"ping": {"ref": 5}})
    pong = await link.next("pong")
    assert pong["ref"] == 5
    assert asked_s - 0.01 <= pong["now_s"] <= stage.clock() + 0.01


async def test_a_page_that_left_leaves_nothing_behind(stage):
    own = list(stage.bus._subscriptions)
    link = await stage.listening("observer", "PersonMoved", "*")
    assert len(stage.bus._subscriptions) > len(own)
    link.leave()
    await until(lambda: not stage.gateway.pages)
    assert stage.bus._subscriptions == own
    stage.other.publish(PersonMoved(person="visitor", position=Position(x_m=0, y_m=1, z_m=2)))
    await asyncio.sleep(0.01)
    assert link.all("message") == []

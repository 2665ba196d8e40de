"""What every bus promises: one suite for the in-memory twin and for MQTT on both brokers."""

from __future__ import annotations

import asyncio
import contextvars

import pytest

from sera.bus import NotConnected, PayloadTooLarge, ReplyTimeout
from sera.messages import (
    BodyHealth,
    BodyState,
    ClockProbe,
    ClockReply,
    GazeAt,
    ModulePresence,
    PersonDetected,
    PresenceStatus,
    SpeechStarted,
    SpeechWord,
)

LOST = ModulePresence(status=PresenceStatus.LOST, boot=0)
PRESENT = ModulePresence(status=PresenceStatus.PRESENT, boot=0)


def word(index: int, speech: str = "s") -> SpeechWord:
    return SpeechWord(speech=speech, index=index, text="word", start_s=0.0)


def body(battery: float) -> BodyState:
    return BodyState(health=BodyHealth.OK, battery=battery)


# -- who hears what -----------------------------------------------------------------------------


async def test_a_message_arrives_as_it_was_sent(carrier):
    speaker = await carrier.join("ada.voice", boot=7)
    listener = await carrier.join("ada.behaviour")
    heard = await carrier.hear(listener, SpeechStarted)
    sent = speaker.publish(
        SpeechStarted(speech="s1", text="Olá, “visitor” \u2028 \N{ROBOT FACE}", voice="v"),
        cause="ada.behaviour-0-3",
        time_s=12.345678901234567,
    )
    await heard.reaches(1)
    assert heard[0] == sent
    assert heard[0].id == "ada.voice-7-1"
    assert (heard[0].source, heard[0].character) == ("ada.voice", "ada")
    assert heard[0].cause == "ada.behaviour-0-3"
    assert heard[0].time == 12.345678901234567


async def test_only_the_types_that_were_asked_for_are_heard(carrier):
    speaker = await carrier.join("ada.voice")
    listener = await carrier.join("ada.behaviour")
    heard = await carrier.hear(listener, SpeechWord)
    speaker.publish(SpeechStarted(speech="s", text="t"))
    speaker.publish(word(1))
    await heard.reaches(1)
    assert [envelope.type for envelope in heard] == ["SpeechWord"]
    assert listener.counters.received == 1


async def test_a_characters_modules_hear_their_own_and_world_but_no_other_character(carrier):
    ada = await carrier.hear(await carrier.join("ada.mind"), SpeechWord, PersonDetected)
    bob = await carrier.hear(await carrier.join("bob.mind"), SpeechWord, PersonDetected)
    speaker = await carrier.join("world.director")
    speaker.publish(word(1), character="ada")
    speaker.publish(word(2), character="bob")
    speaker.publish(PersonDetected(person="p1"))
    await ada.reaches(2)
    await bob.reaches(2)
    assert [(e.character, e.type) for e in ada] == [
        ("ada", "SpeechWord"),
        ("world", "PersonDetected"),
    ]
    assert [(e.character, e.type) for e in bob] == [
        ("bob", "SpeechWord"),
        ("world", "PersonDetected"),
    ]


async def test_what_belongs_to_nobody_is_world_s_whoever_says_it(carrier):
    listener = await carrier.hear(await carrier.join("bob.mind"), PersonDetected, SpeechWord)
    ada = await carrier.join("ada.camera")
    ada.publish(word(1))  # ada's own: not for bob
    ada.publish(PersonDetected(person="p1"))
    await listener.reaches(1)
    assert [(e.character, e.source) for e in listener] == [("world", "ada.camera")]


async def test_modules_of_world_hear_everybody(carrier):
    heard = await carrier.hear(await carrier.join("world.console"), SpeechWord)
    for source in ("ada.voice", "bob.voice"):
        (await carrier.join(source)).publish(word(1))
    await heard.reaches(2)
    assert sorted(e.character for e in heard) == ["ada", "bob"]


async def test_a_bus_can_be_told_to_hear_everybody_or_a_chosen_character(carrier):
    everybody = await carrier.join("ada.monitor", hears_everyone=True)
    assert everybody.hears_everyone
    all_words = await carrier.hear(everybody, SpeechWord)
    chosen = await carrier.join("ada.friend")
    bobs_words = await carrier.hear(chosen, SpeechWord, characters=["bob"])
    bob = await carrier.join("bob.voice")
    ada = await carrier.join("ada.voice")
    ada.publish(word(1))
    bob.publish(word(2))
    await all_words.reaches(2)
    await bobs_words.reaches(1)
    assert [e.character for e in bobs_words] == ["bob"]


async def test_all_types_are_still_only_those_of_ones_own_character_and_world(carrier):
    ada = await carrier.hear(await carrier.join("ada.logger"))
    console = await carrier.join("world.console")
    bobs = await carrier.hear(console, characters=["bob"])
    speaker = await carrier.join("world.director")
    for character in ("bob", "ada", "world"):
        speaker.publish(word(1), character=character)
    await ada.reaches(2)
    await bobs.reaches(2)
    assert [e.character for e in ada] == ["ada", "world"]
    assert [e.character for e in bobs] == ["bob", "world"]


async def test_what_arrives_does_not_run_in_the_context_of_its_sender(carrier):
    """The runtime keeps the message being handled there: a receiver must not inherit it."""
    place = contextvars.ContextVar("place", default="outside")
    listener = await carrier.join("ada.mind")
    speaker = await carrier.join("ada.voice")
    places = []
    await listener.subscribe([SpeechWord], lambda _: places.append(place.get()))
    heard = await carrier.hear(listener, SpeechWord)
    place.set("in the sender's handler")
    speaker.publish(word(1))
    await heard.reaches(1)
    assert places == ["outside"]


async def test_a_module_does_not_hear_itself(carrier):
    speaker = await carrier.join("ada.voice")
    own = await carrier.hear(speaker)
    other = await carrier.join("ada.mind")
    speaker.publish(word(1))
    speaker.publish(body(0.5))
    other.publish(word(2))
    await own.reaches(1)
    assert [e.source for e in own] == ["ada.mind"]


async def test_a_closed_subscription_hears_nothing_more(carrier):
    listener = await carrier.join("ada.mind")
    speaker = await carrier.join("ada.voice")
    ended: list[object] = []
    subscription = await listener.subscribe([SpeechWord], ended.append)
    going_on = await carrier.hear(listener, SpeechStarted)
    subscription.close()
    subscription.close()  # harmless
    speaker.publish(word(1))
    speaker.publish(SpeechStarted(speech="s", text="t"))
    await going_on.reaches(1)
    assert ended == []


async def test_overlapping_subscriptions_are_each_served_once(carrier):
    listener = await carrier.join("world.console")
    speaker = await carrier.join("ada.voice")
    everything = await carrier.hear(listener)
    words = await carrier.hear(listener, SpeechWord)
    words_and_more = await carrier.hear(listener, SpeechWord, BodyState, GazeAt)
    speaker.publish(word(1))
    speaker.publish(body(0.5))
    speaker.publish(GazeAt(target="p1"))
    speaker.publish(SpeechStarted(speech="end", text="t"))
    await everything.reaches(4)
    assert [e.type for e in everything] == ["SpeechWord", "BodyState", "GazeAt", "SpeechStarted"]
    assert [e.type for e in words] == ["SpeechWord"]
    assert [e.type for e in words_and_more] == ["SpeechWord", "BodyState", "GazeAt"]


async def test_a_subscriber_that_raises_harms_nobody(carrier, caplog):
    listener = await carrier.join("ada.mind")
    speaker = await carrier.join("ada.voice")

    def fail(_: object) -> None:
        raise RuntimeError("on purpose")

    await listener.subscribe([SpeechWord], fail)
    heard = await carrier.hear(listener, SpeechWord)
    speaker.publish(word(1))
    speaker.publish(word(2))
    await heard.reaches(2)
    assert "a subscriber failed on ada.voice-0-" in caplog.text


# -- order --------------------------------------------------------------------------------------


async def test_two_thousand_events_of_two_publishers_arrive_in_each_publishers_order(carrier):
    listener = await carrier.join("ada.mind")
    heard = await carrier.hear(listener, SpeechWord)
    speakers = [await carrier.join("ada.voice"), await carrier.join("ada.echo")]
    for index in range(1000):
        for speaker in speakers:
            speaker.publish(word(index))
        if index % 50 == 0:
            await asyncio.sleep(0)
    await heard.reaches(2000)
    for speaker in speakers:
        of_one = [e.message.index for e in heard if e.source == speaker.identity.source]
        assert of_one == list(range(1000))
    assert listener.counters.received == 2000
    assert listener.counters.duplicates == 0


async def test_events_state_and_actions_of_one_publisher_keep_their_order(carrier):
    listener = await carrier.join("ada.mind")
    heard = await carrier.hear(listener, SpeechWord, BodyState, GazeAt)
    speaker = await carrier.join("ada.voice")
    sent = []
    for index in range(500):
        kinds = (word(index), body(index / 500), GazeAt(target=f"t{index}"))
        sent.append(speaker.publish(kinds[index % 3]).id)
        if index % 100 == 0:
            await asyncio.sleep(0)
    await heard.reaches(500)
    assert [e.id for e in heard] == sent


# -- request and reply --------------------------------------------------------------------------


async def test_a_request_gets_the_reply_that_it_caused(carrier):
    recorder = await carrier.join("world.recorder")
    asking, bystander = await carrier.join("ada.camera"), await carrier.join("ada.mind")

    def answer(envelope) -> None:
        for cause in ("ada.somebody-0-1", envelope.id):
            recorder.publish(
                ClockReply(probe=envelope.id, received_at_s=1.0, sent_at_s=2.0),
                character=envelope.character,
                cause=cause,
            )

    await recorder.subscribe([ClockProbe], answer)
    one, two = await asyncio.gather(
        asking.request(ClockProbe(sequence=1), ClockReply, cause="ada.camera-0-0"),
        bystander.request(ClockProbe(sequence=2), ClockReply),
    )
    assert one.cause == one.message.probe
    assert two.cause == two.message.probe
    assert (one.cause.partition("-")[0], two.cause.partition("-")[0]) == ("ada.camera", "ada.mind")
    assert asking._replies == {}
    assert asking._subscriptions == []


async def test_a_request_that_nobody_answers_says_so(carrier):
    asking = await carrier.join("ada.camera")
    with pytest.raises(ReplyTimeout, match=r"no ClockReply came within 0\.05 s in reply to Clock"):
        await asking.request(ClockProbe(), ClockReply, timeout_s=0.05)
    assert asking._replies == {}
    assert asking._subscriptions == []


# -- speaking out of turn -----------------------------------------------------------------------


async def test_publishing_before_the_connection_stands_is_an_error(carrier):
    bus = await carrier.join("ada.voice", connected=False)
    assert not bus.connected
    with pytest.raises(NotConnected, match=r"ada\.voice published SpeechWord before"):
        bus.publish(word(1))


async def test_what_is_published_after_the_close_is_counted_as_lost(carrier):
    listener = await carrier.hear(await carrier.join("ada.mind"))
    bus = await carrier.join("ada.voice")
    bus.publish(word(1))
    await bus.close()
    bus.publish(word(2))
    bus.publish(body(0.1))
    assert bus.counters.lost == 2
    await listener.reaches(1)
    assert await carrier.retained_topics() == []


@pytest.mark.parametrize("kind", ["event", "state", "action"])
async def test_a_message_beyond_one_mebibyte_is_refused_where_it_is_published(carrier, kind):
    bus = await carrier.join("ada.voice")
    listener = await carrier.hear(await carrier.join("ada.mind"))
    filler = "x" * (1024 * 1024)
    too_large = {
        "event": SpeechStarted(speech="s", text=filler),
        "state": BodyState(health=BodyHealth.OK, problem=filler),
        "action": GazeAt(target=filler),
    }[kind]
    with pytest.raises(PayloadTooLarge, match=r"the limit is 1,048,576"):
        bus.publish(too_large)
    almost = SpeechStarted(speech="s", text="x" * (1024 * 1024 - 300))
    bus.publish(almost)
    await listener.reaches(1)
    assert listener[0].message == almost
    assert await carrier.retained_topics() == []


@pytest.mark.parametrize(
    "character", ["Ada", "a/b", "+", "#", "", "a b", "\N{GREEK SMALL LETTER ALPHA}"]
)
async def test_a_character_that_could_not_be_addressed_is_refused(carrier, character):
    bus = await carrier.join("ada.voice")
    with pytest.raises(ValueError, match="character"):
        bus.publish(word(1), character=character)
    heard = await carrier.hear(await carrier.join("ada.mind"), SpeechWord)
    bus.publish(word(2), character="ada")
    await heard.reaches(1)


@pytest.mark.parametrize("time_s", [float("nan"), float("inf"), float("-inf")])
async def test_a_time_that_is_no_time_is_refused(carrier, time_s):
    bus = await carrier.join("ada.voice")
    with pytest.raises(ValueError, match="time"):
        bus.publish(word(1), time_s=time_s)


async def test_the_recorder_can_follow_what_its_own_bus_publishes(carrier):
    bus = await carrier.join("world.recorder")
    published = []
    bus.on_published = published.append
    sent = [bus.publish(word(1), character="ada"), bus.publish(body(0.1), character="ada")]
    assert published == sent
    assert bus.counters.published == 2


async def test_those_who_wait_for_the_connection_are_told(carrier):
    bus = await carrier.join("ada.voice", connected=False)
    told = []
    bus.on_connected.append(lambda: told.append(bus.connected))
    await bus.connect()
    assert told == [True]
    assert bus.counters.connections == 1

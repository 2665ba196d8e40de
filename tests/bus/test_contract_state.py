"""What every bus promises about State and last wills, in memory and on both brokers."""

from __future__ import annotations

from sera.messages import (
    Autonomy,
    BodyHealth,
    BodyState,
    GazeAt,
    ModulePresence,
    PresenceStatus,
    SpeechWord,
)
from tests.helpers import until

LOST = ModulePresence(status=PresenceStatus.LOST, boot=0)
PRESENT = ModulePresence(status=PresenceStatus.PRESENT, boot=0)


def word(index: int, speech: str = "s") -> SpeechWord:
    return SpeechWord(speech=speech, index=index, text="word", start_s=0.0)


def body(battery: float) -> BodyState:
    return BodyState(health=BodyHealth.OK, battery=battery)


async def test_state_reaches_late_comers_one_for_each_source_and_only_the_last(carrier):
    left, right = await carrier.join("ada.left"), await carrier.join("ada.right")
    left.publish(body(0.1))
    left.publish(body(0.2))
    right.publish(body(0.3))
    watcher = await carrier.hear(await carrier.join("world.watcher"), BodyState)
    await watcher.reaches(2)  # now the broker has all three
    late = await carrier.hear(await carrier.join("ada.late"), BodyState)
    await late.reaches(2)
    assert {e.source: e.message.battery for e in late} == {"ada.left": 0.2, "ada.right": 0.3}
    left.publish(body(0.4))
    await late.reaches(3)
    assert len(late) == 3
    assert late[-1].message.battery == 0.4


async def test_events_and_actions_do_not_wait_for_late_comers(carrier):
    speaker = await carrier.join("ada.voice")
    early = await carrier.hear(await carrier.join("ada.early"), BodyState)
    speaker.publish(word(1))
    speaker.publish(GazeAt(target="p1"))
    speaker.publish(body(0.1))
    await early.reaches(1)
    late = await carrier.hear(await carrier.join("ada.late"))
    await late.reaches(1)
    assert [e.type for e in late] == ["BodyState"]


async def test_a_second_subscription_gets_the_state_that_is_known_already(carrier):
    speaker = await carrier.join("ada.body")
    listener = await carrier.join("ada.mind")
    first = await carrier.hear(listener, BodyState)
    speaker.publish(body(0.5))
    await first.reaches(1)
    second = await carrier.hear(listener, BodyState)
    third = await carrier.hear(listener, BodyState, SpeechWord)
    await second.reaches(1)
    await third.reaches(1)
    speaker.publish(word(1))
    await third.reaches(2)
    assert [e.message.battery for e in second] == [0.5]
    assert [e.type for e in third] == ["BodyState", "SpeechWord"]
    assert len(first) == 1


async def test_state_that_was_let_go_is_brought_anew_and_never_stale(carrier):
    speaker = await carrier.join("ada.body")
    listener = await carrier.join("ada.mind")
    first = await listener.subscribe([BodyState], lambda _: None)
    speaker.publish(body(0.1))
    first.close()
    speaker.publish(body(0.2))
    watcher = await carrier.hear(await carrier.join("world.watcher"), BodyState)
    await watcher.reaches(1)
    again = await carrier.hear(listener, BodyState)
    await again.reaches(1)
    speaker.publish(body(0.3))
    while again[-1].message.battery != 0.3:
        await again.reaches(len(again) + 1)
    assert 0.1 not in [e.message.battery for e in again]


async def test_the_last_will_speaks_after_a_death_and_replaces_the_state(carrier):
    listener = await carrier.hear(await carrier.join("world.supervisor"), ModulePresence)
    dying = await carrier.join("ada.voice", will=LOST)
    dying.publish(PRESENT)
    await listener.reaches(1)
    carrier.kill(dying)
    await listener.reaches(2)
    assert [e.message.status for e in listener] == ["present", "lost"]
    assert listener[1].source == "ada.voice"
    assert listener[1].id != listener[0].id
    late = await carrier.hear(await carrier.join("world.late"), ModulePresence)
    await late.reaches(1)
    assert late[0].message.status == "lost"


async def test_a_clean_close_leaves_no_last_will_and_no_state_behind(carrier):
    supervisor = await carrier.join("world.supervisor")
    listener = await carrier.hear(supervisor, ModulePresence, BodyState)
    going = await carrier.join("ada.voice", will=LOST)
    staying = await carrier.join("ada.body")
    going.publish(PRESENT)
    going.publish(body(0.5))
    staying.publish(body(0.9))
    await listener.reaches(3)
    await going.close()
    assert not going.connected
    late = await carrier.hear(await carrier.join("world.late"), ModulePresence, BodyState)
    await late.reaches(1)
    assert [(e.type, e.source) for e in late] == [("BodyState", "ada.body")]
    assert await carrier.retained_topics() == [f"sera/{carrier.run}/ada/BodyState/ada.body"]
    staying.publish(body(0.8))
    await listener.reaches(4)
    batteries = [e.message.battery for e in listener if e.type == "BodyState"]
    assert sorted(batteries[:2]) == [0.5, 0.9], "of two publishers, in any order"
    assert batteries[2:] == [0.8]
    assert [e.message.status for e in listener if e.type == "ModulePresence"] == ["present"]


async def test_a_will_of_an_earlier_life_does_not_stand_against_the_new_one(carrier):
    """A broker notices a cut cable late: then the old will comes after the new life's State."""
    supervisor = await carrier.join("world.supervisor")
    listener = await carrier.hear(supervisor, ModulePresence)
    old = await carrier.join("ada.voice", boot=1, will=LOST)
    old.publish(PRESENT)
    new = await carrier.join("ada.voice", boot=2, will=LOST)
    await carrier.hear(new, ModulePresence)
    second = new.publish(PRESENT)
    await listener.reaches(2)
    carrier.kill(old)
    await until(lambda: len(listener) >= 4)
    assert listener[2].message.status == "lost"
    assert listener[3].id == second.id, "the living source says again what is the case"
    late = await carrier.hear(await carrier.join("world.late"), ModulePresence)
    await late.reaches(1)
    assert late[0].id == second.id


async def test_purge_clears_all_that_a_run_left_with_the_broker(carrier):
    supervisor = await carrier.join("world.supervisor")
    await carrier.hear(supervisor)
    dead = await carrier.join("ada.voice", will=LOST)
    dead.publish(PRESENT)
    dead.publish(body(0.5))
    alive = await carrier.join("ada.body")
    alive.publish(body(0.6))
    carrier.kill(dead)
    elsewhere = await carrier.join("ada.body", run=f"{carrier.run}_other")
    elsewhere.publish(body(0.7))
    await until(lambda: supervisor.counters.received == 4)
    supervisor.publish(Autonomy(), character="ada")
    supervisor.purge()
    await alive.close()
    await supervisor.close()
    assert await carrier.retained_topics() == []
    late = await carrier.join("world.late")
    heard = await carrier.hear(late)
    assert heard == []
    assert await carrier.retained_topics(f"{carrier.run}_other") != []


async def test_two_runs_on_one_broker_do_not_hear_each_other(carrier):
    other_run = f"{carrier.run}_b"
    heard = {}
    for run in (carrier.run, other_run):
        speaker = await carrier.join("ada.voice", run=run, will=LOST)
        speaker.publish(body(0.1 if run == other_run else 0.2))
        listener = await carrier.join("world.monitor", run=run)
        heard[run] = await carrier.hear(listener)
        speaker.publish(word(1, speech=run))
    for run, envelopes in heard.items():
        await envelopes.reaches(2)
        assert [e.type for e in envelopes] == ["BodyState", "SpeechWord"]
        assert envelopes[1].message.speech == run

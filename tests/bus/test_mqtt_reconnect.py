"""MQTT in hard times, on both brokers: killed brokers, and addresses where none answers."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator

import pytest

from sera.bus import (
    BrokerAddress,
    EmbeddedBroker,
    Identity,
    MqttBus,
    PayloadTooLarge,
    _mqtt,
)
from sera.messages import (
    BodyState,
    Envelope,
    GazeAt,
    JointFrame,
    ModulePresence,
    PresenceStatus,
    SpeechStarted,
    SpeechWord,
)
from sera.runtime.clock import run
from tests.helpers import until

kill_9 = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX matter")
LOST = ModulePresence(status=PresenceStatus.LOST, boot=0)


@pytest.fixture
async def broker(broker_kind) -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker(prefer=broker_kind) as started:
        yield started


class Company:
    """Buses on one broker that all leave at the end."""

    def __init__(self, address: BrokerAddress) -> None:
        self.address = address
        self.buses: list[MqttBus] = []

    async def join(self, source: str, *, boot: int = 0) -> MqttBus:
        character, _, module = source.partition(".")
        bus = MqttBus(
            Identity("run", character, module, boot), self.address, now=time.time, will=LOST
        )
        await bus.connect()
        self.buses.append(bus)
        return bus


@pytest.fixture
async def company(broker) -> AsyncIterator[Company]:
    company = Company(BrokerAddress(broker.host, broker.port))
    yield company
    for bus in company.buses:
        await bus.close()


def word(index: int) -> SpeechWord:
    return SpeechWord(speech="s", index=index, text="word", start_s=0.0)


async def everybody_is_back(company: Company) -> None:
    await until(lambda: all(bus.counters.connections > 1 for bus in company.buses))
    await until(lambda: all(bus.connected for bus in company.buses))


# -- the broker dies ----------------------------------------------------------------------------


async def kill_the_broker_under_a_speaker(broker: EmbeddedBroker, company: Company) -> None:
    """Events before, during and after an outage."""
    speaker, listener = await company.join("ada.voice"), await company.join("ada.mind")
    heard: list[Envelope] = []
    await listener.subscribe([SpeechWord], heard.append)
    for index in range(20):
        speaker.publish(word(index))
    await until(lambda: len(heard) == 20)
    os.kill(broker.pid, signal.SIGKILL)
    await until(lambda: not speaker.connected)
    for index in range(20, 60):
        speaker.publish(word(index))
    await everybody_is_back(company)
    for index in range(60, 80):
        speaker.publish(word(index))
    await until(lambda: len(heard) >= 80)
    assert [e.message.index for e in heard] == list(range(80))
    assert speaker.counters.lost == 0
    assert speaker.counters.connections == listener.counters.connections == 2


@kill_9
async def test_after_kill_9_everybody_is_back_and_events_arrive_once_in_order(broker, company):
    await kill_the_broker_under_a_speaker(broker, company)


@kill_9
def test_after_kill_9_everybody_is_back_on_the_event_loop_of_real_runs_too(broker_kind):
    async def main() -> None:
        async with EmbeddedBroker(prefer=broker_kind) as broker:
            company = Company(BrokerAddress(broker.host, broker.port))
            await kill_the_broker_under_a_speaker(broker, company)
            for bus in company.buses:
                await bus.close()

    run(main(), clock="real")


@kill_9
async def test_a_listener_that_is_back_later_than_the_speaker_misses_no_event(
    broker, company, monkeypatch
):
    speaker, listener = await company.join("ada.voice"), await company.join("ada.mind")
    heard: list[Envelope] = []
    await listener.subscribe([SpeechWord], heard.append)
    speaker.publish(word(0))
    await until(lambda: len(heard) == 1)
    open_client, may_come = _mqtt.open_client, asyncio.Event()

    async def delayed(name, *arguments, **options):
        if "mind" in name:
            await may_come.wait()
        return await open_client(name, *arguments, **options)

    monkeypatch.setattr(_mqtt, "open_client", delayed)
    os.kill(broker.pid, signal.SIGKILL)
    await until(lambda: not speaker.connected)
    speaker.publish(word(1))
    await until(lambda: speaker.connected)
    assert not listener.connected
    speaker.publish(word(2))
    may_come.set()
    await until(lambda: len(heard) == 3)
    assert [e.message.index for e in heard] == [0, 1, 2]


@kill_9
async def test_after_kill_9_state_is_there_again_and_subscriptions_are_in_force(broker, company):
    body, mind = await company.join("ada.body"), await company.join("ada.mind")
    heard: list[Envelope] = []
    await mind.subscribe([BodyState], heard.append)
    body.publish(BodyState(health="ok", battery=0.1))
    await until(lambda: len(heard) == 1)

    os.kill(broker.pid, signal.SIGKILL)
    await until(lambda: not body.connected)
    body.publish(BodyState(health="ok", battery=0.2))
    during: list[Envelope] = []
    await mind.subscribe([SpeechStarted], during.append)  # asked for while nobody listens
    await everybody_is_back(company)
    late = await company.join("ada.late")
    found: list[Envelope] = []
    await late.subscribe([BodyState], found.append)
    await until(lambda: bool(found))
    assert [e.message.battery for e in found] == [0.2]
    await until(lambda: len(heard) == 2)
    assert [e.message.battery for e in heard] == [0.1, 0.2]
    late.publish(SpeechStarted(speech="s", text="t"))
    await until(lambda: len(during) == 1)


@kill_9
async def test_without_a_broker_streams_are_dropped_and_counted_and_actions_are_not_kept(
    broker, company
):
    body, mind = await company.join("ada.body"), await company.join("ada.mind")
    heard: list[Envelope] = []
    await mind.subscribe([JointFrame, GazeAt, SpeechStarted], heard.append)
    os.kill(broker.pid, signal.SIGKILL)
    await until(lambda: not body.connected)
    for frame in range(25):
        body.publish(JointFrame(frame=frame))
    body.publish(GazeAt(target="p"))  # the runtime's outbox sends it again, not the bus
    assert body.counters.dropped == 25
    await everybody_is_back(company)
    body.publish(JointFrame(frame=100))
    body.publish(SpeechStarted(speech="end", text="t"))
    await until(lambda: len(heard) == 2)
    assert [e.type for e in heard] == ["JointFrame", "SpeechStarted"]
    assert heard[0].message.frame == 100


@kill_9
async def test_a_broker_killed_again_while_clients_are_coming_back_costs_nobody_the_way_back(
    broker, company
):
    for name in ("voice", "mind", "body"):
        await company.join(f"ada.{name}")
    for _ in range(3):
        pid = broker.pid
        os.kill(pid, signal.SIGKILL)
        await until(lambda: broker.pid != pid)  # noqa: B023
    await until(lambda: all(bus.connected for bus in company.buses))


@kill_9
async def test_what_is_too_large_is_refused_while_disconnected_and_does_not_hinder_the_return(
    broker, company
):
    voice, mind = await company.join("ada.voice"), await company.join("ada.mind")
    heard: list[Envelope] = []
    await mind.subscribe([SpeechStarted], heard.append)
    os.kill(broker.pid, signal.SIGKILL)
    await until(lambda: not voice.connected)
    for message in (
        SpeechStarted(speech="s", text="x" * 2**20),
        BodyState(health="ok", problem="x" * 2**20),
    ):
        with pytest.raises(PayloadTooLarge):
            voice.publish(message)
    voice.publish(SpeechStarted(speech="s", text="small"))
    await everybody_is_back(company)
    await until(lambda: len(heard) == 1)
    assert heard[0].message.text == "small"


@kill_9
async def test_a_backlog_that_grows_too_long_loses_its_oldest_and_counts_them(
    broker, company, monkeypatch
):
    monkeypatch.setattr(_mqtt, "BACKLOG_LIMIT", 10)
    voice, mind = await company.join("ada.voice"), await company.join("ada.mind")
    heard: list[Envelope] = []
    await mind.subscribe([SpeechWord], heard.append)
    os.kill(broker.pid, signal.SIGKILL)
    await until(lambda: not voice.connected)
    for index in range(25):
        voice.publish(word(index))
    await until(lambda: len(heard) == 10)
    assert [e.message.index for e in heard] == list(range(15, 25))
    assert voice.counters.lost == 15


@kill_9
async def test_leaving_while_there_is_no_broker_waits_for_none_and_says_what_was_lost(
    broker_kind, caplog
):
    broker = EmbeddedBroker(prefer=broker_kind)
    await broker.start()
    voice = await Company(BrokerAddress(broker.host, broker.port)).join("ada.voice")
    await broker.stop()
    await until(lambda: not voice.connected)
    voice.publish(word(1))
    voice.publish(word(2))
    with caplog.at_level(logging.WARNING, "sera.bus"):
        await voice.close()
    assert voice.counters.lost == 2
    assert "left without a broker for its last Events" in caplog.text
    leftovers = [
        task.get_name() for task in asyncio.all_tasks() if "reconnecting" in task.get_name()
    ]
    assert leftovers == []


async def test_leaving_right_after_speaking_loses_nothing(company):
    mind = await company.join("ada.mind")
    heard: list[Envelope] = []
    await mind.subscribe([SpeechWord], heard.append)
    voice = await company.join("ada.voice")
    for index in range(500):
        voice.publish(word(index))
    await voice.close()
    await until(lambda: len(heard) == 500)


async def test_one_who_lost_only_the_own_connection_is_announced_lost_and_present_again(company):
    voice, mind = await company.join("ada.voice"), await company.join("ada.mind")
    heard: list[Envelope] = []
    await mind.subscribe([ModulePresence], heard.append)
    voice.publish(ModulePresence(status=PresenceStatus.PRESENT, boot=0))
    await until(lambda: len(heard) == 1)
    voice._transport.abort()
    await until(lambda: len(heard) == 3)
    assert [e.message.status for e in heard] == ["present", "lost", "present"]
    assert heard[0].id == heard[2].id


@kill_9
async def test_a_stream_that_the_broker_does_not_take_gives_way_at_its_old_end(broker, company):
    body, mind = await company.join("ada.body"), await company.join("ada.mind")
    heard: list[Envelope] = []
    await mind.subscribe([JointFrame], heard.append)
    joints = {f"joint_{number}": 0.123456789 for number in range(400)}
    os.kill(broker.pid, signal.SIGSTOP)
    try:
        for frame in range(1500):
            body.publish(JointFrame(joints_rad=joints, frame=frame))
            await asyncio.sleep(0)
    finally:
        os.kill(broker.pid, signal.SIGCONT)
    await until(lambda: bool(heard) and heard[-1].message.frame == 1499)
    assert body.counters.dropped > 0
    assert len(heard) == 1500 - body.counters.dropped
    frames = [e.message.frame for e in heard]
    assert frames == sorted(frames)
    assert frames[-200:] == list(range(1300, 1500)), "the newest are the ones that are kept"

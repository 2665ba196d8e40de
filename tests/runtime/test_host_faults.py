"""What goes wrong in a module, or arrives broken: reported, and the next message handled."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest

from sera import on
from sera.messages import (
    ActivityEvent,
    ModuleFault,
)
from sera.runtime import Role
from sera.runtime._faults import FAULTS_PER_SECOND
from tests.runtime.listeners import Listener, word


def test_an_exception_in_a_handler_is_reported_and_the_next_message_handled(in_virtual_time):
    async def scene(troupe):
        listener = await troupe.add(Listener, "ada.listener")
        said = await troupe.say(word(13), word(14))
        assert listener.handled == [14]
        (fault,) = troupe.all(ModuleFault)
        assert fault.message.module == "ada.listener"
        assert fault.message.severity == "error"
        assert fault.message.summary == (
            "ada.listener: listen while handling SpeechWord: ValueError: thirteen"
        )
        assert 'raise ValueError("thirteen")' in fault.message.detail
        assert (fault.message.about, fault.message.sender) == (said[0].id, "world.stranger")
        assert fault.cause == said[0].id
        assert listener._host.counters.faults == 1

    in_virtual_time(scene)


def test_a_handler_that_waits_for_something_cancelled_is_a_fault_not_the_end(in_virtual_time):
    class Fragile(Listener):
        @on(ActivityEvent)
        async def trip(self, _message: ActivityEvent) -> None:
            inner = asyncio.create_task(asyncio.sleep(9))
            inner.cancel()
            await inner

    async def scene(troupe):
        fragile = await troupe.add(Fragile, "ada.fragile")
        await troupe.say(ActivityEvent(event="e"), word(1))
        await troupe.say(word(2))
        assert fragile.handled == [1, 2]
        (fault,) = troupe.all(ModuleFault)
        assert "trip while handling ActivityEvent: CancelledError" in fault.message.summary

    in_virtual_time(scene)


def test_a_flood_of_faults_is_cut_to_what_people_can_read_and_says_so(in_virtual_time):
    async def scene(troupe):
        listener = await troupe.add(Listener, "ada.listener")
        await troupe.say(*[word(13) for _ in range(200)])
        faults = [e.message.summary for e in troupe.all(ModuleFault)]
        assert len(faults) == FAULTS_PER_SECOND + 1
        assert faults[-1] == (
            "ada.listener: more than 20 faults within a second; the others are only counted"
        )
        assert listener._host.counters.faults == 200
        await asyncio.sleep(1.0)
        await troupe.say(word(13))
        assert len(troupe.all(ModuleFault)) == FAULTS_PER_SECOND + 2

    in_virtual_time(scene)


@pytest.mark.parametrize("text", ["x" * 3_000_000, "lone \ud800 surrogate", ""])
def test_no_text_of_an_exception_can_keep_its_report_from_being_sent(in_virtual_time, text):
    class Wordy(Listener):
        @on(ActivityEvent)
        async def fail(self, _message: ActivityEvent) -> None:
            raise RuntimeError(text)

    async def scene(troupe):
        wordy = await troupe.add(Wordy, "ada.wordy")
        await troupe.say(ActivityEvent(event="e"), word(1))
        assert wordy.handled == [1]
        wordy.fault(text)
        await asyncio.sleep(0.001)
        first, second = troupe.all(ModuleFault)
        assert len(first.message.summary) <= 600
        assert len(first.message.detail) <= 20_000
        assert second.message.summary

    in_virtual_time(scene)


class Recorder(Listener):
    role: ClassVar = Role.RECORDER
    seen: ClassVar[list[bytes]] = []

    def on_malformed(self, problem: Any, payload: bytes) -> None:
        self.seen.append(payload)


def test_a_malformed_message_is_reported_with_its_sender_and_by_the_recorder_alone(
    in_virtual_time,
):
    async def scene(troupe):
        await troupe.add(Listener, "ada.listener")
        topic = "sera/run/ada/SpeechWord/ada.broken"
        troupe.broker.publish(topic, b"rubbish")
        await asyncio.sleep(0.01)
        (fault,) = troupe.all(ModuleFault)
        assert fault.source == "ada.listener", "without a recorder whoever hears it reports"
        assert (fault.message.module, fault.message.sender) == ("ada.broken", "ada.broken")
        assert fault.message.severity == "warning"
        assert topic in fault.message.summary

        await troupe.add(Recorder, "world.recorder")
        troupe.broker.publish(topic, b"more rubbish")
        await asyncio.sleep(0.01)
        assert [e.source for e in troupe.all(ModuleFault)] == ["ada.listener", "world.recorder"]
        assert Recorder.seen == [b"more rubbish"]

    in_virtual_time(scene)


@pytest.mark.parametrize("sender", ["", " ", "\ud800"])
def test_a_sender_without_a_name_is_reported_all_the_same(in_virtual_time, sender):
    class Everything(Listener):
        role: ClassVar = Role.RECORDER

        async def start(self) -> None:
            await super().start()
            await self.bus.subscribe(None, lambda _: None, everyone=True)

    async def scene(troupe):
        await troupe.add(Everything, "world.recorder")
        troupe.broker.publish(f"sera/run/ada/SpeechWord/{sender}", b"rubbish")
        await asyncio.sleep(0.01)
        assert len(troupe.all(ModuleFault)) == 1

    in_virtual_time(scene)

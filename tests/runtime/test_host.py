"""What the runtime does around a module: handling, faults, presence, life and death."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest

from sera import Module, on
from sera.bus import NotConnected, ReplyTimeout
from sera.messages import (
    ActivityEvent,
    Envelope,
    JointFrame,
    ModuleCounters,
    ModuleFault,
    ModulePresence,
    SpeechStarted,
    SpeechWord,
)
from sera.runtime import Role
from sera.runtime._host import STOP_TIMEOUT_S, CancelledFromWithin
from tests.runtime.listeners import Listener, word

# -- handling -----------------------------------------------------------------------------------


def test_handlers_run_one_at_a_time_in_order_of_arrival(in_virtual_time):
    async def scene(troupe):
        listener = await troupe.add(Listener, "ada.listener")
        await troupe.say(*[word(index) for index in (101, 1, 102, 2)])
        assert listener.handled == []
        await asyncio.sleep(1.5)
        assert listener.handled == [101, 1]
        await asyncio.sleep(1.0)
        assert listener.handled == [101, 1, 102, 2]
        assert listener._host.counters.handled == 4

    in_virtual_time(scene)


def test_a_slow_handler_does_not_hold_the_connection_and_streams_give_way(in_virtual_time):
    async def scene(troupe):
        listener = await troupe.add(Listener, "ada.listener")
        await troupe.say(word(101), *[JointFrame(frame=n) for n in range(100)], word(1))
        counters = listener._host.counters
        received = counters.received
        assert received >= 102, "all arrived while the handler slept"
        assert counters.dropped == 100 - 32
        assert len(listener._host.inbox) == 33
        await asyncio.sleep(1.1)
        assert listener.handled == [101, *[f"frame {n}" for n in range(68, 100)], 1]

    in_virtual_time(scene)


def test_what_a_handler_says_names_the_message_that_led_to_it(in_virtual_time):
    class Echo(Module):
        role: ClassVar = Role.PERCEPTION

        async def run(self) -> None:
            await self.publish(SpeechStarted(speech="by itself", text="t"))

        @on(SpeechWord)
        async def answer(self, message: SpeechWord, envelope: Envelope) -> None:
            await self.publish(SpeechStarted(speech="at once", text=envelope.id))
            self.task = asyncio.create_task(self.answer_later(envelope.id))
            await self.publish(SpeechStarted(speech="named", text="t"), cause="ada.other-0-9")

        async def answer_later(self, asked: str) -> None:
            await asyncio.sleep(1.0)
            await self.publish(SpeechStarted(speech="later", text=asked))

    async def scene(troupe):
        await troupe.add(Echo, "ada.echo")
        first, second = await troupe.say(word(1), word(2))
        await asyncio.sleep(2.0)
        said = troupe.all(SpeechStarted)
        causes = {e.message.speech: e.cause for e in said}
        assert causes["by itself"] is None
        assert causes["named"] == "ada.other-0-9"
        traced = [
            (e.message.text, e.cause) for e in said if e.message.speech in ("at once", "later")
        ]
        assert traced == [(i, i) for i in (first.id, second.id, first.id, second.id)]

    in_virtual_time(scene)


def test_a_request_is_caused_by_what_is_handled_and_times_out_with_a_sentence(in_virtual_time):
    class Curious(Module):
        role: ClassVar = Role.PERCEPTION
        problems: ClassVar[list[str]] = []

        @on(SpeechWord)
        async def ask(self, _message: SpeechWord) -> None:
            try:
                await self.request(ActivityEvent(event="ask"), SpeechStarted, timeout_s=0.5)
            except ReplyTimeout as error:
                self.problems.append(str(error))

    async def scene(troupe):
        await troupe.add(Curious, "ada.curious")
        (said,) = await troupe.say(word(1))
        await asyncio.sleep(1.0)
        (asked,) = troupe.all(ActivityEvent)
        assert asked.cause == said.id
        (problem,) = Curious.problems
        assert problem.startswith("no SpeechStarted came within 0.5 s in reply to ActivityEvent")

    in_virtual_time(scene)


# -- life and death -----------------------------------------------------------------------------


def test_presence_goes_from_starting_to_present_to_stopped_and_nothing_stays_behind(
    in_virtual_time,
):
    async def scene(troupe):
        host = troupe.host(Listener, "ada.listener")
        with pytest.raises(NotConnected):
            host.bus.publish(word(1))
        task = await troupe.let_live(host)
        await asyncio.sleep(0.1)
        host.stop()
        await task
        await asyncio.sleep(0.1)
        statuses = [e.message.status for e in troupe.all(ModulePresence)]
        assert statuses == ["starting", "present", "stopped"]
        assert troupe.broker.retained == {}
        assert troupe.all(ModuleFault) == []
        (counters,) = troupe.all(ModuleCounters)
        assert counters.message.counts["connections"] == 1
        assert 0 not in counters.message.counts.values(), "what was not counted is left out"

    in_virtual_time(scene)


def test_messages_that_come_before_start_is_through_wait_for_it(in_virtual_time):
    class Slow(Listener):
        async def start(self) -> None:
            await super().start()
            await asyncio.sleep(2.0)
            self.handled.append("started")

    async def scene(troupe):
        host = troupe.host(Slow, "ada.slow")
        await troupe.let_live(host)
        await troupe.say(word(1))
        await asyncio.sleep(3.0)
        assert host.module.handled == ["started", 1]

    in_virtual_time(scene)


@pytest.mark.parametrize("where", ["start", "run"])
def test_an_exception_out_of_start_or_run_ends_the_module(in_virtual_time, where):
    class Mortal(Module):
        stopped: ClassVar[list[str]] = []

        async def start(self) -> None:
            if where == "start":
                raise OSError("no camera")

        async def run(self) -> None:
            await asyncio.sleep(0.5)
            raise OSError("no camera")

        async def stop(self) -> None:
            self.stopped.append(self.source)

    async def scene(troupe):
        task = await troupe.let_live(troupe.host(Mortal, "ada.mortal"))
        with pytest.raises(OSError, match="no camera"):
            await task
        await asyncio.sleep(0.01)
        statuses = [e.message.status for e in troupe.all(ModulePresence)]
        assert statuses[0] == "starting"
        assert statuses[-1] == "lost"
        (fault,) = troupe.all(ModuleFault)
        assert fault.message.summary == f"ada.mortal: {where}: OSError: no camera"
        assert "Traceback" in fault.message.detail
        assert Mortal.stopped == ["ada.mortal"]
        assert troupe.broker.retained == {}

    in_virtual_time(scene)


@pytest.mark.parametrize("where", ["start", "run"])
def test_start_or_run_that_waits_for_something_cancelled_is_a_death_and_not_a_silence(
    in_virtual_time, where
):
    async def trip() -> None:
        inner = asyncio.create_task(asyncio.sleep(9))
        inner.cancel()
        await inner

    class Fragile(Module):
        async def start(self) -> None:
            if where == "start":
                await trip()

        async def run(self) -> None:
            await trip()

    async def scene(troupe):
        task = await troupe.let_live(troupe.host(Fragile, "ada.fragile"))
        with pytest.raises(CancelledFromWithin, match=where):
            await task

    in_virtual_time(scene)


def test_a_module_that_is_stopped_while_it_starts_ends_at_once(in_virtual_time):
    class Endless(Module):
        async def start(self) -> None:
            await asyncio.sleep(3600)

    async def scene(troupe):
        host = troupe.host(Endless, "ada.endless")
        task = await troupe.let_live(host)
        await asyncio.sleep(1.0)
        host.stop()
        before_s = troupe.clock.now()
        await task
        assert troupe.clock.now() - before_s < 0.5
        await asyncio.sleep(0.01)
        assert [e.message.status for e in troupe.all(ModulePresence)] == ["starting", "stopped"]
        assert troupe.all(ModuleFault) == []

    in_virtual_time(scene)


def test_a_stop_that_hangs_is_cut_and_reported(in_virtual_time):
    class Clinging(Module):
        async def stop(self) -> None:
            await asyncio.sleep(3600)

    async def scene(troupe):
        module = await troupe.add(Clinging, "ada.clinging")
        before_s = troupe.clock.now()
        module._host.stop()
        await troupe.tasks[module._host]
        assert STOP_TIMEOUT_S <= troupe.clock.now() - before_s < 2.0
        await asyncio.sleep(0.01)
        (fault,) = troupe.all(ModuleFault)
        assert fault.message.summary.startswith("ada.clinging: stop: TimeoutError")
        assert troupe.all(ModulePresence)[-1].message.status == "stopped"

    in_virtual_time(scene)


def test_a_handler_under_way_has_ended_before_stop_is_called(in_virtual_time):
    class Tidy(Module):
        role: ClassVar = Role.PERCEPTION
        story: ClassVar[list[str]] = []

        @on(SpeechWord)
        async def listen(self, _message: SpeechWord) -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                await asyncio.sleep(0.05)
                self.story.append("handler ended")

        async def stop(self) -> None:
            self.story.append("stop")

    async def scene(troupe):
        module = await troupe.add(Tidy, "ada.tidy")
        await troupe.say(word(1))
        module._host.stop()
        await troupe.tasks[module._host]
        assert Tidy.story == ["handler ended", "stop"]
        await asyncio.sleep(0.01)
        assert troupe.all(ModuleFault) == []

    in_virtual_time(scene)


def test_counters_are_published_when_something_was_counted(in_virtual_time):
    async def scene(troupe):
        await troupe.add(Listener, "ada.listener")
        await troupe.say(word(1))
        await asyncio.sleep(301.0)
        counts = [e.message.counts for e in troupe.all(ModuleCounters)]
        assert len(counts) == 1, "nothing was counted after the first minute"
        assert counts[0]["handled"] == 1

    in_virtual_time(scene)

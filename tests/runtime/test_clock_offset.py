"""The offset between the clocks of two machines, measured over the bus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import ClockOffset, ClockProbe, ClockReply, Envelope
from sera.runtime import _clock_offset as clock_offset
from sera.runtime._clock_offset import ClockOffsetWatch, Probe
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_in_loop

seconds = st.floats(0, 1e9)
short = st.floats(0, 10)


@given(seconds, st.floats(-1e6, 1e6), short, short, short)
def test_with_equal_ways_the_offset_is_exact_and_otherwise_off_by_half_the_difference(
    sent_s, offset_s, there_s, held_s, back_s
):
    received_s = sent_s + there_s + offset_s
    if received_s < 0:
        return
    reply = ClockReply(probe="x", received_at_s=received_s, sent_at_s=received_s + held_s)
    probe = Probe.from_times(sent_s, reply, sent_s + there_s + held_s + back_s)
    tolerance_s = 1e-6
    assert probe.round_trip_s == pytest.approx(there_s + back_s, abs=tolerance_s)
    assert abs(probe.offset_s - offset_s) <= probe.round_trip_s / 2 + tolerance_s
    assert probe.offset_s - offset_s == pytest.approx((there_s - back_s) / 2, abs=tolerance_s)


class Recorder:
    """Answers as the recorder does, after a delay for each answer; None: not at all."""

    def __init__(self, broker: MemoryBroker, clock: Clock, delays_s: list[float | None]) -> None:
        self._clock = clock
        self._delays_s = delays_s
        self.offsets: list[ClockOffset] = []
        self.bus = MemoryBus(Identity("run", "world", "recorder"), broker, now=clock.now)

    async def open(self) -> None:
        await self.bus.connect()
        await self.bus.subscribe([ClockProbe, ClockOffset], self._hear, everyone=True)

    def _hear(self, envelope: Envelope) -> None:
        if isinstance(envelope.message, ClockOffset):
            self.offsets.append(envelope.message)
            return
        delay_s = self._delays_s.pop(0) if self._delays_s else 0.0
        if delay_s is not None:
            asyncio.get_running_loop().call_later(delay_s, self._reply, envelope)

    def _reply(self, probe: Envelope) -> None:
        now_s = self._clock.now()
        reply = ClockReply(probe=probe.id, received_at_s=now_s, sent_at_s=now_s)
        self.bus.publish(reply, character=probe.character, cause=probe.id)


def watched(
    scene: Callable[[ClockOffsetWatch, Recorder, list[str]], object],
    *,
    skew_s: float,
    delays_s: list[float | None] | None = None,
    every_s: float = 60.0,
) -> None:
    """Play a scene in virtual time: the recorder's clock is right, the module's is not."""

    async def play() -> None:
        broker = MemoryBroker()
        recorder = Recorder(broker, Clock(), list(delays_s or []))
        await recorder.open()
        own = Clock(skew_s=skew_s)
        bus = MemoryBus(Identity("run", "ada", "eyes"), broker, now=own.now)
        await bus.connect()
        warnings: list[str] = []
        log = logging.getLogger("sera.test.clock")
        watch = ClockOffsetWatch(bus, own.now, warn=warnings.append, log=log, every_s=every_s)
        await scene(watch, recorder, warnings)

    run_in_loop(play(), clock="virtual")


@pytest.mark.parametrize("skew_s", [0.05, -0.05, 0.0, 3.0])
def test_a_clock_that_is_wrong_is_found_out_to_the_millisecond(skew_s):
    async def scene(watch, recorder, _warnings):
        offset = await watch.measure()
        # The recorder's time minus one's own: a clock that runs ahead has to be set back.
        assert offset.offset_s == pytest.approx(-skew_s, abs=1e-3)
        assert offset.probes == clock_offset.PROBES

    watched(scene, skew_s=skew_s)


def test_of_several_answers_the_quickest_counts():
    async def scene(watch, _recorder, _warnings):
        offset = await watch.measure()
        assert offset.round_trip_s == pytest.approx(0.002, abs=1e-4)
        assert offset.offset_s == pytest.approx(-0.05, abs=0.0011)

    watched(scene, skew_s=0.05, delays_s=[0.4, 0.3, 0.002, 0.2, 0.1])


def test_above_twenty_milliseconds_it_warns_once_and_publishes_each_measurement(caplog):
    async def scene(watch, recorder, warnings):
        with caplog.at_level(logging.INFO):
            task = asyncio.create_task(watch.run())
            await asyncio.sleep(150)
            task.cancel()
        assert len(recorder.offsets) == 3
        assert all(offset.offset_s == pytest.approx(-0.05) for offset in recorder.offsets)
        (warning,) = warnings
        assert warning.startswith("this machine's clock is 50.0 ms ahead of the recorder's")
        assert "NTP" in warning
        assert caplog.text.count("50.0 ms ahead") == 3

    watched(scene, skew_s=0.05)


def test_at_twenty_milliseconds_and_below_it_does_not_warn():
    async def scene(watch, recorder, warnings):
        task = asyncio.create_task(watch.run())
        await asyncio.sleep(1)
        task.cancel()
        assert warnings == []
        assert recorder.offsets[0].offset_s == pytest.approx(0.019)

    watched(scene, skew_s=-0.019)


def test_a_clock_that_goes_wrong_again_is_warned_of_again():
    async def scene(watch, _recorder, warnings):
        good = ClockOffset(offset_s=0.0, round_trip_s=0.0)
        bad = ClockOffset(offset_s=0.3, round_trip_s=0.0)
        for offset in (bad, bad, good, bad):
            watch._tell(offset)
        assert len(warnings) == 2
        assert "300.0 ms behind" in warnings[0]

    watched(scene, skew_s=0.0)


def test_without_a_recorder_nothing_is_claimed_and_it_asks_again_later(caplog):
    async def scene(watch, recorder, warnings):
        with caplog.at_level(logging.INFO):
            task = asyncio.create_task(watch.run())
            await asyncio.sleep(5)
            assert watch.latest is None
            assert recorder.offsets == []
            await asyncio.sleep(130)
            task.cancel()
        assert caplog.text.count("no recorder answers") == 1
        assert len(recorder.offsets) == 1
        assert warnings == []

    watched(scene, skew_s=0.01, delays_s=[None, None])

"""How far the clock of this machine is from the recorder's.

Design overview
    As NTP does it: a question leaves at t0 (own clock), arrives at t1 and is answered at t2
    (recorder's clock), and the answer arrives at t3 (own clock). If both ways take equally long,
    the clocks differ by ((t1 - t0) + (t2 - t3)) / 2; the error is at most half of the round trip,
    so of a few questions the one with the shortest round trip counts.

Units and frames
    Seconds; the offset is the recorder's time minus one's own.

Threading
    The event loop's thread.

Safety
    Times are only measured and reported; nobody's clock is set.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from sera.bus import Bus, ReplyTimeout
from sera.messages import ClockOffset, ClockProbe, ClockReply, Envelope

WARN_ABOVE_S = 0.020
REPEAT_EVERY_S = 60.0
PROBES = 5
PROBE_PAUSE_S = 0.05
REPLY_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class Probe:
    """One question and its answer."""

    offset_s: float
    round_trip_s: float

    @classmethod
    def from_times(cls, sent_s: float, reply: ClockReply, arrived_s: float) -> Probe:
        there_s = reply.received_at_s - sent_s
        back_s = reply.sent_at_s - arrived_s
        held_s = reply.sent_at_s - reply.received_at_s
        return cls((there_s + back_s) / 2, max(0.0, arrived_s - sent_s - held_s))


class ClockOffsetWatch:
    """Measures the offset of one module's clock again and again and says what it finds.

    Args:
        bus: the module's connection.
        now: the module's clock.
        warn: reports a fault that lets the work go on.
        log: where each measurement is noted.
    """

    def __init__(
        self,
        bus: Bus,
        now: Callable[[], float],
        *,
        warn: Callable[[str], None],
        log: logging.Logger,
        every_s: float = REPEAT_EVERY_S,
    ) -> None:
        self._bus = bus
        self._now = now
        self._warn = warn
        self._log = log
        self._every_s = every_s
        self._sequence = 0
        self._arrivals: dict[str | None, float] = {}
        self._is_far = False
        self._is_unanswered = False
        self.latest: ClockOffset | None = None

    async def run(self) -> None:
        """Measure for as long as it is left running."""
        # Held open, so that no question waits for a subscription while its time runs.
        subscription = await self._bus.subscribe([ClockReply], self._arrived)
        try:
            while True:
                self._tell(await self.measure())
                await asyncio.sleep(self._every_s)
        finally:
            subscription.close()

    async def measure(self, probes: int = PROBES) -> ClockOffset | None:
        """Ask a few times; None where no recorder answers."""
        found: list[Probe] = []
        for _ in range(probes):
            probe = await self._ask()
            if probe is None:
                break
            found.append(probe)
            await asyncio.sleep(PROBE_PAUSE_S)
        if not found:
            return None
        best = min(found, key=lambda probe: probe.round_trip_s)
        return ClockOffset(
            offset_s=best.offset_s, round_trip_s=best.round_trip_s, probes=len(found)
        )

    async def _ask(self) -> Probe | None:
        self._sequence += 1
        question = ClockProbe(sequence=self._sequence)
        sent_s = self._now()
        try:
            reply = await self._bus.request(question, ClockReply, timeout_s=REPLY_TIMEOUT_S)
        except ReplyTimeout:
            return None
        # The time of arrival, not of waking up: the loop may have been busy in between.
        arrived_s = self._arrivals.pop(reply.cause, None)
        assert isinstance(reply.message, ClockReply)
        return Probe.from_times(sent_s, reply.message, arrived_s or self._now())

    def _arrived(self, envelope: Envelope) -> None:
        self._arrivals = {envelope.cause: self._now()}

    def _tell(self, offset: ClockOffset | None) -> None:
        self.latest = offset
        if offset is None:
            if not self._is_unanswered:
                self._log.info("no recorder answers: how far this clock is off is not known")
            self._is_unanswered = True
            return
        self._is_unanswered = False
        self._bus.publish(offset)
        off_ms = abs(offset.offset_s) * 1000
        ahead = "ahead of" if offset.offset_s < 0 else "behind"
        sentence = (
            f"this machine's clock is {off_ms:.1f} ms {ahead} the recorder's "
            f"(± {offset.round_trip_s * 500:.1f} ms)"
        )
        self._log.info(sentence)
        was_far, self._is_far = self._is_far, abs(offset.offset_s) > WARN_ABOVE_S
        if self._is_far and not was_far:
            self._warn(
                f"{sentence}: times in the log differ by that much; set both machines' clocks by "
                "NTP (chrony, systemd-timesyncd, Windows time service)"
            )

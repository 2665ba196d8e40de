"""The feeder: says again what everybody said who is not played, at its time and in its order.

Design overview
    It walks through the log. What a fed source said is published under that source's name and id;
    what a played module said is waited for, where something fed comes after it at the same moment
    or answers it. So causes come before their effects, as they did then. Orders that played
    modules give to fed ones are receipted at once in the name of their receivers.

Units and frames
    Seconds on the clock of the run, which is that of the recording.

Threading
    The event loop's thread.

Safety
    It waits for nobody longer than `patience_s`: a changed module may never say what it said then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sera.messages import (
    Action,
    Envelope,
    Message,
    Receipt,
    UnknownMessageType,
)
from sera.recording._reader import Record
from sera.recording._recreate import recreate
from sera.recording.replay._counterparts import Counterparts
from sera.recording.replay._recorded import BOOK_KEEPING, RecordedRun
from sera.runtime._directory import Directory
from sera.runtime.clock import Clock

FRAMEWORK = frozenset({"world.recorder", "world.supervisor"})
"""Every run has its own."""
NOT_FED = BOOK_KEEPING - {"ModulePresence"}
TURNS = 60
"""How many turns of the loop an answer at the same moment may take."""
RECEIPT_LIFE = 0


Say = Callable[[Envelope], None]
"""Publishes a message under the name of its source."""


class Step(NamedTuple):
    """One record of the walk."""

    record: Record
    fed: bool


@dataclass
class Feeding:
    """What is fed, and how it went."""

    run: RecordedRun
    counterparts: Counterparts
    say: Say
    clock: Clock
    until_s: float
    """Where to stop, on the clock of the recording."""
    patience_s: float
    left_out: Callable[[Record], bool] = lambda _: False
    """What is not fed although its source is."""
    in_real_time: bool = False
    problems: dict[str, int] = field(default_factory=dict)
    fed: int = 0
    missing: int = 0
    """How often something that ought to come first did not come."""

    def __post_init__(self) -> None:
        self._directory = Directory()
        self._receipts = 0
        self._given_up: set[str] = set()
        self._moved = asyncio.Event()
        self._opening = self._last_of_opening()
        self._walk = self._steps()
        self._put_back: Step | None = None

    # -- the walk ---------------------------------------------------------------------------

    async def feed(self, *, opening: bool = False) -> None:
        """Say everything at its time; returns when the recording is over.

        Args:
            opening: only what was said before anybody began to run; call again for the rest.
        """
        while (step := self._put_back or next(self._walk, None)) is not None:
            self._put_back = None
            if opening and step.record.line > self._opening:
                self._put_back = step
                return
            if step.record.received_s > self.until_s:
                break
            await self._take(step)
        if not opening:
            await self._until(self.until_s)

    async def _take(self, step: Step) -> None:
        record = step.record
        await self._until(record.received_s)
        if not step.fed:
            await self._wait_for(record.id)
            return
        for awaited in self._answers(record):
            await self._wait_for(awaited)
        envelope = self._envelope(record)
        if envelope is not None:
            self._speak(envelope)

    def _last_of_opening(self) -> int:
        """Line of the last word before anybody ran: in virtual time all get ready at moment 0."""
        first_s = self.run.records[0].received_s
        opening = [
            record.line
            for record in self.run.records
            if record.type == "ModulePresence"
            and record.data.get("status") == "present"
            and record.received_s == first_s
        ]
        return max(opening, default=0) if self.run.exact else 0

    def _steps(self) -> Iterator[Step]:
        """Fed records, and those of played modules that one of them follows at the same moment."""
        counterparts = self.counterparts
        moment: list[Step] = []
        for record in self.run.records:
            if record.source in FRAMEWORK or record.type in NOT_FED:
                continue
            played = counterparts.is_played(record.source)
            if not played and self.left_out(record):
                continue
            if moment and moment[-1].record.received_s != record.received_s:
                yield from self._trimmed(moment)
                moment = []
            if not played or (self.run.exact and record.type != "ModulePresence"):
                moment.append(Step(record, not played))
        yield from self._trimmed(moment)

    @staticmethod
    def _trimmed(moment: list[Step]) -> list[Step]:
        """A moment without what played modules said at its end: nobody waits for that."""
        while moment and not moment[-1].fed:
            moment.pop()
        return moment

    def _answers(self, record: Record) -> list[str]:
        named = self.counterparts.named_in(record.data)
        if record.cause is not None and self.counterparts.is_of_played(record.cause):
            named.append(record.cause)
        return [one for one in named if self.counterparts.replayed(one) is None]

    async def _until(self, when_s: float) -> None:
        """Wait for a moment, to the last bit: in virtual time others may wake at the same one."""
        ahead_s = when_s - self.clock.now()
        if ahead_s <= 0:
            return
        loop = asyncio.get_running_loop()
        if self.clock.kind != "virtual":
            await self.clock.sleep(ahead_s)
            return
        reached = asyncio.Event()
        loop.call_at(when_s - self.clock.skew_s, reached.set)
        await reached.wait()

    async def _wait_for(self, recorded_id: str) -> None:
        """Let a played module say what it said then; not for ever."""
        if recorded_id in self._given_up or self.in_real_time:
            return
        replayed = self.counterparts.replayed
        for _ in range(TURNS):
            if replayed(recorded_id) is not None:
                return
            await asyncio.sleep(0)
        if not self.run.exact:
            try:
                async with asyncio.timeout(self.patience_s):
                    while replayed(recorded_id) is None:
                        self._moved.clear()
                        await self._moved.wait()
            except TimeoutError:
                pass
            else:
                return
        self._given_up.add(recorded_id)
        self.missing += 1

    # -- speaking ---------------------------------------------------------------------------

    def _speak(self, envelope: Envelope) -> None:
        self._directory.update(envelope)
        self.say(envelope)
        self.fed += 1

    def _envelope(self, record: Record) -> Envelope | None:
        """A recorded message as it was, with the ids of the replay."""
        counterparts = self.counterparts
        data = record.data
        if counterparts.named_in(data):
            data = counterparts.to_replay(data)
        where = f"{self.run.path}, line {record.line}"
        try:
            message: Message = recreate(record.type, data, where=where)
        except UnknownMessageType:
            self._problem(f"{record.type} is no message that is known here; it was left out")
            return None
        except ValueError as error:
            self._problem(f"{error}; it was left out")
            return None
        cause = record.cause
        if cause is not None and counterparts.is_of_played(cause):
            cause = counterparts.replayed(cause)
        return Envelope(message, record.id, record.time, record.source, record.character, cause)

    def _problem(self, sentence: str) -> None:
        self.problems[sentence] = self.problems.get(sentence, 0) + 1

    # -- listening --------------------------------------------------------------------------

    def heard(self, envelope: Envelope) -> None:
        """A played module said something."""
        if not self.counterparts.published(envelope):
            return
        self._moved.set()
        if isinstance(envelope.message, Action):
            asyncio.get_running_loop().call_soon(self._receipt, envelope)

    def _receipt(self, order: Envelope) -> None:
        """Answer an order in the name of those who received it then."""
        sender = order.source.partition(".")[0]
        for source in self._directory.receivers_of(order.type, order.character):
            self._receipts += 1
            identity = f"{source}-{RECEIPT_LIFE}-{self._receipts}"
            receipt = Receipt(ids=[order.id])
            self.say(Envelope(receipt, identity, self.clock.now(), source, sender))

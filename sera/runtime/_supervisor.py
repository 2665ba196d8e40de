"""The supervisor of a run: follows everything, owns the autonomy dial, hears the call to end.

It is a module like any other, `world.supervisor`, so that what it knows and does is on the bus.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sera.messages import (
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    Channel,
    Envelope,
    RunEnding,
    RunOutcome,
)
from sera.runtime._watch import watch_broker, watch_loop
from sera.runtime.board import Board
from sera.runtime.module import Module, Role, on


class Supervisor(Module):
    """Follows the run and ends it."""

    role = Role.SUPERVISOR
    hears_everyone = True

    async def start(self) -> None:
        self.board = Board(self.clock.now)
        self.ending = asyncio.Event()
        self.outcome = RunOutcome.COMPLETED
        self.reason = ""
        self.is_deaf = False
        """Whether it was said that there is no broker."""
        self._everybody_knows = False
        self._observers: list[Callable[[Envelope], None]] = [self.board.see]
        self.bus.on_published = self._see
        await self.bus.subscribe(None, self._see, everyone=True)
        scenario = self.context.scenario
        self._dials: dict[str, Autonomy] = {}
        for name, character in scenario.characters.items() if scenario is not None else ():
            self._dials[name] = Autonomy(modes=character.autonomy)
            self.bus.publish(self._dials[name], character=name)

    async def run(self) -> None:
        if self.clock.kind == "virtual":
            return
        async with asyncio.TaskGroup() as watching:
            watching.create_task(watch_broker(self.bus, self._lost, self._back))
            if self.clock.kind == "real":
                watching.create_task(watch_loop(lambda text: self.fault(text, warning=True)))

    def _lost(self, why: str) -> None:
        self.is_deaf = True
        self.fault(
            f"no connection to the broker ({why}): no module hears another; it is tried again "
            "until the broker is back",
            warning=True,
        )

    def _back(self, after_s: float) -> None:
        self.is_deaf = False
        self.fault(f"the broker is back after {after_s:.1f} s", warning=True)

    def observe(self, observer: Callable[[Envelope], None]) -> None:
        """Show every message of the run to somebody (a live view)."""
        self._observers.append(observer)

    def end(self, reason: str, outcome: RunOutcome = RunOutcome.COMPLETED) -> None:
        """Call for the end; the first call counts."""
        if not self.ending.is_set():
            self.reason, self.outcome = reason, outcome
            self.ending.set()

    def end_deaf(self) -> None:
        """The broker did not come back: whatever the run came to, nobody knows of it."""
        self.outcome = RunOutcome.FAILED
        self.reason += f", without its broker ({self.bus.trouble})"
        self.fault(f"the broker did not come back before the end ({self.bus.trouble})")

    def announce_end(self) -> None:
        """Tell everybody, in other processes too, that the run is over."""
        if not self._everybody_knows:
            ending = RunEnding(outcome=self.outcome, reason=self.reason, by=self.source)
            self.bus.publish(ending)

    @on(RunEnding)
    async def asked_to_end(self, message: RunEnding) -> None:
        self._everybody_knows = True
        self.end(message.reason or f"{message.by or 'a module'} ended it", message.outcome)

    @on(AutonomyChanged)
    async def turn_dial(self, message: AutonomyChanged, envelope: Envelope) -> None:
        dial = self._dials.get(envelope.character, Autonomy())
        modes: dict[Channel, AutonomyMode] = {**dial.modes, message.channel: message.mode}
        owners = {key: who for key, who in dial.owners.items() if key is not message.channel}
        if message.owner is not None:
            owners[message.channel] = message.owner
        self._dials[envelope.character] = Autonomy(modes=modes, owners=owners)
        self.bus.publish(
            self._dials[envelope.character], character=envelope.character, cause=envelope.id
        )

    def _see(self, envelope: Envelope) -> None:
        for observer in self._observers:
            observer(envelope)

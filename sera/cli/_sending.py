"""What `sera send` does: one message, sent by a module that is there for a moment.

A real module of the runtime sends it, so that an Action gets receipts like any other, is sent
again where one gets lost, and is reported where nobody takes it.
"""

from __future__ import annotations

import asyncio
import os
import platform
import time
from dataclasses import dataclass, field

from sera.bus import Bus, Identity, MqttBus
from sera.cli._errors import FAILED, CommandError, as_wrong_input
from sera.cli._finding import FoundRun, find_run
from sera.cli._signals import StopSignals
from sera.cli._tales import WHY_EXPIRED
from sera.cli._text import note, print_json
from sera.cli._values import build, merged, parse_assignments, parse_object
from sera.cli._workspace import message_type_named
from sera.messages import (
    WORLD,
    Action,
    ActionExpired,
    Envelope,
    Message,
    Receipt,
    State,
    UnknownMessageType,
    check_name,
)
from sera.runtime._host import ModuleHost
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_in_loop
from sera.runtime.live_runs import LiveRunError
from sera.runtime.located import nearest_name
from sera.runtime.module import Module, ModuleContext, Role

PRESENCE_ARRIVES_WITHIN_S = 0.3
MORE_RECEIPTS_S = 0.3
LONGEST_WAIT_S = 5.0


@dataclass(frozen=True)
class SendRequest:
    """What the command line says."""

    message_type: str
    assignments: list[str]
    data: str | None = None
    character: str | None = None
    broker: str | None = None
    run_id: str | None = None
    wait_s: float | None = None
    as_json: bool = False


@dataclass
class Outcome:
    """What became of the message."""

    id: str
    type: str
    character: str
    run: str
    taken_by: list[str] = field(default_factory=list)
    expired: list[str] = field(default_factory=list)
    """Why it was not performed, with who refused it."""


class _Operator(Module):
    """A person at the command line: subject to no dial."""

    role = Role.WIZARD
    hears_everyone = True


def send_message(request: SendRequest) -> int:
    """Send it and say what became of it; returns the exit code."""
    if request.character is not None:
        with as_wrong_input():
            check_name(request.character, "character")
    return run_in_loop(_send(request))


async def _send(request: SendRequest) -> int:
    found = None
    try:
        message = _message(request, None)
    except UnknownMessageType as unknown:
        # A message of the run's own modules? They are found where the run was started from.
        try:
            found = await find_run(request.broker, request.run_id)
        except LiveRunError:
            raise unknown from None
        message = _message(request, found)
    found = found or await find_run(request.broker, request.run_id)
    outcome = await _Sending(found, request, message).send()
    if request.as_json:
        print_json(vars(outcome))
    else:
        _report(outcome, message)
    taken = bool(outcome.taken_by) and not outcome.expired
    return 0 if taken or not isinstance(message, Action) else FAILED


def _message(request: SendRequest, found: FoundRun | None) -> Message:
    scenario = None if found is None else found.scenario_file
    message_type = message_type_named(request.message_type, scenario)
    fields = {} if request.data is None else parse_object(request.data, "--data")
    fields = merged(fields, parse_assignments(request.assignments))
    return build(message_type, fields, message_type.__name__)


class _Sending:
    def __init__(self, found: FoundRun, request: SendRequest, message: Message) -> None:
        self._found = found
        self._request = request
        self._message = message
        self._clock = Clock.for_running_loop()
        self._answered = asyncio.Event()
        self._receipts: dict[str, list[str]] = {}
        self._expiries: list[ActionExpired] = []
        self._host = ModuleHost(
            _Operator,
            Identity(found.run, WORLD, f"send_{os.getpid()}", int(time.time() * 1000)),
            ModuleContext(clock=self._clock),
            self._bus,
            presence={"host": platform.node(), "process_id": os.getpid()},
        )

    async def send(self) -> Outcome:
        host = self._host
        await host.open()
        living = asyncio.create_task(host.live(), name=host.identity.source)
        try:
            with StopSignals(lambda _why: host.stop()):
                await host.started.wait()
                await host.bus.subscribe([Receipt], self._hear)
                await host.bus.subscribe([ActionExpired], self._hear)
                host.bus.on_published = self._hear  # what expires in our own outbox
                await asyncio.sleep(PRESENCE_ARRIVES_WITHIN_S)
                character = self._character()
                message_id = await host.publish(self._message, character=character)
                assert message_id is not None
                if isinstance(self._message, Action):
                    await self._wait_for_receipts(message_id, character)
                elif isinstance(self._message, State):
                    await asyncio.sleep(self._request.wait_s or 0.0)
        finally:
            host.stop()
            await living
        return Outcome(
            message_id,
            type(self._message).__name__,
            character,
            self._found.run,
            taken_by=self._receipts.get(message_id, []),
            expired=[
                f"{f'{expiry.receiver}: ' if expiry.receiver else ''}{WHY_EXPIRED[expiry.reason]}"
                for expiry in self._expiries
                if expiry.action == message_id
            ],
        )

    def _bus(self, identity: Identity, will: State, hears_everyone: bool | None) -> Bus:
        address = self._found.address
        return MqttBus(
            identity, address, now=self._clock.now, will=will, hears_everyone=hears_everyone
        )

    def _character(self) -> str:
        """Under whose name it is sent: as told, as its type says, or the only one there is."""
        present = self._host.directory.all()
        known = sorted({source.partition(".")[0] for source in present} - {WORLD})
        chosen = self._request.character
        if chosen is not None:
            if chosen != WORLD and chosen not in known:
                near = nearest_name(chosen, known)
                hint = f"; did you mean '{near}'?" if near else ""
                there = ", ".join(known) or "none"
                raise CommandError(
                    f"no module of a character '{chosen}' is in the run{hint} (there are: {there})"
                )
            return chosen
        if self._message.belongs_to_world or not known:
            return WORLD
        if len(known) > 1:
            raise CommandError(
                f"whose {type(self._message).__name__} is it? Choose with --character: "
                f"{', '.join(known)}"
            )
        return known[0]

    async def _wait_for_receipts(self, message_id: str, character: str) -> None:
        assert isinstance(self._message, Action)
        wait_s = self._request.wait_s
        if wait_s is None:
            worth_s = self._message.valid_for_s
            wait_s = LONGEST_WAIT_S if worth_s is None else min(worth_s + 1.0, LONGEST_WAIT_S)
        receivers = self._host.directory.receivers_of(type(self._message).__name__, character)
        try:
            async with asyncio.timeout(wait_s):
                while not self._is_settled(message_id, receivers):
                    self._answered.clear()
                    await self._answered.wait()
                if not receivers:  # others, whom we did not know, may answer too
                    await asyncio.sleep(MORE_RECEIPTS_S)
        except TimeoutError:
            return

    def _is_settled(self, message_id: str, receivers: list[str]) -> bool:
        refused = {expiry.receiver for expiry in self._expiries if expiry.action == message_id}
        if None in refused:
            return True
        answered = {*self._receipts.get(message_id, []), *refused}
        return bool(answered) and answered.issuperset(receivers)

    def _hear(self, envelope: Envelope) -> None:
        message = envelope.message
        if isinstance(message, Receipt):
            for message_id in message.ids:
                takers = self._receipts.setdefault(message_id, [])
                if envelope.source not in takers:
                    takers.append(envelope.source)
        elif isinstance(message, ActionExpired):
            self._expiries.append(message)
        self._answered.set()


def _report(outcome: Outcome, message: Message) -> None:
    what = f"{outcome.type} {outcome.id}"
    where = (
        f"in {outcome.run} as {outcome.character}'s"
        if outcome.character != WORLD
        else (f"in {outcome.run}")
    )
    if not isinstance(message, Action):
        lasts = " (a State lasts as long as its sender: see --wait)"
        print(f"sent {what} {where}{lasts if isinstance(message, State) else ''}")
        return
    if outcome.expired:
        note(f"{what} was not performed: {'; '.join(outcome.expired)}", "bold red")
    elif outcome.taken_by:
        print(f"sent {what} {where}; taken by {', '.join(sorted(outcome.taken_by))}")
    else:
        note(f"nobody took {what} in time: no module that is present handles it", "bold red")

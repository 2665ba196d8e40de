"""The host: what the runtime does around one module.

Design overview
    bus → ledger (each Action once, in order) → inbox → handlers, one at a time;
    handlers → gate (autonomy dial) → outbox (Actions until receipted) → bus.
    The host also tells presence, faults and counters, and follows everybody else's presence.

Units and frames
    Seconds on the clock of the run.

Threading
    One event loop. The bus only puts into the inbox, so a slow handler never holds the connection.

Safety
    An expired Action is refused and reported, never performed. A fault in a handler is reported
    and the next message handled. Only `start` and `run` can end the module.
"""

from __future__ import annotations

import asyncio
import contextvars
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

from sera.bus import Bus, Identity, Malformed
from sera.messages import (
    Action,
    ActionExpired,
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    Envelope,
    ExpiryReason,
    Kind,
    Message,
    ModuleCounters,
    ModuleFault,
    ModulePresence,
    PresenceStatus,
    Receipt,
    Severity,
    State,
    SuggestionResolved,
)
from sera.runtime._directory import Directory
from sera.runtime._gate import Gate
from sera.runtime._inbox import Inbox
from sera.runtime._ledger import Ledger, Verdict
from sera.runtime._outbox import Outbox, OutboxFull
from sera.runtime._watch import handling
from sera.runtime.module import Module, ModuleContext, Role

BusFactory = Callable[[Identity, State, bool | None], Bus]

COUNTERS_EVERY_S = 5.0
ROOM_TIMEOUT_S = 5.0
FAULTS_PER_SECOND = 20
DRAIN_S = 0.4
STOP_TIMEOUT_S = 1.0

_cause: contextvars.ContextVar[str | None] = contextvars.ContextVar("cause", default=None)


class ModuleHost:
    """Runs one module: `await host.run()` until `host.stop()` or until the module dies."""

    def __init__(
        self,
        module_class: type[Module],
        identity: Identity,
        context: ModuleContext,
        bus_factory: BusFactory,
        *,
        settings: Any = None,
        presence: dict[str, Any] | None = None,
    ) -> None:
        """Prepare a module that is not yet connected.

        Args:
            module_class: what to run.
            identity: as whom.
            context: what surrounds it.
            bus_factory: makes the connection, given identity, last will and whom it hears.
            settings: an instance of the module's Settings, a dict of values, or nothing.
            presence: further fields of its ModulePresence (host, process_id).
        """
        self.identity = identity
        self.clock = context.clock
        self._module_class = module_class
        self._presence_fields = {
            "boot": identity.boot,
            "role": str(module_class.role),
            "handles": [kind.__name__ for kind in module_class.handlers],
            **(presence or {}),
        }
        self.bus = bus_factory(
            identity, self._presence(PresenceStatus.LOST), module_class.hears_everyone
        )
        self._presence_fields["hears_all"] = self.bus.hears_everyone
        counters = self.counters = self.bus.counters
        now = self.clock.now
        self.directory = Directory()
        self.inbox = Inbox(counters)
        self._ledger = Ledger(identity.source, counters)
        self._outbox = Outbox(
            self.directory, now=now, send=self.bus.send, expire=self._expired, counters=counters
        )
        self._gate = Gate(self.bus, self._release) if module_class.role is Role.DECISION else None
        self._receipts: dict[str, list[str]] = {}
        self._urgent: list[asyncio.Task[None]] = []
        self._tick_timer: asyncio.TimerHandle | None = None
        self._room: asyncio.Event = asyncio.Event()
        self._stopping = asyncio.Event()
        self._farewell = PresenceStatus.STOPPED
        self.started = asyncio.Event()
        """Set when the module's own `start` is through."""
        self._died: asyncio.Future[None] | None = None
        self._fault_budget = (0, 0)
        if not isinstance(settings, Module.Settings):
            settings = module_class.Settings(**(settings or {}))
        self.module = module_class(self, context, settings)

    # -- life -------------------------------------------------------------------------------

    async def run(self) -> None:
        """Connect, start, handle messages until stopped.

        Raises:
            Whatever `start` or `run` of the module raised: the module is dead then.
        """
        await self.open()
        await self.live()

    async def open(self) -> None:
        """Connect and subscribe; messages wait in the inbox until `live`."""
        self._died = asyncio.get_running_loop().create_future()
        self.bus.on_problem = self._malformed
        self.bus.on_connected.append(self._outbox.reconnected)
        await self.bus.connect()
        await self.bus.subscribe([ModulePresence], self._hear_presence, everyone=True)
        await self.bus.subscribe([Receipt], self._hear_receipt)
        if self._gate is not None:
            kinds: list[type[Message]] = [Autonomy, AutonomyChanged, SuggestionResolved]
            await self.bus.subscribe(kinds, self._gate.hear)
        if self._module_class.handlers:
            await self.bus.subscribe(self._module_class.handlers, self._hear)
        self.bus.publish(self._presence(PresenceStatus.STARTING))

    async def live(self) -> None:
        """Start the module and serve it until it is stopped or dies."""
        assert self._died is not None, "open comes first"
        tasks: list[asyncio.Task[None]] = []
        where = "start"
        try:
            await self.module.start()
            where = "run"
            self.started.set()
            self.bus.publish(self._presence(PresenceStatus.PRESENT))
            tasks = [
                self._spawn(self._work(), "handlers"),
                self._spawn(self.module.run(), "run"),
                self._spawn(self._count(), "counters"),
                self._spawn(self._wait_for_stop(), "stop"),
            ]
            await self._died
        except Exception as error:
            self.report_exception(where, error)
            self._farewell = PresenceStatus.LOST
            raise
        finally:
            for task in [*tasks, *self._urgent]:
                task.cancel()
            await self._leave()

    def stop(self) -> None:
        """Ask the module to end; `run` returns soon after."""
        self._stopping.set()

    async def _wait_for_stop(self) -> None:
        await self._stopping.wait()
        assert self._died is not None
        if not self._died.done():
            self._died.set_result(None)

    def _spawn(self, work: Coroutine[Any, Any, None], what: str) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work, name=f"{self.identity.source} {what}")
        task.add_done_callback(self._task_ended)
        return task

    def _task_ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or self._died is None or self._died.done():
            return
        error = task.exception()
        if error is not None:
            self._died.set_exception(error)

    async def _leave(self) -> None:
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await self.module.stop()
        except Exception as error:
            self.report_exception("stop", error)
        if self._gate is not None:
            self._gate.close()
        deadline_s = self.clock.now() + DRAIN_S
        while len(self._outbox) and self.bus.connected and self.clock.now() < deadline_s:
            await asyncio.sleep(0.01)
        for envelope in self._outbox.abandon():
            self._expired(envelope, ExpiryReason.NO_ANSWER, None)
        if self._tick_timer is not None:
            self._tick_timer.cancel()
        if self.bus.connected:
            self._publish_counters()
            self.bus.publish(self._presence(self._farewell))
        await self.bus.close()

    def _presence(self, status: PresenceStatus) -> ModulePresence:
        return ModulePresence(status=status, **self._presence_fields)

    async def _count(self) -> None:
        last: dict[str, int] = {}
        while True:
            await asyncio.sleep(COUNTERS_EVERY_S)
            counts = self.counters.as_dict()
            if any(counts[key] != last.get(key) for key in counts if key != "published"):
                last = counts
                self._publish_counters()

    def _publish_counters(self) -> None:
        self.bus.publish(ModuleCounters(counts=self.counters.as_dict()))

    # -- speaking ---------------------------------------------------------------------------

    async def publish(
        self,
        message: Message,
        *,
        character: str | None = None,
        cause: str | None = None,
        time_s: float | None = None,
    ) -> str | None:
        cause = cause or _cause.get()
        if not isinstance(message, Action):
            return self.bus.publish(message, character=character, cause=cause, time_s=time_s).id
        if self._gate is not None:
            mode = self._gate.mode_of(message)
            if mode is AutonomyMode.WIZARD:
                self.counters.withheld += 1
                return None
            if mode is AutonomyMode.SUGGEST:
                self.counters.suggested += 1
                return self._gate.suggest(message, character=character, cause=cause)
        await self._wait_for_room(message)
        envelope = self.bus.wrap(message, character=character, cause=cause, time_s=time_s)
        self._order(envelope)
        return envelope.id

    async def request(
        self,
        message: Message,
        reply_type: type[Message],
        *,
        timeout_s: float,
        character: str | None = None,
    ) -> Envelope:
        return await self.bus.request(
            message, reply_type, timeout_s=timeout_s, character=character, cause=_cause.get()
        )

    def _release(self, action: Action, character: str | None, cause: str) -> None:
        self._order(self.bus.wrap(action, character=character, cause=cause))

    def _order(self, envelope: Envelope) -> None:
        self._outbox.add(envelope)
        self._schedule_tick()

    async def _wait_for_room(self, action: Action) -> None:
        if not self._outbox.is_full or action.urgent:
            return
        try:
            async with asyncio.timeout(ROOM_TIMEOUT_S):
                while self._outbox.is_full:
                    self._room.clear()
                    await self._room.wait()
        except TimeoutError:
            raise OutboxFull(
                f"{len(self._outbox)} Actions wait for receipts; {type(action).__name__} was not "
                "sent: is a module that handles them missing or stuck?"
            ) from None

    def _expired(self, envelope: Envelope, reason: ExpiryReason, receiver: str | None) -> None:
        self.counters.expired += 1
        self.bus.publish(
            ActionExpired(
                action=envelope.id,
                action_type=envelope.type,
                sender=envelope.source,
                receiver=receiver,
                reason=reason,
                age_s=max(0.0, self.clock.now() - envelope.time),
            ),
            character=envelope.character,
            cause=envelope.id,
        )

    def _schedule_tick(self) -> None:
        if self._tick_timer is None and len(self._outbox):
            self._tick_timer = asyncio.get_running_loop().call_later(0.4, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        if not self.bus.connected:
            wait_s: float | None = 0.2
        else:
            due_s = self._outbox.tick()
            wait_s = None if due_s is None else max(0.05, due_s - self.clock.now())
        self._room.set()
        if wait_s is not None:
            self._tick_timer = asyncio.get_running_loop().call_later(wait_s, self._tick)

    # -- listening --------------------------------------------------------------------------

    def _hear_presence(self, envelope: Envelope) -> None:
        self.directory.update(envelope)
        self._outbox.presence_changed(envelope.source)
        self._schedule_tick()
        if not self.directory.is_there(envelope.source):
            for held in self._ledger.sender_lost(envelope.source):
                self._expired(held, ExpiryReason.NO_ANSWER, self.identity.source)

    def _hear_receipt(self, envelope: Envelope) -> None:
        receipt = envelope.message
        assert isinstance(receipt, Receipt)
        self._outbox.receipt(envelope.source, receipt.ids, self.identity.source)
        if not self._outbox.is_full:
            self._room.set()

    def _hear(self, envelope: Envelope) -> None:
        if envelope.message.kind is not Kind.ACTION:
            self.inbox.put(envelope)
            return
        verdict, ready = self._ledger.offer(envelope)
        if verdict is Verdict.REPEAT_OF_BEGUN:
            self._answer(envelope)
        for accepted in ready:
            if isinstance(accepted.message, Action) and accepted.message.urgent:
                self._at_once(accepted)
            else:
                self.inbox.put(accepted)

    def _at_once(self, envelope: Envelope) -> None:
        """An urgent Action waits for nothing: not for the inbox, nor for a handler under way."""
        task = self._spawn(self._handle(envelope), f"urgent {envelope.type}")
        self._urgent.append(task)
        task.add_done_callback(self._urgent.remove)

    def _answer(self, envelope: Envelope) -> None:
        """Send receipts of one turn of the loop together, under the sender's name."""
        if not self._receipts:
            asyncio.get_running_loop().call_soon(self._send_receipts)
        character = envelope.source.partition(".")[0]
        self._receipts.setdefault(character, []).append(envelope.id)
        self.counters.receipts += 1

    def _send_receipts(self) -> None:
        receipts, self._receipts = self._receipts, {}
        for character, ids in receipts.items():
            self.bus.publish(Receipt(ids=ids), character=character)

    def _malformed(self, problem: Malformed, payload: bytes) -> None:
        self.module.on_malformed(problem, payload)
        # The recorder hears everything and reports; others only where there is none.
        if self._module_class.role is Role.RECORDER or not self.directory.with_role(Role.RECORDER):
            self.report(
                f"malformed message from {problem.sender} on {problem.topic}: {problem.summary}",
                detail=problem.detail or None,
                warning=True,
                module=problem.sender,
                sender=problem.sender,
            )

    # -- handling ---------------------------------------------------------------------------

    async def _work(self) -> None:
        while True:
            envelope = await self.inbox.get()
            await self._handle(envelope)

    async def _handle(self, envelope: Envelope) -> None:
        message = envelope.message
        if isinstance(message, Action):
            self._ledger.begun(envelope)
            self._answer(envelope)
            age_s = self.clock.now() - envelope.time
            if message.valid_for_s is not None and age_s > message.valid_for_s:
                self._expired(envelope, ExpiryReason.TOO_OLD, self.identity.source)
                return
        token = _cause.set(envelope.id)
        try:
            for name, wants_envelope in self._module_class.handlers.get(type(message), ()):
                handler = getattr(self.module, name)
                with handling(self.identity.source, name):
                    try:
                        await (handler(message, envelope) if wants_envelope else handler(message))
                    except Exception as error:
                        self.report_exception(name, error, envelope)
            self.counters.handled += 1
        finally:
            _cause.reset(token)

    # -- faults -----------------------------------------------------------------------------

    def report_exception(
        self, where: str, error: BaseException, envelope: Envelope | None = None
    ) -> None:
        """Report an exception of the module with its traceback."""
        about = f" while handling {envelope.type}" if envelope is not None else ""
        self.report(
            f"{self.identity.source}: {where}{about}: {type(error).__name__}: {error}",
            detail="".join(traceback.format_exception(error)),
            about=None if envelope is None else envelope.id,
            sender=None if envelope is None else envelope.source,
        )

    def report(
        self,
        summary: str,
        *,
        detail: str | None = None,
        warning: bool = False,
        about: str | None = None,
        sender: str | None = None,
        module: str | None = None,
    ) -> None:
        """Publish a ModuleFault; a flood of them is cut to a rate people can read."""
        self.counters.faults += 1
        second, count = self._fault_budget
        now = int(self.clock.now())
        count = count + 1 if second == now else 1
        self._fault_budget = (now, count)
        if count > FAULTS_PER_SECOND:
            return
        fault = ModuleFault(
            module=module or self.identity.source,
            severity=Severity.WARNING if warning else Severity.ERROR,
            summary=summary,
            detail=detail,
            about=about,
            sender=sender,
        )
        self.module.log.log(30 if warning else 40, "%s", summary)
        if self.counters.connections:
            self.bus.publish(fault, cause=about)

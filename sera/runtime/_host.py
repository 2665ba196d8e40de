"""The host: what the runtime does around one module.

Design overview
    bus → delivery (each Action once, in order) → inbox → handlers, one at a time;
    handlers → gate (autonomy dial) → delivery (Actions until receipted) → bus.
    The host also tells presence, faults and counters.

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
from collections.abc import Callable, Coroutine
from typing import Any

from sera.bus import Bus, Identity, Malformed, ReplyTimeout
from sera.messages import (
    WORLD,
    Action,
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    Envelope,
    ExpiryReason,
    Kind,
    Message,
    ModuleCounters,
    ModulePresence,
    PresenceStatus,
    State,
    SuggestionResolved,
)
from sera.runtime._cancelling import cancel_all, is_being_cancelled
from sera.runtime._curtain import Curtain
from sera.runtime._delivery import Delivery
from sera.runtime._directory import Directory
from sera.runtime._faults import Faults
from sera.runtime._gate import Gate
from sera.runtime._handled import HANDLED, cause_now
from sera.runtime._inbox import Inbox
from sera.runtime._order import NOT_TOLD, TOLD_EVERY_S, VIRTUAL_TOLD_EVERY_S, HandlingOrder
from sera.runtime._outbox import Outbox, OutboxFull
from sera.runtime._watch import entered
from sera.runtime.clock import real_seconds
from sera.runtime.module import Module, ModuleContext, Role

BusFactory = Callable[[Identity, State, bool | None], Bus]

COUNTERS_EVERY_S = 5.0
VIRTUAL_COUNTERS_EVERY_S = 60.0  # nobody watches, and ten modules would say little else
STOP_TIMEOUT_S = 0.8


class CancelledFromWithin(RuntimeError):
    """The module's own code was cancelled by something it waited for, and not by the runtime."""


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
        # By name, as on the wire: a message class that was loaded twice is one message.
        self._handlers = {kind.__name__: names for kind, names in module_class.handlers.items()}
        self._source = identity.source
        self._presence_fields = {
            "boot": identity.boot,
            "role": str(module_class.role),
            "handles": [kind.__name__ for kind in module_class.handlers],
            "hears_all": _hears_everyone(module_class, identity),
            **(presence or {}),
        }
        # The last will says all this too: senders wait for a receiver that may come back.
        self.bus = bus_factory(
            identity, self._presence(PresenceStatus.LOST), module_class.hears_everyone
        )
        counters = self.counters = self.bus.counters
        self.inbox = Inbox(counters) if context.inbox is None else context.inbox(counters)
        told_every_s = VIRTUAL_TOLD_EVERY_S if self.clock.kind == "virtual" else TOLD_EVERY_S
        self._order = HandlingOrder(self.bus.publish, told_every_s)
        self._order_is_told = module_class.role not in NOT_TOLD
        self.delivery = Delivery(self.bus, now=self.clock.now)
        self._gate = Gate(self.bus, self._release) if module_class.role is Role.DECISION else None
        self._urgent: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._farewell = PresenceStatus.STOPPED
        self.started = asyncio.Event()
        """Set when the module's own `start` is through."""
        self._died: asyncio.Future[None] | None = None
        if not isinstance(settings, Module.Settings):
            settings = module_class.Settings(**(settings or {}))
        self.module = module_class(self, context, settings)
        self._faults = Faults(self.bus, self.module.log, self.clock.now)
        self._curtain = context.curtain or Curtain(())
        self.report = self._faults.report

    @property
    def directory(self) -> Directory:
        """Who else is present."""
        return self.delivery.directory

    @property
    def _outbox(self) -> Outbox:
        return self.delivery.outbox

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
        await self.bus.connect()
        try:
            await self.delivery.open()
            if self._gate is not None:
                kinds: list[type[Message]] = [Autonomy, AutonomyChanged, SuggestionResolved]
                await self.bus.subscribe(kinds, self._gate.hear)
            if self._module_class.handlers:
                await self.bus.subscribe(self._module_class.handlers, self._hear)
            self.bus.publish(self._presence(PresenceStatus.STARTING))
        except BaseException:
            await self.bus.close()
            raise

    async def live(self) -> None:
        """Start the module and serve it until it is stopped or dies."""
        assert self._died is not None, "open comes first"
        tasks: list[asyncio.Task[None]] = []
        where = "start"
        try:
            if not await self._start():
                return
            where = "run"
            self.started.set()
            self.delivery.has_started()
            self.bus.publish(self._presence(PresenceStatus.PRESENT))
            tasks = [
                self._spawn(self._work(), "handlers"),
                self._spawn(self._run_module(), "run"),
                self._spawn(self._count(), "counters"),
                self._spawn(self._wait_for_stop(), "stop"),
            ]
            await self._died
        except Exception as error:
            self._faults.report_exception(where, error)
            self._farewell = PresenceStatus.LOST
            raise
        finally:
            self._curtain.ready(self.identity.source)
            self._died.cancel()
            await cancel_all([*tasks, *self._urgent])
            await self._leave()

    async def _start(self) -> bool:
        """Let the module start; False where it was asked to stop before it was ready."""
        source = self.identity.source
        loop = asyncio.get_running_loop()
        starting = loop.create_task(self.module.start(), name=f"{source} start")
        stopping = loop.create_task(self._stopping.wait(), name=f"{source} stop")
        try:
            await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
            if starting.cancelled():
                raise CancelledFromWithin("start waited for something that was cancelled")
            if starting.done():
                starting.result()
            return starting.done()
        finally:
            await cancel_all([starting, stopping])

    async def _run_module(self) -> None:
        self._curtain.ready(self.identity.source)
        await self._curtain.up()
        await self.module.run()

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
        if self._died is None or self._died.done():
            return
        if task.cancelled():
            what = f"{task.get_name()} waited for something that was cancelled"
            self._died.set_exception(CancelledFromWithin(what))
        elif (error := task.exception()) is not None:
            self._died.set_exception(error)

    async def _leave(self) -> None:
        try:
            async with asyncio.timeout(real_seconds(STOP_TIMEOUT_S)):
                await self.module.stop()
        except Exception as error:
            if self.started.is_set():  # else it misses what a start that failed did not make
                self._faults.report_exception("stop", error)
        if self._gate is not None:
            self._gate.close()
        await self.delivery.close()
        if self.bus.connected:
            self._order.tell()
            self._publish_counters()
            self.bus.publish(self._presence(self._farewell))
        await self.bus.close()

    def _presence(self, status: PresenceStatus) -> ModulePresence:
        return ModulePresence(status=status, **self._presence_fields)

    async def _count(self) -> None:
        last: dict[str, int] = {}
        virtual = self.clock.kind == "virtual"
        while True:
            await asyncio.sleep(VIRTUAL_COUNTERS_EVERY_S if virtual else COUNTERS_EVERY_S)
            counts = self.counters.as_dict()
            if any(counts[key] != last.get(key) for key in counts if key != "published"):
                last = counts
                self._publish_counters()

    def _publish_counters(self) -> None:
        counts = {name: count for name, count in self.counters.as_dict().items() if count}
        self.bus.publish(ModuleCounters(counts=counts))

    # -- speaking ---------------------------------------------------------------------------

    async def publish(
        self,
        message: Message,
        *,
        character: str | None = None,
        cause: str | None = None,
        time_s: float | None = None,
        reason: str | None = None,
    ) -> str | None:
        cause = cause or cause_now()
        if message.kind is not Kind.ACTION:
            return self.bus.publish(message, character=character, cause=cause, time_s=time_s).id
        assert isinstance(message, Action)
        if self._gate is not None:
            mode = self._gate.mode_of(message, character)
            if mode is AutonomyMode.WIZARD:
                self.counters.withheld += 1
                return None
            if mode is AutonomyMode.SUGGEST:
                self.counters.suggested += 1
                return self._gate.suggest(message, character=character, cause=cause, reason=reason)
        await self.delivery.wait_for_room(message)
        envelope = self.bus.wrap(message, character=character, cause=cause, time_s=time_s)
        self.delivery.order(envelope)
        return envelope.id

    async def request(
        self,
        message: Message,
        reply_type: type[Message],
        *,
        timeout_s: float,
        character: str | None = None,
    ) -> Envelope:
        send: Callable[[Envelope], None] | None = None
        if isinstance(message, Action):
            if self._gate is not None:
                mode = self._gate.mode_of(message, character)
                if mode is not AutonomyMode.AUTONOMOUS:
                    await self.publish(message, character=character)
                    raise ReplyTimeout(
                        f"no {reply_type.__name__} will come: the autonomy dial (now at {mode}) "
                        f"did not let {type(message).__name__} pass"
                    )
            await self.delivery.wait_for_room(message)
            send = self.delivery.order
        return await self.bus.request(
            message,
            reply_type,
            timeout_s=timeout_s,
            character=character,
            cause=cause_now(),
            send=send,
        )

    def _release(self, action: Action, character: str | None, cause: str) -> None:
        envelope = self.bus.wrap(action, character=character, cause=cause)
        try:
            self.delivery.order(envelope)
        except OutboxFull:
            self.delivery.expired(envelope, ExpiryReason.OUTBOX_FULL, None)

    # -- listening --------------------------------------------------------------------------

    def _hear(self, envelope: Envelope) -> None:
        if envelope.message.kind is not Kind.ACTION:
            self.inbox.put(envelope)
            return
        for accepted in self.delivery.hear(envelope):
            if isinstance(accepted.message, Action) and accepted.message.urgent:
                self._at_once(accepted)
            else:
                self.inbox.put(accepted)

    def _at_once(self, envelope: Envelope) -> None:
        """An urgent Action waits for nothing: not for the inbox, nor for a handler under way."""
        task = self._spawn(self._handle_urgent(envelope), f"urgent {envelope.type}")
        self._urgent.append(task)
        task.add_done_callback(self._urgent.remove)

    async def _handle_urgent(self, envelope: Envelope) -> None:
        await self.started.wait()  # before that, nothing of the module can be used
        await self._handle(envelope)

    def _malformed(self, problem: Malformed, payload: bytes) -> None:
        self.module.on_malformed(problem, payload)
        # The recorder hears everything and reports; others only where there is none.
        if self._module_class.role is Role.RECORDER or not self.directory.with_role(Role.RECORDER):
            self.report(
                f"malformed message from {problem.sender} on {problem.topic}: {problem.summary}",
                detail=problem.detail or None,
                warning=True,
                module=problem.sender.strip() or "unknown",
                sender=problem.sender,
            )

    # -- handling ---------------------------------------------------------------------------

    async def _work(self) -> None:
        while True:
            envelope = await self.inbox.get()
            await self._handle(envelope)

    async def _handle(self, envelope: Envelope) -> None:
        message = envelope.message
        late = isinstance(message, self._module_class.answers_when_done)
        if message.kind is Kind.ACTION and not self.delivery.begin(envelope, answer=not late):
            return
        if self._order_is_told:
            self._order.note(envelope.id)
        token = HANDLED.set(envelope)
        try:
            for name, wants_envelope in self._handlers.get(type(message).__name__, ()):
                handler = getattr(self.module, name)
                entered(self._source, name)
                try:
                    await (handler(message, envelope) if wants_envelope else handler(message))
                except (asyncio.CancelledError, Exception) as error:
                    if is_being_cancelled(error):
                        raise
                    late = False  # nothing is kept, so that nobody is told that it is
                    self._faults.report_exception(name, error, envelope)
            self.counters.handled += 1
            if late:
                self.delivery.answer(envelope)
        finally:
            HANDLED.reset(token)


def _hears_everyone(module_class: type[Module], identity: Identity) -> bool:
    chosen = module_class.hears_everyone
    return identity.character == WORLD if chosen is None else chosen

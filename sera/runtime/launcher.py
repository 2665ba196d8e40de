"""The launcher: a scenario becomes a run.

Design overview
    broker → recorder → supervisor → modules, in the order of the scenario file. All are connected
    and subscribed before the first of them starts, so that nobody misses what others say first.
    At the end: modules, then the supervisor, which clears what a broker would keep, then the
    recorder, which has then seen everything.

Units and frames
    Seconds on the clock of the run (real, scaled or virtual).

Threading
    One event loop for the shared process; modules with `process = "own"` have their own.

Safety
    Everything is stopped in a bounded time (about 1.5 s), whatever the modules do.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast, get_args

from sera.bus import BrokerAddress, EmbeddedBroker
from sera.messages import Envelope, ModuleFault, RunOutcome, Severity
from sera.runtime import live_runs
from sera.runtime._assembly import APART, Assembly, Surroundings
from sera.runtime._host import ModuleHost
from sera.runtime._keeper import HostKeeper, Keeper, ProcessKeeper, StartFailed
from sera.runtime._run_summary import BrokerChoice, RunOptions, RunSummary
from sera.runtime._supervisor import Supervisor
from sera.runtime._sweep import sweep_dead_runs
from sera.runtime.board import Board
from sera.runtime.clock import Clock, real_seconds
from sera.runtime.module import Module
from sera.runtime.scenario import ModulePlan, Scenario
from sera.runtime.workspace import Workspace

__all__ = ["BrokerChoice", "Run", "RunOptions", "RunSummary", "StartFailed", "Surroundings"]

_log = logging.getLogger("sera.launcher")

STOP_S = 1.6
PROCESS_START_S = 5.0


class Run:
    """One run of a scenario: make it, then `await run.execute()` once."""

    def __init__(
        self,
        scenario: Scenario,
        workspace: Workspace,
        options: RunOptions,
        surroundings: Surroundings | None = None,
    ) -> None:
        self.scenario = scenario
        given = None if surroundings is None else surroundings.clock
        self.clock = given or Clock.for_running_loop()
        self.is_virtual = self.clock.kind == "virtual"
        self.run_id = options.run_id or _new_run_id(scenario.name, virtual=self.is_virtual)
        self.broker: EmbeddedBroker | None = None
        self._options = options
        self._parts = Assembly(scenario, workspace, self.clock, self.run_id, surroundings)
        self._parts.held_by = options.held_by
        self._keepers: list[Keeper] = []
        self._observers: list[Callable[[Envelope], None]] = []
        self._supervisor: Supervisor | None = None
        self._stop_early: tuple[str, RunOutcome] | None = None
        self._started_s = self.clock.now()
        self.ready = asyncio.Event()
        """Set when every module has been connected."""

    @property
    def board(self) -> Board | None:
        return None if self._supervisor is None else self._supervisor.board

    @property
    def log_path(self) -> Path | None:
        return self._parts.log_path

    @property
    def broker_name(self) -> str:
        if self.is_virtual:
            return "in memory"
        where = "?" if self._parts.address is None else str(self._parts.address)
        return f"{self.broker.kind} at {where}" if self.broker is not None else where

    @property
    def elapsed_s(self) -> float:
        return self.clock.now() - self._started_s

    @property
    def modules(self) -> list[Module]:
        """The modules that share this process, each in its present life."""
        return [keeper.host.module for keeper in self._keepers if isinstance(keeper, HostKeeper)]

    def observe(self, observer: Callable[[Envelope], None]) -> None:
        """Show every message to somebody; call it before `execute`."""
        self._observers.append(observer)

    def stop(self, reason: str, outcome: RunOutcome = RunOutcome.STOPPED) -> None:
        """Call for the end from outside (Ctrl-C)."""
        self._stop_early = self._stop_early or (reason, outcome)
        if self._supervisor is not None:
            self._supervisor.end(reason, outcome)

    # -- life -------------------------------------------------------------------------------

    async def execute(self) -> RunSummary:
        """Start everything, wait for the end, stop everything.

        Raises:
            BusError: the broker cannot be reached or started.
        """
        recorder: tuple[HostKeeper, asyncio.Task[None]] | None = None
        supervisor: tuple[HostKeeper, asyncio.Task[None]] | None = None
        tasks: list[asyncio.Task[None]] = []
        try:
            plans = [*self.scenario.plans, *self._parts.extra_plans(self._options.extra_modules)]
            # Those of their own process take longest: they get ready while the broker starts.
            apart = [self._start_apart(plan) for plan in plans if self._parts.is_apart(plan)]
            tasks += [task for _, task in apart]
            await self._start_broker()
            self._parts.broker_stands.set()
            if self._parts.address is not None:
                live_runs.announce(
                    self.run_id,
                    broker=self._parts.address.url,
                    scenario=self.scenario.name,
                    scenario_file=self.scenario.path,
                )
            if self._options.record and self.scenario.recording.enabled:
                recorder = await self._start_framework("recorder", self._recorder_class())
            supervisor = await self._start_framework("supervisor", Supervisor)
            module = supervisor[0].host.module
            assert isinstance(module, Supervisor)
            self._supervisor = module
            for observer in self._observers:
                module.observe(observer)
            if recorder is not None:
                module.observe(_record_without_broker(recorder[0].host, module.source))
            if self._stop_early is not None:
                module.end(*self._stop_early)
            shared = [
                self._parts.host_keeper(plan, self._gave_up)
                for plan in plans
                if not self._parts.is_apart(plan)
            ]
            for keeper in shared:
                await keeper.open()
                self._keepers.append(keeper)
            tasks += [
                asyncio.create_task(keeper.keep(), name=f"{keeper.source} keeper")
                for keeper in shared
            ]
            # They start meanwhile, but nobody acts before those in other processes are heard of.
            await self._wait_for_presence([keeper for keeper, _ in apart], supervisor[0].host)
            self._parts.curtain.ready(APART)
            if self.broker is None and self._parts.address is not None:
                sweeping = sweep_dead_runs(self._parts.address)
                tasks.append(asyncio.create_task(_without_result(sweeping), name="sweep"))
            self.ready.set()
            await self._wait_for_end(module)
        finally:
            summary = await self._shut_down(tasks, supervisor, recorder)
        return summary

    def _start_apart(self, plan: ModulePlan) -> tuple[ProcessKeeper, asyncio.Task[None]]:
        keeper = self._parts.process_keeper(plan, self._gave_up, self._fault)
        self._keepers.append(keeper)
        return keeper, asyncio.create_task(keeper.keep(), name=f"{keeper.source} keeper")

    async def _wait_for_presence(self, apart: list[ProcessKeeper], host: ModuleHost) -> None:
        """Give the modules of their own process time to be present before anybody speaks."""
        deadline_s = time.monotonic() + PROCESS_START_S  # they load no faster where time does
        while time.monotonic() < deadline_s and self._stop_early is None:
            waiting = [
                keeper
                for keeper in apart
                if not host.directory.is_there(keeper.source) and not keeper.deaths
            ]
            if not waiting:
                return
            await asyncio.sleep(0.01)

    async def _wait_for_end(self, supervisor: Supervisor) -> None:
        held = self._options.held_by is not None
        try:
            async with asyncio.timeout(None if held else self.scenario.duration_s):
                await supervisor.ending.wait()
        except TimeoutError:
            supervisor.end(f"its {self.scenario.duration_s:g} s are over")

    async def _shut_down(
        self,
        tasks: list[asyncio.Task[None]],
        supervisor: tuple[HostKeeper, asyncio.Task[None]] | None,
        recorder: tuple[HostKeeper, asyncio.Task[None]] | None,
    ) -> RunSummary:
        if self._supervisor is not None:
            if not self._supervisor.ending.is_set():
                self._supervisor.end("it was interrupted", RunOutcome.STOPPED)
            if self._supervisor.is_deaf:
                self._supervisor.end_deaf()
            self._supervisor.announce_end()
        for keeper in self._keepers:
            keeper.stop()
        await _finish(tasks)
        summary = self._summary()
        for framework in (supervisor, recorder):
            if framework is None:
                continue
            keeper, task = framework
            if framework is supervisor:
                keeper.host.bus.purge()
            keeper.stop()
            await _finish([task])
        if self._parts.address is not None:
            live_runs.unregister(self.run_id)
        if self.broker is not None:
            await self.broker.stop()
        return summary

    # -- pieces -----------------------------------------------------------------------------

    async def _start_broker(self) -> None:
        if self.is_virtual:
            return
        self._parts.address = (
            self._options.broker
            or BrokerAddress.from_environment()
            or self.scenario.broker_address()
        )
        if self._parts.address is None:
            self.broker = EmbeddedBroker(
                prefer=_preferred_broker(self._options.prefer_broker),
                on_restart=lambda report: self._broker_restarted(report.reason),
                on_failure=lambda report: self.stop(
                    f"the broker could not be kept alive: {report.reason}", RunOutcome.FAILED
                ),
            )
            await self.broker.start()
            self._parts.address = BrokerAddress(
                self.broker.host, self.broker.port, self.broker.username, self.broker.password
            )

    def _broker_restarted(self, reason: str) -> None:
        if self.board is not None and self._supervisor is not None:
            self.board.broker_restarts += 1
            self._supervisor.fault(f"the broker was started again: {reason}", warning=True)

    async def _start_framework(
        self, name: str, module_class: type[Module]
    ) -> tuple[HostKeeper, asyncio.Task[None]]:
        """Start a module of the framework itself and wait until it is ready."""
        plan = self._parts.framework_plan(name, module_class)
        keeper = self._parts.host_keeper(
            plan, lambda text: self.stop(text, RunOutcome.FAILED), must_start=True
        )
        await keeper.open()
        task = asyncio.create_task(keeper.keep(), name=f"{plan.source} keeper")
        started = asyncio.create_task(keeper.host.started.wait(), name=f"{plan.source} started")
        await asyncio.wait([task, started], return_when=asyncio.FIRST_COMPLETED)
        if not keeper.host.started.is_set():
            started.cancel()
            await task
        return keeper, task

    def _gave_up(self, text: str) -> None:
        self._fault("world.supervisor", text)

    def _fault(self, source: str, text: str) -> None:
        if self._supervisor is None:
            _log.error("%s", text)
        else:
            fault = ModuleFault(module=source, severity=Severity.ERROR, summary=text)
            self._supervisor.bus.publish(fault)

    def _recorder_class(self) -> type[Module]:
        from sera.recording import RunFolder

        log = self._options.log
        if log is None:
            log = RunFolder.create(
                self.run_id,
                scenario=self.scenario.name,
                seed=self.scenario.seed,
                condition=self.scenario.condition,
                clock=self.clock.kind,
                robots=self.scenario.bodies,
            ).log_path
        self._parts.log_path = log
        return self._parts.workspace.load_module_class("recorder")

    def _summary(self) -> RunSummary:
        board = self.board or Board(self.clock.now)
        supervisor = self._supervisor
        return RunSummary(
            scenario=self.scenario.name,
            run=self.run_id,
            condition=self.scenario.condition,
            seed=self.scenario.seed,
            clock=self.clock.kind,
            outcome=str(RunOutcome.FAILED if supervisor is None else supervisor.outcome),
            reason="" if supervisor is None else supervisor.reason,
            duration_s=round(self.elapsed_s, 3),
            messages=board.total,
            by_type=dict(sorted(board.by_type.items())),
            modules=[plan.source for plan in self.scenario.plans],
            restarts={each.source: each.restarts for each in self._keepers if each.restarts},
            expired=board.expired,
            faults=[fault.model_dump(mode="json") for fault in board.faults],
            broker=self.broker_name,
            counters={
                source: dict(line.counts)
                for source, line in sorted(board.modules.items())
                if line.counts
            },
            log=None if self.log_path is None else str(self.log_path),
        )


def _preferred_broker(chosen: BrokerChoice | None) -> BrokerChoice:
    if chosen is not None:
        return chosen
    name = os.environ.get("SERA_PREFER_BROKER", "auto")
    for known in get_args(BrokerChoice):
        if name == known:
            return cast(BrokerChoice, known)
    raise ValueError(f"SERA_PREFER_BROKER is {name!r}: choose {', '.join(get_args(BrokerChoice))}")


def _new_run_id(scenario: str, *, virtual: bool) -> str:
    """Unique for every start, except in virtual time, where logs must be identical."""
    if virtual:
        return f"{scenario}_virtual"
    return f"{scenario}_{time.strftime('%Y%m%d_%H%M%S')}_{secrets.token_hex(2)}"


def _record_without_broker(recorder: ModuleHost, supervisor: str) -> Callable[[Envelope], None]:
    """What the supervisor says while no broker carries it stands in the log all the same."""

    def record(envelope: Envelope) -> None:
        bus = recorder.bus
        if envelope.source == supervisor and not bus.connected and bus.on_published is not None:
            bus.on_published(envelope)

    return record


async def _without_result(work: Coroutine[Any, Any, Any]) -> None:
    await work


async def _finish(tasks: list[asyncio.Task[None]]) -> None:
    """Wait for keepers to end, all together not for long; cancel those that take longer."""
    if not tasks:
        return
    _, unfinished = await asyncio.wait(tasks, timeout=real_seconds(STOP_S))
    for task in unfinished:
        task.cancel()
    if unfinished:
        await asyncio.wait(unfinished, timeout=real_seconds(0.5))
    for task in tasks:
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            _log.error("%s ended with %s: %s", task.get_name(), type(error).__name__, error)

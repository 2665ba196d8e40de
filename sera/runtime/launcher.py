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
import os
import platform
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from sera.bus import (
    BrokerAddress,
    Bus,
    EmbeddedBroker,
    Identity,
    MemoryBroker,
    MemoryBus,
    MqttBus,
)
from sera.messages import WORLD, Envelope, ModuleFault, RunOutcome, Severity, State
from sera.runtime import live_runs
from sera.runtime._host import ModuleHost
from sera.runtime._keeper import HostKeeper, Keeper, ProcessKeeper
from sera.runtime._supervisor import Supervisor
from sera.runtime.board import Board
from sera.runtime.clock import Clock
from sera.runtime.module import Module, ModuleContext
from sera.runtime.scenario import ModulePlan, Scenario
from sera.runtime.workspace import Workspace

STOP_S = 2.0
PROCESS_START_S = 5.0

BrokerChoice = Literal["auto", "mosquitto", "amqtt"]


@dataclass(frozen=True)
class RunOptions:
    """What the command line decides about a run."""

    broker: BrokerAddress | None = None
    """A broker that is there already; None: the scenario's, the environment's, or our own."""
    prefer_broker: BrokerChoice | None = None
    """Which embedded broker; None: SERA_PREFER_BROKER, or mosquitto where it is installed."""
    log: Path | None = None
    """Where to write the log; None: a new folder in `runs/`."""
    record: bool = True
    run_id: str | None = None
    extra_modules: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Further world modules with their settings (`--console` adds the gateway)."""


@dataclass(frozen=True)
class RunSummary:
    """What a run came to."""

    scenario: str
    run: str
    condition: str | None
    seed: int
    clock: str
    outcome: str
    reason: str
    duration_s: float
    messages: int
    by_type: dict[str, int]
    modules: list[str]
    restarts: dict[str, int]
    expired: int
    faults: list[dict[str, Any]]
    broker: str
    log: str | None

    @property
    def failed(self) -> bool:
        errors = any(fault["severity"] == "error" for fault in self.faults)
        return errors or self.outcome == RunOutcome.FAILED

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Run:
    """One run of a scenario: make it, then `await run.execute()` once."""

    def __init__(self, scenario: Scenario, workspace: Workspace, options: RunOptions) -> None:
        self.scenario = scenario
        self.clock = Clock.for_running_loop()
        self.is_virtual = self.clock.kind == "virtual"
        self.run_id = options.run_id or _new_run_id(scenario.name, virtual=self.is_virtual)
        self.log_path: Path | None = None
        self.broker: EmbeddedBroker | None = None
        self._workspace = workspace
        self._options = options
        self._memory = MemoryBroker()
        self._address: BrokerAddress | None = None
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
    def broker_name(self) -> str:
        if self.is_virtual:
            return "in memory"
        where = "?" if self._address is None else str(self._address)
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
            await self._start_broker()
            if self._address is not None:
                live_runs.announce(
                    self.run_id,
                    broker=self._address.url,
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
            if self._stop_early is not None:
                module.end(*self._stop_early)
            for plan in [*self.scenario.plans, *self._extra_plans()]:
                keeper = self._keeper(plan)
                await keeper.open()
                self._keepers.append(keeper)
            # Those of their own process take longest: they start first and are waited for.
            await self._wait_for_processes(supervisor[0].host, tasks)
            tasks += [
                asyncio.create_task(keeper.keep(), name=f"{keeper.source} keeper")
                for keeper in self._keepers
                if isinstance(keeper, HostKeeper)
            ]
            self.ready.set()
            await self._wait_for_end(module)
        finally:
            summary = await self._shut_down(tasks, supervisor, recorder)
        return summary

    async def _wait_for_processes(
        self, host: ModuleHost, tasks: list[asyncio.Task[None]]
    ) -> None:
        """Start the modules of their own process and give them time to be present."""
        apart = [keeper for keeper in self._keepers if isinstance(keeper, ProcessKeeper)]
        for keeper in apart:
            tasks.append(asyncio.create_task(keeper.keep(), name=f"{keeper.source} keeper"))
        deadline_s = self.clock.now() + PROCESS_START_S
        while self.clock.now() < deadline_s and self._stop_early is None:
            waiting = [
                keeper
                for keeper in apart
                if not host.directory.is_there(keeper.source) and not keeper.deaths
            ]
            if not waiting:
                return
            await asyncio.sleep(0.01)

    async def _wait_for_end(self, supervisor: Supervisor) -> None:
        try:
            async with asyncio.timeout(self.scenario.duration_s):
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
            self._supervisor.announce_end()
        for keeper in self._keepers:
            keeper.stop()
        for task in tasks:
            await _finish(task)
        summary = self._summary()
        for framework in (supervisor, recorder):
            if framework is None:
                continue
            keeper, task = framework
            if framework is supervisor:
                keeper.host.bus.purge()
            keeper.stop()
            await _finish(task)
        if self._address is not None:
            live_runs.unregister(self.run_id)
        if self.broker is not None:
            await self.broker.stop()
        return summary

    # -- pieces -----------------------------------------------------------------------------

    async def _start_broker(self) -> None:
        if self.is_virtual:
            return
        self._address = (
            self._options.broker
            or BrokerAddress.from_environment()
            or self.scenario.broker_address()
        )
        if self._address is None:
            self.broker = EmbeddedBroker(
                prefer=_preferred_broker(self._options.prefer_broker),
                on_restart=lambda report: self._broker_restarted(report.reason),
                on_failure=lambda report: self.stop(
                    f"the broker could not be kept alive: {report.reason}", RunOutcome.FAILED
                ),
            )
            await self.broker.start()
            self._address = BrokerAddress(
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
        plan = ModulePlan(WORLD, name, name, "shared", module_class, module_class.Settings())
        keeper = HostKeeper(
            plan.source,
            lambda life: self._host(plan, life),
            now=self.clock.now,
            give_up=lambda text: self.stop(text, RunOutcome.FAILED),
        )
        await keeper.open()
        task = asyncio.create_task(keeper.keep(), name=f"{plan.source} keeper")
        started = asyncio.create_task(keeper.host.started.wait(), name=f"{plan.source} started")
        await asyncio.wait([task, started], return_when=asyncio.FIRST_COMPLETED)
        if not keeper.host.started.is_set():
            started.cancel()
            await task
        return keeper, task

    def _keeper(self, plan: ModulePlan) -> HostKeeper | ProcessKeeper:
        # Another process cannot follow a clock that is not the machine's own.
        if plan.process == "own" and self.clock.kind == "real":
            return self._process_keeper(plan)
        return HostKeeper(
            plan.source,
            lambda life: self._host(plan, life),
            now=self.clock.now,
            give_up=self._gave_up,
        )

    def _process_keeper(self, plan: ModulePlan) -> ProcessKeeper:
        assert self._address is not None
        arguments = [
            plan.implementation,
            "--character",
            plan.character,
            "--name",
            plan.name,
            "--run",
            self.run_id,
            "--scenario",
            str(self.scenario.path),
        ]
        if self.scenario.condition is not None:
            arguments += ["--condition", self.scenario.condition]
        return ProcessKeeper(
            plan.source,
            arguments,
            {
                "broker": self._address.url,
                "roots": [str(root) for root in self._workspace.roots],
                "seed": self.scenario.seed,
                "settings": plan.settings.model_dump(mode="json"),
            },
            now=self.clock.now,
            give_up=self._gave_up,
            died=lambda text: self._fault(plan.source, text),
        )

    def _gave_up(self, text: str) -> None:
        self._fault("world.supervisor", text)

    def _fault(self, source: str, text: str) -> None:
        if self._supervisor is not None:
            fault = ModuleFault(module=source, severity=Severity.ERROR, summary=text)
            self._supervisor.bus.publish(fault)

    def _host(self, plan: ModulePlan, life: int) -> ModuleHost:
        boot = life if self.is_virtual else int(time.time() * 1000)
        presence: dict[str, Any] = {}
        if not self.is_virtual:
            presence = {"host": platform.node(), "process_id": os.getpid()}
        return ModuleHost(
            plan.module_class,
            Identity(self.run_id, plan.character, plan.name, boot),
            self._context(plan.character, life),
            self._bus,
            settings=plan.settings,
            presence=presence,
        )

    def _context(self, character: str, life: int) -> ModuleContext:
        return ModuleContext(
            clock=self.clock,
            seed=self.scenario.seed,
            scenario=self.scenario,
            robot=self.scenario.robots.get(character),
            folder=self.scenario.folder,
            condition=self.scenario.condition,
            options={"run": self.run_id, "log": self.log_path, "life": life},
        )

    def _bus(self, identity: Identity, will: State, hears_everyone: bool | None) -> Bus:
        now = self.clock.now
        if self.is_virtual:
            return MemoryBus(
                identity, self._memory, now=now, will=will, hears_everyone=hears_everyone
            )
        assert self._address is not None
        return MqttBus(identity, self._address, now=now, will=will, hears_everyone=hears_everyone)

    def _recorder_class(self) -> type[Module]:
        from sera.recording import RunFolder

        self.log_path = self._options.log
        if self.log_path is None:
            folder = RunFolder.create(
                self.run_id,
                scenario=self.scenario.name,
                seed=self.scenario.seed,
                condition=self.scenario.condition,
                clock=self.clock.kind,
            )
            self.log_path = folder.log_path
        return self._workspace.load_module_class("recorder")

    def _extra_plans(self) -> list[ModulePlan]:
        plans = []
        known = {plan.source for plan in self.scenario.plans}
        for name, settings in self._options.extra_modules.items():
            module_class = self._workspace.load_module_class(name)
            plan = ModulePlan(
                WORLD, name, name, "shared", module_class, module_class.Settings(**settings)
            )
            if plan.source not in known:
                plans.append(plan)
        return plans

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


async def _finish(task: asyncio.Task[None]) -> None:
    """Wait for a keeper to end; cancel it if it takes too long."""
    try:
        async with asyncio.timeout(STOP_S):
            await asyncio.shield(task)
    except TimeoutError:
        task.cancel()
        await asyncio.wait([task], timeout=0.5)

"""Puts the parts of a run together: hosts, their connections, and who keeps them alive."""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sera.bus import BrokerAddress, Bus, Identity, MemoryBroker, MemoryBus, MqttBus
from sera.messages import WORLD, State
from sera.runtime._curtain import Curtain
from sera.runtime._hand_down import settings_as_json
from sera.runtime._host import ModuleHost
from sera.runtime._keeper import HostKeeper, ProcessKeeper
from sera.runtime.clock import Clock
from sera.runtime.module import Module, ModuleContext
from sera.runtime.scenario import ModulePlan, Scenario
from sera.runtime.workspace import Workspace

APART = "those in processes of their own"


@dataclass(frozen=True)
class Surroundings:
    """What a run in virtual time can be given in place of its own: a replay brings all of it."""

    clock: Clock | None = None
    memory: MemoryBroker | None = None
    adapt: Callable[[ModulePlan, ModuleContext], None] | None = None
    """Changes what surrounds a module before it is made."""


class Assembly:
    """Knows everything about a run that its modules need to be made."""

    def __init__(
        self,
        scenario: Scenario,
        workspace: Workspace,
        clock: Clock,
        run_id: str,
        surroundings: Surroundings | None = None,
    ) -> None:
        self.scenario = scenario
        self.workspace = workspace
        self.clock = clock
        self.run_id = run_id
        self.is_virtual = clock.kind == "virtual"
        self.address: BrokerAddress | None = None
        """Where the broker is; None in virtual time, and before it stands."""
        self.broker_stands = asyncio.Event()
        self.log_path: Path | None = None
        self.held_by: str | None = None
        """The only module that may end the run."""
        self._surroundings = surroundings or Surroundings()
        self._memory = self._surroundings.memory or MemoryBroker()
        sharing = [plan.source for plan in scenario.plans if not self.is_apart(plan)]
        self.curtain = Curtain([*sharing, APART])

    def framework_plan(self, name: str, module_class: type[Module]) -> ModulePlan:
        """The plan of a module that belongs to every run."""
        return ModulePlan(WORLD, name, name, "shared", module_class, module_class.Settings())

    def extra_plans(self, extra: dict[str, dict[str, Any]]) -> list[ModulePlan]:
        """Plans of world modules that the command line adds, where the scenario has them not."""
        plans = []
        known = {plan.source for plan in self.scenario.plans}
        for name, settings in extra.items():
            module_class = self.workspace.load_module_class(name)
            plan = ModulePlan(
                WORLD, name, name, "shared", module_class, module_class.Settings(**settings)
            )
            if plan.source not in known:
                plans.append(plan)
        return plans

    def host_keeper(
        self, plan: ModulePlan, give_up: Callable[[str], None], *, must_start: bool = False
    ) -> HostKeeper:
        """Keeps a module that shares this process."""
        return HostKeeper(
            plan.source,
            lambda life: self._host(plan, life),
            now=self.clock.now,
            give_up=give_up,
            must_start=must_start,
        )

    def is_apart(self, plan: ModulePlan) -> bool:
        """Whether a module has a process of its own."""
        # Another process cannot follow a clock that is not the machine's own.
        return plan.process == "own" and self.clock.kind == "real"

    def process_keeper(
        self, plan: ModulePlan, give_up: Callable[[str], None], died: Callable[[str, str], None]
    ) -> ProcessKeeper:
        """Keeps a module in a process of its own; it may start before the broker stands."""
        arguments = [plan.implementation, "--character", plan.character, "--name", plan.name]
        arguments += ["--run", self.run_id, "--scenario", str(self.scenario.path)]
        if self.scenario.condition is not None:
            arguments += ["--condition", self.scenario.condition]
        return ProcessKeeper(
            plan.source,
            arguments,
            lambda: self._handed_down(plan),
            now=self.clock.now,
            give_up=give_up,
            died=lambda text: died(plan.source, text),
        )

    async def _handed_down(self, plan: ModulePlan) -> dict[str, object]:
        await self.broker_stands.wait()
        assert self.address is not None
        return {
            "broker": self.address.url,
            "roots": [str(root) for root in self.workspace.roots],
            "seed": self.scenario.seed,
            "robots": {name: str(card.folder) for name, card in self.scenario.robots.items()},
            "settings": settings_as_json(plan.settings),
            "held_by": self.held_by,
        }

    def _host(self, plan: ModulePlan, life: int) -> ModuleHost:
        boot = life if self.is_virtual else int(time.time() * 1000)
        presence: dict[str, Any] = {}
        if not self.is_virtual:
            presence = {"host": platform.node(), "process_id": os.getpid()}
        return ModuleHost(
            plan.module_class,
            Identity(self.run_id, plan.character, plan.name, boot),
            self._context(plan, life),
            self._bus,
            settings=plan.settings,
            presence=presence,
        )

    def _context(self, plan: ModulePlan, life: int) -> ModuleContext:
        context = ModuleContext(
            clock=self.clock,
            seed=self.scenario.seed,
            scenario=self.scenario,
            robot=self.scenario.robots.get(plan.character),
            curtain=self.curtain if plan in self.scenario.plans else None,
            folder=self.scenario.folder,
            condition=self.scenario.condition,
            options={
                "run": self.run_id,
                "log": self.log_path,
                "life": life,
                "held_by": self.held_by,
            },
        )
        if self._surroundings.adapt is not None:
            self._surroundings.adapt(plan, context)
        return context

    def _bus(self, identity: Identity, will: State, hears_everyone: bool | None) -> Bus:
        now = self.clock.now
        if self.is_virtual:
            return MemoryBus(
                identity, self._memory, now=now, will=will, hears_everyone=hears_everyone
            )
        assert self.address is not None
        return MqttBus(identity, self.address, now=now, will=will, hears_everyone=hears_everyone)

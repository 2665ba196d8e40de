"""One module in this process, joined to a run whose other modules are elsewhere.

Design overview
    settings, class and scenario are found first, so that what is wrong is said before anybody is
    connected; then the run is found, the module lives in a `ModuleHost` as it would in `sera run`,
    and beside it the offset of this machine's clock is measured.

Threading
    One event loop; as a child process, one thread that waits for the parent's end.

Safety
    It ends with the run: by RunEnding, by the parent's end, or when the supervisor has been gone
    for a while. A source that is in the run already is refused.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from sera.bus import BrokerAddress, Bus, Identity, MqttBus
from sera.cli._errors import MODULE_DIED, CommandError, as_wrong_input
from sera.cli._finding import SUPERVISOR, FoundRun, find_run, present_on
from sera.cli._logs import showing_logs
from sera.cli._parent_pipe import call_at_end, read_first_line
from sera.cli._signals import StopSignals
from sera.cli._text import note
from sera.cli._values import build, merged, parse_assignments
from sera.cli._workspace import workspace_around
from sera.messages import (
    WORLD,
    Envelope,
    ModulePresence,
    PresenceStatus,
    RunEnding,
    State,
    check_name,
)
from sera.runtime._clock_offset import ClockOffsetWatch
from sera.runtime._host import ModuleHost
from sera.runtime._scenario_check import load_module_class
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_in_loop
from sera.runtime.module import Module, ModuleContext
from sera.runtime.robot import load_robot
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace, built_in_root

SUPERVISOR_GONE_S = 10.0


@dataclass(frozen=True)
class ModuleRequest:
    """What the command line says."""

    implementation: str
    character: str
    name: str | None = None
    broker: str | None = None
    run_id: str | None = None
    scenario: str | None = None
    condition: str | None = None
    settings: list[str] | None = None
    seed: int | None = None
    verbose: bool = False


@dataclass(frozen=True)
class PreparedModule:
    """A module that is ready to be joined to a run."""

    character: str
    name: str
    module_class: type[Module]
    settings: BaseModel
    scenario: Scenario | None
    folder: Path
    seed: int
    held_by: str | None = None
    """The only module that may end the run."""

    @property
    def source(self) -> str:
        return f"{self.character}.{self.name}"


class _Elsewhere(Module):
    """Stands for the scenario's other modules: what they need may not be installed here."""

    class Settings(Module.Settings):
        model_config = ConfigDict(extra="allow")


def run_module(request: ModuleRequest, *, child: bool) -> int:
    """Run the module until it ends; returns the exit code."""
    if child:  # Ctrl-C reaches the whole group of processes; the parent decides
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    level = logging.INFO if request.verbose or child else logging.WARNING
    with showing_logs(handler, {"sera": level}):
        handed_down = read_first_line() if child else {}
        prepared = prepare(request, handed_down)
        if not child:
            return run_in_loop(_join(request, prepared))
        if request.run_id is None:
            raise CommandError("--child needs --run")
        found = FoundRun(request.run_id, BrokerAddress.parse(str(handed_down["broker"])))
        return run_in_loop(_live(prepared, found, child=True))


def prepare(request: ModuleRequest, handed_down: dict[str, Any]) -> PreparedModule:
    """Find class and settings of the module and check them."""
    roots = handed_down.get("roots")
    if roots is None:
        workspace = workspace_around(request.scenario)
    else:
        workspace = Workspace([Path(root) for root in roots], built_in=built_in_root())
    workspace.activate()
    name = request.name or Path(request.implementation.partition(":")[0]).stem
    with as_wrong_input():
        check_name(name, "module")
        check_name(request.character, "character")
    scenario = None
    if request.scenario is not None:
        scenario = load_scenario(
            request.scenario,
            workspace,
            request.condition,
            class_loader=lambda module, folder: (
                load_module_class(workspace, module, folder)
                if module == request.implementation
                else _Elsewhere
            ),
        )
        robots = handed_down.get("robots", {})
        scenario = scenario.overridden(
            robots={name: load_robot(Path(folder)) for name, folder in robots.items()}
        )
    elif request.condition is not None:
        raise CommandError("--condition needs --scenario: conditions belong to a scenario")
    folder = Path.cwd() if scenario is None else scenario.folder
    module_class = load_module_class(workspace, request.implementation, folder)
    fields = handed_down.get("settings")
    if fields is None:
        fields = {} if scenario is None else _settings_in(scenario, request.character, name)
    fields = merged(fields, parse_assignments(request.settings or []))
    seed = request.seed if request.seed is not None else handed_down.get("seed")
    if seed is None:
        seed = 0 if scenario is None else scenario.seed
    return PreparedModule(
        request.character,
        name,
        module_class,
        build(module_class.Settings, fields, request.implementation, field_word="setting"),
        scenario,
        folder,
        int(seed),
        handed_down.get("held_by"),
    )


def _settings_in(scenario: Scenario, character: str, name: str) -> dict[str, Any]:
    """What the scenario says to that module; nothing where it does not have it."""
    modules = scenario.file.modules
    if character != WORLD:
        if character not in scenario.characters:
            known = ", ".join([*scenario.characters, WORLD])
            raise CommandError(
                f"scenario '{scenario.name}' has no character '{character}'; it has {known}"
            )
        modules = scenario.characters[character].modules
    return dict(modules[name].settings) if name in modules else {}


async def _join(request: ModuleRequest, prepared: PreparedModule) -> int:
    """Find the run, see that the place is free, and live in it."""
    found = await find_run(request.broker, request.run_id)
    where = (await present_on(found.address, found.run)).get((found.run, prepared.source))
    if where is not None:
        raise CommandError(
            f"{prepared.source} is in the run {found.run} already ({where}): give another name "
            "with --name, or take it out of the scenario"
        )
    return await _live(prepared, found, child=False)


async def _live(prepared: PreparedModule, found: FoundRun, *, child: bool) -> int:
    return await _Life(prepared, found, child=child).live()


class _Life:
    """The life of the module in one run."""

    def __init__(self, prepared: PreparedModule, found: FoundRun, *, child: bool) -> None:
        self._prepared = prepared
        self._found = found
        self._child = child
        self._clock = Clock.for_running_loop()
        self._stopping: str | None = None
        self._living: asyncio.Task[None] | None = None
        self._gone_timer: asyncio.TimerHandle | None = None
        scenario = prepared.scenario
        self._host = ModuleHost(
            prepared.module_class,
            Identity(found.run, prepared.character, prepared.name, int(time.time() * 1000)),
            ModuleContext(
                clock=self._clock,
                seed=prepared.seed,
                scenario=scenario,
                robot=None if scenario is None else scenario.robots.get(prepared.character),
                folder=prepared.folder,
                condition=None if scenario is None else scenario.condition,
                options={"run": found.run, "log": None, "life": 0, "held_by": prepared.held_by},
            ),
            self._bus,
            settings=prepared.settings,
            presence={"host": platform.node(), "process_id": os.getpid()},
        )

    async def live(self) -> int:
        """Join, live, leave; returns the exit code."""
        host = self._host
        with StopSignals(self._signalled, ignore_interrupt=self._child):
            if self._child:
                call_at_end(lambda: self._stop("the parent has ended"))
            await host.open()
            await host.bus.subscribe([RunEnding], self._run_ends)
            await host.bus.subscribe([ModulePresence], self._supervisor_seen, characters=[WORLD])
            watch = ClockOffsetWatch(
                host.bus,
                self._clock.now,
                warn=lambda text: host.report(f"{host.identity.source}: {text}", warning=True),
                log=logging.getLogger(f"sera.{host.identity.source}"),
            )
            watching = asyncio.create_task(watch.run(), name="clock offset")
            self._living = asyncio.create_task(host.live(), name=host.identity.source)
            self._say(f"{host.identity.source} takes part in the run {self._found.run}")
            try:
                await self._living
            except asyncio.CancelledError:
                if self._stopping is None:
                    raise
            except Exception as error:
                note(f"{host.identity.source} died: {type(error).__name__}: {error}", "bold red")
                return MODULE_DIED
            finally:
                watching.cancel()
                if self._gone_timer is not None:
                    self._gone_timer.cancel()
        self._say(f"{host.identity.source} has left: {self._stopping or 'it had nothing to do'}")
        return 0

    def _bus(self, identity: Identity, will: State, hears_everyone: bool | None) -> Bus:
        return MqttBus(
            identity,
            self._found.address,
            now=self._clock.now,
            will=will,
            hears_everyone=hears_everyone,
        )

    def _signalled(self, why: str) -> None:
        if self._child and self._stopping is not None:
            os._exit(0)  # the parent has asked politely before
        self._stop(why)

    def _stop(self, why: str) -> None:
        if self._stopping is not None:
            return
        self._stopping = why
        self._host.stop()
        if self._living is not None and not self._host.started.is_set():
            self._living.cancel()  # still busy with its own `start`

    def _run_ends(self, envelope: Envelope) -> None:
        ending = envelope.message
        assert isinstance(ending, RunEnding)
        self._stop(f"the run has ended{f': {ending.reason}' if ending.reason else ''}")

    def _supervisor_seen(self, envelope: Envelope) -> None:
        """Follow whether the run is still there: after `kill -9` nobody says that it ends."""
        if envelope.source != SUPERVISOR or not isinstance(envelope.message, ModulePresence):
            return
        if self._gone_timer is not None:
            self._gone_timer.cancel()
            self._gone_timer = None
        if envelope.message.status is PresenceStatus.LOST:
            self._gone_timer = asyncio.get_running_loop().call_later(
                SUPERVISOR_GONE_S, self._stop, "the run is gone"
            )

    def _say(self, sentence: str) -> None:
        if not self._child:
            note(sentence, "bold")

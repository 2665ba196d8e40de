"""What `sera robot watch` does: it asks the engine of a character for reports and shows them.

Design overview
    A module that is there for a while sends WatchBlend with receipts like any other, again and
    again while it watches, so that an engine which was started anew answers too and one that
    nobody watches any longer falls silent by itself. Reports that a broker has kept from an earlier
    watcher are told by their ids and left out.

Threading
    One event loop; messages are heard in it.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sera.bus import Bus, Identity, MqttBus
from sera.cli._errors import FAILED, CommandError
from sera.cli._finding import FoundRun, find_run
from sera.cli._robot_watch_view import UnitOf, as_data, lines_of, rows_of, table_of, units_from
from sera.cli._signals import StopSignals
from sera.cli._text import note
from sera.cli._workspace import workspace_around
from sera.messages import (
    WORLD,
    BlendReport,
    BodyHealth,
    BodyState,
    EngineState,
    Envelope,
    Message,
    ModulePresence,
    PresenceStatus,
    Receipt,
    RunEnding,
    State,
    WatchBlend,
)
from sera.runtime._host import ModuleHost
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_in_loop
from sera.runtime.located import FileProblems, nearest_name
from sera.runtime.module import Module, ModuleContext, Role

if TYPE_CHECKING:
    from rich.live import Live

    from sera.animation.channels import ChannelSpec
    from sera.runtime.workspace import Workspace

PRESENCE_ARRIVES_WITHIN_S = 0.3
RENEW_EVERY_S = 3.0
ASK_FOR_S = 2.0 * RENEW_EVERY_S
ANSWER_WITHIN_S = 4.0
STATE_WITHIN_S = 1.5
"""The engine says every second how it is; what it said last, the broker has kept."""
IN_A_TERMINAL_EVERY_S, ELSEWHERE_EVERY_S = 0.2, 1.0
HEARD: list[type[Message]] = [BlendReport, EngineState, BodyState, Receipt, RunEnding]
_THERE = (PresenceStatus.STARTING, PresenceStatus.PRESENT)


@dataclass(frozen=True)
class WatchWish:
    """What the command line says."""

    character: str | None = None
    channels: tuple[str, ...] = ()
    once: bool = False
    seconds: float | None = None
    every_s: float | None = None
    robot: str | None = None
    broker: str | None = None
    run_id: str | None = None
    as_json: bool = False


class _Onlooker(Module):
    """A person at the command line: subject to no dial."""

    role = Role.WIZARD
    hears_everyone = True


def watch_body(wish: WatchWish) -> int:
    """Watch until the run ends, enough was seen or Ctrl-C; returns the exit code."""
    return run_in_loop(_watch(wish))


async def _watch(wish: WatchWish) -> int:
    return await _Watching(await find_run(wish.broker, wish.run_id), wish).watch()


class _Watching:
    def __init__(self, found: FoundRun, wish: WatchWish) -> None:
        self._found, self._wish = found, wish
        self._clock = Clock.for_running_loop()
        self._in_terminal = sys.stdout.isatty() and not (wish.as_json or wish.once)
        usual_s = IN_A_TERMINAL_EVERY_S if self._in_terminal else ELSEWHERE_EVERY_S
        self._every_s = wish.every_s or usual_s
        self._engine = ""
        self._states: dict[str, EngineState] = {}
        self._health: dict[str, BodyState] = {}
        self._kept: set[str] = set()
        self._asked = self._taken = False
        self._shown = 0
        self._reports: asyncio.Queue[BlendReport | None] = asyncio.Queue()
        self._unit_of: UnitOf = units_from({})
        self._units_known = False
        self._told_of_no_channel = False
        self._live: Live | None = None
        self._host = ModuleHost(
            _Onlooker,
            Identity(found.run, WORLD, f"watch_{os.getpid()}", int(time.time() * 1000)),
            ModuleContext(clock=self._clock),
            self._bus,
            presence={"host": platform.node(), "process_id": os.getpid()},
        )

    def _bus(self, identity: Identity, will: State, hears_everyone: bool | None) -> Bus:
        address, now = self._found.address, self._clock.now
        return MqttBus(identity, address, now=now, will=will, hears_everyone=hears_everyone)

    async def watch(self) -> int:
        host = self._host
        await host.open()
        living = asyncio.create_task(host.live(), name=host.identity.source)
        renewing: asyncio.Task[None] | None = None
        try:
            with StopSignals(lambda _why: self._end()):
                await host.started.wait()
                await host.bus.subscribe(HEARD, self._hear)
                await asyncio.sleep(PRESENCE_ARRIVES_WITHIN_S)
                self._engine = self._choose_engine()
                renewing = asyncio.create_task(self._keep_asking(), name="watch: asking")
                async with asyncio.timeout(self._wish.seconds):
                    return await self._show_reports()
        except TimeoutError:  # the time that was asked for is over
            if self._shown:
                return 0
            note(f"nothing of {self._engine} within {self._wish.seconds:g} s", "bold red")
            return FAILED
        finally:
            if self._live is not None:
                self._live.stop()
            if renewing is not None:
                renewing.cancel()
                with suppress(asyncio.CancelledError):
                    await renewing
            host.stop()
            await living

    # -- asking -----------------------------------------------------------------------------

    @property
    def _character(self) -> str:
        return self._engine.partition(".")[0]

    def _choose_engine(self) -> str:
        """The source of the engine to watch; a sentence where it cannot be told."""
        engines = self._engines(self._host.directory.all())
        names = sorted(engines)
        wanted = self._wish.character
        if wanted is None and len(names) == 1:
            return engines[names[0]]
        if wanted in engines:
            return engines[wanted]
        if not names:
            whose = "" if wanted is None else f" of '{wanted}'"
            raise CommandError(
                f"no animation engine{whose} is in the run {self._found.run}: give a character "
                'of the scenario a module with module = "animation_engine"'
            )
        listed = ", ".join(names)
        if wanted is None:
            raise CommandError(f"whose body? Choose one: sera robot watch {names[0]} (of {listed})")
        near = nearest_name(wanted, names)
        hint = f"; did you mean '{near}'?" if near else ""
        raise CommandError(
            f"no animation engine of '{wanted}' is in the run{hint} (there are: {listed})"
        )

    @staticmethod
    def _engines(present: dict[str, ModulePresence]) -> dict[str, str]:
        """Sources of engines by character."""
        return {
            source.partition(".")[0]: source
            for source, presence in present.items()
            if presence.status in _THERE and WatchBlend.__name__ in presence.handles
        }

    async def _keep_asking(self) -> None:
        self._asked = True
        while True:
            order = WatchBlend(for_s=ASK_FOR_S, every_s=self._every_s)
            await self._host.publish(order, character=self._character)
            await asyncio.sleep(RENEW_EVERY_S)

    def _hear(self, envelope: Envelope) -> None:
        message, source = envelope.message, envelope.source
        if isinstance(message, RunEnding):
            self._end()
        elif isinstance(message, BodyState):
            self._health[source.partition(".")[0]] = message
        elif isinstance(message, EngineState):
            self._states[source] = message
        elif isinstance(message, Receipt):
            self._taken = self._taken or source == self._engine
        elif isinstance(message, BlendReport):
            if not self._asked:
                self._kept.add(envelope.id)
            elif source == self._engine and envelope.id not in self._kept:
                self._reports.put_nowait(message)

    def _end(self) -> None:
        self._reports.put_nowait(None)

    # -- showing ----------------------------------------------------------------------------

    async def _show_reports(self) -> int:
        while True:
            try:
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    report = await self._reports.get()
            except TimeoutError:
                note(self._why_silent(), "bold red")
                return FAILED
            if report is None:
                return 0
            if not self._units_known:
                self._find_units(report)
                await self._wait_for_state()
            self._show(report)
            self._shown += 1
            if self._wish.once:
                return 0

    async def _wait_for_state(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(STATE_WITHIN_S):
                while self._engine not in self._states:
                    await asyncio.sleep(0.05)

    def _why_silent(self) -> str:
        engine = self._engine
        if engine not in self._engines(self._host.directory.all()).values():
            return f"{engine} has left the run"
        body = self._health.get(self._character)
        if body is not None and body.health in (BodyHealth.STOPPED, BodyHealth.UNREACHABLE):
            why = f": {body.problem}" if body.problem else ""
            return f"{engine} makes no frames while the body is {body.health.value}{why}"
        took = "took the order and reports nothing" if self._taken else "does not answer"
        return f"{engine} {took} (waited {ANSWER_WITHIN_S:g} s)"

    def _show(self, report: BlendReport) -> None:
        state = self._states.get(self._engine)
        rows = rows_of(report, self._unit_of, self._wish.channels)
        if self._wish.as_json:
            print(json.dumps(as_data(self._character, report, rows, state)), flush=True)
            return
        if not rows and self._wish.channels and not self._told_of_no_channel:
            self._told_of_no_channel = True
            near = nearest_name(self._wish.channels[0], report.channels)
            hint = f"; did you mean '{near}'?" if near else ""
            note(
                f"no channel that is moved fits {', '.join(self._wish.channels)}{hint} "
                f"(moved are: {', '.join(report.channels) or 'none'})"
            )
        if not self._in_terminal:
            print("\n".join(lines_of(report, rows, state)), flush=True)
            return
        table = table_of(self._character, report, rows, state)
        if self._live is None:
            from rich.live import Live

            self._live = Live(table, auto_refresh=False, vertical_overflow="crop")
            self._live.start()
        self._live.update(table, refresh=True)

    def _find_units(self, report: BlendReport) -> None:
        self._units_known = True
        workspace = workspace_around(
            None if self._found.scenario_file is None else str(self._found.scenario_file)
        )
        folders = [entry.path for entry in workspace.robots()]
        if self._wish.robot is not None:
            folders = [workspace.find_robot(self._wish.robot)]
        else:
            likely = _robot_of(self._found.scenario_file, self._character, workspace)
            folders = [*([likely] if likely else []), *folders]
        own = {name for name in report.channels if name.startswith("Body.")}
        self._unit_of = units_from(_specs_with(own, folders) if own else {})


def _robot_of(scenario_file: Path | None, character: str, workspace: Workspace) -> Path | None:
    """The robot that the scenario gives the character; the run may have been told another."""
    from sera.runtime.scenario import load_scenario

    if scenario_file is None:
        return None
    with suppress(Exception):  # a scenario that has been changed since the run was started
        workspace.activate()
        card = load_scenario(scenario_file, workspace).robots.get(character)
        return None if card is None else card.folder
    return None


def _specs_with(own: set[str], folders: list[Path]) -> dict[str, ChannelSpec]:
    """The channels of the first body that has all of these."""
    from sera.animation.body import load_body

    for folder in folders:
        try:
            channels = load_body(folder).channels
        except FileProblems:
            continue
        if own <= channels.keys():
            return channels
    return {}

"""A robot that only looks: the engine and the bridge of one character, started for a calibration.

Design overview
    The scenario's own modules with their own settings (so that the same body moves in the same
    way), all others left out, and an operator of ours who gives the orders. Idle life is switched
    off while somebody aims.

Units and frames
    Degrees as the robot sees them.

Threading
    One event loop; an engine with a process of its own keeps it.

Safety
    Whatever ends the talk also ends the run; the bridge then brings the body to its safe state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from sera.behaviour.space import Angles
from sera.cli._errors import CommandError
from sera.cli._signals import StopSignals
from sera.cli._text import note
from sera.messages import (
    BodyHealth,
    BodyState,
    Direction,
    EngineState,
    Envelope,
    Gaze,
    JointFrame,
    Message,
    ModuleFault,
    SetLayer,
)
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.module import Module, Role
from sera.runtime.scenario import ModulePlan, Scenario
from sera.runtime.workspace import Workspace

READY_WITHIN_S = 30.0
IDLE_LIFE = "life"
OPERATOR = "calibration"

Look = Callable[[Angles, str], Awaitable[None]]
"""Turns the robot's gaze; the name of the mark goes into the message."""
Talk = Callable[[Look], Awaitable[None]]


class _Operator(Module):
    """A person at the command line: subject to no dial."""

    role = Role.WIZARD


class LookingRobot:
    """Starts what a character needs to look, and lets somebody talk to it."""

    def __init__(self, scenario: Scenario, workspace: Workspace, character: str) -> None:
        self.exit_code: int | None = None
        """What a shell expects where a signal ended it; None: none did."""
        self._character = character
        self._scenario = _only_looking(scenario, workspace, character)
        self._workspace = workspace
        self._engine = asyncio.Event()
        self._layers: set[str] = set()
        self._problem = ""
        self._health = BodyHealth.OK

    async def talk(self, talk: Talk) -> None:
        """Start, talk, stop.

        Raises:
            CommandError: the robot does not get ready.
            BusError: the broker cannot be reached or started.
        """
        run = Run(self._scenario, self._workspace, RunOptions(record=False))
        run.observe(self._hear)
        signals = StopSignals(lambda why: run.stop(f"it was stopped with {why}"))
        with signals:
            running = asyncio.create_task(run.execute(), name="run")
            talking = asyncio.create_task(self._talk(run, talk), name="talk")
            try:
                # Whoever is first: a run that ends, by Ctrl-C or by itself, ends the talk.
                await asyncio.wait({running, talking}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                talking.cancel()
                run.stop("the calibration is over")
                await asyncio.wait({running, talking})
                self.exit_code = signals.exit_code
        for task in (running, talking):
            error = None if task.cancelled() else task.exception()
            if error is not None:
                raise error
        if talking.cancelled() and self.exit_code is None:
            raise CommandError(f"the run ended before the calibration{self._because()}")

    async def _talk(self, run: Run, talk: Talk) -> None:
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                await run.ready.wait()
                await self._engine.wait()
        except TimeoutError:
            raise CommandError(
                f"the animation engine of '{self._character}' did not get ready within "
                f"{READY_WITHIN_S:g} s{self._because()}"
            ) from None
        operator = next(module for module in run.modules if isinstance(module, _Operator))
        if IDLE_LIFE in self._layers:
            await operator.publish(SetLayer(layer=IDLE_LIFE, active=False))

        async def look(angles: Angles, target: str) -> None:
            direction = Direction(
                horizontal_deg=angles.horizontal_deg, vertical_deg=angles.vertical_deg
            )
            reason = f"order: calibration, {target}"
            await operator.publish(Gaze(direction=direction, reason=reason))

        await talk(look)

    def _hear(self, envelope: Envelope) -> None:
        message = envelope.message
        if isinstance(message, EngineState):
            self._layers = set(message.layers)
            self._engine.set()
        elif isinstance(message, BodyState):
            if message.health is not self._health and message.problem:
                note(f"the robot: {message.problem}")
            self._health = message.health
        elif isinstance(message, ModuleFault):
            self._problem = f"{message.module}: {message.summary}"
            note(self._problem)

    def _because(self) -> str:
        return f" ({self._problem})" if self._problem else ""


def _only_looking(scenario: Scenario, workspace: Workspace, character: str) -> Scenario:
    """The scenario with nothing but what turns the gaze of one character, and without an end."""
    plans = (
        _plan(scenario, workspace, character, Gaze, "animation_engine"),
        _plan(scenario, workspace, character, JointFrame, "robot_bridge"),
        ModulePlan(character, OPERATOR, OPERATOR, "shared", _Operator, _Operator.Settings()),
    )
    about = scenario.file.scenario.model_copy(update={"duration_s": None})
    file = scenario.file.model_copy(update={"scenario": about})
    return replace(scenario, file=file, plans=plans)


def _plan(
    scenario: Scenario,
    workspace: Workspace,
    character: str,
    handles: type[Message],
    usual: str,
) -> ModulePlan:
    for plan in scenario.plans:
        handlers: dict[Any, Any] = plan.module_class.handlers
        if plan.character == character and handles in handlers:
            return plan
    module_class = workspace.load_module_class(usual)
    return ModulePlan(character, usual, usual, "shared", module_class, module_class.Settings())

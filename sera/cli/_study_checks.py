"""Starts a scenario's senses, bodies and pages for a short while, and gathers facts about them.

Decisions and the activity itself are left out: nobody wants the game to begin while the robot's
voice is tried. Nothing is kept of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sera.cli._kernels import compile_kernels_once
from sera.cli._links import links_for_others
from sera.cli._logs import showing_logs
from sera.cli._session import address_of_pages
from sera.cli._signals import StopSignals
from sera.cli._study_preflight_module import Preflight, Tried, sensor_facts
from sera.cli._text import note
from sera.messages import WORLD, PreflightCheck
from sera.runtime.clock import run as run_in_loop
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.module import Role
from sera.runtime.scenario import ModulePlan, Scenario
from sera.study.plan import StudyPlan
from sera.study.preflight import BodyFact, Facts, VoiceFact, judge
from sera.study.sessions import StudyFolder, free_bytes

if TYPE_CHECKING:
    from sera.runtime.workspace import Workspace

STARTED_ROLES = (Role.PERCEPTION, Role.REALISATION, Role.GATEWAY)
SOURCE = f"{WORLD}.preflight"
PAGES_WAIT_S = 20.0
"""How long screens and tablets may take to connect."""
LONGEST_TRY_S = 60.0
_LOOK_EVERY_S = 0.1
_SIMULATED_PEOPLE = "simulated_"


@dataclass(frozen=True)
class Asked:
    """What is to be checked, and how."""

    scenario: Scenario
    workspace: Workspace
    plan: StudyPlan
    pages: dict[str, object]
    """Settings of the gateway from the command line."""
    pages_wait_s: float = PAGES_WAIT_S
    confirm: Callable[[str], bool] | None = None
    """Asks the operator whether a line was heard; None: there is nobody to ask."""


def check(asked: Asked) -> list[PreflightCheck]:
    """Make all checks; takes as long as the slowest of them."""
    compile_kernels_once(asked.scenario.plans)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    with showing_logs(handler, {"sera": logging.ERROR}):
        return run_in_loop(_Checking(asked).checks(), clock="real")


class _Checking:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        plans = asked.scenario.plans
        self._bodies = [p for p in plans if p.implementation == "robot_bridge"]
        self._voices = [p for p in plans if p.implementation == "speaker"]
        self._simulated = [
            plan.character
            for plan in self._bodies
            if getattr(plan.settings, "output", "auto") in ("auto", "simulated")
        ]

    async def checks(self) -> list[PreflightCheck]:
        asked = self._asked
        with tempfile.TemporaryDirectory(prefix="sera_preflight_") as place:
            run = Run(
                replace(asked.scenario, plans=(*self._started(), self._own_plan())),
                asked.workspace,
                RunOptions(
                    log=Path(place) / "log.jsonl",
                    extra_modules={"gateway": dict(asked.pages)},
                    held_by=SOURCE,
                ),
            )
            with StopSignals(lambda why: run.stop(f"it was stopped with {why}")):
                executing = asyncio.create_task(run.execute(), name="preflight run")
                wall_s, steady_s = time.time(), time.monotonic()
                looking = asyncio.create_task(self._look(run), name="preflight look")
                await asyncio.wait([executing, looking], return_when=asyncio.FIRST_COMPLETED)
                if not looking.done():
                    looking.cancel()
                    await executing  # says why it could not start
                    tried, pages = Tried(), (0, 0)
                else:
                    tried, pages = looking.result()
                drift_s = (time.time() - wall_s) - (time.monotonic() - steady_s)
                run.stop("all checks were made")
                await executing
        # Whom nobody came to try, since the run did not start, has not passed.
        tried_out = {body.character for body in tried.bodies}
        tried.bodies += [
            BodyFact(plan.character) for plan in self._bodies if plan.character not in tried_out
        ]
        spoken = {voice.character for voice in tried.voices}
        tried.voices += [
            VoiceFact(plan.character) for plan in self._voices if plan.character not in spoken
        ]
        voices = [await self._heard(voice) for voice in tried.voices]
        return judge(self._facts(tried, voices, pages, drift_s), asked.plan.preflight)

    def _started(self) -> list[ModulePlan]:
        plans = [p for p in self._asked.scenario.plans if p.module_class.role in STARTED_ROLES]
        said = self._asked.pages
        return [
            replace(plan, settings=plan.settings.model_copy(update=said))
            if plan.source == f"{WORLD}.gateway"
            else plan
            for plan in plans
        ]

    def _own_plan(self) -> ModulePlan:
        characters = self._asked.scenario.characters
        settings = Preflight.Settings(
            bodies=[plan.character for plan in self._bodies],
            simulated=self._simulated,
            voices={p.character: characters[p.character].language for p in self._voices},
            listens=any(p.module_class.role is Role.PERCEPTION for p in self._started()),
        )
        return ModulePlan(WORLD, "preflight", "preflight", "shared", Preflight, settings)

    async def _look(self, run: Run) -> tuple[Tried, tuple[int, int]]:
        await run.ready.wait()
        by_source = {module.source: module for module in run.modules}
        own = by_source[SOURCE]
        gateway: Any = next((m for m in run.modules if m.role is Role.GATEWAY), None)
        if gateway is not None and (url := await address_of_pages(gateway)) is not None:
            note(f"checking …  console: {url}", "bold cyan")
            for sentence in (*addresses_of_pages(gateway), *links_for_others(gateway)):
                note(sentence)
        assert isinstance(own, Preflight)
        deadline_s = time.monotonic() + self._asked.pages_wait_s
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_TRY_S):
                await own.done.wait()
        wants_screen, wants_tablet = self._has_screen(), self._has_forms()
        skip = self._asked.plan.preflight.skip
        while time.monotonic() < deadline_s:
            screens, tablets = _pages_of(gateway)
            missing = (wants_screen and not screens and "screen" not in skip) or (
                wants_tablet and not tablets and "tablet" not in skip
            )
            if not missing:
                break
            await asyncio.sleep(_LOOK_EVERY_S)
        return own.tried, _pages_of(gateway)

    async def _heard(self, voice: VoiceFact) -> VoiceFact:
        confirm = self._asked.confirm
        if (
            confirm is None
            or voice.simulated
            or voice.outcome is None
            or "voice" in self._asked.plan.preflight.skip
        ):
            return voice
        question = f"Was the test line of {voice.character} heard, clearly and not too loud?"
        return replace(voice, heard=await asyncio.to_thread(confirm, question))

    def _facts(
        self, tried: Tried, voices: list[VoiceFact], pages: tuple[int, int], drift_s: float
    ) -> Facts:
        asked = self._asked
        folder = StudyFolder.of(asked.scenario.name)
        sessions = folder.sessions()
        implementations = {plan.implementation for plan in asked.scenario.plans}
        microphones = sensor_facts(tried, "microphone")
        return Facts(
            bodies=tried.bodies,
            cameras=sensor_facts(tried, "camera"),
            people_simulated=any(one.startswith(_SIMULATED_PEOPLE) for one in implementations),
            faces=len(tried.people),
            microphones=microphones,
            levels_dbfs=tried.levels_dbfs,
            voices=voices,
            has_screen=self._has_screen(),
            screens=pages[0],
            has_forms=self._has_forms(),
            tablets=pages[1],
            free_bytes=free_bytes(folder.path),
            now_s=time.time(),
            newest_session_s=_when(sessions[-1].head.began_at) if sessions else None,
            drift_s=drift_s,
            round_trip_s=tried.round_trip_s,
        )

    def _has_screen(self) -> bool:
        return any((self._asked.scenario.folder / "pages").glob("*.html"))

    def _has_forms(self) -> bool:
        return any(step.form is not None for _, step in self._asked.plan.steps())


def addresses_of_pages(gateway: Any) -> list[str]:
    """Where the tablet and the scenario's own screens find their pages."""
    from sera.web import PageRole

    server = gateway.server
    told = [f"tablet: {server.url_for(PageRole.PARTICIPANT, '/console/tablet.html')}"]
    own = [page for page in server.pages if page.startswith("/pages/")]
    return told + [f"screen: {server.url_for(PageRole.ACTIVITY, page)}" for page in own]


def ask_in_terminal() -> Callable[[str], bool] | None:
    """Asks whoever sits at the terminal; None where nobody does."""
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        return None
    import typer

    return lambda question: typer.confirm(question, default=False, err=True)


def _pages_of(gateway: Any) -> tuple[int, int]:
    """How many screens and tablets are connected."""
    from sera.web import PageRole

    if gateway is None:
        return 0, 0
    roles = [page.role for page in gateway.engine.pages]
    return roles.count(PageRole.ACTIVITY), roles.count(PageRole.PARTICIPANT)


def _when(date: str) -> float | None:
    try:
        return datetime.fromisoformat(date).timestamp()
    except ValueError:
        return None

"""One session of a study from its first run to its fate.

Design overview
    The run starts from the frozen inputs. The guide in it begins the session, or goes on where an
    earlier run stopped, and ends the run with it. Where the participant meets several conditions
    there is one run for each. What became of the session is read from the guide's journal, so that
    nothing depends on how this process ended.

Safety
    Nothing that is printed tells the condition, unless the study file reveals it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sera.cli._errors import CommandError
from sera.cli._kernels import compile_kernels_once
from sera.cli._links import links_for_others
from sera.cli._logs import showing_logs
from sera.cli._session import FaultlessStream, address_of_pages, has_screen
from sera.cli._signals import StopSignals
from sera.cli._study_checks import addresses_of_pages
from sera.cli._study_found import FoundStudy, now
from sera.cli._text import clean, note
from sera.messages import WORLD, Envelope, ModuleFault, SessionState
from sera.recording import RunFolder
from sera.runtime.clock import run as run_in_loop
from sera.runtime.launcher import Run, RunOptions, RunSummary
from sera.runtime.module import Role
from sera.runtime.scenario import ModulePlan, Scenario, load_scenario
from sera.study.data import Fate
from sera.study.journal import Journal, SessionFile
from sera.study.media import media_settings
from sera.study.plan import StudyPlan, load_plan
from sera.study.sessions import (
    Frozen,
    KeptSession,
    SessionError,
    locked,
    look_at,
    note_runs_without_log,
    scenario_condition,
    study_file_of,
    why_excluded,
)

if TYPE_CHECKING:
    from sera.runtime.workspace import Workspace

GUIDE, MEDIA = "study_guide", "media_recorder"


@dataclass(frozen=True)
class Pages:
    """How the pages of a session are served."""

    settings: dict[str, object]
    open_browser: bool = False


class StudySession:
    """Leads one session through its runs."""

    def __init__(self, study: FoundStudy, kept: KeptSession, pages: Pages) -> None:
        self._study = study
        self._kept = kept
        self._pages = pages
        frozen = kept.frozen()
        if frozen is None:
            raise CommandError(f"session {kept.session} has no readable inputs.json beside it")
        self._frozen: Frozen = frozen
        self._workspace: Workspace = frozen.workspace(study.workspace)
        self._scenario_file = frozen.folder / "scenarios" / study.name / study.scenario_file.name
        self._exit_code = 0

    @property
    def plan(self) -> StudyPlan:
        """The plan as it was when the session began."""
        return load_plan(study_file_of(self._scenario_file))

    def lead(self) -> int:
        """Go through all runs that are left; returns the exit code."""
        damage = self._frozen.damage()
        if damage:
            raise CommandError(
                f"the frozen inputs of session {self._kept.session} were changed "
                f"({', '.join(damage[:5])}): it cannot go on as it began; end it with "
                f"`sera study run {self._study.name} --abort REASON`"
            )
        if (holder := self._kept.held_by()) is not None:
            raise CommandError(f"session {self._kept.session} goes on in {holder}")
        with locked(self._kept.lock_path):
            for period, condition in enumerate(self._kept.head.conditions, start=1):
                file = self._journal_file(period)
                if file is None or file.outcome is None:
                    self._run(period, condition)
                    file = self._journal_file(period)
                if file is None or file.outcome is None:
                    return self._stays_open()
                if file.outcome == "aborted":
                    return self._aborted()
            return self._completed()

    # -- runs -------------------------------------------------------------------------------

    def _run(self, period: int, condition: str) -> None:
        self._workspace.activate()
        scenario = load_scenario(
            self._scenario_file, self._workspace, scenario_condition(condition)
        ).overridden(seed=self._kept.head.seed)
        compile_kernels_once(scenario.plans)
        guide = self._guide_plan(scenario, period, condition)
        others = [self._adapted(plan) for plan in scenario.plans if plan.source != guide.source]
        scenario = replace(scenario, plans=(guide, *others, *self._media_plans()))
        folder = self._new_run_folder(scenario, period)
        options = RunOptions(
            log=folder.log_path,
            run_id=f"{self._kept.session}_{folder.run_id}",
            extra_modules={"gateway": dict(self._pages.settings)},
            held_by=guide.source,
        )
        # Faults are told as they come.
        with showing_logs(FaultlessStream(logging.ERROR), {"sera": logging.ERROR}):
            summary = run_in_loop(self._drive(scenario, options), clock="real")
        if summary.failed and summary.reason:
            note(f"the run ended: {clean(summary.reason)}", "bold red")

    async def _drive(self, scenario: Scenario, options: RunOptions) -> RunSummary:
        run = Run(scenario, self._workspace, options)
        teller = _Teller()
        run.observe(teller.hear)
        signals = StopSignals(lambda why: run.stop(f"it was stopped with {why}"))
        with signals:
            showing = asyncio.create_task(self._show_pages(run), name="pages")
            try:
                return await run.execute()
            finally:
                showing.cancel()
                self._exit_code = signals.exit_code or 0

    async def _show_pages(self, run: Run) -> None:
        await run.ready.wait()
        for module in run.modules:
            if module.role is not Role.GATEWAY:
                continue
            url = await address_of_pages(module)
            if url is None:
                continue
            note(f"console: {url}", "bold cyan")
            for sentence in (*addresses_of_pages(module), *links_for_others(module)):
                note(sentence)
            if self._pages.open_browser and has_screen():
                import webbrowser

                await asyncio.to_thread(webbrowser.open, url)

    def _guide_plan(self, scenario: Scenario, period: int, condition: str) -> ModulePlan:
        head = self._kept.head
        drawn: dict[str, Any] = {
            "session": head.session,
            "participant": head.participant,
            "kind": head.kind,
            "condition": condition,
            "factors": dict(head.factors[period - 1]) if head.factors else {},
            "method": head.method,
            "language": head.language,
            "period": period,
            "periods": len(head.conditions),
            "folder": str(self._kept.folder.absolute()),
            "done_before": sum(
                one.head.kind == "study" and one.fate == "completed"
                for one in self._study.folder.sessions()
            ),
            "planned": look_at(self._study.folder, self._study.plan).planned,
            "preflight": [dict(one) for one in head.preflight],
            "override": head.override,
        }
        journal = str(self._study.folder.path.absolute())
        for plan in scenario.plans:
            if plan.implementation == GUIDE:
                said = plan.settings.model_dump(mode="json") | {"drawn": drawn, "folder": journal}
                settings = type(plan.settings).model_validate(said)
                return replace(plan, settings=settings, process="shared")
        guide = self._workspace.load_module_class(GUIDE)
        settings = guide.Settings.model_validate({"drawn": drawn, "folder": journal})
        return ModulePlan(WORLD, "study", GUIDE, "shared", guide, settings)

    def _media_plans(self) -> list[ModulePlan]:
        """The module that records pictures and sound, where the study wants that."""
        kept = self._kept
        said = media_settings(self.plan, kept.session, kept.folder.absolute(), kept.head.kind)
        if said is None:
            return []
        recorder = self._workspace.load_module_class(MEDIA)
        settings = recorder.Settings.model_validate(said)
        return [ModulePlan(WORLD, "media", MEDIA, "shared", recorder, settings)]

    def _adapted(self, plan: ModulePlan) -> ModulePlan:
        """What the command line says of pages; memories stay where all sessions find them."""
        if plan.source == f"{WORLD}.gateway":
            said: dict[str, Any] = dict(self._pages.settings)
        elif isinstance(kept := getattr(plan.settings, "memories", None), str):
            said = {"memories": str((self._study.scenario_folder / kept).absolute())}
        else:
            return plan
        return replace(plan, settings=plan.settings.model_copy(update=said))

    def _new_run_folder(self, scenario: Scenario, period: int) -> RunFolder:
        head = self._kept.head
        note_runs_without_log(self._kept.runs, now().isoformat(timespec="seconds"))
        number = 1
        while (self._kept.runs / str(number)).exists():
            number += 1
        return RunFolder.create(
            str(number),
            scenario=scenario.name,
            seed=head.seed,
            condition=scenario.condition,
            robots=scenario.bodies,
            base=self._kept.runs,
            versions=dict(self._frozen.packages),
            session=head.session,
            kind=head.kind,
            period=period,
        )

    # -- fates ------------------------------------------------------------------------------

    def _journal_file(self, period: int) -> SessionFile | None:
        return Journal(self._study.folder.path).find(self._kept.session, period)

    def _stays_open(self) -> int:
        name = self._study.name
        note(
            f"session {self._kept.session} is still open: `sera study run {name} --resume` goes on "
            f"where it stopped, `sera study run {name} --abort REASON` gives its slot back",
            "bold yellow",
        )
        return self._exit_code or 1

    def _aborted(self) -> int:
        self._study.folder.end(self._kept, "aborted", "an operator aborted it", now())
        self._tell()
        return 0

    def _completed(self) -> int:
        try:
            reason = why_excluded(self.plan, self._kept, self._scenario_file.parent)
        except (OSError, ValueError) as error:
            # The data are there; only the rules could not be asked.
            note(f"the exclusion rules could not be applied: {error}", "bold red")
            reason = None
        fate: Fate = "completed" if reason is None else "excluded"
        self._study.folder.end(self._kept, fate, reason, now())
        self._tell()
        return 0

    def _tell(self) -> None:
        kept = self._kept
        why = f" ({clean(kept.reason)})" if kept.reason else ""
        print(f"session {kept.session} of {kept.head.participant}: {kept.fate}{why}")
        print(f"  kind: {kept.head.kind}, kept in {_shown(kept.folder)}")
        done = [s for s in self._study.folder.sessions() if s.head.kind == "study"]
        counted = sum(session.fate == "completed" for session in done)
        print(f"  sessions of the study completed: {counted}", flush=True)


class _Teller:
    """Tells steps and faults of a session as they come, and nothing that would tell a condition."""

    def __init__(self) -> None:
        self._step: str | None = None

    def hear(self, envelope: Envelope) -> None:
        message = envelope.message
        if isinstance(message, SessionState):
            going = [step for step in message.steps if step.status == "under_way"]
            step = going[0].title if going and message.session else None
            if step is not None and step != self._step:
                self._step = step
                note(f"{message.participant}: {clean(step)}", "bold")
        elif isinstance(message, ModuleFault) and message.severity == "error":
            note(clean(message.summary), "bold red")


def abort_open(study: FoundStudy, kept: KeptSession, reason: str) -> None:
    """End a session that nobody leads any more."""
    if (holder := kept.held_by()) is not None:
        raise CommandError(f"session {kept.session} goes on in {holder}: abort it at the console")
    journal = Journal(study.folder.path)
    for file in journal.sessions:
        if file.session == kept.session and file.outcome is None:
            journal.end(file, "aborted")
    try:
        study.folder.end(kept, "aborted", reason, now())
    except SessionError as error:
        raise CommandError(str(error)) from None


def _shown(path: Path) -> str:
    from sera.runtime.located import shown_path

    return shown_path(path.absolute())

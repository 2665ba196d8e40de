"""One simulated participant: the scenario in virtual time, and what is measured in it.

Design overview
    A `Stage` has the scenario in every condition, read once for all participants of a process.
    `play` runs one of them with the participant's own seed; the modules are those of a real run
    (decision, behaviour, animation engine with inverse kinematics and motion filter), on a bus in
    memory. Measures are taken from what was said, as they are from a log.

Units and frames
    Virtual seconds.

Threading
    One run at a time in a process.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sera.messages import WORLD, Envelope, RunOutcome
from sera.runtime.clock import run as run_in_loop
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.located import nearest_name
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace
from sera.study.check import study_problems
from sera.study.data import Participation
from sera.study.measures import SessionLog
from sera.study.measures.rows import rows_of_run
from sera.study.plan import PLAN_FILE, StudyError, StudyPlan, load_plan
from sera.study.questionnaire import Questionnaire
from sera.study.simulation.jobs import Job, SimulationError

LONGEST_S = 4 * 3600.0
"""A game that nobody wins must end, too."""
AS_IT_STANDS = "as_it_stands"


@dataclass(slots=True)
class Stage:
    """Everything that participants of one process share."""

    name: str
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By `character.module`, in place of the scenario's."""
    workspace: Workspace = field(init=False)
    folder: Path = field(init=False)
    plan: StudyPlan = field(init=False)
    forms: dict[str, Questionnaire] = field(init=False)
    _scenarios: dict[str, Scenario] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from sera.study.form_wish import forms_of_plan

        self.workspace = Workspace.discover(Path.cwd())
        self.workspace.activate()
        first = load_scenario(self.name, self.workspace)
        self.folder = first.folder
        # All of it, as for a session with people: an hour of play must not end in an empty column.
        problems = study_problems(first.folder)
        if problems:
            raise StudyError(problems)
        self.plan = load_plan(first.folder / PLAN_FILE)
        self.forms = forms_of_plan(self.plan, first.folder)
        if self.plan.simulation.condition not in first.conditions:
            raise SimulationError(
                f"scenario '{self.name}' has no condition '{self.plan.simulation.condition}' that "
                "replaces people and devices: write [conditions.simulated …] into scenario.toml, "
                "or name another one under [simulation] in study.toml"
            )

    def scenario(self, condition: str) -> Scenario:
        """The scenario in a condition of the study, with simulated people."""
        if condition not in self._scenarios:
            over = self.plan.simulation.condition
            wanted = over if condition == AS_IT_STANDS else f"{condition}+{over}"
            loaded = load_scenario(self.name, self.workspace, wanted)
            self._check_participant(loaded)
            self._scenarios[condition] = loaded.with_settings(self.settings)
        return self._scenarios[condition]

    def _check_participant(self, scenario: Scenario) -> None:
        """Somebody must take the participant's place."""
        wanted = self.plan.simulation.participant
        others = [plan.name for plan in scenario.plans if plan.character == WORLD]
        if wanted not in others:
            near = nearest_name(wanted, others)
            hint = f"; did you mean '{near}'?" if near else f" (it has {', '.join(others)})"
            raise SimulationError(
                f"scenario '{self.name}' starts no module '{wanted}' in condition "
                f"'{scenario.condition}', so that nobody takes the participant's place: name one "
                f"as `participant` under [simulation] in study.toml{hint}"
            )


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a participant came to."""

    rows: tuple[Participation, ...]
    """One for each condition."""
    virtual_s: float
    took_s: float
    frames: int
    messages: int


def play(stage: Stage, job: Job, logs: Path | None = None) -> Simulated:
    """Play one participant.

    Args:
        stage: the scenario and the study.
        job: who it is.
        logs: folder for the recordings; None: none are kept.

    Raises:
        SimulationError: the run did not come to its end.
    """
    rows: list[Participation] = []
    began_s = time.perf_counter()
    virtual_s, frames, messages = 0.0, 0, 0
    for period, condition in enumerate(job.conditions, start=1):
        scenario = _prepared(stage, job, condition, period)
        heard: list[Envelope] = []
        log = None if logs is None else logs / f"{job.participant}_{period}.jsonl"
        run = _Playing(scenario, stage.workspace, heard, log)
        summary = run_in_loop(run.play(), clock="virtual")
        if summary.outcome != RunOutcome.COMPLETED:
            raise SimulationError(
                f"participant {job.participant} in {condition}: the run ended as "
                f"{summary.outcome} ({summary.reason}); try `sera run {stage.name} --virtual "
                f"--condition {scenario.condition} --seed {job.seed}`"
            )
        if stage.scenario(condition).duration_s is None and summary.duration_s >= LONGEST_S:
            raise SimulationError(
                f"participant {job.participant} in {condition}: the run was not over after "
                f"{LONGEST_S / 3600:g} h, so that nothing would be measured rightly; try `sera run "
                f"{stage.name} --virtual --condition {scenario.condition} --seed {job.seed}`"
            )
        virtual_s += summary.duration_s
        messages += summary.messages
        frames += summary.by_type.get("JointFrame", 0)
        rows += _rows(stage, job, period, heard)
    took_s = time.perf_counter() - began_s
    return Simulated(tuple(rows), virtual_s, took_s, frames, messages)


def _prepared(stage: Stage, job: Job, condition: str, period: int) -> Scenario:
    source = f"world.{stage.plan.simulation.participant}"
    who: dict[str, Any] = {
        "population": job.population,
        "number": job.number,
        "forms": list(stage.forms),
        "participant": job.participant,
    }
    scenario = stage.scenario(condition)
    known = type(scenario.plan(*source.split(".", 1)).settings).model_fields
    taken = {key: value for key, value in who.items() if key in known}
    seed = job.seed if period == 1 else (job.seed + period * 7919) % 2**31
    limit_s = scenario.duration_s or LONGEST_S
    return scenario.with_settings({source: taken}).overridden(seed=seed, duration_s=limit_s)


class _Playing:
    def __init__(
        self, scenario: Scenario, workspace: Workspace, heard: list[Envelope], log: Path | None
    ) -> None:
        self._scenario, self._workspace, self._heard, self._log = scenario, workspace, heard, log

    async def play(self) -> Any:
        options = RunOptions(record=self._log is not None, log=self._log)
        run = Run(self._scenario, self._workspace, options)
        run.observe(self._hear)
        return await run.execute()

    def _hear(self, envelope: Envelope) -> None:
        if not type(envelope.message).stream:
            self._heard.append(envelope)


def _rows(stage: Stage, job: Job, period: int, heard: list[Envelope]) -> list[Participation]:
    log = SessionLog.from_memory(heard, name=f"the simulation of {job.participant}")
    row = Participation(
        participant=job.participant,
        session=f"{job.participant}_{period}" if len(job.conditions) > 1 else job.participant,
        kind="simulated",
        fate="completed",
        condition=job.conditions[period - 1],
        factors=dict(job.factors[period - 1]),
        period=period,
        seed=job.seed,
        language=stage.plan.study.languages[0],
    )
    return rows_of_run(row, stage.plan, log, stage.forms, stage.folder)

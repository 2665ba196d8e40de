"""The plan of a study's sessions: `study.toml` beside the scenario.

What stands in it: `[study]` about the study, `[[phases]]` with their `[[phases.steps]]` in the
order in which a session goes through them, and `[[marks]]` that operators set with one key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, KeyPath, LocatedToml, nearest_name
from sera.study._table import LanguageTag, PlanName, PositiveSeconds, Table, Text
from sera.study.design._complaints import in_words, taken_twice
from sera.study.design.check import problems_of_design
from sera.study.design_tables import (
    AnalysisWish,
    Design,
    FormWish,
    Measure,
    MediaWish,
    PreflightWish,
    SimulationWish,
)

PLAN_FILE = "study.toml"
SCENARIO_FILE = "scenario.toml"
EXTRA_PREFIX = "extra_"
"""How steps are named that no plan knows."""


class StudyError(FileProblems):
    """Everything that is wrong in a study file."""

    what = "study file"


class StudyFacts(Table):
    """What the study is."""

    title: Text
    """What it is called."""
    sessions_planned: int | None = Field(default=None, ge=1)
    """How many sessions are planned."""
    reveal: list[Literal["condition", "hypothesis"]] = Field(default_factory=list)
    """What operators may know; nothing, unless it stands here."""
    hypothesis: str = ""
    """What the study expects; never shown unless revealed."""
    languages: list[LanguageTag] = Field(default_factory=lambda: ["en"], min_length=1)
    """Languages of the forms; the first one counts where none is chosen."""


class PlannedStep(Table):
    """A step of a session."""

    name: PlanName
    """Name in the records; unique in the study."""
    title: Text
    """What the operator reads."""
    planned_s: PositiveSeconds | None = None
    """How long it should take."""
    early_before_s: PositiveSeconds | None = None
    """Whoever is through before that was early, which is a deviation; left out: never."""
    late_after_s: PositiveSeconds | None = None
    """When it counts as late, which is a deviation; left out: beyond `planned_s`."""
    form: PlanName | None = None
    """Questionnaire that the participant's tablet shows during it."""
    goes_on: bool = False
    """Whether the next step begins by itself when the form was answered."""
    note: str = ""
    """What the operator should know or say."""

    @property
    def late_s(self) -> float | None:
        """Seconds after which the step is late; None: never."""
        return self.planned_s if self.late_after_s is None else self.late_after_s


class Phase(Table):
    """A part of a session."""

    name: PlanName
    """Name in the records; unique in the study."""
    title: str = ""
    """What the operator reads; left out, the name."""
    steps: list[PlannedStep] = Field(min_length=1)
    """What happens in it, in order."""
    conditions: Literal["every", "first", "last"] = "every"
    """Where a participant meets several conditions: with which of them it is gone through."""

    @property
    def heading(self) -> str:
        return self.title or self.name


class MarkKind(Table):
    """A mark that an operator sets with one key."""

    label: PlanName
    """Name in the records."""
    title: Text
    """What the operator reads."""
    key: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]$")] | None = None
    """The key, a small letter or a digit."""


TAKEN_KEYS = {"g": "going to pages", "k": "a note"}
"""Keys that the console has for something else."""
DEFAULT_MARKS = (
    MarkKind(label="interesting", title="Interesting", key="1"),
    MarkKind(label="problem", title="Problem", key="2"),
    MarkKind(label="wizard_error", title="Wizard error", key="3"),
)


class StudyPlan(Table):
    """A study file."""

    study: StudyFacts
    phases: list[Phase] = Field(min_length=1)
    marks: list[MarkKind] = Field(default_factory=lambda: list(DEFAULT_MARKS))
    design: Design | None = None
    """How conditions are given to participants; left out, the study has but one."""
    measures: list[Measure] = Field(default_factory=list)
    analysis: AnalysisWish = Field(default_factory=AnalysisWish)
    forms: list[FormWish] = Field(default_factory=list)
    media: MediaWish = Field(default_factory=MediaWish)
    preflight: PreflightWish = Field(default_factory=PreflightWish)
    simulation: SimulationWish = Field(default_factory=SimulationWish)

    def steps(self) -> Iterator[tuple[Phase, PlannedStep]]:
        """All steps in order, each with its phase."""
        for phase in self.phases:
            for step in phase.steps:
                yield phase, step

    def step(self, name: str) -> tuple[Phase, PlannedStep]:
        """The step of that name, and its phase.

        Raises:
            LookupError: with the nearest name.
        """
        for phase, step in self.steps():
            if step.name == name:
                return phase, step
        near = nearest_name(name, [step.name for _, step in self.steps()])
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"the plan has no step '{name}'{hint}")

    def for_period(self, period: int, periods: int) -> StudyPlan:
        """The plan of one of the participant's conditions, from 1."""
        named = {"every"} | ({"first"} if period == 1 else set())
        named |= {"last"} if period == periods else set()
        phases = [phase for phase in self.phases if phase.conditions in named]
        return self.model_copy(update={"phases": phases or self.phases})

    def language(self, wanted: str | None) -> str:
        """The language of forms: the wanted one where the study has it."""
        languages = self.study.languages
        return wanted if wanted in languages else languages[0]


def load_plan(path: Path) -> StudyPlan:
    """Read a study file.

    Raises:
        StudyError: with every problem, by line.
    """
    try:
        return read_plan(LocatedToml.load(path))
    except FileProblem as problem:
        raise StudyError([problem]) from None


def read_plan(document: LocatedToml, scales: Collection[str] | None = None) -> StudyPlan:
    """The plan in a file that was read.

    Args:
        document: the file; the scenario file beside it, if there is one, says which conditions
            there are.
        scales: of the study's questionnaires, for its hypotheses; None: not known.

    Raises:
        StudyError: with every problem, by line.
    """
    try:
        plan = StudyPlan.model_validate(document.data)
    except ValidationError as error:
        found = problems_of(error, document, StudyPlan, document.data)
        raise StudyError([in_words(problem) for problem in found]) from None
    problems = [*_wrong_names(document, plan), *_wrong_steps(document, plan)]
    problems += _wrong_marks(document, plan)
    problems += problems_of_design(document, plan, _conditions_beside(document.path), scales)
    if problems:
        raise StudyError(sorted(problems, key=lambda problem: problem.line or 0))
    return plan


def _conditions_beside(path: Path) -> list[str] | None:
    """Conditions of the scenario in the same folder; None where none can be read."""
    try:
        conditions = LocatedToml.load(path.with_name(SCENARIO_FILE)).data.get("conditions", {})
    except FileProblem:  # whoever reads the scenario says what is wrong with it
        return None
    return list(conditions) if isinstance(conditions, dict) else None


def _wrong_names(document: LocatedToml, plan: StudyPlan) -> list[FileProblem]:
    phases: list[tuple[KeyPath, str]] = [
        (("phases", number, "name"), phase.name) for number, phase in enumerate(plan.phases)
    ]
    steps: list[tuple[KeyPath, str]] = [
        (("phases", number, "steps", place, "name"), step.name)
        for number, phase in enumerate(plan.phases)
        for place, step in enumerate(phase.steps)
    ]
    labels: list[tuple[KeyPath, str]] = [
        (("marks", number, "label"), mark.label) for number, mark in enumerate(plan.marks)
    ]
    found = [
        problem for named in (phases, steps, labels) for problem in taken_twice(document, named)
    ]
    return found + [
        document.problem(
            path, f"names that begin with '{EXTRA_PREFIX}' are kept for steps outside of the plan"
        )
        for path, name in steps
        if name.startswith(EXTRA_PREFIX)
    ]


def _wrong_steps(document: LocatedToml, plan: StudyPlan) -> list[FileProblem]:
    problems = []
    for number, phase in enumerate(plan.phases):
        for place, step in enumerate(phase.steps):
            path: KeyPath = ("phases", number, "steps", place)
            if step.late_s is not None and step.late_s < (step.planned_s or 0):
                problems.append(
                    document.problem(
                        (*path, "late_after_s"),
                        f"late after {step.late_s:g} s, but planned for {step.planned_s:g} s",
                        fix="a step is late at the earliest when its planned time is over",
                    )
                )
            earliest_s, latest_s = step.early_before_s, step.late_s
            if earliest_s is not None and latest_s is not None and earliest_s > latest_s:
                problems.append(
                    document.problem(
                        (*path, "early_before_s"),
                        f"early before {earliest_s:g} s, but late after {latest_s:g} s",
                        fix="leave time between them in which a step is neither",
                    )
                )
            if step.goes_on and step.form is None:
                problems.append(
                    document.problem(
                        (*path, "goes_on"),
                        "goes_on waits for the answers to a form, but the step has none",
                        fix='add form = "…"',
                    )
                )
    return problems


def _wrong_marks(document: LocatedToml, plan: StudyPlan) -> list[FileProblem]:
    keys: list[tuple[KeyPath, str]] = [
        (("marks", number, "key"), mark.key)
        for number, mark in enumerate(plan.marks)
        if mark.key is not None
    ]
    problems = taken_twice(document, list(keys))
    problems += [
        document.problem(path, f"the key {key} is for {TAKEN_KEYS[key]}", fix="choose another")
        for path, key in keys
        if key in TAKEN_KEYS
    ]
    return problems

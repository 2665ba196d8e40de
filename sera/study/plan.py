"""The plan of a study's sessions: `study.toml` beside the scenario.

What stands in it: `[study]` about the study, `[[phases]]` with their `[[phases.steps]]` in the
order in which a session goes through them, and `[[marks]]` that operators set with one key.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, KeyPath, LocatedToml, nearest_name

PLAN_FILE = "study.toml"
EXTRA_PREFIX = "extra_"
"""How steps are named that no plan knows."""

PlanName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=40, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$"),
]
"""A name in the study file: a letter, then letters, digits, `_` and `-`."""
Text = Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)]
LanguageTag = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]
PositiveSeconds = Annotated[float, Field(gt=0, le=86_400)]


class StudyError(FileProblems):
    """Everything that is wrong in a study file."""

    what = "study file"


class _Table(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False
    )


class StudyFacts(_Table):
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


class PlannedStep(_Table):
    """A step of a session."""

    name: PlanName
    """Name in the records; unique in the study."""
    title: Text
    """What the operator reads."""
    planned_s: PositiveSeconds | None = None
    """How long it should take."""
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


class Phase(_Table):
    """A part of a session."""

    name: PlanName
    """Name in the records; unique in the study."""
    title: str = ""
    """What the operator reads; left out, the name."""
    steps: list[PlannedStep] = Field(min_length=1)
    """What happens in it, in order."""

    @property
    def heading(self) -> str:
        return self.title or self.name


class MarkKind(_Table):
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


class StudyPlan(_Table):
    """A study file."""

    study: StudyFacts
    phases: list[Phase] = Field(min_length=1)
    marks: list[MarkKind] = Field(default_factory=lambda: list(DEFAULT_MARKS))

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


def read_plan(document: LocatedToml) -> StudyPlan:
    """The plan in a file that was read.

    Raises:
        StudyError: with every problem, by line.
    """
    try:
        plan = StudyPlan.model_validate(document.data)
    except ValidationError as error:
        raise StudyError(problems_of(error, document, StudyPlan, document.data)) from None
    problems = [*_wrong_names(document, plan), *_wrong_steps(document, plan)]
    problems += _wrong_marks(document, plan)
    if problems:
        raise StudyError(sorted(problems, key=lambda problem: problem.line or 0))
    return plan


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
    found = [problem for named in (phases, steps, labels) for problem in _twice(document, named)]
    return found + [
        document.problem(
            path, f"names that begin with '{EXTRA_PREFIX}' are kept for steps outside of the plan"
        )
        for path, name in steps
        if name.startswith(EXTRA_PREFIX)
    ]


def _twice(document: LocatedToml, named: list[tuple[KeyPath, Any]]) -> list[FileProblem]:
    first: dict[Any, KeyPath] = {}
    problems = []
    for path, name in named:
        if first.setdefault(name, path) != path:
            line = document.line_of(first[name])
            problems.append(
                document.problem(path, f"'{name}' is taken by the one on line {line}", fix="rename")
            )
    return problems


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
    problems = _twice(document, list(keys))
    problems += [
        document.problem(path, f"the key {key} is for {TAKEN_KEYS[key]}", fix="choose another")
        for path, key in keys
        if key in TAKEN_KEYS
    ]
    return problems

"""What an analysis comes to, as frozen objects that tables, pages and data files are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sera.study.analysis.corrections import Correction
from sera.study.analysis.reliability import Coefficient
from sera.study.analysis.result import TestResult
from sera.study.analysis.rules import Difference, Polarity, Rule
from sera.study.data import Participation
from sera.study.plan import StudyPlan

Verdict = Literal["supported", "not supported", "cannot be judged"]


@dataclass(frozen=True, slots=True)
class Group:
    """A condition, or several of them as one."""

    name: str
    title: str
    conditions: tuple[str, ...]

    @property
    def is_condition(self) -> bool:
        return self.conditions == (self.name,)


@dataclass(frozen=True, slots=True)
class Description:
    """A measure in a group."""

    group: Group
    n: int
    missing: int
    mean: float | None = None
    sd: float | None = None
    median: float | None = None
    minimum: float | None = None
    maximum: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "group": self.group.name,
            "n": self.n,
            "missing": self.missing,
            "mean": self.mean,
            "sd": self.sd,
            "median": self.median,
            "min": self.minimum,
            "max": self.maximum,
        }


@dataclass(frozen=True, slots=True)
class GroupTest:
    """A test of one group: its normality."""

    group: Group
    result: TestResult

    def as_json(self) -> dict[str, Any]:
        return {"group": self.group.name, **self.result.as_json()}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups compared."""

    first: Group
    second: Group
    result: TestResult
    p_corrected: float | None
    alpha: float
    paired: bool
    planned: bool
    """False where only a hypothesis asks for it."""

    @property
    def significant(self) -> bool | None:
        return None if self.p_corrected is None else self.p_corrected < self.alpha

    @property
    def higher(self) -> Group | None:
        """The group that is higher, by the sign of the effect."""
        effect = self.result.effect
        if effect is None or effect.value == 0:
            return None
        return self.first if effect.value > 0 else self.second

    @property
    def title(self) -> str:
        return f"{self.first.title} and {self.second.title}"

    def as_json(self) -> dict[str, Any]:
        return {
            "first": self.first.name,
            "second": self.second.name,
            "paired": self.paired,
            "planned": self.planned,
            **self.result.as_json(),
            "p_corrected": self.p_corrected,
            "significant": self.significant,
        }


@dataclass(frozen=True, slots=True)
class AgainstMiddle:
    """A group's score against the middle of its scale."""

    group: Group
    middle: float
    result: TestResult
    polarity: Polarity | None

    def as_json(self) -> dict[str, Any]:
        return {
            "group": self.group.name,
            "middle": self.middle,
            "polarity": self.polarity,
            **self.result.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well a scale's items hang together in a group."""

    group: Group | None
    """None: everybody."""
    alpha: Coefficient
    omega: Coefficient
    reliable: bool | None

    def as_json(self) -> dict[str, Any]:
        return {
            "group": None if self.group is None else self.group.name,
            "alpha": self.alpha.as_json(),
            "omega": self.omega.as_json(),
            "reliable": self.reliable,
        }


@dataclass(frozen=True, slots=True)
class Point:
    """One value, as plots show it."""

    participant: str
    condition: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Variable:
    """A measure or a scale, with all that was found about it."""

    name: str
    title: str
    kind: Literal["measure", "scale"]
    unit: str
    better: Literal["lower", "higher"] | None
    points: tuple[Point, ...]
    descriptions: tuple[Description, ...]
    normality: tuple[GroupTest, ...]
    comparisons: tuple[Comparison, ...]
    omnibus: TestResult | None = None
    difference: Difference | None = None
    lowest: float | None = None
    highest: float | None = None
    questionnaire: str | None = None
    inverted: bool = False
    """Whether a negatively scored scale was turned round, so that high is good."""
    against_middle: tuple[AgainstMiddle, ...] = ()
    reliability: tuple[Reliability, ...] = ()

    def comparison(self, one: str, other: str) -> Comparison | None:
        """The comparison of two groups, in either order."""
        wanted = {one, other}
        found = (pair for pair in self.comparisons if {pair.first.name, pair.second.name} == wanted)
        return next(found, None)

    def as_json(self, *, simulated: bool) -> dict[str, Any]:
        difference = self.difference
        return {
            "name": self.name,
            "simulated": simulated,
            "title": self.title,
            "kind": self.kind,
            "unit": self.unit,
            "inverted": self.inverted,
            "descriptions": [one.as_json() for one in self.descriptions],
            "normality": [one.as_json() for one in self.normality],
            "omnibus": None if self.omnibus is None else self.omnibus.as_json(),
            "comparisons": [one.as_json() for one in self.comparisons],
            "difference": None
            if difference is None
            else {
                "kind": None if difference.kind is None else str(difference.kind),
                "sentence": difference.sentence,
            },
            "against_middle": [one.as_json() for one in self.against_middle],
            "reliability": [one.as_json() for one in self.reliability],
        }


@dataclass(frozen=True, slots=True)
class Judged:
    """A hypothesis, and what the data say."""

    name: str
    text: str
    verdict: Verdict
    why: tuple[str, ...]
    """A sentence for each measure."""

    def as_json(self, *, simulated: bool) -> dict[str, Any]:
        return {
            "name": self.name,
            "simulated": simulated,
            "text": self.text,
            "verdict": self.verdict,
            "why": list(self.why),
        }


@dataclass(frozen=True, slots=True)
class Correlation:
    """Two variables over all participants; nothing was expected of it before the data."""

    first: str
    second: str
    result: TestResult

    def as_json(self, *, simulated: bool) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            "simulated": simulated,
            **self.result.as_json(),
        }


@dataclass(frozen=True)
class Analysis:
    """All of a study's results."""

    plan: StudyPlan
    rows: tuple[Participation, ...]
    """All that were given, whether they count or not."""
    counted: tuple[Participation, ...]
    groups: tuple[Group, ...]
    variables: tuple[Variable, ...]
    hypotheses: tuple[Judged, ...]
    correlations: tuple[Correlation, ...]
    notes: tuple[str, ...]
    """What readers have to know about the data, one sentence each."""

    @property
    def simulated(self) -> bool:
        """Whether the data are simulated. It follows from the rows, so nothing can unset it."""
        return any(row.simulated for row in self.rows)

    @property
    def rule(self) -> Rule:
        return self.plan.analysis.rule

    @property
    def correction(self) -> Correction:
        return self.plan.analysis.correction

    @property
    def within(self) -> bool:
        return self.plan.design is not None and self.plan.design.is_within

    @property
    def in_one_run(self) -> bool:
        """Whether the scenario showed the conditions itself, not all of them to everybody."""
        return self.plan.design is not None and self.plan.design.in_one_run

    @property
    def participants(self) -> int:
        """How many persons count."""
        return len({row.participant for row in self.counted})

    @property
    def flow(self) -> Mapping[tuple[str, str], int]:
        """How many sessions there are, by kind and fate."""
        sessions = {(row.session, row.participant): (row.kind, row.fate) for row in self.rows}
        counts: dict[tuple[str, str], int] = {}
        for place in sessions.values():
            counts[place] = counts.get(place, 0) + 1
        return counts

    def variable(self, name: str) -> Variable | None:
        """The measure or scale of that name."""
        return next((one for one in self.variables if one.name == name), None)

    def as_json(self) -> dict[str, Any]:
        """One JSON object; `simulated` is in it, in each variable, hypothesis and correlation."""
        fake = self.simulated
        return {
            "study": self.plan.study.title,
            "simulated": fake,
            "participants": self.participants,
            "flow": [
                {"kind": kind, "fate": fate, "sessions": count}
                for (kind, fate), count in self.flow.items()
            ],
            "groups": [
                {"name": one.name, "title": one.title, "conditions": list(one.conditions)}
                for one in self.groups
            ],
            "rule": self.rule,
            "alpha": self.plan.analysis.alpha,
            "correction": self.correction,
            "variables": [one.as_json(simulated=fake) for one in self.variables],
            "hypotheses": [one.as_json(simulated=fake) for one in self.hypotheses],
            "correlations": [one.as_json(simulated=fake) for one in self.correlations],
            "notes": list(self.notes),
        }

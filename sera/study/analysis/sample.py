"""Which rows count, and which groups they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sera.runtime.located import nearest_name
from sera.study.analysis._numbers import listed, number
from sera.study.analysis.findings import Group, Point
from sera.study.data import Participation
from sera.study.plan import StudyPlan

AS_IT_STANDS = "as_it_stands"
"""Name of the only condition of a study without a design."""


class AnalysisRefused(ValueError):
    """The rows cannot be analysed together; the sentence says why."""


@dataclass(frozen=True)
class Sample:
    """The rows that count, by condition, and the groups of the plan."""

    plan: StudyPlan
    rows: tuple[Participation, ...]
    groups: Mapping[str, Group]
    """By name: conditions in the plan's order, then those made of several."""
    notes: tuple[str, ...]

    @property
    def within(self) -> bool:
        return self.plan.design is not None and self.plan.design.is_within

    @property
    def in_one_run(self) -> bool:
        """Whether the scenario showed the conditions itself, not all of them to everybody."""
        return self.plan.design is not None and self.plan.design.in_one_run

    @property
    def mixed(self) -> bool:
        """Whether some factors are within and some between persons."""
        design = self.plan.design
        return design is not None and len({factor.kind for factor in design.factors}) > 1

    @property
    def conditions(self) -> list[Group]:
        return [group for group in self.groups.values() if group.is_condition]

    def points(self, take: Callable[[Participation], float | None]) -> tuple[Point, ...]:
        """A value of each row."""
        return tuple(Point(row.participant, row.condition, number(take(row))) for row in self.rows)

    def values(self, points: Sequence[Point], group: Group) -> dict[tuple[str, str], float | None]:
        """Values of a group by person (and, in a between-design, by condition).

        In a within-design a group of several conditions has the mean of each person's; a person
        who lacks one of them has none. In a mixed design nobody meets all conditions, so those
        that a person met make the mean.
        """
        found = {
            (one.participant, "" if self.within else one.condition): one.value
            for one in points
            if one.condition in group.conditions
        }
        if not self.within or len(group.conditions) == 1:
            return found
        by_place = {(one.participant, one.condition): one.value for one in points}
        for person, _ in found:
            met = [one for one in group.conditions if not self.mixed or (person, one) in by_place]
            own = [by_place.get((person, condition)) for condition in met]
            known = [value for value in own if value is not None]
            found[person, ""] = sum(known) / len(known) if len(known) == len(own) else None
        return found


def sample_of(plan: StudyPlan, rows: Sequence[Participation]) -> Sample:
    """The rows that count: completed ones of kind study, or completed ones of a simulation.

    Raises:
        AnalysisRefused: there are none at all, or simulated and real ones are mixed.
    """
    if not rows:
        raise AnalysisRefused("there is nothing to analyse: no session was given")
    simulated = [row for row in rows if row.simulated]
    if simulated and len(simulated) < len(rows):
        raise AnalysisRefused(
            f"{len(simulated)} of {len(rows)} rows are simulated and the others are not: "
            "simulated participants are never analysed together with people"
        )
    kind = "simulated" if simulated else "study"
    notes: list[str] = []
    counted = [row for row in rows if row.kind == kind and row.fate == "completed"]
    known, groups = _groups(plan, counted, notes)
    strangers = sorted({row.condition for row in counted if row.condition not in known})
    for name in strangers:
        near = nearest_name(name, known)
        hint = f"; did you mean '{near}'?" if near else ""
        count = sum(row.condition == name for row in counted)
        notes.append(f"{count} row(s) have the condition '{name}', which the plan lacks{hint}")
    counted = [row for row in counted if row.condition in known]
    counted = _once_each(counted, notes)
    if plan.design is None or not plan.design.is_within:
        _note_wanderers(counted, notes)
    _note_halves(counted, groups, notes)
    if not counted:
        notes.append(f"No completed session of kind {kind}: there is nothing to compare yet.")
    return Sample(plan, tuple(counted), groups, tuple(notes))


def _groups(
    plan: StudyPlan, counted: Sequence[Participation], notes: list[str]
) -> tuple[list[str], dict[str, Group]]:
    if plan.design is None:
        names = sorted({row.condition for row in counted}) or [AS_IT_STANDS]
        titles = dict.fromkeys(names, "")
    else:
        titles = {one.name: one.heading for one in plan.design.conditions}
        names = list(titles)
    groups = {name: Group(name, titles[name] or name, (name,)) for name in names}
    for name, members in plan.analysis.groups.items():
        lost = [member for member in members if member not in titles]
        if name in groups:
            notes.append(f"The group '{name}' has the name of a condition and is left out.")
        elif lost or not members:
            what = f"'{lost[0]}', which is no condition" if lost else "no condition"
            notes.append(f"The group '{name}' names {what}; it is left out.")
        else:
            groups[name] = Group(name, name, tuple(dict.fromkeys(members)))
    return names, groups


def _once_each(rows: Sequence[Participation], notes: list[str]) -> list[Participation]:
    first: dict[tuple[str, str], Participation] = {}
    for row in rows:
        place = (row.participant, row.condition)
        if first.setdefault(place, row) is not row:
            notes.append(
                f"Participant {row.participant} completed {row.condition} twice (sessions "
                f"{first[place].session} and {row.session}); only the first counts."
            )
    return list(first.values())


def _note_halves(
    rows: Sequence[Participation], groups: Mapping[str, Group], notes: list[str]
) -> None:
    """A group of several conditions that lacks one of them is no such group."""
    met = {row.condition for row in rows}
    for group in groups.values():
        lost = [groups[name].title for name in group.conditions if name not in met]
        if not group.is_condition and lost and len(lost) < len(group.conditions):
            notes.append(
                f"The group '{group.title}' has nobody of {listed(lost)}: what is said of it is "
                "said of the rest."
            )


def _note_wanderers(rows: Sequence[Participation], notes: list[str]) -> None:
    met: dict[str, list[str]] = {}
    for row in rows:
        met.setdefault(row.participant, []).append(row.condition)
    notes += [
        f"Participant {person} is in {listed(conditions)}, but in this design each participant "
        "has one condition: these values are not independent."
        for person, conditions in met.items()
        if len(conditions) > 1
    ]

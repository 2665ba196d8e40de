"""Whether a design can be carried out: factors, conditions, counterbalancing, sample, analysis.

`read_plan` asks it after the tables were read one by one; what is said here is about how they fit
together.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sera.runtime.located import FileProblem, KeyPath, LocatedToml
from sera.study.design._check_analysis import check_analysis
from sera.study.design._check_measures import check_exclusions, check_forms, check_measures
from sera.study.design._check_sample import check_sample
from sera.study.design._complaints import Complaints
from sera.study.design._groups import groups_of, levels_of
from sera.study.design.assignment import AS_IT_STANDS
from sera.study.design_tables import Condition, Design

if TYPE_CHECKING:  # the plan is read with the help of this file
    from sera.study.plan import StudyPlan


def problems_of_design(
    document: LocatedToml,
    plan: StudyPlan,
    scenario_conditions: Collection[str] | None = None,
    scales: Collection[str] | None = None,
) -> list[FileProblem]:
    """Everything that does not fit together in a study's design, measures and analysis.

    Args:
        document: the file, for lines.
        plan: what was read from it.
        scenario_conditions: conditions of the scenario; None: not known, and not looked at.
        scales: scales of the study's questionnaires; None: not known.
    """
    complaints = Complaints(document)
    design = plan.design
    if design is not None:
        check_conditions(complaints, design, scenario_conditions)
        check_exclusions(complaints, plan)
        _check_periods(complaints, plan, design)
    check_measures(complaints, plan)
    check_forms(complaints, plan)
    known = scenario_conditions
    if design is not None:
        known = [condition.name for condition in design.conditions]
    check_analysis(complaints, plan, known, scales)
    _check_facts(complaints, plan)
    return complaints.found


def _check_facts(complaints: Complaints, plan: StudyPlan) -> None:
    """What stands in the study's own table, and what is looked at before a session."""
    languages = plan.study.languages
    for number, tag in enumerate(languages):
        if tag in languages[:number]:
            path = ("study", "languages", number)
            complaints.say(path, f"the language '{tag}' is there twice", fix="leave one out")
    quiet_db, loud_db = plan.preflight.quiet_below_db, plan.preflight.loud_above_db
    if quiet_db <= loud_db:
        said = plan.preflight.model_fields_set
        key = "quiet_below_db" if "quiet_below_db" in said else "loud_above_db"
        complaints.say(
            ("preflight", key),
            f"no room can be quiet: it has to be below {quiet_db:g} dBFS (quiet_below_db), and a "
            f"microphone below {loud_db:g} dBFS (loud_above_db) counts as dead",
            fix="quiet_below_db is the larger one: -20 and -60, if left out",
        )


def check_conditions(
    complaints: Complaints, design: Design, scenario_conditions: Collection[str] | None
) -> None:
    """Names and levels first; how people are shared out only where these are in order."""
    before = len(complaints.found)
    _check_names(complaints, design, scenario_conditions)
    for number, condition in enumerate(design.conditions):
        _check_levels(complaints, design, condition, ("design", "conditions", number))
    if len(complaints.found) == before:
        _check_cells(complaints, design)
    _check_method(complaints, design)
    if len(complaints.found) == before:
        check_sample(complaints, design)


def _check_names(
    complaints: Complaints, design: Design, scenario_conditions: Collection[str] | None
) -> None:
    for number, factor in enumerate(design.factors):
        path: KeyPath = ("design", "factors", number, "levels")
        complaints.twice([((*path, place), level) for place, level in enumerate(factor.levels)])
    complaints.twice(
        [
            (("design", "factors", number, "name"), one.name)
            for number, one in enumerate(design.factors)
        ]
    )
    complaints.twice(
        [
            (("design", "conditions", number, "name"), one.name)
            for number, one in enumerate(design.conditions)
        ]
    )
    if scenario_conditions is None:
        return
    known = {*scenario_conditions, AS_IT_STANDS}
    if design.played_in is not None:
        path = ("design", "played_in")
        complaints.unknown(path, design.played_in, known, "condition", "in the scenario file")
    if design.in_one_run:
        return  # they are known to the scenario's modules alone
    for number, condition in enumerate(design.conditions):
        path = ("design", "conditions", number, "name")
        complaints.unknown(path, condition.name, known, "condition", "in the scenario file")


def _check_levels(
    complaints: Complaints, design: Design, condition: Condition, path: KeyPath
) -> None:
    factors = {factor.name: factor for factor in design.factors}
    for name, level in condition.levels.items():
        place = (*path, "levels", name)
        if not complaints.unknown(place, name, factors, "factor"):
            complaints.unknown(place, level, factors[name].levels, "level", f"of '{name}'")
    for name, factor in factors.items():
        if name not in condition.levels:
            complaints.say(
                (*path, "levels"),
                f"the condition '{condition.name}' has no level of '{name}'",
                fix=f'add {name} = "{factor.levels[0]}", or another of {", ".join(factor.levels)}',
            )


def _check_cells(complaints: Complaints, design: Design) -> None:
    """Every cell once, every level somewhere, and all groups meet the same."""
    if not design.factors:
        return
    first: dict[tuple[tuple[str, str], ...], str] = {}
    for number, condition in enumerate(design.conditions):
        levels = tuple(sorted(condition.levels.items()))
        other = first.setdefault(levels, condition.name)
        if other != condition.name:
            complaints.say(
                ("design", "conditions", number, "levels"),
                f"'{condition.name}' has the same levels as '{other}', so they are one cell",
                fix="change a level, or add the factor in which they differ",
            )
    for number, factor in enumerate(design.factors):
        used = {condition.levels[factor.name] for condition in design.conditions}
        for place, level in enumerate(factor.levels):
            if level not in used:
                complaints.say(
                    ("design", "factors", number, "levels", place),
                    f"no condition has the level '{level}' of '{factor.name}'",
                    fix="add a condition with it, or take the level out",
                )
    if design.is_within:
        _check_groups(complaints, design)


def _check_groups(complaints: Complaints, design: Design) -> None:
    groups = groups_of(design)
    whole = {levels_of(design, one, "within") for one in design.conditions}
    for group in groups:
        missing = whole - {levels_of(design, one, "within") for one in group}
        if not missing:
            continue
        between = levels_of(design, group[0], "between")
        who = f"participants with {_words(between)}" if between else "participants"
        number = design.conditions.index(group[0])
        complaints.say(
            ("design", "conditions", number, "levels"),
            f"{who} meet no condition with {_words(min(missing))}, which others meet",
            fix="a participant meets all levels of a factor that is within: add the condition",
        )


def _words(levels: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} = {level}" for name, level in levels)


def _check_periods(complaints: Complaints, plan: StudyPlan, design: Design) -> None:
    """With every one of a participant's conditions there has to be something to do."""
    most = 1 if design.in_one_run else max(len(group) for group in groups_of(design))
    places = {phase.conditions for phase in plan.phases}
    if "every" in places:
        return
    without = [
        period
        for period in range(1, most + 1)
        if not (period == 1 and "first" in places) and not (period == most and "last" in places)
    ]
    if without:
        number = len(plan.phases) - 1
        complaints.say(
            ("phases", number, "conditions"),
            f"no phase is gone through with the participant's condition number {without[0]} "
            f"of {most}",
            fix='leave out conditions in a phase, or write conditions = "every"',
        )


def _check_method(complaints: Complaints, design: Design) -> None:
    if design.in_one_run:
        _check_one_run(complaints, design)
    else:
        for key in ("begins", "played_in"):
            if key in design.model_fields_set:
                complaints.say(
                    ("design", key),
                    f"{key} is for conditions that the scenario shows in one run, but here each "
                    "has a run of its own",
                    fix='assignment = "by_scenario", or take it out',
                )
    if design.assignment != "latin_square":
        return
    path: KeyPath = ("design", "assignment")
    if len(design.conditions) < 2:
        complaints.say(
            path,
            "a Latin square puts conditions in order, but the study has only one",
            fix="add conditions, or leave out assignment",
        )
    elif not design.is_within:
        complaints.say(
            path,
            "a Latin square puts the conditions of one participant in order, but every factor is "
            "between participants, who meet one condition each",
            fix='assignment = "blocked", or kind = "within" in a factor',
        )


def _check_one_run(complaints: Complaints, design: Design) -> None:
    if design.begins is None:
        complaints.say(
            ("design",),
            "the scenario shows the conditions itself, but nothing says when each begins",
            fix='add begins = { message = "…", value = "…" }, a message of the scenario and the '
            "field that holds the condition",
        )
    for number, factor in enumerate(design.factors):
        if factor.kind == "between":
            complaints.say(
                ("design", "factors", number, "kind"),
                f"a participant meets the conditions in one run, so that '{factor.name}' cannot "
                "differ between participants",
                fix='kind = "within"',
            )
    if design.repeats_in_block > 1:
        complaints.say(
            ("design", "repeats_in_block"),
            "the scenario orders its conditions itself: there are no blocks",
            fix="take it out",
        )

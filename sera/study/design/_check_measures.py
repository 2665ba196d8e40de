"""Whether measures, exclusion rules and settings of forms say all they have to, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sera.runtime.located import KeyPath
from sera.study.design._complaints import Complaints
from sera.study.design_tables import Exclusion, Measure

if TYPE_CHECKING:
    from sera.study.plan import StudyPlan

_NEED_A_VALUE = ("sum", "mean", "last")
_FOR_MESSAGES = ("message", "where", "value", "until", "until_where", "during")


def check_measures(complaints: Complaints, plan: StudyPlan) -> None:
    """Complain of measures that cannot be taken as they stand."""
    complaints.twice(
        [(("measures", number, "name"), one.name) for number, one in enumerate(plan.measures)]
    )
    places = {phase.name for phase in plan.phases} | {step.name for _, step in plan.steps()}
    for number, measure in enumerate(plan.measures):
        path: KeyPath = ("measures", number)
        if measure.function is None and measure.how is None:
            complaints.say(
                path,
                f"'{measure.name}' does not say how it is taken",
                fix='add how = "count", sum, mean, last or time_between; or a function of yours: '
                'function = "measures.py:name"',
            )
        elif measure.function is not None:
            _check_function(complaints, measure, path)
        else:
            _check_way(complaints, measure, path)
        for place, name in enumerate(measure.during):
            complaints.unknown((*path, "during", place), name, places, "phase or step")


def _check_function(complaints: Complaints, measure: Measure, path: KeyPath) -> None:
    if measure.how is not None:
        complaints.say(
            (*path, "how"),
            f"'{measure.name}' has both how and function, and only one of them can be right",
            fix="take one out",
        )
        return
    for key in _FOR_MESSAGES:
        if key in measure.model_fields_set:
            complaints.say(
                (*path, key),
                f"{key} has no effect on a function, which chooses its messages itself",
                fix=f"take it out, and use log.messages(…) in {measure.function}",
            )


def _check_way(complaints: Complaints, measure: Measure, path: KeyPath) -> None:
    how = measure.how
    if measure.message is None:
        complaints.say(
            path,
            f"'{measure.name}' does not say which messages count",
            fix='add message = "…"; `sera messages` lists all types',
        )
    if how in _NEED_A_VALUE and measure.value is None:
        complaints.say(
            path,
            f"'{measure.name}' is the {how} of a field, but does not say of which",
            fix='add value = "…"',
        )
    if how == "time_between" and measure.until is None:
        complaints.say(
            path,
            f"'{measure.name}' does not say what ends the time that '{measure.message}' begins",
            fix='add until = "…", a type of message',
        )
    if measure.value is not None and how not in _NEED_A_VALUE:
        complaints.say(
            (*path, "value"), f'value has no effect with how = "{how}"', fix="take it out"
        )
    for key in ("until", "until_where"):
        if key in measure.model_fields_set and how != "time_between":
            complaints.say(
                (*path, key), f'{key} has no effect with how = "{how}"', fix="take it out"
            )


def check_exclusions(complaints: Complaints, plan: StudyPlan) -> None:
    """Complain of rules that look at nothing, or leave nobody."""
    assert plan.design is not None
    rules = plan.design.exclusions
    complaints.twice(
        [(("design", "exclusions", number, "name"), one.name) for number, one in enumerate(rules)]
    )
    known = [measure.name for measure in plan.measures]
    for number, rule in enumerate(rules):
        path: KeyPath = ("design", "exclusions", number)
        if rule.measure is not None:
            complaints.unknown((*path, "measure"), rule.measure, known, "measure")
        _check_rule(complaints, rule, path)


def _check_rule(complaints: Complaints, rule: Exclusion, path: KeyPath) -> None:
    bounds = [key for key in ("above", "below", "missing") if key in rule.model_fields_set]
    if rule.measure is None:
        for key in bounds:
            complaints.say(
                (*path, key), f"'{rule.name}' does not say which measure", fix='add measure = "…"'
            )
    elif not bounds:
        complaints.say(
            (*path, "measure"),
            f"'{rule.name}' names a measure and excludes nobody by it",
            fix="add above = …, below = … or missing = true",
        )
    if rule.above is not None and rule.below is not None and rule.above < rule.below:
        complaints.say(
            (*path, "above"),
            f"every value is above {rule.above:g} or below {rule.below:g}: nobody would be left",
            fix="above is the larger of the two",
        )


def check_forms(complaints: Complaints, plan: StudyPlan) -> None:
    """Complain of settings for a form that were made twice, or that no step shows."""
    complaints.twice(
        [(("forms", number, "name"), one.name) for number, one in enumerate(plan.forms)]
    )
    shown = {step.form for _, step in plan.steps() if step.form is not None}
    for number, form in enumerate(plan.forms):
        complaints.unknown(("forms", number, "name"), form.name, shown, "form", "in a step")

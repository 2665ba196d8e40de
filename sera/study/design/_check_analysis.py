"""Whether the analysis compares groups that are there, by measures that are taken."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import TYPE_CHECKING

from sera.runtime.located import KeyPath
from sera.study.design._complaints import Complaints
from sera.study.design_tables import Hypothesis

if TYPE_CHECKING:
    from sera.study.plan import StudyPlan

_SURELY_MISTYPED = 0.9
"""How alike a name must be to a measure's, to be a mistake and no scale that is not known yet."""


def check_analysis(
    complaints: Complaints,
    plan: StudyPlan,
    conditions: Collection[str] | None,
    scales: Collection[str] | None,
) -> None:
    """Complain of groups, comparisons and hypotheses that cannot be looked at.

    Args:
        complaints: where to say it.
        plan: the study file.
        conditions: that the study has; None: not known.
        scales: of its questionnaires; None: not known.
    """
    if conditions is not None:
        _check_groups(complaints, plan, conditions)
    _check_pairs(complaints, plan, conditions)
    hypotheses = plan.analysis.hypotheses
    complaints.twice(
        [
            (("analysis", "hypotheses", number, "name"), one.name)
            for number, one in enumerate(hypotheses)
        ]
    )
    for number, hypothesis in enumerate(hypotheses):
        path: KeyPath = ("analysis", "hypotheses", number)
        _check_expectation(complaints, hypothesis, path)
        _check_middle(complaints, plan, hypothesis, path)
        for place, measure in enumerate(hypothesis.measures):
            _check_measure(complaints, plan, scales, measure, (*path, "measures", place))
        if conditions is not None:
            known = {*conditions, *plan.analysis.groups}
            for place, name in enumerate(hypothesis.groups):
                complaints.unknown((*path, "groups", place), name, known, "condition or group")
        _check_shared(complaints, plan, hypothesis.groups, (*path, "groups"))


def _check_groups(complaints: Complaints, plan: StudyPlan, conditions: Collection[str]) -> None:
    analysis = plan.analysis
    for name, members in analysis.groups.items():
        path: KeyPath = ("analysis", "groups", name)
        if name in conditions:
            complaints.say(path, f"'{name}' is a condition already", fix="rename the group")
        if not members:
            complaints.say(path, f"the group '{name}' is empty", fix="list its conditions")
        complaints.twice([((*path, place), member) for place, member in enumerate(members)])
        for place, member in enumerate(members):
            complaints.unknown((*path, place), member, conditions, "condition")
    if analysis.control is not None:
        complaints.unknown(("analysis", "control"), analysis.control, conditions, "condition")


def _check_pairs(
    complaints: Complaints, plan: StudyPlan, conditions: Collection[str] | None
) -> None:
    analysis = plan.analysis
    pairs: dict[frozenset[str], int] = {}
    for number, pair in enumerate(analysis.compare):
        path: KeyPath = ("analysis", "compare", number)
        if conditions is not None:
            known = {*conditions, *analysis.groups}
            for place, name in enumerate(pair):
                complaints.unknown((*path, place), name, known, "condition or group")
        _check_shared(complaints, plan, pair, path)
        if pairs.setdefault(frozenset(pair), number) != number:
            complaints.say(
                path, f"{pair[0]} and {pair[1]} are compared already", fix="take one out"
            )


def _check_shared(
    complaints: Complaints, plan: StudyPlan, names: Collection[str], path: KeyPath
) -> None:
    """Two groups that hold the same people cannot be compared."""
    if len(names) != 2:
        return
    first, second = names
    groups = plan.analysis.groups
    shared = set(groups.get(first, [first])) & set(groups.get(second, [second]))
    if shared:
        complaints.say(
            path,
            f"'{first}' and '{second}' both hold {', '.join(sorted(shared))}",
            fix="compare groups that have nobody in common",
        )


def _check_expectation(complaints: Complaints, hypothesis: Hypothesis, path: KeyPath) -> None:
    alone = len(hypothesis.groups) == 1
    if hypothesis.expects == "above_middle" and not alone:
        complaints.say(
            (*path, "groups"),
            "above_middle compares one group with the middle of the scale, but there are two",
            fix="name one group",
        )
    elif hypothesis.expects != "above_middle" and alone:
        complaints.say(
            (*path, "groups"),
            f"'{hypothesis.expects}' needs a second group to compare with",
            fix='name two groups, or expects = "above_middle"',
        )


def _check_middle(
    complaints: Complaints, plan: StudyPlan, hypothesis: Hypothesis, path: KeyPath
) -> None:
    """Only a scale has a middle."""
    if hypothesis.expects != "above_middle":
        return
    taken = {measure.name for measure in plan.measures}
    for place, name in enumerate(hypothesis.measures):
        if name in taken:
            complaints.say(
                (*path, "measures", place),
                f"'{name}' is taken from the log and has no middle that it could be above",
                fix="name a scale of a form, or compare two groups",
            )


def _check_measure(
    complaints: Complaints,
    plan: StudyPlan,
    scales: Collection[str] | None,
    name: str,
    path: KeyPath,
) -> None:
    measures = [measure.name for measure in plan.measures]
    if name in measures:
        return
    asked = any(step.form is not None for _, step in plan.steps())
    if scales is None and asked:
        # It may be a scale of a form that was not read here.
        if difflib.get_close_matches(name, measures, n=1, cutoff=_SURELY_MISTYPED):
            complaints.unknown(path, name, measures, "measure")
        return
    complaints.unknown(path, name, {*measures, *(scales or ())}, "measure or scale")

"""From the log of a run to rows: what was measured and answered in each condition.

Where each condition has a run of its own, a run is a row. Where the scenario shows the conditions
itself (`assignment = "by_scenario"`), the log is cut where its message says that one begins, and
each part is a row. Forms that are filled in once (a consent, questions about the person: those of
phases with `conditions = "first"` or `"last"`) stand in the row of the first part; a form that
conditions ask for counts in their parts alone, so that trials before them are left out.

Units and frames: seconds from the beginning of the session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from sera.study.data import Participation
from sera.study.design_tables import Design
from sera.study.form_wish import asked_once
from sera.study.measures._fields import field_at
from sera.study.measures._own_types import types_declared_in
from sera.study.measures._runs import LogEntry, when
from sera.study.measures.answers import Answers, answers_of, unanswered_share
from sera.study.measures.log import SessionLog
from sera.study.measures.take import take_measures
from sera.study.plan import StudyPlan
from sera.study.questionnaire import Questionnaire

Forms = Mapping[str, Questionnaire]


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a run in which one condition was shown."""

    condition: str
    begins: LogEntry
    ends: LogEntry | None
    """None: it lasts to the end of the run."""


def rows_of_run(
    row: Participation, plan: StudyPlan, log: SessionLog, forms: Forms, folder: Path | None = None
) -> list[Participation]:
    """The rows of one run, in the order in which its conditions were met.

    Args:
        row: what is known of the run before anybody looked into its log.
        plan: of the study.
        log: of the run.
        forms: the questionnaires as the study uses them.
        folder: of the scenario, for its functions and message types.
    """
    design = plan.design
    if design is None or not design.in_one_run:
        return [_filled(row, plan, log, answers_of(log, forms), folder)]
    known = log.fresh(also_known=frozenset() if folder is None else types_declared_in(folder))
    try:
        parts = parts_of(design, known)
    except LookupError as error:
        return [replace(row, problems=(f"{error}, in {log.name}", *row.problems))]
    if design.begins is not None and (lacks := known.lacks(design.begins.message)) is not None:
        said = f"which conditions were shown, and when, is not known, since {lacks}"
        return [replace(row, problems=(said, *row.problems))]
    if not parts:
        said = f"the scenario showed none of the study's conditions, in {log.name}"
        return [replace(row, problems=(said, *row.problems))]
    levels = {one.name: dict(one.levels) for one in design.conditions}
    rows = []
    for period, part in enumerate(_last_of_each(parts), start=1):
        inside = known.between(part.begins, part.ends)
        met = replace(row, condition=part.condition, factors=levels[part.condition], period=period)
        rows.append(_filled(met, plan, inside, answers_of(inside, forms), folder))
    shown = Counter(part.condition for part in parts)
    again = tuple(
        f"'{name}' was shown {times} times; the last one counts, in {log.name}"
        for name, times in shown.items()
        if times > 1
    )
    whole = answers_of(known, forms)
    once = {name: given for name, given in whole.given.items() if asked_once(plan, name)}
    rows = [
        replace(one, answers={form: it for form, it in one.answers.items() if form not in once})
        for one in rows
    ]
    rows[0] = replace(
        rows[0], answers={**once, **rows[0].answers}, problems=(*again, *rows[0].problems)
    )
    return rows


def parts_of(design: Design, log: SessionLog) -> list[Part]:
    """When each condition was shown; what the message says of none of them ends a part.

    Raises:
        LookupError: nobody knows the message's type.
    """
    if design.begins is None:
        return []
    known = {one.name for one in design.conditions}
    told = log.messages(design.begins.message)
    parts = [
        Part(str(field_at(begins.data, design.begins.value)), begins, ends)
        for begins, ends in pairwise([*told, None])
        if begins is not None
    ]
    return [part for part in parts if part.condition in known]


def unanswered_in_run(plan: StudyPlan, forms: Forms, log: SessionLog) -> float | None:
    """How much of the required answers is missing where forms are asked for again and again.

    A form counts as often as steps of the plan offer it.
    """
    answers = answers_of(log, forms)
    named = (step.form for _, step in plan.steps() if step.form is not None)
    offered = Counter(name for name in named if name in forms)
    back = [*answers.forms.values(), *answers.earlier]
    shares, weights = [], []
    for name, times in offered.items():
        only = {name: forms[name]}
        whole = unanswered_share(only, {})
        if whole is None:
            continue
        filled = sorted(
            (one for one in back if one.questionnaire == name), key=lambda one: one.time_s
        )[-times:]
        given = [
            unanswered_share(only, {name: one.answers}, {name: one.free_answers}) or 0.0
            for one in filled
        ]
        weight = sum(item.required for item in forms[name].items)
        shares.append(weight * (sum(given) + times - len(filled)))
        weights.append(weight * times)
    return sum(shares) / sum(weights) if weights else None


def _last_of_each(parts: list[Part]) -> list[Part]:
    """Each condition once: what an operator repeats replaces what went wrong before."""
    last = {part.condition: part for part in parts}
    return sorted(last.values(), key=lambda part: when(part.begins))


def _filled(
    row: Participation, plan: StudyPlan, log: SessionLog, answered: Answers, folder: Path | None
) -> Participation:
    taken = take_measures(plan.measures, log, folder)
    return replace(
        row,
        measures=taken.values,
        answers=answered.given,
        problems=(*row.problems, *taken.problems, *answered.problems),
    )

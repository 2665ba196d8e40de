"""From rows to results: `analyse`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sera.runtime.located import nearest_name
from sera.study.analysis._numbers import present
from sera.study.analysis._variables import Pair, measure_found, scale_found
from sera.study.analysis.correlation import pearson, spearman
from sera.study.analysis.findings import Analysis, Correlation, Variable
from sera.study.analysis.hypotheses import judge
from sera.study.analysis.normality import shapiro_wilk
from sera.study.analysis.rules import is_normal
from sera.study.analysis.sample import Sample, sample_of
from sera.study.data import Participation
from sera.study.plan import StudyPlan
from sera.study.scoring import Scale


def analyse(
    plan: StudyPlan, rows: Sequence[Participation], scales: Sequence[Scale] = ()
) -> Analysis:
    """All results of a study.

    Completed sessions of kind study count; where all rows are simulated, completed ones of those.

    Args:
        plan: the study.
        rows: one a participant and condition, whatever their kind and fate.
        scales: of the study's questionnaires.

    Raises:
        AnalysisRefused: there are no rows, or simulated and real ones are mixed.
    """
    sample = sample_of(plan, rows)
    notes = list(sample.notes)
    planned = _planned_pairs(sample, notes)
    used = [scale for scale in scales if _was_answered(scale, sample)]
    names = {measure.name for measure in plan.measures}
    variables: list[Variable] = [
        measure_found(sample, measure, planned, _asked(sample, measure.name, planned))
        for measure in plan.measures
    ]
    for scale in used:
        if scale.name in names:
            notes.append(f"The scale '{scale.name}' has the name of a measure and is left out.")
            continue
        asked = _asked(sample, scale.name, planned)
        variables.append(scale_found(sample, scale, planned, asked))
    by_name = {one.name: one for one in variables}
    notes += _strange_measures(sample, names)
    notes += [
        f"{row.participant}, session {row.session}: {problem}"
        for row in sample.rows
        for problem in row.problems
    ]
    return Analysis(
        plan=plan,
        rows=tuple(rows),
        counted=sample.rows,
        groups=tuple(sample.groups.values()),
        variables=tuple(variables),
        hypotheses=tuple(judge(one, by_name, sample.groups) for one in plan.analysis.hypotheses),
        correlations=tuple(_correlations(variables)),
        notes=tuple(dict.fromkeys(notes)),
    )


def _was_answered(scale: Scale, sample: Sample) -> bool:
    return any(value is not None for row in sample.rows for value in scale.values(row.answers))


def _planned_pairs(sample: Sample, notes: list[str]) -> list[Pair]:
    wish = sample.plan.analysis
    conditions = [group.name for group in sample.conditions]
    names = wish.compare or [list(pair) for pair in combinations(conditions, 2)]
    pairs: list[Pair] = []
    for first, second in names:
        lost = [name for name in (first, second) if name not in sample.groups]
        if lost:
            near = nearest_name(lost[0], list(sample.groups))
            hint = f"; did you mean '{near}'?" if near else ""
            notes.append(f"There is no condition or group '{lost[0]}' to compare{hint}.")
            continue
        pair = (sample.groups[first], sample.groups[second])
        if set(pair[0].conditions) & set(pair[1].conditions):
            notes.append(f"{first} and {second} share conditions and cannot be compared.")
        elif not _stands(pair, pairs):
            pairs.append(pair)
    return pairs


def _stands(pair: Pair, pairs: Sequence[Pair]) -> bool:
    wanted = {pair[0].name, pair[1].name}
    return any({one.name, other.name} == wanted for one, other in pairs)


def _asked(sample: Sample, name: str, planned: Sequence[Pair]) -> list[Pair]:
    """Pairs that a hypothesis about this measure needs beyond the planned ones."""
    extra: list[Pair] = []
    for hypothesis in sample.plan.analysis.hypotheses:
        if name not in hypothesis.measures or len(hypothesis.groups) != 2:
            continue
        if hypothesis.expects == "above_middle":
            continue
        groups = [sample.groups.get(one) for one in hypothesis.groups]
        if groups[0] is None or groups[1] is None:
            continue
        pair = (groups[0], groups[1])
        apart = not set(pair[0].conditions) & set(pair[1].conditions)
        if apart and not _stands(pair, [*planned, *extra]):
            extra.append(pair)
    return extra


def _strange_measures(sample: Sample, names: set[str]) -> list[str]:
    strange = sorted({name for row in sample.rows for name in row.measures} - names)
    return [f"The data have a measure '{name}' that the plan does not name." for name in strange]


def _correlations(variables: Sequence[Variable]) -> list[Correlation]:
    """Each measure with each later variable, over persons (means of their conditions)."""
    means = {one.name: _by_person(one) for one in variables}
    found = []
    for first, second in combinations(variables, 2):
        if first.kind != "measure":
            continue
        left, right = means[first.name], means[second.name]
        persons = [person for person in left if person in right]
        pairs = ([left[one] for one in persons], [right[one] for one in persons])
        normal = all(is_normal(shapiro_wilk(side)) for side in pairs)
        result = pearson(*pairs) if normal else spearman(*pairs)
        found.append(Correlation(first.name, second.name, result))
    return found


def _by_person(variable: Variable) -> dict[str, float | None]:
    values: dict[str, list[float | None]] = {}
    for point in variable.points:
        values.setdefault(point.participant, []).append(point.value)
    means: dict[str, float | None] = {}
    for person, own in values.items():
        known = present(own)
        means[person] = float(known.mean()) if known.size else None
    return means

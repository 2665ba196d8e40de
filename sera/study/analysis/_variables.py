"""One measure or scale of a sample, through all tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from sera.study.analysis import rules
from sera.study.analysis._numbers import number, present
from sera.study.analysis.corrections import corrected
from sera.study.analysis.findings import (
    AgainstMiddle,
    Comparison,
    Description,
    Group,
    GroupTest,
    Point,
    Reliability,
    Variable,
)
from sera.study.analysis.normality import shapiro_wilk
from sera.study.analysis.reliability import cronbach_alpha, mcdonald_omega
from sera.study.analysis.result import TestResult
from sera.study.analysis.sample import Sample
from sera.study.data import Participation
from sera.study.design_tables import Measure
from sera.study.scoring import Scale, item_matrix, score

Pair = tuple[Group, Group]


def measure_found(
    sample: Sample, measure: Measure, planned: list[Pair], asked: list[Pair]
) -> Variable:
    """A measure of the log, analysed."""
    points = sample.points(lambda row: row.measures.get(measure.name))
    found = _compared(sample, points, planned, asked)
    return replace(
        found,
        name=measure.name,
        title=measure.heading,
        kind="measure",
        unit=measure.unit,
        better=measure.better,
    )


def scale_found(sample: Sample, scale: Scale, planned: list[Pair], asked: list[Pair]) -> Variable:
    """A scale of a questionnaire, analysed; a negatively scored one is turned round."""

    def scored(row: Participation) -> float | None:
        found = score(scale, row.answers)
        if found is None or not scale.negative:
            return found
        return rules.inverted(found, scale.lowest, scale.highest)

    points = sample.points(scored)
    found = _compared(sample, points, planned, asked)
    wish = sample.plan.analysis
    middles = []
    for group in sample.groups.values():
        values = list(sample.values(points, group).values())
        result = rules.compare_with_middle(values, scale.middle, wish.rule, wish.rank_tests)
        sign = rules.polarity(values, scale.middle, result, wish.alpha)
        middles.append(AgainstMiddle(group, scale.middle, result, sign))
    return replace(
        found,
        name=scale.name,
        title=scale.title,
        kind="scale",
        better="higher",
        lowest=scale.lowest,
        highest=scale.highest,
        questionnaire=scale.questionnaire,
        inverted=scale.negative,
        against_middle=tuple(middles),
        reliability=tuple(_reliability(sample, scale)),
    )


def _compared(
    sample: Sample, points: Sequence[Point], planned: list[Pair], asked: list[Pair]
) -> Variable:
    groups = list(sample.groups.values())
    values = {group.name: list(sample.values(points, group).values()) for group in groups}
    empty = _never_asked(sample, values)
    planned, asked = (
        [pair for pair in pairs if not empty & {pair[0].name, pair[1].name}]
        for pairs in (planned, asked)
    )
    comparisons = _comparisons(sample, points, planned, asked)
    found = Variable(
        name="",
        title="",
        kind="measure",
        unit="",
        better=None,
        points=tuple(points),
        descriptions=tuple(describe(group, values[group.name]) for group in groups),
        normality=tuple(GroupTest(group, shapiro_wilk(values[group.name])) for group in groups),
        comparisons=comparisons,
        omnibus=_omnibus(sample, points, empty),
    )
    return replace(found, difference=_difference(sample, found))


def _never_asked(sample: Sample, values: dict[str, list[float | None]]) -> set[str]:
    """Groups without a single value, where a scenario shows many things; they lose what is missing.

    What is asked of one thing that is shown is not asked of another: nothing is missing there.
    """
    if not sample.in_one_run:
        return set()
    empty = {name for name, all_ in values.items() if not present(all_).size}
    for name in empty:
        values[name] = []
    return empty


def describe(group: Group, values: Sequence[float | None]) -> Description:
    """Figures of a group."""
    data = present(values)
    missing = len(values) - int(data.size)
    if data.size == 0:
        return Description(group, 0, missing)
    with np.errstate(all="ignore"):
        return Description(
            group,
            n=int(data.size),
            missing=missing,
            mean=number(data.mean()),
            sd=number(data.std(ddof=1)) if data.size > 1 else None,
            median=number(np.median(data)),
            minimum=float(data.min()),
            maximum=float(data.max()),
        )


def _comparisons(
    sample: Sample, points: Sequence[Point], planned: list[Pair], asked: list[Pair]
) -> tuple[Comparison, ...]:
    wish = sample.plan.analysis
    made = [(pair, *_compare(sample, points, *pair)) for pair in (*planned, *asked)]
    fair = corrected([result.p for _, result, _ in made], wish.correction)
    return tuple(
        Comparison(*pair, result, p, wish.alpha, paired, planned=place < len(planned))
        for place, ((pair, result, paired), p) in enumerate(zip(made, fair, strict=True))
    )


def _compare(
    sample: Sample, points: Sequence[Point], first: Group, second: Group
) -> tuple[TestResult, bool]:
    one, other = sample.values(points, first), sample.values(points, second)
    wish = sample.plan.analysis
    shared = [person for person in one if person in other]
    if not sample.within or not shared:
        # In a mixed design two cells may have nobody in common: then they are independent.
        return rules.compare_groups(one.values(), other.values(), wish.rule, wish.rank_tests), False
    pairs = ([one[person] for person in shared], [other[person] for person in shared])
    return rules.compare_pairs(*pairs, wish.rule, wish.rank_tests), True


def _omnibus(sample: Sample, points: Sequence[Point], empty: Collection[str]) -> TestResult | None:
    conditions = [group for group in sample.conditions if group.name not in empty]
    if len(conditions) < 3:
        return None
    rule = sample.plan.analysis.rule
    by_group = [sample.values(points, group) for group in conditions]
    everywhere = [person for person in by_group[0] if all(person in one for one in by_group)]
    if sample.within and everywhere:
        table = [[one[person] for person in everywhere] for one in by_group]
        return rules.omnibus_within(table, rule)
    if sample.within:
        # A mixed design needs a model that this analysis has not: better nothing than a wrong F.
        return TestResult(
            "omnibus",
            "Test of all conditions",
            (),
            problem="no participant met all conditions"
            if sample.in_one_run
            else "no participant met all conditions, and mixed designs are compared in pairs",
        )
    return rules.omnibus([one.values() for one in by_group], rule)


def _difference(sample: Sample, found: Variable) -> rules.Difference | None:
    """The documents' kind of difference, where the plan has its three conditions and group."""
    control = sample.plan.analysis.control
    others = [group for group in sample.conditions if group.name != control]
    if control is None or control not in sample.groups or len(others) != 2:
        return None
    both = {group.name for group in others}
    together = next((one for one in sample.groups.values() if set(one.conditions) == both), None)
    if together is None:
        return None
    one, other = others

    def differs(first: str, second: str) -> bool | None:
        comparison = found.comparison(first, second)
        return None if comparison is None else comparison.significant

    flags = rules.Significances(
        one=differs(one.name, control),
        other=differs(other.name, control),
        together=differs(together.name, control),
        between=differs(one.name, other.name),
    )
    return rules.difference_kind(flags, one.title, other.title, together.title)


def _reliability(sample: Sample, scale: Scale) -> Iterable[Reliability]:
    above = sample.plan.analysis.reliable_above
    for group in (None, *sample.groups.values()):
        rows = [row for row in sample.rows if group is None or row.condition in group.conditions]
        matrix = _by_person(rows, item_matrix(scale, [row.answers for row in rows]))
        alpha, omega = cronbach_alpha(matrix), mcdonald_omega(matrix)
        yield Reliability(group, alpha, omega, rules.is_reliable(alpha, omega, above))


def _by_person(
    rows: Sequence[Participation], matrix: Sequence[Sequence[float | None]]
) -> list[list[float | None]]:
    """One line a person: who answered in several conditions counts once, with the items' means."""
    lines: dict[str, list[Sequence[float | None]]] = {}
    for row, line in zip(rows, matrix, strict=True):
        lines.setdefault(row.participant, []).append(line)
    return [[_mean(given) for given in zip(*own, strict=True)] for own in lines.values()]


def _mean(given: Sequence[float | None]) -> float | None:
    known = [value for value in given if value is not None]
    return sum(known) / len(known) if known else None

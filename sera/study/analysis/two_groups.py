"""Two independent groups: Student's and Welch's t, Mann and Whitney's U."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from sera.study.analysis._numbers import Array, Values, is_constant, present, too_few
from sera.study.analysis.effects import rank_biserial, standardised
from sera.study.analysis.result import LEVEL, Interval, Naming, TestResult

EXACT_BELOW = 50
"""Ranks without ties are counted out below this size of either group."""
_FEWEST = 3


def student_t(first: Values, second: Values) -> TestResult:
    """Student's t test of two groups of equal variance; first less second."""
    one, other = present(first), present(second)
    name: Naming = {"test": "student_t", "title": "Student's t test", "symbol": "t"}
    if (problem := _no_t_test(one, other)) is not None:
        return TestResult(**name, n=(one.size, other.size), problem=problem)
    df = one.size + other.size - 2
    pooled = (_squares(one) + _squares(other)) / df
    error = math.sqrt(pooled * (1 / one.size + 1 / other.size))
    return _t_result(name, one, other, error, float(df))


def welch_t(first: Values, second: Values) -> TestResult:
    """Welch's t test of two groups whose variances may differ; first less second."""
    one, other = present(first), present(second)
    name: Naming = {"test": "welch_t", "title": "Welch's t test", "symbol": "t"}
    if (problem := _no_t_test(one, other)) is not None:
        return TestResult(**name, n=(one.size, other.size), problem=problem)
    parts = [_squares(group) / (group.size - 1) / group.size for group in (one, other)]
    df = sum(parts) ** 2 / sum(
        part**2 / (group.size - 1) for part, group in zip(parts, (one, other), strict=True)
    )
    return _t_result(name, one, other, math.sqrt(sum(parts)), df)


def _squares(group: Array) -> float:
    return float(np.sum((group - group.mean()) ** 2))


def _no_t_test(one: Array, other: Array) -> str | None:
    problem = too_few(_FEWEST, the_first_group=one.size, the_second_group=other.size)
    if problem is None and is_constant(one) and is_constant(other):
        problem = "no value differs from the others in its group"
    return problem


def _t_result(name: Naming, one: Array, other: Array, error: float, df: float) -> TestResult:
    difference = float(one.mean() - other.mean())
    t = difference / error
    reach = float(stats.t.ppf(0.5 + LEVEL / 2, df)) * error
    # Cohen's d has the pooled deviation in it whichever t was taken.
    pooled_df = one.size + other.size - 2
    pooled = math.sqrt((_squares(one) + _squares(other)) / pooled_df)
    scale = math.sqrt(1 / one.size + 1 / other.size)
    return TestResult(
        **name,
        n=(one.size, other.size),
        statistic=t,
        df=(df,),
        p=float(2 * stats.t.sf(abs(t), df)),
        effects=standardised(difference / (pooled * scale), pooled_df, scale),
        difference=difference,
        difference_interval=Interval(difference - reach, difference + reach),
    )


def mann_whitney(first: Values, second: Values, *, continuity: bool = True) -> TestResult:
    """Mann and Whitney's test; U counts the pairs in which the first group is higher.

    Without ties and below 50 values a group, p is exact; else it comes from the normal
    distribution with correction for ties and, unless switched off, for continuity (the documents'
    published figures are without).
    """
    one, other = present(first), present(second)
    name: Naming = {"test": "mann_whitney", "title": "Mann-Whitney test", "symbol": "U"}
    n = (int(one.size), int(other.size))
    problem = too_few(_FEWEST, the_first_group=one.size, the_second_group=other.size)
    together = np.concatenate([one, other])
    if problem is None and np.ptp(together) == 0:
        problem = "all values are the same"
    if problem is not None:
        return TestResult(**name, n=n, problem=problem)
    ranks = stats.rankdata(together)
    u = float(ranks[: n[0]].sum() - n[0] * (n[0] + 1) / 2)
    _, counts = np.unique(together, return_counts=True)
    if counts.max() == 1 and max(n) < EXACT_BELOW:
        p = float(stats.mannwhitneyu(one, other, method="exact").pvalue)
        method = "exact"
    else:
        p = _normal_p(u, n, counts, continuity=continuity)
        method = "normal approximation, corrected for ties" + (
            " and continuity" if continuity else ""
        )
    return TestResult(**name, n=n, statistic=u, p=p, effects=(rank_biserial(u, *n),), method=method)


def _normal_p(u: float, n: tuple[int, int], counts: np.ndarray, *, continuity: bool) -> float:
    size = sum(n)
    ties = float(np.sum(counts.astype(float) ** 3 - counts)) / (size * (size - 1))
    deviation = math.sqrt(n[0] * n[1] / 12 * (size + 1 - ties))
    distance = abs(u - n[0] * n[1] / 2) - (0.5 if continuity else 0.0)
    return float(min(1.0, 2 * stats.norm.sf(max(distance, 0.0) / deviation)))

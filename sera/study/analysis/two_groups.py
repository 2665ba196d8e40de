"""Two independent groups: Student's and Welch's t, Mann and Whitney's U."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from sera.study.analysis._numbers import Array, Values, is_constant, levelled, present, too_few
from sera.study.analysis.effects import rank_biserial, standardised
from sera.study.analysis.rank_p import AS_THE_DOCUMENTS, RankMethod, rank_p
from sera.study.analysis.result import LEVEL, Interval, Naming, TestResult

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


def mann_whitney(
    first: Values, second: Values, *, method: RankMethod = AS_THE_DOCUMENTS
) -> TestResult:
    """Mann and Whitney's test; U counts the pairs in which the first group is higher.

    Args:
        first: values of one group.
        second: of the other.
        method: how p is found, see `rank_p`.
    """
    one, other = present(first), present(second)
    name: Naming = {"test": "mann_whitney", "title": "Mann-Whitney test", "symbol": "U"}
    n = (int(one.size), int(other.size))
    problem = too_few(_FEWEST, the_first_group=one.size, the_second_group=other.size)
    together = levelled(np.concatenate([one, other]))
    if problem is None and np.ptp(together) == 0:
        problem = "all values are the same"
    if problem is not None:
        return TestResult(**name, n=n, problem=problem)
    ranks = stats.rankdata(together)
    u = float(ranks[: n[0]].sum() - n[0] * (n[0] + 1) / 2)
    _, counts = np.unique(together, return_counts=True)
    found = rank_p(
        method,
        distance=u - n[0] * n[1] / 2,
        deviation=_deviation(n, counts),
        sizes=n,
        tied=bool(counts.max() > 1),
        exactly=lambda: _exact_p(ranks, n),
    )
    return TestResult(
        **name,
        n=n,
        statistic=u,
        p=found.p,
        z=found.z,
        effects=(rank_biserial(u, *n),),
        method=found.words,
    )


def _exact_p(ranks: Array, n: tuple[int, int]) -> float:
    """Two-sided, from all ways to give the ranks to the groups; shared ranks are counted, too."""
    size = min(n)
    doubled = np.rint(2 * ranks).astype(np.int64)  # shared ranks may be halves
    own = int(doubled[: n[0]].sum() if n[0] == size else doubled[n[0] :].sum())
    ways = np.zeros((size + 1, int(np.sort(doubled)[-size:].sum()) + 1))
    ways[0, 0] = 1.0
    for rank in doubled.tolist():
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    middle = size * (sum(n) + 1)
    sums = np.arange(ways.shape[1])
    as_far = ways[size, np.abs(sums - middle) >= abs(own - middle)].sum()
    return float(min(1.0, as_far / ways[size].sum()))


def _deviation(n: tuple[int, int], counts: NDArray[np.int64]) -> float:
    size = sum(n)
    ties = float(np.sum(counts.astype(float) ** 3 - counts)) / (size * (size - 1))
    return math.sqrt(n[0] * n[1] / 12 * (size + 1 - ties))

"""One group against a value, and pairs of values: one-sample and paired t, Wilcoxon's ranks."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from sera.study.analysis._numbers import (
    Array,
    Values,
    is_constant,
    levelled,
    paired,
    present,
    too_few,
)
from sera.study.analysis.effects import matched_rank_biserial, standardised
from sera.study.analysis.rank_p import AS_THE_DOCUMENTS, RankMethod, rank_p
from sera.study.analysis.result import LEVEL, Interval, Naming, TestResult

_FEWEST = 3


def one_sample_t(values: Values, against: float) -> TestResult:
    """Whether the mean differs from a value."""
    data = present(values)
    name: Naming = {"test": "one_sample_t", "title": "One-sample t test", "symbol": "t"}
    return _t(name, data - against, is_constant(data))


def paired_t(first: Values, second: Values) -> TestResult:
    """Whether the mean of differences within pairs is other than 0; first less second."""
    one, other = paired(first, second)
    name: Naming = {"test": "paired_t", "title": "Paired t test", "symbol": "t"}
    return _t(name, one - other, _same(one - other, one, other))


def _same(differences: Array, one: Array, other: Array) -> bool:
    """Whether all differences are equal, measured by the values that they are between."""
    if differences.size < 2:
        return True
    largest = float(max(np.max(np.abs(one)), np.max(np.abs(other))))
    return float(np.ptp(differences)) <= 1e-12 * largest


def _t(name: Naming, differences: Array, constant: bool) -> TestResult:
    n = (int(differences.size),)
    problem = too_few(_FEWEST, the_group=differences.size)
    if problem is None and constant:
        problem = (
            "all values are the same"
            if name["test"] == "one_sample_t"
            else "the difference is the same in all pairs"
        )
    with np.errstate(all="ignore"):
        deviation = float(np.std(differences, ddof=1)) if problem is None else 0.0
    if problem is None and not (math.isfinite(deviation) and deviation > 0):
        problem = "the values are too large or too small to compute with"
    if problem is not None:
        return TestResult(**name, n=n, problem=problem)
    df = differences.size - 1
    mean = float(differences.mean())
    error = deviation / math.sqrt(differences.size)
    t = mean / error
    reach = float(stats.t.ppf(0.5 + LEVEL / 2, df)) * error
    return TestResult(
        **name,
        n=n,
        statistic=t,
        df=(float(df),),
        p=float(2 * stats.t.sf(abs(t), df)),
        effects=standardised(t, df, 1 / math.sqrt(differences.size)),
        difference=mean,
        difference_interval=Interval(mean - reach, mean + reach),
    )


def wilcoxon(
    values: Values, against: float = 0.0, *, method: RankMethod = AS_THE_DOCUMENTS
) -> TestResult:
    """Wilcoxon's signed-rank test of one group against a value; W sums the ranks above it."""
    name: Naming = {"test": "wilcoxon", "title": "Wilcoxon signed-rank test", "symbol": "W"}
    data = present(values)
    differences = levelled(data - against, np.append(data, against))
    return _signed_ranks(name, differences, "no value differs", method)


def wilcoxon_paired(
    first: Values, second: Values, *, method: RankMethod = AS_THE_DOCUMENTS
) -> TestResult:
    """Wilcoxon's signed-rank test of pairs; W sums the ranks in which the first is higher."""
    one, other = paired(first, second)
    title = "Wilcoxon signed-rank test of pairs"
    name: Naming = {"test": "wilcoxon", "title": title, "symbol": "W"}
    differences = levelled(one - other, np.concatenate([one, other]))
    return _signed_ranks(name, differences, "no pair differs", method)


def _signed_ranks(name: Naming, differences: Array, nothing: str, method: RankMethod) -> TestResult:
    n = (int(differences.size),)
    problem = too_few(_FEWEST, the_group=differences.size)
    kept = differences[differences != 0]
    if problem is None and kept.size == 0:
        problem = nothing
    if problem is not None:
        return TestResult(**name, n=n, problem=problem)
    zeros = differences.size - kept.size
    ranks = stats.rankdata(np.abs(kept))
    positive, negative = float(ranks[kept > 0].sum()), float(ranks[kept < 0].sum())
    _, counts = np.unique(np.abs(kept), return_counts=True)
    found = rank_p(
        method,
        distance=positive - kept.size * (kept.size + 1) / 4,
        deviation=_deviation(kept.size, counts.astype(np.float64)),
        sizes=(int(kept.size),),
        tied=bool(counts.max() > 1) or zeros > 0,
        exactly=lambda: _exact_p(ranks, min(positive, negative)),
    )
    words = found.words + (f"; {zeros} without a difference left out" if zeros else "")
    return TestResult(
        **name,
        n=n,
        statistic=positive,
        p=found.p,
        z=found.z,
        effects=(matched_rank_biserial(positive, negative, int(kept.size)),),
        method=words,
    )


def _exact_p(ranks: Array, smaller: float) -> float:
    """Two-sided, from the counts of all 2^n signs by the sum of their ranks, shared ones too."""
    doubled = np.rint(2 * ranks).astype(np.int64)  # shared ranks may be halves
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] = ways[rank:] + ways[:-rank]
    return float(min(1.0, 2 * ways[: round(2 * smaller) + 1].sum() / 2.0**ranks.size))


def _deviation(n: int, counts: Array) -> float:
    ties = float(np.sum(counts**3 - counts)) / 48
    return math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties)

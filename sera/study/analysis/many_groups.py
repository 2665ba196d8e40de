"""More than two conditions at once: analysis of variance and ranks, between and within persons."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from sera.study.analysis._numbers import (
    Array,
    Values,
    is_constant,
    levelled,
    number,
    present,
    too_few,
)
from sera.study.analysis.effects import eta_squared, omega_squared
from sera.study.analysis.result import Effect, Naming, TestResult

_FEWEST = 3


def anova(groups: Sequence[Values]) -> TestResult:
    """One-way analysis of variance of independent groups."""
    data = [present(group) for group in groups]
    name: Naming = {"test": "anova", "title": "One-way analysis of variance", "symbol": "F"}
    n = tuple(int(group.size) for group in data)
    problem = _no_groups(data)
    if problem is None and all(is_constant(group) for group in data):
        problem = "no value differs from the others in its group"
    if problem is not None:
        return TestResult(**name, n=n, problem=problem)
    scaled = _scaled(data)
    between = sum(group.size * float(group.mean()) ** 2 for group in scaled)
    within = sum(float(np.sum((group - group.mean()) ** 2)) for group in scaled)
    df_between, df_within = len(data) - 1, sum(n) - len(data)
    f = (between / df_between) / (within / df_within)
    return TestResult(
        **name,
        n=n,
        statistic=f,
        df=(float(df_between), float(df_within)),
        p=float(stats.f.sf(f, df_between, df_within)),
        effects=(eta_squared(f, df_between, df_within), omega_squared(f, df_between, df_within)),
    )


def welch_anova(groups: Sequence[Values]) -> TestResult:
    """Welch's analysis of variance of independent groups whose variances may differ (1951)."""
    data = [present(group) for group in groups]
    name: Naming = {"test": "welch_anova", "title": "Welch's analysis of variance", "symbol": "F"}
    n = tuple(int(group.size) for group in data)
    problem = _no_groups(data)
    if problem is None and any(is_constant(group) for group in data):
        problem = "no value differs from the others in one of the groups"
    if problem is not None:
        return TestResult(**name, n=n, problem=problem)
    scaled = _scaled(data)
    weights = np.array([group.size / float(group.var(ddof=1)) for group in scaled])
    means = np.array([float(group.mean()) for group in scaled])
    many, total = len(data), float(weights.sum())
    between = float(weights @ (means - weights @ means / total) ** 2) / (many - 1)
    unequal = float(np.sum((1 - weights / total) ** 2 / (np.array(n) - 1)))
    f = between / (1 + 2 * (many - 2) * unequal / (many**2 - 1))
    df = (float(many - 1), (many**2 - 1) / (3 * unequal))
    return TestResult(
        **name,
        n=n,
        statistic=f,
        df=df,
        p=float(stats.f.sf(f, *df)),
        effects=(omega_squared(f, many - 1, sum(n) - many),),
        method="variances may differ",
    )


def _scaled(data: Sequence[Array]) -> list[Array]:
    """Centred and scaled: F does not change, and huge units stay within the floats."""
    together = np.concatenate(data)
    middle = together.mean()
    unit = float(np.max(np.abs(together - middle)))
    return [(group - middle) / unit for group in data]


def kruskal(groups: Sequence[Values]) -> TestResult:
    """Kruskal and Wallis's test of independent groups, corrected for ties."""
    data = [present(group) for group in groups]
    name: Naming = {"test": "kruskal", "title": "Kruskal-Wallis test", "symbol": "H"}
    n = tuple(int(group.size) for group in data)
    problem = _no_groups(data)
    together = levelled(np.concatenate(data)) if data else np.empty(0)
    if problem is None and np.ptp(together) == 0:
        problem = "all values are the same"
    if problem is not None:
        return TestResult(**name, n=n, problem=problem)
    found = stats.kruskal(*np.split(together, np.cumsum(n)[:-1]))
    h = float(found.statistic)
    effect = Effect("epsilon squared", "ε²", h / (sum(n) - 1), within_one=True)
    return TestResult(
        **name,
        n=n,
        statistic=h,
        df=(float(len(data) - 1),),
        p=float(found.pvalue),
        effects=(effect,),
        method="chi-squared approximation, corrected for ties",
    )


def _no_groups(data: Sequence[Array]) -> str | None:
    if len(data) < 2:
        return f"at least 2 groups are needed, not {len(data)}"
    return too_few(_FEWEST, **{f"group {place}": group.size for place, group in enumerate(data, 1)})


def repeated_anova(conditions: Sequence[Sequence[float | None]]) -> TestResult:
    """Analysis of variance within persons, with Greenhouse and Geisser's correction.

    Args:
        conditions: for each condition the values, persons in the same order; persons who lack
            one are left out.
    """
    table = _complete(conditions)
    name: Naming = {
        "test": "repeated_anova",
        "title": "Repeated-measures analysis of variance",
        "symbol": "F",
    }
    persons, many = table.shape
    problem = _no_table(table)
    if problem is None and _no_residue(table):
        problem = "the differences between conditions are the same in all persons"
    if problem is not None:
        return TestResult(**name, n=(persons,), problem=problem)
    table = (table - table.mean()) / np.max(np.abs(table - table.mean()))
    between = persons * float(np.sum(table.mean(axis=0) ** 2))
    rest = table - table.mean(axis=0) - table.mean(axis=1)[:, None]
    df_one, df_two = many - 1, (many - 1) * (persons - 1)
    residue = float(np.sum(rest**2))
    f = (between / df_one) / (residue / df_two)
    epsilon = _greenhouse_geisser(table)
    effect = Effect("partial eta squared", "ηp²", between / (between + residue), within_one=True)
    return TestResult(
        **name,
        n=(persons,),
        statistic=f,
        df=(df_one * epsilon, df_two * epsilon),
        p=float(stats.f.sf(f, df_one * epsilon, df_two * epsilon)),
        effects=(effect,),
        method=f"Greenhouse-Geisser correction, epsilon = {epsilon:.2f}",
    )


def friedman(conditions: Sequence[Sequence[float | None]]) -> TestResult:
    """Friedman's test of ranks within persons, corrected for ties."""
    table = levelled(_complete(conditions))
    name: Naming = {"test": "friedman", "title": "Friedman test", "symbol": "χ²"}
    persons, many = table.shape
    problem = _no_table(table)
    if problem is None and bool(np.all(np.ptp(table, axis=1) == 0)):
        problem = "no person's values differ between conditions"
    if problem is not None:
        return TestResult(**name, n=(persons,), problem=problem)
    found = stats.friedmanchisquare(*table.T)
    statistic = float(found.statistic)
    effect = Effect("Kendall's W", "W", statistic / (persons * (many - 1)), within_one=True)
    return TestResult(
        **name,
        n=(persons,),
        statistic=statistic,
        df=(float(many - 1),),
        p=float(found.pvalue),
        effects=(effect,),
        method="chi-squared approximation, corrected for ties",
    )


def _complete(conditions: Sequence[Sequence[float | None]]) -> Array:
    rows = [[number(value) for value in row] for row in zip(*conditions, strict=True)]
    whole = [row for row in rows if None not in row]
    return np.asarray(whole, dtype=np.float64).reshape(len(whole), len(conditions))


def _no_table(table: Array) -> str | None:
    persons, many = table.shape
    if many < 3:
        return f"at least 3 conditions are needed, not {many}"
    if persons < _FEWEST:
        return f"at least {_FEWEST} persons with all conditions are needed, not {persons}"
    return "all values are the same" if np.ptp(table) == 0 else None


def _no_residue(table: Array) -> bool:
    rest = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    return float(np.max(np.abs(rest))) <= 1e-12 * float(np.max(np.abs(table)))


def _greenhouse_geisser(table: Array) -> float:
    """How far the differences between conditions are from equal variance: 1 if not at all."""
    many = table.shape[1]
    centred = np.cov(table.T)
    centred = centred - centred.mean(axis=0) - centred.mean(axis=1)[:, None] + centred.mean()
    trace = float(np.trace(centred))
    epsilon = trace**2 / ((many - 1) * float(np.sum(centred**2)))
    return min(1.0, epsilon) if math.isfinite(epsilon) else 1.0

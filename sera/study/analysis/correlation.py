"""Correlations with Fisher's intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from sera.study.analysis._numbers import Array, Values, is_constant, levelled, paired, too_few
from sera.study.analysis.rank_p import FEW_BELOW
from sera.study.analysis.result import LEVEL, Effect, Interval, Naming, TestResult


def pearson(first: Values, second: Values) -> TestResult:
    """Pearson's correlation of pairs."""
    one, other = paired(first, second)
    name: Naming = {"test": "pearson", "title": "Pearson correlation", "symbol": "r"}
    return _correlation(name, one, other, lambda _: 1.0)


def spearman(first: Values, second: Values) -> TestResult:
    """Spearman's correlation of ranks; its interval has Bonett and Wright's error (2000)."""
    one, other = paired(first, second)
    name: Naming = {"test": "spearman", "title": "Spearman correlation", "symbol": "rs"}
    if one.size:
        one, other = stats.rankdata(levelled(one)), stats.rankdata(levelled(other))
    found = _correlation(name, one, other, lambda r: math.sqrt(1 + r**2 / 2))
    if found.statistic is None or one.size >= FEW_BELOW:
        return found
    return replace(found, p=_counted_p(one, other), method="exact")


def _counted_p(one: Array, other: Array) -> float:
    """Two-sided p from all orders that the second ranks could have."""
    left, right = one - one.mean(), other - other.mean()
    products = right[_orders(one.size)] @ left
    return float(np.mean(np.abs(products) >= abs(float(right @ left)) - 1e-9))


@lru_cache(maxsize=1)
def _orders(size: int) -> NDArray[np.intp]:
    return np.array(list(permutations(range(size))), dtype=np.intp)


def _correlation(
    name: Naming, one: Array, other: Array, widen: Callable[[float], float]
) -> TestResult:
    n = int(one.size)
    problem = too_few(3, the_set_of_pairs=n)
    if problem is None and (is_constant(one) or is_constant(other)):
        problem = "one of the two does not vary"
    if problem is not None:
        return TestResult(**name, n=(n,), problem=problem)
    left, right = (
        (part - part.mean()) / np.max(np.abs(part - part.mean())) for part in (one, other)
    )
    r = float(np.clip(left @ right / math.sqrt((left @ left) * (right @ right)), -1, 1))
    if abs(r) > 1 - 1e-14:
        r = math.copysign(1.0, r)
    df = n - 2
    p = 0.0 if abs(r) == 1 else float(2 * stats.t.sf(abs(r) * math.sqrt(df / (1 - r * r)), df))
    interval, note = None, ""
    if abs(r) == 1:
        note = "no interval: the correlation is perfect"
    elif n < 4:
        note = "no interval: it needs at least 4 pairs"
    else:
        reach = float(stats.norm.ppf(0.5 + LEVEL / 2)) * widen(r) / math.sqrt(n - 3)
        interval = Interval(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach))
    effect = Effect(name["title"], name["symbol"], r, interval, within_one=True, note=note)
    return TestResult(**name, n=(n,), statistic=r, df=(float(df),), p=p, effects=(effect,))

"""Effect sizes with intervals.

Intervals of standardised differences and shares of variance turn the noncentral distribution
round (Steiger and Fouladi 1997); those of rank-biserial correlations are made on Fisher's z, with
the standard error that ranks have where there is no effect.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special, stats

from sera.study.analysis.result import LEVEL, Effect, Interval

_FAR = 1e6


def hedges_factor(df: float) -> float:
    """What Cohen's d is multiplied with to be free of bias."""
    return float(math.exp(special.gammaln(df / 2) - special.gammaln((df - 1) / 2))) / math.sqrt(
        df / 2
    )


def noncentral_t(t: float, df: float, level: float = LEVEL) -> Interval | None:
    """Noncentrality parameters that the observed t is compatible with; None if not to be found."""
    tail = (1 - level) / 2

    def gap(share: float) -> Callable[[float], float]:
        # Far out some releases of scipy break down; the caller gets None there.
        return lambda delta: float(stats.nct.cdf(t, df, delta)) - share

    low = _root(gap(1 - tail), t)
    high = _root(gap(tail), t)
    return None if low is None or high is None else Interval(low, high, level)


def _root(gap: Callable[[float], float], start: float) -> float | None:
    """Where a falling function is zero, looked for on both sides of the start."""
    width = 2.0 + abs(start) * 0.5
    with np.errstate(all="ignore"):
        for _ in range(12):
            low, high = start - width, start + width
            at_low, at_high = gap(low), gap(high)
            if not (math.isfinite(at_low) and math.isfinite(at_high)):
                return None
            if at_low >= 0 >= at_high:
                return float(optimize.brentq(gap, low, high, xtol=1e-10))
            width *= 2
    return None


def standardised(
    t: float, df: float, scale: float, *, symbols: tuple[str, str] = ("d", "g")
) -> tuple[Effect, Effect]:
    """Cohen's d and Hedges' g of a t test; `scale` turns t into d."""
    d = t * scale
    limits = noncentral_t(t, df)
    factor = hedges_factor(df)
    note = "" if limits else "no interval: the effect is too large for it"
    interval = limits and Interval(limits.low * scale, limits.high * scale, limits.level)
    shrunk = interval and Interval(interval.low * factor, interval.high * factor, interval.level)
    return (
        Effect("Cohen's d", symbols[0], d, interval, note=note),
        Effect("Hedges' g", symbols[1], d * factor, shrunk, note=note),
    )


def rank_biserial(u: float, n_first: int, n_second: int, level: float = LEVEL) -> Effect:
    """Rank-biserial correlation of Mann-Whitney's U of the first group.

    Positive where the first group is higher: the share of pairs in which it is, less the share in
    which it is lower.
    """
    r = 2 * u / (n_first * n_second) - 1
    error = math.sqrt((n_first + n_second + 1) / (3 * n_first * n_second))
    apart = "the groups do not overlap at all"
    return _rank_effect("rank-biserial correlation", r, error, apart, level)


def matched_rank_biserial(positive: float, negative: float, n: int, level: float = LEVEL) -> Effect:
    """Matched-pairs rank-biserial correlation of the sums of positive and of negative ranks."""
    r = (positive - negative) / (positive + negative)
    error = math.sqrt((2 * n**3 + 3 * n**2 + n) / 6) / ((n**2 + n) / 2)
    apart = "all differences go the same way"
    return _rank_effect("matched-pairs rank-biserial correlation", r, error, apart, level)


def _rank_effect(name: str, r: float, error: float, apart: str, level: float) -> Effect:
    if abs(r) >= 1 - 1e-12:
        note = f"no interval: {apart}"
        return Effect(name, "r", math.copysign(1.0, r), None, within_one=True, note=note)
    reach = float(stats.norm.ppf(0.5 + level / 2)) * error
    middle = math.atanh(r)
    interval = Interval(math.tanh(middle - reach), math.tanh(middle + reach), level)
    return Effect(name, "r", r, interval, within_one=True)


def eta_squared(f: float, df_between: float, df_within: float, level: float = LEVEL) -> Effect:
    """Eta squared of an analysis of variance, from its F."""
    value = f * df_between / (f * df_between + df_within)
    total = df_between + df_within + 1
    tail = (1 - level) / 2
    bounds = [_noncentral_f(f, df_between, df_within, share) for share in (1 - tail, tail)]
    if any(bound is None for bound in bounds):
        note = "no interval: the effect is too large for it"
        return Effect("eta squared", "η²", value, None, within_one=True, note=note)
    low, high = (bound / (bound + total) for bound in bounds if bound is not None)
    return Effect("eta squared", "η²", value, Interval(low, high, level), within_one=True)


def _noncentral_f(f: float, df_between: float, df_within: float, share: float) -> float | None:
    """The noncentrality at which the observed F has that share below it; 0 where there is none."""

    def gap(noncentrality: float) -> float:
        if noncentrality == 0:
            return float(stats.f.cdf(f, df_between, df_within)) - share
        return float(stats.ncf.cdf(f, df_between, df_within, noncentrality)) - share

    if gap(0.0) <= 0:
        return 0.0
    high = 10.0
    with np.errstate(all="ignore"):
        while gap(high) > 0:
            high *= 2
            if high > _FAR:
                return None
        found = float(optimize.brentq(gap, 0.0, high, xtol=1e-9))
    return found if math.isfinite(found) else None


def omega_squared(f: float, df_between: float, df_within: float) -> Effect:
    """Omega squared: eta squared with less bias; not below 0."""
    value = df_between * (f - 1) / (df_between * (f - 1) + df_between + df_within + 1)
    return Effect("omega squared", "ω²", max(value, 0.0), within_one=True)

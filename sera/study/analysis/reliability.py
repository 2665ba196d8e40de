"""How well the items of a scale hang together: Cronbach's alpha and McDonald's omega."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, stats

from sera.study.analysis._numbers import Array, bounded, is_constant, number
from sera.study.analysis.result import LEVEL, Interval, Naming

_SMALLEST_UNIQUENESS = 0.005
"""Share of an item's variance that is its own; at or below this the model has no solution."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of reliability, or the sentence why there is none."""

    name: str
    """Such as `Cronbach's alpha`."""
    symbol: str
    persons: int
    """With all items answered; the others are left out."""
    items: int
    value: float | None = None
    interval: Interval | None = None
    method: str = ""
    loadings: tuple[float, ...] = ()
    """Standardised, of omega's model."""
    problem: str | None = None
    """Why there is none, or what to look at."""

    def text(self) -> str:
        """As journals print it: the symbol, the value, its interval."""
        if self.value is None:
            return f"{self.symbol}: not computed, since {self.problem}"
        limits = f" {self.interval.text(within_one=True)}" if self.interval else ""
        remark = f" ({self.problem})" if self.problem else ""
        return f"{self.symbol} = {bounded(self.value)}{limits}{remark}"

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "persons": self.persons,
            "items": self.items,
            "value": self.value,
            "interval": None if self.interval is None else self.interval.as_json(),
            "method": self.method,
            "loadings": list(self.loadings),
            "problem": self.problem,
            "text": self.text(),
        }


Answers = Sequence[Sequence[float | None]]
"""A row a person, a column an item, reversed items already turned round."""


def cronbach_alpha(answers: Answers) -> Coefficient:
    """Cronbach's alpha with Feldt's interval (1965)."""
    table = _whole_rows(answers)
    persons, items = table.shape
    name: Naming = {"name": "Cronbach's alpha", "symbol": "\N{GREEK SMALL LETTER ALPHA}"}
    problem = _no_table(table, 2)
    if problem is None and is_constant(table.sum(axis=1)):
        problem = "the sum of the items is the same in all persons"
    if problem is not None:
        return Coefficient(**name, persons=persons, items=items, problem=problem)
    own = float(table.var(axis=0, ddof=1).sum())
    total = float(table.sum(axis=1).var(ddof=1))
    alpha = items / (items - 1) * (1 - own / total)
    df = (persons - 1, (persons - 1) * (items - 1))
    tail = (1 - LEVEL) / 2
    low, high = (1 - (1 - alpha) * float(stats.f.ppf(share, *df)) for share in (1 - tail, tail))
    remark = None
    if alpha < 0:
        remark = "below 0: items contradict each other; are the right ones reversed?"
    return Coefficient(
        **name,
        persons=persons,
        items=items,
        value=alpha,
        interval=Interval(low, high),
        method="interval by Feldt",
        problem=remark,
    )


def mcdonald_omega(answers: Answers) -> Coefficient:
    """McDonald's omega total of a model with one factor.

    The model is fitted by maximum likelihood to the correlations; where they have no inverse (as
    with fewer persons than items), by minimum residuals. Omega is taken from the covariances, as
    alpha is. There is none below 3 items, which the model cannot tell apart, nor where the factor
    would have to explain all of an item (a Heywood case): the problem says so.
    """
    table = _whole_rows(answers)
    persons, items = table.shape
    name: Naming = {"name": "McDonald's omega", "symbol": "ω"}
    facts: Naming = {**name, "persons": persons, "items": items}
    problem = _no_table(table, 3)
    constant = [place + 1 for place in range(items) if is_constant(table[:, place])]
    if problem is None and constant:
        problem = f"item {constant[0]} has the same answer from all persons"
    if problem is not None:
        return Coefficient(**facts, problem=problem)
    correlations = np.asarray(np.corrcoef(table.T), dtype=np.float64)
    loadings, method = _one_factor(correlations, persons)
    if loadings is None:
        return Coefficient(**facts, problem="the model with one factor found no solution")
    if float(np.max(loadings**2)) >= 1 - 2 * _SMALLEST_UNIQUENESS:
        worst = int(np.argmax(loadings**2)) + 1
        reason = f"the model with one factor has no proper solution (Heywood case at item {worst})"
        return Coefficient(**facts, method=method, problem=reason)
    deviations = table.std(axis=0, ddof=1)
    common = float((loadings * deviations).sum()) ** 2
    unique = float(((1 - loadings**2) * deviations**2).sum())
    remark = None
    if loadings.min() < 0:
        remark = "items load in opposite directions; are the right ones reversed?"
    return Coefficient(
        **facts,
        value=common / (common + unique),
        method=method,
        loadings=tuple(float(one) for one in loadings),
        problem=remark,
    )


def _whole_rows(answers: Answers) -> Array:
    rows = [[number(value) for value in row] for row in answers]
    width = len(rows[0]) if rows else 0
    whole = [row for row in rows if None not in row and len(row) == width]
    return np.asarray(whole, dtype=np.float64).reshape(len(whole), width)


def _no_table(table: Array, fewest_items: int) -> str | None:
    persons, items = table.shape
    if items < fewest_items:
        one = "item" if items == 1 else "items"
        return f"at least {fewest_items} items are needed, and the scale has {items} {one}"
    if persons < 3:
        return f"at least 3 persons with all answers are needed, not {persons}"
    return None


def _one_factor(correlations: Array, persons: int) -> tuple[Array | None, str]:
    invertible = float(np.linalg.eigvalsh(correlations)[0]) > 1e-8
    if invertible and persons > len(correlations):
        loadings, method = _maximum_likelihood(correlations), "one factor by maximum likelihood"
    else:
        loadings, method = _minimum_residuals(correlations), "one factor by minimum residuals"
    if loadings is None or not bool(np.all(np.isfinite(loadings))):
        return None, method
    return (loadings if loadings.sum() >= 0 else -loadings), method


def _maximum_likelihood(correlations: Array) -> Array | None:
    """Loadings by Jöreskog's way (1967): the uniquenesses are searched, loadings follow."""

    def largest(unique: Array) -> tuple[float, Array, Array]:
        scale = 1 / np.sqrt(unique)
        values, vectors = np.linalg.eigh(correlations * np.outer(scale, scale))
        return float(values[-1]), vectors[:, -1], values

    def misfit(unique: Array) -> tuple[float, Array]:
        top, vector, values = largest(unique)
        rest = values[:-1]
        loading = np.sqrt(unique) * vector * math.sqrt(max(top - 1, 0.0))
        slope = (loading**2 + unique - np.diag(correlations)) / unique**2
        return float(np.sum(rest - np.log(rest)) - len(rest)), slope

    start = 0.5 / np.diag(np.linalg.inv(correlations))
    bounds = [(_SMALLEST_UNIQUENESS, 1.0)] * len(correlations)
    found = optimize.minimize(
        misfit,
        np.clip(start, _SMALLEST_UNIQUENESS, 1.0),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"maxiter": 2000, "ftol": 1e-13, "gtol": 1e-7},
    )
    if not math.isfinite(float(found.fun)):
        return None
    top, vector, _ = largest(found.x)
    loadings: Array = np.sqrt(found.x) * vector * math.sqrt(max(top - 1, 0.0))
    return loadings


def _minimum_residuals(correlations: Array) -> Array | None:
    """Loadings whose products come nearest to the correlations between items."""
    above = np.triu_indices(len(correlations), 1)
    values, vectors = np.linalg.eigh(correlations)
    start = np.clip(vectors[:, -1] * math.sqrt(max(float(values[-1]), 0.0)), -0.95, 0.95)
    found = optimize.least_squares(
        lambda loadings: (np.outer(loadings, loadings) - correlations)[above],
        start,
        bounds=(-1.0, 1.0),
        xtol=1e-12,
        ftol=1e-12,
    )
    loadings: Array = found.x
    return loadings if found.success else None

"""What a test comes to: everything that a report prints, in one frozen object.

A test that cannot be computed has `problem` set to a sentence and no figures: degenerate data
never raise, and never turn into a silent NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sera.study.analysis._numbers import bounded, fixed, p_text

LEVEL = 0.95
"""Of the intervals."""
Naming = dict[str, Any]
"""Fields that say which test a result is of."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float
    level: float = LEVEL

    def text(self, *, within_one: bool = False) -> str:
        """`[0.12, 1.30]`; without leading zeros for what cannot exceed 1."""
        write = bounded if within_one else fixed
        return f"[{write(self.low)}, {write(self.high)}]"

    def as_json(self) -> dict[str, float]:
        return {"low": self.low, "high": self.high, "level": self.level}


@dataclass(frozen=True, slots=True)
class Effect:
    """The size of an effect."""

    name: str
    """Such as `Cohen's d`."""
    symbol: str
    value: float
    interval: Interval | None = None
    within_one: bool = False
    """Whether it cannot exceed 1, as correlations and shares of variance."""
    note: str = ""
    """Why it has no interval, where it has none."""

    def text(self) -> str:
        """`d = 0.82 [0.15, 1.48]`."""
        write = bounded if self.within_one else fixed
        return f"{self.symbol} = {write(self.value)}{self.limits()}"

    def limits(self) -> str:
        """The interval after a blank, or why there is none; nothing where none is usual."""
        if self.interval is not None:
            return f" {self.interval.text(within_one=self.within_one)}"
        return f" ({self.note})" if self.note else ""

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "symbol": self.symbol,
            "value": self.value,
            "interval": None if self.interval is None else self.interval.as_json(),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of a test, or the sentence why there is none."""

    __test__ = False  # pytest would take it for a class of tests

    test: str
    """Name in data: `student_t`, `mann_whitney`, …"""
    title: str
    """Name in text: `Student's t test`."""
    n: tuple[int, ...]
    """Values that counted, by group (pairs: their number)."""
    symbol: str = ""
    statistic: float | None = None
    df: tuple[float, ...] = ()
    p: float | None = None
    """Two-sided."""
    z: float | None = None
    """The standardised sum of ranks, where p comes from the normal distribution."""
    effects: tuple[Effect, ...] = ()
    """The first one stands in `text()`."""
    difference: float | None = None
    """Of means (t tests), first less second."""
    difference_interval: Interval | None = None
    method: str = ""
    """How p was found, where there are several ways."""
    problem: str | None = None
    """Why it could not be computed."""

    def __post_init__(self) -> None:
        for figure in (self.statistic, self.p, self.z, self.difference):
            if figure is not None and not math.isfinite(figure):
                raise ValueError(f"{self.title}: a figure is not finite")

    @property
    def effect(self) -> Effect | None:
        """The effect size that is printed."""
        return self.effects[0] if self.effects else None

    def significant(self, alpha: float = 0.05) -> bool | None:
        """Whether p is below alpha; None where there is none."""
        return None if self.p is None else self.p < alpha

    def text(self) -> str:
        """The result as journals print it: `U = 90.0, p = .008, r = -.50 [-.73, -.17]`."""
        if self.problem is not None:
            return f"{self.title}: not computed, since {self.problem}"
        head = f"{self._head()} = {self._statistic()}"
        if self.effect is None:
            return f"{head}, {p_text(self.p)}"
        if self.effect.symbol != self.symbol:
            return f"{head}, {p_text(self.p)}, {self.effect.text()}"
        # A correlation is its own effect size: only the interval is new.
        return f"{head}{self.effect.limits()}, {p_text(self.p)}"

    def _head(self) -> str:
        if not self.df:
            return self.symbol
        # Degrees of freedom are whole but where they were corrected.
        numbers = [f"{one:.0f}" if float(one).is_integer() else fixed(one) for one in self.df]
        return f"{self.symbol}({', '.join(numbers)})"

    def _statistic(self) -> str:
        if self.symbol in {"U", "W"}:
            return fixed(self.statistic, 1)
        write = bounded if self.symbol in {"r", "rs"} else fixed
        return write(self.statistic, 3 if self.test == "shapiro_wilk" else 2)

    def as_json(self) -> dict[str, Any]:
        interval = self.difference_interval
        return {
            "test": self.test,
            "title": self.title,
            "n": list(self.n),
            "statistic": self.statistic,
            "df": list(self.df),
            "p": self.p,
            "z": self.z,
            "effects": [effect.as_json() for effect in self.effects],
            "difference": self.difference,
            "difference_interval": None if interval is None else interval.as_json(),
            "method": self.method,
            "problem": self.problem,
            "text": self.text(),
        }

"""Shapiro-Wilk's test of normality."""

from __future__ import annotations

import warnings

from scipy import stats

from sera.study.analysis._numbers import Values, is_constant, present, too_few
from sera.study.analysis.result import Naming, TestResult

_LARGEST = 5000
"""Above this the approximation of p was never checked."""
_NAME: Naming = {"test": "shapiro_wilk", "title": "Shapiro-Wilk test", "symbol": "W"}


def shapiro_wilk(values: Values) -> TestResult:
    """Whether values may come from a normal distribution."""
    data = present(values)
    n = (int(data.size),)
    problem = too_few(3, the_group=data.size)
    if problem is None and is_constant(data):
        problem = "all values are the same"
    if problem is not None:
        return TestResult(**_NAME, n=n, problem=problem)
    # Shapiro-Wilk's W does not change with the unit; huge and tiny ones would leave the floats.
    centred = (data - data.mean()) / data.std()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stats.shapiro(centred)
    method = f"p is approximate above n = {_LARGEST}" if data.size > _LARGEST else ""
    return TestResult(
        **_NAME, n=n, statistic=float(found.statistic), p=float(found.pvalue), method=method
    )

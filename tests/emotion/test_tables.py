"""The published tables, as far as they are legible, and what they should have said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sera.emotion.tables import (
    binomial_at_least,
    correlation_table,
    fisher_interval,
    mean_test,
    pooled_means,
    recognition_table,
    sam_table,
    wald_interval,
)
from sera.study.analysis import one_sample_t

# Ends of the printed 95 % intervals of the shares, in percent: calm, fear, happiness, sadness and
# none of them.
SHARES = {
    "calm": [(9.48, 57.19), (0, 19.29), (0, 40.24), (0, 0), (15.21, 64.79)],
    "fear": [(0, 19.29), (0, 30.54), (59.76, 100), (0, 0), (0, 0)],
    "happiness": [(0, 19.29), (0, 0), (50.95, 95.71), (0, 19.29), (0, 30.54)],
    "sadness": [(0, 0), (9.48, 57.19), (0, 0), (42.81, 90.52), (0, 0)],
}
# Printed p and d of the SAM cells, with the one that contradicts its interval set right.
SAM = {
    "LLL": ((0, 0, 0), (-1.4, -0.6, -1.4)),
    "LLH": ((0.03, 0.06, 0.12), (0.4, -0.3, -0.3)),
    "LHL": ((0, 0, 0.044), (0.6, 0.9, 0.4)),
    "LHH": ((0, 0, 0.14), (0.7, 0.5, 0.3)),
    "HLL": ((0, 0, 0), (-1.0, -0.6, -1.0)),
    "HLH": ((0.04, 0.71, 0.06), (0.4, -0.1, -0.4)),
    "HHL": ((0.07, 0, 0.86), (0.3, 0.7, 0.0)),
    "HHH": ((0.01, 0.15, 0.14), (0.5, 0.3, 0.3)),
}
INTERVALS = {
    "LLL": ((-0.74, -0.44), (-0.49, -0.13), (-0.65, -0.38)),
    "HLL": ((-0.72, -0.33), (-0.49, -0.11), (-0.67, -0.31)),
    "HHL": ((-0.01, 0.38), (0.15, 0.47), (-0.17, 0.20)),
}


def test_chance_counts_as_many_answers_or_more() -> None:
    found = {(row.shown, row.answer): row.p for row in recognition_table()}
    assert found["calm", "calm"] == pytest.approx(0.164, abs=5e-4)
    assert found["fear", "fear"] == pytest.approx(0.833, abs=5e-4)
    assert found["happiness", "happiness"] < 1e-4
    assert found["sadness", "sadness"] == pytest.approx(0.0001, abs=5e-5)
    assert found["calm", "none"] == pytest.approx(0.061, abs=5e-4)
    right = [name for name in SHARES if found[name, name] < 0.05]
    assert right == ["happiness", "sadness"]


@pytest.mark.parametrize(("count", "people", "chance"), [(0, 15, 0.2), (7, 15, 0.2), (3, 4, 0.5)])
def test_the_binomial_tail_is_scipys(count: int, people: int, chance: float) -> None:
    wanted = stats.binom.sf(count - 1, people, chance)
    assert binomial_at_least(count, people, chance) == pytest.approx(wanted)
    with pytest.raises(ValueError, match="16 of 15"):
        binomial_at_least(16, 15)


def test_every_interval_of_a_share_is_the_printed_one() -> None:
    rows = recognition_table()
    for row in rows:
        place = ("calm", "fear", "happiness", "sadness", "none").index(row.answer)
        low, high = SHARES[row.shown][place]
        assert 100 * row.low == pytest.approx(low, abs=0.01)
        assert 100 * row.high == pytest.approx(high, abs=0.01)
    assert wald_interval(0, 15) == (0.0, 0.0)


def test_tests_of_the_cells_come_near_to_the_printed_ones() -> None:
    for corner, row in sam_table().items():
        p_values, sizes = SAM[corner]
        for test, p, d in zip(row, p_values, sizes, strict=True):
            # Printed means are rounded to a hundredth, which is a twentieth of the smallest error.
            assert test.p == pytest.approx(p, abs=0.04)
            assert test.d == pytest.approx(d, abs=0.08)
    for corner, intervals in INTERVALS.items():
        for test, (low, high) in zip(sam_table()[corner], intervals, strict=True):
            assert (test.low, test.high) == pytest.approx((low, high), abs=0.015)


def test_a_test_from_figures_is_the_test_of_the_answers() -> None:
    values = np.array([0.25, -0.5, 0.75, 0.0, 0.5, 0.25, -0.25, 1.0])
    wanted = one_sample_t(values.tolist(), 0.0)
    found = mean_test(float(values.mean()), float(values.std(ddof=1)), len(values))
    assert found.p == pytest.approx(wanted.p)
    assert found.t == pytest.approx(wanted.statistic)
    assert wanted.difference_interval is not None
    assert found.low == pytest.approx(wanted.difference_interval.low)
    assert found.high == pytest.approx(wanted.difference_interval.high)


def test_pooled_means_are_the_printed_ones() -> None:
    assert pooled_means() == pytest.approx((0.0025, 0.0275, -0.105))


def test_intervals_of_correlations_are_the_printed_ones() -> None:
    table = correlation_table()
    printed = {
        ("all", "activity"): [(0.28, 0.49), (0.32, 0.53), (0.30, 0.51)],
        ("all", "jerkiness"): [(-0.11, 0.15), (-0.12, 0.14), (-0.10, 0.16)],
        ("low_activity", "gaze"): [(0.55, 0.75), (0.05, 0.39), (0.33, 0.61)],
        ("high_gaze", "activity"): [(-0.06, 0.29), (0.11, 0.44), (0.11, 0.44)],
    }
    for (which, feature), intervals in printed.items():
        for found, ends in zip(table[which][feature], intervals, strict=True):
            assert (found.low, found.high) == pytest.approx(ends, abs=0.006)


@pytest.mark.parametrize(
    ("r", "p"), [(0.12, 0.096), (0.20, 0.014), (-0.23, 0.006), (0.24, 0.004), (0.28, 0.001)]
)
def test_within_halves_correlations_are_of_a_hundred_and_twenty(r: float, p: float) -> None:
    assert fisher_interval(r, 120).p_one_sided == pytest.approx(p, abs=5e-4)
    counts = {
        found.n
        for which, table in correlation_table().items()
        for row in table.values()
        for found in row
        if which != "all"
    }
    assert counts == {120}

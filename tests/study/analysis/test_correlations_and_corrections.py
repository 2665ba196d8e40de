"""Correlations with their intervals, and corrections for many tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sera.study.analysis import corrected, pearson, spearman
from tests.helpers import so_many

# Anscombe (1973), first set: r = 0.816, p = 0.0022.
ANSCOMBE = (
    [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5],
    [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68],
)
few = settings(max_examples=30, deadline=None)


def test_anscombe_s_first_set_has_its_published_correlation():
    found = pearson(*ANSCOMBE)
    assert (round(found.statistic, 4), round(found.p, 5)) == (0.8164, 0.00217)
    interval = stats.pearsonr(*ANSCOMBE).confidence_interval(0.95)
    assert found.effect.interval.low == pytest.approx(float(interval.low))
    assert found.effect.interval.high == pytest.approx(float(interval.high))
    assert found.text() == "r(9) = .82 [.42, .95], p = .002"


@few
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=5, max_size=40),
)
def test_correlations_agree_with_scipy(pairs: list[tuple[int, int]]):
    first, second = zip(*pairs, strict=True)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert pearson(first, second).problem == "one of the two does not vary"
        return
    for ours, theirs in (
        (pearson(first, second), stats.pearsonr(first, second)),
        (spearman(first, second), stats.spearmanr(first, second)),
    ):
        assert ours.statistic == pytest.approx(float(theirs.statistic), abs=1e-12)
        if ours.method != "exact":
            assert ours.p == pytest.approx(float(theirs.pvalue), abs=1e-9)
        assert (ours.method == "exact") == (ours.test == "spearman" and len(pairs) < 10)


@pytest.mark.parametrize(
    ("second", "p"),
    # R's cor.test(method = "spearman"); with ties counted by hand: 32 of 120 orders are as far.
    [([1, 2, 3], 1 / 3), ([1, 2, 3, 4], 2 / 24), ([2, 1, 4, 3, 5], 0.1333333)],
)
def test_ranks_of_few_pairs_are_counted_out(second, p):
    found = spearman(range(len(second)), second)
    assert (found.method, found.p) == ("exact", pytest.approx(p, abs=1e-6))


def test_ranks_of_few_pairs_are_counted_out_as_scipy_permutes_them():
    first, second = [1, 2, 2, 4, 5, 6], [2, 1, 4, 3, 3, 5]

    def correlated(one):
        return stats.spearmanr(one, second).statistic

    theirs = stats.permutation_test(
        (first,), correlated, permutation_type="pairings", n_resamples=np.inf
    )
    assert spearman(first, second).p == pytest.approx(theirs.pvalue, abs=1e-9)


def test_rounding_does_not_part_equal_ranks():
    assert spearman([0.1 + 0.2, 0.3, 0.5], [1, 1, 2]).statistic == pytest.approx(1.0)


def test_a_pair_of_which_one_is_missing_does_not_count():
    assert pearson([1, 2, None, 4, 5, 6], [2, 1, 3, float("nan"), 4, 6]).n == (4,)


def test_the_worked_examples_of_holm_and_of_benjamini_and_hochberg():
    # Holm's steps on four tests: sorted .005 .01 .03 .04, times 4 3 2 1, never falling.
    p = [0.01, 0.04, 0.03, 0.005]
    assert corrected(p, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert corrected(p, "bonferroni") == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert corrected(p, "benjamini_hochberg") == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert corrected(p, "none") == p


def test_benjamini_and_hochberg_s_own_fifteen_tests_reject_four():
    # Benjamini & Hochberg (1995), section 3.2: Bonferroni rejects three, their procedure four.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000]
    assert sum(one <= 0.05 for one in corrected(p, "bonferroni")) == 3
    assert sum(one <= 0.05 for one in corrected(p, "benjamini_hochberg")) == 4


@settings(max_examples=so_many(6, 30), deadline=None)  # statsmodels takes its time
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_agree_with_statsmodels(p: list[float]):
    from statsmodels.stats.multitest import multipletests

    for ours, theirs in (("bonferroni", "bonferroni"), ("holm", "holm")):
        assert corrected(p, ours) == pytest.approx(multipletests(p, method=theirs)[1])
    assert corrected(p, "benjamini_hochberg") == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_tests_without_p_do_not_count_among_the_many():
    assert corrected([0.01, None, 0.02], "bonferroni") == [0.02, None, 0.04]
    assert corrected([], "holm") == []


def test_fisher_s_interval_covers_the_truth_as_often_as_it_says():
    random = np.random.default_rng(21)
    hits = 0
    for _ in range(400):
        x = random.normal(size=30)
        y = 0.6 * x + 0.8 * random.normal(size=30)
        interval = pearson(x, y).effect.interval
        hits += interval.low <= 0.6 <= interval.high
    assert stats.binomtest(hits, 400, 0.95).pvalue > 0.001

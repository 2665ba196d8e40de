"""Alpha and omega against published figures and against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.multivariate.factor import Factor

from sera.study.analysis import cronbach_alpha, is_reliable, mcdonald_omega

# A restaurant's survey, published as a worked example for pingouin and R (Statology, 2021).
SURVEY = list(
    zip(
        [1, 2, 2, 3, 2, 2, 3, 3, 2, 3],
        [1, 1, 1, 2, 3, 3, 2, 3, 3, 3],
        [1, 1, 2, 1, 2, 3, 3, 3, 2, 3],
        strict=True,
    )
)


def test_alpha_and_its_interval_are_those_of_the_published_example():
    found = cronbach_alpha(SURVEY)
    assert found.value == pytest.approx(0.7734375)
    assert (round(found.interval.low, 3), round(found.interval.high, 3)) == (0.336, 0.939)
    assert found.text() == "\N{GREEK SMALL LETTER ALPHA} = .77 [.34, .94]"


def test_bland_and_altman_s_alpha_follows_from_their_variances():
    # Bland & Altman (1997), BMJ 314:572: ten items, variances sum to 11.16, of the sum 77.44.
    random = np.random.default_rng(0)
    raw = random.normal(size=(200, 11))
    raw -= raw.mean(axis=0)
    white = raw @ np.linalg.inv(np.linalg.cholesky(np.cov(raw.T)).T)
    shared = np.sqrt((77.44 - 11.16) / 90)
    own = np.sqrt(1.116 - shared**2)
    items = shared * white[:, :1] + own * white[:, 1:]
    assert items.var(axis=0, ddof=1).sum() == pytest.approx(11.16)
    assert items.sum(axis=1).var(ddof=1) == pytest.approx(77.44)
    assert round(cronbach_alpha(items.tolist()).value, 2) == 0.95


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(5, 40))
def test_alpha_is_that_of_mean_covariances(seed: int, items: int, persons: int):
    random = np.random.default_rng(seed)
    table = random.normal(size=(persons, 1)) + random.normal(size=(persons, items))
    covariance = np.cov(table.T)
    mean = (covariance.sum() - np.trace(covariance)) / (items * (items - 1))
    other = items * mean / (np.trace(covariance) / items + (items - 1) * mean)
    assert cronbach_alpha(table.tolist()).value == pytest.approx(other)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 8))
def test_omega_s_loadings_are_those_of_statsmodels(seed: int, items: int):
    random = np.random.default_rng(seed)
    table = random.normal(size=(80, 1)) * 1.2 + random.normal(size=(80, items))
    found = mcdonald_omega(table.tolist())
    theirs = Factor(table, 1, method="ml").fit().loadings[:, 0]
    assert np.abs(found.loadings) == pytest.approx(np.abs(theirs), abs=2e-4)
    deviations = table.std(axis=0, ddof=1)
    common = (np.abs(theirs) * deviations).sum() ** 2
    assert found.value == pytest.approx(
        common / (common + ((1 - theirs**2) * deviations**2).sum()), abs=1e-3
    )


def test_three_items_have_the_loadings_that_algebra_gives():
    table = np.asarray(SURVEY, dtype=float)
    r = np.corrcoef(table.T)
    by_hand = [
        np.sqrt(r[0, 1] * r[0, 2] / r[1, 2]),
        np.sqrt(r[0, 1] * r[1, 2] / r[0, 2]),
        np.sqrt(r[0, 2] * r[1, 2] / r[0, 1]),
    ]
    assert mcdonald_omega(SURVEY).loadings == pytest.approx(by_hand, abs=1e-5)


def test_parallel_items_have_equal_alpha_and_omega():
    random = np.random.default_rng(2)
    raw = random.normal(size=(60, 7))
    raw -= raw.mean(axis=0)
    white = raw @ np.linalg.inv(np.linalg.cholesky(np.cov(raw.T)).T)
    table = (white[:, :1] + 0.7 * white[:, 1:]).tolist()
    alpha, omega = cronbach_alpha(table), mcdonald_omega(table)
    # Spearman-Brown of six items of reliability 1 / 1.49.
    single = 1 / 1.49
    assert alpha.value == pytest.approx(6 * single / (1 + 5 * single))
    assert omega.value == pytest.approx(alpha.value, abs=1e-6)


def test_with_fewer_persons_than_items_residuals_are_minimised():
    random = np.random.default_rng(4)
    table = 1.5 * random.normal(size=(6, 1)) + random.normal(size=(6, 8))
    found = mcdonald_omega(table.tolist())
    assert found.method == "one factor by minimum residuals"
    assert found.value is None or 0 < found.value < 1


def test_what_has_no_omega_says_why():
    assert "at least 3 items" in mcdonald_omega([[1, 2], [2, 3], [3, 5], [4, 4]]).problem
    assert (
        "item 2 has the same answer"
        in mcdonald_omega([[1, 4, 2], [2, 4, 3], [3, 4, 5], [4, 4, 1]]).problem
    )
    # r12 * r13 / r23 above 1: no factor can explain more than all of item 1.
    random = np.random.default_rng(1)
    raw = random.normal(size=(50, 3))
    raw -= raw.mean(axis=0)
    white = raw @ np.linalg.inv(np.linalg.cholesky(np.cov(raw.T)).T)
    wanted = np.array([[1, 0.7, 0.7], [0.7, 1, 0.3], [0.7, 0.3, 1]])
    heywood = mcdonald_omega((white @ np.linalg.cholesky(wanted).T).tolist())
    assert heywood.value is None
    assert "Heywood case at item 1" in heywood.text()


def test_items_that_contradict_each_other_are_pointed_out():
    random = np.random.default_rng(8)
    trait = random.normal(size=(40, 1))
    table = np.hstack([trait, -trait, trait, -trait]) + 0.4 * random.normal(size=(40, 4))
    assert "reversed" in cronbach_alpha(table.tolist()).text()
    assert "opposite directions" in mcdonald_omega(table.tolist()).text()


def test_persons_who_left_something_out_do_not_count():
    found = cronbach_alpha([*SURVEY, (1, None, 2), (float("nan"), 1, 1)])
    assert (found.persons, found.value) == (10, pytest.approx(0.7734375))


def test_a_scale_is_reliable_where_either_is_above_the_threshold():
    low = cronbach_alpha(np.random.default_rng(0).normal(size=(30, 4)).tolist())
    high = cronbach_alpha(SURVEY)
    nothing = cronbach_alpha([])
    assert is_reliable(low, high) is True
    assert is_reliable(high, nothing) is True
    assert is_reliable(low, low) is False
    assert is_reliable(nothing, nothing) is None
    assert is_reliable(high, high, above=0.8) is False


def test_feldt_s_interval_covers_the_true_alpha_as_often_as_it_says():
    random = np.random.default_rng(11)
    truth = 6 * 0.5 / (1 + 5 * 0.5)
    hits = 0
    for _ in range(400):
        table = random.normal(size=(25, 1)) + random.normal(size=(25, 6))
        interval = cronbach_alpha(table.tolist()).interval
        hits += interval.low <= truth <= interval.high
    assert stats.binomtest(hits, 400, 0.95).pvalue > 0.001

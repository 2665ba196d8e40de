"""Tests of groups against published figures, and against scipy and statsmodels."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.weightstats import ttest_ind

from sera.study.analysis import (
    anova,
    friedman,
    hedges_factor,
    kruskal,
    mann_whitney,
    omnibus,
    one_sample_t,
    paired_t,
    rank_biserial,
    repeated_anova,
    shapiro_wilk,
    student_t,
    welch_anova,
    welch_t,
    wilcoxon,
    wilcoxon_paired,
)

# Student (1908), "The probable error of a mean": extra sleep with two drugs, as in R's `sleep`.
SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
# Dobson (1983), R's `PlantGrowth`.
PLANTS = [
    [4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14],
    [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69],
    [6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26],
]
values = st.lists(st.floats(-1e3, 1e3).map(lambda one: round(one, 2)), min_size=4, max_size=25)
few = settings(max_examples=25, deadline=None)


def test_student_s_sleep_data_give_his_published_figures():
    equal = student_t(SLEEP_1, SLEEP_2)
    assert (round(equal.statistic, 4), equal.df, round(equal.p, 4)) == (-1.8608, (18,), 0.0792)
    unequal = welch_t(SLEEP_1, SLEEP_2)
    assert round(unequal.statistic, 4) == -1.8608
    assert (round(unequal.df[0], 3), round(unequal.p, 4)) == (17.776, 0.0794)
    assert unequal.difference_interval.low == pytest.approx(-3.3654832, abs=1e-6)
    assert unequal.difference_interval.high == pytest.approx(0.2054832, abs=1e-6)
    pairs = paired_t(SLEEP_1, SLEEP_2)
    assert (round(pairs.statistic, 4), pairs.df, round(pairs.p, 5)) == (-4.0621, (9,), 0.00283)
    assert pairs.text().startswith("t(9) = -4.06, p = .003, d = -1.28 [")
    # R's wilcox.test of the same data.
    assert round(mann_whitney(SLEEP_1, SLEEP_2, method="exact").p, 5) == 0.06933
    assert round(wilcoxon_paired(SLEEP_1, SLEEP_2, method="exact").p, 6) == 0.009091


def test_hollander_and_wolfe_s_examples_come_out_exact():
    # Depression scale, Hollander & Wolfe (1973), p. 29: V = 40, one-sided p = 0.01953.
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    change = wilcoxon_paired(before, after)
    assert (change.statistic, change.method, round(change.p / 2, 5)) == (40, "exact", 0.01953)
    # Permeability, p. 69: W = 35, one-sided p = 0.1272.
    at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    early = [1.15, 0.88, 0.90, 0.74, 1.21]
    found = mann_whitney(at_term, early)
    assert (found.statistic, found.method, round(found.p / 2, 4)) == (35, "exact", 0.1272)
    # Mucociliary efficiency, p. 115: H = 0.77143, p = 0.68.
    lungs = kruskal([[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]])
    assert (round(lungs.statistic, 5), lungs.df, round(lungs.p, 2)) == (0.77143, (2,), 0.68)


def test_plant_growth_gives_the_published_analysis_of_variance():
    found = anova(PLANTS)
    assert (round(found.statistic, 3), found.df, round(found.p, 5)) == (4.846, (2, 27), 0.01591)
    eta, omega = found.effects
    within = sum(float(np.var(one)) * len(one) for one in PLANTS)
    whole = float(np.var(np.concatenate(PLANTS))) * 30
    assert eta.value == pytest.approx(1 - within / whole)
    mean_square = within / 27
    assert omega.value == pytest.approx(
        ((whole - within) - 2 * mean_square) / (whole + mean_square)
    )
    assert found.text().startswith("F(2, 27) = 4.85, p = .016, η² = .26 [")


def test_shapiro_and_wilk_s_own_example_gives_their_w():
    # Shapiro & Wilk (1965), weights of eleven men: W = 0.79.
    weights = [148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236]
    found = shapiro_wilk(weights)
    assert round(found.statistic, 2) == 0.79
    assert found.p < 0.01


def with_u(
    n_first: int, n_second: int, u: float, *, tied: bool = False
) -> tuple[list[float], list[float]]:
    """Two groups with that U of the first one; halves need a tie, others have one if wanted."""
    second = [float(place) for place in range(1, n_second + 1)]
    wins, first = int(u), []
    if u != wins:
        place = min(wins + 1, n_second)
        first.append(float(place))
        wins -= place - 1
    while len(first) < n_first:
        take = min(wins, n_second)
        first.append(take + 0.5 + 1e-3 * len(first))
        wins -= take
    assert wins == 0
    if tied:
        first[-1] = first[-2]  # both lose to everybody, so U stays
    return first, second


@pytest.mark.parametrize(
    ("n_first", "u", "published"),
    [
        (19, 90.0, 0.008),
        (19, 93.5, 0.011),
        (38, 183.5, 0.003),
        (19, 170.5, 0.770),
        (19, 128.5, 0.129),
        (19, 118.0, 0.068),
        (38, 246.5, 0.053),
        (19, 176.5, 0.907),
        (19, 84.5, 0.005),
        (19, 94.0, 0.012),
        (38, 178.5, 0.002),
        (38, 242.0, 0.044),
    ],
)
def test_the_documents_u_comes_with_the_documents_p(n_first: int, u: float, published: float):
    # Table 7.7 of the documents; they have no correction for continuity.
    found = mann_whitney(*with_u(n_first, 19, u, tied=True))
    assert found.statistic == u
    assert found.method == "normal approximation, corrected for ties"
    assert round(found.p, 3) == published


def test_rank_biserial_correlations_of_the_documents_are_50_and_48():
    assert round(rank_biserial(90.0, 19, 19).value, 2) == -0.50
    assert round(rank_biserial(93.5, 19, 19).value, 2) == -0.48
    assert mann_whitney(*with_u(19, 19, 90.0)).text().startswith("U = 90.0, p = .008, r = -.50 [")


def test_the_documents_z_follows_from_their_u_and_the_sizes_of_the_groups():
    # (90 - 180.5) / sqrt(19 · 19 · 39 / 12), but for one tie.
    found = mann_whitney(*with_u(19, 19, 90.0, tied=True))
    assert found.z == pytest.approx(-90.5 / math.sqrt(19 * 19 * 39 / 12), abs=1e-3)
    assert found.as_json()["z"] == found.z
    assert found.p == pytest.approx(2 * stats.norm.sf(-found.z))


@pytest.mark.parametrize(("u", "published"), [(188, 0.849), (164, 0.646), (204, 0.508)])
def test_some_p_of_the_documents_scales_need_the_correction_for_continuity(u, published):
    # Table 7.6 prints U without its half; ties only lower p, so that these are upper bounds.
    groups = [with_u(19, 19, u + half, tied=True) for half in (-0.5, 0.0, 0.5)]
    most = {
        method: max(mann_whitney(*pair, method=method).p for pair in groups)
        for method in ("normal", "continuity")
    }
    assert most["normal"] < published - 0.0005
    assert most["continuity"] > published


def with_moments(mean: float, deviation: float, n: int = 20) -> list[float]:
    """Values that have exactly that mean and standard deviation."""
    raw = np.linspace(-1, 1, n)
    return list(mean + deviation * raw / raw.std(ddof=1))


@pytest.mark.parametrize(
    ("first", "second", "t", "p"),
    [
        ((3.875, 0.872), (3.600, 0.897), 0.983, 0.332),
        ((3.635, 0.995), (3.455, 0.879), 0.606, 0.548),
        ((3.400, 1.273), (3.075, 1.030), 0.888, 0.380),
        ((4.000, 0.973), (4.125, 1.356), -0.335, 0.740),
        ((3.575, 1.030), (2.900, 0.940), 2.165, 0.037),
        ((3.350, 1.479), (3.675, 1.127), -0.782, 0.439),
        ((3.850, 1.299), (3.500, 1.225), 0.877, 0.386),
        ((2.838, 0.779), (2.088, 0.704), 3.195, 0.003),
        ((2.633, 0.864), (2.000, 0.684), 2.569, 0.014),
        ((4.680, 0.691), (4.340, 0.693), 1.554, 0.129),
        ((4.090, 0.706), (4.040, 0.686), 0.227, 0.821),
        ((3.650, 1.137), (3.300, 1.081), 0.998, 0.325),
    ],
)
def test_the_documents_t_follows_from_their_means_and_deviations(first, second, t, p):
    # Table 7.2, twenty participants a condition. Two rows are left out, because the means that
    # they print do not give the t that they print: message understanding and adaptability.
    found = student_t(with_moments(*first), with_moments(*second))
    assert found.statistic == pytest.approx(t, abs=0.005)
    assert found.p == pytest.approx(p, abs=0.003)


def test_an_approximation_without_continuity_is_not_trusted_with_few_values():
    few_values = mann_whitney([1, 2, 3], [4, 5, 6])
    assert (few_values.method, few_values.p, few_values.z) == ("exact", pytest.approx(0.1), None)
    tied = mann_whitney([1, 2, 2], [4, 5, 6])
    assert (tied.method, tied.p) == ("exact, with shared ranks", pytest.approx(0.1))
    assert wilcoxon([1, 2, 3, 4]).method == "exact"
    enough = mann_whitney(range(10), range(5, 15))
    assert enough.method == "normal approximation, corrected for ties"


@few
@given(
    st.lists(st.integers(1, 6), min_size=3, max_size=5),
    st.lists(st.integers(1, 6), min_size=3, max_size=5),
)
def test_few_answers_with_ties_are_counted_out_over_all_ways_to_share_them(first, second):
    if len({*first, *second}) == 1:
        return
    ranks = stats.rankdata([*first, *second])
    middle = len(first) * (len(ranks) + 1) / 2
    far = abs(ranks[: len(first)].sum() - middle)
    ways = [abs(sum(one) - middle) for one in combinations(ranks, len(first))]
    as_far = sum(way >= far - 1e-9 for way in ways) / len(ways)
    assert mann_whitney(first, second).p == pytest.approx(as_far)
    assert mann_whitney(second, first).p == pytest.approx(as_far)


@few
@given(st.lists(st.integers(-4, 4).filter(bool), min_size=3, max_size=8))
def test_few_differences_with_ties_are_counted_out_over_all_signs(differences):
    ranks = stats.rankdata(np.abs(differences))
    far = abs(ranks @ np.sign(differences))
    ways = [abs(ranks @ signs) for signs in product((-1, 1), repeat=len(differences))]
    as_far = sum(way >= far - 1e-9 for way in ways) / len(ways)
    assert wilcoxon(differences).p == pytest.approx(as_far)


def test_welch_s_analysis_of_variance_is_r_s_oneway_test():
    found = welch_anova(PLANTS)
    assert (round(found.statistic, 3), round(found.df[1], 3)) == (5.181, 17.128)
    assert round(found.p, 5) == 0.01739
    # Of unequal spread and size: statsmodels.
    random = np.random.default_rng(4)
    groups = [random.normal(0, spread, size) for spread, size in ((1, 30), (1, 10), (4, 6))]
    theirs = anova_oneway(groups, use_var="unequal")
    ours = welch_anova(groups)
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert welch_anova([[1, 1, 1], [1, 2, 3], [2, 3, 4]]).problem is not None


def test_the_rule_of_unequal_variances_holds_for_more_than_two_groups():
    assert omnibus(PLANTS, "welch").test == "welch_anova"
    assert omnibus(PLANTS, "normality").test == "anova"
    assert omnibus(PLANTS, "ranks").test == "kruskal"


def test_rank_biserial_is_the_share_of_pairs_won_less_the_share_lost():
    random = np.random.default_rng(5)
    first, second = random.integers(0, 9, 14), random.integers(2, 11, 17)
    pairs = np.sign(first[:, None] - second[None, :])
    found = mann_whitney(first, second).effect
    assert found.value == pytest.approx(float(pairs.mean()))
    assert found.interval.low < found.value < found.interval.high


@few
@given(values, values)
def test_t_tests_agree_with_scipy_and_statsmodels(first: list[float], second: list[float]):
    if np.ptp(first) == 0 and np.ptp(second) == 0:
        assert student_t(first, second).problem
        return
    ours, theirs = student_t(first, second), stats.ttest_ind(first, second)
    assert ours.statistic == pytest.approx(float(theirs.statistic), rel=1e-9, abs=1e-9)
    assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-7, abs=1e-12)
    t, p, df = ttest_ind(first, second, usevar="unequal")
    welch = welch_t(first, second)
    assert welch.statistic == pytest.approx(float(t), rel=1e-9, abs=1e-9)
    assert welch.df[0] == pytest.approx(float(df), rel=1e-9)
    assert welch.p == pytest.approx(float(p), rel=1e-7, abs=1e-12)


@few
@given(
    st.lists(st.integers(1, 7), min_size=4, max_size=60), st.lists(st.integers(1, 7), min_size=4)
)
def test_mann_whitney_agrees_with_scipy_on_ties(first: list[int], second: list[int]):
    ours = mann_whitney(first, second, method="continuity")
    if len({*first, *second}) == 1:
        assert ours.problem == "all values are the same"
        return
    theirs = stats.mannwhitneyu(first, second, method="asymptotic", use_continuity=True)
    assert ours.statistic == float(theirs.statistic)
    assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-9)


@few
@given(st.lists(st.integers(1, 1000), min_size=5, max_size=18, unique=True))
def test_exact_signed_ranks_agree_with_scipy(whole: list[int]):
    data = [one if place % 3 else -one for place, one in enumerate(whole)]
    ours, theirs = wilcoxon(data, method="exact"), stats.wilcoxon(data, method="exact")
    assert ours.method == "exact"
    assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-9)


@few
@given(st.lists(st.integers(1, 6), min_size=5, max_size=40))
def test_tied_signed_ranks_agree_with_scipy(data: list[int]):
    ours = wilcoxon(data, 3.5, method="exact")
    theirs = stats.wilcoxon([one - 3.5 for one in data], correction=True, method="asymptotic")
    if ours.method != "exact":
        assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-9)


@few
@given(values, st.floats(-5, 5))
def test_the_one_sample_t_agrees_with_scipy(data: list[float], against: float):
    ours = one_sample_t(data, against)
    if np.ptp(data) == 0:
        assert ours.problem == "all values are the same"
        return
    theirs = stats.ttest_1samp(data, against)
    assert ours.statistic == pytest.approx(float(theirs.statistic), rel=1e-8, abs=1e-9)
    assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-6, abs=1e-12)


@few
@given(st.lists(values, min_size=3, max_size=5))
def test_omnibus_tests_agree_with_scipy(groups: list[list[float]]):
    if any(np.ptp(one) == 0 for one in groups):
        return
    theirs = stats.f_oneway(*groups)
    assert anova(groups).statistic == pytest.approx(float(theirs.statistic), rel=1e-7, abs=1e-9)
    assert anova(groups).p == pytest.approx(float(theirs.pvalue), rel=1e-6, abs=1e-12)
    assert kruskal(groups).p == pytest.approx(float(stats.kruskal(*groups).pvalue), rel=1e-9)


def test_repeated_measures_agree_with_statsmodels_where_no_correction_is_needed():
    random = np.random.default_rng(3)
    table = random.normal(size=(14, 1)) + random.normal(size=(14, 4)) + [0, 0.4, 0.8, 0.2]
    long = pd.DataFrame(
        [(who, what, table[who, what]) for who in range(14) for what in range(4)],
        columns=["who", "what", "value"],
    )
    theirs = AnovaRM(long, "value", "who", within=["what"]).fit().anova_table.iloc[0]
    ours = repeated_anova([list(column) for column in table.T])
    assert ours.statistic == pytest.approx(float(theirs["F Value"]))
    epsilon = ours.df[0] / 3
    assert 1 / 3 <= epsilon <= 1
    # Greenhouse and Geisser's epsilon by its other definition: eigenvalues of contrasts.
    contrasts = np.linalg.qr(np.eye(4) - 0.25)[0][:, :3]
    roots = np.linalg.eigvalsh(contrasts.T @ np.cov(table.T) @ contrasts)
    assert epsilon == pytest.approx(roots.sum() ** 2 / (3 * (roots**2).sum()))


def test_friedman_s_test_gives_hollander_and_wolfe_s_rounding_times():
    # Hollander & Wolfe (1973), p. 140: chi-squared 11.143, p = 0.003805.
    times = [
        (5.40, 5.50, 5.55), (5.85, 5.70, 5.75), (5.20, 5.60, 5.50), (5.55, 5.50, 5.40),
        (5.90, 5.85, 5.70), (5.45, 5.55, 5.60), (5.40, 5.40, 5.35), (5.45, 5.50, 5.35),
        (5.25, 5.15, 5.00), (5.85, 5.80, 5.70), (5.25, 5.20, 5.10), (5.65, 5.55, 5.45),
        (5.60, 5.35, 5.45), (5.05, 5.00, 4.95), (5.50, 5.50, 5.40), (5.45, 5.55, 5.50),
        (5.55, 5.55, 5.35), (5.45, 5.50, 5.55), (5.50, 5.45, 5.25), (5.65, 5.60, 5.40),
        (5.70, 5.65, 5.55), (6.30, 6.30, 6.25),
    ]  # fmt: skip
    found = friedman([list(column) for column in zip(*times, strict=True)])
    assert (round(found.statistic, 3), found.df, round(found.p, 6)) == (11.143, (2,), 0.003805)


def test_the_interval_of_cohen_s_d_turns_the_noncentral_distribution_round():
    found = student_t(SLEEP_1, SLEEP_2)
    d, g = found.effects
    scale = math.sqrt(1 / 10 + 1 / 10)
    pooled = math.sqrt((np.var(SLEEP_1, ddof=1) + np.var(SLEEP_2, ddof=1)) / 2)
    assert d.value == pytest.approx((np.mean(SLEEP_1) - np.mean(SLEEP_2)) / pooled)
    # cephes' distribution, not the one that the interval was found with.
    low = special.nctdtr(18, d.interval.low / scale, found.statistic)
    high = special.nctdtr(18, d.interval.high / scale, found.statistic)
    assert (float(low), float(high)) == pytest.approx((0.975, 0.025), abs=1e-6)
    assert g.value == pytest.approx(d.value * (1 - 3 / (4 * 18 - 1)), rel=1e-3)
    assert hedges_factor(18) == pytest.approx(
        math.gamma(9) / (math.sqrt(9) * math.gamma(8.5)), rel=1e-12
    )

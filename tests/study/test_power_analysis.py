"""Samples and their power: published figures, statsmodels, simulation, and what always holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestIndPower, TTestPower

from sera.study.design import planned_sample, power_of, sample_sentence, sample_size, weigh
from sera.study.design.power import MOST_PER_GROUP, needed_per_group
from sera.study.design_tables import Design, PowerWish

TESTS = ["t_test", "paired_t", "mann_whitney", "wilcoxon", "anova"]


def wish(test: str, effect: float, alpha: float = 0.05, power: float = 0.8) -> PowerWish:
    told = {"test": test, "effect": effect, "alpha": alpha, "power": power}
    return PowerWish.model_validate(told)


@pytest.mark.parametrize(
    ("test", "effect", "groups", "alpha", "needed"),
    [
        # Cohen (1992), A power primer, Psychological Bulletin 112, table 2.
        ("t_test", 0.2, 2, 0.05, 394),  # Cohen's table: 393; the exact value is 393.4
        ("t_test", 0.5, 2, 0.05, 64),
        ("t_test", 0.8, 2, 0.05, 26),
        ("t_test", 0.5, 2, 0.01, 96),  # exact: 95.2
        ("t_test", 0.8, 2, 0.01, 39),  # exact: 38.1
        # G*Power 3 (Faul et al. 2007): 159 in all, 66 in all; Cohen's table has 52 and 21.
        ("anova", 0.25, 3, 0.05, 53),
        ("anova", 0.40, 3, 0.05, 22),
        ("anova", 0.25, 4, 0.05, 45),
        ("paired_t", 0.5, 2, 0.05, 34),
        ("paired_t", 0.8, 2, 0.05, 15),
        # Noether (1987): N = (1.96 + 0.84)² / (3 (p - 1/2)²) with p = 0.75 and 0.65.
        ("mann_whitney", 0.5, 2, 0.05, 21),
        ("mann_whitney", 0.3, 2, 0.05, 59),
    ],
)
def test_published_samples_come_out(
    test: str, effect: float, groups: int, alpha: float, needed: int
) -> None:
    advice = sample_size(wish(test, effect, alpha), groups)
    assert advice.per_group == needed
    assert advice.power is not None
    assert 0.8 <= advice.power < 0.85


@given(st.floats(0.1, 2.0), st.integers(3, 300), st.sampled_from([0.01, 0.05, 0.1]))
@settings(max_examples=60, deadline=None)
def test_power_is_that_of_statsmodels(effect: float, size: int, alpha: float) -> None:
    theirs = {
        "t_test": TTestIndPower().power(effect, size, alpha),
        "paired_t": TTestPower().power(effect, size, alpha),
        "anova": FTestAnovaPower().power(effect, 3 * size, alpha, k_groups=3),
    }
    for test, power in theirs.items():
        ours = power_of(wish(test, effect, alpha), size, 3)
        if np.isnan(power):  # it gives up where power is almost 1
            assert ours > 0.999
        else:
            assert ours == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize(("effect", "size"), [(0.3, 30), (0.3, 59), (0.5, 19), (0.5, 21)])
def test_noethers_power_is_near_that_of_simulated_mann_whitney_tests(
    effect: float, size: int
) -> None:
    rng = np.random.default_rng(1987)
    shift = stats.norm.ppf((1 + effect) / 2) * np.sqrt(2)
    first = rng.normal(shift, 1, (4000, size))
    second = rng.normal(0, 1, (4000, size))
    found = stats.mannwhitneyu(first, second, axis=1, method="asymptotic").pvalue < 0.05
    # Noether takes the variance without an effect, which makes it a little cautious.
    assert power_of(wish("mann_whitney", effect), size) == pytest.approx(found.mean(), abs=0.05)


@pytest.mark.parametrize(("effect", "size"), [(0.3, 40), (0.5, 20), (0.5, 35), (0.8, 14)])
def test_the_power_of_signed_ranks_is_near_that_of_simulated_tests(
    effect: float, size: int
) -> None:
    rng = np.random.default_rng(35)
    samples = rng.normal(effect, 1, (3000, size))
    found = stats.wilcoxon(samples, axis=1, method="asymptotic").pvalue < 0.05
    assert power_of(wish("wilcoxon", effect), size) == pytest.approx(found.mean(), abs=0.04)


@given(
    st.sampled_from(TESTS),
    st.floats(0.02, 0.95),
    st.floats(0.005, 0.2),
    st.integers(2, 400),
    st.integers(1, 200),
)
@settings(max_examples=120, deadline=None)
def test_power_grows_with_sample_effect_and_level(
    test: str, effect: float, alpha: float, size: int, more: int
) -> None:
    base = power_of(wish(test, effect, alpha), size, 3)
    tiny = 1e-9
    assert 0 <= base <= 1
    assert power_of(wish(test, effect, alpha), size + more, 3) >= base - tiny
    assert power_of(wish(test, effect * 1.05, alpha), size, 3) >= base - tiny
    assert power_of(wish(test, effect, alpha * 1.5), size, 3) >= base - tiny


@given(st.sampled_from(TESTS), st.floats(0.05, 1.0), st.floats(0.3, 0.99))
@settings(max_examples=80, deadline=None)
def test_the_advised_sample_is_the_smallest_that_does(
    test: str, effect: float, power: float
) -> None:
    wanted = wish(test, effect, power=power)
    needed = needed_per_group(wanted, 3)
    if needed is None:
        assert power_of(wanted, MOST_PER_GROUP, 3) < power
        return
    assert power_of(wanted, needed, 3) >= power
    assert needed == 2 or power_of(wanted, needed - 1, 3) < power


@pytest.mark.parametrize(("test", "fewest"), [("mann_whitney", 4), ("wilcoxon", 6)])
def test_tests_by_rank_need_so_many_that_they_can_become_significant(
    test: str, fewest: int
) -> None:
    assert power_of(wish(test, 1.0), fewest - 1) == 0
    advised = needed_per_group(wish(test, 1.0, power=0.1))
    assert advised == fewest


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("effect", [1e-9, 1e-3, 5.0, 1e3, 1e300])
def test_effects_out_of_all_measure_have_an_answer(test: str, effect: float) -> None:
    advice = sample_size(wish(test, effect), 3)
    if effect < 1:
        assert advice.per_group is None
        assert "only beyond 10,000 participants" in advice.sentence
    else:
        assert advice.per_group is not None
        assert advice.per_group < 8


def test_sentences_say_what_was_reckoned() -> None:
    assert sample_size(wish("t_test", 0.5), 3).sentence == (
        "A t test finds d = 0.5 with power 0.80 at alpha = 0.05 with 64 participants in each of "
        "3 groups (192 in all)."
    )
    assert sample_size(wish("paired_t", 0.5)).sentence.endswith("with 34 participants.")
    assert weigh(wish("mann_whitney", 0.5), 19, 3) == (
        "With 19 participants in each group, a Mann-Whitney test finds r = 0.5 with power 0.76 "
        "at alpha = 0.05. Power 0.8 takes 21 in each group."
    )
    assert "takes" not in weigh(wish("mann_whitney", 0.5), 21)
    with pytest.raises(ValueError, match="at least two groups, not 1"):
        sample_size(wish("t_test", 0.5), 1)


def design(assignment: str, kind: str, levels: int, sample: dict[str, Any]) -> Design:
    names = [f"l{number}" for number in range(levels)]
    told = {
        "assignment": assignment,
        "factors": [{"name": "f", "kind": kind, "levels": names}],
        "conditions": [{"name": name, "levels": {"f": name}} for name in names],
        "sample": sample,
    }
    return Design.model_validate(told)


def planned(assignment: str, kind: str, levels: int, sample: dict[str, Any]) -> int | None:
    plan = planned_sample(design(assignment, kind, levels, sample))
    return None if plan is None else plan.participants


def test_a_sample_that_power_asks_for_is_rounded_up_to_a_balanced_one() -> None:
    t_test = {"power": {"test": "t_test", "effect": 0.5}}
    paired = {"power": {"test": "paired_t", "effect": 0.5}}
    assert planned("blocked", "between", 3, t_test) == 192
    assert planned("latin_square", "within", 3, paired) == 36
    assert planned("latin_square", "within", 4, paired) == 36
    assert planned("random", "within", 3, paired) == 34
    assert planned("blocked", "between", 3, {"per_condition": 19}) == 57
    assert planned("blocked", "within", 3, {"per_condition": 18}) == 18
    assert planned("blocked", "between", 3, {}) is None
    assert planned("blocked", "between", 2, {"power": {"effect": 1e-6}}) is None


def test_a_planned_sample_is_told_what_it_can_show() -> None:
    t_test = {"test": "t_test", "effect": 0.8}
    assert sample_sentence(design("blocked", "between", 2, {"per_condition": 4})) is None
    short = {"per_condition": 4, "power": t_test}
    assert sample_sentence(design("blocked", "between", 2, short)) == (
        "With 4 participants in each group, a t test finds d = 0.8 with power 0.16 "
        "at alpha = 0.05. Power 0.8 takes 26 in each group."
    )
    enough = sample_sentence(design("blocked", "between", 2, {"power": t_test}))
    assert enough is not None
    assert enough.startswith("With 26 participants in each group")
    assert "takes" not in enough
    paired = {"per_condition": 18, "power": {"test": "paired_t", "effect": 0.5}}
    within = sample_sentence(design("blocked", "within", 3, paired))
    assert within is not None
    assert within.startswith("With 18 participants, a paired t test")
    assert within.endswith("Power 0.8 takes 34.")
    hopeless = sample_sentence(design("blocked", "between", 2, {"power": {"effect": 1e-6}}))
    assert hopeless is not None
    assert "only beyond 10,000 participants" in hopeless

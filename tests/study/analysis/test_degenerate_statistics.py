"""Whatever the data: a result, or a sentence; never an exception and never a NaN."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.study.analysis import (
    anova,
    cronbach_alpha,
    friedman,
    kruskal,
    mann_whitney,
    mcdonald_omega,
    one_sample_t,
    paired_t,
    pearson,
    repeated_anova,
    shapiro_wilk,
    spearman,
    student_t,
    welch_t,
    wilcoxon,
    wilcoxon_paired,
)
from sera.study.analysis._numbers import fixed

NAN = float("nan")
anything = st.one_of(
    st.none(),
    st.sampled_from([NAN, math.inf, -math.inf, 0.0, 1e308, -1e308, 5e-324, 1e-200, "seven", True]),
    st.floats(),
    st.integers(-5, 5),
    st.integers(10**400, 10**401),
)
lists = st.lists(anything, max_size=12)
equal_lists = st.integers(0, 12).flatmap(
    lambda size: st.tuples(*(st.lists(anything, min_size=size, max_size=size) for _ in range(3)))
)
many = settings(max_examples=150, deadline=None)

ONE_GROUP: list[Callable[[Any], Any]] = [
    shapiro_wilk,
    lambda data: one_sample_t(data, 3.5),
    lambda data: wilcoxon(data, 3.5),
]
TWO_GROUPS = [student_t, welch_t, mann_whitney]
PAIRS = [paired_t, wilcoxon_paired, pearson, spearman]


def is_whole(result: Any) -> None:
    text = result.text()
    assert text
    assert "nan" not in text.lower()
    json.dumps(result.as_json(), allow_nan=False)
    if result.problem is None:
        assert 0 <= result.p <= 1
    else:
        assert result.p is None
        assert result.problem in text


@many
@given(lists, lists)
def test_any_two_groups_give_a_result_or_a_sentence(first: list[Any], second: list[Any]):
    for test in ONE_GROUP:
        is_whole(test(first))
    for test in TWO_GROUPS:
        is_whole(test(first, second))
    is_whole(anova([first, second, [1, 2, 4]]))
    is_whole(kruskal([first, second, [1, 2, 4]]))


@many
@given(equal_lists)
def test_any_pairs_give_a_result_or_a_sentence(columns: tuple[list[Any], list[Any], list[Any]]):
    for test in PAIRS:
        is_whole(test(columns[0], columns[1]))
    is_whole(repeated_anova(list(columns)))
    is_whole(friedman(list(columns)))
    for coefficient in (cronbach_alpha, mcdonald_omega):
        found = coefficient(list(zip(*columns, strict=True)))
        assert "nan" not in found.text().lower()
        json.dumps(found.as_json(), allow_nan=False)
        assert (found.value is None) <= (found.problem is not None)


@pytest.mark.parametrize("test", TWO_GROUPS)
def test_constant_groups_are_told(test: Callable[..., Any]):
    assert test([4, 4, 4], [4, 4, 4]).problem
    assert "not computed, since" in test([4, 4, 4], [4, 4, 4]).text()


@pytest.mark.parametrize("test", TWO_GROUPS)
def test_groups_below_three_are_told_with_their_sizes(test: Callable[..., Any]):
    found = test([1, 2], [None, NAN, 3])
    assert found.problem == (
        "at least 3 values are needed, but the first group has 2 and the second group has 1"
    )
    assert found.n == (2, 1)


def test_rounding_does_not_make_constants_vary():
    same = [0.1 + 0.2, 0.3, 0.3, 0.1 * 3]
    assert shapiro_wilk(same).problem == "all values are the same"
    assert one_sample_t(same, 0).problem == "all values are the same"
    # A distance of 0.1 three times, each with another rounding, is a tie.
    assert wilcoxon([0.3 - 0.2, 0.2 - 0.1, 0.7 - 0.6, -0.4]).method == "exact, with shared ranks"
    # What differs by rounding alone does not differ, whatever the test.
    noisy, clean = [0.1 + 0.2] * 5, [0.3] * 5
    assert wilcoxon(noisy, 0.3).problem == "no value differs"
    assert wilcoxon_paired(noisy, clean).problem == "no pair differs"
    assert mann_whitney(noisy, clean).problem == "all values are the same"
    assert kruskal([noisy, clean, clean]).problem == "all values are the same"
    assert friedman([noisy, clean, clean]).problem == "all values are the same"
    assert mann_whitney([*noisy[:3], 1, 2, 0.9], [*clean[:3], 1.5, 2.5, 0.8]).statistic == 17.5


def test_no_differences_at_all_are_told():
    assert wilcoxon([3.5, 3.5, 3.5], 3.5).problem == "no value differs"
    assert paired_t([1, 2, 3], [0, 1, 2]).problem == "the difference is the same in all pairs"
    assert anova([[1, 1, 1], [2, 2, 2]]).problem == "no value differs from the others in its group"


def test_groups_that_do_not_overlap_have_an_effect_of_one_and_no_interval():
    found = mann_whitney([1, 2, 3, 4], [5, 6, 7, 8])
    effect = found.effect
    assert found.text().endswith("r = -1.00 (no interval: the groups do not overlap at all)")
    assert (effect.value, effect.interval) == (-1.0, None)
    assert "do not overlap" in effect.note


@pytest.mark.parametrize(
    ("value", "text"), [(-0.004, "0.00"), (-0.006, "-0.01"), (None, "\N{EN DASH}")]
)
def test_a_figure_that_rounds_to_zero_has_no_sign(value: float | None, text: str):
    assert fixed(value) == text

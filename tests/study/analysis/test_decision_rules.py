"""The documents' rules."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sera.study.analysis import (
    DifferenceKind,
    Significances,
    compare_groups,
    compare_pairs,
    compare_with_middle,
    difference_kind,
    inverted,
    omnibus,
    omnibus_within,
    polarity,
    shapiro_wilk,
)

RANDOM = np.random.default_rng(6)
NORMAL = [10 + one for one in np.linspace(-2, 2, 15) ** 3 / 4 + np.linspace(-2, 2, 15)]
SKEWED = [float(one) for one in 2.0 ** np.arange(15)]


def test_the_example_data_are_what_they_are_called():
    assert shapiro_wilk(NORMAL).p > 0.05
    assert shapiro_wilk(SKEWED).p < 0.05


@pytest.mark.parametrize(
    ("rule", "first", "second", "test"),
    [
        ("normality", NORMAL, NORMAL[::2], "student_t"),
        ("normality", NORMAL, SKEWED, "mann_whitney"),
        ("normality", SKEWED, NORMAL, "mann_whitney"),
        ("normality", NORMAL, [5, 5, 5, 5], "mann_whitney"),
        ("welch", SKEWED, SKEWED, "welch_t"),
        ("ranks", NORMAL, NORMAL, "mann_whitney"),
    ],
)
def test_the_rule_takes_the_test(rule, first, second, test):
    assert compare_groups(first, second, rule).test == test


def test_pairs_are_judged_by_their_differences():
    skewed_pair = [one + 1 for one in NORMAL]
    assert compare_pairs(NORMAL, [0.0] * 15, "normality").test == "paired_t"
    assert compare_pairs(SKEWED, skewed_pair, "normality").test == "wilcoxon"
    # Neither is normal, but what differs is.
    shifted = [one + other for one, other in zip(SKEWED, NORMAL, strict=True)]
    assert compare_pairs(shifted, SKEWED, "normality").test == "paired_t"


def test_more_than_two_groups_are_judged_likewise():
    assert omnibus([NORMAL, NORMAL, NORMAL], "normality").test == "anova"
    assert omnibus([NORMAL, SKEWED, NORMAL], "normality").test == "kruskal"
    reversed_ = NORMAL[::-1]
    assert omnibus_within([NORMAL, reversed_, NORMAL], "normality").test == "repeated_anova"
    assert omnibus_within([NORMAL, SKEWED, reversed_], "normality").test == "friedman"


def test_scores_are_positive_negative_or_neutral():
    high, low, between = [4, 5, 5, 6, 4, 5], [1, 2, 2, 1, 3, 2], [1, 6, 3, 4, 2, 5]
    for values, word in ((high, "positive"), (low, "negative"), (between, "neutral")):
        result = compare_with_middle(values, 3.5, "normality")
        assert polarity(values, 3.5, result, 0.05) == word
    nothing = compare_with_middle([5, 5], 3.5, "normality")
    assert polarity([5, 5], 3.5, nothing, 0.05) is None


def test_a_negatively_scored_scale_is_turned_round():
    assert [inverted(one, 1, 9) for one in (1, 5, 8)] == [9, 5, 2]


@pytest.mark.parametrize(
    ("one", "other", "together", "between", "kind"),
    [
        # Rows of the documents' tables 7.6 and 7.7: WrongTotal, RPU, Time, IOS, RC, WrongCold.
        (True, True, True, False, DifferenceKind.STRONG),
        (False, True, True, False, DifferenceKind.SOFT),
        (True, False, True, False, DifferenceKind.SOFT),
        (True, False, False, False, DifferenceKind.TECHNOLOGICAL),
        (False, True, False, False, DifferenceKind.TECHNOLOGICAL),
        (False, False, False, False, DifferenceKind.NONE),
        (True, True, True, True, DifferenceKind.OTHER),
        (False, False, True, False, DifferenceKind.OTHER),
        (False, False, False, True, DifferenceKind.OTHER),
    ],
)
def test_differences_from_the_control_have_the_documents_names(one, other, together, between, kind):
    flags = Significances(one, other, together, between)
    found = difference_kind(flags, "C-ERIK", "C-EBPS", "C-Enhanced")
    assert found.kind == kind
    if kind == DifferenceKind.SOFT:
        assert ("C-ERIK" if one else "C-EBPS") in found.sentence


def test_every_pattern_has_a_sentence_and_a_missing_test_leaves_it_open():
    for flags in itertools.product([True, False, None], repeat=4):
        found = difference_kind(Significances(*flags), "A", "B", "both")
        assert found.sentence.endswith(".")
        assert (found.kind is None) == (None in flags)

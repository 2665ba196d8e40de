"""The bag is fair: each line once before any twice, none twice running, weights as given."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sera.behaviour.selection import HEAVIEST, LIGHTEST, ShuffleBag, is_weight


def draws(weights, count, seed=1):
    bag, drawn = ShuffleBag(Random(seed)), []
    for _ in range(count):
        drawn.append(bag.draw(weights, drawn[-1] if drawn else None)[0])
    return drawn


@given(st.integers(2, 12), st.integers(1, 6), st.integers())
def test_each_line_comes_once_before_any_comes_twice(lines, rounds, seed):
    weights = {f"l{n}": 1.0 for n in range(lines)}
    drawn = draws(weights, lines * rounds, seed)
    for start in range(0, len(drawn), lines):
        assert sorted(drawn[start : start + lines]) == sorted(weights)


@given(
    st.dictionaries(st.integers(0, 9), st.floats(LIGHTEST, 9), min_size=2, max_size=8),
    st.integers(),
)
def test_no_line_comes_twice_running_with_any_weights(weights, seed):
    named = {f"l{key}": weight for key, weight in weights.items()}
    drawn = draws(named, 60, seed)
    assert all(one != other for one, other in itertools.pairwise(drawn))


@given(st.lists(st.integers(1, 3), min_size=4, max_size=8), st.integers())
def test_whole_weights_are_kept_in_every_round(copies, seed):
    weights = {f"l{n}": float(count) for n, count in enumerate(copies)}
    round_size = sum(copies)
    assume(max(copies) <= round_size - max(copies))
    drawn = draws(weights, round_size, seed)
    assert Counter(drawn) == {line: int(weight) for line, weight in weights.items()}


@pytest.mark.parametrize("seed", range(5))
def test_a_line_of_half_the_weight_comes_half_as_often(seed):
    counts = Counter(draws({"a": 1.0, "b": 1.0, "c": 1.0, "light": 0.5}, 700, seed))
    assert counts["light"] == pytest.approx(100, abs=1)
    assert counts["a"] == pytest.approx(200, abs=1)


def test_lines_that_are_all_light_still_come_by_their_weights():
    weights = {"a": 0.001, "b": 0.002, "c": 0.002}
    counts = Counter(draws(weights, 1000))
    assert counts["a"] / 1000 == pytest.approx(0.2, abs=0.05)


def test_a_line_too_heavy_for_its_company_comes_every_second_time():
    drawn = draws({"heavy": 50.0, "a": 1.0, "b": 1.0}, 100)
    assert drawn.count("heavy") == 50
    assert 20 <= drawn.count("a") <= 30


def test_the_order_is_not_always_the_same():
    weights = dict.fromkeys("abcd", 1.0)
    assert len({tuple(draws(weights, 4, seed)) for seed in range(200)}) == 24


def test_every_order_of_three_lines_is_about_as_likely():
    weights = dict.fromkeys("abc", 1.0)
    counts = Counter(tuple(draws(weights, 3, seed)) for seed in range(1200))
    assert all(140 < count < 260 for count in counts.values())


def test_a_new_line_joins_the_bag_with_the_next_round():
    bag = ShuffleBag(Random(3))
    first, _ = bag.draw({"a": 1.0, "b": 1.0}, None)
    second, refilled = bag.draw({"a": 1.0, "b": 1.0, "new": 1.0}, first)
    assert not refilled
    later = [second]
    for _ in range(3):
        later.append(bag.draw({"a": 1.0, "b": 1.0, "new": 1.0}, later[-1])[0])
    assert sorted(later[1:]) == ["a", "b", "new"]


@pytest.mark.parametrize(
    ("weight", "usable"),
    [
        (LIGHTEST, True),
        (HEAVIEST, True),
        (0.0, False),
        (-1.0, False),
        (HEAVIEST + 1, False),
        (float("nan"), False),
        (float("inf"), False),
        ("2", False),
    ],
)
def test_a_weight_is_a_number_within_its_bounds(weight, usable):
    assert is_weight(weight) is usable

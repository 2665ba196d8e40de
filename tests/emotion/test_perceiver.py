from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.emotion import PAD, Features, Perceiver, ResponseModel, published_study
from sera.emotion.perceiver import GRID, TERMS, spread
from sera.emotion.published import CORNERS
from sera.study.analysis import spearman

SHARE = st.floats(0.0, 1.0)
FACTORIAL = {
    (): (0.003, 0.027, -0.105),
    (0,): (0.010, 0.005, 0.017),
    (1,): (0.218, 0.220, 0.205),
    (2,): (0.170, 0.008, 0.098),
    (0, 1): (0.025, 0.033, 0.022),
    (0, 2): (0.002, -0.010, -0.015),
    (1, 2): (-0.175, -0.100, -0.098),
    (0, 1, 2): (-0.012, 0.018, -0.025),
}


def perceiver(seed: int = 1) -> Perceiver:
    return Perceiver(random.Random(seed))


@pytest.mark.parametrize("corner", CORNERS)
def test_the_means_of_the_corners_are_the_published_ones(corner: str) -> None:
    wanted = published_study().cells[corner].mean
    assert perceiver().mean(corner).values == pytest.approx(wanted, abs=0.01)
    assert perceiver().mean(PAD.corner(corner).features()).values == pytest.approx(wanted)


def test_the_response_model_is_the_factorial_one() -> None:
    model = ResponseModel()
    for term in TERMS:
        features = tuple(place for place, used in enumerate(term) if used)
        assert model.mean_terms[term] == pytest.approx(FACTORIAL[features], abs=6e-4)


@given(SHARE, SHARE, SHARE)
def test_between_the_corners_nothing_is_seen_that_lies_beyond_them(
    jerkiness: float, activity: float, gaze: float
) -> None:
    model = ResponseModel()
    found = model.mean(Features(jerkiness, activity, gaze)).values
    cells = published_study().cells.values()
    for axis in range(3):
        means = [cell.mean[axis] for cell in cells]
        assert min(means) - 1e-9 <= found[axis] <= max(means) + 1e-9


def test_beyond_what_was_shown_the_nearest_counts() -> None:
    model = ResponseModel()
    assert model.mean(Features(1.0, 0.0, 1.0)) == model.mean(Features(0.875, 0.125, 0.875))
    assert model.sd(Features(1.0, 0.0, 1.0)) == model.sd(Features(0.875, 0.125, 0.875))


@given(st.floats(-0.9, 0.9), st.floats(0.05, 0.9))
def test_chances_have_the_mean_and_the_deviation_as_far_as_nine_points_can(
    mean: float, sd: float
) -> None:
    chances = spread(mean, sd)
    assert math.fsum(chances) == pytest.approx(1.0)
    assert min(chances) >= 0.0
    assert math.fsum(p * x for p, x in zip(chances, GRID, strict=True)) == pytest.approx(
        mean, abs=1e-6
    )
    variance = math.fsum(p * (x - mean) ** 2 for p, x in zip(chances, GRID, strict=True))
    low = min(i for i in range(9) if GRID[i] + 0.25 >= mean)
    least = (mean - GRID[low]) * (GRID[low] + 0.25 - mean)
    wanted = min(max(sd**2, least), 1.0 - mean**2)
    assert variance == pytest.approx(wanted, abs=1e-5)


def test_answers_lie_on_the_nine_points_with_the_published_mean_and_deviation() -> None:
    person = perceiver(3)
    for corner in ("LLL", "HHL"):
        cell = published_study().cells[corner]
        answers = np.array([person.answer(corner).values for _ in range(4000)])
        assert set(np.unique(answers)) <= set(GRID)
        assert answers.mean(axis=0) == pytest.approx(cell.mean, abs=0.03)
        assert answers.std(axis=0, ddof=1) == pytest.approx(cell.sd, abs=0.03)


def test_many_simulated_people_correlate_as_the_published_ones() -> None:
    person = perceiver(5)
    rows = [(corner, person.answer(corner).values) for corner in CORNERS for _ in range(300)]
    features = np.array([PAD.corner(corner).features().values for corner, _ in rows])
    perceived = np.array([values for _, values in rows])
    names = ("jerkiness", "activity", "gaze")
    published = published_study().correlations

    def measured(feature: str, axis: int, kept: np.ndarray) -> float:
        found = spearman(features[kept, names.index(feature)], perceived[kept, axis])
        assert found.statistic is not None
        return found.statistic

    for which, table in published.items():
        kept = np.ones(len(rows), dtype=bool)
        if which != "all":
            level, _, fixed = which.partition("_")
            column = features[:, names.index(fixed)]
            kept = column < 0.5 if level == "low" else column > 0.5
        for feature, values in table.items():
            for axis, r in enumerate(values):
                # Cells are all that is known of the people: how they used the scale is not.
                assert measured(feature, axis, kept) == pytest.approx(r, abs=0.12)


def test_forced_choices_follow_the_published_table() -> None:
    person = perceiver(7)
    for shown, row in published_study().recognition.items():
        answers = [person.choose(shown) for _ in range(3000)]
        for answer, count in row.items():
            assert answers.count(answer) / 3000 == pytest.approx(count / 15, abs=0.04)
            assert (answers.count(answer) == 0) == (count == 0)


def test_the_same_seed_answers_the_same() -> None:
    one, other = perceiver(11), perceiver(11)
    assert [one.answer("LHL") for _ in range(5)] == [other.answer("LHL") for _ in range(5)]


def test_an_emotion_that_was_not_shown_suggests_one_that_was() -> None:
    with pytest.raises(LookupError, match="did you mean 'happiness'"):
        perceiver().choose("happyness")


def test_recognition_counts_fifteen_answers_to_each_emotion() -> None:
    assert all(sum(row.values()) == 15 for row in published_study().recognition.values())

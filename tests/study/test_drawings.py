"""The pictures of pictorial scales: each differs from the next, and stays on its sheet."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.study._questionnaire_tables import DrawingName
from sera.study.drawings import MOST_PICTURES, Circle, Path, drawing, spoken_drawing

NAMES = get_args(DrawingName)


@given(st.sampled_from(NAMES), st.integers(2, MOST_PICTURES))
def test_pictures_differ_from_point_to_point_and_stay_on_their_sheet(
    name: DrawingName, points: int
) -> None:
    made = [drawing(name, point, points) for point in range(1, points + 1)]
    for one, next_one in pairwise(made):
        assert one != next_one
        assert (one.width, one.height) == (next_one.width, next_one.height)
    for one in made:
        json.dumps(one.as_json(), allow_nan=False)
        for shape in one.shapes:
            if isinstance(shape, Circle):
                assert shape.radius <= shape.x <= one.width - shape.radius
                assert shape.radius <= shape.y <= one.height - shape.radius
            elif isinstance(shape, Path):
                for _, numbers in shape.commands:
                    assert all(0 <= x <= one.width for x in numbers[::2])
                    assert all(0 <= y <= one.height for y in numbers[1::2])


def test_the_circles_come_nearer_by_equal_steps() -> None:
    apart = []
    for point in range(1, 8):
        left, right = drawing("ios", point, 7, ("You", "Robot")).shapes[:2]
        assert isinstance(left, Circle)
        assert isinstance(right, Circle)
        assert left.radius == right.radius
        apart.append(right.x - left.x)
    assert apart[0] == pytest.approx(66)  # they touch
    steps = [one - next_one for one, next_one in pairwise(apart)]
    assert steps == pytest.approx([steps[0]] * 6)
    assert apart[-1] > 0


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_is_told_in_words_of_its_own(name: DrawingName) -> None:
    for language in ("en", "pt", "pt-PT", "xx"):
        told = {spoken_drawing(name, point, 7, language) for point in range(1, 8)}
        assert len(told) == 7
    assert spoken_drawing(name, 1, 7, "pt") != spoken_drawing(name, 1, 7, "en")

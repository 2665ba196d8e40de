from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.emotion import PAD, sam_pad, sam_places, sam_score, tlx_load, tlx_weights
from sera.emotion.instruments import TLX_CHOICES, TLX_PARTS, SamLayout

PLACE = st.integers(1, 9)
LAYOUTS: list[SamLayout] = ["published", "rising"]


def test_the_published_sheet_has_happy_excited_and_dominated_on_the_left() -> None:
    for place in range(1, 10):
        assert sam_score(place, "pleasure") == (5 - place) / 4
        assert sam_score(place, "arousal") == (5 - place) / 4
        assert sam_score(place, "dominance") == (place - 5) / 4
    assert sam_pad(1, 1, 1) == PAD(1, 1, -1)
    assert sam_pad(5, 5, 5) == PAD.neutral()


def test_seras_own_form_grows_from_left_to_right() -> None:
    assert sam_pad(9, 9, 9, "rising") == PAD(1, 1, 1)
    assert sam_score(1, "pleasure", "rising") == -1.0


@given(PLACE, PLACE, PLACE, st.sampled_from(LAYOUTS))
def test_places_and_scores_undo_each_other(p: int, a: int, d: int, layout: SamLayout) -> None:
    assert sam_places(sam_pad(p, a, d, layout), layout) == (p, a, d)


@given(st.floats(-1.0, 1.0), st.sampled_from(LAYOUTS))
def test_any_emotion_has_places_nearby(value: float, layout: SamLayout) -> None:
    pad = PAD(value, -value, value / 2)
    back = sam_pad(*sam_places(pad, layout), layout)
    assert all(abs(x - y) <= 0.125 + 1e-9 for x, y in zip(pad.values, back.values, strict=True))


@pytest.mark.parametrize("bad", [0, 10, -1, 2.5, True])
def test_a_place_that_is_not_on_the_sheet_is_refused(bad: int) -> None:
    with pytest.raises(ValueError, match="whole number from 1 to 9"):
        sam_score(bad, "pleasure")
    with pytest.raises(ValueError, match="no axis 'valence'"):
        sam_score(3, "valence")


@given(st.lists(st.booleans(), min_size=15, max_size=15))
def test_weights_of_any_fifteen_choices_sum_to_fifteen(choices: list[bool]) -> None:
    chosen = [pair[one] for pair, one in zip(TLX_CHOICES, choices, strict=True)]
    weights = tlx_weights(chosen)
    assert sum(weights.values()) == 15
    assert all(0 <= weight <= 5 for weight in weights.values())
    even = dict.fromkeys(TLX_PARTS, 40.0)
    assert tlx_load(even, weights) == pytest.approx(40.0)


def test_the_load_is_the_weighted_mean() -> None:
    weights = dict(zip(TLX_PARTS, (5, 4, 3, 2, 1, 0), strict=True))
    ratings = dict(zip(TLX_PARTS, (100.0, 50.0, 0.0, 0.0, 0.0, 90.0), strict=True))
    assert tlx_load(ratings, weights) == pytest.approx((5 * 100 + 4 * 50) / 15)


def test_weights_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="15 pairs"):
        tlx_weights(["mental"])
    with pytest.raises(ValueError, match="'effort' is not of the pair mental and physical"):
        tlx_weights(["effort", *(pair[0] for pair in TLX_CHOICES[1:])])
    with pytest.raises(ValueError, match="sum to 6"):
        tlx_load(dict.fromkeys(TLX_PARTS, 1.0), dict.fromkeys(TLX_PARTS, 1))
    with pytest.raises(ValueError, match="missing for frustration"):
        tlx_load(dict.fromkeys(TLX_PARTS[:5], 1.0), dict.fromkeys(TLX_PARTS, 1))

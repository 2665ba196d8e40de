from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.emotion import PAD, Features, feature_map
from sera.emotion.perceiver import ResponseModel
from sera.emotion.published import CORNERS

AXIS = st.floats(-1.0, 1.0)
NAMED = ("happiness", "sadness", "fear", "calm", "anger", "neutral")
POINTS = [PAD.corner(corner) for corner in CORNERS] + [PAD.named(name) for name in NAMED]


@pytest.mark.parametrize("pad", POINTS)
def test_what_is_perceived_comes_nearer_than_by_the_documents_map(pad: PAD) -> None:
    model, calibrated = ResponseModel(), feature_map("calibrated")
    ours = model.mean(calibrated.features(pad)).distance(pad)
    assert ours <= model.mean(pad.features()).distance(pad) + 0.01


def test_no_other_features_would_be_seen_much_nearer() -> None:
    model, calibrated = ResponseModel(), feature_map("calibrated")
    steps = [0.125 + 0.05 * k for k in range(16)]
    for pad in POINTS:
        best = min(
            model.mean(Features(j, v, g)).distance(pad)
            for j in steps[::3]
            for v in steps
            for g in steps
        )
        assert calibrated.pad(calibrated.features(pad)).distance(pad) <= best + 0.03


def test_the_perceived_emotion_of_features_is_the_maps_inverse() -> None:
    calibrated = feature_map("calibrated")
    features = Features(0.3, 0.6, 0.7)
    assert calibrated.pad(features) == ResponseModel().mean(features)


@settings(deadline=None)
@given(st.builds(PAD, AXIS, AXIS, AXIS), st.builds(PAD, AXIS, AXIS, AXIS))
def test_near_emotions_have_near_features(pad: PAD, towards: PAD) -> None:
    calibrated, step = feature_map("calibrated"), 1e-4
    near = PAD(*(a + step * b for a, b in zip(pad.values, towards.values, strict=True)))
    apart = math.dist(calibrated.features(pad).values, calibrated.features(near).values)
    # Straight between nine points an axis: a whole feature over a cell of 0.25 at the steepest.
    assert apart <= 3.0 * step * 4.0 * math.sqrt(3.0)


@given(AXIS, AXIS, AXIS)
def test_only_features_that_were_shown_are_made_use_of(p: float, a: float, d: float) -> None:
    found = feature_map("calibrated").features(PAD(p, a, d)).values
    assert all(0.125 - 1e-9 <= value <= 0.875 + 1e-9 for value in found)

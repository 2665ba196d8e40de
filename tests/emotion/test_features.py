from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.emotion import PAD, Features, feature_map, features_of, map_names, register_map
from sera.emotion import features as features_file
from sera.emotion.features import FeatureMap, feature_rates_of

SHARE = st.floats(min_value=0.0, max_value=1.0)
AXIS = st.floats(min_value=-1.0, max_value=1.0)


@given(SHARE, SHARE, SHARE)
def test_the_documents_map_and_its_inverse_undo_each_other(j: float, v: float, g: float) -> None:
    features = Features(j, v, g)
    back = features_of(features.pad())
    assert back.values == pytest.approx(features.values, abs=1e-15)


@given(AXIS, AXIS, AXIS)
def test_features_of_any_emotion_lie_from_nought_to_one(p: float, a: float, d: float) -> None:
    assert all(0.0 <= value <= 1.0 for value in features_of(PAD(p, a, d)).values)


def test_emotions_beyond_the_space_have_the_features_of_its_ends() -> None:
    assert features_of(PAD(-3.0, 2.0, 9.0)).values == (1.0, 1.0, 1.0)


def test_features_beyond_their_range_are_clipped_and_nonsense_is_refused() -> None:
    assert Features(1.5, -0.5, 0.25).values == (1.0, 0.0, 0.25)
    with pytest.raises(ValueError, match="activity is nan"):
        Features(0.5, math.nan, 0.5)


def test_rates_of_features_are_those_of_the_map() -> None:
    step = 1e-6
    before, rate = PAD(0.1, -0.2, 0.3), (0.5, -0.25, 0.125)
    moved = (a + step * b for a, b in zip(before.values, rate, strict=True))
    after = features_of(PAD(*moved))
    measured = [
        (a - b) / step for a, b in zip(after.values, features_of(before).values, strict=True)
    ]
    assert list(feature_rates_of(rate)) == pytest.approx(measured, abs=1e-8)


def test_a_map_of_ones_own_is_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features_file, "_makers", dict(features_file._makers))
    monkeypatch.setattr(features_file, "_made", {})

    class Shy:
        def features(self, pad: PAD) -> Features:
            return Features(0.0, 0.0, 0.0)

        def pad(self, features: Features) -> PAD:
            return PAD(1.0, -1.0, -1.0)

    register_map("shy", Shy)
    found: FeatureMap = feature_map("shy")
    assert found.features(PAD(1, 1, 1)) == Features(0.0, 0.0, 0.0)
    assert map_names() == ("document", "calibrated", "shy")
    with pytest.raises(ValueError, match="already"):
        register_map("document", Shy)


def test_an_unknown_map_suggests_the_nearest_one() -> None:
    with pytest.raises(LookupError, match=r"did you mean 'document'\? \(known: document,"):
        feature_map("dokument")


def test_the_documents_map_is_the_one_without_a_name() -> None:
    pad = PAD(0.3, -0.4, 0.5)
    assert feature_map().features(pad) == pad.features()
    assert feature_map().pad(pad.features()) == pad.features().pad()

"""Lights have a brightness at rest, so that lids which lights show have something to dim."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.animation.body import BodyError, load_body

LIT = """
[robot]
title = "Lit"

[[lights]]
name = "eye"
neutral = 0.6

[[enslaving]]
channel = "Lights.Left"
method = "curve"
to = { eye = [[0.0, 0.0], [1.0, 1.0]] }

[[enslaving]]
channel = "Eyes.LeftLid"
method = "curve"
to = { eye = [[0.0, 1.0], [1.0, 0.0]] }
"""


def test_a_light_rests_at_its_neutral_and_lids_dim_it(tmp_path: Path) -> None:
    (tmp_path / "body.toml").write_text(LIT, encoding="utf-8")
    body = load_body(tmp_path)
    assert body.own["eye"].neutral == pytest.approx(0.6)
    assert body.rest["eye"] == pytest.approx(0.6)
    lights, lid = body.generic["Lights.Left"], body.generic["Eyes.LeftLid"]
    assert (lights.lower, lights.neutral, lights.upper) == pytest.approx((0.0, 0.6, 1.0))
    assert (lid.lower, lid.neutral, lid.upper) == pytest.approx((0.0, 0.0, 1.0))
    for asked, shown in ((0.0, 0.0), (0.25, 0.25), (0.6, 0.6), (1.0, 1.0)):
        assert body.resolve({"Lights.Left": asked})["eye"] == pytest.approx(shown)
    assert body.resolve({"Eyes.LeftLid": 0.0})["eye"] == pytest.approx(0.6)
    assert body.resolve({"Eyes.LeftLid": 0.5})["eye"] == pytest.approx(0.1)
    assert body.resolve({"Lights.Left": 1.0, "Eyes.LeftLid": 1.0})["eye"] == pytest.approx(0.0)


def test_a_light_is_dark_at_rest_unless_told_and_never_beyond_its_range(tmp_path: Path) -> None:
    file = tmp_path / "body.toml"
    file.write_text(LIT.replace("neutral = 0.6\n", ""), encoding="utf-8")
    assert load_body(tmp_path).own["eye"].neutral == 0.0
    file.write_text(LIT.replace("neutral = 0.6", "neutral = 1.5"), encoding="utf-8")
    with pytest.raises(BodyError, match=r"neutral: must be less than or equal to 1"):
        load_body(tmp_path)

"""Performances: what was authored is seen, on every body, within its limits."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.assets.repertoire import load_repertoire
from sera.animation.body import load_body
from sera.animation.sheets import perform, reached_share
from sera.animation.sheets._frames import best_view, moments
from tests.helpers import some_of

ROBOTS = Path(__file__).parents[3] / "robots"
NAMES = sorted(file.parent.name for file in ROBOTS.glob("*/body.toml"))


def of(name):
    body = load_body(ROBOTS / name)
    return body, load_repertoire(body, ROBOTS / "shared")


@pytest.mark.parametrize(
    ("name", "animation"),
    some_of(itertools.product(NAMES, ("nod", "shake", "affirm", "wave")), len(NAMES)),
)
def test_gestures_reach_nine_tenths_of_what_was_authored(name, animation):
    body, repertoire = of(name)
    reached = reached_share(body, repertoire.animation(animation), repertoire.posture("neutral"))
    assert reached
    assert min(reached.values()) >= 0.9, reached


@pytest.mark.parametrize(
    ("posture", "swing"),
    some_of(
        itertools.product(
            ("hot", "neutral", "cold"),
            (("nod", "Vertical"), ("shake", "Horizontal"), ("affirm", "Vertical")),
        ),
        3,
    ),
)
def test_the_gaze_of_adelino_swings_as_authored_in_every_posture(posture, swing):
    animation, axis = swing
    body, repertoire = of("adelino")
    authored = repertoire.animation(animation)
    lowest, highest = authored.channel(f"Gazing.{axis}").curve.value_range()
    gaze = perform(body, authored, repertoire.posture(posture)).gaze()
    assert gaze is not None
    swung = np.ptp(gaze[:, 0 if axis == "Horizontal" else 1])
    assert swung >= 0.9 * (highest - lowest)


@pytest.mark.parametrize("posture", some_of(("hot", "neutral", "cold", "sad"), 2))
def test_adelino_keeps_its_tip_off_the_table(posture):
    body, repertoire = of("adelino")
    tree = body.tree
    for animation in repertoire.animations.values():
        if posture == "sad" and "Gazing.Vertical" in animation.names:
            continue  # the posture looks down already
        for row in perform(body, animation, repertoire.posture(posture)).frames[::5]:
            own = dict(zip(body.own, row.tolist(), strict=True))
            angles = tree.angles_of({joint: own[joint] for joint in body.joints})
            assert tree.pose(angles, "head").position_m[1] > 0.0, animation.name


@pytest.mark.parametrize("name", some_of(NAMES, 3))
def test_breathing_leaves_the_gaze_where_it_is(name):
    body, repertoire = of(name)
    gaze = perform(body, repertoire.animation("breathe"), repertoire.posture("neutral")).gaze()
    if gaze is None:
        assert not any("Gazing" in each for each in repertoire.animation("breathe").names)
    else:
        assert np.degrees(np.abs(gaze).max()) < 3.0


def test_a_performance_ends_where_it_began():
    body, repertoire = of("nao")
    played = perform(body, repertoire.animation("wave"), repertoire.posture("neutral"))
    assert played.frames[-1] == pytest.approx(played.frames[0], abs=0.01)
    assert played.times_s[-1] >= repertoire.animation("wave").duration_s


def test_a_posture_alone_is_one_frame_and_looks_where_it_is_told():
    body, repertoire = of("adelino")
    played = perform(body, None, repertoire.posture("hot"), gaze_rad=(0.5, 0.4))
    assert played.frames.shape == (1, len(body.own))
    gaze = played.gaze()
    assert gaze is not None
    assert gaze[0] == pytest.approx([0.5, 0.4], abs=0.01)


def test_moments_run_from_beginning_to_end_and_meet_the_anchors():
    _, repertoire = of("nao")
    wave = repertoire.animation("wave")
    times = moments(wave, 8)
    assert len(times) == 8
    assert (times[0], times[-1]) == (0.0, pytest.approx(wave.duration_s))
    assert set(wave.anchors.values()) <= set(times)
    assert times == sorted(times)


def test_a_nod_is_shown_from_the_side_and_a_shake_is_not():
    body, repertoire = of("nao")
    for name, views in (("nod", {"side"}), ("shake", {"front", "corner"})):
        animation = repertoire.animation(name)
        played = perform(body, animation, repertoire.posture("neutral"))
        assert best_view(body, played, moments(animation, 8)) in views


def test_the_largest_swing_of_a_nod_is_down():
    _, repertoire = of("nao")
    lowest, highest = repertoire.animation("nod").channel("Gazing.Vertical").curve.value_range()
    assert math.degrees(lowest) == pytest.approx(-13.0)
    assert 0.0 < math.degrees(highest) < 5.0

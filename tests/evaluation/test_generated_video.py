"""Videos with known truth, and how well the tracker does on small sets of them."""

from __future__ import annotations

import time

import cv2
import numpy as np
import pytest

from sera.evaluation.perception._portraits import portrait
from sera.evaluation.perception._turned import turned
from sera.evaluation.perception.measure_video import (
    crossing_clip,
    id_swaps,
    measure_direction,
    measure_head_yaw,
    measure_return,
    measure_speed,
    play,
)
from sera.evaluation.perception.video import Actor, Clip, standing, swaying, walking
from tests.helpers import some_of

ALONE = Actor("a", "astronaut", standing(0.1, 0.0, 1.2))


def test_the_truth_is_where_the_camera_projects_the_path():
    clip = Clip([Actor("a", "astronaut", walking((0.4, 0, 1.5), (-0.4, 0.1, 1.0), 1.0))], fps=10)
    for number in (0, 5, 10, 20):
        _, (truth,) = clip.frame(number)
        assert truth.eyes_px == pytest.approx(clip.camera.project(truth.position_m))
        assert truth.visible > 0.95
    assert truth.position_m == pytest.approx((-0.4, 0.1, 1.0))  # standing at the end


def test_the_same_clip_draws_the_same_pictures_and_another_seed_others():
    first, again, other = (Clip([ALONE], seed=seed).frame(3)[0].picture for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_what_is_nearer_hides_what_is_behind_it():
    behind = Actor("b", "mirrored", standing(0.1, 0.0, 2.0))
    _, truths = Clip([ALONE, behind]).frame(0)
    visible = {truth.name: truth.visible for truth in truths}
    assert visible["a"] > 0.95
    assert visible["b"] < 0.05


def test_a_pillar_a_curtain_and_the_dark_hide_everybody():
    _, (truth,) = Clip([ALONE], pillar_px=(0, 640)).frame(0)
    assert truth.visible == 0.0
    _, truths = Clip([ALONE], curtain=lambda _t: True).frame(0)
    assert truths == []
    frame, _ = Clip([ALONE], light=lambda _t: 0.0, noise=0.0).frame(0)
    assert int(frame.picture.max()) == 0


@pytest.mark.parametrize("suffix", [".avi", ".mp4"])
def test_a_clip_becomes_a_file_with_as_many_pictures(tmp_path, suffix):
    path = Clip([ALONE], duration_s=0.4, fps=10).write(tmp_path / f"clip{suffix}")
    capture = cv2.VideoCapture(str(path))
    pictures = []
    while (read := capture.read())[0]:
        pictures.append(read[1])
    assert len(pictures) == 4
    assert pictures[0].shape == (480, 640, 3)
    assert capture.get(cv2.CAP_PROP_FPS) == pytest.approx(10)


def test_turning_moves_the_eyes_to_the_side_the_head_turns_to_and_none_turns_nothing():
    straight = portrait("astronaut")
    assert turned("astronaut", 0.0) is straight
    left, right, up = turned("astronaut", 20), turned("astronaut", -20), turned("astronaut", 0, 15)
    # The person's left is the right of the picture.
    assert left.eyes_px[0] > straight.eyes_px[0] > right.eyes_px[0]
    assert left.eyes_px[1] == pytest.approx(straight.eyes_px[1])
    assert up.eyes_px[1] < straight.eyes_px[1]


def test_an_unknown_portrait_is_named():
    with pytest.raises(ValueError, match="no portrait 'nobody'"):
        portrait("nobody")


def test_directions_are_right_to_three_degrees_in_good_and_bad_light():
    good = Clip([Actor("a", "astronaut", swaying((0, 0, 1.2), (0.4, 0.1, 0.2), 2.0))], 1.0, 15)
    bad = Clip(
        [Actor("b", "face_66", swaying((0, 0, 2.0), (0.6, 0.1, 0.2), 3.0))],
        1.0,
        15,
        seed=3,
        light=lambda _t: 0.5,
        blur_px=1.0,
        noise=8.0,
    )
    figures = measure_direction([good, bad])
    assert figures.p95_deg <= 3.0
    assert figures.found >= 0.95


def test_turned_heads_are_right_to_eight_degrees():
    errors = measure_head_yaw(["astronaut"], some_of((-30, -15, 15, 30), 2))
    assert max(errors.values()) <= 8.0, errors


def test_somebody_hidden_for_a_second_is_back_within_a_second():
    hidden = Clip([ALONE], duration_s=2.4, fps=15, curtain=lambda t: 0.6 < t < 1.7)
    assert measure_return(hidden, 1.7) <= 1.0


def test_somebody_who_walks_behind_a_pillar_comes_out_with_the_same_name():
    walker = Actor("a", "astronaut", walking((0.5, 0, 1.3), (-0.5, 0, 1.3), 2.4))
    played = play(Clip([walker], duration_s=2.4, fps=15, pillar_px=(250, 400)))
    names = [set(owners) for owners in played.owners() if owners]
    assert len(names) > 15
    assert set.union(*names) == {"person_1"}
    assert played.views[-1].people[0].position_m[0] < -0.3


@pytest.mark.parametrize("seed", some_of((1, 4)))
def test_two_who_cross_keep_their_names(seed):
    clip = crossing_clip(seed, fps=15)
    assert id_swaps(clip) == 0


def test_two_blurred_strangers_who_cross_keep_their_names():
    assert id_swaps(crossing_clip(7, ("face_66", "face_10"), fps=15)) == 0


def test_how_fast_pictures_are_looked_at_is_measured():
    figures = measure_speed(Clip([ALONE], duration_s=0.6, fps=15), time.process_time)
    assert figures.rate_hz > 0.0
    assert figures.p50_s > 0.0

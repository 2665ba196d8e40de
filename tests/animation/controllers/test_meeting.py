"""A moment of a gesture under way comes at another time: on time, without a kink."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.animator import Animator
from sera.animation.controllers.meeting import QUICKEST, SLOWEST, Meeting
from sera.animation.stage_set import StageSet
from sera.messages import PlayAnimation, RetimeAnimation

ROOT = Path(__file__).parents[3]
DT_S = 0.02


@given(st.floats(0.3, 0.9), st.floats(0.4, 2.5), st.floats(0.8, 1.5))
def test_a_moment_comes_when_it_was_asked_for_within_what_stays_the_same_gesture(left, speed, by):
    meeting, time_s, took_s = Meeting(1.0, (1.0 - left) / speed * by), left, 0.0
    while not meeting.is_over(time_s):
        passed_s = meeting.passes(DT_S, time_s, speed)
        assert SLOWEST - 1e-9 <= passed_s / DT_S / speed <= QUICKEST + 1e-9
        time_s, took_s = time_s + passed_s, took_s + DT_S
    earliest_s = (1.0 - left) / speed / QUICKEST
    latest_s = (1.0 - left) / speed / SLOWEST
    wanted_s = min(max((1.0 - left) / speed * by, earliest_s), latest_s)
    assert took_s == pytest.approx(wanted_s, abs=0.05 + 2 * DT_S)


@pytest.mark.parametrize(("in_s", "apex_s"), [(0.22, 0.42), (0.42, 0.62)])
def test_a_nod_under_way_has_its_stroke_with_the_word_that_moved(in_s, apex_s):
    animator = Animator(StageSet.find(ROOT / "robots" / "nao", (ROOT,)).program())
    for _ in range(20):
        animator.step()
    animator.handle(PlayAnimation(animation="nod"), "nod-1")
    pitch = []
    for frame in range(60):
        if frame == 10:  # 0.2 s on its way, and its stroke would be at 0.52 s
            order = RetimeAnimation(action="nod-1", anchors={"stroke": in_s})
            animator.handle(order, "")
            animator.handle(RetimeAnimation(action="gone", anchors={"stroke": 0.1}), "")
        pitch.append(animator.step()["HeadPitch"])
    assert np.argmax(pitch) * DT_S == pytest.approx(apex_s, abs=0.05)
    with pytest.raises(LookupError, match="did you mean 'stroke'"):
        animator.handle(RetimeAnimation(action="nod-1", anchors={"strok": 0.1}), "")

"""Engagement: levels come in order, glances do not count, and noise makes nothing flicker."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.messages import Engagement
from sera.people import EngagementJudge, EngagementSettings, Signs

LOOKS = Signs(distance_m=1.2, looks_at_robot=True, off_deg=2.0)
AWAY = Signs(distance_m=1.2, looks_at_robot=False, off_deg=90.0)
FACES = Signs(distance_m=1.2, looks_at_robot=False, off_deg=25.0)
NOTHING = Signs(distance_m=1.2)
STEP_S = 0.05


def play(judge, signs, begin_s, end_s):
    """The changes while the same is observed, with their times."""
    changes = []
    for number in range(round((end_s - begin_s) / STEP_S)):
        now_s = begin_s + (number + 1) * STEP_S
        change = judge.step(signs, now_s)
        if change is not None:
            changes.append((now_s, change))
    return changes


def test_who_looks_at_the_robot_engages_and_is_engaged_after_the_times_of_the_settings():
    judge, settings = EngagementJudge(), EngagementSettings()
    judge.step(LOOKS, 0.0)
    changes = play(judge, LOOKS, 0.0, 3.0)
    assert [change.level for _, change in changes] == [Engagement.ENGAGING, Engagement.ENGAGED]
    assert changes[0][0] == pytest.approx(settings.rises_s * math.log(1 / 0.7), abs=STEP_S)
    assert changes[1][0] == pytest.approx(settings.rises_s * math.log(4), abs=STEP_S)
    assert changes[1][1].previous is Engagement.ENGAGING
    assert changes[1][1].reason.startswith("looks at the robot for 1.")


def test_who_looks_away_disengages_step_by_step():
    judge, settings = EngagementJudge(), EngagementSettings()
    judge.step(LOOKS, 0.0)
    play(judge, LOOKS, 0.0, 10.0)
    changes = play(judge, AWAY, 10.0, 20.0)
    assert [change.level for _, change in changes] == [
        Engagement.DISENGAGING,
        Engagement.DISENGAGED,
    ]
    assert changes[0][0] - 10 == pytest.approx(settings.falls_s * math.log(2.5), abs=0.1)
    assert changes[1][0] - 10 == pytest.approx(settings.falls_s * math.log(10), abs=0.1)


def test_a_glance_engages_nobody_and_a_glance_aside_disengages_nobody():
    judge = EngagementJudge()
    judge.step(AWAY, 0.0)
    assert [c.level for _, c in play(judge, AWAY, 0.0, 5.0)] == [Engagement.DISENGAGED]
    assert play(judge, LOOKS, 5.0, 5.25) == []
    assert play(judge, AWAY, 5.25, 8.0) == []
    play(judge, LOOKS, 8.0, 14.0)
    assert judge.level is Engagement.ENGAGED
    assert play(judge, AWAY, 14.0, 15.0) == []
    assert play(judge, LOOKS, 15.0, 16.0) == []


def test_facing_roughly_keeps_somebody_engaged_but_makes_nobody_engaged():
    judge = EngagementJudge()
    judge.step(FACES, 0.0)
    play(judge, FACES, 0.0, 30.0)
    assert judge.level is Engagement.ENGAGING
    play(judge, LOOKS, 30.0, 33.0)
    assert play(judge, FACES, 33.0, 60.0) == []
    assert judge.level is Engagement.ENGAGED


def test_who_is_far_away_is_not_engaged_and_who_was_may_go_a_little_farther():
    far, edge = (Signs(distance_m=d, looks_at_robot=True, off_deg=0.0) for d in (4.0, 3.3))
    judge = EngagementJudge()
    judge.step(far, 0.0)
    play(judge, far, 0.0, 5.0)
    assert judge.level is Engagement.DISENGAGED
    assert play(judge, edge, 5.0, 8.0) == []
    play(judge, LOOKS, 8.0, 12.0)
    assert play(judge, edge, 12.0, 20.0) == []
    changes = play(judge, far, 20.0, 30.0)
    assert changes[0][1].reason == "is 4.0 m away"
    assert judge.level is Engagement.DISENGAGED


def test_speech_counts_where_nobody_sees_the_face_and_holds_up_a_talk_with_looks_aside():
    judge = EngagementJudge()
    unseen_voice = Signs(distance_m=1.2, speaking=True)
    judge.step(unseen_voice, 0.0)
    changes = play(judge, unseen_voice, 0.0, 3.0)
    assert changes[-1][1].level is Engagement.ENGAGED
    assert changes[-1][1].reason == "speaks to the robot"
    aside = Signs(distance_m=1.2, looks_at_robot=False, off_deg=60.0, speaking=True)
    play(judge, LOOKS, 3.0, 4.0)
    assert play(judge, aside, 4.0, 6.9) == []


def test_without_signs_nothing_is_known_and_what_was_known_stands_for_a_while():
    judge = EngagementJudge()
    assert play(judge, NOTHING, 0.0, 30.0) == []
    assert judge.level is Engagement.UNKNOWN
    play(judge, LOOKS, 30.0, 35.0)
    changes = play(judge, NOTHING, 35.0, 45.0)
    assert [change.level for _, change in changes] == [Engagement.UNKNOWN]
    assert changes[0][0] == pytest.approx(35.0 + judge.settings.holds_s, abs=0.11)


def test_who_leaves_is_disengaged_once():
    judge = EngagementJudge()
    judge.step(LOOKS, 0.0)
    play(judge, LOOKS, 0.0, 2.0)
    change = judge.leave()
    assert change is not None
    assert (change.level, change.previous) == (Engagement.DISENGAGED, Engagement.ENGAGED)
    assert judge.leave() is None


@given(seed=st.integers(0, 10_000), part=st.floats(0.1, 0.9))
def test_flickering_looks_change_the_level_seldom(seed, part):
    source, judge, changes, flips, before = random.Random(seed), EngagementJudge(), 0, 0, AWAY
    for number in range(600):
        signs = LOOKS if source.random() < part else AWAY
        flips += signs is not before
        before = signs
        changes += judge.step(signs, number * 0.1) is not None
    # A minute of noise at ten pictures a second, with hundreds of looks to and fro.
    assert changes <= min(24, 0.25 * flips + 3)


@given(
    pattern=st.lists(
        st.tuples(st.sampled_from([LOOKS, AWAY, FACES, NOTHING]), st.floats(0.01, 3.0)),
        max_size=40,
    )
)
def test_levels_follow_each_other_in_order(pattern):
    follows = {
        Engagement.UNKNOWN: {Engagement.ENGAGING, Engagement.ENGAGED, Engagement.DISENGAGED},
        Engagement.ENGAGING: {Engagement.ENGAGED, Engagement.DISENGAGED, Engagement.UNKNOWN},
        Engagement.ENGAGED: {Engagement.DISENGAGING, Engagement.UNKNOWN},
        Engagement.DISENGAGING: {Engagement.ENGAGED, Engagement.DISENGAGED, Engagement.UNKNOWN},
        Engagement.DISENGAGED: {Engagement.ENGAGING, Engagement.ENGAGED, Engagement.UNKNOWN},
    }
    judge, now_s = EngagementJudge(), 0.0
    for signs, for_s in pattern:
        now_s += for_s
        before = judge.level
        change = judge.step(signs, now_s)
        assert 0.0 <= judge.attention <= 1.0
        if change is not None:
            assert change.previous is before
            assert change.level in follows[before]

"""What `make bench-alive` measures with, on motion whose answer is known beforehand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks._alive_contacts import Contacts
from benchmarks._alive_gaze import Errors, measure_errors
from benchmarks._alive_runs import Fact, Played
from sera.animation.body import load_body
from sera.evaluation.motion import traces
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
STEP_S = 0.02
TIMES = np.arange(0.0, 4.0, STEP_S)


def turning(yaws_deg):
    return np.array([traces.axis_of(yaw, 0.0) for yaw in yaws_deg])


def test_angles_between_looks_are_exact_and_travels_add_up():
    axes = turning([0.0, 30.0, -30.0, -30.001])
    assert traces.apart_deg(axes[1:], axes[:-1]) == pytest.approx([30.0, 60.0, 0.001])
    assert traces.travel_deg(axes) == pytest.approx(90.001)
    assert traces.axis_of(90.0, 0.0) == pytest.approx([-1.0, 0.0, 0.0])  # +X is to the left


def test_a_motion_that_ends_rests_and_a_limit_cycle_never_does():
    comes = np.exp(-4.0 * TIMES)[:, None]
    off = math.log(100.0) / 4.0
    assert traces.rest_s(comes, STEP_S, 0.01) == pytest.approx(off, abs=2 * STEP_S)
    assert traces.rest_s(np.zeros((9, 2)), STEP_S, 0.01) == 0.0
    swings = np.stack([0.1 * np.sin(9.0 * TIMES), np.zeros_like(TIMES)], axis=1)
    assert math.isinf(traces.rest_s(swings, STEP_S, 0.01))
    assert traces.residual_swing(swings) == pytest.approx(0.2, abs=0.002)


def test_the_peak_speed_of_a_hand_on_a_circle_is_its_radius_times_its_rate():
    turn = 3.0 * TIMES
    places = 0.4 * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    assert traces.peak_speed(places, STEP_S) == pytest.approx(1.2, rel=0.01)


def test_a_nod_counts_by_its_swing_whether_the_gaze_shifts_meanwhile_or_not():
    nods = np.where(TIMES < 2.0, 4.0 * (1.0 - np.cos(2.0 * math.pi * TIMES)), 0.0)  # two of 8°
    shift = np.interp(TIMES, [2.0, 3.0], [0.0, 40.0])
    assert traces.nodding(nods, 0.5) == pytest.approx(16.0, abs=1.0)
    assert traces.nodding(nods + shift, 0.5) == pytest.approx(16.0, abs=1.0)
    drowned = nods + np.interp(TIMES, [0.0, 2.0], [0.0, 80.0])
    assert traces.nodding(drowned, 0.5) < 4.0
    assert traces.nodding(shift + 0.1 * np.sin(50.0 * TIMES), 0.5) == 0.0


@pytest.mark.parametrize("stroke_s", [0.3, 0.64, 1.2])
def test_an_apex_is_where_the_first_stroke_turns_or_stands_and_not_its_preparation(stroke_s):
    waves = np.interp(TIMES, [0.0, 0.1, stroke_s, stroke_s + 0.3, stroke_s + 0.6], [0, 0, 1, 0, 1])
    stands = np.interp(TIMES, [0.0, 0.1, stroke_s], [0.0, 0.0, 1.0])
    prepares = np.interp(TIMES, [0.0, 0.1, stroke_s, 3.0], [0.0, -0.3, 1.0, 0.0])
    for trace in (waves, stands, prepares):
        assert traces.apex_s(trace, STEP_S) == pytest.approx(stroke_s, abs=STEP_S)
    assert traces.apex_s(np.zeros(9), STEP_S) is None
    assert traces.reached_s(stands, STEP_S, 0.5) == pytest.approx(
        0.1 + 0.5 * (stroke_s - 0.1), abs=0.03
    )


def test_a_face_stands_until_it_turns_elsewhere():
    yaws = np.interp(TIMES, [0.5, 0.7, 1.0, 1.2, 3.0, 3.2], [0.0, 30.0, 30.0, -20.0, -20.0, 0.0])
    wobbles = 0.02 * np.sin(20.0 * TIMES)
    stands = traces.fixations(turning(yaws + wobbles), STEP_S)
    lasted_s = [(last - first + 1) * STEP_S for first, last in stands]
    assert lasted_s == pytest.approx([0.3, 1.8], abs=0.05)


# -- gaze -------------------------------------------------------------------------------------


def looked(*facts, seconds=6.0, **joints):
    """Adelino in `hello`, with a pose that it keeps."""
    scenario = load_scenario("hello", Workspace([ROOT], built_in=ROOT))
    body = load_body(ROOT / "robots" / "adelino")
    own = {name: spec.neutral for name, spec in body.own.items()} | joints
    times_s = np.arange(0.0, seconds, STEP_S)
    rows = [Fact(time_s, kind, data, "", None) for time_s, kind, data in facts]
    errors = Errors()
    measure_errors(Played(scenario, "ada", body, times_s, [own] * len(times_s), rows), errors)
    return errors


def seen(person, x_m, y_m, z_m):
    return (
        0.0,
        "PersonDetected",
        {"person": person, "position": {"x_m": x_m, "y_m": y_m, "z_m": z_m}},
    )


def gaze(time_s, target):
    return time_s, "Gaze", {"target": target, "direction": None}


def test_the_face_is_measured_from_where_it_is_to_whom_the_label_names():
    """Upright, Adelino's tip is 1.1 m above its plate and faces upwards."""
    errors = looked(seen("kim", 0.0, 3.1, 0.0), gaze(0.0, "person"))
    assert len(errors.off) > 10
    assert max(errors.off) < 1e-6
    errors = looked(seen("kim", 0.0, 2.1, 1.0), gaze(0.0, "kim"))
    assert errors.off == pytest.approx([45.0] * len(errors.off))
    told = looked(seen("kim", 0.0, 2.1, 1.0), gaze(0.0, "person = kim"))
    assert told.off == errors.off
    assert looked(seen("kim", 0.0, 2.1, 1.0), gaze(0.0, "random")).off == []


def test_aliases_are_followed_and_a_new_target_has_time_to_be_looked_at():
    alias = (0.0, "TargetUpdated", {"target": "boss", "alias_of": "kim"})
    errors = looked(seen("kim", 0.0, 3.1, 0.0), alias, gaze(0.0, "boss"), gaze(3.0, "guest"))
    above = [off for off in errors.off if off < 1.0]
    assert len(above) == pytest.approx((3.0 - 1.5) / 0.1, abs=2)
    assert len(errors.off) - len(above) == pytest.approx((3.0 - 1.5) / 0.1, abs=2)


def test_a_published_shortfall_is_taken_off_and_an_averted_gaze_is_exempt():
    short = {"target": "kim", "shortfall_deg": 30.0, "because": "neck at its end"}
    kim = seen("kim", 0.0, 2.1, 1.0), gaze(0.0, "kim")
    errors = looked(*kim, (0.0, "GazeState", short))
    assert errors.beyond == pytest.approx([15.0] * len(errors.off))
    errors = looked(*kim, (0.0, "GazeState", {**short, "because": "averted by emotion"}))
    assert errors.off == []
    assert errors.exempt == pytest.approx([45.0] * len(errors.exempt))
    assert len(errors.exempt) > 10


# -- contacts ---------------------------------------------------------------------------------

ARM = """
[robot]
title = "Arm"
[[joints]]
name = "lift"
axis = "x"
length_m = 0.5
lower_deg = -180
upper_deg = 180
[[joints]]
name = "fold"
axis = "x"
length_m = 0.4
lower_deg = -180
upper_deg = 180
[[shapes]]
points_m = [[0.0, 0.05, 0.0]]
radius_m = 0.05
[[shapes]]
joint = "fold"
points_m = [[0.0, 0.1, 0.0], [0.0, 0.4, 0.0]]
radius_m = 0.04
"""


@pytest.mark.parametrize("fold_deg", [0.0, 90.0, 180.0])
def test_depths_are_those_of_the_capsules(tmp_path, fold_deg):
    """A forearm of 40 cm, hinged at 50 cm above the ground, over a ball on the ground."""
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "body.toml").write_text(ARM, encoding="utf-8")
    body = load_body(tmp_path / "arm")
    contacts = Contacts(body)
    inside, over = contacts.measure_m({"lift": 0.0, "fold": math.radians(fold_deg)})
    tip_m = 0.5 + 0.4 * math.cos(math.radians(fold_deg))
    assert over == pytest.approx(min(tip_m, 0.5 + 0.1 * math.cos(math.radians(fold_deg))) - 0.04)
    if fold_deg == 180.0:
        assert inside == pytest.approx(tip_m - 0.05 - 0.04 - 0.05)

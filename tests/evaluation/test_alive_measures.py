"""What `make bench-alive` measures with, on motion whose answer is known beforehand."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks._alive_gaze import Errors, gaze_figures, measure_errors
from benchmarks._alive_motion import Contacts
from benchmarks._alive_runs import Fact, Played, Stage
from benchmarks._alive_strokes import LONGEST_WAIT_S, measure_offsets, play_lines
from sera.animation.body import load_body
from sera.animation.body.ground import hulls_of
from sera.animation.stage_set import StageSet
from sera.evaluation.motion import traces
from sera.evaluation.motion.actor import Actor, angles_of, places_m
from sera.kinematics.rotations import rotate
from sera.messages import PlayAnimation
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from tests.helpers import some_of

ROOT = Path(__file__).parents[2]
ROBOTS = sorted(file.parent.name for file in (ROOT / "robots").glob("*/body.toml"))
ARMED = ("nao", "pepper", "romeo")
STEP_S = 0.02
TIMES = np.arange(0.0, 4.0, STEP_S)


def turning(yaws_deg):
    yaws = np.radians(yaws_deg)
    return np.stack([np.sin(yaws), 0.0 * yaws, np.cos(yaws)], axis=1)


def test_angles_between_looks_are_exact_travels_add_up_and_speeds_are_those_of_a_circle():
    axes = turning([0.0, 30.0, -30.0, -30.001])
    assert traces.apart_deg(axes[1:], axes[:-1]) == pytest.approx([30.0, 60.0, 0.001])
    assert traces.travel_deg(axes) == pytest.approx(90.001)
    assert traces.peak_speed(0.4 * turning(100.0 * TIMES), STEP_S) == pytest.approx(0.698, rel=0.01)


def test_a_motion_that_ends_rests_and_a_limit_cycle_never_does():
    comes = np.exp(-4.0 * TIMES)[:, None]
    frames, swing = traces.rest(comes, 0.01)
    assert frames * STEP_S == pytest.approx(math.log(100.0) / 4.0, abs=2 * STEP_S)
    assert 0.0 < swing < 0.001
    assert traces.rest(np.zeros((9, 2)), 0.01) == (0.0, 0.0)
    swings = np.stack([0.1 * np.sin(9.0 * TIMES), np.zeros_like(TIMES)], axis=1)
    assert traces.rest(swings, 0.01) == (math.inf, pytest.approx(0.2, abs=0.002))


def test_a_nod_counts_by_its_swing_whether_the_gaze_shifts_meanwhile_or_not():
    nods = np.where(TIMES < 2.0, 4.0 * (1.0 - np.cos(2.0 * math.pi * TIMES)), 0.0)  # two of 8°
    shift = np.interp(TIMES, [2.0, 3.0], [0.0, 40.0])
    assert traces.nodding(nods, 0.5) == pytest.approx(8.0, abs=0.1)
    assert traces.nodding(nods + shift, 0.5) == pytest.approx(8.0, abs=0.1)
    drowned = nods + np.interp(TIMES, [0.0, 2.0], [0.0, 80.0])
    assert traces.nodding(drowned, 0.5) == 0.0
    assert traces.nodding(shift + 0.1 * np.sin(50.0 * TIMES), 0.5) == 0.0


@pytest.mark.parametrize("stroke_s", [0.3, 0.64, 1.2])
def test_an_apex_is_where_the_first_stroke_turns_or_stands_and_not_its_preparation(stroke_s):
    waves = np.interp(TIMES, [0.0, 0.1, stroke_s, stroke_s + 0.3, stroke_s + 0.6], [0, 0, 1, 0, 1])
    stands = np.interp(TIMES, [0.0, 0.1, stroke_s], [0.0, 0.0, 1.0])
    prepares = np.interp(TIMES, [0.0, 0.1, stroke_s, 3.0], [0.0, -0.3, 1.0, 0.0])
    for trace in (waves, stands, prepares):
        assert traces.apex(trace) * STEP_S == pytest.approx(stroke_s, abs=STEP_S)
    assert traces.apex(np.zeros(9)) is None
    half_s = 0.1 + 0.5 * (stroke_s - 0.1)
    assert traces.reached(stands, 0.5) * STEP_S == pytest.approx(half_s, abs=0.03)


def test_a_face_stands_until_it_turns_elsewhere():
    yaws = np.interp(TIMES, [0.5, 0.7, 1.0, 1.2, 3.0, 3.2], [0.0, 30.0, 30.0, -20.0, -20.0, 0.0])
    wobbles = 0.02 * np.sin(20.0 * TIMES)
    stands = traces.fixations(turning(yaws + wobbles), STEP_S)
    lasted_s = [(last - first + 1) * STEP_S for first, last in stands]
    assert lasted_s == pytest.approx([0.3, 1.8], abs=0.05)


def looked(*facts, seconds=6.0, **joints):
    """Adelino in `hello`, with a pose that it keeps."""
    scenario = load_scenario("hello", Workspace([ROOT], built_in=ROOT))
    body = load_body(ROOT / "robots" / "adelino")
    own = {name: spec.neutral for name, spec in body.own.items()} | joints
    times_s = np.arange(0.0, seconds, STEP_S)
    frames = np.tile(list(own.values()), (len(times_s), 1))
    rows = [Fact(time_s, kind, data, "", None) for time_s, kind, data in facts]
    measure_errors(Played(scenario, "ada", body, times_s, frames, rows), errors := Errors())
    return errors


def seen(person, x_m, y_m, z_m):
    place = {"x_m": x_m, "y_m": y_m, "z_m": z_m}
    return 0.0, "PersonDetected", {"person": person, "position": place}


def gaze(time_s, target):
    return time_s, "Gaze", {"target": target, "direction": None}


def test_the_face_is_measured_from_where_it_is_to_whom_the_label_names():
    """Upright, Adelino's tip is 1.1 m above its plate and faces upwards."""
    errors = looked(seen("kim", 0.0, 3.1, 0.0), gaze(0.0, "person = kim"))
    assert len(errors.off) > 10
    assert max(errors.off) < 1e-6
    errors = looked(seen("kim", 0.0, 2.1, 1.0), gaze(0.0, "kim"))
    assert errors.off == pytest.approx([45.0] * len(errors.off))
    assert looked(seen("kim", 0.0, 2.1, 1.0), gaze(0.0, "random")).off == []


def test_a_new_target_has_time_to_be_looked_at():
    guest = seen("guest", 0.0, 1.1, 2.0)
    kim = seen("kim", 0.0, 3.1, 0.0), gaze(0.0, "boss = kim")
    errors = looked(*kim, guest, gaze(3.0, "guest"))
    above = [off for off in errors.off if off < 1.0]
    assert len(above) == pytest.approx((3.0 - 1.5) / 0.1, abs=2)
    assert errors.off[len(above) :] == pytest.approx([90.0] * (len(errors.off) - len(above)))


def test_a_published_shortfall_is_taken_off_and_an_averted_gaze_is_exempt():
    short = {"target": "kim", "shortfall_deg": 30.0, "because": "neck at its end"}
    kim = seen("kim", 0.0, 2.1, 1.0), gaze(0.0, "kim")
    errors = looked(*kim, (0.0, "GazeState", short))
    assert errors.beyond == pytest.approx([15.0] * len(errors.off))
    errors = looked(*kim, (0.0, "GazeState", {**short, "because": "averted by emotion"}))
    assert errors.off == []
    assert errors.exempt["averted"] == pytest.approx([45.0] * 45, abs=0.01)
    said, _ = gaze_figures(Errors([1.0], [0.0], {"averted": [45.0] * 3}))
    assert said.endswith("; 75% averted, median 45.0°")


def test_a_stroke_is_found_where_the_hand_is_out_and_held_against_its_word():
    """The hand of NAO, that waves a second after the beginning; the word is heard 0.3 s later."""
    stage_set = StageSet.find(ROOT / "robots" / "nao", (ROOT,), seed=1)
    actor = Actor(stage_set)
    frames = np.vstack([actor.run(1.0), actor.do_and_run(3.0, PlayAnimation(animation="wave"))])
    facts = [
        Fact(0.5, "PerformUtterance", {"line": "l1"}, "u", None),
        Fact(1.0, "PlayAnimation", {"animation": "wave"}, "p", "u"),
        Fact(1.2, "Speak", {}, "s", "u"),
        Fact(1.3, "SpeechWord", {"speech": "s"}, "w", "s"),
    ]
    times_s = actor.step_s * np.arange(len(frames))
    played = Played(None, "ada", actor.body, times_s, frames, facts)
    found = measure_offsets(played, {"l1": "<ANIMATE(wave)> Hello."})
    hand = places_m(actor.body, frames, "right_hand")
    away = np.linalg.norm(hand - hand[0], axis=1)
    out_s = times_s[int(np.argmax(away > 0.9 * away.max()))] - 1.3
    assert [out_s <= offset_s <= out_s + 0.15 for offset_s in found.leading] == [True]
    assert found.waits == pytest.approx([0.8])
    assert measure_offsets(played, {"l1": "<ANIMATE(shrug)> Hello."}).missing == 1


@pytest.mark.parametrize("robot", some_of(ROBOTS, 1, seed=20))
def test_strokes_meet_their_words_in_a_run_with_a_silent_voice(tmp_path, robot):
    stage = Stage(tmp_path, [523], [robot], quick=True)
    found = play_lines(stage, robot, "silent", every=7)
    assert len(found.leading + found.inside) >= 5
    assert found.share >= 0.85, found
    assert max(found.waits) <= LONGEST_WAIT_S + 0.01


@pytest.mark.parametrize("robot", ["adelino", *some_of(ARMED, 1, seed=20)])
def test_depths_are_those_of_balls_that_are_strewn_over_the_hulls(robot):
    body = load_body(ROOT / "robots" / robot)
    chance, contacts, specs = np.random.default_rng(3), Contacts(body), list(body.own.values())
    frames = [np.array([chance.uniform(s.lower, s.upper) for s in specs]) for _ in range(60)]
    ours = np.array([contacts.depths_m(frame) for frame in frames])
    assert ours.max() > 0.03  # something touched
    missed_m = ours - strewn_depths_m(body, frames)  # between balls there is more of a hull
    assert missed_m.min() > -0.001
    assert missed_m.max() < 0.01


def strewn_depths_m(body, frames):
    """By pairs of hulls that are two joints apart and clear in neutral, and by the lowest balls."""
    tree, rng, hulls = body.tree, np.random.default_rng(0), hulls_of(body)[0]
    parents, names = {joint.name: joint.parent for joint in tree.joints}, list(tree.frame_names)
    mixes = [rng.dirichlet(np.full(len(hull.points_m), 0.5), 150) for hull in hulls]
    mixes = [np.vstack([np.eye(mix.shape[1]), mix]) for mix in mixes]
    radii = [mix @ hull.radii_m for mix, hull in zip(mixes, hulls, strict=True)]

    def carry(hull, mix, places, turns):
        still = mix @ hull.points_m
        at = None if hull.joint is None else names.index(hull.joint)
        return still if at is None else places[at] + rotate(turns[at], still)

    def balls(frame):
        at = tree.forward(angles_of(body, frame))
        return [carry(hull, mix, *at) for hull, mix in zip(hulls, mixes, strict=True)]

    def depth_m(points, a, b):
        apart = np.linalg.norm(points[a][:, None] - points[b], axis=2)
        return (radii[a][:, None] + radii[b] - apart).max()

    def height_m(points):
        return min((each[:, 1] - radius).min() for each, radius in zip(points, radii, strict=True))

    def way(joint):
        return {joint, *way(parents[joint])} if joint else set()

    def are_apart(a, b):
        between = [names.index(each) for each in way(hulls[a].joint) ^ way(hulls[b].joint)]
        places = tree.forward(tree.neutral)[0][between]
        return len(places) > 1 and np.ptp(places, axis=0).max() > 0.001

    rest = balls(np.array([spec.neutral for spec in body.own.values()]))
    pairs = [each for each in itertools.combinations(range(len(hulls)), 2) if are_apart(*each)]
    pairs = [pair for pair in pairs if depth_m(rest, *pair) < 0.0]
    inside = [max([0.0, *(depth_m(now, *pair) for pair in pairs)]) for now in map(balls, frames)]
    below = [max(0.0, height_m(rest) - height_m(balls(frame))) for frame in frames]
    return np.stack([inside, below], axis=1)

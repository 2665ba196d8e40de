"""Simulated bodies and heads: nobody jumps, everybody arrives, cameras see what they could."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.space import Angles, Frame
from sera.people.simulated import (
    Box,
    Figure,
    Head,
    SenseSettings,
    SimulatedCamera,
    SimulatedTracker,
    Walker,
    hides_body,
)
from sera.people.simulated._head import HEAD_DEG_S, HEAD_DEG_S2
from sera.people.simulated._walk import ACCELERATION_M_S2, HASTE_M_S2, MOST_M_S, SLICE_S

POINTS = st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=1, max_size=4)
HAIR = 1e-9
TO_CAMERA = Angles(180.0, 0.0)
CAMERA = SimulatedCamera(Frame.from_degrees((0.0, 1.3, 0.0)), 60.0)
EXACT = SenseSettings(noise_m=0.0, noise_deg=0.0, misses_part=0.0, confirms_after=1)


@given(ways=st.lists(st.tuples(POINTS, st.floats(0.1, 5.0), st.booleans()), min_size=1, max_size=4))
def test_walkers_keep_the_speed_and_the_acceleration_of_people_and_arrive(ways):
    walker, hasty = Walker((0.0, 0.0), 1.6), False
    for way, speed, haste in ways:
        walker.go(way, speed, haste=haste)
        hasty = hasty or haste
        before = (walker.x_m, walker.z_m)
        velocity = walker.velocity_m_s
        limit = HASTE_M_S2 if haste else ACCELERATION_M_S2
        for _ in range(100):
            walker.advance(SLICE_S)
            moved = math.dist(before, (walker.x_m, walker.z_m))
            assert moved <= MOST_M_S * SLICE_S + HAIR
            assert math.dist(velocity, walker.velocity_m_s) <= limit * SLICE_S + HAIR
            before, velocity = (walker.x_m, walker.z_m), walker.velocity_m_s
    walker.go([ways[-1][0][-1]], 1.2)
    walker.advance(60.0)
    assert walker.arrived
    assert math.dist((walker.x_m, walker.z_m), ways[-1][0][-1]) < 0.05
    assert walker.speed_m_s == pytest.approx(0.0, abs=1e-6)


def test_sitting_down_takes_its_time():
    walker = Walker((0.0, 0.0), 1.6)
    walker.rise_to(1.2)
    walker.advance(0.2)
    assert 1.2 < walker.y_m < 1.6
    walker.advance(1.0)
    assert walker.y_m == pytest.approx(1.2)


@given(aims=st.lists(st.tuples(st.floats(-180, 180), st.floats(-60, 60)), min_size=1, max_size=5))
def test_heads_turn_within_the_limits_of_necks_and_eyes_lead(aims):
    head, speeds = Head(random.Random(1)), [0.0, 0.0]
    for number, aim in enumerate(aims):
        for _ in range(60):
            face = head.face
            head.advance(number, Angles(*aim), 0.02)
            for axis in (0, 1):
                turned = head.face[axis] - face[axis]
                turned = (turned + 180.0) % 360.0 - 180.0 if axis == 0 else turned
                speed = turned / 0.02
                assert abs(speed) <= HEAD_DEG_S + 1e-6
                assert abs(speed - speeds[axis]) <= HEAD_DEG_S2 * 0.02 + 1e-6
                speeds[axis] = speed
    head.advance(len(aims) - 1, Angles(*aims[-1]), 6.0)
    assert head.gaze.apart_deg(Angles(*aims[-1])) < 9.0
    assert head.face.apart_deg(Angles(*aims[-1])) < 16.0


def test_the_eyes_are_there_before_the_head():
    head = Head(random.Random(3), 180.0)
    head.advance("robot", Angles(180.0, 0.0), 1.0)
    gazed = faced = None
    for number in range(100):
        head.advance("screen", Angles(120.0, 0.0), 0.02)
        if gazed is None and head.gaze.apart_deg(Angles(120.0, 0.0)) < 6.0:
            gazed = number
        if faced is None and head.face.apart_deg(Angles(120.0, 0.0)) < 12.0:
            faced = number
    assert gazed is not None
    assert faced is not None
    assert gazed <= faced
    assert gazed * 0.02 > 0.1  # nobody reacts at once


@pytest.mark.parametrize(
    ("head_m", "face", "seen"),
    [
        ((0.0, 1.3, 1.5), TO_CAMERA, True),
        ((0.8, 1.3, 1.5), TO_CAMERA, True),
        ((0.9, 1.3, 1.5), TO_CAMERA, False),  # beside the picture
        ((0.0, 2.0, 1.5), TO_CAMERA, False),  # above it
        ((0.0, 1.3, -1.5), Angles(0.0, 0.0), False),  # behind the camera
        ((0.0, 1.3, 7.0), TO_CAMERA, False),  # too far away
        ((0.0, 1.3, 1.5), Angles(0.0, 0.0), False),  # shows the back of the head
    ],
)
def test_a_camera_sees_what_lies_in_its_picture_and_shows_its_face(head_m, face, seen):
    tracker = SimulatedTracker(EXACT, random.Random(0), [CAMERA])
    assert tracker.sees("a", {"a": Figure(head_m, face)}) is seen


def test_who_stands_before_another_hides_them_and_a_child_does_not():
    eye_m, head_m = (0.0, 1.3, 0.0), (0.0, 1.6, 2.0)
    assert hides_body(eye_m, head_m, (0.1, 1.6, 1.0))
    assert not hides_body(eye_m, head_m, (0.4, 1.6, 1.0))
    assert not hides_body(eye_m, head_m, (0.0, 1.1, 1.0))
    assert not hides_body(eye_m, head_m, (0.0, 1.6, 3.0))


def test_a_thing_hides_what_is_behind_it():
    box = Box((0.0, 1.0, 1.0), (0.4, 2.0, 0.2))
    assert box.hides((0.0, 1.3, 0.0), (0.0, 1.6, 2.0))
    assert not box.hides((0.0, 1.3, 0.0), (1.0, 1.6, 2.0))
    assert not box.hides((0.0, 1.3, 0.0), (0.0, 1.6, 0.8))


def test_a_short_occlusion_keeps_the_id_and_a_long_one_gives_a_new_one():
    patient = EXACT.model_copy(update={"patience_s": 1.05})
    tracker = SimulatedTracker(patient, random.Random(0), [CAMERA])
    here, hidden = Figure((0.0, 1.3, 1.5), TO_CAMERA), Figure((3.0, 1.3, 1.5), TO_CAMERA)
    told = []
    for frame in range(50):
        away = 10 <= frame < 15 or 20 <= frame < 40
        told += [
            (frame, one.what, one.id)
            for one in tracker.look({"a": hidden if away else here}, frame * 0.1)
            if one.what != "moved"
        ]
    assert told == [
        (0, "detected", "person_1"),
        (30, "lost", "person_1"),
        (40, "detected", "person_2"),
    ]


def test_noise_is_as_large_as_the_settings_say_and_larger_along_the_line_of_sight():
    settings = SenseSettings(noise_m=0.02, noise_deg=3.0, misses_part=0.0, confirms_after=1)
    tracker = SimulatedTracker(settings, random.Random(5), [CAMERA])
    seen = [
        one
        for frame in range(2000)
        for one in tracker.look({"a": Figure((0.0, 1.3, 2.0), TO_CAMERA)}, frame * 0.1)
    ]
    spread = [math.sqrt(sum((one.place_m[axis] - mean) ** 2 for one in seen) / len(seen))
              for axis, mean in enumerate((0.0, 1.3, 2.0))]  # fmt: skip
    assert spread[0] == pytest.approx(0.02, rel=0.1)
    assert spread[2] == pytest.approx(0.06, rel=0.1)
    off = [(one.face.horizontal_deg + 180.0 + 180.0) % 360.0 - 180.0 for one in seen]
    assert math.sqrt(sum(one**2 for one in off) / len(off)) == pytest.approx(3.0, rel=0.1)

"""Bodies look and point at places, from wherever face and hand are."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.engine import Sights
from sera.animation.engine._turns import between, way
from sera.animation.stage_set import StageSet
from sera.messages import Direction, Gaze, Point, Position, SetEmotion, SetLayer, SetPosture

REPOSITORY = Path(__file__).parents[3]
BODIES = sorted(file.parent.name for file in (REPOSITORY / "robots").glob("*/body.toml"))
HIGH = {"adelino": 0.7, "emys": 0.16, "keepon": 0.13, "nao": 0.2, "nao_t14": 0.2, "romeo": 0.7}
"""About where a face is, so that places before it can be looked at."""


class Stage:
    """A body with the program that ships, and what its face is off."""

    def __init__(self, robot, *, life=False, seed=3):
        found = StageSet.find(REPOSITORY / "robots" / robot, (REPOSITORY,), seed=seed)
        self.animator = Animator(found.program())
        self.engine = self.animator.engine
        self.body = found.body
        self.now_s = 0.0
        self.states = []
        self.rows = []
        if not life:
            self.animator.handle(SetLayer(layer="life", active=False, fade_s=0.0))

    def look(self, place, label="somebody", **more):
        x, y, z = place
        angles = Direction(
            horizontal_deg=math.degrees(math.atan2(-x, z)),
            vertical_deg=math.degrees(math.atan2(y - 1.0, math.hypot(x, z))),
        )
        where = Position(x_m=x, y_m=y, z_m=z)
        self.animator.handle(Gaze(direction=angles, place=where, target=label, **more))

    def run(self, seconds):
        for _ in range(round(seconds / self.engine.step_s)):
            self.rows.append(np.array(list(self.animator.step().values())))
            self.now_s += self.engine.step_s
            state = self.animator.gaze_news(self.now_s)
            if state is not None:
                self.states.append(state)
        return self

    def off_deg(self, place, aims="Gazing", row=-1):
        sights = Sights(self.body)
        at, axis = sights.find(aims).seen_at(self.rows[row])
        return math.degrees(between(axis, way(at, place)))


def around(robot, *, distances=(1.2, 2.0)):
    eye = HIGH.get(robot, 1.1)
    for distance in distances:
        for across_deg in (-45, 0, 40):
            for up in (-0.15, 0.0, 0.25):
                across = math.radians(across_deg)
                yield (
                    -distance * math.sin(across),
                    eye + up * distance,
                    distance * math.cos(across),
                )


@pytest.mark.parametrize("robot", BODIES)
def test_every_body_faces_every_place_before_it(robot):
    stage = Stage(robot).run(3.0)
    for place in around(robot, distances=(1.4,)):
        stage.look(place, label=str(place))
        stage.run(2.2)
        assert stage.off_deg(place) < 1.0, place
        assert not stage.states[-1].shortfall_why


def test_adelino_looks_at_a_visitor_at_keys_on_the_floor_and_at_a_screen_behind_it():
    stage = Stage("adelino", life=True)
    for place in ((0.2, 1.6, 1.2), (-0.6, 0.0, 1.07), (0.0, 1.5, -1.2), (0.9, 0.0, 1.35)):
        stage.look(place, label=str(place))
        stage.run(3.5)
        assert stage.off_deg(place) < 2.5, place
        assert stage.states[-1].off_deg < 4.0


def test_a_gaze_at_a_place_has_come_without_swinging_to_and_fro():
    stage = Stage("adelino").run(3.0)
    begins = len(stage.rows)
    stage.look((0.5, 1.5, 1.1))
    stage.run(3.0)
    joints = np.array(stage.rows)[begins:, : len(stage.body.joints)]
    travelled = np.abs(np.diff(joints, axis=0)).sum(axis=0)
    moved = np.abs(joints[-1] - joints[0])
    assert (travelled <= 1.15 * moved + math.radians(4.0)).all()
    assert np.abs(np.diff(joints[-20:], axis=0)).max() < 1e-5


def test_a_posture_that_changes_leaves_the_face_on_the_person():
    stage = Stage("adelino")
    person = (-0.4, 1.6, 1.4)
    stage.look(person)
    stage.run(2.0)
    for posture in ("cold", "hot", "neutral"):
        stage.animator.handle(SetPosture(posture=posture, blend_s=0.6))
        begins = len(stage.rows)
        stage.run(1.8)
        worst = max(stage.off_deg(person, row=row) for row in range(begins, len(stage.rows), 5))
        assert worst < 6.0, posture
        assert stage.off_deg(person) < 1.0, posture


@pytest.mark.parametrize("up_m", [0.5, -0.4])  # with the posture that is beyond the neck's end
def test_a_posture_does_not_turn_away_a_face_that_looks_by_rules(up_m):
    stage = Stage("keepon")
    person = (0.2, up_m, 1.2)
    stage.animator.handle(SetPosture(posture="hot", blend_s=0.2))
    stage.look(person)
    stage.run(2.5)
    assert stage.off_deg(person) < 2.0
    assert stage.states[-1].because == ""


def test_a_walking_person_is_followed_evenly():
    stage = Stage("nao")
    offs = []
    for number in range(60):
        t = 0.1 * number
        x = 0.6 * math.sin(0.8 * t)
        stage.look((x, 0.3, 1.3))
        stage.run(0.1)
        offs.append(stage.off_deg((x, 0.3, 1.3)))
    assert np.percentile(offs[15:], 90) < 3.5
    head = np.array(stage.rows)[75:, 0]
    speed = np.diff(head) / stage.engine.step_s
    assert np.abs(np.diff(speed)).max() < 0.35  # no stop and go between two sightings


def test_a_place_too_near_for_any_pose_is_looked_at_as_nearly_as_can_be_and_held_still():
    stage = Stage("adelino")
    stage.look((0.1, 0.4, 0.6))
    stage.run(5.0)
    state = stage.states[-1]
    assert state.shortfall_deg == pytest.approx(state.off_deg, abs=3.0)
    assert "too near" in state.shortfall_why or "end" in state.shortfall_why
    assert np.abs(np.diff(np.array(stage.rows)[-50:], axis=0)).max() < 1e-4


def test_a_body_that_is_put_down_bent_looks_before_it_stands_as_it_should():
    stage = Stage("adelino")
    bent = {"base": 0.1, "lower_bend": 0.75, "upper_bend": 0.75, "head_twist": -0.1}
    stage.engine.start_from({name: bent.get(name, 0.0) for name in stage.body.joints})
    person = (0.2, 1.6, 1.2)
    stage.look(person)
    stage.run(2.0)
    assert stage.off_deg(person) < 5.0
    stage.run(0.7)
    assert stage.off_deg(person) < 1.0


def test_what_a_neck_at_its_end_lacks_is_published_with_the_joint():
    stage = Stage("nao")
    stage.look((0.0, 1.9, 0.8))
    stage.run(2.5)
    state = stage.states[-1]
    assert state.shortfall_why.endswith("short: HeadPitch at its end")
    assert state.shortfall_deg == pytest.approx(stage.off_deg((0.0, 1.9, 0.8)), abs=1.5)
    assert state.shortfall_deg > 10.0


def test_the_trunk_helps_a_neck_at_its_end_gently():
    stage = Stage("pepper")
    above = (0.0, 2.6, 1.0)
    stage.look(above)
    stage.run(4.0)
    values = dict(zip(stage.body.own, stage.rows[-1], strict=True))
    own = stage.body.own
    assert values["HeadPitch"] == pytest.approx(own["HeadPitch"].lower, abs=0.02)
    leans = abs(values["HipPitch"]) + abs(values["KneePitch"])
    assert math.radians(5.0) < leans < math.radians(17.0)
    stage.look((0.0, 1.2, 1.5), label="else")
    stage.run(4.0)
    upright = dict(zip(stage.body.own, stage.rows[-1], strict=True))
    assert abs(upright["HipPitch"] - own["HipPitch"].neutral) < math.radians(0.5)


def test_eyes_turn_on_where_the_head_is_at_its_end():
    stage = Stage("emys")
    aside = (1.4, 0.2, 0.45)
    stage.look(aside)
    stage.run(2.5)
    eyes = dict(zip(stage.body.own, stage.rows[-1], strict=True))["eyes_pan"]
    assert eyes > math.radians(8.0)
    assert "the eyes turn on" in stage.states[-1].shortfall_why
    stage.look((0.0, 0.2, 1.4), label="ahead")
    stage.run(2.0)
    assert dict(zip(stage.body.own, stage.rows[-1], strict=True))["eyes_pan"] == pytest.approx(0.0)


def test_an_averted_gaze_and_a_head_owned_by_a_gesture_are_called_what_they_are():
    stage = Stage("adelino")
    stage.look((0.2, 1.5, 1.4))
    stage.run(2.0)
    assert stage.states[-1].because == ""
    stage.animator.handle(SetEmotion(name="sadness", blend_s=0.5))
    stage.run(2.5)
    assert any(state.because == "averted by emotion" for state in stage.states)
    other = Stage("nao")
    other.look((0.2, 0.4, 1.4))
    other.run(1.0)
    from sera.messages import PlayAnimation

    other.animator.handle(PlayAnimation(animation="shake"))
    other.run(1.5)
    assert any(state.because == "owned by animation 'shake'" for state in other.states)


def test_an_arm_points_at_a_place_from_where_its_hand_is():
    stage = Stage("nao")
    thing = (0.9, 0.1, 0.9)
    where = Position(x_m=thing[0], y_m=thing[1], z_m=thing[2])
    direction = Direction(horizontal_deg=-45.0, vertical_deg=-5.0)
    stage.animator.handle(Point(direction=direction, place=where, arm="left", hold_s=6.0))
    stage.run(3.0)
    assert stage.off_deg(thing, aims="Arms.LeftPoint") < 1.5


def test_a_still_body_that_looks_at_a_place_computes_nothing_anew(monkeypatch):
    stage = Stage("nao")
    stage.look((0.3, 0.4, 1.4))
    stage.run(2.0)
    sight = stage.engine.sights.find("Gazing")
    asked = []
    real = sight.seen_at
    monkeypatch.setattr(sight, "seen_at", lambda own: asked.append(1) or real(own))
    before = len(stage.rows)
    for _ in range(100):
        stage.animator.step()
    assert not asked
    assert len(stage.rows) == before

"""The motion lives, on every body: gaze arrives and stays, gestures show, limits hold."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.body import load_body
from sera.animation.stage_set import StageSet
from sera.evaluation.motion import (
    REQUIRED,
    Face,
    measure_gaze,
    measure_gestures,
    measure_limits,
    measure_postures,
)
from sera.evaluation.motion._fuzz import _Checker
from sera.messages import SetLayer, SpeechWord
from tests.helpers import some_of

ROOT = Path(__file__).parents[2]
ROBOTS = sorted(file.parent.name for file in (ROOT / "robots").glob("*/body.toml"))


def some_robots(seed: int) -> pytest.MarkDecorator:
    """A few bodies for each test, all of them in `make test-full`."""
    return pytest.mark.parametrize("name", some_of(ROBOTS, 2, seed=seed))


def stage(name: str) -> StageSet:
    return StageSet.find(ROOT / "robots" / name, (ROOT,))


@some_robots(1)
def test_a_gaze_step_of_sixty_degrees_arrives_in_time_and_stays_while_the_body_lives(name):
    result = measure_gaze(stage(name), hold_s=20.0)
    assert result.step_deg == pytest.approx(60.0)
    assert result.arrives_s <= result.allowed_s
    assert result.held_within_deg <= 3.0


@some_robots(2)
def test_nod_shake_affirm_and_wave_reach_nine_tenths_of_what_was_authored(name):
    shares = measure_gestures(stage(name))
    assert set(shares) == set(REQUIRED)
    assert min(shares.values()) >= 0.9


@some_robots(3)
def test_no_limit_is_exceeded_whatever_is_ordered(name):
    result = measure_limits(stage(name), 4000, seed=3)
    assert result.exceeded == 0, result.worst
    assert result.orders > 100
    assert 0 < result.refused < result.orders


def test_hot_neutral_and_cold_are_told_apart_wherever_adelino_looks():
    result = measure_postures(stage("adelino"))
    assert result.tried == 3 * 15 * 9
    assert result.share >= 0.95


def test_the_check_of_limits_finds_what_exceeds_them():
    program = stage("adelino").program()
    checker = _Checker(program.engine())
    still = np.array(list(program.engine().pose.values()))
    checker.check(still)
    assert checker.exceeded == 0
    jumped = still.copy()
    jumped[0] += 0.2
    checker.check(jumped)
    assert checker.exceeded == 1
    assert checker.worst == "velocity of base"


def test_a_face_is_found_with_and_without_a_chain_that_aims():
    for name in ("adelino", "emys", "keepon"):
        body = load_body(ROOT / "robots" / name)
        ahead = Face(body).looks_at_deg({own: spec.neutral for own, spec in body.own.items()})
        assert ahead[0] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "layer"),
    some_of(itertools.product(ROBOTS, ("breathing", "eyes", "speech")), 4, seed=4),
)
def test_every_body_breathes_blinks_or_darts_and_takes_part_in_speech(name, layer):
    animator = Animator(stage(name).program())
    for other in {"breathing", "eyes", "drift", "speech"} - {layer}:
        animator.handle(SetLayer(layer=other, active=False, fade_s=0.0))
    frames = []
    for number in range(700):
        if number % 18 == 0:
            animator.handle(SpeechWord(speech="x", index=0, text="wonderful", start_s=0.0))
        frames.append(list(animator.step().values()))
    moved = np.ptp(np.array(frames)[200:], axis=0)
    assert moved.max() >= 0.008  # half a degree, or a share that one can see

"""Layers that rest are left out of a frame; nobody can tell from how the body moves."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from sera.animation.animator import Animator
from sera.animation.engine import Layer
from sera.animation.stage_set import StageSet
from sera.messages import (
    Gaze,
    Message,
    PlayAnimation,
    Point,
    SetEmotion,
    SetEyesLight,
    SetFace,
    SetLayer,
    SetPosture,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
    StopAnimation,
)
from sera.messages._parts import Direction
from tests.helpers import some_of

ROOT = Path(__file__).parents[3]
FRAMES = 700


def orders(seed: int) -> dict[int, list[Message]]:
    """What is asked for, by frame: everything that wakes a layer, with long rests in between."""
    chance = random.Random(seed)
    found: dict[int, list[Message]] = {}
    kinds: list[Message] = [
        PlayAnimation(animation="nod"),
        PlayAnimation(animation="celebrate"),
        StopAnimation(),
        SetFace(face="joy", hold_s=0.5),
        SetFace(face="neutral"),
        SetEyesLight(level=0.3),
        SetEmotion(name="happiness", blend_s=0.2),
        SetEmotion(name="neutral", blend_s=0.2),
        SetPosture(posture="sad", blend_s=0.3),
        SetLayer(layer="life", active=False, fade_s=0.0),
        SetLayer(layer="life", active=True, fade_s=0.4),
        Gaze(direction=Direction(horizontal_deg=25.0)),
        Point(direction=Direction(horizontal_deg=20.0), hold_s=0.4),
    ]
    for frame in range(5, FRAMES, 35):
        found[frame] = [chance.choice(kinds)]
    for frame in (60, 400):
        speech = f"s{frame}"
        found[frame] = [SpeechStarted(speech=speech, text="well now", expected_duration_s=0.8)]
        found[frame + 2] = [SpeechWord(speech=speech, index=0, text="well", offset=0, start_s=0.0)]
        found[frame + 8] = [SpeechWord(speech=speech, index=1, text="NOW!", offset=5, start_s=0.3)]
        found[frame + 15] = [SpeechFinished(speech=speech, outcome="completed", duration_s=0.8)]
    return found


def played(robot: str, seed: int) -> list[dict[str, float]]:
    stage_set = StageSet.find(ROOT / "robots" / robot, (ROOT,), seed=seed)
    animator = Animator(stage_set.program())
    wanted, frames = orders(seed), []
    for frame in range(FRAMES):
        for message in wanted.get(frame, []):
            try:
                animator.handle(message)
            except (LookupError, ValueError):  # not every body can do everything
                continue
        frames.append(animator.step())
    return frames


@pytest.mark.parametrize(
    ("robot", "seed"),
    some_of(itertools.product(("adelino", "emys", "nao", "pepper"), (1, 2)), 3),
)
def test_a_body_moves_the_same_whether_resting_layers_are_stepped_or_not(
    robot: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    thrifty = played(robot, seed)
    monkeypatch.setattr(Layer, "rests", property(lambda _layer: False))
    assert played(robot, seed) == thrifty


def test_a_body_that_nobody_speaks_to_rests_in_all_layers_but_those_of_life(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage_set = StageSet.find(ROOT / "robots" / "adelino", (ROOT,))
    animator = Animator(stage_set.program())
    for _ in range(200):
        animator.step()
    stepped: list[str] = []
    watch: Any = animator.engine._watch
    step_layer = watch.step_layer

    def noted(row: int, layer: Layer, dt_s: float) -> None:
        stepped.append(layer.name)
        step_layer(row, layer, dt_s)

    monkeypatch.setattr(watch, "step_layer", noted)
    animator.step()
    assert stepped == ["posture", "gaze", "breathing", "eyes", "drift"]

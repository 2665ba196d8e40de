"""Controllers on real bodies: what is asked for arrives, and idle life disturbs nothing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.controllers import (
    BlinkingController,
    BreathingController,
    DriftController,
    Gaze,
    NodController,
    Posture,
    SaccadeController,
)
from sera.animation.engine import Aiming, Engine, Layer
from sera.animation.frame import BlendMode
from sera.animation.signals import NodKind, NodSettings

ROBOTS = Path(__file__).parents[3] / "robots"
NAMES = sorted(file.parent.name for file in ROBOTS.glob("*/body.toml"))
LEANING = {"Body.lower_bend": 0.5, "Body.upper_bend": 0.4, "Body.head_bend": 0.2}


def idle() -> Layer:
    return Layer(
        "idle",
        [
            BreathingController({"Torso.Lean": 0.02, "Gazing.Vertical": 0.01}),
            DriftController({"Torso.Twist": 0.01}),
            SaccadeController(),
            BlinkingController(),
        ],
    )


def own(engine: Engine, frame: np.ndarray) -> dict[str, float]:
    return dict(zip(engine.body.own, frame.tolist(), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_one_idle_layer_lives_on_every_body(name):
    engine = Engine(load_body(ROBOTS / name), [idle()])
    frames = np.array([engine.step() for _ in range(1000)])
    assert np.all(np.isfinite(frames))
    assert np.abs(np.diff(frames, axis=0)).max() > 0.0


@pytest.mark.parametrize("name", ["adelino", "nao", "pepper"])
def test_the_gaze_stays_within_three_degrees_while_the_body_idles(name):
    body = load_body(ROBOTS / name)
    gaze = Gaze()
    engine = Engine(body, [Layer("gaze", [gaze], mode=BlendMode.OVERRIDE), idle()])
    aiming = Aiming(body, body.chains[0])
    gaze.look(math.radians(30), math.radians(10))
    for _ in range(150):
        engine.step()
    for _ in range(500):
        looks = aiming.looks_at(own(engine, engine.step()))
        assert np.degrees(looks) == pytest.approx([30.0, 10.0], abs=3.0)


def test_a_posture_is_blended_in_and_reached_exactly():
    body = load_body(ROBOTS / "adelino")
    posture = Posture({"neutral": {}, "leaning": LEANING}, first="neutral")
    engine = Engine(body, [Layer("posture", [posture], mode=BlendMode.OVERRIDE)])
    engine.step()
    posture.take("leaning", blend_s=1.0)
    frames = [own(engine, engine.step()) for _ in range(150)]
    bends = np.array([frame["lower_bend"] for frame in frames])
    assert bends[-1] == pytest.approx(0.5, abs=1e-6)
    assert np.all(np.diff(bends) >= -1e-9)
    assert 0.1 < bends[30] < 0.4
    posture.take("neutral", weight=0.5, blend_s=0.0)
    assert own(engine, [engine.step() for _ in range(150)][-1])["lower_bend"] == pytest.approx(0.25)
    with pytest.raises(LookupError, match="did you mean 'leaning'"):
        posture.take("leanin")


def test_a_nod_and_a_shake_reach_nine_tenths_of_what_was_asked_for():
    body = load_body(ROBOTS / "nao")
    for kind, joint in ((NodKind.NOD, "HeadPitch"), (NodKind.SHAKE, "HeadYaw")):
        gaze, nod = Gaze(), NodController(NodSettings(kind=kind, amplitude_rad=0.25))
        engine = Engine(body, [Layer("gaze", [gaze, nod], mode=BlendMode.OVERRIDE)])
        gaze.look(0.0, 0.0)
        before = [own(engine, engine.step()) for _ in range(50)][-1][joint]
        nod.start(2)
        during = [own(engine, engine.step())[joint] for _ in range(120)]
        assert max(abs(angle - before) for angle in during) >= 0.9 * 0.25
        assert during[-1] == pytest.approx(before, abs=0.01)
        assert not nod.active


def test_a_gaze_travels_along_an_arc_and_refuses_what_is_no_direction():
    body = load_body(ROBOTS / "keepon")
    gaze = Gaze()
    engine = Engine(body, [Layer("gaze", [gaze], mode=BlendMode.OVERRIDE)])
    gaze.look(-0.8, 0.0)
    for _ in range(150):
        engine.step()
    gaze.look(0.8, 0.0)
    frames = [own(engine, engine.step()) for _ in range(150)]
    tilts = np.array([frame["tilt"] for frame in frames])
    assert tilts.max() > 0.03  # a positive tilt looks down: the gaze dips on its way
    assert frames[-1]["pan"] == pytest.approx(-0.8, abs=0.01)
    assert frames[-1]["tilt"] == pytest.approx(0.0, abs=0.01)
    with pytest.raises(ValueError, match="no direction"):
        gaze.look(math.nan, 0.0)


def test_the_same_seed_gives_the_same_life():
    def life(seed: int) -> np.ndarray:
        layer = Layer("idle", [BlinkingController(seed=seed), SaccadeController(seed=seed)])
        engine = Engine(load_body(ROBOTS / "emys"), [layer])
        return np.array([engine.step() for _ in range(600)])

    np.testing.assert_array_equal(life(3), life(3))
    assert np.abs(life(3) - life(4)).max() > 0.0

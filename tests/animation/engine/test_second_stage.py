"""The second stage: a head tilts while it looks, and where nobody looks anywhere."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.engine import Aiming, Controller, Engine, Layer, Row

ROBOTS = Path(__file__).parents[3] / "robots"


class Writes(Controller):
    """Writes values into channels."""

    def __init__(self, values: dict[str, float]) -> None:
        self.values = values

    def bind(self, row: Row) -> None:
        self._row = row
        self._columns = [(row.layout.index(name), value) for name, value in self.values.items()]

    def step(self, dt_s: float) -> None:
        for column, value in self._columns:
            self._row.write(column, value)


def settled(name: str, values: dict[str, float]) -> tuple[Engine, dict[str, float]]:
    engine = Engine(load_body(ROBOTS / name), [Layer("all", [Writes(values)])])
    for _ in range(200):
        engine.step()
    return engine, engine.pose


def up_of_the_face(engine: Engine, pose: dict[str, float]) -> np.ndarray:
    chain = engine.body.tree.chain(engine.body.chains[0].end_point)
    turn = chain.pose(np.array([pose[name] for name in chain.joint_names]))
    from sera.kinematics.rotations import rotate

    return rotate(turn.orientation_wxyz, (0.0, 1.0, 0.0))


def test_a_head_that_can_tilts_to_its_right_shoulder_and_keeps_looking():
    gaze = {"Gazing.Horizontal": 0.0, "Gazing.Vertical": 0.0}
    engine, pose = settled("romeo", {**gaze, "Gazing.Roll": 0.2})
    looks = Aiming(engine.body, engine.body.chains[0]).looks_at(pose)
    assert looks == pytest.approx((0.0, 0.0), abs=math.radians(0.5))
    # The robot's right is -X: the top of its head goes there.
    assert up_of_the_face(engine, pose)[0] == pytest.approx(-math.sin(0.2), abs=0.01)


def test_a_tilt_shows_where_nobody_looks_anywhere():
    engine, still = settled("adelino", {"Body.upper_bend": 0.8})
    tilted_engine, tilted = settled("adelino", {"Body.upper_bend": 0.8, "Gazing.Roll": 0.2})
    before = Aiming(engine.body, engine.body.chains[0]).looks_at(still)
    after = Aiming(tilted_engine.body, tilted_engine.body.chains[0]).looks_at(tilted)
    assert after == pytest.approx(before, abs=math.radians(1.0))
    assert max(abs(tilted[name] - still[name]) for name in still) > 0.1


def test_an_aim_that_fades_leads_from_the_posture_to_the_direction():
    body = load_body(ROBOTS / "nao")
    writes = Writes({"Arms.RightPointHorizontal": 0.3, "Arms.RightPointVertical": 0.1})
    layer = Layer("point", [writes], weight=1.0)
    engine = Engine(body, [layer])
    aiming = Aiming(body, next(c for c in body.chains if c.name == "right_point"))
    for _ in range(150):
        engine.step()
    assert aiming.looks_at(engine.pose) == pytest.approx((0.3, 0.1), abs=math.radians(1.0))
    layer.set(active=False, fade_s=0.5)
    frames = np.array([engine.step() for _ in range(150)])
    neutral = np.array([spec.neutral for spec in body.own.values()])
    assert frames[-1] == pytest.approx(neutral, abs=1e-3)
    assert np.abs(np.diff(frames, axis=0)).max() < 0.12

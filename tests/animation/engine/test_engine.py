"""The engine: layers blend, rules hand down, chains aim, and nothing leaves its limits."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.engine import Controller, Engine, Layer, Row
from sera.animation.frame import BlendMode

ROBOTS = Path(__file__).parents[3] / "robots"
NAMES = sorted(file.parent.name for file in ROBOTS.glob("*/body.toml"))


class Setting(Controller):
    """Writes what it is told."""

    def __init__(self, values: dict[str, float], name: str = "setting") -> None:
        self.values, self.name = values, name

    def bind(self, row: Row) -> None:
        self._row = row
        self._columns = {name: row.layout.index(name) for name in self.values}

    def step(self, dt_s: float) -> None:
        for name, column in self._columns.items():
            self._row.write(column, self.values[name])


class Failing(Setting):
    def step(self, dt_s: float) -> None:
        raise RuntimeError("the camera is gone")


def run(engine: Engine, seconds: float) -> np.ndarray:
    return np.array([engine.step() for _ in range(round(seconds / engine.step_s))])


def column(engine: Engine, name: str) -> int:
    return list(engine.body.own).index(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_gaze_step_arrives_within_a_second_or_the_bodys_own_time(name):
    body = load_body(ROBOTS / name)
    gaze = Setting({"Gazing.Horizontal": 0.0, "Gazing.Vertical": 0.0})
    engine = Engine(body, [Layer("gaze", [gaze], mode=BlendMode.OVERRIDE)])
    run(engine, 3.0)
    before = engine.step()
    gaze.values["Gazing.Horizontal"] = math.radians(60)
    frames = run(engine, 4.0)
    final = frames[-1]
    moving = np.flatnonzero(np.abs(final - before) > 1e-6)
    assert len(moving)
    off = np.abs(frames[:, moving] - final[moving]).max(axis=1)
    arrived_s = (np.flatnonzero(off > math.radians(2.0)).max(initial=-1) + 2) * engine.step_s
    slowest_s = max(
        abs(final[index] - before[index]) / spec.max_velocity
        + spec.max_velocity / spec.max_acceleration
        + spec.max_acceleration / spec.max_jerk
        for index, spec in enumerate(body.own.values())
        if index in moving
    )
    assert arrived_s <= max(1.0, 1.2 * slowest_s)


@pytest.mark.parametrize("name", NAMES)
def test_whatever_the_layers_say_nothing_leaves_its_limits(name):
    body = load_body(ROBOTS / name)
    generator = np.random.default_rng(6)
    setting = Setting(dict.fromkeys(body.channels, 0.0))
    engine = Engine(body, [Layer("chaos", [setting], mode=BlendMode.OVERRIDE)])
    frames = [engine.step()]
    for _ in range(300):
        for channel in body.channels:
            if generator.random() < 0.1:
                setting.values[channel] = float(generator.normal(0.0, 4.0))
        frames.append(engine.step())
    motion = np.array(frames)
    rate = body.rate_hz
    for index, spec in enumerate(body.own.values()):
        positions = motion[:, index]
        assert positions.min() >= spec.lower
        assert positions.max() <= spec.upper
        for order, limit in enumerate(
            (spec.max_velocity, spec.max_acceleration, spec.max_jerk), start=1
        ):
            largest = np.abs(np.diff(positions, order)).max() * rate**order
            assert largest <= limit * (1 + 1e-6) + 1e-6 * rate**order


def test_layers_add_and_override_and_the_owners_are_known():
    body = load_body(ROBOTS / "keepon")
    base = Layer("base", [Setting({"Gazing.Horizontal": 0.2})], mode=BlendMode.OVERRIDE)
    extra = Layer("extra", [Setting({"Gazing.Horizontal": 0.1})])
    engine = Engine(body, [base, extra])
    pose = run(engine, 2.0)[-1]
    assert pose[column(engine, "pan")] == pytest.approx(-0.3, abs=1e-3)
    assert engine.owners("Gazing.Horizontal") == pytest.approx({"base": 0.5, "extra": 0.5})
    extra.set(active=False, fade_s=0.0)
    pose = run(engine, 2.0)[-1]
    assert pose[column(engine, "pan")] == pytest.approx(-0.2, abs=1e-3)
    assert engine.owners("Gazing.Horizontal") == {"base": 1.0}


def test_a_layer_fades_and_its_mask_holds():
    body = load_body(ROBOTS / "keepon")
    setting = Setting({"Gazing.Horizontal": 0.4, "Torso.Lean": 0.3})
    layer = Layer("only", [setting], active=False, fade_s=1.0, only=["Gazing"])
    engine = Engine(body, [layer])
    assert np.abs(run(engine, 0.5)).max() == 0.0
    layer.set(active=True)
    weights = []
    for _ in range(60):
        engine.step()
        weights.append(layer.weight)
    assert np.all(np.diff(weights) >= 0.0)
    assert weights[24] == pytest.approx(0.5, abs=0.03)
    assert weights[-1] == 1.0
    pose = run(engine, 2.0)[-1]
    assert pose[column(engine, "pan")] == pytest.approx(-0.4, abs=1e-3)
    assert pose[column(engine, "tilt")] == pytest.approx(0.0, abs=1e-9)


def test_a_controller_at_fault_is_muted_and_reported_and_the_rest_goes_on():
    body = load_body(ROBOTS / "keepon")
    faults = []
    good = Setting({"Gazing.Horizontal": 0.2}, "good")
    broken = Setting({"Gazing.Vertical": math.nan}, "broken")
    failing = Failing({"Gazing.Roll": 0.1}, "failing")
    engine = Engine(
        body,
        [Layer("one", [good, broken, failing], mode=BlendMode.OVERRIDE)],
        on_fault=lambda layer, controller, sentence: faults.append((layer, controller, sentence)),
    )
    pose = run(engine, 2.0)[-1]
    assert np.all(np.isfinite(pose))
    assert pose[column(engine, "pan")] == pytest.approx(-0.2, abs=1e-3)
    assert {fault[1] for fault in faults} == {"broken", "failing"}
    assert ("one", "failing", "it failed: the camera is gone") in faults
    assert not good.muted


def test_starting_on_a_robot_in_any_pose_makes_no_jump():
    body = load_body(ROBOTS / "adelino")
    start = {"base": 0.9, "lower_bend": -0.4, "upper_bend": 1.2, "head_bend": 0.3, "head_twist": 0}
    engine = Engine(body, [Layer("rest", [Setting({"Body.base": 0.0})])], start=start)
    first = engine.step()
    for name, angle in start.items():
        assert first[column(engine, name)] == pytest.approx(angle, abs=5e-3)


def test_an_unknown_layer_or_channel_is_answered_with_the_nearest_name():
    body = load_body(ROBOTS / "keepon")
    engine = Engine(body, [Layer("breathing", [])])
    with pytest.raises(LookupError, match="did you mean 'breathing'"):
        engine.layer("breathin")
    with pytest.raises(LookupError, match=r"Gazing\.Horizontal"):
        Engine(body, [Layer("one", [Setting({"Gazing.Horizontl": 0.0})])])
    with pytest.raises(ValueError, match="same name"):
        Engine(body, [Layer("one", []), Layer("one", [])])

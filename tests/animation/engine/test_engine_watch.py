"""A fault stays where it arose: the controller is named, the joint holds, the rest goes on."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sera.animation.body import load_body
from sera.animation.controllers import AddAniBuffer
from sera.animation.engine import Controller, Engine, Layer, Output, Row, Signal

ROBOTS = Path(__file__).parents[3] / "robots"


class Writes(Controller):
    """Writes one value into the lower bend."""

    def __init__(self, name: str, value: float) -> None:
        self.name, self.value = name, value

    def bind(self, row: Row) -> None:
        self._row, self._column = row, row.layout.index("Body.lower_bend")

    def step(self, dt_s: float) -> None:
        if self.value is None:
            raise RuntimeError("the sensor is gone")
        self._row.write(self._column, self.value)


class Gives(Signal):
    """Gives whatever it has."""

    output = Output.FLOAT

    def __init__(self, name: str) -> None:
        self.name, self.given = name, 0.0

    def step(self, dt_s: float) -> None:
        self.result = self.given


def engine_with(*controllers: Controller, signals=()) -> tuple[Engine, list[tuple[str, str, str]]]:
    faults: list[tuple[str, str, str]] = []
    body = load_body(ROBOTS / "adelino")
    layers = [Layer("below", [Writes("calm", 0.1)]), Layer("above", list(controllers))]
    engine = Engine(
        body, layers, signals=signals, stages=(), on_fault=lambda *told: faults.append(told)
    )
    return engine, faults


@pytest.mark.parametrize("wrong", [math.nan, math.inf, None])
def test_a_joint_holds_where_a_controller_fails_and_the_name_is_told_once(wrong):
    broken, sound = Writes("broken", 0.3), Writes("sound", 0.3)
    engine, faults = engine_with(broken)
    alike, _ = engine_with(sound)
    for _ in range(100):
        engine.step()
        alike.step()
    held = engine.pose["lower_bend"]
    assert held == pytest.approx(0.4)
    broken.value = wrong
    for _ in range(100):
        engine.step()
    assert engine.pose["lower_bend"] == pytest.approx(held, abs=1e-9)
    assert [(layer, name) for layer, name, _ in faults] == [("above", "broken")]


def test_a_signal_of_the_wrong_kind_is_muted_and_keeps_its_last_value():
    signal = Gives("sensor")
    engine, faults = engine_with(signals=(signal,))
    signal.given = 2.0
    engine.step()
    signal.given = "far"
    engine.step()
    signal.given = 3.0
    engine.step()
    assert signal.result == 2.0
    assert [(layer, name) for layer, name, _ in faults] == [("signals", "sensor")]


def test_one_beside_the_main_chain_is_blamed_for_what_it_gave():
    feeding, adding = Writes("feeding", 0.2), AddAniBuffer()
    adding.name = "adding"
    feeding.off_chain = True
    adding.pulls = (("other", feeding),)
    engine, faults = engine_with(feeding, adding)
    for _ in range(50):
        engine.step()
    assert engine.pose["lower_bend"] == pytest.approx(0.3)
    feeding.value = math.nan
    for _ in range(50):
        engine.step()
    assert [(layer, name) for layer, name, _ in faults] == [("above", "feeding")]
    assert not adding.muted


def test_a_layer_that_was_weighed_to_nothing_comes_back_with_its_weight():
    layer = Layer("idle", [])
    layer.set(weight=0.0, fade_s=0.0)
    assert layer.active
    layer.set(weight=1.0, fade_s=0.0)
    assert layer.weight == 1.0
    layer.set(active=False, fade_s=0.0)
    layer.set(weight=0.5, fade_s=0.0)
    assert layer.weight == 0.0
    layer.set(active=True, fade_s=0.0)
    assert layer.weight == 0.5

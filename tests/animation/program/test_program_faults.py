"""A controller at fault is muted and reported once; what it moved holds, the others go on."""

from __future__ import annotations

import numpy as np
import pytest

from sera.animation.program import Registry

PLUG_IN = """
import math

from sera.animation.engine import Controller, ControllerParameters, Output, Signal


class How(ControllerParameters):
    how: str = "nan"


def value(how, frames):
    if frames <= 50:
        return 20.0
    if how == "raise":
        raise RuntimeError("the sensor is gone")
    return {"nan": math.nan, "inf": math.inf}[how]


class Failing(Signal):
    Parameters = How
    output = Output.FLOAT
    frames = 0

    @classmethod
    def make(cls, parameters, making):
        made = cls()
        made.how = parameters.how
        return made

    def step(self, dt_s):
        self.frames += 1
        self.result = value(self.how, self.frames)


class FailingFrame(Controller):
    Parameters = How
    frames = 0

    @classmethod
    def make(cls, parameters, making):
        made = cls()
        made.how = parameters.how
        return made

    def bind(self, row):
        self.row, self.column = row, row.layout.index("Torso.Twist")

    def step(self, dt_s):
        self.frames += 1
        self.row.write(self.column, value(self.how, self.frames) / 100.0)
"""
OTHERS = """
[[layers]]
name = "others"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Torso.Lean"
value = { expression = "5 * sin(6 * time_s)" }
"""
THROUGH_A_SIGNAL = """
[[layers]]
name = "faulty"
mode = "override"
[[layers.controllers]]
name = "bad"
type = "Failing"
how = "HOW"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Torso.Twist"
value = { from = "bad" }
"""
IN_A_FRAME = """
[[layers]]
name = "faulty"
mode = "override"
[[layers.controllers]]
name = "bad"
type = "FailingFrame"
how = "HOW"
"""


@pytest.fixture
def registry(tmp_path):
    folder = tmp_path / "controllers"
    folder.mkdir()
    (folder / "failing.py").write_text(PLUG_IN)
    found = Registry()
    found.load_plug_ins([tmp_path])
    return found


@pytest.mark.parametrize("how", ["nan", "inf", "raise"])
@pytest.mark.parametrize("text", [THROUGH_A_SIGNAL, IN_A_FRAME], ids=["signal", "frame"])
@pytest.mark.parametrize("robot", ["keepon", "adelino"])
def test_a_fault_mutes_one_controller_and_its_joint_holds(program_of, registry, how, text, robot):
    faults = []
    program = program_of(text.replace("HOW", how) + OTHERS, robot, registry=registry)
    engine = program.engine(on_fault=lambda *fault: faults.append(fault))
    twist, lean = (engine.layout.index(f"Torso.{name}") for name in ("Twist", "Lean"))
    frames, poses = [], []
    for _ in range(150):
        poses.append(engine.step())
        frames.append(engine.blend.values[[twist, lean]].copy())
    frames, poses = np.array(frames), np.array(poses)
    assert np.all(np.isfinite(poses))
    assert len(faults) == 1
    layer, name, sentence = faults[0]
    assert (layer, name) == ("faulty", "bad")
    assert ("the sensor is gone" if how == "raise" else "no number") in sentence
    assert frames[20, 0] > 0.1
    assert frames[50:, 0] == pytest.approx(np.full(100, frames[20, 0]))
    assert np.ptp(frames[60:, 1]) > 0.1
    assert [each.name for each in program.controllers if each.muted] == ["bad"]


@pytest.mark.parametrize("how", ["nan", "raise"])
def test_a_shared_signal_at_fault_keeps_its_last_value(program_of, registry, blended, how):
    faults = []
    text = f"""
[[signals]]
name = "bad"
type = "Failing"
how = "{how}"
[[layers]]
name = "one"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Torso.Twist"
value = {{ from = "bad" }}
"""
    program = program_of(text, registry=registry)
    engine = program.engine(on_fault=lambda *fault: faults.append(fault))
    values = blended(engine, "Torso.Twist", 100)
    assert values == pytest.approx([np.radians(20.0)] * 100)
    assert [fault[:2] for fault in faults] == [("signals", "bad")]

"""A laboratory's own controllers, signals and stages in `controllers/*.py`."""

from __future__ import annotations

import math

import pytest

from sera.animation.program import ProgramError, Registry
from sera.runtime.located import FileProblem

HEAD = """\
from __future__ import annotations

from sera.animation.engine import (
    Controller, ControllerParameters, Output, SecondStage, Signal
)

"""
SIGNAL = (
    HEAD
    + """
class Countdown(Signal):
    \"\"\"Counts down.\"\"\"

    class Parameters(ControllerParameters):
        start: float = 10.0

    output = Output.FLOAT
    wires = frozenset({"start"})

    @classmethod
    def make(cls, parameters, making):
        made = cls()
        made.start = made.left = parameters.start
        return made

    def step(self, dt_s):
        self.left -= 1.0
        self.result = self.left


class Twist(Controller):
    class Parameters(ControllerParameters):
        angle_rad: float = 0.1

    wires = frozenset({"angle_rad"})

    @classmethod
    def make(cls, parameters, making):
        made = cls()
        made.angle_rad = parameters.angle_rad
        return made

    def bind(self, row):
        self.row, self.column = row, row.layout.index("Torso.Twist")

    def step(self, dt_s):
        self.row.write(self.column, self.angle_rad)
"""
)
STAGE = (
    HEAD
    + """
class Shift(SecondStage):
    def __init__(self, *, every=1, by=0.0):
        self.name, self.every, self.by = "shift", every, by
        if by > 1.0:
            raise RuntimeError("that is too far")

    def bind(self, body, layout):
        self.column = layout.index("Body.pan")

    def step(self, frame):
        frame.posed[self.column] += self.by
"""
)
USE = """
[[layers]]
name = "one"
[[layers.controllers]]
name = "count"
type = "Countdown"
start = 0.5
[[layers.controllers]]
type = "Twist"
angle_rad = { expression = "0.1 * count" }
"""


@pytest.fixture
def registry_of(tmp_path):
    def make(**files: str) -> Registry:
        folder = tmp_path / "controllers"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        registry = Registry()
        registry.load_plug_ins([tmp_path])
        return registry

    return make


def test_a_signal_and_a_controller_of_a_plug_in_are_used_by_class_name(
    program_of, registry_of, blended, tmp_path
):
    registry = registry_of(mine=SIGNAL)
    engine = program_of(USE, registry=registry).engine()
    assert blended(engine, "Torso.Twist", 3) == pytest.approx([-0.05, -0.15, -0.25])
    assert registry.plug_ins == dict.fromkeys(
        ("Countdown", "Twist"), tmp_path / "controllers" / "mine.py"
    )
    with pytest.raises(ProgramError, match="did you mean 'Countdown'"):
        program_of(USE.replace('"Countdown"', '"Contdown"'), registry=registry)
    with pytest.raises(ProgramError, match="there is no controller 'Countdown'"):
        program_of(USE)


def test_a_plug_in_is_typed_and_documented_like_the_built_in_ones(program_of, registry_of):
    registry = registry_of(mine=SIGNAL)
    text = USE.replace("start = 0.5", "strat = 0.5")
    with pytest.raises(ProgramError, match="unknown key 'strat'; did you mean 'start'"):
        program_of(text, registry=registry)
    text = USE.replace('{ expression = "0.1 * count" }', '{ from = "words" }')
    text += '[[layers.controllers]]\nname = "words"\ntype = "StrConcat"\n'
    with pytest.raises(ProgramError, match="a string cannot drive a float"):
        program_of(text, registry=registry)


def test_a_second_stage_of_a_plug_in_works_on_the_whole_body(program_of, registry_of):
    registry = registry_of(stage=STAGE)
    text = '[[second_stage]]\ntype = "Shift"\nsettings = { by = 0.2 }\n'
    program = program_of(text, registry=registry)
    assert program.level == 3
    engine = program.engine()
    for _ in range(100):
        engine.step()
    assert engine.pose["pan"] == pytest.approx(0.2, abs=1e-3)
    for wrong, said in (("{ by = 3.0 }", "that is too far"), ("{ far = 1 }", "far")):
        with pytest.raises(ProgramError, match=said) as caught:
            program_of(text.replace("{ by = 0.2 }", wrong), registry=registry)
        assert caught.value.problems[0].line == 1
    with pytest.raises(ProgramError, match=r"Body\.pan") as caught:
        program_of(text, "nao", registry=registry)
    assert caught.value.problems[0].line == 1


def test_a_plug_in_may_stand_in_place_of_a_built_in_one(program_of, registry_of, blended):
    mine = SIGNAL.replace("Countdown", "Wave").replace("self.left -= 1.0", "self.left = 30.0")
    text = """
[[layers]]
name = "one"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Torso.Twist"
value = { from = "wave" }
[[layers.controllers]]
type = "Wave"
"""
    engine = program_of(text, registry=registry_of(mine=mine)).engine()
    assert blended(engine, "Torso.Twist", 1) == pytest.approx([math.radians(30.0)])


def test_a_later_folder_stands_in_place_of_an_earlier_one(tmp_path):
    for name, value in (("first", 1), ("second", 2)):
        folder = tmp_path / name / "controllers"
        folder.mkdir(parents=True)
        text = SIGNAL.replace("start: float = 10.0", f"start: float = {value}.0")
        (folder / "same.py").write_text(text)
        (folder / "_helper.py").write_text("raise RuntimeError('not a plug-in')")
    registry = Registry()
    registry.load_plug_ins([tmp_path / "first", tmp_path / "none", tmp_path / "second"])
    assert registry.controllers["Countdown"].Parameters().start == 2.0


def test_an_edit_of_the_same_length_in_the_same_second_counts(registry_of):
    assert registry_of(mine=SIGNAL).controllers["Countdown"].Parameters().start == 10.0
    edited = registry_of(mine=SIGNAL.replace("10.0", "20.0"))
    assert edited.controllers["Countdown"].Parameters().start == 20.0


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (HEAD + "class Broken(Signal:\n    pass\n", 7, "cannot be loaded"),
        (HEAD + "import nothing_of_the_kind\n", 7, "nothing_of_the_kind"),
        (HEAD + "def far():\n    raise ValueError('too far')\n\nfar()\n", 8, "too far"),
        (HEAD + "assert False\n", 7, "AssertionError"),
        (HEAD + "raise SystemExit\n", 7, "SystemExit"),
        (SIGNAL.replace("Output.FLOAT", "Output.FRAME"), 8, "does not say what it gives"),
    ],
)
def test_a_broken_plug_in_gives_file_and_line(registry_of, text, line, sentence):
    with pytest.raises(FileProblem, match=sentence) as caught:
        registry_of(broken=text)
    assert (caught.value.file.name, caught.value.line) == ("broken.py", line)


def test_what_is_unfinished_or_breaks_while_it_is_made_is_said_by_line(program_of, registry_of):
    half = SIGNAL.replace(
        "    def step(self, dt_s):\n        self.left", "    def stp(self):\n        self.left"
    )
    with pytest.raises(
        ProgramError, match=r"'Countdown' of half\.py cannot be used; it lacks step"
    ):
        program_of(USE, registry=registry_of(half=half))
    bad = SIGNAL.replace("made = cls()\n        made.start", "1 / 0\n        made.start")
    with pytest.raises(ProgramError, match="cannot be made: division by zero") as caught:
        program_of(USE, registry=registry_of(half=bad))
    assert caught.value.problems[0].line == 4
    lazy = SIGNAL.replace("    def make(", "    def made_otherwise(")
    with pytest.raises(ProgramError, match="Countdown cannot be used in a program file"):
        program_of(USE, registry=registry_of(half=lazy))

"""`sera list controllers`: what a program file can use, plug-ins included."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sera.animation.controllers import BUILT_IN
from sera.animation.program import Registry
from sera.cli import app
from sera.cli._controller_facts import facts_of, in_toml, markdown_table

PLUG_IN = '''"""Plug-in."""
from sera.animation.engine import ControllerParameters, Output, Signal


class Twice(Signal):
    """Doubles a number.

    Nobody reads this in a list.
    """

    class Parameters(ControllerParameters):
        """One number."""

        number: float
        """What is doubled."""
        note: str | None = None

    output = Output.FLOAT
    wires = frozenset({"number"})

    def step(self, dt_s: float) -> None:
        self.result = 2.0 * self.number
'''


def invoke(*words: str):
    return CliRunner().invoke(app, ["list", "controllers", *words])


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    (tmp_path / "controllers").mkdir()
    (tmp_path / "controllers" / "twice.py").write_text(PLUG_IN, encoding="utf-8")
    (tmp_path / "scenarios" / "mine").mkdir(parents=True)
    (tmp_path / "scenarios" / "mine" / "scenario.toml").write_text('[scenario]\ntitle = "x"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SERA_PATH", raising=False)
    return tmp_path


def test_every_built_in_controller_has_a_line_with_what_it_gives():
    answer = invoke()
    assert answer.exit_code == 0, answer.output
    words = [line.split() for line in answer.output.splitlines()[1:]]
    assert [each[0] for each in words] == list(BUILT_IN)
    assert {each[1] for each in words} == {"frame", "float", "int", "string", "bool", "any"}
    assert all(len(each) > 3 for each in words), "a controller without a sentence"


def test_every_parameter_has_a_type_that_people_know():
    for facts in facts_of(Registry()):
        for parameter in facts.parameters:
            place = f"{facts.type}.{parameter.name}"
            assert parameter.type, place
            assert not any(sign in parameter.type for sign in ("<", "typing", "NoneType")), place


def test_what_wires_may_drive_is_a_parameter_or_an_attribute_that_exists():
    for facts in facts_of(Registry()):
        wired = {parameter.name for parameter in facts.parameters if parameter.wired}
        assert wired == set(BUILT_IN[facts.type].wires), facts.type


def test_one_is_shown_with_its_parameters():
    answer = invoke("WriteToChannel")
    assert answer.exit_code == 0, answer.output
    lines = answer.output.splitlines()
    assert lines[0].startswith("WriteToChannel: Sets one channel")
    assert lines[1] == "gives: frame"
    assert lines[3].split() == ["parameter", "type", "default", "wire", "meaning"]
    by_name = {line.split()[0]: line for line in lines[4:]}
    assert list(by_name) == ["channel", "value", "speed", "unit"]
    assert by_name["value"].split()[1:4] == ["float", "0", "yes"]
    assert "Degrees for a channel that is an angle" in by_name["value"]
    assert '"own" or "percent" or "valence"' in by_name["unit"]


def test_json_has_everything_by_name():
    data = json.loads(invoke("Nod", "--json").output)
    assert (data["type"], data["output"], data["file"]) == ("Nod", "frame", None)
    parameters = {each["name"]: each for each in data["parameters"]}
    assert parameters["kind"]["type"] == '"nod" or "shake"'
    assert parameters["now"]["wired"] is True
    assert parameters["frequency_hz"]["default"] == 1.6
    assert [each["type"] for each in json.loads(invoke("--json").output)] == list(BUILT_IN)


def test_a_plug_in_of_the_workspace_is_listed_with_its_file(workspace):
    answer = invoke()
    assert answer.exit_code == 0, answer.output
    (line,) = [line for line in answer.output.splitlines() if line.startswith("Twice")]
    assert line.rstrip().split(maxsplit=2)[1:] == [
        "float",
        "Doubles a number. (controllers/twice.py)",
    ]
    shown = invoke("Twice").output
    assert "plug-in: controllers/twice.py" in shown
    assert "required" in shown
    assert json.loads(invoke("Twice", "--json").output)["file"].endswith("twice.py")


def test_a_plug_in_of_a_robot_is_listed_where_that_robot_is_named(workspace):
    assert invoke("Thrice").exit_code != 0
    folder = workspace / "robots" / "own"
    (folder / "controllers").mkdir(parents=True)
    (folder / "body.toml").write_text('[robot]\ntitle = "Own"\n')
    text = PLUG_IN.replace("Twice", "Thrice")
    (folder / "controllers" / "thrice.py").write_text(text, encoding="utf-8")
    assert "required" in invoke("Thrice", "--robot", "own").output


def test_a_broken_plug_in_is_named_with_its_line(workspace):
    (workspace / "controllers" / "wrong.py").write_text("import math\nmath.nonsense\n")
    answer = invoke()
    assert answer.exit_code == 2
    assert "controllers/wrong.py:2: the plug-in cannot be loaded" in answer.output


def test_an_unknown_controller_is_answered_with_the_nearest_name():
    answer = invoke("Wav")
    assert answer.exit_code == 2
    assert "there is no controller 'Wav'; did you mean 'Wave'?" in answer.output


def test_a_markdown_table_has_one_row_for_each():
    table = markdown_table(facts_of(Registry()))
    assert invoke("--markdown").output == table
    assert len(table.splitlines()) == 2 + len(BUILT_IN)
    assert all(line.count(" | ") == 3 for line in table.splitlines() if not line.startswith("|--"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (0.25, "0.25"),
        ("x", '"x"'),
        (None, "-"),
        ([1, 2.0], "[1, 2]"),
        ({"Torso.Lean": -1.0, "a": 2}, '{ "Torso.Lean" = -1, a = 2 }'),
    ],
)
def test_values_are_shown_as_one_would_write_them(value, text):
    assert in_toml(value) == text

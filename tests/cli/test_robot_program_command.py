"""`sera robot program`: the program that counts for a robot, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sera.cli import app

OWN = """
[program]
title = "Own"
[filter]
smoothness = 0.5
[[signals]]
name = "arousal"
type = "Message"
message = "SetEmotion"
field = "pad.arousal"
[[layers]]
name = "base"
mode = "override"
weight = 0.5
[[layers.controllers]]
type = "Posture"
posture = "neutral"
blend_s = 2.0
[[layers]]
name = "life"
active = false
[[layers]]
name = "wave"
inside = "life"
only = ["Gazing"]
[[layers.controllers]]
name = "size"
type = "Expression"
text = "1 + arousal"
[[layers.controllers]]
name = "wave"
type = "Wave"
amplitude = { from = "size" }
frequency = { expression = "0.1 * size" }
[[layers.controllers]]
type = "WriteToChannel"
channel = "Gazing.Roll"
value = { from = "wave" }
[[layers.controllers]]
type = "Nod"
count = 3
now = { message = "PersonDetected" }
[[layers.controllers]]
type = "Breathing"
amounts = { "Torso.Lean" = 1.0 }
arousal = { message = "SetEmotion", field = "pad.arousal" }
"""
BROKEN = """
[[layers]]
name = "one"
only = ["Gazng"]

[[layers.controllers]]
type = "Wav"

[[layers.controllers]]
type = "WriteToChannel"
channel = "Gazing.Roll"
value = { from = "nobody" }
"""


def invoke(*words: object):
    return CliRunner().invoke(app, ["robot", "program", *map(str, words)])


@pytest.fixture
def own_file(tmp_path) -> Path:
    file = tmp_path / "own.toml"
    file.write_text(OWN, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["adelino", "emys", "keepon", "nao", "pepper"])
def test_every_body_has_a_program_without_a_problem(name):
    answer = invoke(name)
    assert answer.exit_code == 0, answer.output
    lines = answer.output.splitlines()
    assert lines[0].startswith(f"“Alive” for {name}: ")
    assert "      arousal ← arousal" in [line.removeprefix("  " * 2) for line in lines]
    assert any(line.startswith("follows: Gaze, Point, PlayAnimation") for line in lines)
    follows = next(line for line in lines if line.startswith("follows: "))
    assert "SetEmotion, SetMood" in follows
    assert ("MoveHand" in follows) == (name in ("nao", "pepper"))
    assert "hears: no other messages" in lines


def test_layers_parameters_and_wires_are_drawn(own_file):
    answer = invoke("adelino", "--file", own_file)
    assert answer.exit_code == 0, answer.output
    assert answer.output.splitlines()[1].startswith("level 3: layers and a second stage; 50 frames")
    shown = answer.output.partition("\n\n")[2]
    assert shown == (
        "shared signals\n"
        "  arousal: Message → float\n"
        '      message = "SetEmotion"\n'
        '      field = "pad.arousal"\n'
        "\n"
        "layers, the first at the bottom\n"
        "  base (override; weight 0.5)\n"
        "    posture: Posture\n"
        "        blend_s = 2\n"
        "  life (add; off at first)\n"
        "    wave (add; inside life; only Gazing)\n"
        "      size: Expression → float\n"
        '          text = "1 + arousal"\n'
        "          arousal ← arousal\n"
        "      wave: Wave → float\n"
        "          amplitude ← size\n"
        "          frequency ← 0.1 * size\n"
        "      writeToChannel: WriteToChannel\n"
        '          channel = "Gazing.Roll"\n'
        "          value ← wave\n"
        "      nod: Nod\n"
        "          count = 3\n"
        "          now ← PersonDetected arrives\n"
        "      breathing: Breathing\n"
        '          amounts = { "Torso.Lean" = 1 }\n'
        "          arousal ← SetEmotion.pad.arousal\n"
        "\n"
        "second stage: erik, clearance\n"
        "filter: smoothness = 0.5\n"
        "follows: RetimeAnimation, SetPosture, SetLayer, HoldJoints, SetEmotion, SetMood, "
        "EmotionState, EmergencyStop\n"
        "hears: SetEmotion, PersonDetected\n"
    )


def test_json_has_the_same_by_name(own_file):
    data = json.loads(invoke("adelino", "--file", own_file, "--json").output)
    assert (data["title"], data["robot"], data["level"]) == ("Own", "adelino", 3)
    assert data["file"] == str(own_file)
    assert data["problems"] == []
    base, life, wave = data["layers"]
    assert (base["mode"], base["weight"], life["active"]) == ("override", 0.5, False)
    assert (wave["inside"], wave["only"]) == ("life", ["Gazing"])
    assert wave["controllers"][1] == {
        "name": "wave",
        "type": "Wave",
        "output": "float",
        "line": OWN[: OWN.index('name = "wave"\ntype')].count("\n"),
        "parameters": {},
        "wires": {"amplitude": "size", "frequency": "0.1 * size"},
    }
    assert data["filter"] == {"smoothness": 0.5}


def test_the_program_of_a_scenario_comes_before_the_robots(tmp_path, monkeypatch):
    folder = tmp_path / "scenarios" / "mine"
    folder.mkdir(parents=True)
    (folder / "scenario.toml").write_text('[scenario]\ntitle = "Mine"\n')
    (folder / "program.toml").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SERA_PATH", raising=False)
    assert invoke("adelino").output.startswith("“Alive”")
    for name in ("mine", folder / "scenario.toml", folder):
        answer = invoke("adelino", "--scenario", name)
        assert answer.output.startswith("“Own” for adelino: scenarios/mine/program.toml"), (
            answer.output
        )


def test_every_problem_is_named_by_line_with_exit_code_1(tmp_path):
    file = tmp_path / "broken.toml"
    file.write_text(BROKEN, encoding="utf-8")
    answer = invoke("adelino", "--file", file)
    assert answer.exit_code == 1
    assert "3 problems in the animation program:" in answer.output
    assert "broken.toml:4: " in answer.output
    assert "did you mean 'Wave'?" in answer.output
    assert "broken.toml:12: " in answer.output
    assert "there is no signal 'nobody' here" in answer.output
    data = json.loads(invoke("adelino", "--file", file, "--json").output)
    assert [problem["line"] for problem in data["problems"]] == [4, 7, 12]


def test_a_file_that_is_no_toml_and_one_that_is_not_there_are_told_apart(tmp_path):
    file = tmp_path / "no.toml"
    file.write_text("[layers\n")
    answer = invoke("adelino", "--file", file)
    assert answer.exit_code == 1
    assert "no.toml:1" in answer.output
    missing = invoke("adelino", "--file", tmp_path / "gone.toml")
    assert missing.exit_code == 2
    assert "there is no program file" in missing.output


def test_a_message_of_the_workspaces_own_modules_drives_parameters(tmp_path):
    file = tmp_path / "attentive.toml"
    file.write_text(
        '[[layers]]\nname = "nods"\n[[layers.controllers]]\ntype = "Nod"\n'
        'now = { message = "AttentionChanged" }\n'
    )
    answer = invoke("adelino", "--file", file)
    assert answer.exit_code == 0, answer.output
    assert "hears: AttentionChanged" in answer.output


def test_unknown_robots_and_scenarios_are_answered_with_the_nearest_name():
    robot = invoke("adelno")
    assert robot.exit_code == 2
    assert "did you mean 'adelino'?" in robot.output
    scenario = invoke("adelino", "--scenario", "helo")
    assert scenario.exit_code == 2
    assert "did you mean 'hello'?" in scenario.output

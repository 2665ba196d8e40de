"""`sera utterances say`: one line on a simulated robot, told word by word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sera.cli import app
from sera.speech import read_wav

LINES = (
    "TEXT;CATEGORY;ID\n"
    "<ANIMATE(nod)> Hello /name/, <POINT(left)> look \\pau=500\\ there.;greeting;g1\n"
    "Good bye.;end;e1\n"
)


def say(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["utterances", "say", *map(str, arguments)])


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    file = tmp_path / "lines.csv"
    file.write_text(LINES, encoding="utf-8")
    return file


def test_a_line_is_told_word_by_word_with_what_is_done_and_what_was_substituted(sheet):
    said = say("G1", "--file", sheet, "--silent", "--tag", "name=Ada")
    assert said.exit_code == 0, said.output
    lines = said.stdout.splitlines()
    assert lines[0] == "adelino performs line 'g1' (greeting): Hello Ada, look there."
    timed = [line for line in lines if re.match(r" *\d+\.\d\d s ", line)]
    words = [line.split()[2] for line in timed if "estimated" in line]
    assert words == ["Hello", "Ada", "look", "there"]
    times_s = [float(line.split()[0]) for line in timed]
    assert times_s == sorted(times_s)
    assert any("plays nod" in line and "before the first word" in line for line in lines)
    assert any("looks at left (-30°, 0°)" in line for line in lines)
    assert "POINT(left) was not performed as written, GAZE(left) instead" in said.stdout
    assert "the body has no arms" in said.stdout
    assert lines[-1].startswith("over after ")


def test_a_text_needs_no_sheet_and_another_robot_points_with_its_arm():
    said = say("Look <POINT(left)> there.", "--silent", "--robot", "nao")
    assert said.exit_code == 0, said.output
    assert said.stdout.startswith("nao performs: Look there.")
    assert "points at left" in said.stdout
    assert "instead" not in said.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("g2x",), "no line has the id 'g2x' in lines.csv"),
        (("g11",), "did you mean 'g1'?"),
        (("g1", "--robot", "adelin"), "adelino"),
        (("g1", "--tag", "Ada"), "--tag Ada: write a name and its value"),
        (("g1", "--silent", "--out", "a.wav"), "exclude each other"),
        (("g1", "--out", "a.mp3"), "a sound file ends in .wav"),
        ((" ",), "nothing to say"),
    ],
)
def test_what_cannot_be_said_is_one_sentence(sheet, arguments, sentence):
    said = say(*arguments, "--file", sheet)
    assert said.exit_code == 2
    assert sentence in said.output


def test_a_line_that_is_cancelled_ends_with_one_and_the_reason(tmp_path):
    file = tmp_path / "lines.csv"
    file.write_text("TEXT:en;CATEGORY;ID\nHello.;greeting;g1\n", encoding="utf-8")
    said = say("g1", "--file", file, "--silent", "--language", "de")
    assert said.exit_code == 1
    assert "no text in 'de'" in said.output


@pytest.mark.needs_program("espeak-ng")
def test_the_sound_is_written_with_its_pause(sheet, tmp_path):
    out = tmp_path / "sound.wav"
    said = say("g1", "--file", sheet, "--tag", "name=Ada", "--out", out)
    assert said.exit_code == 0, said.output
    assert "voice: espeak" in said.stdout
    assert f"sound: {out}" in said.stdout
    sound = read_wav(out.read_bytes())
    (over,) = re.findall(r"over after (\d+\.\d\d) s", said.stdout)
    assert 1.2 < sound.duration_s <= float(over) + 0.3


def test_a_tag_without_a_value_is_told_and_a_scenario_needs_a_character(sheet, tmp_path):
    said = say("g1", "--file", sheet, "--silent")
    assert said.exit_code == 0
    assert "the tag 'name' has no value and is said by its name" in said.output
    (tmp_path / "scenario.toml").write_text('[scenario]\ntitle = "Nobody"\n')
    nobody = say("Hello there.", "--scenario", tmp_path / "scenario.toml", "--silent")
    assert nobody.exit_code == 2
    assert "has no character" in nobody.output


def test_a_line_without_words_lasts_as_long_as_its_gestures_and_a_missing_sound_is_told():
    said = say("<HEADNOD(2)> <SOUND(bell)>", "--silent")
    assert said.exit_code == 0, said.output
    assert "plays nod, before the first word" in said.stdout
    assert "there is no medium 'bell'" in said.output

"""`sera emotion`: what a psychologist reads, what an animator draws, what a slow robot plays."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from sera.animation.body import load_body
from sera.cli import app
from sera.emotion import load_emotions
from sera.emotion.wish import CORNERS, understood

ROBOTS = Path(__file__).parents[2] / "robots"
SAUDADE = "[emotions.saudade]\npad = [-0.2, -0.3, -0.1]\nsource = 'ours'\n"
LOSES = "jerkiness at 2.0 Hz is lost at 4.45 Hz"


@pytest.fixture(autouse=True)
def apart(place, monkeypatch):
    monkeypatch.setenv("SERA_RUNS", place.environment["SERA_RUNS"])
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("SERA_PATH", raising=False)
    monkeypatch.chdir(place.folder)


def emotion(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["emotion", *map(str, arguments)])


def refused(*arguments: object) -> str:
    result = emotion(*arguments)
    assert result.exit_code != 0
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


# -- words ------------------------------------------------------------------------------------


def test_every_emotion_is_listed_with_its_point_and_what_it_makes_of_motion():
    text = emotion("list").output
    for name in load_emotions().names:
        assert name in text
    row = next(line.split() for line in text.splitlines() if line.startswith("happiness"))
    assert row[1:5] == ["+0.81", "+0.51", "+0.46", "Exuberant"]
    listed = {each["emotion"]: each for each in json.loads(emotion("list", "--json").stdout)}
    assert listed["fear"]["pad"] == [-0.64, 0.6, -0.43]
    assert listed["fear"]["jerkiness"] == pytest.approx(0.82)


def test_a_scenario_adds_its_own_emotions(place):
    place.write("scenarios/lab/scenario.toml", 'title = "Lab"\n')
    place.write("scenarios/lab/emotions.toml", SAUDADE)
    assert "saudade" not in emotion("list").output
    text = emotion("list", "--scenario", "lab").output
    assert "saudade" in text
    assert "happiness" in text


@pytest.mark.parametrize(
    ("asked", "pad"),
    [
        ("fear", [-0.64, 0.6, -0.43]),
        ("LHL", [-0.75, 0.75, -0.75]),
        ("lhl", [-0.75, 0.75, -0.75]),
        ("-0.75, 0.75, -0.75", [-0.75, 0.75, -0.75]),
    ],
)
def test_an_emotion_is_asked_for_by_its_name_its_corner_or_its_numbers(asked, pad):
    shown = json.loads(emotion("show", "--json", "--", asked).stdout)
    assert shown["pad"] == pad
    assert shown["octant"] == "Anxious"
    assert set(shown["robots"]) >= {"pepper", "nao", "romeo", "adelino", "emys", "keepon"}


def test_what_is_shown_says_what_a_robot_does_with_it():
    text = emotion("show", "LHL", "--robot", "pepper").output
    assert "jerkiness 0.875: very jerky motion" in text
    assert "activity 0.875: very lively" in text
    assert "gaze 0.125: very averted" in text
    assert "working hands keep their paths" in text
    assert "nao" not in text
    line = emotion("show", "sadness", "--robot", "adelino").output
    assert "postures sad 100 %" in line
    assert "shows nothing" in emotion("show", "0,0,0", "--robot", "pepper").output


def test_numbers_beyond_the_space_are_taken_to_its_end_and_it_is_said():
    result = emotion("show", "2,0,-7", "--robot", "pepper")
    assert result.exit_code == 0
    assert "pleasure and dominance beyond -1 to 1: taken to the end" in result.output
    assert "pleasure +1.00, arousal +0.00, dominance -1.00" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "hapiness"), ["hapiness", "happiness"]),
        (("show", "nan,0,0"), ["three numbers from -1 to 1"]),
        (("show", "inf,0,0"), ["three numbers from -1 to 1"]),
        (("show", "1,2"), ["three numbers from -1 to 1", "pleasure, arousal, dominance"]),
        (("show", "fear", "--robot", "peper"), ["peper", "pepper"]),
        (("sheet", "peper"), ["peper", "pepper"]),
        (("sheet", "adelino", "--out", "x.jpg"), ["x.jpg", ".png"]),
        (("sheet", "adelino", "--out", "nowhere/x.png"), ["nowhere"]),
        (("sheet", "adelino", "--emotion", "joi"), ["joi", "joy"]),
        (("curves", "adelino", "--out", "x.pdf"), ["x.pdf", ".png"]),
        (("export", "pepper"), ["--emotion"]),
        (("export", "pepper", "--emotion", "feer"), ["feer", "fear"]),
        (("export", "pepper", "--emotion", "fear", "--gesture", "wav"), ["wav", "wave"]),
        (("export", "pepper", "--emotion", "fear", "--rate", "0"), ["0 Hz"]),
        (("export", "pepper", "--emotion", "fear", "--rate", "nan"), ["nan Hz"]),
        (("export", "pepper", "--emotion", "0,0,0", "--gesture", "none"), ["nothing moves"]),
        (("export", "pepper", "--emotion", "fear", "--out", "nowhere/x.csv"), ["no folder"]),
        (("list", "--scenario", "helo"), ["helo", "hello"]),
    ],
)
def test_bad_input_gets_a_sentence_with_the_nearest_thing(arguments, words, place):
    text = refused(*arguments)
    for word in words:
        assert word in text
    assert not [path for path in place.folder.rglob("*") if path.suffix in {".png", ".csv"}]


def test_every_corner_has_a_point_of_its_own():
    emotions = load_emotions()
    points = {understood(corner, emotions).pad.values for corner in CORNERS}
    assert len(points) == 8
    assert all(abs(value) == 0.75 for point in points for value in point)


# -- pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", ["pepper", "adelino"])
def test_a_sheet_draws_each_emotion_that_is_asked_for(place, robot):
    heights = []
    for number, wishes in enumerate((("fear",), ("fear", "LLL", "HHH", "joy", "0.1,0.2,0.3"))):
        given = [part for wish in wishes for part in ("--emotion", wish)]
        result = emotion("sheet", robot, "--out", f"{number}.png", *given)
        assert result.exit_code == 0, result.output
        with Image.open(place.folder / f"{number}.png") as picture:
            assert np.ptp(np.asarray(picture.convert("L"))) > 200, "there is something on it"
            heights.append(picture.height)
    assert heights[1] > heights[0]


def test_curves_print_what_they_show(place):
    result = emotion("curves", "pepper", "--emotion", "LHL", "--emotion", "HLH")
    assert result.exit_code == 0, result.output
    rows = {line.split()[0]: line.split() for line in result.output.splitlines()[1:-1]}
    gaze, hand_mm, energy, jerk = (
        {key: float(rows[key][column]) for key in ("LHL", "HLH")} for column in (1, 2, 3, 4)
    )
    assert gaze["LHL"] > gaze["HLH"] + 10.0, "submissive looks past, dominant at"
    assert max(hand_mm.values()) < 2.0
    assert energy["LHL"] > 10.0 * energy["HLH"]
    assert jerk["LHL"] > 8.0 * jerk["HLH"]
    with Image.open(place.folder / "pepper_curves.png") as picture:
        assert picture.width > 300


# -- timelines --------------------------------------------------------------------------------


def test_a_timeline_for_slow_playback_keeps_to_the_limits_and_says_what_it_loses(place):
    result = emotion("export", "pepper", "--emotion", "LHL", "--seconds", 4)
    assert result.exit_code == 0, result.output
    assert LOSES in " ".join(result.output.split())
    with (place.folder / "pepper_LHL.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == math.floor(4 * 4.45) + 1
    joints = load_body(ROBOTS / "pepper").own
    moved = {head: head.removeprefix("Body.").removesuffix(" [deg]") for head in rows[0]}
    assert moved.pop("time_s")
    assert {"LShoulderRoll", "RShoulderRoll"} <= set(moved.values()) <= set(joints)
    for head, name in moved.items():
        angles = np.radians([float(row[head]) for row in rows])
        assert angles.min() >= joints[name].lower - 1e-3
        assert angles.max() <= joints[name].upper + 1e-3


def test_a_quicker_timeline_loses_nothing_and_warns_of_nothing(place):
    result = emotion("export", "nao", "--emotion", "LHL", "--rate", 25, "--out", "fast.csv")
    assert result.exit_code == 0, result.output
    assert "lost" not in result.output
    assert (place.folder / "fast.csv").is_file()


def test_a_timeline_for_naoqi_has_names_angles_and_times_of_one_length(place):
    result = emotion("export", "nao", "--emotion", "joy", "--format", "naoqi")
    assert result.exit_code == 0, result.output
    data = json.loads((place.folder / "nao_happiness.json").read_text(encoding="utf-8"))
    assert len(data["names"]) == len(data["keys"]) == len(data["times"]) > 5
    for angles, times in zip(data["keys"], data["times"], strict=True):
        assert len(angles) == len(times) > 5
        assert times == sorted(times)
        assert times[0] > 0.0, "angleInterpolation refuses a time of nought"

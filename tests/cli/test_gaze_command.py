"""`sera gaze`: the timeline of a recording, whatever state it is in, and the policies."""

from __future__ import annotations

import json
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner, Result

from sera.behaviour.gaze import TimelineEntry, looks_of
from sera.cli import app

HEADER = {"sera_log": 1, "run": "study_P07", "scenario": "lab", "clock": "real", "started": 100.0}


def line(time_s: float, kind: str, character: str = "ada", **data: Any) -> str:
    return json.dumps(
        {
            "received": 100.0 + time_s,
            "topic": f"sera/study_P07/{character}/{kind}/{character}.x",
            "type": kind,
            "id": f"{character}.x-1-{time_s}",
            "time": 100.0 + time_s,
            "source": f"{character}.x",
            "character": character,
            "cause": None,
            "protocol": 1,
            "data": data,
        }
    )


LOOKS = (
    line(0.0, "Gaze", target="random", reason="free: policy mutual"),
    line(1.9, "GazeAt", target="learner_1"),
    line(2.0, "Gaze", target="learner_1", reason="order: GazeAt"),
    line(2.5, "Gaze", target="learner_1", reason="tracking: learner_1 moved"),
    line(3.0, "SpeechStarted", speech="s1", text="hello"),
    line(4.0, "SpeechActivity", "world", speaking=True, person="learner_2"),
    line(5.0, "SpeechFinished", speech="s1", duration_s=2.0),
    line(6.0, "Gaze", target="elsewhere", reason="breaking: 4.0 s on learner_1"),
    line(9.0, "SpeechActivity", "world", speaking=False, person="learner_2"),
    line(10.0, "RunEnding", "world"),
)


@pytest.fixture(autouse=True)
def apart(place, monkeypatch):
    for name in ("SERA_RUNS", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, place.environment[name])
    monkeypatch.delenv("SERA_PATH", raising=False)
    monkeypatch.chdir(place.folder)


def log_of(tmp_path: Path, *lines: str, header: bool = True) -> Path:
    file = tmp_path / "log.jsonl"
    text = [*([json.dumps(HEADER)] if header else []), *lines]
    file.write_text("".join(f"{each}\n" for each in text), encoding="utf-8")
    return file


def sera(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["gaze", *map(str, arguments)])


def sentence(result: Result) -> str:
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return " ".join(result.stderr.split())


# -- timeline -------------------------------------------------------------------------------


def test_looks_have_their_ends_and_reasons_and_tracking_is_no_look_of_its_own(tmp_path):
    found = json.loads(sera("timeline", log_of(tmp_path, *LOOKS), "--json").stdout)
    assert found == [
        {"time_s": 0.0, "until_s": 2.0, "target": "random", "reason": "free: policy mutual"},
        {"time_s": 2.0, "until_s": 6.0, "target": "learner_1", "reason": "order: GazeAt"},
        {
            "time_s": 6.0,
            "until_s": 10.0,
            "target": "elsewhere",
            "reason": "breaking: 4.0 s on learner_1",
        },
    ]


def test_a_window_cuts_the_look_that_is_under_way(tmp_path):
    log = log_of(tmp_path, *LOOKS)
    found = json.loads(sera("timeline", log, "--from", 3, "--to", 7, "--json").stdout)
    assert [(look["time_s"], look["until_s"], look["target"]) for look in found] == [
        (3.0, 6.0, "learner_1"),
        (6.0, 7.0, "elsewhere"),
    ]
    assert found[0]["reason"] == "order: GazeAt"
    assert "must be before" in sentence(sera("timeline", log, "--from", 7, "--to", 7))
    late = sentence(sera("timeline", log, "--from", 50))
    assert "looks nowhere in that time: the looks of the log go from 0.0 s to 10.0 s" in late


def test_the_picture_shows_targets_reasons_orders_and_who_speaks(tmp_path):
    picture = tmp_path / "gaze.svg"
    drawn = sera("timeline", log_of(tmp_path, *LOOKS), "-o", picture)
    assert drawn.exit_code == 0, drawn.output
    assert drawn.stdout.strip() == str(picture)
    text = picture.read_text(encoding="utf-8")
    ET.fromstring(text)
    for word in (
        *("learner_1", "elsewhere", "free", "order", "breaking", "GazeAt"),
        *("ada speaks", "learner_2 speaks", "Gaze of ada in study_P07"),
    ):
        assert f">{word}<" in text


def test_a_log_without_reasons_and_targets_still_draws(tmp_path):
    old = [line(t / 2, "Gaze", target="visitor") for t in range(5)] + [line(4.0, "Gaze")]
    log = log_of(tmp_path, *old, line(6.0, "RunEnding", "world"))
    found = json.loads(sera("timeline", log, "--json").stdout)
    assert found == [
        {"time_s": 0.0, "until_s": 4.0, "target": "visitor", "reason": None},
        {"time_s": 4.0, "until_s": 6.0, "target": "(a direction)", "reason": None},
    ]
    assert "unknown reason" in sera("timeline", log).stdout
    picture = tmp_path / "old.svg"
    assert sera("timeline", log, "-o", picture).exit_code == 0
    assert ">unknown reason<" in picture.read_text(encoding="utf-8")


def test_a_log_that_was_cut_is_read_as_far_as_it_goes(tmp_path):
    log = log_of(tmp_path, *LOOKS)
    log.write_bytes(log.read_bytes()[:-40])
    read = sera("timeline", log, "--json")
    assert read.exit_code == 0
    assert "1 damaged lines were left out" in read.stderr
    assert len(json.loads(read.stdout)) == 3


def test_strange_values_in_a_log_do_no_harm(tmp_path):
    strange = (
        line(0.0, "Gaze", target="$\\frac{$", reason="$x_$: \x1b[31m"),
        line(1.0, "Gaze", target=["no", "text"], reason=7),
        line(2.0, "Gaze", target="x" * 500, reason=":"),
        line(2.5, "Glance", target=None),
        line(3.0, "SpeechFinished", speech="never begun"),
        line(3.5, "SpeechActivity", "world", speaking="perhaps"),
    )
    log = log_of(tmp_path, *strange)
    picture = tmp_path / "strange.png"
    drawn = sera("timeline", log, "-o", picture)
    assert drawn.exit_code == 0, drawn.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "\x1b" not in sera("timeline", log).stdout


def test_hundreds_of_targets_make_a_picture_that_can_be_opened(tmp_path):
    log = log_of(tmp_path, *(line(float(n), "Gaze", target=f"t{n}") for n in range(300)))
    picture = tmp_path / "many.svg"
    assert sera("timeline", log, "-o", picture).exit_code == 0
    text = picture.read_text(encoding="utf-8")
    assert ">(others)<" in text
    assert len(re.findall(r">t\d+<", text)) == 59


@pytest.mark.parametrize(
    ("lines", "header", "words"),
    [
        ((), True, "holds no messages, so nobody looks anywhere"),
        ((), False, "holds no messages, so nobody looks anywhere"),
        (("no json",), False, "is no SERA log: its first line is no header"),
        ((LOOKS[1],), True, "holds no Gaze, so nobody looks anywhere (ada was told where"),
        (
            (LOOKS[0], line(1.0, "Gaze", "bob", target="ada")),
            True,
            "whose gaze? Choose with --character: ada, bob",
        ),
    ],
)
def test_logs_that_cannot_be_drawn_are_said(tmp_path, lines, header, words):
    assert words in sentence(sera("timeline", log_of(tmp_path, *lines, header=header)))


def test_one_of_several_characters_is_chosen_by_name(tmp_path):
    log = log_of(tmp_path, LOOKS[0], line(1.0, "Gaze", "bob", target="ada"))
    (look,) = json.loads(sera("timeline", log, "-c", "bob", "--json").stdout)
    assert look["target"] == "ada"
    assert "did you mean 'bob'?" in sentence(sera("timeline", log, "-c", "bobb"))


def test_wrong_names_of_logs_and_pictures_are_said(tmp_path, monkeypatch):
    assert "no log 'nothing'" in sentence(sera("timeline", "nothing"))
    log = log_of(tmp_path, *LOOKS)
    assert "ends in .svg or .png" in sentence(sera("timeline", log, "-o", "gaze.jpg"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    missing = sentence(sera("timeline", log, "-o", tmp_path / "gaze.png"))
    assert 'drawing needs matplotlib: pip install "sera-hri[figures]"' in missing
    assert sera("timeline", log).exit_code == 0


def test_a_recording_of_hello_draws(tmp_path, place):
    log = tmp_path / "hello.jsonl"
    ran = place.sera("run", "hello", "--virtual", "--log", log)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(sera("timeline", log, "--json").stdout)
    assert any(look["target"] == "visitor_1" for look in found)
    assert all(before["until_s"] == after["time_s"] for before, after in pairwise(found))


def test_the_end_of_looks_may_not_lie_before_the_last():
    with pytest.raises(ValueError, match="lies before the last look"):
        looks_of([TimelineEntry(3.0, "x", "")], 2.0)
    assert looks_of([]) == []


# -- policies -------------------------------------------------------------------------------


def test_built_in_policies_are_listed_with_their_figures():
    known = json.loads(sera("policies", "--json").stdout)
    assert [policy["name"] for policy in known] == ["random", "mutual", "mutual_joint", "speaker"]
    assert known[0]["interval_s"] == [4.0, 6.0]
    shown = sera("policies").stdout
    assert "mutual_joint (built in): looks at person 100% for 4-6 s" in shown
    assert "glance_s = [1, 2.5]" in shown


def test_a_scenario_adds_its_own_and_what_is_wrong_there_is_said(place):
    place.write("scenarios/lab/scenario.toml", '[scenario]\ntitle = "Lab"\n')
    file = place.write(
        "scenarios/lab/policies.toml",
        '[policies.shy]\nbased_on = "mutual"\nminimum_dwell_s = 2.0\n'
        "weights = { person = 1, random = 3 }\n",
    )
    known = json.loads(sera("policies", "lab", "--json").stdout)
    assert [policy["name"] for policy in known][-1] == "shy"
    assert known[-1]["source"] == "scenarios/lab/policies.toml"
    assert "person 25%, random 75%" in known[-1]["description"]
    assert "minimum_dwell_s = 2" in sera("policies", "lab").stdout
    file.write_text('[policies.shy]\nbased_on = "mutal"\n', encoding="utf-8")
    answer = sentence(sera("policies", "lab"))
    assert "policies.toml:2" in answer
    assert "did you mean 'mutual'?" in answer
    assert "did you mean 'lab'?" in sentence(sera("policies", "lba"))

"""What if: the same perceptions with other lines, another gaze policy, condition or setting."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner

from sera.cli import app
from sera.recording.replay import (
    Changes,
    Said,
    cast_of,
    difference,
    play,
    read_changes,
    read_recording,
    timeline_page,
)
from sera.runtime.robot import load_robot
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]


def what_if(log: Path, changes: Changes):
    run = read_recording(log)
    done = play(run, cast_of(run, Workspace.discover(ROOT), changes))
    return done, difference(done.recorded, done.said, done.duration_s)


def aspect(found, name: str):
    return next(one for one in found.aspects if one.name == name)


def test_other_lines_are_said_at_the_same_occasions(tutor_recording, tmp_path):
    book = load_workbook(ROOT / "scenarios/tutor/tutor.xlsx")
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str) and cell.value.endswith((".", "!", "?")):
                    cell.value = f"Now then. {cell.value}"
    book.save(tmp_path / "other.xlsx")
    done, found = what_if(tutor_recording, Changes(utterances=tmp_path / "other.xlsx"))
    lines = aspect(found, "lines")
    assert lines.then > 2
    assert lines.now > 2
    assert lines.same < lines.then
    assert lines.first[0].now.startswith("Now then.")
    assert not lines.first[0].then.startswith("Now then.")
    assert found.speaking_s[1] > found.speaking_s[0]
    assert done.faults == []


def test_another_gaze_policy_changes_the_looks_and_leaves_the_first_line(tutor_recording):
    _, found = what_if(tutor_recording, Changes(gaze_policy="random"))
    gaze = aspect(found, "gaze targets")
    assert gaze.first
    assert gaze.same < max(gaze.then, gaze.now)
    assert found.moments["lines"][0][0].what == found.moments["lines"][1][0].what


def test_another_condition_is_laid_over_the_scenario(tutor_recording):
    done, found = what_if(tutor_recording, Changes(condition="portuguese"))
    assert aspect(found, "lines").same < aspect(found, "lines").then
    assert any("Azul" in str(one.data) for one in done.said)


def test_a_single_setting_can_be_changed(hello_recording):
    changes = read_changes([], ["ada.engine.posture=sad", "ada.engine.rate_hz=25"])
    assert changes.settings == {"ada.engine.posture": "sad", "ada.engine.rate_hz": 25}
    done, _ = what_if(hello_recording, changes)
    assert (done.faults, done.died) == ([], [])
    frames = [one for one in done.said if one.type == "JointFrame"]
    assert len(frames) < 0.6 * sum(one.type == "JointFrame" for one in done.recorded)


def test_an_unknown_policy_is_told_with_the_nearest_name(hello_recording):
    done, _ = what_if(hello_recording, Changes(gaze_policy="mutal"))
    assert any("mutal" in fault and "mutual" in fault for fault in done.faults)
    assert done.died == ["ada.behaviour"]


@pytest.mark.parametrize(
    "change", [["--with", "gaze_policy=mutal"], ["--set", "ada.engine.posture=bored"]]
)
def test_a_what_if_that_cannot_be_played_makes_no_table(
    hello_recording, tmp_path, monkeypatch, change
):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("SERA_RUNS", str(tmp_path))
    done = CliRunner().invoke(app, ["replay", str(hello_recording), *change])
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "could not be played, so that nothing came out of it" in done.stderr
    assert "Traceback" not in done.stderr


def test_who_is_not_in_the_other_condition_says_nothing_in_it(hello_recording):
    done, found = what_if(hello_recording, Changes(condition="silent"))
    lines = aspect(found, "lines")
    assert lines.now == lines.then - 1, "the greeting is gone"
    assert any("ada.greeter is left out" in note for note in done.notes)


def test_another_condition_keeps_the_body_of_the_recording(make_recording, tmp_path):
    nao = load_robot(ROOT / "robots/nao")
    log = make_recording(tmp_path / "nao.jsonl", "hello", seed=5, robots={"ada": nao})
    run = read_recording(log)
    cast = cast_of(run, Workspace.discover(ROOT), Changes(condition="silent"))
    assert cast.scenario.bodies == {"ada": "nao"}


def postures(*moments: tuple[float, str]) -> list[Said]:
    return [
        Said(at_s, "SetPosture", "ada.mind", "ada", {"posture": name}, f"i{number}")
        for number, (at_s, name) in enumerate(moments)
    ]


def test_what_was_done_at_the_same_moment_is_the_same_whatever_repeats_later():
    then = postures((4.5, "neutral"), (13.5, "unengaged"), (17.8, "neutral"), (23.0, "neutral"))
    now = postures((4.5, "neutral"), (17.8, "neutral"), (23.0, "neutral"))
    aspect = next(one for one in difference(then, now, 30.0).aspects if one.name == "postures")
    assert (aspect.then, aspect.now, aspect.same) == (4, 3, 3)
    assert [(one.at_s, one.then, one.now) for one in aspect.first] == [(13.5, "unengaged", None)]
    later = postures((6.5, "neutral"), (15.5, "unengaged"), (19.8, "neutral"), (25.0, "neutral"))
    aspect = next(one for one in difference(then, later, 30.0).aspects if one.name == "postures")
    assert (aspect.same, aspect.first) == (4, []), "the order counts where the times have moved"


def test_nothing_changed_is_nothing_different():
    said = [
        Said(1.0, "UtteranceStarted", "a.b", "a", {"utterance": "u1", "text": "Hi"}, "1"),
        Said(2.0, "Gaze", "a.b", "a", {"target": "door"}, "2"),
        Said(2.5, "Gaze", "a.b", "a", {"target": "door"}, "3"),
        Said(3.0, "UtteranceFinished", "a.b", "a", {"utterance": "u1"}, "4"),
    ]
    found = difference(said, said, 10.0)
    assert all(one.then == one.now == one.same and not one.first for one in found.aspects)
    assert found.speaking_s == (2.0, 2.0)
    assert found.gaze_share == {"door": (1.0, 1.0)}
    assert aspect(found, "gaze targets").then == 1  # following what moves is one look


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for key, value in attrs if key in ("src", "href")]


def test_the_page_needs_no_script_and_nothing_from_outside_and_keeps_words_as_words():
    nasty = '<script>alert("x")</script>'
    then = [Said(1.0, "UtteranceStarted", "a.b", "a", {"utterance": "u", "text": nasty}, "1")]
    page = timeline_page(difference(then, [], 5.0), title=nasty, changes=[nasty], duration_s=5.0)
    read = _Page()
    read.feed(page)
    assert "script" not in read.tags
    assert read.addresses == []
    assert read.tags.count("svg") == 1
    assert "as recorded" in page
    assert "as replayed" in page


def test_the_command_shows_the_difference_and_draws_it(hello_recording, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    page = tmp_path / "two.html"
    told = ["replay", str(hello_recording), "--with", "gaze_policy=random", "--html", str(page)]
    result = CliRunner().invoke(app, told)
    assert result.exit_code == 0, result.stderr
    assert "What if: gaze policy random" in result.stdout
    assert "looked at" in result.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    again = CliRunner().invoke(app, told)
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    as_json = CliRunner().invoke(app, [*told[:-2], "--json"])
    assert json.loads(as_json.stdout)["difference"]["aspects"][0]["name"] == "lines"


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("true", True), ('"3"', "3"), ("random", "random")]
)
def test_values_are_read_as_a_scenario_file_has_them(text, value):
    assert read_changes([], [f"a.b.c={text}"]).settings == {"a.b.c": value}

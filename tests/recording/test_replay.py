"""A recording plays again: the same log in, the same decisions and motion out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sera.cli import app
from sera.recording import LogReader
from sera.recording.replay import (
    Changes,
    ReplayError,
    Said,
    cast_of,
    compare,
    play,
    read_recording,
)
from sera.runtime.workspace import Workspace
from tests.helpers import some_of

ROOT = Path(__file__).parents[2]
WORKSPACE = Workspace.discover(ROOT)


def replayed(recording: Path, modules: list[str] | None = None, **options):
    run = read_recording(recording)
    return run, play(run, cast_of(run, WORKSPACE, Changes(), modules), **options)


def assert_identical(run, done) -> None:
    found = compare(done.recorded, done.said, exact=run.exact)
    assert found.same, found.first.in_words
    assert done.recorded
    assert [(one.type, one.character, one.at_s) for one in done.said] == [
        (one.type, one.character, one.at_s) for one in done.recorded
    ]
    assert all(one.worst_rad <= 1e-9 for one in found.motion)
    assert done.missing == done.out_of_order == 0
    assert done.faults == []


def test_a_recording_of_virtual_time_comes_out_identical(hello_recording):
    run, done = replayed(hello_recording)
    assert done.played == [
        *("ada.greeter", "ada.decision", "ada.behaviour", "ada.speaker", "ada.engine")
    ]
    assert_identical(run, done)


def test_a_lesson_with_answers_within_the_same_moment_comes_out_identical(tutor_recording):
    run, done = replayed(tutor_recording)
    assert {"PerformUtterance", "JointFrame", "Gaze", "ActivityCommand"} <= {
        one.type for one in done.said
    }
    assert_identical(run, done)


MODULES = ("nao.decision", "nao.behaviour", "nao.speaker", "nao.engine")


@pytest.mark.parametrize("alone", some_of(MODULES, 2))
def test_one_module_alone_comes_out_identical_among_recorded_others(tutor_recording, alone):
    run, done = replayed(tutor_recording, [alone])
    assert {one.source for one in done.said} == {alone}
    assert_identical(run, done)


def test_even_perception_and_activity_play_again(tutor_recording):
    modules = ["world.game", "nao.decision", "nao.behaviour", "nao.speaker"]
    run, done = replayed(tutor_recording, modules)
    assert_identical(run, done)


def test_an_older_recording_without_the_order_of_handling_follows_the_log(
    hello_recording, tmp_path
):
    lines = hello_recording.read_bytes().splitlines(keepends=True)
    old = tmp_path / "old.jsonl"
    old.write_bytes(b"".join(line for line in lines if b'"type":"Handled"' not in line))
    run, done = replayed(old)
    assert any("older recording" in note for note in done.notes)
    assert_identical(run, done)


def test_a_killed_recording_plays_as_far_as_it_goes(tutor_recording, tmp_path):
    lines = tutor_recording.read_bytes().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-2][:30])
    run, done = replayed(cut)
    found = compare(done.recorded, done.said, exact=True)
    assert run.duration_s < 30
    assert found.same, found.first.in_words


def test_the_replay_ends_where_it_is_told_and_writes_its_own_log(hello_recording, tmp_path):
    out = tmp_path / "again.jsonl"
    _, done = replayed(hello_recording, to_s=6.0, log=out)
    assert done.duration_s == 6.0
    assert max(one.at_s for one in done.said) < 6.0
    types = {record.type for record in LogReader(out)}
    assert {"PersonDetected", "JointFrame", "UtteranceStarted"} <= types


def test_a_replay_can_be_replayed(hello_recording, tmp_path):
    out = tmp_path / "again.jsonl"
    replayed(hello_recording, ["ada.decision", "ada.behaviour"], log=out)
    run, done = replayed(out, ["ada.decision", "ada.behaviour"])
    assert_identical(run, done)


def test_a_recording_at_the_pace_of_a_clock_has_the_same_decisions_and_lines(
    tmp_path, make_recording
):
    coarse = {"ada.engine": {"rate_hz": 10.0}}  # decisions do not wait for frames
    log = make_recording(tmp_path / "live.jsonl", "hello", clock=6.0, seed=5, settings=coarse)
    run, done = replayed(log)
    assert not run.exact
    assert "ada.speaker" not in done.played  # a voice that took its own time is fed
    asked = ("PerformUtterance", "UtteranceStarted", "UtteranceFinished", "GazeAt", "SetPosture")

    def told(said: list[Said]) -> list[tuple[str, object, object]]:
        keys = ("category", "line", "target", "posture")
        return sorted(
            (one.type, str([one.data.get(key) for key in keys]))
            for one in said
            if one.type in asked
        )

    assert told(done.recorded) == told(done.said)
    found = compare(done.recorded, done.said, exact=False)
    rows = {(row.source, row.type): row for row in found.rows}
    assert rows["ada.decision", "PerformUtterance"].same == 3
    assert rows["ada.behaviour", "UtteranceStarted"].same == 4
    assert found.motion[0].frames > 50


# -- what differs ---------------------------------------------------------------------------


def test_the_first_divergence_says_when_what_was_recorded_and_what_came_out(
    hello_recording, tmp_path
):
    other = tmp_path / "other.jsonl"
    text = hello_recording.read_text(encoding="utf-8")
    other.write_text(text.replace('"posture":"engaged"', '"posture":"neutral"'), encoding="utf-8")
    _, done = replayed(other, ["ada.decision"])
    found = compare(done.recorded, done.said, exact=True)
    assert not found.same
    assert found.first.type == "SetPosture"
    assert found.first.then["posture"] == "neutral"
    assert found.first.now["posture"] == "engaged"
    assert "SetPosture" in found.first.in_words


def _said(at_s: float, **data) -> Said:
    return Said(at_s, "Gaze", "ada.b", "ada", data, "x")


def test_what_is_missing_and_what_is_extra_are_told_apart():
    then = [_said(1, target="a"), _said(2, target="b"), _said(3, target="c")]
    missing = compare(then, [then[0], then[2]], exact=True)
    assert missing.differing == 1
    assert missing.first.now is None
    assert missing.first.then == {"target": "b"}
    extra = compare([then[0], then[2]], then, exact=True)
    assert extra.first.then is None
    assert extra.rows[0].same == 2


def test_identical_means_times_and_numbers_too():
    then = [_said(1.0, target="a", speed=0.5)]
    assert compare(then, [_said(1.0, target="a", speed=0.5 + 1e-12)], exact=True).same
    assert not compare(then, [_said(1.0, target="a", speed=0.5 + 1e-6)], exact=True).same
    assert not compare(then, [_said(1.01, target="a", speed=0.5)], exact=True).same
    assert compare(then, [_said(1.01, target="a", speed=0.6)], exact=False).same


# -- the command ----------------------------------------------------------------------------


def sera(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["replay", *(str(one) for one in arguments)])
    assert result.exit_code == code, (result.stdout, result.stderr)
    return result.stdout if code == 0 else " ".join((result.stdout + result.stderr).split())


@pytest.fixture
def at_home(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("SERA_RUNS", str(tmp_path / "runs"))


def test_the_command_says_that_the_same_came_out(hello_recording, at_home):
    text = sera(hello_recording, "--modules", "ada.decision,ada.greeter")
    assert "The same came out: identical" in text


def test_json_has_everything(hello_recording, at_home):
    told = json.loads(sera(hello_recording, "--modules", "ada.decision", "--json"))
    assert told["comparison"]["same"] is True
    assert told["played"] == ["ada.decision"]
    assert told["clock"] == "virtual"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--modules", "ada.decison"], "did you mean 'ada.decision'"),
        (["--with", "gaze_polcy=random"], "did you mean gaze_policy=…?"),
        (["--with", "utterances=/nowhere.xlsx"], "there is no such file"),
        (["--with", "condition=loud"], "has no condition 'loud'"),
        (["--set", "ada.behaviour"], "write CHARACTER.MODULE.KEY=VALUE"),
        (["--set", "ada.behavior.gaze_policy=random"], "did you mean 'ada.behaviour'"),
        (["--set", "ada.behaviour.gaze_polcy=random"], "did you mean 'gaze_policy'"),
        (["--set", "ada.behaviour.libraries=3"], "valid list"),
        (["--from", "9", "--to", "3"], "must be before"),
        (["--from", "900"], "the recording lasts"),
        (["--from", "nan"], "0 or more"),
        (["--modules", " , "], "names nobody"),
        (["--modules", " ada.greeter ", "--to", "0.1"], "there is nothing to compare"),
        (["--speed", "2"], "belong to --train"),
        (["--train"], "no operator decided anything"),
        (["--train", "--out", "x"], "--train goes with"),
    ],
)
def test_wrong_input_gets_a_sentence(hello_recording, at_home, arguments, sentence):
    assert sentence in sera(hello_recording, *arguments, code=2)


def test_a_file_that_is_no_recording_gets_a_sentence(tmp_path, at_home):
    (tmp_path / "a.jsonl").write_text("hello\n")
    assert "does not begin with the header" in sera(tmp_path / "a.jsonl", code=2)
    (tmp_path / "b.jsonl").write_text('{"sera_log":1,"run":"r","scenario":"hello"}\n')
    assert "holds no messages" in sera(tmp_path / "b.jsonl", code=2)
    assert "no log" in sera("nothing_of_that_name", code=2)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("type", 5),
        ("source", None),
        ("topic", 7),
        ("cause", {}),
        ("id", [1]),
        ("character", 3),
        ("received", 1e400),
        ("time", "noon"),
    ],
)
def test_a_record_with_a_field_of_a_wrong_type_is_damaged(
    hello_recording, tmp_path, at_home, field, value
):
    lines = hello_recording.read_text(encoding="utf-8").splitlines()
    place = next(n for n, line in enumerate(lines) if '"type":"HeadDirection"' in line)
    lines[place] = json.dumps({**json.loads(lines[place]), field: value})
    garbled = tmp_path / "garbled.jsonl"
    garbled.write_text("\n".join(lines) + "\n", encoding="utf-8")
    reader = LogReader(garbled)
    assert sum(1 for _ in reader) == sum(1 for _ in LogReader(hello_recording)) - 1
    assert reader.damaged_lines == [place + 1]
    assert read_recording(garbled).duration_s > 10


def test_a_header_that_leads_elsewhere_is_refused(hello_recording, tmp_path, at_home):
    text = hello_recording.read_text(encoding="utf-8")
    away = tmp_path / "away.jsonl"
    away.write_text(text.replace('"scenario":"hello"', '"scenario":"../../x"', 1), encoding="utf-8")
    assert "which is no scenario" in sera(away, code=2)


def test_who_decided_then_and_is_not_in_the_scenario_of_today_is_told(hello_recording, tmp_path):
    text = hello_recording.read_text(encoding="utf-8").replace("ada.greeter", "ada.welcomer")
    other = tmp_path / "other.jsonl"
    other.write_text(text, encoding="utf-8")
    cast = cast_of(read_recording(other), WORKSPACE, Changes())
    assert any("ada.welcomer is not in the scenario of today" in note for note in cast.notes)


def test_a_recording_of_a_scenario_that_is_gone_gets_a_sentence(hello_recording, tmp_path):
    gone = tmp_path / "gone.jsonl"
    text = hello_recording.read_text(encoding="utf-8")
    gone.write_text(text.replace('"scenario":"hello"', '"scenario":"goodbye"', 1), encoding="utf-8")
    with pytest.raises(ReplayError, match="recording is of scenario 'goodbye'"):
        cast_of(read_recording(gone), WORKSPACE, Changes())


def test_what_was_frozen_beside_the_recording_stands_before_the_files_of_today(
    hello_recording, tmp_path
):
    session = tmp_path / "sessions" / "s1"
    run_folder = session / "runs" / "1"
    run_folder.mkdir(parents=True)
    shutil.copy(hello_recording, run_folder / "log.jsonl")
    (run_folder / "run.json").write_text(
        '{"run": "hello_1", "scenario": "hello", "started": "2026-01-01T00:00:00Z"}'
    )
    frozen = session / "inputs"
    shutil.copytree(ROOT / "scenarios" / "hello", frozen / "scenarios" / "hello")
    (session / "inputs.json").write_text("{}")
    run = read_recording(run_folder / "log.jsonl")
    cast = cast_of(run, WORKSPACE, Changes(), ["ada.decision"])
    assert cast.scenario.path.is_relative_to(frozen)
    assert not any("files are those of today" in note for note in cast.notes)
    assert run.name == "1"
    assert_identical(run, play(run, cast))

"""`sera log` as its users see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sera.cli._log import app
from sera.messages import GazeAt, PersonDetected, Speak, SpeechHeard
from sera.recording import LogReader, RunFolder


@pytest.fixture
def log(recording) -> Path:
    seen = recording.say(PersonDetected(person="visitor_1"), source="world.eyes", character="world")
    recording.say(GazeAt(target="visitor_1"), cause=seen)
    recording.say(SpeechHeard(text="my \x1b[31msecret"), source="world.ears", character="world")
    recording.say(Speak(text="Hello"), source="ada.speech")
    recording.writer.close()
    return recording.path


def sera_log(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_show_prints_a_line_a_message_with_time_type_id_and_fields(log):
    result = sera_log("show", log)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 4
    assert "null" not in result.stdout
    assert lines[1].split() == ["0.200", "GazeAt", "ada.mind-1-2", 'target="visitor_1"']


def test_show_filters_by_everything_and_restores_on_request(log):
    assert len(sera_log("show", log, "-t", "Spe*").stdout.splitlines()) == 2
    assert len(sera_log("show", log, "--source", "world.*").stdout.splitlines()) == 2
    assert len(sera_log("show", log, "-c", "ada", "--from", 0.3).stdout.splitlines()) == 1
    assert len(sera_log("show", log, "--to", 0.25).stdout.splitlines()) == 2
    assert "GazeAt" in sera_log("show", log, "--first", 2).stdout.splitlines()[-1]
    assert "SpeechHeard" in sera_log("show", log, "--last", 2).stdout.splitlines()[0]
    assert "secret" not in sera_log("show", log).stdout
    restored = sera_log("show", log, "--restore", "--text", "SECRET").stdout
    assert "my \\u001b[31msecret" in restored


def test_show_as_json_prints_the_lines_of_the_log(log):
    result = sera_log("show", log, "--json")
    assert result.stdout.splitlines() == log.read_text(encoding="utf-8").splitlines()[1:-1]


def test_nothing_found_says_what_there_is_and_what_was_perhaps_meant(log):
    result = sera_log("show", log, "--type", "GazAt")
    assert result.exit_code == 0
    assert result.stdout == ""
    sentence = " ".join(result.stderr.split())
    assert "no message fits; the log holds GazeAt, PersonDetected, Speak, SpeechHeard" in sentence
    assert "unknown message type 'GazAt'; did you mean GazeAt" in sentence


def test_damage_is_named_on_the_side(log):
    with log.open("ab") as file:
        file.write(b'{"half')
    result = sera_log("show", log, "--json")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 4
    assert "1 damaged lines were left out: line 7" in result.stderr


@pytest.mark.parametrize("command", ["show", "summary"])
def test_a_file_that_is_no_log_is_an_error(tmp_path, command):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n")
    result = sera_log(command, path)
    assert result.exit_code == 1
    assert "is no SERA log" in " ".join(result.stderr.split())


def test_the_last_run_is_meant_where_no_log_is_named(recording, tmp_path, monkeypatch):
    monkeypatch.setenv("SERA_RUNS", str(tmp_path / "runs"))
    result = sera_log("show")
    assert result.exit_code == 1
    assert "there are no runs in" in " ".join(result.stderr.split())
    assert "no recordings here yet" in sera_log("list").stdout
    folder = RunFolder.create("hello-1", scenario="hello", seed=3)
    recording.writer = recording.open("refuse", folder.log_path)
    recording.say(GazeAt(target="x"))
    recording.writer.close()
    assert "GazeAt" in sera_log("show").stdout
    assert "hello-1" in sera_log("list").stdout
    (run,) = json.loads(sera_log("list", "--json").stdout)
    assert (run["run"], run["scenario"], run["seed"]) == ("hello-1", "hello", 3)
    assert run["bytes"] == folder.log_path.stat().st_size


def test_export_writes_a_table_of_what_fits(log, tmp_path):
    path = tmp_path / "out.csv"
    result = sera_log("export", log, "-o", path, "--type", "Speak")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{path}: 1 records, ")
    assert "Hello" in path.read_text(encoding="utf-8")
    assert sera_log("export", log, "-o", path).exit_code == 1
    done = json.loads(sera_log("export", log, "-o", path, "--overwrite", "--json").stdout)
    assert (done["path"], done["rows"]) == (str(path), 4)
    assert sera_log("export", log, "-o", tmp_path / "part", "-f", "jsonl").exit_code == 0
    assert len(list(LogReader(tmp_path / "part"))) == 4


def test_trace_shows_the_chain_and_marks_what_was_asked_for(log):
    lines = sera_log("trace", "ada.mind-1-2", log).stdout.splitlines()
    assert "• PersonDetected" in lines[0]
    assert "  ▶ GazeAt" in lines[1]
    steps = json.loads(sera_log("trace", "ada.mind-1-2", log, "--json").stdout)
    assert [(step["depth"], step["asked_for"], step["type"]) for step in steps] == [
        (0, False, "PersonDetected"),
        (1, True, "GazeAt"),
    ]
    unknown = sera_log("trace", "ada.mind-1-9", log)
    assert unknown.exit_code == 1
    assert "from ada.mind-1-2 to ada.mind-1-2" in " ".join(unknown.stderr.split())


def test_summary_gives_figures_for_people_and_for_scripts(log):
    shown = sera_log("summary", log).stdout
    assert "4 messages in 0.3 s; the run ended in an orderly way" in " ".join(shown.split())
    figures = json.loads(sera_log("summary", log, "--json").stdout)
    assert figures["types"] == {"GazeAt": 1, "PersonDetected": 1, "Speak": 1, "SpeechHeard": 1}
    assert figures["complete"] is True


def test_erase_asks_for_a_yes_and_says_what_it_erased(log):
    refused = sera_log("erase", "unassigned", log)
    assert refused.exit_code == 1
    assert "add --yes" in refused.stderr
    assert "secret" in sera_log("show", log, "--restore").stdout
    erased = sera_log("erase", "unassigned", log, "--yes", "--json")
    assert erased.exit_code == 0
    assert json.loads(erased.stdout)["originals"] == 1
    assert "secret" not in sera_log("show", log, "--restore").stdout
    again = sera_log("erase", "unassigned", log, "--yes")
    assert again.exit_code == 1
    assert "erased already" in " ".join(again.stderr.split())

"""Which body each character had is in the recording, whatever the scenario's file says later."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sera.cli import app
from sera.recording import LogHeader, LogReader, LogWriter, RunFolder

ROOT = Path(__file__).parents[2]
OLD = '{"sera_log":1,"run":"r","scenario":"hello","seed":7,"clock":"real","started":0.0}\n'


@pytest.fixture
def sera(tmp_path, monkeypatch):
    for name in ("SERA_PATH", "SERA_BROKER", "SERA_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("SERA_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        done = CliRunner().invoke(app, [str(one) for one in arguments])
        assert done.exit_code == 0, done.output
        return done.stdout

    return call


def overview(log, scenario=ROOT / "scenarios/hello/scenario.toml"):
    """What the console's Review page is told."""
    question = {"ask": "overview", "log": str(log), "hide_condition": True}
    question["scenario_file"] = None if scenario is None else str(scenario)
    told = subprocess.run(
        [sys.executable, "-m", "sera.console._recording_process"],
        cwd=ROOT,
        input=json.dumps(question) + "\n",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(told.stdout)


@pytest.mark.parametrize("clock", [("--virtual",), ("--duration", "1.5")])
def test_a_robot_that_the_command_line_chose_is_in_the_recording(sera, tmp_path, clock):
    sera("run", "hello", "--robot", "ada=emys", *clock, "--json")
    (folder,) = (tmp_path / "runs").iterdir()
    run = RunFolder(folder)
    assert LogReader(run.log_path).header.robots == {"ada": "emys"}
    assert run.info().robots == {"ada": "emys"}
    told = overview(run.log_path)
    assert told["facts"]["characters"]["ada"]["robot"] == "emys"
    assert told["robots_recorded"] is True
    assert "robots: ada is emys" in sera("log", "summary", run.log_path)
    summary = json.loads(sera("log", "summary", run.log_path, "--json"))
    assert summary["header"]["robots"] == {"ada": "emys"}
    part = tmp_path / "part.jsonl"
    sera("log", "export", run.log_path, "-o", part, "--type", "RunEnded")
    assert LogReader(part).header.robots == {"ada": "emys"}


def test_without_a_choice_the_robot_of_the_scenario_is_recorded(sera, tmp_path):
    log = tmp_path / "log.jsonl"
    sera("run", "hello", "--virtual", "--log", log, "--json")
    assert LogReader(log).header.robots == {"ada": "adelino"}
    gone = overview(log, scenario=None)
    assert gone["facts"]["characters"]["ada"]["robot"] == "adelino"


def test_an_older_recording_opens_and_has_the_robot_of_the_file(sera, tmp_path):
    log = tmp_path / "old.jsonl"
    log.write_text(OLD, encoding="utf-8")
    assert LogReader(log).header.robots is None
    told = overview(log)
    assert told["facts"]["characters"]["ada"]["robot"] == "adelino"
    assert told["robots_recorded"] is False
    assert "robots" not in sera("log", "summary", log)


def test_a_run_folder_with_and_without_robots_is_described(tmp_path):
    old = RunFolder.create("r1", base=tmp_path)
    assert "robots" not in json.loads((old.path / "run.json").read_text())
    assert old.info().robots is None
    new = RunFolder.create("r2", base=tmp_path, robots={"ada": "nao"})
    assert new.info().robots == {"ada": "nao"}


def test_a_log_that_is_continued_keeps_the_robots(tmp_path):
    path = tmp_path / "a.jsonl"
    header = LogHeader(run="r", robots={"ada": "nao"})
    for how in ("refuse", "append"):
        LogWriter(path, header=header, clock_now=lambda: 0.0, if_exists=how).close()
    assert LogReader(path).header == header


def test_a_header_without_robots_is_written_as_before():
    assert "robots" not in json.loads(LogHeader(run="r").line())
    assert json.loads(LogHeader(run="r", robots={}).line())["robots"] == {}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(ANYTHING)
def test_whatever_stands_there_the_header_is_read(value):
    header = LogHeader.from_line({"run": "r", "robots": value})
    if isinstance(value, dict):
        names = {key: name for key, name in value.items() if isinstance(name, str) and name}
        assert header.robots == names
    else:
        assert header.robots is None


@given(st.none() | st.dictionaries(st.text(), st.text(min_size=1)))
def test_robots_come_back_as_they_were_written(robots):
    header = LogHeader(run="r", robots=robots)
    assert LogHeader.from_line(json.loads(header.line())) == header

"""`sera evaluate`: a small run as its users start it, wrong input, and Ctrl-C."""

from __future__ import annotations

import json
import signal
import sys

import pytest
from typer.testing import CliRunner, Result

from sera.cli import app
from sera.cli._evaluate_bar import clock
from tests.helpers import wait_until


def sera(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def sentence(result: Result) -> str:
    """What was answered to wrong input: exit code 2, one message, no traceback."""
    assert result.exit_code == 2, (result.stdout, result.stderr)
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    return " ".join(result.stderr.split())


def test_a_small_run_prints_its_means_and_writes_the_report_with_pictures(place):
    finished = place.sera("evaluate", "erik", "--skeletons", "c", "--sample", 300, "--floor", 20)
    assert finished.returncode == 0, finished.stderr
    assert "C optimal" in finished.stdout
    assert "C floor 0.0" in finished.stdout
    assert "report: erik-evaluation/report.md" in finished.stdout
    folder = place.folder / "erik-evaluation"
    data = json.loads((folder / "report.json").read_text())
    assert data["command"] == "sera evaluate erik --skeletons c --sample 300 --floor 20"
    assert [row["samples_solved"] for row in data["results"]] == [300]
    assert (folder / "histograms-optimal.png").exists()
    assert "320 of 320 samples, 0:00 min left" in finished.stderr


def test_other_settings_in_the_same_folder_are_refused(tmp_path):
    first = sera("evaluate", "erik", "--skeletons", "A", "--sample", 20, "--out", tmp_path)
    assert first.exit_code == 0
    other = sera("evaluate", "erik", "--skeletons", "A", "--sample", 30, "--out", tmp_path)
    answer = sentence(other)
    assert "A-optimal.jsonl was begun with other settings" in answer
    assert "samples 20 there and 30 here" in answer
    assert "choose another folder with --out" in answer


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to a child there")
def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(place, start):
    folder = place.folder / "mine"
    running = start("evaluate", "erik", "--skeletons", "A", "--fraction", 1, "--out", "mine")
    journal = folder / "chunks" / "A-optimal.jsonl"

    def has_begun() -> bool:
        assert running.process.poll() is None, running.text
        return journal.exists() and journal.read_bytes().count(b"\n") > 1

    wait_until(has_begun)
    running.process.send_signal(signal.SIGINT)
    assert running.end() == 130
    assert "stopped; what is done is kept in mine: the same command goes on" in running.text
    assert "Traceback" not in running.text
    lines = journal.read_text().splitlines()
    assert len(lines) > 1
    assert all(json.loads(line) for line in lines)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("--skeletons", "H"), "There is no skeleton 'H'; choose among A, B, C, D, E, F, G."),
        (("--skeletons", ","), "--skeletons names none"),
        (("--method", "magic"), "there is no method 'magic': choose optimal, published, both"),
        (("--full", "--sample", 3), "--full takes all samples"),
        (("--fraction", 2), "--fraction is 2.0; give a share above 0 and up to 1."),
        (("--dls", "--skeletons", "A"), "add C to --skeletons"),
        (("--seed", -1), "--seed is -1"),
    ],
)
def test_wrong_input_is_answered_with_one_sentence(arguments, answer, tmp_path):
    assert answer in sentence(sera("evaluate", "erik", "--out", tmp_path / "x", *arguments))
    assert not (tmp_path / "x").exists()


def test_without_matplotlib_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "sera.evaluation.erik.figures", raising=False)
    result = sera("evaluate", "erik", "--skeletons", "A", "--sample", 20, "--out", tmp_path)
    assert result.exit_code == 0
    assert 'pip install "sera-hri[figures]"' in result.stderr
    assert (tmp_path / "report.md").exists()
    sweeps = sera("evaluate", "sweeps", "--folder", tmp_path)
    assert 'pip install "sera-hri[figures]"' in sentence(sweeps)


def test_all_evaluations_are_listed():
    listed = sera("evaluate", "--help").stdout
    for name in ("erik", "filter", "sweeps"):
        assert f"\n  {name} " in listed


def test_the_time_left_is_told_as_people_tell_it():
    assert clock(0.4) == "0:00 min"
    assert clock(75) == "1:15 min"
    assert clock(3 * 3600 + 62) == "3:01:02 h"

"""`sera run` and `sera demo` from the outside: what is printed, what is left, how they end."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from re import MULTILINE

import psutil
import pytest

from tests.helpers import PATIENCE_S, wait_until

SPEED = 4
"""Quicker than life, and slow enough for a busy machine: every delay counts as many times."""

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")

FAILING = '''
from sera import Module, on
from sera.messages import PersonDetected


class Failing(Module):
    """Fails when somebody arrives."""

    @on(PersonDetected)
    async def fail(self, message: PersonDetected) -> None:
        raise RuntimeError("out of ideas")
'''
SPINNING = '''
import asyncio
from sera import Module


class Spinning(Module):
    """Never lets time pass."""

    async def run(self) -> None:
        while True:
            await asyncio.sleep(0)
'''
STUCK = '''
import time
from sera import Module


class Stuck(Module):
    """Holds the event loop."""

    async def run(self) -> None:
        print("stuck now", flush=True)
        time.sleep(3600)
'''


def scenario(place, name: str, module: str, code: str) -> None:
    place.write(f"modules/{module}/__init__.py", f'"""A module."""\n{code}')
    text = f'[scenario]\ntitle = "{name}"\n[modules.visitor]\nmodule = "simulated_visitor"\n'
    place.write(f"scenarios/{name}/scenario.toml", f"{text}[characters.ada.modules.{module}]\n")


def test_the_same_seed_writes_the_same_log_and_json_is_all_there_is_on_standard_output(place):
    logs = []
    for name in ("one.jsonl", "two.jsonl"):
        finished = place.sera("run", "hello", "--virtual", "--seed", 7, "--log", name, "--json")
        assert finished.returncode == 0, finished.stderr
        assert finished.stderr == ""
        summary = json.loads(finished.stdout)
        logs.append((place.folder / name).read_bytes())
    assert logs[0] == logs[1]
    assert len(logs[0]) > 10_000
    assert (summary["seed"], summary["clock"], summary["outcome"]) == (7, "virtual", "completed")
    assert (summary["failed"], summary["log"], summary["faults"]) == (False, "two.jsonl", [])


def test_in_virtual_time_the_story_is_told_on_request_and_every_run_has_its_folder(place):
    plain = place.sera("run", "hello", "--virtual")
    told = place.sera("run", "hello", "--virtual", "--story")
    assert (plain.returncode, told.returncode) == (0, 0)
    assert "arrives" not in plain.stdout
    assert "hello completed after" in plain.stdout
    assert re.search(r"^ +0\.2 s  visitor_1 arrives$", told.stdout, MULTILINE)
    assert re.search(r"^ +\d+\.\d s  ada says: “.+”$", told.stdout, MULTILINE)
    assert "hello completed after" in told.stdout
    runs = sorted(Path(place.environment["SERA_RUNS"]).iterdir())
    assert len(runs) == 2
    assert all((run / "log.jsonl").stat().st_size > 10_000 for run in runs)


def test_a_failing_module_makes_the_run_fail_and_the_fault_is_shown(place):
    scenario(place, "sad", "failing", FAILING)
    finished = place.sera("run", "sad", "--virtual", "--no-record")
    assert finished.returncode == 1
    assert "fault" in finished.stdout
    assert "fail while handling PersonDetected: RuntimeError: out of ideas" in finished.stdout
    assert "log " not in finished.stdout.splitlines()[-1]
    summary = json.loads(place.sera("run", "sad", "--virtual", "--json").stdout)
    assert summary["failed"] is True
    assert "out of ideas" in summary["faults"][0]["detail"]


def test_a_fault_is_told_once_as_it_happens_and_once_in_the_summary(place):
    scenario(place, "sad", "failing", FAILING)
    story = place.sera("run", "sad", "--virtual", "--no-record", "--story")
    arrivals = story.stdout.count("failing: fail while handling")
    assert arrivals == 2, story.stdout
    assert "out of ideas" not in story.stderr
    quiet = place.sera("run", "sad", "--virtual", "--no-record")
    assert (quiet.stdout + quiet.stderr).count("out of ideas") == 1


def test_a_stall_in_virtual_time_names_the_waiting_tasks(place):
    scenario(place, "mad", "spinning", SPINNING)
    finished = place.sera("run", "mad", "--virtual", "--no-record")
    assert finished.returncode == 1
    assert "virtual time stands still" in finished.stderr
    assert re.search(
        r"^  ada\.spinning run waits at .*modules.spinning", finished.stderr, MULTILINE
    )
    assert "Traceback" not in finished.stderr


def test_a_scenario_that_nothing_ends_is_noticed_in_virtual_time(place):
    place.write("scenarios/endless/scenario.toml", '[scenario]\ntitle = "Endless"\n')
    finished = place.sera("run", "endless", "--virtual", "--no-record")
    assert finished.returncode == 1
    assert "nothing ended this scenario within a virtual day" in finished.stderr
    assert place.sera("run", "endless", "--virtual", "--duration", 60).returncode == 0


def test_a_path_brings_its_own_workspace(place, tmp_path):
    place.write("modules/mine/__init__.py", FAILING.replace("Failing", "Mine"))
    text = '[scenario]\ntitle = "There"\nduration_s = 1\n[characters.ada.modules.mine]\n'
    path = place.write("scenarios/there/scenario.toml", text)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place.folder = elsewhere
    assert place.sera("run", path, "--virtual", "--no-record").returncode == 0
    assert place.sera("run", "there", "--virtual", "--no-record").returncode == 2


@posix_only
def test_ctrl_c_stops_cleanly_and_leaves_no_process(start, place):
    run = start("run", "hello", "--condition", "apart")
    run.wait_for("visitor_1 arrives")
    children = psutil.Process(run.process.pid).children(recursive=True)
    assert len(children) >= 2, "the broker and the body at least"
    run.process.send_signal(signal.SIGINT)
    assert run.end() == 130
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert alive == []
    assert "the run is stopped: it was stopped with Ctrl-C" in run.text
    assert "hello (apart) stopped after" in run.text
    assert "Traceback" not in run.text
    (log,) = Path(place.environment["SERA_RUNS"]).glob("hello_*/log.jsonl")
    last = log.read_text(encoding="utf-8").splitlines()[-1]
    assert "end" in json.loads(last), "the log was closed properly"
    assert "ended in an orderly way" in place.sera("log", "summary").stdout


@posix_only
def test_a_second_ctrl_c_helps_when_a_module_holds_everything(start, place):
    scenario(place, "held", "stuck", STUCK)
    run = start("run", "held", "--no-record")
    run.wait_for("stuck now")
    children = psutil.Process(run.process.pid).children(recursive=True)
    run.process.send_signal(signal.SIGINT)
    time.sleep(0.5)  # what comes sooner counts as the same keystroke
    assert run.process.poll() is None

    def pressed_again() -> bool:
        run.process.send_signal(signal.SIGINT)
        return run.process.poll() is not None

    wait_until(pressed_again)
    assert run.end() == 130
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert alive == []


def test_the_demo_plays_the_built_in_game_to_its_end_even_in_another_workspace(place):
    """A laboratory's own scenario and modules of the same names must not stand in here."""
    place.write("scenarios/avantsatie/scenario.toml", '[scenario]\ntitle = "Not this one"\n')
    broken = FAILING.replace("Failing", "Stand")
    for module in ("animation_engine", "behaviour_manager", "robot_bridge", "gateway"):
        place.write(f"modules/{module}/__init__.py", f'"""Not this one."""\n{broken}')
    done = place.sera("demo", "--virtual", "--seed", 5)  # a short game
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    told = done.stdout
    assert re.search(
        r"^avantsatie \(demo\) completed after \d+:\d\d of virtual time in [\d.]+ s: "
        r"all pieces were discovered$",
        told,
        MULTILINE,
    ), told
    assert re.search(r"^ +[\d,]+ messages of \d+ types, \d+ modules, no faults", told, MULTILINE)
    (log,) = Path(place.environment["SERA_RUNS"]).glob("avantsatie_*/log.jsonl")
    assert f"log {log}" in told
    summary = place.sera("log", "summary")
    assert summary.returncode == 0
    assert "ended in an orderly way" in summary.stdout
    assert "GameEnded" in log.read_text(encoding="utf-8")


def test_a_run_over_a_broker_is_told_as_it_happens_and_comes_to_its_end(start, place):
    run = start("run", "hello", "--speed", SPEED)
    assert run.end() == 0, run.text
    told = run.text
    for words in ("visitor_1 arrives", "ada says: “", "visitor_1 says: “", "visitor_1 leaves"):
        assert re.search(rf"^ +\d+\.\d s  {words}", told, MULTILINE), told
    assert "the run ends: the visitor has left" in told
    assert float(re.search(r"hello completed after (\d+\.\d) s", told)[1]) > 18
    (log,) = Path(place.environment["SERA_RUNS"]).glob("hello_*/log.jsonl")
    assert f"log {log}" in told
    assert log.stat().st_size > 10_000
    assert json.loads(log.with_name("run.json").read_bytes())["clock"] == "scaled"
    assert list(Path(place.environment["XDG_RUNTIME_DIR"], "sera").iterdir()) == []

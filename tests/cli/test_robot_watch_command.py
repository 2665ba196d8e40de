"""`sera robot watch`: it joins a run, asks the engine and shows who moves what."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sera.cli import _robot_watching
from sera.recording import LogReader
from sera.runtime import live_runs
from tests.helpers import PATIENCE_S, wait_until

MUTE = '''"""A module."""
from sera import Module, on
from sera.messages import WatchBlend


class Mute(Module):
    """Takes the order and never reports."""

    @on(WatchBlend)
    async def ignore(self, message: WatchBlend) -> None:
        """Nothing."""
'''
SCENARIO = """
[scenario]
title = "Two bodies and a mute"

[characters.ada]
robot = "adelino"
[characters.ada.modules.engine]
module = "animation_engine"
[characters.ada.modules.body]
module = "robot_bridge"

[characters.ben]
robot = "keepon"
[characters.ben.modules.engine]
module = "animation_engine"
[characters.ben.modules.body]
module = "robot_bridge"

[characters.cleo.modules.mute]
"""


@pytest.fixture(scope="module")
def going_on(tmp_path_factory, make_place) -> Iterator:
    """A place with a run of two bodies, and the run."""
    place = make_place(tmp_path_factory.mktemp("watched"))
    place.write("modules/mute/__init__.py", MUTE)
    place.write("scenarios/two/scenario.toml", SCENARIO)
    run = place.start("run", "two")

    def moves(name: str) -> bool:
        assert run.process.poll() is None, run.text
        return place.sera("robot", "watch", name, "--once").returncode == 0

    try:
        for name in ("ada", "ben"):
            wait_until(lambda name=name: moves(name), f"a move of {name}")
        yield place, run
    finally:
        run.kill()


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """An engine and its answers may take as long as they need."""
    for name in ("ANSWER_WITHIN_S", "STATE_WITHIN_S"):
        monkeypatch.setattr(_robot_watching, name, PATIENCE_S)


@pytest.fixture
def impatient(patient, monkeypatch):
    """For engines that never answer."""
    monkeypatch.setattr(_robot_watching, "ANSWER_WITHIN_S", 0.5)


@pytest.fixture
def two(going_on):
    return going_on[0]


def test_one_frame_is_shown_with_values_layers_and_how_the_engine_is(two):
    seen = two.sera("robot", "watch", "ada", "--once")
    assert (seen.returncode, seen.stderr) == (0, "")
    lines = seen.stdout.splitlines()
    assert re.match(r"frame \d+  Body\.upper_bend +[+-]\d+\.\d°  posture 100 %$", lines[1])
    assert re.search(r"Gazing\.Horizontal +[+-]\d+\.\d°  .*gaze \d+ %", seen.stdout)
    shown = r"layers: posture 100 %, emotion 100 %, eyes_light 100 %, face 100 %, gaze 100"
    assert re.search(shown, lines[-2])
    assert re.search(r"engine: program “Alive” · posture neutral · 50 Hz · \d+ late of ", lines[-1])


def test_it_goes_on_for_as_long_as_was_asked_and_longer_than_one_order_lasts(two, monkeypatch):
    monkeypatch.setattr(_robot_watching, "RENEW_EVERY_S", 0.3)
    monkeypatch.setattr(_robot_watching, "ASK_FOR_S", 0.6)
    arguments = ("--json", "--channel", "eyes.*", "--seconds", 2.5, "--every", 0.1)
    before_s = time.time()
    seen = two.sera("robot", "watch", "ben", *arguments)
    assert (seen.returncode, seen.stderr) == (0, "")
    frames = [json.loads(line) for line in seen.stdout.splitlines()]
    numbers = [frame["frame"] for frame in frames]
    assert numbers == sorted(set(numbers))
    (log,) = Path(two.environment["SERA_RUNS"]).glob("two_*/log.jsonl")

    def reported_after_the_first_order() -> bool:
        since = [one for one in LogReader(log) if one.received_s > before_s]
        orders_s = [one.received_s for one in since if one.type == "WatchBlend"]
        reports_s = [one.received_s for one in since if one.type == "BlendReport"]
        return bool(reports_s) and max(reports_s) > min(orders_s) + 0.6

    wait_until(reported_after_the_first_order)
    for frame in frames:
        assert frame["character"] == "ben"
        assert all(name.startswith("Eyes.") for name in frame["channels"])
        assert frame["engine"]["program"] == "Alive"


def test_of_several_bodies_one_must_be_chosen(two):
    seen = two.sera("robot", "watch", "--once")
    assert seen.returncode == 2
    assert "whose body? Choose one: sera robot watch ada (of ada, ben, cleo)" in seen.stderr


def test_an_unknown_character_is_answered_with_the_nearest(two):
    seen = two.sera("robot", "watch", "adda", "--once")
    assert seen.returncode == 2
    assert "no animation engine of 'adda' is in the run; did you mean 'ada'?" in seen.stderr


def test_a_channel_that_nobody_moves_is_answered_with_those_that_are_moved(two):
    seen = two.sera("robot", "watch", "ada", "--once", "--channel", "Gazing.Horizontl")
    assert seen.returncode == 0
    assert "no channel that is moved fits Gazing.Horizontl" in seen.stderr
    assert "did you mean 'Gazing.Horizontal'?" in seen.stderr


def test_an_engine_that_takes_the_order_and_says_nothing_is_named(two, impatient):
    seen = two.sera("robot", "watch", "cleo", "--once")
    assert (seen.returncode, seen.stdout) == (1, "")
    assert seen.stderr == "cleo.mute took the order and reports nothing (waited 0.5 s)\n"


def test_a_body_that_is_stopped_makes_no_frames_and_the_watcher_says_why(two, impatient):
    """From here on Ben stays stopped."""
    order = ("send", "EmergencyStop", "--character", "ben", "by=operator")
    wait_until(lambda: two.sera(*order).returncode == 0, "a stop")
    seen = two.sera("robot", "watch", "ben", "--once")
    assert seen.returncode == 1
    assert "ben.engine makes no frames while the body is stopped" in seen.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a thing of POSIX")
def test_in_a_terminal_it_draws_a_table_with_bars_and_ctrl_c_gives_the_cursor_back(two, terminal):
    window = terminal(two, "robot", "watch", "ada", "--channel", "Gazing.*")
    window.read_until("whose it is", times=3)
    window.type(b"\x03")
    assert window.end() == 0
    window.read_until("\x1b[?25h")
    assert "█" in window.shown
    assert "Traceback" not in window.shown
    assert window.shown.rindex("\x1b[?25h") > window.shown.rindex("\x1b[?25l")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
def test_a_watcher_ends_with_the_run(going_on):
    """The last test with this run."""
    place, run = going_on
    watcher = place.start("robot", "watch", "ada")
    try:
        watcher.wait_for("engine: program")
        run.process.send_signal(signal.SIGTERM)
        assert watcher.end() == 0
        assert run.end() == 143
    finally:
        watcher.kill()


def test_without_a_run_it_says_how_to_start_one(place):
    seen = place.sera("robot", "watch")
    assert seen.returncode == 2
    assert "no run is alive on this machine" in seen.stderr


def test_a_run_without_an_engine_is_told_what_it_lacks(place, shared_brokers):
    file = place.write("scenarios/alone/scenario.toml", '[scenario]\ntitle = "No body"\n')
    url = shared_brokers("amqtt").url
    with place.entered():
        live_runs.announce("alone_1", broker=url, scenario="alone", scenario_file=file)
    seen = place.sera("robot", "watch")
    assert seen.returncode == 2
    assert re.search(r"no animation engine is in the run alone_\w+: give a character", seen.stderr)
    assert 'module = "animation_engine"' in seen.stderr

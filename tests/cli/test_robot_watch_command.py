"""`sera robot watch`: it joins a run, asks the engine and shows who moves what."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

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
ALONE = """
[scenario]
title = "Nobody has a body"
[modules.attention]
"""


@pytest.fixture(scope="module")
def going_on(tmp_path_factory, make_place) -> Iterator:
    """A place with a run of two bodies, and the run."""
    place = make_place(tmp_path_factory.mktemp("watched"))
    place.write("modules/mute/__init__.py", MUTE)
    place.write("scenarios/two/scenario.toml", SCENARIO)
    run = place.start("run", "two")
    try:
        # Plain lines of a first look say that both engines are at work.
        for name in ("ada", "ben"):
            for _ in range(20):
                if place.sera("robot", "watch", name, "--once").returncode == 0:
                    break
            else:
                raise AssertionError(f"{name} does not move:\n{run.text}")
        yield place, run
    finally:
        run.kill()


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


def test_it_goes_on_for_as_long_as_was_asked_and_longer_than_one_order_lasts(two):
    arguments = ("--json", "--channel", "eyes.*", "--seconds", 7.5, "--every", 0.5)
    seen = two.sera("robot", "watch", "ben", *arguments)
    assert (seen.returncode, seen.stderr) == (0, "")
    frames = [json.loads(line) for line in seen.stdout.splitlines()]
    assert len(frames) >= 8
    numbers = [frame["frame"] for frame in frames]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] - numbers[0] > 5.5 * 50  # the first order alone would have ended by then
    for frame in frames:
        assert frame["character"] == "ben"
        assert all(name.startswith("Eyes.") for name in frame["channels"])
        assert frame["engine"]["program"] == "Alive"


def test_a_watcher_leaves_on_ctrl_c(two):
    watcher = two.start("robot", "watch", "ada", "--every", 0.2)
    try:
        watcher.wait_for("engine: program")
        watcher.process.send_signal(signal.SIGINT)
        assert watcher.end(5) == 0
        assert "Traceback" not in watcher.text
    finally:
        watcher.kill()


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


def test_an_engine_that_takes_the_order_and_says_nothing_is_named(two):
    seen = two.sera("robot", "watch", "cleo", "--once")
    assert (seen.returncode, seen.stdout) == (1, "")
    assert seen.stderr == "cleo.mute took the order and reports nothing (waited 4 s)\n"


def test_a_body_that_is_stopped_makes_no_frames_and_the_watcher_says_why(two):
    """From here on Ben stays stopped."""
    stopped = two.sera("send", "EmergencyStop", "--character", "ben", "by=operator")
    assert stopped.returncode == 0, stopped.stderr
    seen = two.sera("robot", "watch", "ben", "--once")
    assert seen.returncode == 1
    assert "ben.engine makes no frames while the body is stopped" in seen.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a thing of POSIX")
def test_in_a_terminal_it_draws_a_table_with_bars_and_gives_the_cursor_back(two):
    import pty

    master, slave = pty.openpty()
    process = subprocess.Popen(
        two.command("robot", "watch", "ada", "--seconds", 1.5, "--channel", "Gazing.*"),
        cwd=two.folder,
        env={**two.environment, "TERM": "xterm-256color", "COLUMNS": "100"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    shown = b""
    try:
        while part := os.read(master, 65536):
            shown += part
    except OSError:  # the other side is closed
        pass
    finally:
        os.close(master)
    assert process.wait(10) == 0
    text = shown.decode(errors="replace")
    assert text.count("whose it is") >= 3, text
    assert "█" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
def test_a_watcher_ends_with_the_run(going_on):
    """The last test with this run."""
    place, run = going_on
    watcher = place.start("robot", "watch", "ada")
    try:
        watcher.wait_for("engine: program")
        run.process.send_signal(signal.SIGTERM)
        assert watcher.end(8) == 0
        assert run.end(8) == 143
    finally:
        watcher.kill()


def test_without_a_run_it_says_how_to_start_one(place):
    seen = place.sera("robot", "watch")
    assert seen.returncode == 2
    assert "no run is alive on this machine" in seen.stderr


def test_a_run_without_an_engine_is_told_what_it_lacks(place, start):
    place.write("scenarios/alone/scenario.toml", ALONE)
    run = start("run", "alone")
    runtime = place.folder.parent / "runtime" / "sera"
    for _ in range(50):
        seen = place.sera("robot", "watch")
        if "no run is alive" not in seen.stderr:
            break
    assert list(runtime.glob("*.json")), run.text
    assert seen.returncode == 2
    assert re.search(r"no animation engine is in the run alone_\w+: give a character", seen.stderr)
    assert 'module = "animation_engine"' in seen.stderr

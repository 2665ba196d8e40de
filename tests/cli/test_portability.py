"""`hello` on a system without what only POSIX has.

Stands in for Windows as far as that can be had here: the modules are absent in every process of
the run, and the event loop has no signal handlers.
"""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

ABSENT = ("fcntl", "termios", "pty", "tty", "pwd", "grp", "resource", "uvloop")

# Python imports a module of this name before anything else, in child processes too.
SITECUSTOMIZE = f"""
import sys
for name in {ABSENT!r}:
    sys.modules[name] = None
import asyncio

def refuse(self, *arguments):
    raise NotImplementedError

for loop in (asyncio.AbstractEventLoop, asyncio.BaseEventLoop, asyncio.SelectorEventLoop):
    loop.add_signal_handler = refuse
    loop.remove_signal_handler = refuse
"""


@pytest.fixture
def bare_place(place, tmp_path):
    folder = tmp_path / "bare"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
    place.environment["PYTHONPATH"] = str(folder)
    return place


def test_the_modules_are_really_absent(bare_place):
    program = "import importlib, sys\n"
    for name in ABSENT:
        program += f"try:\n importlib.import_module('{name}')\n sys.exit('{name} is there')\n"
        program += "except ImportError:\n pass\n"
    program += "import asyncio\ntry:\n asyncio.new_event_loop().add_signal_handler(2, print)\n"
    program += "except NotImplementedError:\n print('absent')\n"
    path = bare_place.write("probe.py", program)
    command = [bare_place.command()[0], str(path)]
    import subprocess

    finished = subprocess.run(
        command, env=bare_place.environment, capture_output=True, text=True, check=True
    )
    assert finished.stdout == "absent\n"


def test_hello_runs_in_virtual_time(bare_place):
    finished = bare_place.sera("run", "hello", "--virtual", "--json")
    assert finished.returncode == 0, finished.stderr
    summary = json.loads(finished.stdout)
    assert (summary["outcome"], summary["faults"]) == ("completed", [])


def test_hello_runs_over_a_real_broker(bare_place, broker_kind):
    finished = bare_place.sera("run", "hello", "--duration", 2, "--embedded", broker_kind)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "visitor_1 arrives" in finished.stdout
    assert "ada says: “" in finished.stdout
    assert "no faults, no warnings, no restarts" in finished.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
def test_ctrl_c_stops_it_cleanly(bare_place):
    run = bare_place.start("run", "hello", "--no-record")
    try:
        run.wait_for("visitor_1 arrives")
        pressed_s = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        assert run.end(5) == 130
        assert time.monotonic() - pressed_s < 2
        assert "it was stopped with Ctrl-C" in run.text
    finally:
        run.kill()

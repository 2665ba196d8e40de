"""`hello` on a system without what only POSIX has.

Stands in for Windows as far as that can be had here: the modules are absent in every process of
the run, and the event loop has no signal handlers.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess

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
    finished = subprocess.run(
        command, env=bare_place.environment, capture_output=True, text=True, check=True
    )
    assert finished.stdout == "absent\n"


def test_hello_runs_in_virtual_time(bare_place):
    run = bare_place.start("run", "hello", "--virtual", "--json")
    assert run.end() == 0, run.text
    summary = json.loads(run.text)
    assert (summary["outcome"], summary["faults"]) == ("completed", [])


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
def test_hello_runs_over_a_real_broker_and_ctrl_c_stops_it_cleanly(bare_place, broker_kind):
    run = bare_place.start("run", "hello", "--no-record", "--embedded", broker_kind)
    try:
        run.wait_for("visitor_1 arrives")
        run.wait_for("ada says: “")
        run.process.send_signal(signal.SIGINT)
        assert run.end() == 130
    finally:
        run.kill()
    assert "it was stopped with Ctrl-C" in run.text
    counts = run.wait_for(" modules, no faults, ")
    assert "no restarts" in counts
    # A busy machine may be late and stand still; there is nothing else to be warned of.
    slow = re.compile(r" late|stood still")
    warnings = [line for line in run.lines if "warning in " in line and not slow.search(line)]
    assert warnings == []
